/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about NVLink between GPUs: which GPUs it joins, and whether both directions are equal. */
#include "engine/base/sorting.h"
#include "engine/findings/finder.h"

struct lane { /* GPU a lists GPU b; sorted */
    const char *host;
    uint64_t from, to;
    int32_t count;
    uint32_t element;
};

ORR_COMPARATOR(compare_lanes, struct lane, strcmp(a->host, b->host), ORR_ORDER(a->from, b->from),
               ORR_ORDER(a->to, b->to))

/* Only compares GPUs that are both in the dump and have NVLinks, because others may be left out on purpose. */
static void one_sided(struct orr_finder *f)
{
    struct lane *lanes = ORR_NEW(f->arena, struct lane, f->dump->element_count);
    uint32_t count = 0;
    for (uint32_t i = 0; lanes && i < f->dump->element_count; i++) {
        if (f->dump->elements[i].kind != ORR_ELEMENT_NVLINK || f->hw.card_of[i] == UINT32_MAX ||
            orr_pci_class_parse(orr_attr_of(f, i, ORR_ATTR_TCLASS)) != ORR_CLASS_GPU)
            continue;
        const char *bus_id = orr_attr_of(f, f->hw.cards[f->hw.card_of[i]].element, ORR_ATTR_BUSID);
        lanes[count++] = (struct lane){orr_host_of(f, i), orr_bus_id_parse(bus_id),
                                       orr_bus_id_parse(orr_attr_of(f, i, ORR_ATTR_TARGET)),
                                       orr_element_int(f->dump, i, ORR_ATTR_COUNT_, 0), i};
    }
    if (!count)
        return;
    qsort(lanes, count, sizeof *lanes, compare_lanes);
    for (uint32_t i = 0; i < count; i++) {
        struct lane back = {.host = lanes[i].host, .from = lanes[i].to, .to = lanes[i].from};
        const struct lane *found = bsearch(&back, lanes, count, sizeof *lanes, compare_lanes);
        if (found && found->count == lanes[i].count)
            continue;
        bool here = false;
        for (uint32_t c = 0; !found && c < f->hw.gpu_count && !here; c++) {
            uint32_t card = f->hw.card_of[f->hw.gpus[c]];
            here = card != UINT32_MAX &&
                   orr_bus_id_parse(orr_attr_of(f, f->hw.cards[card].element, ORR_ATTR_BUSID)) == lanes[i].to;
        }
        if (!found && !here)
            continue;
        if (!f->at->detail)
            orr_say(f, "%d NVLink%s to %.30s, which reports %d back", lanes[i].count, orr_plural(lanes[i].count),
                    orr_attr_of(f, lanes[i].element, ORR_ATTR_TARGET), found ? found->count : 0);
        orr_point(f, lanes[i].element);
    }
}

static bool is_nvlink(const struct orr_path *path)
{
    return path->type == ORR_PATH_NVL || path->type == ORR_PATH_NVB;
}

/* Groups of GPUs of the first part that NVLink joins, directly or through other GPUs. */
struct groups {
    uint32_t gpus, count;
    uint32_t smallest, largest; /* GPUs in a group */
    uint32_t *of;               /* [GPU]: its group; the largest is not always 0 */
    uint32_t biggest;           /* a group of the largest size */
};

/* false if NVLink joins no two GPUs, or all are one group, or memory ran out. */
static bool find_groups(struct orr_finder *f, struct groups *ret_groups)
{
    const struct orr_part *part = &f->analysis->parts[0];
    uint32_t first = part->system.first[ORR_GPU], n = orr_system_count(&part->system, ORR_GPU);
    uint32_t *queue = ORR_NEW(f->arena, uint32_t, n + 1), *of = ORR_NEW(f->arena, uint32_t, n + 1);
    struct groups groups = {.gpus = n, .smallest = n, .of = of};
    if (orr_arena_starved(f->arena) || n < 3 || orr_system_count(&part->system, ORR_NVS))
        return false;
    memset(of, 0xff, n * sizeof *of);
    for (uint32_t start = 0; start < n; start++) {
        uint32_t reached = 1;
        if (of[start] != UINT32_MAX)
            continue;
        queue[0] = start;
        of[start] = groups.count;
        for (uint32_t at = 0; at < reached; at++)
            for (uint32_t g = 0; g < n; g++)
                if (of[g] == UINT32_MAX && is_nvlink(orr_path(&part->paths, first + queue[at], first + g))) {
                    of[g] = groups.count;
                    queue[reached++] = g;
                }
        groups.smallest = reached < groups.smallest ? reached : groups.smallest;
        groups.biggest = reached > groups.largest ? groups.count : groups.biggest;
        groups.largest = reached > groups.largest ? reached : groups.largest;
        groups.count++;
    }
    *ret_groups = groups;
    return groups.count > 1 && groups.largest > 1;
}

static void nvlink_islands(struct orr_finder *f)
{
    const struct orr_part *part = &f->analysis->parts[0];
    struct groups groups;
    if (!find_groups(f, &groups) || groups.smallest == groups.largest)
        return;
    orr_say(f, "NVLink joins %u of the %u GPUs with one another, and the others only in groups of %u or more",
            groups.largest, groups.gpus, groups.smallest);
    if (groups.smallest == 1)
        orr_say(f, "NVLink joins at most %u of the %u GPUs with one another, and some with none", groups.largest,
                groups.gpus);
    for (uint32_t g = 0; g < groups.gpus; g++)
        if (groups.of[g] != groups.biggest)
            orr_point_node(f, &part->system, part->system.first[ORR_GPU] + g);
}

/* Groups of equal size are normal: bridges and boards are built like that. */
static void nvlink_groups(struct orr_finder *f)
{
    struct groups groups;
    if (find_groups(f, &groups) && groups.smallest == groups.largest)
        orr_say(f, "NVLink joins the %u GPUs in %u groups of %u", groups.gpus, groups.count, groups.largest);
}

const struct orr_finding_row orr_findings_groups[] = {
    {ORR_FINDING("nvlink-one-sided", "L33", WARNING, NCCL, one_sided),
     .title = "Two GPUs report different numbers of NVLinks to each other",
     .why = "Each link has two ends, so the numbers should be equal. Either a link is down on one side, or the file "
            "was edited.",
     .advice = "Write the dump again, then check the NVLinks of both GPUs.",
     .commands = {"nvidia-smi nvlink -s", "nvidia-smi topo -m"}, .follows_from = {"nvlink-count"}},
    {ORR_FINDING("nvlink-islands", "L34", WARNING, ANALYSIS, nvlink_islands),
     .title = "NVLink connects some of the GPUs with fewer others, or with none",
     .why = "A ring over all GPUs crosses PCIe, which limits its bandwidth. Boards and bridges join GPUs in groups of "
            "equal size, so a bridge may be missing or links may be down.",
     .advice = "Check the NVLinks of the GPUs that are named. Until they work, run jobs on the other GPUs "
               "(CUDA_VISIBLE_DEVICES).",
     .commands = {"nvidia-smi topo -m", "nvidia-smi nvlink -s"},
     .references = {"NVIDIA/nccl-tests#178", "NVIDIA/nccl#1423"}, .follows_from = {"nvlink-count", "nvlink-one-sided"}},
    {ORR_FINDING("nvlink-groups", "L34", INFO, ANALYSIS, nvlink_groups),
     .title = "NVLink joins the GPUs in groups of equal size",
     .why = "A ring over all GPUs crosses PCIe between the groups, which limits its bandwidth. Bridges of PCIe cards "
            "and some boards are built like this.",
     .advice = "Run small jobs on the GPUs of one group (CUDA_VISIBLE_DEVICES).", .commands = {"nvidia-smi topo -m"},
     .references = {"NVIDIA/nccl-tests#178", "NVIDIA/nccl#1423"}},
    {0},
};
