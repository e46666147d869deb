/* SPDX-License-Identifier: Apache-2.0 */
/* Inside search/: places that an attempt has visited, so that it need not search them twice. */
#ifndef ORR_SEARCH_SEEN_H
#define ORR_SEARCH_SEEN_H

#include "engine/search/search_state.h"

/* A place in an attempt: the number of complete channels, the capacities left on links and NICs, and the NIC from which
 * the next channel is tried. */
enum { ORR_SEEN_NO_HASH = 2 }; /* not computed yet; real hashes are odd */
struct orr_place_in_attempt {
    uint64_t hash;     /* 0 if places are not remembered here */
    int16_t net, back; /* entry NIC of the next channel, and of the channel before if that may matter */
};

/* The hash of the place without `net` and `back`, which orr_search_channels() computes once for all NICs. */
uint64_t orr_seen_hash(struct orr_search_state *s);

/* Has the attempt been at this place with as few hops or fewer? Then this takes the place's steps from the budget, and
 * the caller need not try anything: nothing better follows. */
bool orr_seen_before(struct orr_search_state *s, struct orr_place_in_attempt place, int32_t *budget);

/* Remembers a place. before: orr_seen_steps() on arrival there. */
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
