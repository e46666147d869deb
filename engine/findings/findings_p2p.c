/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about P2P and shared memory between GPUs of a host. */
#include "engine/findings/finder.h"

static void p2p_too_far(struct orr_finder *f)
{
    const struct orr_analysis *a = f->analysis;
    uint32_t count = 0, n = a->local_ranks;
    const struct orr_decision *first = NULL;
    for (uint32_t from = 0; from < n; from++) {
        bool any = false;
        for (uint32_t to = 0; to < n; to++) {
            const struct orr_decision *decision = &a->p2p[(size_t)from * n + to].decision;
            if (from == to || decision->verdict || decision->rule != ORR_RULE_P2P_BEYOND_LEVEL || decision->by_user)
                continue;
            count++;
            any = true;
            first = first ? first : decision;
        }
        if (any)
            orr_point_rank(f, (int32_t)from);
    }
    if (count)
        orr_say(f, "%u of %u ordered pairs are beyond the P2P level %s; the first is at %s", count, n * (n - 1),
                orr_path_type_name((enum orr_path_type)first->level),
                orr_path_type_name((enum orr_path_type)first->distance));
}

static void setting_hinders(struct orr_finder *f)
{
    const struct orr_settings *settings = &f->analysis->query.settings;
    const char *level = orr_setting_text(settings, ORR_SET_P2P_LEVEL);
    const char *p2p = orr_setting_text(settings, ORR_SET_P2P_DISABLE);
    const char *shm = orr_setting_text(settings, ORR_SET_SHM_DISABLE);
    if (f->analysis->local_ranks < 2)
        return;
    if (p2p && orr_setting_int(settings, ORR_SET_P2P_DISABLE) == 1)
        orr_say(f, "NCCL_P2P_DISABLE=%.40s", p2p);
    else if (level && orr_setting_int(settings, ORR_SET_P2P_LEVEL) == ORR_PATH_LOC)
        orr_say(f, "NCCL_P2P_LEVEL=%.40s", level);
    else if (shm && orr_setting_int(settings, ORR_SET_SHM_DISABLE) == 1)
        orr_say(f, "NCCL_SHM_DISABLE=%.40s", shm);
}

static void amd_pair(struct orr_finder *f)
{
    const struct orr_system *system = &f->analysis->built;
    const struct orr_release *release = f->analysis->query.settings.release;
    if (release->p2p_default != ORR_P2P_PXB_BUT_AMD_PAIR || f->analysis->local_ranks != 2 ||
        !orr_system_count(system, ORR_CPU))
        return;
    const struct orr_node *cpu = orr_system_node(system, ORR_CPU, 0);
    const struct orr_decision *decision = &f->analysis->p2p[1].decision; /* rank 0 to rank 1 */
    if (cpu->cpu.arch == ORR_ARCH_X86 && cpu->cpu.vendor == ORR_VENDOR_AMD && decision->verdict &&
        decision->rule == ORR_RULE_P2P_WITHIN_LEVEL && !decision->by_user && decision->distance >= ORR_PATH_PHB)
        orr_say(f, "2 GPUs on an AMD CPU, with a path of type %s between them",
                orr_path_type_name((enum orr_path_type)decision->distance));
}

static void apart(struct orr_finder *f)
{
    const struct orr_settings *settings = &f->analysis->query.settings;
    uint32_t count = 0;
    /* Some releases take the network because it is better, though shared memory is there. */
    if (settings->release->separation == ORR_APART_WHERE_NETWORK_IS_BETTER &&
        orr_setting_int(settings, ORR_SET_SHM_DISABLE) != 1 && f->analysis->built.host_count < 2)
        return;
    for (uint32_t p = 0; p < f->analysis->part_count; p++) {
        const struct orr_part *part = &f->analysis->parts[p];
        const struct orr_system *system = &part->system;
        for (uint32_t a = system->first[ORR_GPU]; a < system->first[ORR_GPU + 1]; a++) {
            bool any = false;
            for (uint32_t b = system->first[ORR_GPU]; b < system->first[ORR_GPU + 1]; b++)
                if (orr_path(&part->paths, a, b)->origin == ORR_ROUTE_UNREACHABLE) {
                    any = true;
                    count++;
                }
            if (any)
                orr_point_node(f, system, a);
        }
    }
    if (count)
        orr_say(f, "%u ordered pairs of GPUs have neither P2P nor shared memory", count);
}

const struct orr_finding_row orr_findings_p2p[] = {
    {
        .id = "p2p-too-far",
        .catalogue = "L41",
        .severity = ORR_SEVERITY_INFO,
        .of_analysis = true,
        .find = p2p_too_far,
        .title = "GPUs that are too far apart for P2P use shared memory",
        .why = "Their traffic goes through host memory. By default NCCL does not use P2P across the CPU's root complex "
               "on most machines.",
        .advice = "NCCL_P2P_LEVEL=PHB or SYS allows P2P. Measure it, because P2P through a CPU is often slower.",
        .commands = {"nvidia-smi topo -p2p r"},
        .references = {"NVIDIA/nccl-tests#74", "NVIDIA/nccl#428", "NVIDIA/nccl#1817"},
        .follows_from = {"setting-hinders", "nvlink-islands", "nvlink-groups", "nvlink-count"},
    },
    {
        .id = "setting-hinders",
        .catalogue = "L42",
        .severity = ORR_SEVERITY_WARNING,
        .of_analysis = true,
        .find = setting_hinders,
        .title = "A setting turns off a fast transport between GPUs",
        .why = "Data then takes a slower path. Such settings are often left over from an earlier investigation.",
        .advice = "Remove the setting (environment, launcher, /etc/nccl.conf, ~/.nccl.conf).",
        .commands = {"env | grep NCCL_", "cat /etc/nccl.conf ~/.nccl.conf"},
        .references = {"NVIDIA/nccl-tests#228"},
    },
    {
        .id = "amd-pair",
        .catalogue = "L43",
        .severity = ORR_SEVERITY_INFO,
        .of_analysis = true,
        .find = amd_pair,
        .title = "P2P goes through the CPU because there are only two GPUs and an AMD CPU",
        .why = "Results with two GPUs do not apply to more GPUs. On AMD CPUs NCCL allows P2P up to SYS with two GPUs, "
               "but only up to PXB with three or more.",
        .advice = "Measure with the number of GPUs that the job will use.",
    },
    {
        .id = "neither-p2p-nor-shm",
        .catalogue = "L44",
        .severity = ORR_SEVERITY_WARNING,
        .of_analysis = true,
        .find = apart,
        .title = "Some GPUs reach each other only through the network",
        .why = "Neither P2P nor shared memory is possible between them. In a dump of several hosts, a GPU without "
               "NVLinks has no "
               "other path to the other hosts.",
        .advice =
            "On one host, let the containers share /dev/shm and the IPC namespace, and check NCCL_P2P_DISABLE and "
            "NCCL_SHM_DISABLE. Between hosts, check the NVLinks of the GPUs that are named.",
        .commands = {"df -h /dev/shm", "env | grep NCCL_", "nvidia-smi nvlink -s"},
        .follows_from = {"setting-hinders", "nvlink-count", "nvlink-zero"},
    },
    {0},
};
