/* SPDX-License-Identifier: Apache-2.0 */
/* Inside search/: places that an attempt has visited, so that it need not search them twice. */
#ifndef ORR_SEARCH_SEEN_H
#define ORR_SEARCH_SEEN_H

#include "engine/search/search_state.h"

/* A place in an attempt: how many channels are complete, what links and NICs have left, and from which NIC the next
 * channel is tried. */
enum { ORR_SEEN_NO_HASH = 2 }; /* none was computed yet; hashes are odd */
struct orr_place_in_attempt {
    uint64_t hash;     /* 0 if places are not remembered here */
    int16_t net, back; /* the NIC that it enters by; that by which the channel before came, if this may matter */
};

/* What follows from every NIC at this place, `net` and `back` apart; for orr_search_channels(). */
uint64_t orr_seen_hash(struct orr_search_state *s);

/* Has the attempt been at this place, with no more hops? Then its steps are taken from the budget, and nothing else
 * needs to be done: it finds nothing better. */
bool orr_seen_before(struct orr_search_state *s, struct orr_place_in_attempt place, int32_t *budget);

/* Remembers a place. before: orr_seen_steps() when the attempt came there. */
void orr_seen_note(struct orr_search_state *s, struct orr_place_in_attempt place, int64_t before,
                   const int32_t *budget);

/* The steps that are left. */
static inline int64_t orr_seen_steps(const struct orr_search_state *s, const int32_t *budget)
{
    return *budget < 0 ? *budget : (int64_t)*budget + (budget == s->budget.sliced ? s->budget.later : 0);
}

/* Frees the memory. */
void orr_seen_free(struct orr_search_state *s);

#endif
