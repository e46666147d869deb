/* SPDX-License-Identifier: Apache-2.0 */
/* Decides what the search of a graph tries next: a relaxed requirement, twice the channels, or a higher rate.
 *
 * An example: one order for all channels with PIX paths finds nothing. Next come different orders with PIX, then one
 * order with PXB, different orders with PXB, and so on; at last a lower rate, and all of it again. */
#include "engine/search/relaxing.h"

#include <string.h>

#include "engine/release/release.h"
#include "engine/search/steps.h"

static bool is_amd(const struct orr_search_state *s)
{
    const struct orr_node *cpu = orr_system_node(s->input.system, ORR_CPU, 0);
    return cpu->cpu.arch == ORR_ARCH_X86 && cpu->cpu.vendor == ORR_VENDOR_AMD;
}

/* Lets the trial cross NICs if it did not; true if that is worth an attempt. */
static bool relax_crossing(struct orr_search_state *s)
{
    struct orr_trial *t = &s->trial;
    const struct orr_trial *b = &s->best;
    const struct orr_release *release = s->input.system->release;
    bool pairs_rings = release->nic_pairs == ORR_PAIRS_RINGS;
    bool fits = !pairs_rings || b->pattern == ORR_PATTERN_RING || b->pattern == ORR_PATTERN_BALANCED_TREE;
    bool some = release->crossing_scope == ORR_CROSSING_SOME;
    bool wanted = some ? s->input.cross_nic_input == 2 : s->input.cross_nic_input != 0;
    if (wanted && t->cross_nic == 0 && fits) {
        t->cross_nic = release->cross_nic_try;
        return true;
    }
    t->cross_nic = some && s->input.cross_nic_input == 1;
    return false;
}

static bool relax_split_tree(struct orr_trial *t, const struct orr_trial *b)
{
    if (t->pattern == ORR_PATTERN_SPLIT_TREE) {
        t->pattern = ORR_PATTERN_TREE;
        return true;
    }
    t->pattern = b->pattern;
    return false;
}

bool orr_search_relax(struct orr_search_state *s, const struct orr_limits *limits, int32_t steps, int32_t left,
                      uint32_t *rate)
{
    struct orr_trial *t = &s->trial;
    const struct orr_trial *b = &s->best;
    bool found = b->channels > 0;
    const struct orr_release *release = s->input.system->release;
    if (t->same_channels && !(release->amd_keeps_same_channels && is_amd(s) && t->type_intra == limits->sys)) {
        t->same_channels = 0;
        return true;
    }
    orr_steps_give_back(s, steps, left);
    t->same_channels = limits->start.same_channels;
    if ((found || release->finishes_at_full_rate) && orr_steps_look(s)) {
        s->budget.steps_spent = true;
        return false;
    }
    if (release->tree_for_sm90 && s->input.cc_min >= 90 && t->pattern == ORR_PATTERN_BALANCED_TREE) {
        t->pattern = ORR_PATTERN_TREE;
        return true;
    }
    if (!release->relaxes_split_tree)
        t->pattern = b->pattern;
    int32_t top = s->input.inter ? t->type_inter : limits->max_intra;
    if (t->type_intra < top && (!found || t->type_intra < b->type_intra) && ++t->type_intra < limits->dis)
        return true;
    t->type_intra = limits->min_intra;
    if (s->input.inter && t->type_inter < limits->max_inter &&
        (!found || t->type_inter < b->type_inter || t->type_inter < limits->always_inter) &&
        ++t->type_inter < limits->dis)
        return true;
    t->type_inter = limits->min_inter;
    if (release->relaxes_split_tree && release->relaxes_pattern_first && relax_split_tree(t, b))
        return true;
    if (relax_crossing(s))
        return true;
    if (release->relaxes_split_tree && !release->relaxes_pattern_first && relax_split_tree(t, b))
        return true;
    if (*rate + 1 < limits->rate_count && (!found || limits->rates[*rate + 1] / b->bw_inter > .49)) {
        t->bw_intra = t->bw_inter = limits->rates[++*rate];
        return true;
    }
    return false;
}

/* Is the rate high enough for twice the channels? */
static bool may_double(const struct orr_search_state *s)
{
    const struct orr_trial *b = &s->best;
    switch (s->input.system->release->doubling) {
    case ORR_DOUBLING_FROM_25:
        break;
    case ORR_DOUBLING_UP_TO_90:
        return (s->input.cc_min <= 80 && b->bw_intra >= 25) || (s->input.cc_min <= 90 && b->bw_intra >= 50);
    case ORR_DOUBLING_BY_CHANNELS:
        return b->bw_intra >= 25 && !(s->input.cc_min > 80 && b->bw_intra < 50 && b->channels > 4);
    }
    return b->bw_intra >= 25;
}

unsigned orr_search_duplicate(struct orr_search_state *s)
{
    struct orr_trial *b = &s->best;
    /* A mixture of two releases may search a graph that one of them does not have, and which then has a maximum of 0
     * channels. */
    if (!b->channels || b->channels >= b->max_channels || b->pattern == ORR_PATTERN_NVLS || !may_double(s))
        return 0;
    int32_t doubled = b->channels * 2 < b->max_channels ? b->channels * 2 : b->max_channels;
    int32_t copied = doubled - b->channels, parts = (doubled + b->channels - 1) / b->channels;
    memcpy(b->gpus + (size_t)b->channels * s->input.n, b->gpus, (size_t)copied * s->input.n * sizeof *b->gpus);
    memcpy(b->nets + b->channels, b->nets, (size_t)copied * sizeof *b->nets);
    b->bw_intra /= (float)parts;
    b->bw_inter /= (float)parts;
    b->channels = doubled;
    return parts > 1 ? ORR_RELAXED_DOUBLED : 0;
}

bool orr_search_raise(struct orr_search_state *s, const struct orr_limits *limits, uint32_t *rate)
{
    struct orr_trial *t = &s->trial;
    const struct orr_trial *b = &s->best;
    if (*rate == 0)
        return false;
    if (b->pattern == ORR_PATTERN_RING) {
        if (!s->input.system->release->raises_rings)
            return false;
        t->bw_intra = t->bw_inter = limits->rates[--*rate];
        return true;
    }
    if (s->input.system->release->raises_rings && b->pattern == ORR_PATTERN_NVLS && t->bw_inter == b->bw_inter &&
        t->bw_inter < t->bw_intra * 2) {
        t->min_channels = t->max_channels = b->channels;
        t->bw_inter = limits->rates[--*rate];
        return true;
    }
    if (t->bw_intra == b->bw_intra && t->bw_intra < t->bw_inter * 2) {
        t->bw_intra = limits->rates[--*rate];
        return true;
    }
    return false;
}
