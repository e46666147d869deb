/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about P2P and shared memory between GPUs of a host. */
#include "engine/base/text.h"
#include "engine/dump/notes.h"
#include "engine/findings/finder.h"
#include "engine/hardware/gpu_models.h"

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

/* Pairs that NCCL would not let use P2P by itself. */
static void level_forced(struct orr_finder *f)
{
    const struct orr_analysis *a = f->analysis;
    const char *level = orr_setting_text(&a->query.settings, ORR_SET_P2P_LEVEL);
    uint32_t pairs = 0, n = a->local_ranks;
    for (uint32_t i = 0; level && i < n * n; i++) {
        const struct orr_decision *decision = &a->p2p[i].decision;
        pairs += i / n < i % n && decision->verdict && decision->by_user && decision->distance >= ORR_PATH_PHB &&
                 decision->distance <= ORR_PATH_SYS;
    }
    if (pairs)
        orr_say(f, "NCCL_P2P_LEVEL=%.40s, and %u pair%s of GPUs %s joined through a CPU", level, pairs,
                orr_plural(pairs), pairs == 1 ? "is" : "are");
}

/* Pairs that are joined by PCIe and for which NCCL would use P2P. */
static uint32_t pcie_pairs(const struct orr_analysis *a)
{
    uint32_t pairs = 0, n = a->local_ranks;
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < from; to++) {
            const struct orr_decision *decision = &a->p2p[(size_t)from * n + to].decision;
            pairs += decision->verdict && decision->distance > ORR_PATH_NVB;
        }
    return pairs;
}

/* Pairs that are too far apart for P2P. */
static uint32_t beyond_level(const struct orr_analysis *a)
{
    uint32_t pairs = 0, n = a->local_ranks;
    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < from; to++) {
            const struct orr_decision *decision = &a->p2p[(size_t)from * n + to].decision;
            pairs += !decision->verdict && !decision->by_user && decision->rule == ORR_RULE_P2P_BEYOND_LEVEL;
        }
    return pairs;
}

/* Whether the driver offers P2P, by `topo -p2p` in the same text or else by the model of the GPUs. NCCL asks NVML;
 * Orrery's analysis assumes that P2P is offered. */
static void not_offered(struct orr_finder *f)
{
    const struct orr_dump_notes *notes = f->dump->notes;
    const struct orr_gpu_model *model = orr_gpu_model_without_p2p(f->dump);
    const uint32_t pairs = f->analysis->local_ranks > 1 ? pcie_pairs(f->analysis) : 0;
    if (!pairs && notes && notes->p2p_refused) {
        orr_say(f, "`nvidia-smi topo -p2p` refuses %u of %u cells", notes->p2p_refused, notes->p2p_pairs);
        return;
    }
    const uint32_t beyond = beyond_level(f->analysis);
    if (!pairs && beyond && model && notes && !strcmp(notes->kind, "nvidia-smi-topo"))
        orr_say(f, "the GPUs are %.*s; NCCL uses shared memory for %u pair%s, whatever the CPU",
                (int)strcspn(model->names, "|"), model->names, beyond, orr_plural(beyond));
    if (!pairs)
        return;
    if (notes && notes->p2p_refused)
        orr_say(f, "`nvidia-smi topo -p2p` in the same text refuses %u of %u cells; NCCL would use P2P for %u pair%s",
                notes->p2p_refused, notes->p2p_pairs, pairs, orr_plural(pairs));
    else if (model)
        orr_say(f, "the GPUs are %.*s, and NCCL would use P2P for %u pair%s", (int)strcspn(model->names, "|"),
                model->names, pairs, orr_plural(pairs));
}

/* Whether the driver offers no P2P at all, on any CPU. */
static bool is_refused(const struct orr_finder *f)
{
    const struct orr_dump_notes *notes = f->dump->notes;
    return (notes && notes->p2p_pairs && notes->p2p_refused == notes->p2p_pairs) || orr_gpu_model_without_p2p(f->dump);
}

/* The CPU is assumed to be Intel's; with AMD's, NCCL allows P2P at every distance: for two GPUs, in older releases for
 * all. */
static void by_cpu(struct orr_finder *f)
{
    const struct orr_analysis *a = f->analysis;
    const struct orr_dump_notes *notes = f->dump->notes;
    const bool further = a->query.settings.release->p2p_default != ORR_P2P_PXB_BUT_AMD_PAIR || a->local_ranks == 2;
    const uint32_t pairs = is_refused(f) ? 0 : beyond_level(a);
    if (notes && notes->cpu_assumed && further && pairs)
        orr_say(f, "the input does not show the CPU, and %u pair%s of GPUs %s joined through it", pairs,
                orr_plural(pairs), pairs == 1 ? "is" : "are");
}

/* A table without NVLink that does not name its GPUs: for some models the driver offers no P2P. */
static void by_model(struct orr_finder *f)
{
    const struct orr_analysis *a = f->analysis;
    const struct orr_dump_notes *notes = f->dump->notes;
    const uint32_t n = a->local_ranks, pairs = n > 1 ? pcie_pairs(a) : 0;
    if (!pairs || pairs < n * (n - 1) / 2 - beyond_level(a) || !notes || strcmp(notes->kind, "nvidia-smi-topo") != 0 ||
        notes->gpu_name || notes->p2p_pairs || notes->machine_type)
        return;
    orr_say(f, "the table does not name them, and NCCL would use P2P for %u pair%s", pairs, orr_plural(pairs));
}

/* The same if lines of lscpu, or the question, say that the CPU is AMD's: people who paste a table usually have a job
 * that does not work. */
static void through_amd(struct orr_finder *f)
{
    const struct orr_analysis *a = f->analysis;
    const struct orr_dump_notes *notes = f->dump->notes;
    uint32_t pairs = 0, n = a->local_ranks;
    if (!notes || notes->cpu_assumed || strcmp(notes->kind, "nvidia-smi-topo") != 0)
        return;
    for (uint32_t i = 0; i < n * n; i++)
        pairs += i / n < i % n && a->p2p[i].decision.verdict && !a->p2p[i].decision.by_user &&
                 a->p2p[i].decision.distance >= ORR_PATH_PHB;
    if (pairs && !is_refused(f))
        orr_say(f, "NCCL uses P2P for %u pair%s of GPUs at %s", pairs, orr_plural(pairs),
                orr_path_type_name((enum orr_path_type)a->p2p[1].decision.distance));
}

/* A table without NVLinks in which every GPU has a NIC next to it: boards with NVLink are built like that. */
static void nvlink_may_be_hidden(struct orr_finder *f)
{
    const struct orr_dump_notes *notes = f->dump->notes;
    enum { LEAST_GPUS = 4 };
    if (!notes || (notes->nvlink_hidden == ORR_NO && !notes->p2p_alone))
        return;
    if (notes->p2p_alone && notes->p2p_refused)
        return; /* p2p-not-offered says what matters */
    if (notes->p2p_alone) {
        orr_say(f, "%u of %u cells are OK", notes->p2p_pairs - notes->p2p_refused, notes->p2p_pairs);
        orr_say_remedy(f,
                       "The table is of `nvidia-smi topo -p2p`: it shows whether the driver offers P2P, not how GPUs "
                       "are joined; add `nvidia-smi topo -m`",
                       NULL, NULL);
    } else if (notes->nvlink_hidden == ORR_YES)
        orr_say(f, "the table is of `nvidia-smi topo -mp`");
    else if (f->hw.gpu_count >= LEAST_GPUS && f->hw.net_count >= f->hw.gpu_count)
        orr_say(f, "no cell of the table shows NVLink, but %u GPUs have %u NICs, as boards with NVLink do",
                f->hw.gpu_count, f->hw.net_count);
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
        decision->rule == ORR_RULE_P2P_WITHIN_LEVEL && !decision->by_user && decision->distance >= ORR_PATH_PHB &&
        !is_refused(f))
        orr_say(f, "2 GPUs on an AMD CPU, with a path of type %s between them",
                orr_path_type_name((enum orr_path_type)decision->distance));
}

static void apart(struct orr_finder *f)
{
    const struct orr_settings *settings = &f->analysis->query.settings;
    uint32_t count = 0;
    /* Some releases use the network although shared memory works, because the network is better. */
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

#define ACS_COMMANDS "sudo lspci -vvv | grep -i acsctl", "cat /proc/cmdline", "sudo dmesg | grep -i -e dmar -e iommu"

const struct orr_finding_row orr_findings_p2p[] = {
    {ORR_FINDING("nvlink-hidden", NULL, WARNING, NCCL, nvlink_may_be_hidden),
     .title = "NVLink may be hidden: `nvidia-smi topo -mp` shows PCIe paths only; use `nvidia-smi topo -m`",
     .why = "Without NVLink, Orrery sees GPUs that are joined by PCIe alone. If they have NVLink, everything it says "
            "about P2P, channels and bandwidths is wrong.",
     .advice = "Give the output of `nvidia-smi topo -m`. The places of the NICs are the same in both.",
     .commands = {"nvidia-smi topo -m", "nvidia-smi nvlink -s"}, .references = {"deepseek-ai/DeepEP#60"}},
    {ORR_FINDING("p2p-not-offered", NULL, WARNING, ANALYSIS, not_offered),
     .title = "NVIDIA's driver offers no P2P between these GPUs, so their data crosses host memory",
     .why = "NCCL asks the driver, and uses shared memory where it refuses. The channels and bandwidths here are those "
            "with P2P.",
     .advice = "No setting of NCCL changes this. Ask again with --set NCCL_P2P_DISABLE=1: that is what NCCL does then.",
     .commands = {"nvidia-smi topo -p2p r"}, .references = {"NVIDIA/nccl-tests#307", "NVIDIA/nccl-tests#287"},
     .follows_from = {"setting-hinders"}},
    {ORR_FINDING("p2p-by-cpu", NULL, WARNING, ANALYSIS, by_cpu),
     .title = "With an AMD CPU these GPUs use P2P through it, which PCIe ACS can make hang; with Intel they do not",
     .why = "NCCL allows P2P through an AMD CPU between two GPUs, and in older releases between all. With ACS on, such "
            "transfers hang or are slow. Through an Intel CPU it does not use P2P.",
     .advice = "If a job hangs, run it once with NCCL_P2P_DISABLE=1. If it then works, turn PCIe ACS off: in the BIOS, "
               "or on each bridge with `sudo setpci -s BRIDGE ECAP_ACS+6.w=0000` after every start. Name the CPU with "
               "--assume-cpu amd or intel.",
     .commands = {"lscpu | grep -i vendor", ACS_COMMANDS}, .references = {"NVIDIA/nccl#2079"},
     .follows_from = {"nvlink-hidden", "setting-hinders"}},
    {ORR_FINDING("p2p-by-model", NULL, WARNING, ANALYSIS, by_model),
     .title = "If these GPUs are GeForce cards since RTX 40, NVIDIA's driver offers no P2P between them",
     .why = "NCCL asks the driver, and uses shared memory where it refuses. The channels and bandwidths here are those "
            "with P2P, which other cards and boards mostly have.",
     .advice = "Paste the output of `nvidia-smi -L` and `nvidia-smi topo -p2p r` below the table.",
     .commands = {"nvidia-smi -L", "nvidia-smi topo -p2p r"},
     .references = {"NVIDIA/nccl-tests#287", "NVIDIA/nccl-tests#307"},
     .follows_from = {"nvlink-hidden", "p2p-by-cpu", "p2p-through-cpu", "p2p-level-forced", "setting-hinders"}},
    {ORR_FINDING("p2p-through-cpu", NULL, WARNING, ANALYSIS, through_amd),
     .title = "P2P goes through the CPU here, and PCIe ACS or the IOMMU can make it hang",
     .why = "With ACS on at a root port, P2P between GPUs below different ports stops or is slow.",
     .advice = "If a job hangs, run it once with NCCL_P2P_DISABLE=1. If it then works, turn PCIe ACS off: in the BIOS, "
               "or on each bridge with `sudo setpci -s BRIDGE ECAP_ACS+6.w=0000` after every start.",
     .commands = {ACS_COMMANDS}, .references = {"NVIDIA/nccl#2079"}, .follows_from = {"nvlink-hidden"}},
    {ORR_FINDING("p2p-too-far", "L41", INFO, ANALYSIS, p2p_too_far),
     .title = "GPUs that are too far apart for P2P use shared memory",
     .why = "Their traffic goes through host memory. By default NCCL does not use P2P across the CPU's root complex on "
            "most machines.",
     .advice = "NCCL_P2P_LEVEL=PHB or SYS allows P2P. Measure it, because P2P through a CPU is often slower.",
     .commands = {"nvidia-smi topo -p2p r"},
     .references = {"NVIDIA/nccl-tests#74", "NVIDIA/nccl#428", "NVIDIA/nccl#1817"},
     .follows_from = {"setting-hinders", "nvlink-islands", "nvlink-groups", "nvlink-count", "nvlink-hidden",
                      "p2p-by-cpu"}},
    {ORR_FINDING("setting-hinders", "L42", WARNING, ANALYSIS, setting_hinders),
     .title = "A setting turns off a fast transport between GPUs",
     .why = "Data then takes a slower path. Such settings are often left over from an earlier investigation.",
     .advice = "Remove the setting (environment, launcher, /etc/nccl.conf, ~/.nccl.conf).",
     .commands = {"env | grep NCCL_", "cat /etc/nccl.conf ~/.nccl.conf"}, .references = {"NVIDIA/nccl-tests#228"}},
    {ORR_FINDING("p2p-level-forced", NULL, WARNING, ANALYSIS, level_forced),
     .title = "NCCL_P2P_LEVEL forces P2P through the CPU, which is often slower than shared memory",
     .why = "CPUs pass data between PCIe ports slowly, and PCIe ACS can make such transfers hang. NCCL's own model "
            "does not know this, so the bandwidths here do not show it.",
     .advice = "Unset NCCL_P2P_LEVEL and compare: by default NCCL uses P2P only within a PCIe switch on most machines.",
     .commands = {"env | grep NCCL_", ACS_COMMANDS}, .references = {"NVIDIA/nccl#1817", "NVIDIA/nccl-tests#74"}},
    {ORR_FINDING("amd-pair", "L43", INFO, ANALYSIS, amd_pair),
     .title = "P2P goes through the CPU because there are only two GPUs and an AMD CPU",
     .why = "Results with two GPUs do not apply to more GPUs. On AMD CPUs NCCL allows P2P up to SYS with two GPUs, but "
            "only up to PXB with three or more.",
     .advice = "Measure with the number of GPUs that the job will use. If a job hangs, run it once with "
               "NCCL_P2P_DISABLE=1: if it then works, PCIe ACS or the IOMMU breaks P2P, and ACS must be turned off.",
     .commands = {ACS_COMMANDS}, .references = {"NVIDIA/nccl#2079"}},
    {ORR_FINDING("neither-p2p-nor-shm", "L44", WARNING, ANALYSIS, apart),
     .title = "Some GPUs reach each other only through the network",
     .why = "Neither P2P nor shared memory is possible between them. In a dump of several hosts, a GPU without NVLinks "
            "has no other path to the other hosts.",
     .advice = "On one host, let the containers share /dev/shm and the IPC namespace, and check NCCL_P2P_DISABLE and "
               "NCCL_SHM_DISABLE. Between hosts, check the NVLinks of the GPUs that are named.",
     .commands = {"df -h /dev/shm", "env | grep NCCL_", "nvidia-smi nvlink -s"},
     .follows_from = {"setting-hinders", "nvlink-count", "nvlink-zero"}},
    {0},
};
