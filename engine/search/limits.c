/* SPDX-License-Identifier: Apache-2.0 */
/* Limits and start values of a graph: docs/nccl/search.md, "Graphs that NCCL searches",
 * "Bandwidths that are tried".
 *
 * An example: two GPUs with a maximum of 24 GB/s and the table 40, 30, 20, ...: the first rate is 20. */
#include "engine/search/limits.h"

#include <string.h>

#include "engine/release/release.h"

static const struct orr_search_rates *rates_for(const struct orr_release *release, int32_t sm)
{
    const struct orr_search_rates *row = release->search_rates;
    while (sm < row->sm_min)
        row++;
    return row;
}

const float *orr_search_rates_of(const struct orr_search_state *s, uint32_t *ret_count)
{
    const struct orr_search_rates *row = rates_for(s->input.system->release, s->input.cc_min);
    *ret_count = s->input.inter ? row->table.inter_count : row->table.intra_count;
    return s->input.inter ? row->table.inter : row->table.intra;
}

/* Least and largest type of the paths from GPUs to nodes of a type, except from a GPU to itself. */
static void type_range(const struct orr_search_state *s, enum orr_node_type to, int32_t sys, int32_t *ret_min,
                       int32_t *ret_max)
{
    const struct orr_system *system = s->input.system;
    int32_t least = sys, largest = 0;
    for (uint32_t g = system->first[ORR_GPU]; g < system->first[ORR_GPU + 1]; g++)
        for (uint32_t other = system->first[to]; other < system->first[to + 1]; other++) {
            if (other == g)
                continue;
            int32_t type = s->facts.number_of[orr_path(s->input.paths, g, other)->type];
            least = type < least ? type : least;
            largest = type > largest ? type : largest;
        }
    *ret_min = least;
    *ret_max = largest;
}

/* Do NVLinks join the GPUs to exactly two groups of several GPUs? */
static bool is_split_nvlink(const struct orr_search_state *s)
{
    uint16_t *group = s->channel.candidates; /* scratch: not in use before a search */
    uint16_t *size = group + s->input.n;
    uint32_t groups = 0;
    for (uint32_t g = 0; g < s->input.n; g++)
        group[g] = (uint16_t)g;
    for (uint32_t g = 0; g < s->input.n; g++)
        for (uint32_t p = g + 1; p < s->input.n; p++)
            if (orr_path(s->input.paths, orr_gpu_node(s, g), orr_gpu_node(s, p))->type == ORR_PATH_NVL)
                group[p] = group[g];
    memset(size, 0, s->input.n * sizeof *size);
    for (uint32_t g = 0; g < s->input.n; g++)
        groups += ++size[group[g]] == 2;
    return groups == 2;
}

static void set_limits(const struct orr_search_state *s, struct orr_limits *limits)
{
    const struct orr_release *release = s->input.system->release;
    limits->rates = orr_search_rates_of(s, &limits->rate_count);
    limits->sys = s->facts.number_of[ORR_PATH_SYS];
    limits->always_inter = s->facts.number_of[release->type_inter_always];
    limits->dis = release->checks_unreachable ? s->facts.number_of[ORR_PATH_DIS] : INT32_MAX;
    limits->min_intra = s->facts.number_of[s->input.n == 1 ? ORR_PATH_LOC : ORR_PATH_NVL];
    limits->max_intra = limits->sys;
    limits->min_inter = s->facts.number_of[ORR_PATH_PIX];
    limits->max_inter = limits->sys;
    if (!release->types_from_system)
        return;
    if (s->input.n > 1)
        type_range(s, ORR_GPU, limits->sys, &limits->min_intra, &limits->max_intra);
    if (s->input.inter) {
        type_range(s, ORR_NET, limits->sys, &limits->min_inter, &limits->max_inter);
        limits->max_intra = limits->max_inter;
        if (release->any_inter_before_sm90 && s->input.cc_min < 90)
            limits->max_inter = limits->sys;
    }
}

void orr_search_limits(struct orr_search_state *s, const struct orr_graph_request *request, struct orr_limits *limits)
{
    struct orr_trial *start = &limits->start;
    int32_t n = (int32_t)s->input.n;
    bool crosses = request->pattern == ORR_PATTERN_RING || request->pattern == ORR_PATTERN_BALANCED_TREE ||
                   request->pattern == ORR_PATTERN_SPLIT_TREE;
    const struct orr_release *release = s->input.system->release;
    int32_t cross_nic = orr_setting_int32(s->input.settings, ORR_SET_CROSS_NIC);
    bool some = release->crossing_scope == ORR_CROSSING_SOME;
    s->input.cross_nic_input = 0;
    if (s->input.net_count > 1 && (crosses || release->crossing_scope == ORR_CROSSING_ALL))
        s->input.cross_nic_input = some ? cross_nic : cross_nic != 0;
    set_limits(s, limits);
    *start = (struct orr_trial){
        .pattern = request->pattern,
        .min_channels = request->min_channels,
        .max_channels = request->max_channels,
        .cross_nic = some             ? s->input.cross_nic_input == 1
                     : cross_nic == 2 ? 0
                                      : cross_nic,
        .same_channels = request->pattern != ORR_PATTERN_NVLS,
        .collnet = request->collnet,
        .type_intra = limits->min_intra,
        .type_inter = limits->min_inter,
    };
    if (request->pattern == ORR_PATTERN_NVLS) {
        if (!s->facts.has_nvs || s->input.cc_min < 90) {
            start->pattern = ORR_PATTERN_NONE;
            return;
        }
        if (!release->nvls_any_channels || !s->input.inter)
            start->max_channels = n < 32 || release->nvls_fixed_channels ? n : 32;
    }
    if (request->pattern == ORR_PATTERN_COLLNET_DIRECT)
        start->max_channels = n < release->collnet_direct_most ? n : release->collnet_direct_most;
    if (n == 1 && start->pattern != ORR_PATTERN_RING)
        start->pattern = ORR_PATTERN_TREE;
    else if (release->tree_pattern == ORR_TREE_BY_HOSTS && start->pattern == ORR_PATTERN_BALANCED_TREE &&
             s->input.cc_min < 80)
        start->pattern = ORR_PATTERN_SPLIT_TREE;
    if (request->pattern == ORR_PATTERN_NVLS && !s->input.inter)
        start->min_channels = start->max_channels;
    if (release->splits_nvlink && request->pattern == ORR_PATTERN_RING && start->max_channels >= 2 &&
        start->min_channels == 1 && is_split_nvlink(s))
        start->min_channels = 2;
}

uint32_t orr_search_first_rate(const struct orr_search_state *s, const struct orr_limits *limits)
{
    const struct orr_trial *start = &limits->start;
    const struct orr_release *release = s->input.system->release;
    float total = s->input.system->total_bw, most = s->input.system->max_bw;
    bool by_total = release->rates_by_total, ring = start->pattern == ORR_PATTERN_RING;
    uint32_t rate = 0;
    uint32_t n = release->has_devs ? orr_system_count(s->input.system, ORR_DEV) : s->input.n;
    if (!ring && n > 1)
        total = (float)((double)total * (n * 1.0 / (n - 1)));
    if (n == 1 && release->lone_gpu_unbounded)
        by_total = false;
    if (release->nvls_divides_rate && start->pattern == ORR_PATTERN_NVLS && !s->input.inter)
        most /= (float)s->input.n;
    while (rate + 1 < limits->rate_count &&
           (limits->rates[rate] > most || (by_total && limits->rates[rate] * (float)start->min_channels > total)))
        rate++;
    return rate;
}

enum orr_pattern orr_tree_pattern_asked(const struct orr_release *release, uint32_t hosts)
{
    switch (release->tree_pattern) {
    case ORR_TREE_BY_HOSTS:
        return hosts > 2 ? ORR_PATTERN_BALANCED_TREE : ORR_PATTERN_TREE;
    case ORR_TREE_SPLIT:
        return ORR_PATTERN_SPLIT_TREE;
    case ORR_TREE_BALANCED:
        break;
    }
    return ORR_PATTERN_BALANCED_TREE;
}
