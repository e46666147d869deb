/* SPDX-License-Identifier: Apache-2.0 */
/* Inside search/: taking a rate from every link of a leg, and giving it back. The common case, counted in thousandths
 * with one share for all links, is here to be inlined: it is most of what a search does. */
#ifndef ORR_SEARCH_RESERVE_H
#define ORR_SEARCH_RESERVE_H

#include "engine/search/search_state.h"

/* What the trial's rates take; to be called when a trial is set up. */
void orr_search_set_rates(struct orr_search_state *s);

/* Sets s->facts.takes_odd. */
void orr_search_note_odd_capacities(struct orr_search_state *s);

/* Will every attempt of rings, trees and NVLS count in whole thousandths, whatever its rate? *ret_rest: by how many
 * thousandths an amount differs from a whole number of them. To be called before the first attempt. */
bool orr_search_counts_always(struct orr_search_state *s, double *ret_rest);

/* Where a search spends its time: gcc would rather call. */
#define ORR_ALWAYS_INLINE static inline __attribute__((always_inline))

/* All other legs and floats. */
bool orr_search_take_slowly(struct orr_search_state *s, struct orr_leg *leg, const struct orr_rate *rate);
void orr_search_give_slowly(struct orr_search_state *s, const struct orr_leg *leg, const struct orr_rate *rate);

/* Notes how much a link would have had to carry: attempts.c needs to know from which rate on it can. */
ORR_ALWAYS_INLINE bool orr_search_refuse(struct orr_search_state *s, uint32_t link, int32_t needed)
{
    int32_t demand = s->left.full[link] - s->left.thousandths[link] + needed;
    if (demand < s->attempt.demand[link]) {
        if (s->attempt.demand[link] == INT32_MAX)
            s->attempt.refused_links[s->attempt.refusals++] = link;
        s->attempt.demand[link] = demand;
    }
    return false;
}

/* Takes a rate from every link of a leg that the trial left open, so that its type is within the limit. false, with
 * nothing taken, where a link has too little left. */
ORR_ALWAYS_INLINE bool orr_search_take_open(struct orr_search_state *s, struct orr_leg *leg, enum orr_rate_kind kind)
{
    const struct orr_rate *rate = &s->left.rates[kind];
    if (leg->state != s->left.quick_state)
        return orr_search_take_slowly(s, leg, rate);
    const uint32_t *link = s->facts.links + leg->first, *end = link + leg->charges, *last = link + leg->refused;
    int32_t *left = s->left.thousandths, needed = rate->needed[0], taken = rate->taken[0];
    if (left[*last] < needed)
        return orr_search_refuse(s, *last, needed);
    for (const uint32_t *l = link; l < end; l++)
        if (left[*l] < needed) {
            leg->refused = (uint16_t)(l - link);
            return orr_search_refuse(s, *l, needed);
        }
    do
        left[*link] -= taken;
    while (++link < end);
    s->trial.hops += leg->hops;
    return true;
}

/* The same for any leg: false also where it is farther than the trial's limit. */
static inline bool orr_search_take(struct orr_search_state *s, struct orr_leg *leg, enum orr_rate_kind kind)
{
    const struct orr_rate *rate = &s->left.rates[kind];
    if (leg->state == ORR_LEG_QUICK && leg->type[rate->both_ways] > rate->limit)
        return false;
    return orr_search_take_open(s, leg, kind);
}

/* Could a leg that is taken quickly be taken? A refusal is noted as taking notes it. */
static inline bool orr_search_can_take_quickly(struct orr_search_state *s, struct orr_leg *leg, enum orr_rate_kind kind)
{
    const struct orr_rate *rate = &s->left.rates[kind];
    if (leg->type[rate->both_ways] > rate->limit)
        return false;
    const uint32_t *link = s->facts.links + leg->first;
    const int32_t *left = s->left.thousandths, needed = rate->needed[0];
    if (left[link[leg->refused]] < needed)
        return orr_search_refuse(s, link[leg->refused], needed);
    for (uint32_t i = 0; i < leg->charges; i++)
        if (left[link[i]] < needed) {
            leg->refused = (uint16_t)i;
            return orr_search_refuse(s, link[i], needed);
        }
    return true;
}

/* Gives back what was taken. */
ORR_ALWAYS_INLINE void orr_search_give(struct orr_search_state *s, const struct orr_leg *leg, enum orr_rate_kind kind)
{
    const struct orr_rate *rate = &s->left.rates[kind];
    if (leg->state != s->left.quick_state) {
        orr_search_give_slowly(s, leg, rate);
        return;
    }
    const uint32_t *link = s->facts.links + leg->first, *end = link + leg->charges;
    int32_t *left = s->left.thousandths, taken = rate->taken[0];
    do
        left[*link] += taken;
    while (++link < end);
    s->trial.hops -= leg->hops;
}

/* Could any leg be taken? Not for floats, which may differ afterwards. */
static inline bool orr_search_can_take(struct orr_search_state *s, struct orr_leg *leg, enum orr_rate_kind kind)
{
    if (leg->state == s->left.quick_state)
        return orr_search_can_take_quickly(s, leg, kind);
    const bool can = orr_search_take_slowly(s, leg, &s->left.rates[kind]);
    if (can)
        orr_search_give_slowly(s, leg, &s->left.rates[kind]);
    return can;
}

#endif
