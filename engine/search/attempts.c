/* One attempt: the depth-first search with the trial's limits.
 *
 * The loop of relaxations asks for many attempts that can't differ from one that was made before: no path has a type
 * between the old limit and the new one, crossing NICs was never a question, or at a lower rate every link takes as
 * many channels and no more. Such an attempt is remembered instead of made: it takes the same steps and finds the same
 * channels, none of them better than the best, which has seen them all at this rate or a higher one. */
#include <math.h>
#include <string.h>

#include "engine/release/release.h"
#include "engine/search/reserve.h"

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

/* Does a leg carry the rate between GPUs when nothing else is taken? */
static bool carries(const struct orr_search_state *s, const struct orr_leg *leg)
{
    const struct orr_rate *rate = &s->rates[ORR_RATE_INTRA];
    if (!s->exact || leg->state > ORR_LEG_MIXED)
        return true;
    for (uint32_t i = leg->first; i < leg->first + leg->charges; i++)
        if (s->full[s->links[i]] < rate->needed[s->shares[i] & ORR_SHARE_MASK])
            return false;
    return true;
}

/* The types of paths between GPUs that could carry the trial's rate: bit NUMBER. */
static uint64_t types_between(const struct orr_search_state *s)
{
    uint64_t types = 0;
    for (size_t i = 0; i < (size_t)s->n * s->n; i++) {
        const struct orr_leg *leg = &s->between[i];
        uint64_t bit = UINT64_C(1) << leg->type[s->rates[ORR_RATE_INTRA].both_ways];
        if (!(types & bit) && carries(s, leg))
            types |= bit;
    }
    return types;
}

static struct orr_attempt describe(const struct orr_search_state *s, int32_t steps)
{
    const struct orr_trial *t = &s->t;
    return (struct orr_attempt){
        .pattern = t->pattern,
        .same_channels = t->same_channels,
        .cross_nic = t->cross_nic,
        .type_intra = effective_limit(types_between(s), t->type_intra),
        .type_inter = effective_limit(s->types_of_nets, t->type_inter),
        .min_channels = t->min_channels,
        .max_channels = t->max_channels,
        .steps = steps,
        .bw_intra = t->bw_intra,
        .bw_inter = t->bw_inter,
    };
}

static bool is_same(const struct orr_search_state *s, const struct orr_attempt *past, const struct orr_attempt *now)
{
    if (past->pattern != now->pattern || past->same_channels != now->same_channels ||
        past->type_intra != now->type_intra || past->type_inter != now->type_inter ||
        past->min_channels != now->min_channels || past->max_channels != now->max_channels ||
        past->steps != now->steps || (past->cross_nic != now->cross_nic && !past->any_cross))
        return false;
    if (past->bw_intra == now->bw_intra && past->bw_inter == now->bw_inter)
        return true;
    float rate = now->bw_intra;
    return rate == now->bw_inter && rate > past->from && rate < past->to && floorf(rate) >= past->whole_from &&
           s->exact && (s->linear || !past->needs_linear);
}

static enum orr_crossing crossing_of(const struct orr_search_state *s)
{
    const struct orr_release *release = s->system->release;
    int32_t cross_nic = s->t.cross_nic ? s->t.cross_nic : release->cross_nic_try;
    switch (release->nic_pairs) {
    case ORR_PAIRS_RINGS:
        return s->t.pattern == ORR_PATTERN_RING && cross_nic == 2 ? ORR_CROSS_BACK : ORR_CROSS_ANY;
    case ORR_PAIRS_ALL:
        return cross_nic == 1 ? ORR_CROSS_BACK : ORR_CROSS_BACK_CARD;
    case ORR_PAIRS_NONE:
        break;
    }
    return cross_nic == 1 ? ORR_CROSS_ANY : ORR_CROSS_NOT;
}

static struct orr_shape shape_of(const struct orr_search_state *s)
{
    int32_t last = (int32_t)s->n - 1;
    switch (s->t.pattern) {
    case ORR_PATTERN_RING:
        return s->inter ? (struct orr_shape){last, -1} : (struct orr_shape){-1, last};
    case ORR_PATTERN_SPLIT_TREE:
        return s->inter ? (struct orr_shape){1, -1} : (struct orr_shape){-1, -1};
    default:
        return s->inter ? (struct orr_shape){0, -1} : (struct orr_shape){-1, -1};
    }
}

static void begin(struct orr_search_state *s)
{
    s->t.channels = 0;
    s->candidate_top = 0;
    s->leaked = s->repeats = s->cross_asked = s->pci_asked = s->pci_short = false;
    s->refused_start = 0;
    for (uint32_t net = 0; net < s->net_count; net++) {
        s->net_full[net] = s->net_bw[net];
        s->net_demand[net] = INFINITY;
    }
    if (!s->exact) /* floats may not come back to what they were */
        memcpy(s->kept, s->capacity, s->system->link_count * sizeof *s->kept);
    s->crossing = crossing_of(s);
    s->shape = shape_of(s);
    s->star = s->t.pattern == ORR_PATTERN_NVLS || s->t.pattern == ORR_PATTERN_COLLNET_DIRECT;
    orr_search_at_channel(s);
    orr_search_open(s);
}

static bool capacities_came_back(const struct orr_search_state *s)
{
    return !s->leaked && (s->exact || memcmp(s->kept, s->capacity, s->system->link_count * sizeof *s->kept) == 0);
}

/* At which lower rates would every link, port and PCI comparison have decided alike? */
static void find_rates(const struct orr_search_state *s, struct orr_attempt *attempt)
{
    float rate = attempt->bw_intra;
    if (!s->exact || s->repeats || s->pci_short || rate != attempt->bw_inter || s->least_thousandths <= SLACK ||
        (s->pci_asked && (s->pci_step == 0 || !s->linear)) || rate < 1)
        return;
    attempt->to = rate * (1 - (float)SLACK / (float)s->least_thousandths);
    /* Half rates halve the grid. */
    float step = attempt->pattern == ORR_PATTERN_BALANCED_TREE ? s->pci_step / 2 : s->pci_step;
    attempt->from = s->pci_asked ? whole_gap / step : 0;
    attempt->needs_linear = s->pci_asked;
    for (uint32_t i = 0; i < s->refusals; i++) {
        uint32_t link = s->refused_links[i];
        attempt->from = fmaxf(attempt->from, (float)(s->full[link] + SLACK) / (float)s->demand[link] * rate);
    }
    attempt->whole_from = floorf(s->refused_start) + (s->refused_start > 0);
    for (uint32_t net = 0; net < s->net_count; net++)
        if (s->net_demand[net] < INFINITY)
            attempt->whole_from =
                fmaxf(attempt->whole_from, floorf(s->net_full[net] / s->net_demand[net] * floorf(rate)) + 1);
}

int32_t orr_search_slice(struct orr_search_state *s)
{
    enum { VISITS = 16384, FEWEST = 16 }; /* a visit costs the more the more GPUs there are */
    int32_t slice = VISITS / (int32_t)s->n > FEWEST ? VISITS / (int32_t)s->n : FEWEST;
    slice = slice < s->later ? slice : s->later;
    s->later -= slice;
    return slice;
}

int32_t orr_search_attempt(struct orr_search_state *s, int32_t steps)
{
    orr_search_set_rates(s);
    struct orr_attempt now = describe(s, steps);
    struct orr_attempts *past = &s->attempts;
    for (uint32_t i = past->count; i-- > 0;)
        if (is_same(s, &past->list[i], &now))
            return past->list[i].left;
    begin(s);
    s->later = steps;
    s->sliced = &now.left;
    now.left = orr_search_slice(s);
    orr_search_channels(s, &now.left);
    now.left = now.left < 0 ? now.left : now.left + s->later;
    now.any_cross = !s->cross_asked;
    find_rates(s, &now);
    while (s->refusals > 0)
        s->demand[s->refused_links[--s->refusals]] = INT32_MAX;
    if (!capacities_came_back(s)) {
        past->count = 0; /* what was found with other capacities says nothing any more */
    } else if (now.left >= 0 && now.pattern != ORR_PATTERN_NVLS && now.pattern != ORR_PATTERN_COLLNET_DIRECT) {
        past->count %= ORR_MOST_ATTEMPTS;
        past->list[past->count++] = now;
    }
    return now.left;
}
