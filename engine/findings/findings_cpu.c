/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about CPUs. */
#include "engine/findings/finder.h"

/* Bandwidth between sockets in newer releases, or in NCCL's later work. AMD's family is in NCCL's form. */
static const struct socket_rate {
    const char *vendor;
    int32_t family, model; /* model -1 means any */
    float gbs;
    const char *name;
} socket_rates[] = {
    {"GenuineIntel", 6, 143, 22, "Sapphire Rapids"}, {"GenuineIntel", 6, 207, 40, "Emerald Rapids"},
    {"GenuineIntel", 6, 173, 40, "Granite Rapids"},  {"GenuineIntel", 6, 174, 40, "Granite Rapids"},
    {"AuthenticAMD", 175, -1, 24, "Zen 3 or 4"},     {"AuthenticAMD", 191, -1, 32, "Zen 5"},
};

static void model_unknown(struct orr_finder *f)
{
    const struct orr_system *system = &f->analysis->built;
    const char *vendor = f->hw.cpu_count ? orr_attr_of(f, f->hw.cpus[0], ORR_ATTR_VENDOR) : "";
    int32_t family = f->hw.cpu_count ? orr_element_int(f->dump, f->hw.cpus[0], ORR_ATTR_FAMILYID, 0) : 0;
    int32_t model = f->hw.cpu_count ? orr_element_int(f->dump, f->hw.cpus[0], ORR_ATTR_MODELID, 0) : 0;
    float counted = 0;
    for (uint32_t l = 0; l < system->link_count && counted <= 0; l++)
        if (system->links[l].type == ORR_LINK_SYS)
            counted = system->links[l].bw;
    for (size_t i = 0; i < sizeof socket_rates / sizeof socket_rates[0]; i++) {
        const struct socket_rate *rate = &socket_rates[i];
        if (counted <= 0 || counted >= rate->gbs || strcmp(vendor, rate->vendor) != 0 || family != rate->family ||
            (rate->model >= 0 && model != rate->model))
            continue;
        orr_say(f, "%s (family %d model %d): NCCL %s assumes %g GB/s between sockets, later releases %g GB/s",
                rate->name, family, model, f->analysis->query.settings.release->name, (double)counted,
                (double)rate->gbs);
        orr_point(f, f->hw.cpus[0]);
        return;
    }
}

/* The mask has no bit set, or is the same on every CPU. */
static void affinity_says_nothing(struct orr_finder *f)
{
    uint32_t empty = 0, same = 0;
    const struct orr_dump_notes *notes = f->dump->notes;
    if (notes && !strcmp(notes->kind, "machine-type"))
        return; /* Orrery made the CPUs up */
    for (uint32_t i = 0; i < f->hw.cpu_count; i++) {
        const char *mask = orr_attr_of(f, f->hw.cpus[i], ORR_ATTR_AFFINITY);
        bool none = !mask[strspn(mask, "0,")];
        empty += none;
        same += !none && !strcmp(mask, orr_attr_of(f, f->hw.cpus[0], ORR_ATTR_AFFINITY));
        if (none)
            orr_point(f, f->hw.cpus[i]);
    }
    if (empty)
        orr_say(f, "%u of %u cpu elements have an empty affinity", empty, f->hw.cpu_count);
    else if (f->hw.cpu_count > 1 && same == f->hw.cpu_count)
        orr_say(f, "all %u cpu elements have the affinity %.60s", f->hw.cpu_count,
                orr_attr_of(f, f->hw.cpus[0], ORR_ATTR_AFFINITY));
}

const struct orr_finding_row orr_findings_cpu[] = {
    {ORR_FINDING("cpu-model-unknown", "L95", INFO, ANALYSIS, model_unknown),
     .title = "NCCL treats this CPU as an older model",
     .why = "NCCL uses the older model's bandwidth between sockets, which is usually lower.",
     .advice = "Read bandwidths across sockets as a lower bound, and compare with a later release.",
     .commands = {"lscpu"}, .references = {"NVIDIA/nccl#2107", "NVIDIA/nccl#2036", "NVIDIA/nccl#2441"}},
    {ORR_FINDING("affinity", "L96", INFO, NCCL, affinity_says_nothing),
     .title = "All CPUs have the same or no affinity mask",
     .why = "NCCL binds its threads by this mask. Without it, the launcher decides where they run.",
     .advice = "Let the launcher bind each process to the NUMA node of its GPU.",
     .commands = {"lscpu -e", "nvidia-smi topo -m"}, .references = {"NVIDIA/nccl-tests#57"}},
    {0},
};
