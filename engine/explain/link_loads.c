/* SPDX-License-Identifier: Apache-2.0 */
/* What the channels of a graph take together from each link of the system, as the search reserves it (see
 * docs/nccl/search.md, "Reserving a hop"). */
#include "engine/explain/link_loads.h"

#include "engine/explain/explainer.h"

struct loads {
    const struct orr_part *part;
    const struct orr_graph *graph;
    struct orr_link_load *links; /* [link] */
    uint64_t channel;            /* the bit of the channel that is counted */
};

/* The part of the rate that the way back of a link pays. */
static float way_back(const struct orr_system *system, const struct orr_link *link, bool from_gpu)
{
    const struct orr_node *to = &system->nodes[link->to];
    const struct orr_release *release = system->release;
    float share = 0;
    if (to->type == (release->has_devs ? ORR_DEV : ORR_GPU) && to->gpu.sm < 80 && !from_gpu)
        share += 1.0F / 8;
    if (link->type == ORR_LINK_NVL && to->type == ORR_CPU &&
        (to->cpu.arch == ORR_ARCH_POWER || !release->power_cpu_only))
        share += 1;
    return share;
}

static void take(struct loads *l, uint32_t link, float rate)
{
    if (rate <= 0)
        return;
    l->links[link].used += rate;
    l->links[link].channels |= l->channel;
}

static void load(struct loads *l, uint32_t from, uint32_t to, float rate)
{
    const struct orr_paths *paths = &l->part->paths;
    const struct orr_system *system = &l->part->system;
    if (from == ORR_NO_NODE || to == ORR_NO_NODE || !orr_paths_has(paths, from) || !orr_paths_has(paths, to))
        return;
    const struct orr_path *path = orr_path(paths, from, to);
    bool from_gpu = system->nodes[from].type == ORR_GPU, pays = false;
    for (uint32_t i = 0; i < path->hops && from_gpu && path->type == ORR_PATH_PHB; i++)
        pays = pays || orr_node_is_intel(&system->nodes[orr_path_node(paths, path, i)]);
    for (uint32_t i = 0; i < path->hops; i++) {
        const struct orr_link *link = &system->links[paths->links[path->first + i]];
        float overhead = system->release->intel_overhead_up / system->release->intel_overhead_down;
        float taken = pays && link->type == ORR_LINK_PCI ? rate * overhead : rate;
        take(l, (uint32_t)(link - system->links), taken);
        if (link->reverse != ORR_NO_LINK)
            take(l, link->reverse, taken * way_back(system, link, from_gpu));
    }
}

static uint32_t gpu_of(const struct loads *l, int32_t rank)
{
    return orr_gpu_of_rank(&l->part->system, rank);
}

/* All GPUs to a centre and back: the NVSwitch, whose head takes part twice, or CollNetDirect's head. */
static void load_star(struct loads *l, uint32_t head)
{
    const struct orr_system *system = &l->part->system;
    bool nvls = l->graph->pattern == ORR_PATTERN_NVLS;
    uint32_t count = orr_system_count(system, ORR_GPU), centre = nvls ? system->first[ORR_NVS] : head;
    for (uint32_t g = system->first[ORR_GPU]; g < system->first[ORR_GPU + 1]; g++) {
        float share = nvls ? (g == head ? 2 : 1) : count > 1 ? 1.0F / (float)(count - 1) : 0;
        load(l, centre, g, l->graph->bw_intra * share);
        load(l, g, centre, l->graph->bw_intra * share);
    }
}

static void load_channel(struct loads *l, int32_t channel)
{
    const struct orr_graph *graph = l->graph;
    const int32_t *row = graph->gpus + (size_t)channel * graph->gpu_count;
    uint32_t first = gpu_of(l, row[0]), last = gpu_of(l, row[graph->row_count - 1]);
    uint32_t second = graph->row_count > 1 ? gpu_of(l, row[1]) : first;
    if (graph->nets) {
        uint32_t entry = orr_net_of_id(&l->part->system, graph->nets[channel][0]);
        uint32_t exit = orr_net_of_id(&l->part->system, graph->nets[channel][1]);
        bool halves = graph->pattern == ORR_PATTERN_BALANCED_TREE;
        uint32_t end = graph->pattern == ORR_PATTERN_RING         ? last
                       : graph->pattern == ORR_PATTERN_SPLIT_TREE ? second
                                                                  : first;
        load(l, entry, first, graph->bw_inter);
        load(l, end, exit, halves ? graph->bw_inter / 2 : graph->bw_inter);
        if (halves)
            load(l, second, exit, graph->bw_inter / 2);
    }
    if (graph->pattern == ORR_PATTERN_NVLS || graph->pattern == ORR_PATTERN_COLLNET_DIRECT) {
        load_star(l, first);
        return;
    }
    for (uint32_t i = 0; i + 1 < graph->row_count; i++)
        load(l, gpu_of(l, row[i]), gpu_of(l, row[i + 1]), graph->bw_intra);
    if (graph->pattern == ORR_PATTERN_RING && !graph->nets)
        load(l, last, first, graph->bw_intra);
}

struct orr_link_load *orr_link_loads(const struct orr_part *part, const struct orr_graph *graph,
                                     struct orr_arena *arena)
{
    struct loads l = {part, graph, ORR_NEW(arena, struct orr_link_load, part->system.link_count), 0};
    for (int32_t c = 0; l.links && c < graph->channels; c++) {
        l.channel = UINT64_C(1) << c;
        load_channel(&l, c);
    }
    return l.links;
}

uint32_t orr_fullest_link(struct orr_explainer *e, const struct orr_part *part, const struct orr_graph *graph,
                          float *ret_used)
{
    const struct orr_system *system = &part->system;
    const struct orr_link_load *loads = orr_link_loads(part, graph, e->arena);
    uint32_t fullest = ORR_NO_LINK;
    for (uint32_t i = 0; loads && i < system->link_count; i++) {
        float bw = system->links[i].bw, used = loads[i].used;
        if (used <= 0 || bw <= 0)
            continue;
        if (fullest == ORR_NO_LINK || used / bw > loads[fullest].used / system->links[fullest].bw) {
            fullest = i;
            *ret_used = used;
        }
    }
    return fullest;
}
