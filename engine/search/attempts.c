/* SPDX-License-Identifier: Apache-2.0 */
/* One attempt: the depth-first search with the trial's limits, or the remembered result of an equal attempt.
 *
 * The loop of relaxations often asks for an attempt that cannot differ from an earlier one, because no path has a type
 * between the old limit and the new one. Such an attempt is not made again.
 *
 * Proof. An attempt is a function of its limits, its rates and the capacities that it begins with. Limits that let the
 * same paths through leave the same legs. Every attempt restores the capacities; if one does not, all remembered
 * attempts are dropped. So the new attempt would take the same steps and find the same sets of channels. Each of them
 * was already compared with the best set at that time, and a best set is only ever replaced by a better one: by more
 * bandwidth, or by fewer hops with the same pattern and crossing. So none of them is better than the present best. If
 * the release weighs the crossing of NICs, "better" is not that simple, and a remembered attempt is used only while the
 * best set is still the same.
 *
 * An example: only PIX and SYS paths join the GPUs. Then the attempts with the limits PXB and PHB equal the one with
 * PIX. */
#include <string.h>

#include "engine/release/release.h"
#include "engine/search/bounds.h"
#include "engine/search/reserve.h"

/* The largest type number up to the limit that some path has: a limit in between lets the same paths through. */
static int32_t effective_limit(uint64_t types, int32_t limit)
{
    uint64_t below = limit < 0 ? 0 : limit >= 63 ? types : types & ((UINT64_C(2) << limit) - 1);
    return below ? 63 - __builtin_clzll(below) : -1;
}

static struct orr_attempt describe(const struct orr_search_state *s, int32_t steps)
{
    const struct orr_trial *t = &s->trial;
    return (struct orr_attempt){
        .pattern = t->pattern,
        .same_channels = t->same_channels,
        .cross_nic = t->cross_nic,
        .type_intra = effective_limit(s->facts.types_between[s->left.rates[ORR_RATE_INTRA].both_ways], t->type_intra),
        .type_inter = effective_limit(s->facts.types_of_nets, t->type_inter),
        .min_channels = t->min_channels,
        .max_channels = t->max_channels,
        .steps = steps,
        .bw_intra = t->bw_intra,
        .bw_inter = t->bw_inter,
        .only_counted = s->attempt.counting,
    };
}

/* Does a past attempt have the result of this one? */
static bool is_same(const struct orr_search_state *s, const struct orr_attempt *past, const struct orr_attempt *now)
{
    const bool weighs = s->input.system->release->weighs_crossing && !now->only_counted;
    return past->pattern == now->pattern && past->same_channels == now->same_channels &&
           past->cross_nic == now->cross_nic && past->type_intra == now->type_intra &&
           past->type_inter == now->type_inter && past->min_channels == now->min_channels &&
           past->max_channels == now->max_channels && past->steps == now->steps && past->bw_intra == now->bw_intra &&
           past->bw_inter == now->bw_inter && (!past->only_counted || now->only_counted) &&
           (!weighs || past->found == s->found);
}

static enum orr_crossing crossing_of(const struct orr_search_state *s)
{
    int32_t cross_nic = s->trial.cross_nic;
    if (!cross_nic)
        return ORR_CROSS_NOT;
    switch (s->input.system->release->nic_pairs) {
    case ORR_PAIRS_RINGS:
        return s->trial.pattern == ORR_PATTERN_RING && cross_nic == 2 ? ORR_CROSS_BACK : ORR_CROSS_ANY;
    case ORR_PAIRS_ALL:
        return cross_nic == 1 ? ORR_CROSS_BACK : ORR_CROSS_BACK_CARD;
    case ORR_PAIRS_NONE:
        break;
    }
    return cross_nic == 1 ? ORR_CROSS_ANY : ORR_CROSS_NOT;
}

static struct orr_shape shape_of(const struct orr_search_state *s)
{
    int32_t last = (int32_t)s->input.n - 1;
    switch (s->trial.pattern) {
    case ORR_PATTERN_RING:
        return s->input.inter ? (struct orr_shape){last, -1} : (struct orr_shape){-1, last};
    case ORR_PATTERN_SPLIT_TREE:
        return s->input.inter ? (struct orr_shape){1, -1} : (struct orr_shape){-1, -1};
    default:
        return s->input.inter ? (struct orr_shape){0, -1} : (struct orr_shape){-1, -1};
    }
}

static void begin(struct orr_search_state *s, int32_t steps)
{
    s->trial.channels = 0;
    s->channel.candidate_top = 0;
    s->attempt.ended = s->attempt.leaked = false;
    s->attempt.number++;
    s->attempt.steps = steps;
    s->attempt.first_step = s->budget.steps;
    if (!s->left.exact) /* subtracting and adding floats may not restore them */
        memcpy(s->attempt.kept, s->left.capacity, s->input.system->link_count * sizeof *s->attempt.kept);
    s->attempt.crossing = crossing_of(s);
    s->attempt.shape = shape_of(s);
    s->attempt.star = s->trial.pattern == ORR_PATTERN_NVLS || s->trial.pattern == ORR_PATTERN_COLLNET_DIRECT;
    orr_search_at_channel(s);
    orr_search_open(s);
}

static bool capacities_came_back(const struct orr_search_state *s)
{
    return !s->attempt.leaked && (s->left.exact || memcmp(s->attempt.kept, s->left.capacity,
                                                          s->input.system->link_count * sizeof *s->attempt.kept) == 0);
}

int32_t orr_search_slice(struct orr_search_state *s)
{
    enum { VISITS = 16384, FEWEST = 16 }; /* a visit costs more with more GPUs, so a slice has fewer visits */
    int32_t slice = VISITS / (int32_t)s->input.n > FEWEST ? VISITS / (int32_t)s->input.n : FEWEST;
    slice = slice < s->budget.later ? slice : s->budget.later;
    s->budget.later -= slice;
    return slice;
}

/* Makes an attempt, whose rates are set, or finds the result of an equal one. */
static int32_t make_or_remember(struct orr_search_state *s, int32_t steps)
{
    struct orr_attempt now = describe(s, steps);
    struct orr_attempts *past = &s->attempts;
    for (uint32_t i = past->count; i-- > 0;)
        if (is_same(s, &past->list[i], &now))
            return past->list[i].left;
    begin(s, steps);
    s->budget.later = steps;
    s->budget.sliced = &now.left;
    now.left = orr_search_slice(s);
    orr_search_channels(s, &now.left);
    now.left = s->attempt.ended ? ORR_LEFT_UNKNOWN : now.left < 0 ? now.left : now.left + s->budget.later;
    now.found = s->found;
    if (!capacities_came_back(s)) {
        past->count = 0; /* results with other capacities no longer apply */
        past->capacities_changed = true;
    } else if (now.left >= 0 && now.pattern != ORR_PATTERN_NVLS && now.pattern != ORR_PATTERN_COLLNET_DIRECT) {
        past->count %= ORR_MOST_ATTEMPTS;
        past->list[past->count++] = now;
    }
    return now.left;
}

int32_t orr_search_attempt(struct orr_search_state *s, int32_t steps)
{
    (void)orr_search_is_hopeless(s);
    return make_or_remember(s, steps);
}

int32_t orr_search_count(struct orr_search_state *s, int32_t steps)
{
    orr_search_set_rates(s);
    s->attempt.bounded = false;
    s->attempt.counting = true;
    int32_t left = make_or_remember(s, steps);
    s->attempt.counting = false;
    return left;
}

bool orr_search_is_hopeless(struct orr_search_state *s)
{
    orr_search_set_rates(s);
    s->attempt.bounded = orr_search_bound(s, &s->attempt.bound);
    return s->attempt.bounded && !orr_search_may_improve(s, &s->attempt.bound);
}
