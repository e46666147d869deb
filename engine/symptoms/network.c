/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about the network: bonds, ports in two halves, NICs that NCCL does not find, GPUDirect RDMA that is off. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/log_reading/statements.h"
#include "engine/symptoms/finding.h"

/* A bond is one device to NCCL. */
static void bonds(struct orr_symptom_finder *f)
{
    const struct orr_log_record *list = orr_symptom_nic_list(f->log, "IB");
    uint32_t line = list ? list->line : 0;
    const char *set = orr_symptom_setting(f->log, "NCCL_IB_HCA", list ? NULL : &line);
    const char *nics = list ? list->words[1] : set && *set != '^' ? set : "";
    const char *bond = strstr(nics, "bond"), *sockets = strstr(nics, "OOB"); /* the interface of the sockets */
    const char *pairs = orr_symptom_setting(f->log, "NCCL_IB_QPS_PER_CONNECTION", NULL);
    const bool many = pairs && strtol(pairs, NULL, 10) > 1;
    if (!bond || (sockets && sockets < bond))
        return;
    while (bond > nics && !strchr("] ,=", bond[-1]))
        bond--;
    const char *name = orr_symptom_text(f, "%.*s", (int)strcspn(bond, ":/ ,"), bond);
    ORR_SYMPTOM(f, "bond", ORR_SYMPTOM_CAUSE, line, .slows = true,
                .cause = orr_symptom_text(
                    f,
                    "%.60s is a bond (line %u), which NCCL sees as one device. Each of its queue pairs uses one "
                    "port, and %s.",
                    name, line, many ? "several can be hashed to the same port" : "NCCL makes one for each connection"),
                .check = many ? "Check: compare the port counters (ethtool -S or "
                                "/sys/class/infiniband/*/ports/1/hw_counters) of both ports during a run."
                              : "Check: run with NCCL_IB_QPS_PER_CONNECTION=4 and compare; `ib_write_bw -q 8` shows "
                                "what the bond can carry.",
                .cure = many ? "If one port carries more than the other, set NCCL_IB_SPLIT_DATA_ON_QPS=1 and let "
                               "the bond hash by layer 3+4, or give NCCL the two ports unbonded."
                             : "If that is faster, keep NCCL_IB_QPS_PER_CONNECTION=4 (or 2), or give NCCL the two "
                               "ports unbonded.");
}

/* The port of a DGX Spark is two NICs, each with half of its 200 Gb/s. */
static void half_port(struct orr_symptom_finder *f)
{
    const char *hca = orr_symptom_setting(f->log, "NCCL_IB_HCA", NULL);
    const struct orr_log_record *first = NULL, *list = orr_symptom_nic_list(f->log, "IB");
    bool hosts = false;
    for (uint32_t i = 0; i < f->log->record_count; i++) {
        const struct orr_log_record *record = &f->log->records[i];
        if (record->kind != ORR_LOG_DEVICE || record->word_count < 3)
            continue;
        const struct orr_gpu_model *model = orr_gpu_model_of_name(record->words[2]);
        if (!model || !orr_gpu_model_is(model, "GB10"))
            return;
        hosts |= first && strcmp(first->words[0], record->words[0]) != 0;
        first = first ? first : record;
    }
    if (!hosts || (hca && strchr(hca, ',')) || (list && strstr(list->words[1], "[1]")))
        return; /* both halves are in use */
    ORR_SYMPTOM(f, "half-port", ORR_SYMPTOM_NOTE, first->line,
                .cause = "The QSFP port of a DGX Spark is two NICs, each with half of its 200 Gb/s, and NCCL must use "
                         "both: NCCL_IB_HCA=rocep1s0f0,roceP2p1s0f0. `ibdev2netdev` lists their names.",
                .check = "Check: with NCCL_DEBUG=INFO the line \"NET/IB : Using\" must list both NICs with /RoCE; `ip "
                         "link` must show mtu 9000 on both interfaces.",
                .cure = "If a NIC is missing there, give both interfaces an address and MTU 9000, and name both "
                        "NICs in NCCL_IB_HCA.");
}

/* Hosts have different NICs, and a setting hides that. */
static void hidden_mismatch(struct orr_symptom_finder *f)
{
    uint32_t line = 0;
    const char *ignore = orr_symptom_setting(f->log, "NCCL_IGNORE_NET_MISMATCH", &line);
    const struct orr_log_event *event = orr_log_event_of(f->log, "ib-open-device|ib-open-call|ib-query-device");
    if (!event || !ignore || strcmp(ignore, "1") != 0)
        return;
    ORR_SYMPTOM(
        f, "net-mismatch-hidden", ORR_SYMPTOM_CAUSE, event->line,
        .cause = orr_symptom_text(f,
                                  "A host cannot use one of its NICs (line %u), and NCCL_IGNORE_NET_MISMATCH=1 (line "
                                  "%u) hides that hosts differ: connections through that NIC wait without end.",
                                  event->line, line),
        .check = "Check: \"NET/IB : Using\" lists the same NICs on all hosts, and containers have all uverbs.",
        .cure = "Give every container all uverbs devices of its NICs, or name those that all hosts have in "
                "NCCL_IB_HCA; then unset NCCL_IGNORE_NET_MISMATCH.");
}

/* Hosts exchange data over TCP because NCCL found no RDMA NIC. If the provider has a plugin, its own messages say
 * why, or that it is missing (plugins.c). If no port is active, ports.c says why. */
static void no_rdma(struct orr_symptom_finder *f)
{
    static const char files_cure[] =
        "Give the container the devices: in Kubernetes, request the RDMA resource of the node's device plugin in the "
        "pod's limits (`kubectl describe node` lists it: rdma/..., nvidia.com/..., vpc.amazonaws.com/efa); docker "
        "--device=/dev/infiniband.";
    const struct orr_log *log = f->log;
    const struct orr_log_event *none = orr_log_event_of(log, "ib-none"),
                               *library = orr_log_event_of(log, "ib-libibverbs"),
                               *files = orr_log_event_of(log, "rdma-no-files"),
                               *closed = orr_log_event_of(log, "ib-open-call|ib-open-device"),
                               *named = orr_log_event_of(log, "net-not-found"), *shown = library ? library : none;
    const char *hca = orr_symptom_setting(log, "NCCL_IB_HCA", NULL), *net = orr_symptom_setting(log, "NCCL_NET", NULL),
               *off = orr_symptom_setting(log, "NCCL_IB_DISABLE", NULL);
    const bool wanted = hca || files || (library && orr_symptom_said(log, "infiniband| rdma | ib0 ", true));
    const bool lacks_plugin = log->mentions[ORR_MENTION_EFA] && orr_log_event_of(log, "plugin-none|plugin-missing-net");
    if (!shown || log->kinds[ORR_LOG_OFI] || log->kinds[ORR_LOG_PLATFORM] || (off && !strcmp(off, "1")) ||
        (net && strcmp(net, "IB") != 0) || orr_symptom_nic_list(log, "IB") ||
        !(wanted || orr_symptom_transports(log).net) || lacks_plugin || orr_symptom_has_one_host(log) ||
        (!library && orr_symptom_ports_idle(f)))
        return;
    const char *expected = closed ? NULL : hca;
    const char *what = library  ? "The library of InfiniBand and RoCE (libibverbs) is missing"
                       : files  ? "The container has no device files of RDMA NICs (/dev/infiniband)"
                       : closed ? "NCCL cannot open the InfiniBand or RoCE NICs that it sees"
                                : "NCCL found no InfiniBand or RoCE NIC";
    const uint32_t line = library ? library->line : files ? files->line : closed ? closed->line : none->line;
    ORR_SYMPTOM(
        f, "no-rdma-nic", ORR_SYMPTOM_CAUSE, line, .slows = true,
        .cause = orr_symptom_text(
            f, "%s (line %u)%s%.60s%s, so hosts exchange data over TCP sockets, which are many times slower than RDMA.",
            what, line, expected ? " although NCCL_IB_HCA=" : "", expected ? expected : "",
            expected ? " expects one" : ""),
        .check = library ? "Check in the job's container: `ldconfig -p | grep ibverbs` finds nothing."
                 : files ? "Check: `ibv_devices` in the container lists no NIC, and on the host it does. /sys shows a "
                           "container the host's NICs in any case."
                 : closed
                     ? "Check in the job's container: `ls /dev/infiniband` must list a uverbs device for each NIC."
                     : "Check with `ibv_devinfo` and `ls /dev/infiniband` on the host and, if there is one, in the "
                       "job's container: NCCL takes ports that are PORT_ACTIVE.",
        .cure = library
                    ? "Install libibverbs1 and ibverbs-providers (rdma-core) in the image. The container also needs "
                      "the devices (/dev/infiniband) if it does not have them."
                : files  ? files_cure
                : closed ? closed->message->advice
                         : "If only the container lists none, give it the devices (docker --device=/dev/infiniband; "
                           "Kubernetes: request the RDMA resource of the device plugin). If it has /dev/infiniband and "
                           "lists none, install ibverbs-providers (rdma-core) in the image. If NCCL_IB_HCA has other "
                           "names than those listed, correct it.",
        .explains = named && strstr(named->text, "network IB") ? named->message->id
                    : closed                                   ? closed->message->id
                                                               : NULL);
}

/* RDMA without GPUDirect, by NCCL's own lines about its NICs; older releases name the missing module, which is a
 * message. */
static void gdr_is_off(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const char *level = orr_symptom_setting(log, "NCCL_NET_GDR_LEVEL", NULL);
    struct orr_log_gdr_nic nic;
    const struct orr_symptom_transports seen = orr_symptom_transports(log);
    uint32_t off = 0, on = 0, line = 0;
    for (uint32_t i = 0; i < log->record_count && !orr_budget_spent(i % 64 == 0); i++)
        if (orr_log_gdr_nic_of(&log->records[i], &nic) && !nic.socket) {
            line = line ? line : log->records[i].line;
            off += !nic.on;
            on += nic.on;
        }
    if (!off || on || orr_log_event_of(log, "peermem-missing") || orr_log_event_of(log, "peermem-absent") ||
        (level && orr_symptom_is_one(level, "LOC|0")) || seen.gdr || (!seen.net && (seen.p2p || seen.shm)))
        return;
    ORR_SYMPTOM(f, "gdr-off", ORR_SYMPTOM_CAUSE, line, .slows = true,
                .cause = orr_symptom_text(f,
                                          "GPUDirect RDMA is off for every NIC (line %u), so network traffic goes "
                                          "through host memory.",
                                          line),
                .check = "Check: `lsmod | grep nvidia_peermem` on the host.",
                .cure = "If the module is loaded, use NCCL 2.23 or newer: older ones do not look in /sys/module. If "
                        "it is not, run `modprobe nvidia-peermem` on the host, or use the open GPU driver with a "
                        "kernel that has DMA-BUF (5.12 or newer).");
}

/* NCCL says that GPU and NIC are too far apart for GPUDirect RDMA, and no pair is near enough. */
static void too_far(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    struct orr_log_gdr pair, far = {0};
    uint32_t line = 0;
    for (uint32_t i = 0; i < log->record_count && !orr_budget_spent(i % 64 == 0); i++) {
        if (!orr_log_gdr_of(&log->records[i], &pair))
            continue;
        if (pair.on)
            return;
        far = line ? far : pair;
        line = line ? line : log->records[i].line;
    }
    if (!line || orr_symptom_setting(log, "NCCL_NET_GDR_LEVEL", NULL))
        return;
    ORR_SYMPTOM(f, "gdr-too-far",
                log->communicator_count || orr_symptom_other_error(log, "") ? ORR_SYMPTOM_NOTE : ORR_SYMPTOM_CAUSE,
                line, .slows = true,
                .cause = orr_symptom_text(f,
                                          "GPU %.40s and NIC %.40s are too far apart for GPUDirect RDMA by NCCL's rule "
                                          "(line %u: distance %d), as their path leads through the CPU. "
                                          "NCCL_NET_GDR_LEVEL=SYS allows it at any distance, but need not be faster.",
                                          far.gpu, far.nic, line, far.distance),
                .check = "Check: `nvidia-smi topo -m` shows the path of GPU and NIC: PIX or PXB is near, PHB, NODE and "
                         "SYS lead through the CPU; the numbers count these kinds.",
                .cure = "Run once with NCCL_NET_GDR_LEVEL=SYS (PHB within a CPU): if that is faster, keep it. If "
                        "the machine has another slot for the NIC, below the PCIe switch of the GPU is best.");
}

/* A list of kernel modules without nvidia-peermem. */
static void module_is_absent(struct orr_symptom_finder *f)
{
    const struct orr_log_event *absent = orr_log_event_of(f->log, "peermem-absent");
    const struct orr_symptom_transports seen = orr_symptom_transports(f->log);
    if (!absent || seen.gdr)
        return;
    ORR_SYMPTOM(
        f, "peermem-absent", seen.net ? ORR_SYMPTOM_CAUSE : ORR_SYMPTOM_NOTE, absent->line, .slows = true,
        .cause = orr_symptom_text(
            f,
            "The kernel module nvidia-peermem is not loaded (line %u). Without it and without DMA-BUF there is no "
            "GPUDirect RDMA, and network traffic goes through host memory, which costs half of the bandwidth or more.",
            absent->line),
        .check = "Check: the lines \"via NET/IB\" of NCCL_DEBUG=INFO end in GDRDMA if it is in use.",
        .cure = "If they do not, run `modprobe nvidia-peermem` on the host (in Kubernetes, let the GPU operator "
                "load it), or use the open GPU driver with a kernel that has DMA-BUF (5.12 or newer).");
}

/* RoCE uses a link-local address, which is GID index 0 or 1. InfiniBand's GIDs look the same and are right. */
static void link_local_gid(struct orr_symptom_finder *f)
{
    const struct orr_log_record *list = orr_symptom_nic_list(f->log, "IB");
    const struct orr_log_event *event = orr_log_event_of(f->log, "ib-retry-exceeded|ib-remote-access|ib-rnr-exceeded");
    if (!event || !list || !strstr(list->words[1], "/RoCE") || !strstr(event->text, "localGid fe80"))
        return;
    const char *index = orr_symptom_setting(f->log, "NCCL_IB_GID_INDEX", NULL);
    ORR_SYMPTOM(
        f, "gid-link-local", ORR_SYMPTOM_CAUSE, event->line,
        .cause = orr_symptom_text(
            f, "NCCL uses a link-local GID (line %u: fe80::...%s%.8s), which cannot cross a router and may be RoCE v1.",
            event->line, index ? ", NCCL_IB_GID_INDEX=" : "", index ? index : ""),
        .check = "Check: `show_gids` lists index, address and version of each GID.",
        .cure = "Set NCCL_IB_GID_INDEX to the row with the IPv4 address and v2, or unset it: since 2.21 NCCL "
                "chooses RoCE v2 by itself.",
        .explains = event->message->id);
}

/* The host of an event that another event does not have; NULL if there is none. */
static const char *only_host(const struct orr_log_event *event, const struct orr_log_event *other)
{
    for (uint32_t i = 0; i < event->host_count; i++) {
        bool both = false;
        for (uint32_t k = 0; k < other->host_count; k++)
            both |= !strcmp(event->hosts[i], other->hosts[k]);
        if (!both)
            return event->hosts[i];
    }
    return NULL;
}

/* What shows that hosts run different releases; NULL if nothing does. Often only rank 0 prints its release, but a host
 * without a network plugin says so in other words: "No plugin found" up to 2.21, "Could not find" from 2.22 on. */
static const char *shown_releases(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_log_event *older = orr_log_event_of(log, "plugin-none"),
                               *newer = orr_log_event_of(log, "plugin-missing-net");
    if (log->release_count > 1)
        return orr_symptom_text(f, "%.40s and %.40s", log->releases[0], log->releases[1]);
    const char *old = older && newer ? only_host(older, newer) : NULL, *new = old ? only_host(newer, older) : NULL;
    return new ? orr_symptom_text(
                     f, "%.40s has 2.21 or older, as its line %u shows, and %.40s has 2.22 or newer, as line %u shows",
                     old, older->line, new, newer->line)
               : NULL;
}

/* Ranks of one communicator run different releases and did not understand each other. */
static void mixed_releases(struct orr_symptom_finder *f)
{
    const struct orr_log_event *event =
        orr_log_event_of(f->log, "socket-truncated|bootstrap-ranks|version-mismatch|socket-closed|proxy-operation|"
                                 "socket-type|socket-family|tests-nccl|internal-error");
    const char *shown = event ? shown_releases(f) : NULL;
    if (!shown)
        return;
    ORR_SYMPTOM(
        f, "mixed-releases", ORR_SYMPTOM_CAUSE, event->line,
        .cause = orr_symptom_text(f, "Ranks run different releases of NCCL (%s), which do not understand each other.",
                                  shown),
        .check = "Check on each host: the line \"NCCL version\" of NCCL_DEBUG=VERSION, and `python -c 'import torch; "
                 "print(torch.cuda.nccl.version())'`.",
        .cure = "Use the same image, or the same NCCL (LD_LIBRARY_PATH, pip package nvidia-nccl), on all hosts.",
        .explains = event->message->id);
}

/* Linux 7.0 of Ubuntu for DGX Spark reserves memory for kexec handover, which NICs then lack. */
static void memory_of_handover(struct orr_symptom_finder *f)
{
    const struct orr_log_event *event = orr_log_event_of(f->log, "ib-register-memory|ib-create-qp|ib-register");
    const uint32_t line = orr_symptom_said(f->log, "cmafree&!cmafree 0 kb", true);
    if (!event || !line || !orr_symptom_said(f->log, "cmatotal 0 kb", true))
        return;
    ORR_SYMPTOM(f, "kexec-handover", ORR_SYMPTOM_CAUSE, line,
                .cause =
                    orr_symptom_text(f,
                                     "CmaFree is above CmaTotal, which is 0 (line %u): Linux 7.0 reserved that memory "
                                     "for kexec handover (KHO), and the NIC driver gets too little (line %u).",
                                     line, event->line),
                .check = "Check on each host: `grep Cma /proc/meminfo`, and `uname -r`: 7.0.0-30 was seen to work.",
                .cure = "Boot with kho=off, if no crash kernel needs it (/sys/kernel/kexec_crash_size is 0), or with "
                        "an older kernel.",
                .explains = event->message->id);
}

/* A NIC could not register memory, and the text also says how much may be locked. */
static void locked_memory(struct orr_symptom_finder *f)
{
    static const char *const failures[] = {"ib-register", "ib-register-memory", "ib-create-qp"};
    const struct orr_log *log = f->log;
    const struct orr_log_event *event = NULL, *limit = orr_log_event_of(log, "memlock-limit"),
                               *endless = orr_log_event_of(log, "memlock-free");
    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
        const struct orr_log_event *found = orr_log_event_of(log, failures[i]);
        event = found && (!event || found->line < event->line) ? found : event;
    }
    const uint32_t said = orr_symptom_said(log, "ulimit l&unlimited;memlock&unlimited;locked memory&unlimited", true);
    const uint32_t without = endless ? endless->line : said;
    const bool pods = orr_symptom_said(log, "kubectl|securitycontext|kubernetes| pod ", true) != 0;
    const bool capable = pods && orr_symptom_said(log, "ipc_lock", true) != 0;
    const bool slurm = !pods && orr_symptom_said(log, " srun | sbatch | slurmd | slurm ", true) != 0;
    if (!event || !strstr(event->text, "allocate memory") || (!limit && !without))
        return;
    ORR_SYMPTOM(
        f, "locked-memory", ORR_SYMPTOM_CAUSE, limit ? limit->line : without,
        .cause =
            limit
                ? orr_symptom_text(f,
                                   "Too little memory may be locked (line %u: %s), and a NIC locks all memory that it "
                                   "registers.%s",
                                   limit->line, limit->text + sizeof "locked memory:",
                                   without ? " A shell that says unlimited shows the limit of a login, not that of the "
                                             "job."
                                           : "")
                : orr_symptom_text(
                      f,
                      "The NIC driver refused memory although locked memory is unlimited (line %u): if the job runs "
                      "with that limit too, the reason is another one, in the kernel, the driver or the firmware.",
                      without),
        .check = limit ? "Check: print `ulimit -l` from the job itself (mpirun ... bash -c 'ulimit -l'); it must say "
                         "unlimited."
                       : "Check: print `ulimit -l` from the job itself, look at `dmesg` after the failure, and run "
                         "once with NCCL_NET_GDR_LEVEL=LOC: if that works, only GPU memory is refused.",
        .cure = limit ? slurm ? "Tasks get the limit of slurmd, a service, to which limits.conf does not apply: set "
                                "LimitMEMLOCK=infinity in its unit (`systemctl edit slurmd`), then `systemctl "
                                "daemon-reload` and restart slurmd on every node."
                        : capable ? "Set LimitMEMLOCK=infinity in containerd's unit on the nodes, and restart it. "
                                    "IPC_LOCK frees only processes that have it (CapEff in /proc/1/status): a "
                                    "container that does not run as root can lack it."
                        : pods
                            ? "Add IPC_LOCK to securityContext.capabilities of the container, which frees it from the "
                              "limit, or set LimitMEMLOCK=infinity in containerd's unit on the nodes."
                            : "Set memlock to unlimited where the job starts: /etc/security/limits.conf and log in "
                              "again, docker --ulimit memlock=-1, or LimitMEMLOCK=infinity in the unit of the service "
                              "that starts it."
                      : "Compare kernel, GPU driver, rdma-core and firmware with those of a host on which it works, or "
                        "with those before an update.",
        .explains = event->message->id);
}

void orr_symptoms_of_network(struct orr_symptom_finder *f)
{
    const bool unnamed = orr_symptom_names_no_port(f);
    hidden_mismatch(f);
    memory_of_handover(f);
    locked_memory(f);
    mixed_releases(f);
    link_local_gid(f);
    orr_symptoms_of_connections(f);
    bonds(f);
    half_port(f);
    orr_symptoms_of_addresses(f);
    orr_symptoms_of_interfaces(f);
    if (!orr_symptom_of_library(f) && !orr_symptom_of_google(f) && !unnamed)
        no_rdma(f);
    orr_symptoms_of_plugins(f);
    gdr_is_off(f);
    too_far(f);
    module_is_absent(f);
}
