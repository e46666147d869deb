/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about the state of GPUs: faults that the driver reports (Xid), clocks that are lowered or held down, memory that
 * others took, NVLink bridges without contact, and numbers by which nvidia-smi and CUDA mean different GPUs. */
#include <stdlib.h>
#include <string.h>

#include "engine/symptoms/finding.h"

#define VISIBLE " cuda_visible_devices " /* as in struct orr_log_said */

/* The message that a faulty GPU explains, before which it is named; NULL if another error came first. */
static const char *explained_by(const struct orr_log *log, const struct orr_log_message *fault)
{
    static const char errors[] = "launch-failure|cuda-launch-failure|cuda-gpu-lost|cuda-failure|tests-cuda|"
                                 "tests-cuda-unknown|cuda-illegal-access|cuda-illegal-application|xid-program|xid";
    for (uint32_t i = 0; i < log->event_count; i++) {
        const struct orr_log_message *message = log->events[i].message;
        if (message && message->weight == ORR_WEIGHT_FATAL)
            return orr_symptom_is_one(message->id, errors) ? message->id
                   : orr_symptom_is_one(message->id, ORR_LOG_XIDS_OF_HARDWARE) || !strncmp(message->id, "ib-", 3) ||
                           !strncmp(message->id, "socket-", 7)
                       ? fault->id /* errors of other ranks follow from it */
                       : NULL;
    }
    return fault->id;
}

static void faulty(struct orr_symptom_finder *f)
{
    const struct orr_log_event *event = orr_log_event_of(f->log, ORR_LOG_XIDS_OF_HARDWARE);
    const char *place = event ? strstr(event->text, "Xid (") : NULL, *end = place ? strstr(place, "): ") : NULL;
    const char *explains = event ? explained_by(f->log, event->message) : NULL;
    if (!end || !explains)
        return;
    place += strlen("Xid (");
    ORR_SYMPTOM(f, "gpu-fault", ORR_SYMPTOM_CAUSE, event->line,
                .cause = orr_symptom_text(f, "The driver reported a fault (Xid) %ld of %.*s (line %u). %s",
                                          strtol(end + 3, NULL, 10), (int)(end - place), place, event->line,
                                          event->message->means),
                .check = event->message->advice, .cure = "", .explains = explains);
}

/* A GPU that says that it is throttled, or whose clock is far below that of the others. */
static void slow_clock(struct orr_symptom_finder *f)
{
    const struct orr_log_event *event = orr_log_event_of(f->log, "gpu-throttled|gpu-clock-held|gpu-throttled-reason");
    if (!event)
        return;
    const bool held = !strcmp(event->message->id, "gpu-clock-held"), named = !strncmp(event->text, "GPU ", 4);
    const char *gpu = named ? event->text : "A GPU";
    ORR_SYMPTOM(f, event->message->id, ORR_SYMPTOM_CAUSE, event->line, .slows = true,
                .cause = orr_symptom_text(f,
                                          "%.*s%s (line %u). All ranks wait for the slowest in each collective, so "
                                          "NCCL's kernels look long on the others.",
                                          named && !held ? (int)strcspn(gpu, "i") - 1 : (int)strlen(gpu), gpu,
                                          held ? "" : " lowers its clocks because of heat or power", event->line),
                .check = "Check under load: `nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER,CLOCK` of this GPU and its "
                         "equals names the reason (HW Slowdown, Power Brake, Thermal) or a lock.",
                .cure = "If the temperature is at the limit, clean fans and filters and give the card air. If the "
                        "power is, check its cables, or lower the power limit of all GPUs (`nvidia-smi -pl`) until "
                        "none is throttled. `nvidia-smi -rgc` takes a lock of the clock off.");
}

/* Whether lines show that a process is not of the job: they name the processes of all ranks, and it is none of them,
 * or the job runs in Python and the process does not. PyTorch's message names other processes than its own. */
static bool is_stranger(const struct orr_log *log, const char *process, bool python)
{
    const int64_t pid = strtol(process, NULL, 10);
    const uint32_t largest = orr_log_largest(log);
    bool all =
        largest != UINT32_MAX && log->communicators[largest].seen == (uint32_t)log->communicators[largest].rank_count;
    for (uint32_t i = 0; i < log->writer_count; i++)
        if (log->writers[i].pid == pid)
            return false;
    for (uint32_t i = 0; i < log->record_count && log->kinds[ORR_LOG_DEVICE]; i++) { /* "# Rank 0 Group 0 Pid 7 on" */
        const struct orr_log_record *record = &log->records[i];
        if (record->kind != ORR_LOG_DEVICE || record->value_count < 2)
            continue;
        if (record->values[record->value_count - 2] == pid)
            return false;
        all = true;
    }
    return all || (python && !orr_log_has_word(process, strlen(process), "python|pt_main|::"));
}

/* A process that is not the job's has the memory that NCCL, or the program, did not get. */
static void memory_taken(struct orr_symptom_finder *f)
{
    enum { MUCH = 1000 }; /* MiB */
    static const char named[] = "nvidia-smi: ";
    const struct orr_log_event *process = orr_log_event_of(f->log, "gpu-process");
    const struct orr_log_event *failed =
        orr_log_event_of(f->log, "cuda-out-of-memory|cuda-memory|cuda-memory-application|cuda-memory-taken");
    const char *has = process ? strstr(process->text, " has ") : NULL;
    if (!has || !failed || strtol(has + strlen(" has "), NULL, 10) < MUCH ||
        !is_stranger(f->log, process->text + strlen(named) + strlen("process "), strstr(failed->text, "torch")))
        return;
    ORR_SYMPTOM(f, "gpu-memory-taken", ORR_SYMPTOM_CAUSE, process->line,
                .cause = orr_symptom_text(f,
                                          "By nvidia-smi, %s (line %u), and it is none of the processes that the log "
                                          "names, so it leaves too little memory for the job.",
                                          process->text + strlen(named), process->line),
                .check = "Check: `ps -fp PID` says whose it is and since when.",
                .cure =
                    "If that process is left from an earlier job, end it. If another job needs that process, choose "
                    "other GPUs (CUDA_VISIBLE_DEVICES). If that process is the job's own, the job needs less memory.",
                .explains = failed->message->id);
}

/* A framework that takes nearly all memory of the GPUs when it starts leaves none for NCCL. */
static void memory_reserved(struct orr_symptom_finder *f)
{
    const uint32_t line = orr_symptom_said(f->log,
                                           "mem_fraction 9|mem_fraction 0 9|mem_fraction 1&xla_python_client;"
                                           "utilization 0 95|utilization 0 96|utilization 0 97|utilization 0 "
                                           "98|utilization 0 99&gpu memory|gpu_memory",
                                           true);
    const struct orr_log_event *failed = orr_log_event_of(f->log, "cuda-out-of-memory|cuda-memory");
    if (!line || !failed)
        return;
    ORR_SYMPTOM(
        f, "gpu-memory-reserved", ORR_SYMPTOM_CAUSE, line,
        .cause = orr_symptom_text(
            f,
            "The framework takes nearly all memory of each GPU at its start (line %u), so NCCL finds none (line %u).",
            line, failed->line),
        .check = "Check: with a smaller share, the job starts.",
        .cure = "Lower the share: XLA_PYTHON_CLIENT_MEM_FRACTION=.8 (JAX), --gpu-memory-utilization 0.85 "
                "(vLLM).",
        .explains = failed->message->id);
}

/* No NVLink of cards that a bridge joins is up. */
static void bridge_down(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_log_event *down = orr_log_event_of(log, "nvlink-inactive");
    bool up = orr_log_event_of(log, "matrix-nvlink");
    for (uint32_t i = 0; i < log->record_count && !up; i++)
        up = log->records[i].kind == ORR_LOG_NVLINK && log->records[i].value_count > 1; /* it has a rate */
    if (!down || up || !orr_symptom_said(log, " bridge| bridges", true))
        return;
    ORR_SYMPTOM(
        f, "bridge-down", ORR_SYMPTOM_CAUSE, down->line,
        .cause = orr_symptom_text(
            f, "No NVLink of these GPUs is up (line %u), so the bridge does not join them, and NCCL sees no NVLink.",
            down->line),
        .check = "If the bridge is not made for these cards (generation, distance of the slots), use one that is.",
        .cure = "If the bridge is made for them, switch the host off and seat it firmly on both cards; `nvidia-smi "
                "nvlink -s` then shows a rate for each link. If the links stay inactive, try another bridge. No "
                "setting of the driver or of NCCL turns NVLink on.",
        .explains = "nvlink-inactive");
}

/* The number by which nvidia-smi knows the GPU that the program calls `device`, by CUDA_VISIBLE_DEVICES. */
static int visible(const struct orr_log *log, int device, uint32_t before)
{
    int number = device;
    for (uint32_t i = 0; i < log->said_count; i++) {
        const char *at = log->said[i].line < before ? strstr(log->said[i].words, VISIBLE) : NULL;
        char *end;
        long value = -1;
        if (!at)
            continue;
        at += strlen(VISIBLE);
        for (int k = 0; k <= device; k++, at = end) {
            value = strtol(at, &end, 10);
            if (end == at || (*end && *end != ' '))
                return -1;
        }
        number = (int)value;
    }
    return number;
}

/* nccl-tests names another model for a device than `nvidia-smi -L` does for the GPU of that number. */
static void other_numbers(struct orr_symptom_finder *f)
{
    enum { DEVICE = 3, NUMBER = 0 };
    const struct orr_log *log = f->log;
    if (orr_symptom_said(log, "cuda_device_order", true))
        return;
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_log_record *used = &log->records[i];
        const struct orr_gpu_model *model = used->kind == ORR_LOG_DEVICE ? orr_symptom_model(used) : NULL;
        const int device =
            used->kind == ORR_LOG_DEVICE && used->value_count ? (int)used->values[used->value_count - 1] : -1;
        const int number = model ? visible(log, device, used->line) : -1;
        for (uint32_t k = 0; k < log->record_count && number >= 0; k++) {
            const struct orr_log_record *listed = &log->records[k];
            const struct orr_gpu_model *other = listed->kind == ORR_LOG_GPU_NAME ? orr_symptom_model(listed) : NULL;
            if (!other || other == model || !listed->value_count || (int)listed->values[NUMBER] != number ||
                !strstr(listed->words[0], "(UUID"))
                continue;
            ORR_SYMPTOM(f, "gpu-numbers", ORR_SYMPTOM_CAUSE, used->line,
                        .cause = orr_symptom_text(
                            f,
                            "CUDA and nvidia-smi number the GPUs differently: the program's device %d is %.60s (line "
                            "%u), and nvidia-smi's GPU %d is %.*s (line %u). CUDA puts the fastest model first, "
                            "nvidia-smi goes by bus id.",
                            device, used->words[used->word_count - 1], used->line, number,
                            (int)strcspn(listed->words[0], "(") - 1, listed->words[0], listed->line),
                        .check = "Check: the bus ids of nccl-tests or of NCCL's log against `nvidia-smi "
                                 "--query-gpu=index,pci.bus_id,name --format=csv`.",
                        .cure = "Set CUDA_DEVICE_ORDER=PCI_BUS_ID, or name the GPUs by UUID in CUDA_VISIBLE_DEVICES.");
            return;
        }
    }
}

void orr_symptoms_of_gpus(struct orr_symptom_finder *f)
{
    faulty(f);
    other_numbers(f);
    memory_taken(f);
    memory_reserved(f);
    slow_clock(f);
    bridge_down(f);
}
