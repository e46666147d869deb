/* Findings about CPUs, and what cannot be decided at all. */
#include "engine/insight/finder.h"

static void model_unknown(struct orr_finder *f)
{
    const char *vendor = f->cpu_count ? orr_attr_of(f, f->cpus[0], ORR_ATTR_VENDOR) : "";
    int32_t model = f->cpu_count ? orr_element_int(f->dump, f->cpus[0], ORR_ATTR_MODELID, 0) : 0;
    if (f->cpu_count < 2 || strcmp(vendor, "GenuineIntel") != 0 || (model != 173 && model != 174))
        return;
    orr_say(f, "Intel family 6 model %d (Granite Rapids)", model);
    orr_point(f, f->cpus[0]);
}

/* A mask without a bit, or the same mask on every CPU. */
static void affinity_says_nothing(struct orr_finder *f)
{
    uint32_t empty = 0, same = 0;
    for (uint32_t i = 0; i < f->cpu_count; i++) {
        const char *mask = orr_attr_of(f, f->cpus[i], ORR_ATTR_AFFINITY);
        bool none = !mask[strspn(mask, "0,")];
        empty += none;
        same += !none && !strcmp(mask, orr_attr_of(f, f->cpus[0], ORR_ATTR_AFFINITY));
        if (none)
            orr_point(f, f->cpus[i]);
    }
    if (empty)
        orr_say(f, "%u of %u cpu elements have an empty affinity", empty, f->cpu_count);
    else if (f->cpu_count > 1 && same == f->cpu_count)
        orr_say(f, "all %u cpu elements have the affinity %.60s", f->cpu_count,
                orr_attr_of(f, f->cpus[0], ORR_ATTR_AFFINITY));
}

const struct orr_finding_row orr_findings_cpu[] = {
    {
        .id = "cpu-model-unknown",
        .catalogue = "L95",
        .severity = ORR_SEVERITY_INFO,
        .find = model_unknown,
        .title = "A CPU that NCCL takes for an older one",
        .why = "The rate between sockets is then that of another model, mostly less than there is.",
        .advice = "Read bandwidths across sockets as a lower bound.",
        .commands = {"lscpu"},
        .references = {"NVIDIA/nccl#2107"},
    },
    {
        .id = "affinity",
        .catalogue = "L96",
        .severity = ORR_SEVERITY_INFO,
        .find = affinity_says_nothing,
        .title = "The affinity of the CPUs does not tell them apart",
        .why = "NCCL binds its threads by it; without it the launcher decides where they run.",
        .advice = "Let the launcher bind each process to the NUMA node of its GPU.",
        .commands = {"lscpu -e", "nvidia-smi topo -m"},
        .references = {"NVIDIA/nccl-tests#57"},
    },
    {0},
};
