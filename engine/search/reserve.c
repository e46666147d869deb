/* SPDX-License-Identifier: Apache-2.0 */
/* Reserving bandwidth link by link, with NCCL's rounding: docs/nccl/search.md, "Reserving a hop".
 *
 * NCCL subtracts in binary32 and rounds the remainder to thousandths at each link. That equals counting thousandths in
 * integers, if all capacities are thousandths that binary32 distinguishes and no amount of a trial is near the middle
 * between two thousandths. `exact` says so. Then taking and giving back loses nothing, all links of a leg can be
 * examined before any is changed, and an attempt restores the capacities. Otherwise the capacities are floats like
 * NCCL's.
 *
 * Proof. Let a capacity be a number of thousandths that binary32 distinguishes, and an amount at most 0.35 thousandths
 * from a whole number. The roundings of the subtraction, of the multiplication by 1000 and of the division move the
 * result by less than 0.15 thousandths, so it cannot reach the middle between two thousandths. So the rounded
 * difference is the difference of the whole numbers, and integers hold the same values. A comparison is exact if the
 * amount needed is rounded up.
 *
 * An example: a link of 24 GB/s is 24000, and a rate of 20 GB/s with Intel's overhead of 6/5 is 24000, too: one fits,
 * and 0 is left. A rate of 7 GB/s with an overhead of 12/9 is 9333.33 thousandths: 9333 are taken, and the link must
 * have 9334. */
#include <math.h>
#include <stdlib.h>

#include "engine/release/release.h"
#include "engine/search/limits.h"
#include "engine/search/reserve.h"

/* Above ORR_NARROW_GBPS and up to this limit, thousandths are exact only among multiples of an eighth. */
enum { WIDE_GBPS = 16000 };

/* Rounds to thousandths, halves away from zero, in binary32: roundf(x * 1000) / 1000 without the call. */
static inline float round_thousandth(float x)
{
    float scaled = x * 1000.0f;
    if (fabsf(scaled) >= 4194304.0f)
        return roundf(scaled) / 1000.0f;
    float whole = (float)(int32_t)scaled;
    float rest = scaled - whole;
    if (rest >= 0.5f)
        whole += 1.0f;
    else if (rest <= -0.5f)
        whole -= 1.0f;
    return whole / 1000.0f;
}

static bool is_eighths(float x)
{
    return x * 8 == truncf(x * 8);
}

/* A sum of binary32 numbers, such as 18 times 20.6, may differ from whole thousandths by less than the rounding
 * notices. */
static bool is_nearly(float capacity)
{
    double thousandths = (double)capacity * 1000;
    return capacity <= ORR_NARROW_GBPS && fabs(thousandths - round(thousandths)) <= 0.05 &&
           (int32_t)capacity == (int32_t)round(thousandths) / 1000; /* some comparisons use whole GB/s, so these must
                                                                     * agree, too */
}

/* Is such a capacity so near to an amount of a rate that the difference may decide whether the rate fits? */
static bool may_decide(const struct orr_search_state *s, float capacity)
{
    static const float factors[] = {0.5f, 1, 2};
    const float overhead = s->input.system->release->intel_overhead_up / s->input.system->release->intel_overhead_down;
    const float shares[] = {1, overhead, .125f, overhead / 8};
    uint32_t count;
    const float *rates = orr_search_rates_of(s, &count);
    for (uint32_t r = 0; r < count; r++)
        for (unsigned f = 0; f < sizeof factors / sizeof factors[0]; f++)
            for (unsigned i = 0; i < sizeof shares / sizeof shares[0]; i++)
                if (fabsf(rates[r] * factors[f] * shares[i] - capacity) < .002f)
                    return true;
    return false;
}

void orr_search_note_odd_capacities(struct orr_search_state *s)
{
    float last = 0;
    s->facts.takes_odd = !s->input.parts;
    for (uint32_t link = 0; link < s->input.system->link_count && s->facts.takes_odd; link++) {
        float capacity = s->left.capacity[link];
        if (capacity == last || capacity > ORR_NARROW_GBPS || roundf(capacity * 1000) / 1000.0f == capacity)
            continue;
        s->facts.takes_odd = is_nearly(capacity) && !may_decide(s, capacity);
        last = capacity;
    }
}

/* Fills s->left.thousandths; false if the capacity of a link is not a whole number of thousandths. */
static bool count_capacities(struct orr_search_state *s)
{
    for (uint32_t link = 0; link < s->input.system->link_count; link++) {
        float capacity = s->left.capacity[link];
        if (s->facts.left_out[link])
            continue;
        if (!(capacity >= 0 && capacity <= WIDE_GBPS) || (capacity > ORR_NARROW_GBPS && !is_eighths(capacity)))
            return false;
        int32_t count = (int32_t)(capacity * 1000 + 0.5f);
        if ((float)count / 1000.0f != capacity && !(s->facts.takes_odd && is_nearly(capacity)))
            return false;
        s->left.thousandths[link] = s->left.full[link] = count;
    }
    return true;
}

/* Fills the integers of a rate; false if some amount that legs take cannot be counted in integers. */
static bool count_amounts(struct orr_search_state *s, enum orr_rate_kind kind)
{
    struct orr_rate *rate = &s->left.rates[kind];
    for (int share = 0; share < ORR_SHARE_COUNT; share++) {
        float amount = rate->amount[share];
        rate->needed[share] = rate->taken[share] = 0; /* stays 0 for a share that no leg takes */
        if (!(s->facts.any_share[kind] >> share & 1))
            continue;
        if (!(amount > 0 && amount <= WIDE_GBPS) ||
            ((amount > ORR_NARROW_GBPS || (s->facts.wide_share[kind] >> share & 1)) && !is_eighths(amount)))
            return false;
        double thousandths = (double)amount * 1000;
        int32_t count = (int32_t)(thousandths + 0.5);
        double rest = thousandths - count;
        if (count == 0 || fabs(rest) > 0.35)
            return false;
        rate->taken[share] = count;
        rate->needed[share] = (float)count / 1000.0f < amount ? count + 1 : count;
    }
    return true;
}

static bool is_tree(enum orr_pattern pattern)
{
    return pattern == ORR_PATTERN_BALANCED_TREE || pattern == ORR_PATTERN_TREE || pattern == ORR_PATTERN_SPLIT_TREE;
}

/* Sets a rate that is taken `factor` times. The type limit applies only if the factor is 1. */
static void set_rate(struct orr_search_state *s, enum orr_rate_kind kind, float bw, float factor, int32_t limit)
{
    const struct orr_release *release = s->input.system->release;
    struct orr_rate *rate = &s->left.rates[kind];
    rate->factor = factor;
    rate->both_ways = release->checks_way_back && is_tree(s->trial.pattern);
    rate->limit = factor == 1 ? (uint8_t)limit : UINT8_MAX;
    rate->amount[ORR_SHARE_PLAIN] = bw * factor;
    rate->amount[ORR_SHARE_OVERHEAD] = bw * factor * release->intel_overhead_up / release->intel_overhead_down;
    rate->amount[ORR_SHARE_EIGHTH] = rate->amount[ORR_SHARE_PLAIN] / 8;
    rate->amount[ORR_SHARE_OVERHEAD_EIGHTH] = rate->amount[ORR_SHARE_OVERHEAD] / 8;
    s->left.exact = s->left.exact && count_amounts(s, kind);
}

void orr_search_set_rates(struct orr_search_state *s)
{
    const struct orr_trial *t = &s->trial;
    if (!s->left.counted)
        s->left.counted = count_capacities(s);
    s->left.exact = s->left.counted;
    switch (t->pattern) {
    case ORR_PATTERN_NVLS:
        set_rate(s, ORR_RATE_HEAD, t->bw_intra, 2, t->type_intra);
        set_rate(s, ORR_RATE_SPOKE, t->bw_intra, 1, t->type_intra);
        break;
    case ORR_PATTERN_COLLNET_DIRECT: { /* equal parts of the head's rate */
        float part = (float)(1.0 / (s->input.n - 1));
        set_rate(s, ORR_RATE_HEAD, t->bw_intra, part, t->type_intra);
        set_rate(s, ORR_RATE_SPOKE, t->bw_intra, part, t->type_intra);
        break;
    }
    case ORR_PATTERN_BALANCED_TREE:
        set_rate(s, ORR_RATE_INTER_HALF, t->bw_inter / 2, 1, t->type_inter);
        /* fall through */
    default:
        set_rate(s, ORR_RATE_INTRA, t->bw_intra, 1, t->type_intra);
    }
    if (s->input.inter)
        set_rate(s, ORR_RATE_INTER, t->bw_inter, 1, t->type_inter);
    if (!s->left.exact)
        s->left.counted = false; /* from now on only the floats are kept up to date */
    s->left.once_state = s->left.exact ? ORR_LEG_ONCE : ORR_LEG_NONE;
}

bool orr_search_counts_always(struct orr_search_state *s, double *ret_rest)
{
    uint32_t count;
    const float *rates = orr_search_rates_of(s, &count);
    bool counts = count_capacities(s);
    *ret_rest = 0;
    for (uint32_t r = 0; r < count; r++) {
        const struct {
            enum orr_rate_kind kind;
            float factor;
        } takes[] = {{ORR_RATE_INTRA, 1},
                     {ORR_RATE_INTER, 1},
                     {ORR_RATE_INTER_HALF, .5f},
                     {ORR_RATE_HEAD, 2},
                     {ORR_RATE_SPOKE, 1}};
        for (unsigned i = 0; i < sizeof takes / sizeof takes[0]; i++) {
            s->left.exact = true;
            set_rate(s, takes[i].kind, rates[r] * takes[i].factor, 1, 0);
            counts = counts && s->left.exact;
            for (int share = 0; share < ORR_SHARE_COUNT; share++)
                if (s->facts.any_share[takes[i].kind] >> share & 1) {
                    double thousandths = (double)s->left.rates[takes[i].kind].amount[share] * 1000;
                    *ret_rest = fmax(*ret_rest, fabs(thousandths - round(thousandths)));
                }
        }
    }
    return counts;
}

static void give_floats(struct orr_search_state *s, const struct orr_leg *leg, uint32_t count,
                        const struct orr_rate *rate)
{
    const uint32_t *link = s->facts.links + leg->first;
    const uint8_t *share = s->facts.shares + leg->first;
    for (uint32_t i = 0; i < count; i++)
        s->left.capacity[link[i]] = round_thousandth(s->left.capacity[link[i]] + rate->amount[share[i]]);
}

static bool take_floats(struct orr_search_state *s, const struct orr_leg *leg, const struct orr_rate *rate)
{
    const uint32_t *link = s->facts.links + leg->first;
    const uint8_t *share = s->facts.shares + leg->first;
    for (uint32_t i = 0; i < leg->charges;) {
        uint32_t end = i + (s->facts.with_next[leg->first + i] ? 2 : 1);
        for (uint32_t j = i; j < end; j++)
            if (s->left.capacity[link[j]] < rate->amount[share[j]]) {
                give_floats(s, leg, i, rate);
                return false;
            }
        for (; i < end; i++)
            s->left.capacity[link[i]] = round_thousandth(s->left.capacity[link[i]] - rate->amount[share[i]]);
    }
    return true;
}

/* Takes a leg that loads a link twice: each charge sees the capacity after the charges before it. */
static bool take_repeated(struct orr_search_state *s, const struct orr_leg *leg, const struct orr_rate *rate)
{
    const uint32_t *link = s->facts.links + leg->first;
    const uint8_t *share = s->facts.shares + leg->first;
    for (uint32_t i = 0; i < leg->charges;) {
        uint32_t end = i + (s->facts.with_next[leg->first + i] ? 2 : 1);
        for (uint32_t j = i; j < end; j++)
            if (s->left.thousandths[link[j]] < rate->needed[share[j]]) {
                orr_search_give_thousandths(s, leg, i, rate);
                return false;
            }
        for (; i < end; i++)
            s->left.thousandths[link[i]] -= rate->taken[share[i]];
    }
    return true;
}

bool orr_search_take_slowly(struct orr_search_state *s, const struct orr_leg *leg, const struct orr_rate *rate)
{
    if (leg->state >= ORR_LEG_FREE)
        return leg->state == ORR_LEG_FREE;
    if (leg->type[rate->both_ways] > rate->limit)
        return false;
    bool taken = !s->left.exact                  ? take_floats(s, leg, rate)
                 : leg->state == ORR_LEG_REPEATS ? take_repeated(s, leg, rate)
                                                 : orr_search_take_once(s, leg, rate);
    if (taken)
        s->trial.hops = rate->factor == 1 ? s->trial.hops + leg->hops
                                          : (int32_t)((float)s->trial.hops + rate->factor * (float)leg->hops);
    return taken;
}

void orr_search_give_slowly(struct orr_search_state *s, const struct orr_leg *leg, const struct orr_rate *rate)
{
    if (leg->state >= ORR_LEG_FREE)
        return;
    if (s->left.exact)
        orr_search_give_thousandths(s, leg, leg->charges, rate);
    else
        give_floats(s, leg, leg->charges, rate);
    s->trial.hops = rate->factor == 1 ? s->trial.hops - leg->hops
                                      : (int32_t)((float)s->trial.hops - rate->factor * (float)leg->hops);
}
