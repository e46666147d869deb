/* SPDX-License-Identifier: Apache-2.0 */
/* What the plain search is asked: docs/nccl/search.md, "Graphs that NCCL searches". And how its result is delivered in
 * the form of engine/search. */
#include <stdlib.h>
#include <string.h>

#include "tests/search/plain_state.h"

static enum orr_code deliver(const struct plain *s, enum orr_graph_kind kind, struct orr_arena *arena,
                             struct orr_graph *graph, struct orr_error *err)
{
    const struct graph *b = &s->best;
    const size_t channels = (size_t)b->channels, n = (size_t)s->n;
    const uint32_t row = b->pattern == ORR_PATTERN_NVLS ? 1 : (uint32_t)s->n;
    int32_t *gpus = ORR_NEW(arena, int32_t, channels * n);
    int64_t(*nets)[2] = orr_arena_alloc(arena, channels, sizeof *nets);
    if (!gpus || !nets)
        return orr_fail_nomem(err);
    for (size_t c = 0; c < channels; c++) {
        for (size_t i = 0; i < row; i++)
            gpus[c * n + i] = gpu_of(s, b->gpus[c][i])->gpu.rank;
        for (int end = 0; end < 2 && s->inter; end++)
            nets[c][end] = b->nets[c][end] < 0 ? 0 : net_of(s, b->nets[c][end])->id;
    }
    *graph = (struct orr_graph){
        .kind = kind,
        .pattern = b->pattern,
        .channels = b->channels,
        .bw_intra = b->bw_intra,
        .bw_inter = b->bw_inter,
        .latency_inter = b->latency_inter,
        .type_intra = orr_path_type_of_number(s->release, b->type_intra),
        .type_inter = orr_path_type_of_number(s->release, b->type_inter),
        .cross_nic = b->cross_nic,
        .same_channels = b->same_channels,
        .hops = b->hops,
        .gpu_count = (uint32_t)s->n,
        .row_count = row,
        .gpus = gpus,
        .nets = s->inter ? (const int64_t(*)[2])nets : NULL,
    };
    return ORR_OK;
}

/* NCCL's start values come from the engine's limits.c, which has no shortcut and which NCCL's results hold. */
static enum orr_code find(struct plain *s, const struct orr_graph_request *wanted, struct orr_arena *arena,
                          struct orr_graph graphs[ORR_GRAPH_COUNT], struct orr_error *err)
{
    struct orr_graph *graph = &graphs[wanted->kind];
    struct orr_limits *limits = &s->limits;
    orr_search_limits(&s->asked, wanted, limits);
    if (limits->start.pattern == ORR_PATTERN_NONE) { /* it stays empty, with the types that it would begin with */
        graph->kind = wanted->kind;
        graph->pattern = wanted->pattern;
        graph->type_intra = orr_path_type_of_number(s->release, limits->start.type_intra);
        graph->type_inter = orr_path_type_of_number(s->release, limits->start.type_inter);
        return ORR_OK;
    }
    s->trial = (struct graph){.pattern = limits->start.pattern,
                              .min_channels = limits->start.min_channels,
                              .max_channels = limits->start.max_channels,
                              .cross_nic = limits->start.cross_nic,
                              .same_channels = limits->start.same_channels,
                              .collnet = limits->start.collnet,
                              .type_intra = limits->start.type_intra,
                              .type_inter = limits->start.type_inter};
    plain_search_graph(s, orr_search_first_rate(&s->asked, limits));
    if (s->overrun)
        return orr_fail(err, ORR_UNSUPPORTED, "more channels than the release's tables hold");
    return deliver(s, wanted->kind, arena, graph, err);
}

static enum orr_code find_all(struct plain *s, const struct orr_search_request *request, struct orr_arena *arena,
                              struct orr_graph graphs[ORR_GRAPH_COUNT], struct orr_error *err)
{
    const struct orr_release *r = s->release;
    const struct orr_graph_request ring = {ORR_GRAPH_RING, ORR_PATTERN_RING, 1, r->ring_max_channels, false, 0};
    ORR_TRY(find(s, &ring, arena, graphs, err));
    const int32_t k = graphs[ORR_GRAPH_RING].channels, least = r->tree_keeps_ring_channels ? k : 1;
    const struct {
        bool asked;
        struct orr_graph_request graph;
    } others[] = {
        {true, {ORR_GRAPH_TREE, orr_tree_pattern_asked(r, request->hosts), least, k, false, 1}},
        {request->collnet || r->collnet_always, {ORR_GRAPH_COLLNET_CHAIN, ORR_PATTERN_TREE, k, k, true, 2}},
        {request->collnet && r->collnet_direct,
         {ORR_GRAPH_COLLNET_DIRECT, ORR_PATTERN_COLLNET_DIRECT, 1, r->max_channels, true, 4}},
        {request->nvls && r->nvls_max_channels > 0,
         {ORR_GRAPH_NVLS, ORR_PATTERN_NVLS, 1, r->nvls_max_channels, false, 3}},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].asked)
            ORR_TRY(find(s, &others[i].graph, arena, graphs, err));
    return ORR_OK;
}

enum orr_code plain_search(const struct orr_paths *paths, const struct orr_settings *settings,
                           const struct orr_search_request *request, struct orr_arena *arena,
                           struct orr_graph ret_graphs[ORR_GRAPH_COUNT], struct orr_error *err)
{
    const struct orr_system *system = paths->system;
    static struct plain s; /* large, and of one thread */
    s = (struct plain){.system = system,
                       .paths = paths,
                       .settings = settings,
                       .release = system->release,
                       .n = (int)orr_system_count(system, ORR_GPU),
                       .nets = (int)orr_system_count(system, ORR_NET),
                       .has_nvs = orr_system_count(system, ORR_NVS) > 0,
                       .capacity = ORR_NEW(arena, float, system->link_count)};
    if (!s.capacity)
        return orr_fail_nomem(err);
    if (s.n > PLAIN_MOST_GPUS || s.nets > PLAIN_MOST_NETS)
        return orr_fail(err, ORR_LIMIT, "more GPUs or NICs than the plain search has room for");
    for (int type = 0; type < ORR_PATH_TYPE_COUNT; type++) {
        const int number = orr_path_type_number(s.release, (enum orr_path_type)type);
        s.number[type] = number < 0 ? 0 : number;
    }
    for (uint32_t l = 0; l < system->link_count; l++)
        s.capacity[l] = system->links[l].bw;
    for (int net = 0; net < s.nets; net++) {
        s.net_bw[net] = net_of(&s, net)->net.bw;
        s.connections[net] = net_of(&s, net)->net.max_channels > 0 ? net_of(&s, net)->net.max_channels : 0;
    }
    s.inter = (s.nets > 0 || s.release->keeps_nets) && system->leaves_host;
    s.asked.input = (struct orr_search_input){.system = system,
                                              .paths = paths,
                                              .settings = settings,
                                              .n = (uint32_t)s.n,
                                              .net_count = (uint32_t)s.nets,
                                              .inter = s.inter,
                                              .cc_min = INT32_MAX};
    for (uint32_t node = 0; node < system->node_count; node++)
        if ((system->nodes[node].type == ORR_GPU || system->nodes[node].type == ORR_DEV) &&
            system->nodes[node].gpu.sm < s.asked.input.cc_min)
            s.asked.input.cc_min = system->nodes[node].gpu.sm;
    ORR_TRY(orr_search_prepare(&s.asked, arena, err));
    memset(ret_graphs, 0, ORR_GRAPH_COUNT * sizeof *ret_graphs);
    return find_all(&s, request, arena, ret_graphs, err);
}