/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the plain search between attempts: what NCCL relaxes after one, and what it does with the best graph. The
 * headings are those of docs/nccl/search.md.
 *
 * A small example: two GPUs, one link of 30 GB/s in each direction, one host. The table begins 40, 30, 20; 40 is above
 * the maximum, so 30 is tried first. Channel 0 takes 30 from the link 0 -> 1 and 30 from 1 -> 0 and is complete. A
 * second one does not fit. One channel of 30 GB/s carries what a GPU can, so the search ends. */
#include <string.h>

#include "tests/search/plain_state.h"

/* ---- What NCCL relaxes, and when it stops ---- */

/* One attempt with the trial's conditions; returns the steps left over. */
static int32_t attempt(struct plain *s, int64_t *all)
{
    int32_t steps = s->trial.same_channels                 ? s->release->steps_same
                    : s->trial.pattern == ORR_PATTERN_TREE ? s->release->steps_tree
                                                           : s->release->steps_other;
    *all -= steps;
    s->trial.channels = 0;
    if (s->inter && s->nets)
        plain_list_nets(s);
    plain_start_channel(s, &steps);
    return steps;
}

static bool is_done(const struct plain *s, int32_t left)
{
    const struct graph *b = &s->best;
    if (s->release->finishes_at_full_rate)
        return b->channels == b->max_channels && b->bw_inter == s->system->max_bw;
    return left == -1 || (float)b->channels * b->bw_inter >= s->system->total_bw;
}

/* Tries a tree after a split tree; false: it was tried, and the pattern is the best's again. */
static bool relax_split_tree(struct plain *s)
{
    const bool split = s->trial.pattern == ORR_PATTERN_SPLIT_TREE;
    s->trial.pattern = split ? ORR_PATTERN_TREE : s->best.pattern;
    return split;
}

static bool relax_crossing(struct plain *s)
{
    struct graph *t = &s->trial;
    const bool some = s->release->crossing_scope == ORR_CROSSING_SOME;
    const bool fits = s->release->nic_pairs != ORR_PAIRS_RINGS || s->best.pattern == ORR_PATTERN_RING ||
                      s->best.pattern == ORR_PATTERN_BALANCED_TREE;
    if ((some ? s->asked.input.cross_nic_input == 2 : s->asked.input.cross_nic_input != 0) && !t->cross_nic && fits) {
        t->cross_nic = s->release->cross_nic_try;
        return true;
    }
    t->cross_nic = some && s->asked.input.cross_nic_input == 1;
    return false;
}

/* The rows of the table, one after the other; false: nothing is left to relax. */
static bool relax(struct plain *s, int32_t same_at_start, int32_t left, int64_t *all, uint32_t *rate)
{
    struct graph *t = &s->trial;
    const struct graph *b = &s->best;
    const struct orr_release *release = s->release;
    const struct orr_node *cpu = orr_system_node(s->system, ORR_CPU, 0);
    const bool amd = cpu->cpu.arch == ORR_ARCH_X86 && cpu->cpu.vendor == ORR_VENDOR_AMD, found = b->channels > 0;
    if (t->same_channels && !(release->amd_keeps_same_channels && amd && t->type_intra == s->limits.sys)) {
        t->same_channels = 0;
        return true;
    }
    t->same_channels = same_at_start;
    *all = release->finishes_at_full_rate && left == -1 ? release->steps_all : *all + left;
    if (*all < 0 && (found || release->finishes_at_full_rate))
        return false;
    if (release->tree_for_sm90 && s->asked.input.cc_min >= 90 && t->pattern == ORR_PATTERN_BALANCED_TREE) {
        t->pattern = ORR_PATTERN_TREE;
        return true;
    }
    if (!release->relaxes_split_tree)
        t->pattern = b->pattern;
    if (t->type_intra < (s->inter ? t->type_inter : s->limits.max_intra) && (!found || t->type_intra < b->type_intra) &&
        ++t->type_intra < s->limits.dis)
        return true;
    t->type_intra = s->limits.min_intra;
    if (s->inter && t->type_inter < s->limits.max_inter &&
        (!found || t->type_inter < b->type_inter || t->type_inter < s->limits.always_inter) &&
        ++t->type_inter < s->limits.dis)
        return true;
    t->type_inter = s->limits.min_inter;
    if (release->relaxes_split_tree && release->relaxes_pattern_first && relax_split_tree(s))
        return true;
    if (relax_crossing(s))
        return true;
    if (release->relaxes_split_tree && !release->relaxes_pattern_first && relax_split_tree(s))
        return true;
    if (*rate + 1 == s->limits.rate_count || (found && !(s->limits.rates[*rate + 1] / b->bw_inter > .49)))
        return false;
    t->bw_intra = t->bw_inter = s->limits.rates[++*rate];
    return true;
}

/* ---- Doubling channels ---- */

static bool may_double(const struct plain *s)
{
    const struct graph *b = &s->best;
    if (!b->channels || b->pattern == ORR_PATTERN_NVLS)
        return false;
    if (s->release->doubling == ORR_DOUBLING_UP_TO_90)
        return (s->asked.input.cc_min <= 80 && b->bw_intra >= 25) || (s->asked.input.cc_min <= 90 && b->bw_intra >= 50);
    return b->bw_intra >= 25 && !(s->release->doubling == ORR_DOUBLING_BY_CHANNELS && s->asked.input.cc_min > 80 &&
                                  b->bw_intra < 50 && b->channels > 4);
}

static void duplicate(struct plain *s)
{
    struct graph *b = &s->best;
    if (!may_double(s))
        return;
    const int32_t doubled = b->channels * 2 < b->max_channels ? b->channels * 2 : b->max_channels;
    for (int32_t c = b->channels; c < doubled; c++) {
        memcpy(b->gpus[c], b->gpus[c - b->channels], sizeof b->gpus[c]);
        memcpy(b->nets[c], b->nets[c - b->channels], sizeof b->nets[c]);
    }
    const float parts = (float)((doubled + b->channels - 1) / b->channels);
    b->bw_intra /= parts;
    b->bw_inter /= parts;
    b->channels = doubled;
}

/* ---- Higher bandwidths for what was found ---- */

static bool raise_rate(struct plain *s, uint32_t *rate)
{
    struct graph *t = &s->trial;
    const struct graph *b = &s->best;
    if (!*rate)
        return false;
    if (b->pattern == ORR_PATTERN_RING) {
        if (s->release->raises_rings)
            t->bw_intra = t->bw_inter = s->limits.rates[--*rate];
        return s->release->raises_rings;
    }
    if (s->release->raises_rings && b->pattern == ORR_PATTERN_NVLS && t->bw_inter == b->bw_inter &&
        t->bw_inter < t->bw_intra * 2) {
        t->min_channels = t->max_channels = b->channels;
        t->bw_inter = s->limits.rates[--*rate];
        return true;
    }
    if (t->bw_intra != b->bw_intra || t->bw_intra >= t->bw_inter * 2)
        return false;
    t->bw_intra = s->limits.rates[--*rate];
    return true;
}

static void raise_rates(struct plain *s, int64_t *all)
{
    uint32_t rate = 0;
    s->trial = s->best;
    while (rate + 1 < s->limits.rate_count && s->limits.rates[rate] > s->best.bw_inter)
        rate++;
    s->trial.bw_intra = s->trial.bw_inter = s->limits.rates[rate];
    s->trial.min_channels = s->best.channels;
    for (int32_t left = 1; left != 0 && raise_rate(s, &rate);)
        left = attempt(s, all);
}

/* ---- If nothing is found ---- */

static void simple_order(struct plain *s)
{
    struct graph *b = &s->best;
    for (int g = 0; g < s->n; g++)
        b->gpus[0][g] = (int16_t)g;
    b->channels = 1;
    b->nets[0][0] = b->nets[0][1] = -1;
    b->bw_intra = b->bw_inter = 0.1f;
    b->type_intra = b->type_inter = s->limits.sys;
    if (!s->release->simple_order_by_preference)
        return;
    if (s->nets) {
        b->nets[0][0] = (int16_t)plain_preferred(s, 0, 0);
        b->nets[0][1] = (int16_t)plain_preferred(s, s->n - 1, 0);
    } else {
        b->bw_inter = 0;
        b->type_inter = s->limits.dis;
    }
}

/* ---- All of it, for one graph ---- */

void plain_search_graph(struct plain *s, uint32_t rate)
{
    const int32_t same = s->trial.same_channels;
    const bool ring_or_tree = !s->trial.collnet && s->trial.pattern != ORR_PATTERN_NVLS;
    int64_t all = s->release->steps_all;
    int32_t left;
    s->best = s->trial;
    s->trial.bw_intra = s->trial.bw_inter = s->limits.rates[rate];
    do
        left = attempt(s, &all);
    while (!is_done(s, left) && relax(s, same, left, &all, &rate));
    if (!s->best.channels && ring_or_tree) {
        simple_order(s);
    } else if (s->best.channels) {
        if (s->release->duplicates_early)
            duplicate(s);
        raise_rates(s, &all);
        if (!s->release->duplicates_early)
            duplicate(s);
    }
}
