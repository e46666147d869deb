/* SPDX-License-Identifier: Apache-2.0 */
/* Inside place/: an answer under construction. */
#ifndef ORR_PLACE_PLACING_H
#define ORR_PLACE_PLACING_H

#include "engine/place/place.h"

#define ORR_MOST_WORK UINT64_C(20000000000) /* steps of one request, about a quarter of an hour */

/* A candidate set, small enough to keep all of them in memory. */
struct orr_ranked_set {
    orr_bits gpus;
    double busbw;
    uint32_t missing;
    double left_busbw, left_next;
};
struct orr_ranked_sets {
    struct orr_ranked_set *sets;
    uint32_t count, room;
};

struct orr_place_work {
    struct orr_placing *placing;
    struct orr_arena *arena;
    uint64_t done; /* work of all requested scores, even kept ones, so that the answer does not depend on earlier
                    * questions */
};

/* The work after which no further sets are analysed. With up to 8 free GPUs all sets are analysed. With more, the limit
 * is ORR_MOST_WORK or, if the budget has a time, the work that usually takes a quarter of it. The clock is not read, so
 * that the same question has the same answer. */
uint64_t orr_place_most_work(const struct orr_place_work *work);
/* Whether less work than that has been done so far. */
bool orr_place_goes_on(const struct orr_place_work *work);
/* A score; adds its work. */
enum orr_code orr_place_score(struct orr_place_work *work, orr_bits gpus, struct orr_score *ret_score,
                              struct orr_error *err) ORR_NO_DISCARD;

/* some.c: scores some sets of the request's size; and the GB/s that no set of `count` GPUs can exceed, 0 if unknown. */
enum orr_code orr_place_some(struct orr_place_work *work, struct orr_ranked_sets *sets,
                             struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_place_bound(struct orr_place_work *work, uint32_t count, double *ret_bound,
                              struct orr_error *err) ORR_NO_DISCARD;
/* The free GPUs first, first + step, ..., wrapping around at the end; only free GPUs are numbered. */
orr_bits orr_place_row(orr_bits free, uint32_t count, uint32_t first, uint32_t step);
/* pack.c: the best sets for all jobs; pack_some.c: good sets if there are too many, and a bound for all others. */
enum orr_code orr_place_pack(struct orr_place_work *work, struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_place_pack_some(struct orr_place_work *work, struct orr_error *err) ORR_NO_DISCARD;
/* sentences.c: writes the sentence of an otherwise complete answer. */
void orr_placing_conclude(struct orr_placing *placing);

/* limits.c: what limits the sets of the answer. */
enum orr_code orr_place_limits(struct orr_place_work *work, struct orr_error *err) ORR_NO_DISCARD;

#endif
