/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that combine the lines of a host's ranks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/log_reading/statements.h"
#include "engine/symptoms/finding.h"

enum { NONE = UINT32_MAX };

/* The ranks of a host use different GPUs, but all give their GPU the same number: each task sees only one GPU, like
 * with Slurm's --gpus-per-task. NCCL finds NVLink and P2P only between GPUs that a process sees. If NVML shows the
 * others (nvmlDev differs), only CUDA_VISIBLE_DEVICES hides them, and NCCL does find them. */
static void one_gpu_each(struct orr_symptom_finder *f)
{
    enum { LOOKED_AT = 4096 };
    const struct orr_log *log = f->log;
    const struct orr_log_session *first = NULL;
    uint32_t ranks = 0, count = log->session_count < LOOKED_AT ? log->session_count : LOOKED_AT;
    for (uint32_t i = 0; i < count && ranks < 2; i++) {
        const struct orr_log_session *a = &log->sessions[i];
        const char *host = orr_log_host_of(log, a);
        if (!host || a->cuda_dev < 0 || !a->bus_id)
            continue;
        first = a;
        ranks = 1;
        for (uint32_t k = 0; k < count; k++) {
            const struct orr_log_session *b = &log->sessions[k];
            const char *other = orr_log_host_of(log, b);
            if (k == i || !other || strcmp(other, host) != 0 || b->communicator != a->communicator || !b->bus_id)
                continue;
            if (b->cuda_dev != a->cuda_dev || b->nvml_dev != a->nvml_dev)
                return; /* the numbers differ, so each rank sees more than its own GPU */
            ranks += strcmp(b->bus_id, a->bus_id) != 0;
        }
        if (orr_budget_spent(count))
            return;
    }
    const struct orr_symptom_transports seen = orr_symptom_transports(log);
    if (ranks < 2 || seen.p2p)
        return;
    const char *host = orr_log_host_of(log, first);
    const bool local = seen.net && log->host_count == 1;
    ORR_SYMPTOM(
        f, "one-gpu-a-rank", seen.shm || local ? ORR_SYMPTOM_CAUSE : ORR_SYMPTOM_NOTE, 0, .slows = true,
        .cause = orr_symptom_text(
            f,
            "Each rank on host %.60s sees only its own GPU (%u ranks say cudaDev %d, with different bus ids)%s. NCCL "
            "finds NVLink and P2P only between GPUs that a process can see.",
            host, ranks, first->cuda_dev,
            seen.shm ? ", so NCCL uses shared memory instead of NVLink or P2P"
            : local  ? ", so NCCL uses the network inside the host instead of NVLink or P2P"
                     : ""),
        .check = "Check: `nvidia-smi -L` in one task of the job lists one GPU.",
        .cure = "Let every task see all GPUs of its host: Slurm --gpus-per-node with --gpu-bind=none instead of "
                "--gpus-per-task, or one container with all GPUs; the program then picks its GPU by local rank.");
}

/* A program named a GPU that its process does not see. */
static const struct orr_log_event *bad_ordinal(const struct orr_log *log)
{
    return orr_log_event_of(log, "tests-ordinal|cuda-ordinal-application|cuda-ordinal");
}

/* Slurm gives each task one GPU, by an option that a line shows: --gpus-per-task also binds them. */
static void one_gpu_a_task(struct orr_symptom_finder *f)
{
    static const char *const options[] = {"gpus per task 1 ", "gpu bind per_task 1 ", "gpu bind single 1 ",
                                          "gres gpu per_task 1 ", "gres gpu single 1 "};
    const struct orr_log_event *event = bad_ordinal(f->log);
    uint32_t line = 0;
    for (uint32_t i = 0; event && i < f->log->said_count; i++) {
        if (strstr(f->log->said[i].words, "bind none "))
            return;
        for (size_t k = 0; k < sizeof options / sizeof options[0] && !line; k++)
            line = strstr(f->log->said[i].words, options[k]) ? f->log->said[i].line : 0;
    }
    if (!line)
        return;
    ORR_SYMPTOM(f, "one-gpu-a-task", ORR_SYMPTOM_CAUSE, line,
                .cause = orr_symptom_text(f,
                                          "Slurm shows each task one GPU (line %u), which is device 0 there, and the "
                                          "program takes the device of its local rank.",
                                          line),
                .check = "Check: `srun` with the same options and `nvidia-smi -L` lists one GPU for each task.",
                .cure = "Let every task see all GPUs of its host: --gpus-per-node=N --gpu-bind=none instead of "
                        "--gpus-per-task. Else the program has to take device 0, and loses NVLink between tasks.",
                .explains = event->message->id);
}

/* Kubernetes offers each GPU of a node several times: two that a pod asks for may be one. */
static void one_gpu_of_replicas(struct orr_symptom_finder *f)
{
    const struct orr_log_event *event = bad_ordinal(f->log);
    const uint32_t line =
        orr_symptom_said(f->log, "gpu product&shared;time slicing&replicas|nvidia com gpu|device plugin", true);
    if (!event || !line)
        return;
    ORR_SYMPTOM(f, "one-gpu-of-replicas", ORR_SYMPTOM_CAUSE, line,
                .cause =
                    orr_symptom_text(f,
                                     "Kubernetes offers each GPU of this node several times (line %u), so the GPUs "
                                     "that a pod asks for can be one and the same, and the pod then sees fewer.",
                                     line),
                .check = "Check: `nvidia-smi -L` in the pod lists fewer GPUs than it asked for.",
                .cure = "Run jobs of several GPUs on nodes that do not share GPUs (no time-slicing or MPS). "
                        "failRequestsGreaterThanOne: true in the device plugin's settings refuses such pods.",
                .explains = event->message->id);
}

/* How many GPUs of a host a line of words asks for; 0 if it does not say. */
static unsigned long wanted_gpus(const char *words)
{
    static const char *const names[] = {" gpus_per_node ",  " gpus per node ", " nproc_per_node ",
                                        " nproc per node ", " num_gpus ",      " num gpus "};
    const char *program = strstr(words, "_perf "), *option = program ? strstr(program, " g ") : NULL;
    unsigned long wanted = option ? strtoul(option + strlen(" g "), NULL, 10) : 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !wanted; i++)
        if ((option = strstr(words, names[i])))
            wanted = strtoul(option + strlen(names[i]), NULL, 10);
    return wanted;
}

/* A line about the host says why a process sees fewer GPUs than the host has. */
static bool missing_gpu(struct orr_symptom_finder *f)
{
    const struct orr_log_event *event = bad_ordinal(f->log), *slice = orr_log_event_of(f->log, "mig-device");
    const struct orr_log_event *why =
        orr_log_event_of(f->log, "open-driver-needed|open-driver-old-gpu|gpu-off-bus|rm-init-failed");
    if (slice && !strstr(slice->text, "UUID: MIG-") && !strstr(slice->text, "=MIG-"))
        slice = NULL; /* other words with MIG */
    if (!event || (!slice && !why))
        return false;
    ORR_SYMPTOM(
        f, "missing-gpu", ORR_SYMPTOM_CAUSE, slice ? slice->line : why->line,
        .cause = slice ? orr_symptom_text(f,
                                          "A CUDA process sees one MIG slice only (line %u), however many "
                                          "CUDA_VISIBLE_DEVICES lists, so it has device 0 alone (line %u).",
                                          slice->line, event->line)
                       : orr_symptom_text(f, "The host has a GPU that no program can use (line %u): %s", why->line,
                                          why->message->means),
        .check = slice ? "Check: `nvidia-smi -L` shows to which GPU each slice belongs."
                       : "Check: `nvidia-smi -L` lists fewer GPUs than `lspci | grep -i nvidia`.",
        .cure = slice ? "Turn MIG off (`nvidia-smi -mig 0`) and give each rank a whole GPU. With one slice for each "
                        "process, NCCL refuses slices of one GPU (\"Duplicate GPU detected\"); Gloo does not."
                      : why->message->advice,
        .explains = event->message->id);
    return true;
}

/* A program is to use more GPUs of a host than `nvidia-smi -L` lists. */
static void too_many_gpus(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_log_event *event = bad_ordinal(log);
    const uint32_t listed = log->kinds[ORR_LOG_GPU_NAME];
    for (uint32_t i = 0; event && listed && i < log->said_count; i++) {
        const unsigned long wanted = wanted_gpus(log->said[i].words);
        const bool tests = !strcmp(event->message->id, "tests-ordinal");
        if (wanted <= listed)
            continue;
        ORR_SYMPTOM(
            f, "too-many-gpus", ORR_SYMPTOM_CAUSE, log->said[i].line,
            .cause = tests
                         ? orr_symptom_text(f, "nccl-tests is to use %lu GPUs (-g in line %u), and the text lists %u.",
                                            wanted, log->said[i].line, listed)
                         : orr_symptom_text(f,
                                            "The program counts on %lu GPUs in each host (line %u), and the text "
                                            "lists %u, so a rank takes a GPU that does not exist (line %u). This "
                                            "is not NCCL.",
                                            wanted, log->said[i].line, listed, event->line),
            .check = "Check: `nvidia-smi -L` where the job runs, and CUDA_VISIBLE_DEVICES.",
            .cure = tests ? orr_symptom_text(f, "Use -g %u, or as many ranks with -g 1.", listed)
                          : orr_symptom_text(f,
                                             "Set that number to %u where the program, the launcher or the engine is "
                                             "configured (TensorRT-LLM: gpus_per_node when the engine is built).",
                                             listed),
            .explains = event->message->id);
        return;
    }
}

/* Processes of nccl-tests that are all rank 0. Their lines have rank, group, process and device, or no group. Lines
 * after a result may be those of another run. */
static void tested_alone(struct orr_symptom_finder *f)
{
    const struct orr_log_record *first = NULL;
    uint32_t alone = 1;
    bool same_gpu = false, several = false;
    for (uint32_t i = 0; i < f->log->record_count && !orr_budget_spent(i % 64 == 0); i++) {
        const struct orr_log_record *record = &f->log->records[i];
        if (record->kind == ORR_LOG_TEST_RESULT)
            break;
        if (record->kind != ORR_LOG_DEVICE || record->value_count < 3 || record->word_count < 3)
            continue;
        const uint32_t pid = record->value_count - 2;
        several |= first && record->values[0] != 0 && record->value_count == first->value_count &&
                   record->values[pid] == first->values[pid];
        if (record->values[0] != 0)
            continue;
        if (!first)
            first = record;
        else if (record->value_count == first->value_count && record->values[pid] != first->values[pid])
            alone++,
                same_gpu |= !strcmp(record->words[0], first->words[0]) && !strcmp(record->words[1], first->words[1]);
    }
    if (alone < 2 || (several && !orr_symptom_said(f->log, " mpirun | mpiexec | srun ", true)))
        return; /* one run after another */
    const uint32_t srun = orr_symptom_said(f->log, " srun &_perf&!mpi ", true);
    ORR_SYMPTOM(
        f, "tests-alone", ORR_SYMPTOM_CAUSE, first->line,
        .cause =
            orr_symptom_text(f,
                             "%u processes of nccl-tests are rank 0 (line %u and others), so each tests alone%s: "
                             "%snccl-tests was built without MPI, or with an MPI other than the launcher's.",
                             alone, first->line, same_gpu ? ", and several of a host use one GPU" : "",
                             srun ? orr_symptom_text(f, "srun (line %u) has no --mpi=pmix (or pmi2), or ", srun) : ""),
        .check = "Check: `ldd all_reduce_perf | grep mpi` names the MPI. A small MPI program that prints its rank must "
                 "print a different number in each process.",
        .cure = "If no MPI is named, or not the launcher's, build nccl-tests with `make MPI=1 MPI_HOME=...` for the "
                "launcher's. With Slurm, `srun --mpi=pmix` (or pmi2) must match what that MPI was built for. Each "
                "process then chooses the GPU of its local rank.");
}

/* nccl-tests split its ranks into groups, each of which runs the operation. */
static void tested_in_groups(struct orr_symptom_finder *f)
{
    uint32_t line = 0;
    const uint32_t groups = orr_log_test_groups(f->log, &line);
    if (groups < 2)
        return;
    ORR_SYMPTOM(f, "tests-split", ORR_SYMPTOM_CAUSE, line, .slows = true,
                .cause = orr_symptom_text(f,
                                          "nccl-tests split its ranks into %u groups (line %u and others), which ran "
                                          "the operation at the same time: each figure is that of one group, not of "
                                          "all GPUs together.",
                                          groups, line),
                .check = "Check: `env | grep NCCL_TESTS_SPLIT`. Without it, all ranks are in group 0.",
                .cure = "Unset NCCL_TESTS_SPLIT and NCCL_TESTS_SPLIT_MASK to measure all GPUs in one operation.");
}

/* Whether any line sets it: most logs have none of the settings that ranks must share. */
static bool is_set(const struct orr_log *log, const char *name)
{
    for (uint32_t i = 0; i < log->setting_count; i++)
        if (!strcmp(log->settings[i].name, name))
            return true;
    return false;
}

/* Whether mpirun gives a setting to all ranks. */
static bool is_given(const struct orr_symptom_finder *f, const char *name)
{
    const char *option = orr_symptom_text(f, "-x %s", name);
    for (uint32_t i = 0; i < f->log->command_count; i++)
        if (strstr(f->log->commands[i].text, option))
            return true;
    return false;
}

/* The first line with which the process of a session reports a setting, or any if name is NULL; NULL if none does. */
static const struct orr_log_record *reported(const struct orr_log *log, uint32_t session, const char *name)
{
    const uint32_t writer = log->sessions[session].writer;
    for (uint32_t i = 0; i < log->record_count && writer != NONE; i++) {
        const struct orr_log_record *record = &log->records[i];
        if (record->kind != ORR_LOG_SETTING || record->session == NONE ||
            (name && strcmp(record->words[0], name + strlen("NCCL_")) != 0))
            continue;
        const uint32_t other = log->sessions[record->session].writer;
        if (other != NONE && log->writers[other].pid == log->writers[writer].pid &&
            !strcmp(log->writers[other].host, log->writers[writer].host))
            return record;
    }
    return NULL;
}

static bool on_one_host(const struct orr_log *log, const struct orr_log_communicator *of, int32_t a, int32_t b)
{
    const char *host = orr_log_host_of(log, &log->sessions[of->members[a].session]);
    const char *other = orr_log_host_of(log, &log->sessions[of->members[b].session]);
    return !host || !other || !strcmp(host, other);
}

/* Ranks of one communicator have different values of a setting that all of them must share, or one host lacks a setting
 * of its network that another has. On a GPU, each of the first made AllReduce wait or fail. A rank without the setting
 * counts only if it reports others. */
static void differing_settings(struct orr_symptom_finder *f)
{
    static const char *const shared[] = {"NCCL_ALGO",          "NCCL_PROTO",         "NCCL_BUFFSIZE",
                                         "NCCL_MAX_NCHANNELS", "NCCL_SOCKET_IFNAME", "NCCL_IB_DISABLE"};
    enum { ALIKE = 4, RANKS_MOST = 64 }; /* ALIKE: the first of a network; RANKS_MOST: that are compared */
    const struct orr_log *log = f->log;
    const uint32_t largest = orr_log_largest(log);
    const struct orr_log_communicator *of = largest == NONE ? NULL : &log->communicators[largest];
    const struct orr_log_event *waits = orr_log_event_of(log, "watchdog-timeout");
    const struct orr_log_message *error = NULL; /* the first of NCCL, or else PyTorch's time limit */
    for (uint32_t i = 0; i < log->event_count && !error; i++)
        if (log->events[i].message && orr_symptom_is_one(log->events[i].message->id, "socket-truncated|socket-family"))
            error = log->events[i].message;
    error = error || !waits ? error : waits->message;
    for (size_t n = 0; of && of->members && n < sizeof shared / sizeof shared[0]; n++) {
        const struct orr_log_record *first = NULL;
        int32_t who = -1, without = -1;
        if (!is_set(log, shared[n]))
            continue;
        const bool given = is_given(f, shared[n]);
        for (int32_t rank = 0; rank < of->rank_count && rank < RANKS_MOST && !orr_budget_spent(true); rank++) {
            const uint32_t session = of->members[rank].session;
            const struct orr_log_record *here = session == NONE ? NULL : reported(log, session, shared[n]);
            const bool other = n < ALIKE && here && first && strcmp(here->words[1], first->words[1]) != 0;
            without = !here && !given && session != NONE && reported(log, session, NULL) ? rank : without;
            who = here && !first ? rank : who;
            first = here && !first ? here : first;
            if (!first || !(other || without >= 0) || (n >= ALIKE && on_one_host(log, of, who, without)))
                continue;
            ORR_SYMPTOM(
                f, "settings-differ",
                n < ALIKE || orr_symptom_failed(log) || !log->kinds[ORR_LOG_INIT_COMPLETE] ? ORR_SYMPTOM_CAUSE
                                                                                           : ORR_SYMPTOM_NOTE,
                first->line,
                .cause = other ? orr_symptom_text(f,
                                                  "%s is %.*s on rank %d (line %u) and %.*s on rank %d (line %u). All "
                                                  "ranks must have the same, or they wait for each other or fail.",
                                                  shared[n], (int)orr_log_setting_length(first), first->words[1], who,
                                                  first->line, (int)orr_log_setting_length(here), here->words[1], rank,
                                                  here->line)
                               : orr_symptom_text(
                                     f, "%s is %.*s on rank %d (line %u) and not set on rank %d%s", shared[n],
                                     (int)orr_log_setting_length(first), first->words[1], who, first->line, without,
                                     n < ALIKE ? ". All ranks must have the same, or they wait for each other or fail."
                                               : ", whose host chooses its network without it."),
                .check = "Check: `env | grep NCCL_` in a task on each host, and nccl.conf in /etc and as .nccl.conf in "
                         "the home folder.",
                .cure = orr_symptom_text(f, "Set %s on all ranks alike, or on none.", shared[n]),
                .explains = error ? error->id : NULL);
            return;
        }
    }
}

void orr_symptoms_of_ranks(struct orr_symptom_finder *f)
{
    tested_alone(f);
    tested_in_groups(f);
    one_gpu_each(f);
    one_gpu_a_task(f);
    one_gpu_of_replicas(f);
    if (!missing_gpu(f))
        too_many_gpus(f);
    differing_settings(f);
}
