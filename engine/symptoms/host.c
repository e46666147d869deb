/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about what a host runs in and with: Windows, virtual GPUs, pods, GPUs that are newer than its NCCL, and a driver
 * that is older than the CUDA of NCCL. */
#include <stdlib.h>
#include <string.h>

#include "engine/release/detect_rules.h"
#include "engine/release/release_names.h"
#include "engine/symptoms/finding.h"

/* In WSL 2, where /sys does not show the GPUs. */
static void old_in_wsl(struct orr_symptom_finder *f)
{
    const char *name = NULL;
    const uint32_t version = orr_symptom_release(f, &name), line = orr_symptom_said(f->log, " wsl", true);
    struct orr_detect_rules rules;
    bool exact;
    const struct orr_log_event *failed = orr_log_event_of(f->log, "unhandled-system|result-system|tests-nccl");
    if (!line || !failed || !version)
        return;
    orr_detect_rules_of(orr_release_nearest(version, &exact), &rules);
    if (rules.without_sys)
        return;
    ORR_SYMPTOM(f, "wsl-release", ORR_SYMPTOM_CAUSE, failed->line,
                .cause = orr_symptom_text(f,
                                          "NCCL %s does not work in WSL (line %u): it does not find the GPUs there, "
                                          "and stops with this error. 2.10.3 was the first release that does.",
                                          name, line),
                .check = "Check: with NCCL_DEBUG=INFO, the warning is about /sys/class/pci_bus.",
                .cure = "Use a newer NCCL: PyTorch 1.10 or newer brings one. For one GPU, leave torch.distributed out.",
                .explains = failed->message->id);
}

/* A virtual GPU without unified memory lacks functions that NCCL needs, whatever NCCL_CUMEM_ENABLE says. */
static void virtual_gpu(struct orr_symptom_finder *f)
{
    const struct orr_log_event *refused = orr_log_event_of(f->log, "cuda-not-supported");
    const struct orr_log_event *gpu = orr_log_event_of(f->log, "vgpu-grid|vgpu");
    const uint32_t line = gpu ? gpu->line : orr_symptom_said(f->log, "vgpu|virtual gpu", true);
    if (!refused || !line)
        return;
    ORR_SYMPTOM(
        f, "vgpu-memory", ORR_SYMPTOM_CAUSE, refused->line,
        .cause = orr_symptom_text(f, "The GPU is a virtual one (line %u), and CUDA refuses NCCL a function (line %u).",
                                  line, refused->line),
        .check = "If unified memory (UVM) is off for the vGPU, turn it on: VMware pciPassthruX.cfg.enable_uvm=1, KVM "
                 "enable_uvm=1 in the vGPU's vgpu_params.",
        .cure = "If this vGPU type has no unified memory (NVIDIA's vGPU documentation lists the types), use whole GPUs "
                "(passthrough).",
        .explains = refused->message->id);
}

/* The GPUs are of a generation that this NCCL does not know. */
static void release_before_gpu(struct orr_symptom_finder *f)
{
    static const char errors[] = "heap-corrupted|heap-corrupted-size|segfault|sigsegv-nccl|signal-exit|reverse-path|"
                                 "cuda-no-kernel|cuda-no-symbol|cuda-invalid-argument|cuda-illegal-access|cuda-failure|"
                                 "shared-memory-size|tests-illegal-access|tests-cuda-unknown|tests-cuda";
    const struct orr_log *log = f->log;
    const char *name = NULL, *gpu = NULL;
    const uint32_t version = orr_symptom_release(f, &name);
    uint32_t line = 0;
    int32_t sm = 0;
    for (uint32_t i = 0; version && i < log->record_count && !sm; i++) {
        const struct orr_log_record *record = &log->records[i];
        const struct orr_gpu_model *model = orr_symptom_model(record);
        if (!model)
            continue;
        gpu = record->words[record->word_count - 1];
        line = record->line;
        sm = model->sm;
    }
    const struct orr_release_first *first = orr_release_first_after(version, sm);
    if (!first)
        return;
    char since[ORR_VERSION_SIZE];
    orr_version_format(first->version, since);
    const struct orr_log_event *event = orr_log_event_of(log, errors);
    ORR_SYMPTOM(
        f, "release-before-gpu", event && !orr_symptom_other_error(log, errors) ? ORR_SYMPTOM_CAUSE : ORR_SYMPTOM_NOTE,
        line,
        .cause = orr_symptom_text(f, "NCCL %.40s is older than the GPUs (%.60s, line %u): %s is supported from %s on.",
                                  name, gpu, line, first->generation, since),
        .check = "Check: the line \"NCCL version\" of NCCL_DEBUG=VERSION; `ldd all_reduce_perf | grep nccl` names the "
                 "library that the program loads, LD_LIBRARY_PATH decides.",
        .cure =
            orr_symptom_text(f, "Use NCCL %s or newer on all hosts, built for the CUDA version of these GPUs.", since),
        .explains = event ? event->message->id : NULL);
}

/* A pod sees device files that it may not open. */
static void devices_by_path(struct orr_symptom_finder *f)
{
    const struct orr_log_event *path = orr_log_event_of(f->log, "rdma-host-path");
    const struct orr_log_event *none =
        orr_log_event_of(f->log, "ofi-none|ofi-init|ib-none|ib-open-call|ib-open-device|verbs-none|net-none");
    if (!path || !none || orr_log_event_of(f->log, "pod-privileged"))
        return;
    ORR_SYMPTOM(f, "rdma-host-path", ORR_SYMPTOM_CAUSE, path->line,
                .cause = orr_symptom_text(
                    f,
                    "The pod mounts /dev/infiniband of its host (line %u), which shows it the device files of all "
                    "NICs, but it may open only those that a device plugin gave it. If another one fails to open, "
                    "libraries such as libfabric may find no device at all (line %u).",
                    path->line, none->line),
                .check = "Check in the pod: `ls /dev/infiniband` with and without the mount.",
                .cure = "If `ibv_devinfo` (on EFA `fi_info -p efa`) finds the NICs without the mount, take it "
                        "(hostPath) out and request the NICs as a resource: vpc.amazonaws.com/efa, or that of the RDMA "
                        "device plugin. If there is no plugin, the pod needs privileged: true.",
                .explains = none->message->id);
}

/* "cudaDriverVersion 11000", and "NCCL version 2.14.3+cuda11.7". */
static void driver_older(struct orr_symptom_finder *f)
{
    static const char mark[] = "+cuda";
    const struct orr_log *log = f->log;
    const struct orr_log_event *failed = orr_log_event_of(log, "cuda-driver-call|cuda-driver-old|cuda-ptx");
    const struct orr_log_record *driver = NULL, *nccl = NULL;
    for (uint32_t i = 0; failed && i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        if (record->kind == ORR_LOG_DRIVER)
            driver = driver ? driver : record;
        else if (record->kind == ORR_LOG_VERSION && strstr(record->words[0], mark))
            nccl = nccl ? nccl : record;
    }
    if (!driver || !nccl)
        return;
    char *end;
    const char *text = strstr(nccl->words[0], mark) + strlen(mark);
    const unsigned long major = strtoul(text, &end, 10), minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
    const unsigned long has = (unsigned long)driver->values[0];
    if (major > 99 || minor > 9 || has < 1000 || has > 99990 || has / 10 >= major * 100 + minor)
        return;
    ORR_SYMPTOM(f, "driver-older", ORR_SYMPTOM_CAUSE, driver->line,
                .cause = orr_symptom_text(f,
                                          "The GPU driver is too old: it knows CUDA %lu.%lu (line %u), and this NCCL "
                                          "was built with CUDA %lu.%lu (line %u).",
                                          has / 1000, has % 1000 / 10, driver->line, major, minor, nccl->line),
                .check = "Check: `nvidia-smi` shows the driver and its CUDA version, `python -c \"import torch; "
                         "print(torch.version.cuda)\"` that of PyTorch.",
                .cure = "Install a newer driver on the host, or PyTorch and NCCL for the driver's CUDA.",
                .explains = failed->message->id);
}

/* Fabric Manager and the driver have different versions, and the GPUs or their NVLinks are not ready. */
static void manager_differs(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_log_event *event =
        orr_log_event_of(log, "cuda-not-ready|cuda-state|cuda-nvls|fabric-manager-unit|fabric-manager-failed");
    const struct orr_log_record *parts[2] = {NULL, NULL}; /* driver, Fabric Manager: the last of each */
    for (uint32_t i = 0; i < log->record_count; i++)
        if (log->records[i].kind == ORR_LOG_DRIVER_PART)
            parts[log->records[i].values[0] > 0] = &log->records[i];
    if (!event || !parts[0] || !parts[1] || !strcmp(parts[0]->words[0], parts[1]->words[0]))
        return;
    ORR_SYMPTOM(
        f, "fabric-manager-differs", ORR_SYMPTOM_CAUSE, parts[1]->line,
        .cause = orr_symptom_text(f,
                                  "Fabric Manager has version %.20s (line %u) and the GPU driver %.20s (line "
                                  "%u). It starts only with the driver's own version, and without it the GPUs "
                                  "of an NVSwitch machine are not ready (line %u).",
                                  parts[1]->words[0], parts[1]->line, parts[0]->words[0], parts[0]->line, event->line),
        .check = "Check: `systemctl status nvidia-fabricmanager` says that the versions do not match; `nvidia-smi "
                 "-q | grep -A3 Fabric` does not say Completed.",
        .cure = orr_symptom_text(f,
                                 "Install Fabric Manager %.20s (release a hold: apt-mark unhold), start it, and "
                                 "let no automatic update change one without the other.",
                                 parts[0]->words[0]),
        .explains = event->message->id);
}

/* The line of a `docker run` that leaves /dev/shm as small as it is by default; 0 if there is none. */
static uint32_t started_without_shm(const struct orr_log *log)
{
    enum { WHOLE = 780 }; /* bytes of a line that is kept whole */
    const uint32_t line = orr_symptom_said(log, " docker run ", true);
    for (uint32_t i = 0; i < log->said_count && line; i++)
        if (strlen(log->said[i].words) > WHOLE ||
            orr_log_says(log->said, log->said_count, i, "shm size|shm_size|ipc host|ipc_host| dev shm "))
            return 0;
    return line;
}

/* df shows that /dev/shm is full, or as small as Docker makes it beside an error that does not say why. */
static void little_shm(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_log_event *full = orr_log_event_of(log, "shm-df-full"), *df = orr_log_event_of(log, "shm-df-64m");
    static const char errors[] = "shm-extend|shm-create|shm-fallocate";
    const struct orr_log_event *named = orr_log_event_of(log, errors);
    const struct orr_log_event *failed =
        named ? named : orr_log_event_of(log, "unhandled-system|result-system|tests-nccl");
    df = full ? full : df;
    const uint32_t line = df ? df->line : started_without_shm(log);
    if (!line || (!full && !named && !(failed && strstr(failed->text, "ystem"))) ||
        orr_symptom_other_error(log, errors))
        return;
    ORR_SYMPTOM(
        f, "shm-df", ORR_SYMPTOM_CAUSE, line,
        .cause = orr_symptom_text(f,
                                  "/dev/shm %s (line %u). Ranks of a host without P2P exchange data through it, 10 MB "
                                  "for each connection, and fail without room, as data loaders do.",
                                  full ? "is full"
                                  : df ? "has 64 MB only"
                                       : "has 64 MB by default, as docker run has neither --shm-size nor --ipc=host",
                                  line),
        .check = "Check while the job starts: `df -h /dev/shm` in its container.",
        .cure = "Make it larger: docker --shm-size=8g or --ipc=host; Kubernetes: an emptyDir with medium Memory at "
                "/dev/shm. Remove leftovers of jobs that ended (/dev/shm/nccl-*).",
        .explains = failed ? failed->message->id : full->message->id);
}

/* The name of a host leads to an address that only the host itself reaches. */
static void own_name(struct orr_symptom_finder *f)
{
    const struct orr_log_event *event =
        orr_log_event_of(f->log, "store-connect|store-address|store-clients|rendezvous-timeout|socket-refused");
    const uint32_t line = orr_symptom_said(f->log, " 127 0 1 1 ", true);
    if (!line || !event)
        return;
    ORR_SYMPTOM(f, "own-name", ORR_SYMPTOM_CAUSE, line,
                .cause =
                    orr_symptom_text(f,
                                     "The name of a host leads to 127.0.1.1 (line %u), at which every host reaches "
                                     "only itself. /etc/hosts of Debian and Ubuntu gives it to the own name.",
                                     line),
                .check = "Check on each host: `getent hosts $(hostname)` must print its address in the common network.",
                .cure = "Give the name that address in /etc/hosts, or use addresses (MASTER_ADDR) and set "
                        "GLOO_SOCKET_IFNAME and NCCL_SOCKET_IFNAME to the interface.",
                .explains = event->message->id);
}

/* A plugin that divides GPUs puts its library between the program and the driver, and the job fails without a reason.
 */
static void shared_gpus(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const uint32_t line = orr_symptom_said(log, " hami |hami core|libvgpu|vgpu device plugin|vgpu_device_plugin", true);
    const struct orr_log_event *report = NULL;
    for (uint32_t i = 0; i < log->event_count && !report; i++)
        if (log->events[i].message &&
            (log->events[i].message->weight == ORR_WEIGHT_REPORT || log->events[i].message->weight == ORR_WEIGHT_HANG))
            report = &log->events[i];
    if (!line || !report || orr_symptom_other_error(log, ""))
        return;
    ORR_SYMPTOM(f, "shared-gpus", ORR_SYMPTOM_CAUSE, line,
                .cause = orr_symptom_text(f,
                                          "A plugin divides the GPUs (line %u): its library is between the program "
                                          "and CUDA, and nothing else in the text says why the job fails (line %u).",
                                          line, report->line),
                .check = "Check: run once in a pod with whole GPUs, or with CUDA_DISABLE_CONTROL=true (HAMi): if that "
                         "works, the plugin is at fault.",
                .cure = "If the job works with NCCL_CUMEM_ENABLE=0 NCCL_CUMEM_HOST_ENABLE=0, the plugin fails at the "
                        "cuMem calls of newer NCCL: update it.",
                .explains = report->message->id);
}

/* The number of CPUs in "0-3,64", or in a mask of hex words such as "ff,ffffffff". */
static uint32_t count_cpus(const char *text, bool mask)
{
    uint32_t count = 0;
    for (const char *at = text; *at; at += *at == ',') {
        const char digit[] = {*at, '\0'};
        char *end;
        const unsigned long first = strtoul(mask ? digit : at, &end, mask ? 16 : 10);
        if (mask && *at != ',') {
            count += (uint32_t)__builtin_popcount((unsigned)first);
            at++;
            continue;
        }
        if (mask)
            continue;
        if (end == at)
            return 0; /* "empty, ignoring" */
        const unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        count += last >= first ? (uint32_t)(last - first + 1) : 0;
        at = end;
        if (*end && *end != ',')
            return 0;
    }
    return count;
}

/* Processes that may run on one core only: their threads, among them those that drive the network, share it. */
static void one_cpu(struct orr_symptom_finder *f)
{
    enum { CORE = 2 }; /* CPUs of a core with two threads */
    const struct orr_log_record *bound = NULL;
    const char *cpus = "";
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->log->record_count; i++) {
        const struct orr_log_record *record = &f->log->records[i];
        if (record->kind != ORR_LOG_AFFINITY && record->kind != ORR_LOG_AFFINITY_OF)
            continue;
        const char *text = record->words[record->word_count - 1];
        const uint32_t found = count_cpus(text, record->word_count == 1);
        if (!found || found > CORE)
            return;
        if (!bound)
            cpus = text, count = found, bound = record;
    }
    if (!bound || orr_symptom_has_one_host(f->log))
        return;
    const bool slurm = orr_symptom_said(f->log, " srun | sbatch |slurm", true);
    ORR_SYMPTOM(f, "one-cpu", ORR_SYMPTOM_CAUSE, bound->line, .slows = true,
                .cause = orr_symptom_text(
                    f,
                    "Each rank may run on one CPU core only (line %u: %s %.40s). Its own threads and NCCL's proxy "
                    "threads, which drive the NICs, take turns there, which slows transfers between hosts.",
                    bound->line,
                    bound->word_count == 1 ? "the mask"
                    : count > 1            ? "CPUs"
                                           : "CPU",
                    cpus),
                .check = slurm ? "Check: `srun taskset -cp $$` in the job; with more CPUs for each task, NCCL's line "
                                 "about affinity lists them."
                               : "Check: `taskset -cp $$` in a rank; run once with `mpirun --bind-to none`.",
                .cure = slurm
                            ? "Use `srun --cpus-per-task=N`, or export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK: since "
                              "Slurm 22.05, srun does not take --cpus-per-task from the #SBATCH lines."
                            : "Bind ranks to all cores of their NUMA node or to none (`--bind-to none`), or give the "
                              "container more CPUs.");
}

void orr_symptoms_of_host(struct orr_symptom_finder *f)
{
    one_cpu(f);
    own_name(f);
    little_shm(f);
    shared_gpus(f);
    driver_older(f);
    manager_differs(f);
    virtual_gpu(f);
    old_in_wsl(f);
    release_before_gpu(f);
    devices_by_path(f);
}
