/* SPDX-License-Identifier: Apache-2.0 */
/* One attempt: the depth-first search with the trial's limits.
 *
 * The loop of relaxations asks for many attempts that can't differ from one that was made before: no path has a type
 * between the old limit and the new one, crossing NICs was never a question, or at a lower rate every link takes as
 * many channels and no more. Such an attempt is remembered instead of made: it takes the same steps and finds the same
 * channels, none of them better than the best, which has seen them all at this rate or a higher one. */
#include <math.h>
#include <string.h>

#include "engine/release/release.h"
#include "engine/search/bounds.h"
#include "engine/search/reserve.h"
#include "engine/search/seen.h"

/* Roundings of a link under all channels stay below this many thousandths. */
enum { SLACK = 200 };
/* Whole GB/s that differ by this much before rounding differ after it. */
static const float whole_gap = 1.2f;

/* The largest type number up to the limit that some path has: a limit in between lets the same paths through. */
static int32_t effective_limit(uint64_t types, int32_t limit)
{
    uint64_t below = limit < 0 ? 0 : limit >= 63 ? types : types & ((UINT64_C(2) << limit) - 1);
    return below ? 63 - __builtin_clzll(below) : -1;
}

/* The types of paths between GPUs that could carry the trial's rate: bit NUMBER. */
static uint64_t types_between(const struct orr_search_state *s)
{
    const struct orr_doors *next = &s->facts.next;
    const struct orr_rate *rate = &s->left.rates[ORR_RATE_INTRA];
    uint64_t types = 0;
    for (const struct orr_door *door = next->list; door < next->list + next->first[s->input.n]; door++)
        if (!s->left.exact || door->least >= rate->needed[ORR_SHARE_PLAIN])
            types |= UINT64_C(1) << door->type[rate->both_ways];
    return types;
}

static struct orr_attempt describe(const struct orr_search_state *s, int32_t steps)
{
    const struct orr_trial *t = &s->trial;
    return (struct orr_attempt){
        .pattern = t->pattern,
        .same_channels = t->same_channels,
        .cross_nic = t->cross_nic,
        .type_intra = effective_limit(types_between(s), t->type_intra),
        .type_inter = effective_limit(s->facts.types_of_nets, t->type_inter),
        .min_channels = t->min_channels,
        .max_channels = t->max_channels,
        .steps = steps,
        .bw_intra = t->bw_intra,
        .bw_inter = t->bw_inter,
        .only_counted = s->attempt.counting,
    };
}

/* Can sets of the trial be as good as the best one, so that hops decide? They do where both cross NICs alike, so that
 * an attempt that found nothing better by another crossing may find something now. */
static bool may_tie(const struct orr_search_state *s)
{
    const struct orr_trial *t = &s->trial, *b = &s->best;
    for (int32_t k = t->min_channels; k <= t->max_channels && t->cross_nic == b->cross_nic; k++)
        if ((float)k * t->bw_intra == (float)b->channels * b->bw_intra)
            return true;
    return false;
}

/* What is better may depend on the crossing of NICs by the best trial: then that must not have changed since. */
static bool is_as_good(const struct orr_search_state *s, const struct orr_attempt *past, const struct orr_attempt *now)
{
    return !s->input.system->release->weighs_crossing || (past->cross_nic == now->cross_nic && past->found == s->found);
}

/* Whether NICs may be crossed is asked by comparing these two values. NCCL_CROSS_NIC may begin with others. */
static bool is_compared(const struct orr_search_state *s, int32_t cross_nic)
{
    return cross_nic == 0 || cross_nic == s->input.system->release->cross_nic_try;
}

static bool is_same(const struct orr_search_state *s, const struct orr_attempt *past, const struct orr_attempt *now)
{
    if (past->pattern != now->pattern || past->same_channels != now->same_channels ||
        past->type_intra != now->type_intra || past->type_inter != now->type_inter ||
        past->min_channels != now->min_channels || past->max_channels != now->max_channels ||
        past->steps != now->steps || (past->only_counted && !now->only_counted) ||
        (past->cross_nic != now->cross_nic &&
         (!past->any_cross || !is_compared(s, now->cross_nic) || (!now->only_counted && may_tie(s)))))
        return false;
    if (past->bw_intra == now->bw_intra && past->bw_inter == now->bw_inter)
        return true;
    float rate = now->bw_intra;
    return rate == now->bw_inter && rate > past->from && rate < past->to && floorf(rate) >= past->whole_from &&
           s->left.exact && (s->left.linear || !past->needs_linear);
}

static enum orr_crossing crossing_of(const struct orr_search_state *s)
{
    const struct orr_release *release = s->input.system->release;
    int32_t cross_nic = s->trial.cross_nic ? s->trial.cross_nic : release->cross_nic_try;
    switch (release->nic_pairs) {
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

static void begin(struct orr_search_state *s)
{
    s->trial.channels = 0;
    s->channel.candidate_top = 0;
    s->channel.loads = 0;
    s->attempt.ended = s->attempt.leaked = s->attempt.repeats = s->attempt.cross_asked = s->attempt.pci_asked =
        s->attempt.pci_short = false;
    s->attempt.refused_start = 0;
    s->attempt.number++;
    s->attempt.first_step = s->budget.steps;
    for (uint32_t net = 0; net < s->input.net_count; net++) {
        s->attempt.net_full[net] = s->left.net_bw[net];
        s->attempt.net_demand[net] = INFINITY;
    }
    if (!s->left.exact) /* floats may not come back to what they were */
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

/* At which lower rates would every link, port and PCI comparison have decided alike? */
static void find_rates(const struct orr_search_state *s, struct orr_attempt *attempt)
{
    float rate = attempt->bw_intra;
    if (!s->left.exact || s->attempt.repeats || s->attempt.pci_short || rate != attempt->bw_inter ||
        s->left.least_thousandths <= SLACK || (s->attempt.pci_asked && (s->facts.pci_step == 0 || !s->left.linear)) ||
        rate < 1)
        return;
    attempt->to = rate * (1 - (float)SLACK / (float)s->left.least_thousandths);
    /* Half rates halve the grid. */
    float step = attempt->pattern == ORR_PATTERN_BALANCED_TREE ? s->facts.pci_step / 2 : s->facts.pci_step;
    attempt->from = s->attempt.pci_asked ? whole_gap / step : 0;
    attempt->needs_linear = s->attempt.pci_asked;
    for (uint32_t i = 0; i < s->attempt.refusals; i++) {
        uint32_t link = s->attempt.refused_links[i];
        attempt->from =
            fmaxf(attempt->from, (float)(s->left.full[link] + SLACK) / (float)s->attempt.demand[link] * rate);
    }
    attempt->whole_from = floorf(s->attempt.refused_start) + (s->attempt.refused_start > 0);
    for (uint32_t net = 0; net < s->input.net_count; net++)
        if (s->attempt.net_demand[net] < INFINITY)
            attempt->whole_from = fmaxf(
                attempt->whole_from, floorf(s->attempt.net_full[net] / s->attempt.net_demand[net] * floorf(rate)) + 1);
}

int32_t orr_search_slice(struct orr_search_state *s)
{
    enum { VISITS = 16384, FEWEST = 16 }; /* a visit costs the more the more GPUs there are */
    int32_t slice = VISITS / (int32_t)s->input.n > FEWEST ? VISITS / (int32_t)s->input.n : FEWEST;
    slice = slice < s->budget.later ? slice : s->budget.later;
    s->budget.later -= slice;
    return slice;
}

/* One attempt, whose rates are set; or the memory of one. */
static int32_t make_or_remember(struct orr_search_state *s, int32_t steps)
{
    struct orr_attempt now = describe(s, steps);
    struct orr_attempts *past = &s->attempts;
    for (uint32_t i = past->count; i-- > 0;)
        if (is_same(s, &past->list[i], &now) && (s->attempt.counting || is_as_good(s, &past->list[i], &now)))
            return past->list[i].left;
    begin(s);
    orr_seen_begin(s, steps);
    s->budget.later = steps;
    s->budget.sliced = &now.left;
    now.left = orr_search_slice(s);
    orr_search_channels(s, &now.left);
    now.left = s->attempt.ended ? ORR_LEFT_UNKNOWN : now.left < 0 ? now.left : now.left + s->budget.later;
    now.any_cross = !s->attempt.cross_asked && is_compared(s, now.cross_nic);
    now.found = s->found;
    find_rates(s, &now);
    while (s->attempt.refusals > 0)
        s->attempt.demand[s->attempt.refused_links[--s->attempt.refusals]] = INT32_MAX;
    if (!capacities_came_back(s)) {
        past->count = 0; /* what was found with other capacities says nothing any more */
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
