/* SPDX-License-Identifier: Apache-2.0 */
/* What the plain search is asked: docs/nccl/search.md, "Graphs that NCCL searches" and "Bandwidths that are tried". And
 * how its result is delivered in the form of engine/search. */
#include <stdlib.h>
#include <string.h>

#include "tests/search/plain_state.h"

static void type_range(const struct plain *s, enum orr_node_type to, int32_t *ret_min, int32_t *ret_max)
{
    *ret_min = s->number[ORR_PATH_SYS];
    *ret_max = 0;
    for (int g = 0; g < s->n; g++)
        for (uint32_t other = s->system->first[to]; other < s->system->first[to + 1]; other++) {
            if (other == gpu_node(s, g))
                continue;
            const int32_t type = type_of(s, gpu_node(s, g), other);
            *ret_min = type < *ret_min ? type : *ret_min;
            *ret_max = type > *ret_max ? type : *ret_max;
        }
}

static void set_limits(struct plain *s)
{
    const struct orr_search_rates *row = s->release->search_rates;
    while (s->cc_min < row->sm_min)
        row++;
    s->rates = s->inter ? row->table.inter : row->table.intra;
    s->rate_count = s->inter ? row->table.inter_count : row->table.intra_count;
    s->dis = s->release->checks_unreachable ? s->number[ORR_PATH_DIS] : INT32_MAX;
    s->min_intra = s->number[s->n == 1 ? ORR_PATH_LOC : ORR_PATH_NVL];
    s->min_inter = s->number[ORR_PATH_PIX];
    s->max_intra = s->max_inter = s->number[ORR_PATH_SYS];
    if (!s->release->types_from_system)
        return;
    if (s->n > 1)
        type_range(s, ORR_GPU, &s->min_intra, &s->max_intra);
    if (!s->inter)
        return;
    type_range(s, ORR_NET, &s->min_inter, &s->max_inter);
    s->max_intra = s->max_inter;
    if (s->release->any_inter_before_sm90 && s->cc_min < 90)
        s->max_inter = s->number[ORR_PATH_SYS];
}

static bool is_split_nvlink(const struct plain *s)
{
    int group[PLAIN_MOST_GPUS], size[PLAIN_MOST_GPUS] = {0}, large = 0;
    for (int g = 0; g < s->n; g++)
        group[g] = g;
    for (int g = 0; g < s->n; g++)
        for (int p = g + 1; p < s->n; p++)
            if (orr_path(s->paths, gpu_node(s, g), gpu_node(s, p))->type == ORR_PATH_NVL)
                group[p] = group[g];
    for (int g = 0; g < s->n; g++)
        large += ++size[group[g]] == 2;
    return large == 2;
}

/* The request that the trial begins with. false: the graph stays empty. */
static bool set_request(struct plain *s, struct graph *t)
{
    const struct orr_release *release = s->release;
    const int32_t setting = orr_setting_int32(s->settings, ORR_SET_CROSS_NIC);
    const bool some = release->crossing_scope == ORR_CROSSING_SOME, nvls = t->pattern == ORR_PATTERN_NVLS;
    const bool concerned = t->pattern == ORR_PATTERN_RING || t->pattern == ORR_PATTERN_BALANCED_TREE ||
                           t->pattern == ORR_PATTERN_SPLIT_TREE || release->crossing_scope == ORR_CROSSING_ALL;
    const bool ring = t->pattern == ORR_PATTERN_RING;
    s->cross_input = s->nets > 1 && concerned ? (some ? setting : setting != 0) : 0;
    t->cross_nic = some ? s->cross_input == 1 : setting == 2 ? 0 : setting;
    t->same_channels = !nvls;
    t->type_intra = s->min_intra;
    t->type_inter = s->min_inter;
    if (nvls && (!s->has_nvs || s->cc_min < 90))
        return false;
    if (nvls && (!release->nvls_any_channels || !s->inter))
        t->max_channels = s->n < 32 || release->nvls_fixed_channels ? s->n : 32;
    if (t->pattern == ORR_PATTERN_COLLNET_DIRECT)
        t->max_channels = s->n < release->collnet_direct_most ? s->n : release->collnet_direct_most;
    if (nvls && !s->inter)
        t->min_channels = t->max_channels;
    if (s->n == 1 && !ring)
        t->pattern = ORR_PATTERN_TREE;
    else if (release->tree_pattern == ORR_TREE_BY_HOSTS && t->pattern == ORR_PATTERN_BALANCED_TREE && s->cc_min < 80)
        t->pattern = ORR_PATTERN_SPLIT_TREE;
    if (release->splits_nvlink && ring && t->max_channels >= 2 && t->min_channels == 1 && is_split_nvlink(s))
        t->min_channels = 2;
    return true;
}

static uint32_t first_rate(const struct plain *s)
{
    const struct graph *t = &s->trial;
    const uint32_t n = s->release->has_devs ? orr_system_count(s->system, ORR_DEV) : (uint32_t)s->n;
    const bool by_total = s->release->rates_by_total && !(n == 1 && s->release->lone_gpu_unbounded);
    float total = s->system->total_bw, most = s->system->max_bw;
    uint32_t rate = 0;
    if (t->pattern != ORR_PATTERN_RING && n > 1)
        total = (float)((double)total * (n * 1.0 / (n - 1)));
    if (s->release->nvls_divides_rate && t->pattern == ORR_PATTERN_NVLS && !s->inter)
        most /= (float)s->n;
    while (rate + 1 < s->rate_count &&
           (s->rates[rate] > most || (by_total && s->rates[rate] * (float)t->min_channels > total)))
        rate++;
    return rate;
}

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

/* What is asked for a graph. */
struct wanted {
    enum orr_graph_kind kind;
    enum orr_pattern pattern;
    int32_t least, most; /* channels */
    bool collnet;
};

static enum orr_code find(struct plain *s, struct wanted wanted, struct orr_arena *arena,
                          struct orr_graph graphs[ORR_GRAPH_COUNT], struct orr_error *err)
{
    struct orr_graph *graph = &graphs[wanted.kind];
    s->trial = (struct graph){.pattern = wanted.pattern,
                              .min_channels = wanted.least,
                              .max_channels = wanted.most,
                              .collnet = wanted.collnet};
    if (!set_request(s, &s->trial)) { /* it stays empty, with the types that it would begin with */
        graph->kind = wanted.kind;
        graph->pattern = wanted.pattern;
        graph->type_intra = orr_path_type_of_number(s->release, s->min_intra);
        graph->type_inter = orr_path_type_of_number(s->release, s->min_inter);
        return ORR_OK;
    }
    plain_search_graph(s, first_rate(s));
    if (s->overrun)
        return orr_fail(err, ORR_UNSUPPORTED, "more channels than the release's tables hold");
    return deliver(s, wanted.kind, arena, graph, err);
}

static enum orr_code find_all(struct plain *s, const struct orr_search_request *request, struct orr_arena *arena,
                              struct orr_graph graphs[ORR_GRAPH_COUNT], struct orr_error *err)
{
    const struct orr_release *r = s->release;
    const struct wanted ring = {ORR_GRAPH_RING, ORR_PATTERN_RING, 1, r->ring_max_channels, false};
    ORR_TRY(find(s, ring, arena, graphs, err));
    const int32_t k = graphs[ORR_GRAPH_RING].channels, least = r->tree_keeps_ring_channels ? k : 1;
    const struct {
        bool asked;
        struct wanted graph;
    } others[] = {
        {true, {ORR_GRAPH_TREE, orr_tree_pattern_asked(r, request->hosts), least, k, false}},
        {request->collnet || r->collnet_always, {ORR_GRAPH_COLLNET_CHAIN, ORR_PATTERN_TREE, k, k, true}},
        {request->collnet && r->collnet_direct,
         {ORR_GRAPH_COLLNET_DIRECT, ORR_PATTERN_COLLNET_DIRECT, 1, r->max_channels, true}},
        {request->nvls && r->nvls_max_channels > 0, {ORR_GRAPH_NVLS, ORR_PATTERN_NVLS, 1, r->nvls_max_channels, false}},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].asked)
            ORR_TRY(find(s, others[i].graph, arena, graphs, err));
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
                       .cc_min = INT32_MAX,
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
    for (uint32_t node = 0; node < system->node_count; node++)
        if ((system->nodes[node].type == ORR_GPU || system->nodes[node].type == ORR_DEV) &&
            system->nodes[node].gpu.sm < s.cc_min)
            s.cc_min = system->nodes[node].gpu.sm;
    s.inter = (s.nets > 0 || s.release->keeps_nets) && system->leaves_host;
    set_limits(&s);
    memset(ret_graphs, 0, ORR_GRAPH_COUNT * sizeof *ret_graphs);
    return find_all(&s, request, arena, ret_graphs, err);
}