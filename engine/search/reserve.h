/* SPDX-License-Identifier: Apache-2.0 */
/* Inside search/: reserves a rate on every link of a leg, and releases it. The common case, in thousandths and without
 * a repeated link, is inline here, because a search spends most of its time in it. */
#ifndef ORR_SEARCH_RESERVE_H
#define ORR_SEARCH_RESERVE_H

#include "engine/search/search_state.h"

/* Computes the amounts that the trial's rates reserve. Call it when a trial is set up. */
void orr_search_set_rates(struct orr_search_state *s);

/* Sets s->facts.takes_odd. */
void orr_search_note_odd_capacities(struct orr_search_state *s);

/* Will every attempt of rings, trees and NVLS count in whole thousandths at every rate? *ret_rest becomes the largest
 * difference of an amount from a whole number of thousandths. Call it before the first attempt. */
bool orr_search_counts_always(struct orr_search_state *s, double *ret_rest);

/* A search spends its time here, and gcc would not inline it by itself. */
#define ORR_ALWAYS_INLINE static inline __attribute__((always_inline))

/* For all other legs, and for floats. */
bool orr_search_take_slowly(struct orr_search_state *s, const struct orr_leg *leg, const struct orr_rate *rate);
void orr_search_give_slowly(struct orr_search_state *s, const struct orr_leg *leg, const struct orr_rate *rate);

/* Takes a rate in thousandths from a leg that loads no link twice; takes nothing and returns false if it does not fit.
 */
ORR_ALWAYS_INLINE bool orr_search_take_once(struct orr_search_state *s, const struct orr_leg *leg,
                                            const struct orr_rate *rate)
{
    const uint32_t *link = s->facts.links + leg->first, charges = leg->charges;
    const uint8_t *share = s->facts.shares + leg->first;
    int32_t *left = s->left.thousandths;
    for (uint32_t i = 0; i < charges; i++)
        if (left[link[i]] < rate->needed[share[i]])
            return false;
    for (uint32_t i = 0; i < charges; i++)
        left[link[i]] -= rate->taken[share[i]];
    return true;
}

/* Takes a rate from every link of a leg that the trial left open, so that its type is within the limit. false, with
 * nothing taken, if a link has too little left. */
ORR_ALWAYS_INLINE bool orr_search_take_open(struct orr_search_state *s, const struct orr_leg *leg,
                                            enum orr_rate_kind kind)
{
    const struct orr_rate *rate = &s->left.rates[kind];
    if (leg->state != s->left.once_state)
        return orr_search_take_slowly(s, leg, rate);
    if (!orr_search_take_once(s, leg, rate))
        return false;
    s->trial.hops += leg->hops;
    return true;
}

/* The same for any leg; also false if its type is beyond the trial's limit. */
static inline bool orr_search_take(struct orr_search_state *s, const struct orr_leg *leg, enum orr_rate_kind kind)
{
    const struct orr_rate *rate = &s->left.rates[kind];
    return leg->type[rate->both_ways] <= rate->limit ? orr_search_take_open(s, leg, kind) : leg->state == ORR_LEG_FREE;
}

/* Gives back the thousandths that orr_search_take_once() or the like took. */
ORR_ALWAYS_INLINE void orr_search_give_thousandths(struct orr_search_state *s, const struct orr_leg *leg,
                                                   uint32_t charges, const struct orr_rate *rate)
{
    const uint32_t *link = s->facts.links + leg->first;
    const uint8_t *share = s->facts.shares + leg->first;
    int32_t *left = s->left.thousandths;
    for (uint32_t i = 0; i < charges; i++)
        left[link[i]] += rate->taken[share[i]];
}

/* Releases what was reserved. */
ORR_ALWAYS_INLINE void orr_search_give(struct orr_search_state *s, const struct orr_leg *leg, enum orr_rate_kind kind)
{
    const struct orr_rate *rate = &s->left.rates[kind];
    if (leg->state != s->left.once_state) {
        orr_search_give_slowly(s, leg, rate);
        return;
    }
    orr_search_give_thousandths(s, leg, leg->charges, rate);
    s->trial.hops -= leg->hops;
}

/* The remaining rate of a GPU's PCI link, the lower of both directions, in whole GB/s; -1 if it has none. */
static inline int32_t orr_search_pci_bw_left(const struct orr_search_state *s, uint32_t gpu)
{
    if (s->facts.pci_link[gpu] < 0)
        return -1;
    const int32_t to = s->facts.pci_link[gpu], back = s->facts.pci_back[gpu];
    if (s->left.exact) {
        int32_t out = s->left.thousandths[to], in = s->left.thousandths[back];
        return (in < out ? in : out) / 1000;
    }
    float out = s->left.capacity[to], in = s->left.capacity[back];
    return (int32_t)(in < out ? in : out);
}

#endif
