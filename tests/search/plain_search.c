/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the plain search around attempts: which graphs are searched, what NCCL relaxes after an attempt, and what
 * it does with the best graph.
 *
 * An example: two GPUs, one link of 30 GB/s in each direction, one host. The table begins 40, 30, 20; 40 is above the
 * maximum, so 30 is tried first. Channel 0 takes 30 from the link 0 -> 1 and 30 from 1 -> 0 and is complete. A second
 * one does not fit. One channel of 30 GB/s carries what a GPU can, so the search ends. */
#include "tests/search/plain_search.h"

#include <string.h>

/* ---- When a result is better ---- */

bool plain_is_better(const struct plain *s)
{
    const struct orr_trial *t = &s->trial.is, *b = &s->best.is;
    const enum orr_nvls_better nvls = s->release->nvls_better;
    const float k = (float)t->channels, best = (float)b->channels;
    float needed = best * b->bw_intra;
    if (t->channels < t->min_channels)
        return false;
    if (t->pattern == ORR_PATTERN_NVLS && nvls != ORR_NVLS_BETTER_AS_OTHERS)
        return (t->channels > b->channels && t->channels <= (int32_t)s->n) ||
               (nvls == ORR_NVLS_BETTER_BY_RATE && k * t->bw_inter > best * b->bw_inter);
    if (s->release->weighs_crossing)
        needed *= (float)(1 - .15 * (int32_t)((uint32_t)b->cross_nic - (uint32_t)t->cross_nic));
    if (k * t->bw_intra != needed)
        return k * t->bw_intra > needed;
    return (t->pattern == b->pattern || !s->release->compares_patterns) && t->cross_nic == b->cross_nic &&
           t->hops < b->hops;
}

/* ---- What NCCL relaxes, and when it stops ---- */

static void attempt(struct plain *s)
{
    s->steps = s->trial.is.same_channels                 ? s->release->steps_same
               : s->trial.is.pattern == ORR_PATTERN_TREE ? s->release->steps_tree
                                                         : s->release->steps_other;
    s->all_steps -= s->steps;
    s->trial.is.channels = 0;
    if (s->inter)
        plain_list_nets(s);
    plain_start_channel(s);
}

static bool is_done(const struct plain *s)
{
    const struct orr_trial *b = &s->best.is;
    if (s->release->finishes_at_full_rate)
        return b->channels == b->max_channels && b->bw_inter == s->system->max_bw;
    return s->steps == -1 || (float)b->channels * b->bw_inter >= s->system->total_bw;
}

/* Tries a tree after a split tree; false if it was tried, and the pattern is the best's again. */
static bool relax_split_tree(struct plain *s)
{
    const bool split = s->trial.is.pattern == ORR_PATTERN_SPLIT_TREE;
    s->trial.is.pattern = split ? ORR_PATTERN_TREE : s->best.is.pattern;
    return split;
}

static bool relax_crossing(struct plain *s)
{
    struct orr_trial *t = &s->trial.is;
    const int32_t setting = s->asked.input.cross_nic_input;
    const bool some = s->release->crossing_scope == ORR_CROSSING_SOME;
    const bool fits = s->release->nic_pairs != ORR_PAIRS_RINGS || s->best.is.pattern == ORR_PATTERN_RING ||
                      s->best.is.pattern == ORR_PATTERN_BALANCED_TREE;
    const bool crosses = (some ? setting == 2 : setting != 0) && !t->cross_nic && fits;
    t->cross_nic = crosses ? s->release->cross_nic_try : some && setting == 1;
    return crosses;
}

/* The rows of the table, one after the other; false if nothing is left to relax. */
static bool relax(struct plain *s, uint32_t *rate)
{
    struct orr_trial *t = &s->trial.is;
    const struct orr_trial *b = &s->best.is;
    const struct orr_limits *limits = &s->limits;
    const struct orr_release *release = s->release;
    const struct orr_node *cpu = orr_system_node(s->system, ORR_CPU, 0);
    const bool amd = cpu->cpu.arch == ORR_ARCH_X86 && cpu->cpu.vendor == ORR_VENDOR_AMD, found = b->channels > 0;
    if (t->same_channels && !(release->amd_keeps_same_channels && amd && t->type_intra == limits->sys)) {
        t->same_channels = 0;
        return true;
    }
    t->same_channels = limits->start.same_channels;
    s->all_steps = release->finishes_at_full_rate && s->steps == -1 ? release->steps_all : s->all_steps + s->steps;
    if (s->all_steps < 0 && (found || release->finishes_at_full_rate))
        return false;
    if (release->tree_for_sm90 && s->asked.input.cc_min >= 90 && t->pattern == ORR_PATTERN_BALANCED_TREE) {
        t->pattern = ORR_PATTERN_TREE;
        return true;
    }
    if (!release->relaxes_split_tree)
        t->pattern = b->pattern;
    if (t->type_intra < (s->inter ? t->type_inter : limits->max_intra) && (!found || t->type_intra < b->type_intra) &&
        ++t->type_intra < limits->dis)
        return true;
    t->type_intra = limits->min_intra;
    if (s->inter && t->type_inter < limits->max_inter &&
        (!found || t->type_inter < b->type_inter || t->type_inter < limits->always_inter) &&
        ++t->type_inter < limits->dis)
        return true;
    t->type_inter = limits->min_inter;
    if ((release->relaxes_split_tree && release->relaxes_pattern_first && relax_split_tree(s)) || relax_crossing(s) ||
        (release->relaxes_split_tree && !release->relaxes_pattern_first && relax_split_tree(s)))
        return true;
    if (*rate + 1 == limits->rate_count || (found && !(limits->rates[*rate + 1] / b->bw_inter > .49)))
        return false;
    t->bw_intra = t->bw_inter = limits->rates[++*rate];
    return true;
}

/* ---- Doubling channels ---- */

static bool may_double(const struct plain *s)
{
    const struct orr_trial *b = &s->best.is;
    const int32_t sm = s->asked.input.cc_min;
    if (b->pattern == ORR_PATTERN_NVLS)
        return false;
    if (s->release->doubling == ORR_DOUBLING_UP_TO_90)
        return (sm <= 80 && b->bw_intra >= 25) || (sm <= 90 && b->bw_intra >= 50);
    const bool by_channels = s->release->doubling == ORR_DOUBLING_BY_CHANNELS;
    return b->bw_intra >= 25 && !(by_channels && sm > 80 && b->bw_intra < 50 && b->channels > 4);
}

static void duplicate(struct plain *s)
{
    struct orr_trial *b = &s->best.is;
    if (!may_double(s))
        return;
    const int32_t k = b->channels, doubled = 2 * k < b->max_channels ? 2 * k : b->max_channels;
    const float parts = (float)((doubled + k - 1) / k);
    memcpy(s->best.gpus[k], s->best.gpus[0], (size_t)(doubled - k) * sizeof s->best.gpus[0]);
    memcpy(s->best.nets[k], s->best.nets[0], (size_t)(doubled - k) * sizeof s->best.nets[0]);
    b->bw_intra /= parts;
    b->bw_inter /= parts;
    b->channels = doubled;
}

/* ---- Higher bandwidths for what was found ---- */

/* Takes a higher rate for the channels of the best graph; false if NCCL does not raise it any further. */
static bool raise_to(struct plain *s, float rate)
{
    struct orr_trial *t = &s->trial.is;
    const struct orr_trial *b = &s->best.is;
    const bool nvls = b->pattern == ORR_PATTERN_NVLS && s->release->raises_rings;
    if (b->pattern == ORR_PATTERN_RING) {
        t->bw_intra = t->bw_inter = rate;
        return s->release->raises_rings;
    }
    if (nvls && t->bw_inter == b->bw_inter && t->bw_inter < t->bw_intra * 2) {
        t->min_channels = t->max_channels = b->channels;
        t->bw_inter = rate;
        return true;
    }
    const bool raised = t->bw_intra == b->bw_intra && t->bw_intra < t->bw_inter * 2;
    t->bw_intra = rate;
    return raised;
}

static void raise_rates(struct plain *s)
{
    uint32_t rate = 0;
    s->trial = s->best;
    while (rate + 1 < s->limits.rate_count && s->limits.rates[rate] > s->best.is.bw_inter)
        rate++;
    s->trial.is.bw_intra = s->trial.is.bw_inter = s->limits.rates[rate];
    s->trial.is.min_channels = s->best.is.channels;
    for (s->steps = 1; s->steps != 0 && rate > 0 && raise_to(s, s->limits.rates[rate - 1]); rate--)
        attempt(s);
}

/* ---- If nothing is found ---- */

static void simple_order(struct plain *s)
{
    struct orr_trial *b = &s->best.is;
    const bool preferred = s->release->simple_order_by_preference, no_nets = s->first_net == s->end_net;
    b->channels = 1;
    b->bw_intra = b->bw_inter = 0.1f;
    b->type_intra = b->type_inter = s->limits.sys;
    for (uint32_t g = 0; g < s->n; g++)
        s->best.gpus[0][g] = g;
    for (int end = 0; end < 2; end++) {
        const uint32_t net = no_nets ? ORR_NO_NODE : plain_preferred(s, end ? s->n - 1 : 0, 0);
        s->best.nets[0][end] = preferred && net != ORR_NO_NODE ? s->system->nodes[net].id : 0;
    }
    if (preferred && no_nets) {
        b->bw_inter = 0;
        b->type_inter = s->limits.dis;
    }
}

/* ---- Graphs that NCCL searches ---- */

/* Everything that NCCL tries for one graph, from the conditions of the request on. */
static enum orr_code find(struct plain *s, const struct orr_graph_request *wanted,
                          struct plain_graph graphs[ORR_GRAPH_COUNT], struct orr_error *err)
{
    const struct orr_trial *start = &s->limits.start;
    orr_search_limits(&s->asked, wanted, &s->limits);
    if (start->pattern == ORR_PATTERN_NONE) { /* it stays empty, with the types that it would begin with */
        graphs[wanted->kind].is = (struct orr_trial){
            .pattern = wanted->pattern, .type_intra = start->type_intra, .type_inter = start->type_inter};
        return ORR_OK;
    }
    uint32_t rate = orr_search_first_rate(&s->asked, &s->limits);
    s->all_steps = s->release->steps_all;
    s->trial = s->best = (struct plain_graph){.is = *start};
    s->trial.is.bw_intra = s->trial.is.bw_inter = s->limits.rates[rate];
    do
        attempt(s);
    while (!is_done(s) && relax(s, &rate));
    if (s->best.is.channels) {
        if (s->release->duplicates_early)
            duplicate(s);
        raise_rates(s);
        if (!s->release->duplicates_early)
            duplicate(s);
    } else if (!s->trial.is.collnet && s->trial.is.pattern != ORR_PATTERN_NVLS) {
        simple_order(s);
    }
    graphs[wanted->kind] = s->best;
    return s->overrun ? orr_fail(err, ORR_UNSUPPORTED, "more channels than the release's tables hold") : ORR_OK;
}

static enum orr_code prepare(struct plain *s, const struct orr_system *system, struct orr_arena *arena,
                             struct orr_error *err)
{
    if (s->n > PLAIN_MOST_GPUS || s->end_net - s->first_net > PLAIN_MOST_NETS ||
        system->node_count > PLAIN_MOST_NODES || system->link_count > PLAIN_MOST_LINKS)
        return orr_fail(err, ORR_LIMIT, "more than the plain search has room for");
    for (uint32_t l = 0; l < system->link_count; l++)
        s->capacity[l] = system->links[l].bw;
    for (uint32_t net = s->first_net; net < s->end_net; net++)
        s->port_bw[net] = system->nodes[net].net.bw;
    s->inter = (s->first_net < s->end_net || s->release->keeps_nets) && system->leaves_host;
    s->asked.input = (struct orr_search_input){.system = system, .paths = s->paths, .settings = s->settings, .n = s->n};
    s->asked.input.net_count = s->end_net - s->first_net;
    s->asked.input.inter = s->inter;
    s->asked.input.cc_min = INT32_MAX;
    for (const struct orr_node *node = system->nodes; node < system->nodes + system->node_count; node++)
        if ((node->type == ORR_GPU || node->type == ORR_DEV) && node->gpu.sm < s->asked.input.cc_min)
            s->asked.input.cc_min = node->gpu.sm;
    return orr_search_prepare(&s->asked, arena, err);
}

enum orr_code plain_search(const struct orr_paths *paths, const struct orr_settings *settings,
                           const struct orr_search_request *request, struct orr_arena *arena,
                           struct plain_graph ret_graphs[ORR_GRAPH_COUNT], struct orr_error *err)
{
    const struct orr_system *system = paths->system;
    const struct orr_release *r = system->release;
    static struct plain s; /* large, and of one thread */
    s = (struct plain){.system = system, .paths = paths, .settings = settings, .release = r};
    s.n = orr_system_count(system, ORR_GPU);
    s.first_net = system->first[ORR_NET];
    s.end_net = system->first[ORR_NET + 1];
    s.has_nvs = orr_system_count(system, ORR_NVS) > 0;
    ORR_TRY(prepare(&s, system, arena, err));
    memset(ret_graphs, 0, ORR_GRAPH_COUNT * sizeof *ret_graphs);
    const struct orr_graph_request ring = {ORR_GRAPH_RING, ORR_PATTERN_RING, 1, r->ring_max_channels, false, 0};
    ORR_TRY(find(&s, &ring, ret_graphs, err));
    const int32_t k = ret_graphs[ORR_GRAPH_RING].is.channels, least = r->tree_keeps_ring_channels ? k : 1;
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
            ORR_TRY(find(&s, &others[i].graph, ret_graphs, err));
    return ORR_OK;
}
