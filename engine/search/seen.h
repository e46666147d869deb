/* SPDX-License-Identifier: Apache-2.0 */
/* Inside search/: what an attempt has seen, so that it need not look twice. */
#ifndef ORR_SEARCH_SEEN_H
#define ORR_SEARCH_SEEN_H

#include "engine/search/search_state.h"

/* A place in an attempt: the number of channels that are complete and what links and NICs have left. Also the NIC from
 * which the next channel is tried, or where the channel that is being built is. */
enum { ORR_SEEN_NO_HASH = 2 }; /* none was computed yet; hashes are odd */
struct orr_place_in_attempt {
    uint64_t hash;     /* 0: places are not remembered here */
    uint64_t used;     /* inside a channel: bit GPU: those that it has; 0: before the first */
    int16_t net, back; /* the NIC that it enters by; that by which the channel before came, where this may matter */
    int16_t at, first; /* inside a channel: the GPU from which it goes on, and its first */
    int16_t exit;      /* the NIC that half of a balanced tree has left by */
};

/* An attempt with a budget of so many steps begins. */
void orr_seen_begin(struct orr_search_state *s, int32_t steps);

/* What follows from every NIC at this place, `net` and `back` apart; for orr_search_channels(). */
uint64_t orr_seen_hash(struct orr_search_state *s);

enum { ORR_SEEN_TO_COME = 2 }; /* GPUs that a channel must still lack for its places to be worth remembering */
/* What follows from a GPU of the channel that is being built; where `hash` is 0, it is not worth remembering. */
struct orr_place_in_attempt orr_seen_in_channel(struct orr_search_state *s, int32_t x, int32_t p,
                                                struct orr_shape shape);

/* Has the attempt been at this place, with no more hops? Then its steps are taken from the budget, and nothing else
 * needs to be done: it finds nothing better. */
bool orr_seen_before(struct orr_search_state *s, struct orr_place_in_attempt place, int32_t *budget);

/* Remembers a place; one inside a channel only where nothing replayed that channel. before: orr_seen_steps() when the
 * attempt came there. completed: were channels completed from there? */
void orr_seen_note(struct orr_search_state *s, struct orr_place_in_attempt place, int64_t before, const int32_t *budget,
                   bool completed);

/* The steps that are left. */
int64_t orr_seen_steps(const struct orr_search_state *s, const int32_t *budget);

/* Gives the memory back. */
void orr_seen_free(struct orr_search_state *s);

#endif
