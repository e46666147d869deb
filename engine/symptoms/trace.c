/* SPDX-License-Identifier: Apache-2.0 */
/* The trace of a failed call, innermost first: "NCCL INFO graph/topo.cc:493 -> 3". Its first line names the part of
 * NCCL that failed, which helps if the text has no NCCL WARN that says why. */
#include <string.h>

#include "engine/symptoms/finding.h"

/* Lines that say why another failed. */
static void reasons_named(struct orr_symptom_finder *f)
{
    static const struct {
        const char *why, *failed; /* messages "A|B|C" */
    } rows[] = {
        {"ras-frame", "segfault"},
        {"nvml-mismatch", "cuda-driver-call|cuda-driver-old|cuda-ptx"},
        {"compute-exclusive|compute-exclusive-mode", "cuda-busy|cuda-busy-application"},
        {"uvm-range", "tests-cuda|cuda-failure|cuda-no-device"},
        {"gloo-loopback", "gloo-connect"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct orr_log_event *failed = orr_log_event_of(f->log, rows[i].failed);
        if (failed)
            orr_symptom_of_line(f, rows[i].why, failed->message->id);
    }
}

/* A crash report with functions of NCCL. */
static void nccl_crash(struct orr_symptom_finder *f)
{
    const struct orr_log_event *crash = orr_log_event_of(f->log, "sigsegv|segfault|signal-exit");
    const struct orr_log_event *frame = orr_log_event_of(f->log, "nccl-frame|nccl-frame-named|nccl-frame-python");
    const char *release = NULL;
    if (!crash || !frame || orr_log_event_of(f->log, "ras-frame|segfault-ras"))
        return;
    (void)orr_symptom_release(f, &release);
    ORR_SYMPTOM(f, "nccl-crash", ORR_SYMPTOM_CAUSE, frame->line,
                .cause = orr_symptom_text(f, "The process crashed inside NCCL%s%s (line %u).", release ? " " : "",
                                          release ? release : "", frame->line),
                .check = "Check: run once with a newer NCCL (pip install -U nvidia-nccl-cu12 or -cu13 replaces "
                         "PyTorch's): if it works, keep it. Run once with NCCL_NET_PLUGIN=none: if it works, a plugin "
                         "is at fault. Run once with NCCL_P2P_DISABLE=1: if it works, P2P is at fault.",
                .cure = "If the newest release crashes, report the backtrace to NCCL's developers.",
                .explains = crash->message->id);
}

/* compute-sanitizer shows that a kernel of NCCL used wrong memory. */
static void nccl_kernel(struct orr_symptom_finder *f)
{
    const struct orr_log_event *frame = orr_log_event_of(f->log, "nccl-kernel");
    const struct orr_log_event *error =
        orr_log_event_of(f->log, "cuda-illegal-application|cuda-illegal-access|tests-illegal-access");
    if (!frame)
        return;
    ORR_SYMPTOM(f, "nccl-kernel", ORR_SYMPTOM_CAUSE, frame->line,
                .cause = orr_symptom_text(
                    f, "compute-sanitizer shows a kernel of NCCL that used wrong memory (line %u).", frame->line),
                .check = "Check: run once with the newest NCCL: if it works, keep it. Run once without the program's "
                         "pool of cuMemCreate() (llama.cpp: build with GGML_CUDA_NO_VMM=ON): if it works, a GPU lacks "
                         "access to it (cuMemSetAccess()), or NCCL is at fault.",
                .cure = "If a buffer of the call is smaller than its count says, or freed before the stream reaches "
                        "the call, repair the program.",
                .explains = error ? error->message->id : NULL);
}

/* Whether the caller failed for the same reason. A healthy start has single frames too: NCCL_IB_DISABLE=1 leaves
 * "transport/net_ib.cc:852 -> 3", and NCCL goes on to sockets. */
static bool goes_up(const struct orr_log *log, uint32_t at)
{
    enum { CODE = 1 };
    const struct orr_log_record *frame = &log->records[at];
    for (uint32_t i = at + 1; i < log->record_count; i++)
        if (log->records[i].session == frame->session)
            return log->records[i].kind == ORR_LOG_FRAME && log->records[i].values[CODE] == frame->values[CODE];
    return false;
}

/* The first call that failed in NCCL, of those that its callers failed with; NULL if there is none. */
static const struct orr_log_record *failed_call(const struct orr_log *log)
{
    enum { REMOTE = 6 }; /* ncclRemoteError: another rank failed; 7: nothing failed */
    for (uint32_t i = 0; i < log->record_count; i++)
        if (log->records[i].kind == ORR_LOG_FRAME && log->records[i].values[1] < REMOTE && goes_up(log, i) &&
            strncmp(log->records[i].words[0], "misc/", strlen("misc/")) != 0) /* which serves all parts */
            return &log->records[i];
    return NULL;
}

/* Whether a message says why something failed, or that the reason is elsewhere. */
static bool says_more(const struct orr_log_message *message)
{
    return !message || message->weight == ORR_WEIGHT_FATAL || message->weight == ORR_WEIGHT_HANG ||
           message->weight == ORR_WEIGHT_AFTERMATH || message->weight == ORR_WEIGHT_ABSENT;
}

void orr_symptoms_of_trace(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_log_event *error = orr_symptom_unspecific(log);
    const struct orr_log_message *explains = error ? error->message : NULL;
    reasons_named(f);
    nccl_crash(f);
    nccl_kernel(f);
    for (uint32_t i = 0; i < log->event_count && !error; i++) {
        if (says_more(log->events[i].message))
            return;
        if (!explains && log->events[i].message->weight == ORR_WEIGHT_REPORT)
            explains = log->events[i].message;
    }
    const struct orr_log_record *frame = error ? NULL : failed_call(log);
    const char *file = error ? error->file : frame ? frame->words[0] : NULL;
    const uint32_t line = error ? error->line : frame ? frame->line : 0;
    const struct orr_symptom_part *part = file ? orr_symptom_part_of_file(file) : NULL;
    if (!part)
        return;
    uint32_t set = 0;
    const bool reads = !strcmp(part->files, "graph/");
    const char *topology = reads ? orr_symptom_setting(log, "NCCL_TOPO_FILE", &set) : NULL;
    const char *cause =
        topology ? orr_symptom_text(f,
                                    "NCCL failed while it read the machine's topology (line %u: %.60s), which "
                                    "NCCL_TOPO_FILE=%.120s (line %u) describes.",
                                    line, file, topology, set)
                 : orr_symptom_text(f, "NCCL failed while %s (line %u: %.60s).", part->does, line, file);
    ORR_SYMPTOM(
        f, "trace", ORR_SYMPTOM_CAUSE, line, .cause = cause,
        .check = topology ? "Run once without NCCL_TOPO_FILE: if that works, the file does not fit this NCCL or this "
                            "machine; `orrery show FILE` says what it lacks, such as arch and vendor of a <cpu>."
                 : part->repair ? part->repair
                                : part->check,
        .cure = topology       ? "If a plugin or /etc/nccl.conf sets NCCL_TOPO_FILE, use a newer plugin or image."
                : part->repair ? orr_symptom_text(f, "If the job works with %s, leave that set meanwhile.", part->off)
                               : part->cure,
        .explains = explains ? explains->id : NULL);
}
