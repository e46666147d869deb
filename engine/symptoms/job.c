/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about a job as a whole: ranks that RAS calls late or lost, a first barrier without a device, slices of one GPU,
 * a start that stops at NCCL. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/log_reading/statements.h"
#include "engine/symptoms/finding.h"

/* "#0-0 (27a079b828ff1a75) MISMATCH", and below it how far ranks are. RAS prints the largest group first, and names the
 * ranks of the small ones:
 *
 *     30 ranks have launched up to operation 640
 *     2 ranks have launched up to operation 641
 *     Rank 12 -- GPU 4 managed by process 323032 on node 10.137.190.124
 *     Rank 13 has launched up to operation 639 -- GPU 5 managed by process 323033 on node 10.137.190.124
 */
static void ras_ranks(struct orr_symptom_finder *f)
{
    enum { NAMED = 6 };
    const struct orr_log *log = f->log;
    const struct orr_log_event *event = orr_log_event_of(log, "ras-missing|ras-lost|ras-mismatch");
    const char *ranks = "", *first = NULL;
    double most = -1, theirs = -1, group = -1;
    uint32_t count = 0;
    for (uint32_t i = 0; event && i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        if (record->line < event->line)
            continue;
        if (record->kind == ORR_LOG_RAS_GROUP) {
            if (count)
                break; /* the next operation or communicator */
            group = record->values[0];
            most = most < 0 ? group : most;
        } else if (record->kind == ORR_LOG_RAS_RANK && record->value_count > 1) {
            theirs = record->value_count > 2 ? record->values[1] : group;
            if (count < NAMED)
                ranks = orr_symptom_text(f, "%s%s%d", ranks, count ? ", " : "", (int)record->values[0]);
            first = first
                        ? first
                        : orr_symptom_text(f, "process %d on node %.60s", (int)record->values[record->value_count - 1],
                                           record->words[record->word_count - 1]);
            count++;
        }
    }
    if (!count)
        return;
    const bool lost = strcmp(event->message->id, "ras-mismatch") != 0;
    if (!lost && (most < 0 || theirs < 0 || most == theirs))
        return;
    ranks = orr_symptom_text(f, "%s%s", ranks, count > NAMED ? " and more" : "");
    ORR_SYMPTOM(
        f, "ras-ranks", ORR_SYMPTOM_CAUSE, event->line,
        .cause = lost ? orr_symptom_text(f, "RAS has lost rank%s %s (line %u; %s%s), and the others wait.",
                                         orr_plural(count), ranks, event->line, count > 1 ? "the first is " : "", first)
                 : theirs < most
                     ? orr_symptom_text(f,
                                        "Rank%s %s %s late: up to operation %.0f, the others up to %.0f (line %u; "
                                        "%s%s). If that stays, the others wait for %s.",
                                        orr_plural(count), ranks, count == 1 ? "is" : "are", theirs, most, event->line,
                                        count > 1 ? "the first is " : "", first, count == 1 ? "it" : "them")
                     : orr_symptom_text(f,
                                        "Rank%s %s %s ahead: up to operation %.0f, all others up to %.0f (line %u). If "
                                        "that stays, look at the others: they are late.",
                                        orr_plural(count), ranks, count == 1 ? "is" : "are", theirs, most, event->line),
        .check = lost ? "Check on that node whether the process still runs (ps, dmesg, the scheduler's log)."
                      : "Check: ask RAS again after some seconds (`ncclras`). Numbers that grow are normal; numbers "
                        "that stay are a hang.",
        .cure = lost ? "Find out why it ended or stopped answering, in its own log first."
                     : "Look at the late ranks' processes with `py-spy dump`, and at their hosts.",
        .explains = event->message->id);
}

/* MIG slices of one GPU have the same bus id. */
static void slices_of_one_gpu(struct orr_symptom_finder *f)
{
    const struct orr_log_event *twice = orr_log_event_of(f->log, "duplicate-gpu");
    const struct orr_log_event *slice = orr_log_event_of(f->log, "mig-device");
    if (!twice || !slice)
        return;
    ORR_SYMPTOM(f, "mig-slices", ORR_SYMPTOM_CAUSE, twice->line,
                .cause = orr_symptom_text(
                    f, "The ranks use MIG slices (line %u) of one GPU, which NCCL takes for the same GPU and refuses.",
                    slice->line),
                .check = "Check: `nvidia-smi -L` shows to which GPU each slice belongs.",
                .cure = "Give each rank a whole GPU, or run one rank. Newer releases join slices as an experiment "
                        "(NCCL_MULTI_RANK_GPU_ENABLE=1), without P2P and NVLink.",
                .explains = twice->message->id);
}

/* The last line of a server about starting NCCL. */
static const struct orr_log_event *server_start(const struct orr_log *log, const char **ret_server)
{
    static const struct {
        const char *event, *server;
    } starts[] = {{"vllm-nccl", "vLLM"}, {"sglang-nccl", "SGLang"}};
    const struct orr_log_event *last = NULL;
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        const struct orr_log_event *event = orr_log_event_of(log, starts[i].event);
        if (!event || (last && last->last_line >= event->last_line))
            continue;
        last = event;
        *ret_server = starts[i].server;
    }
    return last;
}

/* vLLM or SGLang says that it starts NCCL, and nothing comes after that. */
static void ends_at_nccl(struct orr_symptom_finder *f)
{
    enum { LINES_AFTER = 3 };
    const struct orr_log *log = f->log;
    const char *server = "";
    const struct orr_log_event *start = server_start(log, &server);
    const bool hosts = orr_log_event_of(log, "spans-nodes");
    if (!start || log->nccl_count || orr_log_event_of(log, "vllm-no-p2p") ||
        start->last_line + LINES_AFTER < log->line_count)
        return;
    for (uint32_t i = 0; i < f->found->count; i++)
        if (f->found->rows[i].weight == ORR_SYMPTOM_CAUSE)
            return; /* whose row says more */
    for (uint32_t i = 0; i < log->record_count && !hosts; i++) {
        const struct orr_gpu_model *model =
            log->records[i].kind == ORR_LOG_GPU_NAME ? orr_gpu_model_of_name(log->records[i].words[0]) : NULL;
        if (model && model->p2p == ORR_NO)
            return; /* and so there is no P2P that could break */
    }
    for (uint32_t i = 0; i < log->event_count; i++)
        if (!log->events[i].message || log->events[i].message->weight > ORR_WEIGHT_WARNING)
            return;
    ORR_SYMPTOM(
        f, "ends-at-nccl", ORR_SYMPTOM_CAUSE, start->last_line,
        .cause =
            hosts ? orr_symptom_text(f,
                                     "The text ends where %s starts NCCL (line %u): if it hangs there, ranks of the "
                                     "hosts wait for one another.",
                                     server, start->last_line)
                  : orr_symptom_text(
                        f,
                        "The text ends where %s starts NCCL (line %u). If the job hangs there, a rank does not reach "
                        "the others, or data between GPUs does not arrive.",
                        server, start->last_line),
        .check = hosts ? "Check: run with NCCL_DEBUG=INFO, which prints \"Init COMPLETE\" for each rank that "
                         "reached the others."
                       : "Check: run once with NCCL_P2P_DISABLE=1 NCCL_DEBUG=INFO. If that works, it is P2P. If "
                         "ranks never print \"Init COMPLETE\", they do not reach one another: name the interface "
                         "that all hosts share in NCCL_SOCKET_IFNAME.",
        .cure = hosts ? "If all print it, give each host's own address in VLLM_HOST_IP or SGLANG_HOST_IP. If not, "
                        "name the interface that all hosts share in NCCL_SOCKET_IFNAME and GLOO_SOCKET_IFNAME, and "
                        "open all ports between them."
                      : "`sudo lspci -vvv | grep -i acsctl` shows SrcValid+ where ACS is on. " ORR_ACS_CURE);
}

/* The line of a rank with NVLS that connected its trees and wrote nothing after that, although its initialisation did
 * not end: NVLS comes next. 0 if there is none. */
static uint32_t stops_before_nvls(const struct orr_log *log)
{
    bool nvls = false;
    const struct orr_log_record *trees = NULL;
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        nvls |= record->kind == ORR_LOG_NVLS_SUPPORT && record->word_count && !strcmp(record->words[0], "available");
        if (record->kind == ORR_LOG_CONNECTED && !strncmp(record->words[0], "all trees", 9) &&
            !log->sessions[record->session].closed)
            trees = record;
        else if (trees && record->session == trees->session)
            trees = NULL;
    }
    return nvls && trees ? trees->line : 0;
}

/* The log ends while NCCL prepares memory for NVLink SHARP (NVLS), or a job hangs before that. */
static void ends_at_nvls(struct orr_symptom_finder *f)
{
    enum { LINES_AFTER = 16 }; /* one for each GPU of a host */
    const struct orr_log *log = f->log;
    const struct orr_log_event *bind = orr_log_event_of(log, "nvls-bind-mem");
    const bool binds = bind && !log->kinds[ORR_LOG_INIT_COMPLETE] && bind->last_line + LINES_AFTER >= log->line_count;
    const uint32_t line = binds ? bind->last_line
                          : log->mentions[ORR_MENTION_HANG] && !orr_symptom_other_error(log, "")
                              ? stops_before_nvls(log)
                              : 0;
    if (!line)
        return;
    ORR_SYMPTOM(
        f, "ends-at-nvls", ORR_SYMPTOM_CAUSE, line,
        .cause = orr_symptom_text(f, "%s (line %u). If the job hangs there, the driver does not answer.",
                                  binds ? "The log ends where NCCL binds memory for NVLink SHARP (NVLS)"
                                        : "A rank's lines end after its trees, where NCCL sets up NVLink SHARP (NVLS)",
                                  line),
        .check = "Check: run once with NCCL_NVLS_ENABLE=0: if that works, it is this. `nvidia-smi -q | grep -A3 "
                 "Fabric` shows the state of the NVSwitches' fabric.",
        .cure = "If the fabric is not Completed, restart Fabric Manager (`systemctl restart nvidia-fabricmanager`, "
                "of the driver's version) or the host. If only the setting helps, leave NCCL_NVLS_ENABLE=0 set "
                "meanwhile.");
}

/* PyTorch's barrier is an AllReduce of one element. The first one makes the communicator, on whichever GPU is current:
 * by default the first, on every rank. */
static void first_barrier(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_log_event *chosen = orr_log_event_of(log, "no-barrier-device");
    for (uint32_t i = 0; chosen && i < log->timed_out_count; i++) {
        const struct orr_log_timed_out *call = &log->timed_out[i];
        if (call->work > 1 || call->elements != 1 || strcmp(call->operation, "ALLREDUCE") != 0)
            continue;
        ORR_SYMPTOM(f, "barrier-device", ORR_SYMPTOM_CAUSE, call->line,
                    .cause = orr_symptom_text(f,
                                              "The first barrier did not end (line %u), and the program had not said "
                                              "which GPU a rank uses (line %u): two ranks may have used the same one.",
                                              call->line, chosen->line),
                    .check = "Check: while it hangs, nvidia-smi shows several processes on GPU 0.",
                    .cure = "If it does, call torch.cuda.set_device(LOCAL_RANK) before the first barrier, or give "
                            "init_process_group() a device_id.");
        return;
    }
}

/* NCCL refuses to be captured in a CUDA graph with "invalid usage", and the warning that says why is not shown. */
static void captured(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_log_event *usage = orr_log_event_of(log, "invalid-usage");
    const struct orr_log_event *capture = orr_log_event_of(log, "graph-capture");
    capture = capture ? capture : orr_log_event_of(log, "graph-capture-runner");
    if (!usage || !capture)
        return;
    for (uint32_t i = 0; i < log->event_count; i++)
        if (!log->events[i].message || log->events[i].message->weight == ORR_WEIGHT_FATAL)
            return; /* which says why */
    ORR_SYMPTOM(f, "captured", ORR_SYMPTOM_CAUSE, capture->line,
                .cause =
                    orr_symptom_text(f,
                                     "NCCL failed while a CUDA graph was captured (line %u). It refuses that if it was "
                                     "built with a CUDA older than 11.3, or if the driver is older than 465.",
                                     capture->line),
                .check = "Check: NCCL_DEBUG=WARN then prints \"NCCL cannot be captured in a graph\". \"NCCL version "
                         "...+cudaN\" shows NCCL's CUDA, and nvidia-smi the driver.",
                .cure = "If NCCL's CUDA or the driver is older than that, install PyTorch and NCCL for one newer "
                        "CUDA that the driver supports, or a newer driver. Run once without CUDA graphs (vLLM: "
                        "--enforce-eager): if that works, it is the capture.",
                .explains = usage->message->id);
}

/* A hang about which NCCL prints nothing, although it should. Without a launcher, nccl-tests always prints its first
 * lines, so the text leaves the output out. */
static void before_nccl(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_log_said *hang = log->mentions[ORR_MENTION_HANG];
    uint32_t line = 0;
    const char *level = orr_symptom_setting(log, "NCCL_DEBUG", &line);
    if (!hang || !level || !orr_symptom_is_one(level, "INFO|TRACE") || log->nccl_count ||
        log->kinds[ORR_LOG_TEST_RESULT] || !orr_symptom_said(log, " mpirun | mpiexec | srun ", true))
        return;
    for (uint32_t i = 0; i < f->found->count; i++)
        if (f->found->rows[i].weight == ORR_SYMPTOM_CAUSE)
            return; /* whose row says more */
    for (uint32_t i = 0; i < log->event_count; i++)
        if (!log->events[i].message || log->events[i].message->weight > ORR_WEIGHT_WARNING)
            return;
    ORR_SYMPTOM(f, "before-nccl", ORR_SYMPTOM_CAUSE, hang->line,
                .cause = orr_symptom_text(
                    f,
                    "NCCL_DEBUG=%.10s is set (line %u), and no line comes from NCCL. If the text has all that the job "
                    "printed, it hangs (line %u) before NCCL starts, in MPI or in the launcher.",
                    level, line, hang->line),
                .check = "Check: run `hostname` and then a small MPI program with the same command: if one hangs "
                         "too, it is not NCCL.",
                .cure = "If it is not, name MPI's interface (--mca btl tcp,self --mca btl_tcp_if_include IFACE), "
                        "turn hcoll off (--mca coll_hcoll_enable 0), or use an HPC-X or UCX that fits the NIC "
                        "driver.");
}

/* Whether two threads called one collective, of the same number in one communicator, with different counts. Without the
 * lines of an initialisation, whose addresses name communicators, only processes with one of them can be compared. */
static bool counts_differ(const struct orr_log *log, const struct orr_log_call *a, const struct orr_log_call *b)
{
    if (a->op_count != b->op_count || a->elements == b->elements || strcmp(a->function, b->function) != 0 ||
        a->transfers || b->transfers || a->communicator != b->communicator)
        return false;
    return a->communicator != UINT32_MAX
               ? a->rank != b->rank
               : log->call_count == 2 && a->writer != b->writer && orr_log_event_of(log, "socket-truncated");
}

/* Ranks whose last calls do not fit together. In a text that is cut and without an error, the operations of one group,
 * which have one number, look like that. */
static void different_counts(struct orr_symptom_finder *f)
{
    enum { CALLS_MOST = 512 };
    const struct orr_log *log = f->log;
    const struct orr_log_event *truncated = orr_log_event_of(log, "socket-truncated");
    bool wrong = orr_symptom_failed(log);
    for (uint32_t i = 0; i < log->event_count && !wrong; i++)
        wrong = log->events[i].message->weight == ORR_WEIGHT_HANG;
    if (!wrong)
        return;
    for (uint32_t i = 0; i < log->call_count && i < CALLS_MOST; i++)
        for (uint32_t j = i + 1; j < log->call_count && j < CALLS_MOST; j++) {
            const struct orr_log_call *a = &log->calls[i], *b = &log->calls[j];
            if (!counts_differ(log, a, b))
                continue;
            ORR_SYMPTOM(
                f, "different-counts", ORR_SYMPTOM_CAUSE, a->line,
                .cause = orr_symptom_text(f,
                                          "The ranks do not call the same operation: as number %llx, one calls %s with "
                                          "%llu elements (line %u) and another with %llu (line %u).",
                                          (unsigned long long)a->op_count, a->function, (unsigned long long)a->elements,
                                          a->line, (unsigned long long)b->elements, b->line),
                .check = "Check: compare the calls of both ranks before these lines (NCCL_DEBUG=INFO "
                         "NCCL_DEBUG_SUBSYS=COLL): the first that differ show where the program's ranks part.",
                .cure =
                    "Let all ranks call the same operations, in the same order, with the same counts and data types.",
                .explains = truncated ? truncated->message->id : NULL);
            return;
        }
}

/* Memory that NCCL could not get has the size of the buffers that Send and Recv share for the network. */
static void shared_buffers(struct orr_symptom_finder *f)
{
    enum { STEPS = 16 };
    const struct orr_log *log = f->log;
    const struct orr_log_event *event = orr_log_event_of(log, "cuda-memory");
    const char *at = event ? strstr(event->text, "alloc ") : NULL;
    const double bytes = at ? strtod(at + strlen("alloc "), NULL) : 0;
    const struct orr_log_record *chunk = NULL, *channels = NULL;
    struct orr_log_counts counts;
    bool alone = true;
    for (uint32_t i = 0; i < log->record_count && bytes > 0; i++) {
        chunk = log->records[i].kind == ORR_LOG_CHUNK ? &log->records[i] : chunk;
        channels = orr_log_counts_of(&log->records[i], &counts) ? &log->records[i] : channels;
    }
    for (uint32_t i = 0; i < log->communicator_count; i++)
        alone &= log->communicators[i].rank_count == 1;
    if (!chunk || !channels || !orr_log_counts_of(channels, &counts) || counts.p2p * STEPS * chunk->values[0] != bytes)
        return;
    ORR_SYMPTOM(f, "shared-buffers", ORR_SYMPTOM_CAUSE, event->line,
                .cause = orr_symptom_text(
                    f,
                    "The memory that is missing is for the buffers that Send and Recv share for the network: %g "
                    "point-to-point channels x 16 steps x chunks of %g bytes (lines %u and %u) are %.0f bytes. NCCL "
                    "allocates them when a communicator connects%s.",
                    counts.p2p, chunk->values[0], channels->line, chunk->line, bytes,
                    alone ? ", even if it has one rank and so no peer" : ""),
                .check = "Check: with NCCL_MAX_P2P_NCHANNELS=16, or NCCL_P2P_NVL_CHUNKSIZE=131072 on one host with "
                         "NVLink, the size shrinks in proportion.",
                .cure = orr_symptom_text(f,
                                         "%sCreate the communicator before the program takes the rest of the memory, "
                                         "or use fewer point-to-point channels.",
                                         alone ? "Skip collectives in groups of one rank. " : ""),
                .explains = event->message->id);
}

void orr_symptoms_of_job(struct orr_symptom_finder *f)
{
    shared_buffers(f);
    different_counts(f);
    first_barrier(f);
    ras_ranks(f);
    slices_of_one_gpu(f);
    captured(f);
    ends_at_nvls(f);
    ends_at_nccl(f);
    before_nccl(f);
}
