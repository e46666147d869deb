/* Inside place/: an answer in the making. */
#ifndef ORR_PLACE_PLACING_H
#define ORR_PLACE_PLACING_H

#include "engine/place/place.h"

enum { ORR_MOST_ANALYSES = 100000 }; /* of one request */

struct orr_place_work {
    struct orr_placing *placing;
    struct orr_arena *arena;
    uint32_t analyses; /* made so far */
};

/* Whether further sets may be analysed: not beyond ORR_MOST_ANALYSES, nor beyond half of the budget's time, so that an
 * answer is given while the budget lasts. */
bool orr_place_goes_on(const struct orr_place_work *work);

/* pack.c */
enum orr_code orr_place_pack(struct orr_place_work *work, struct orr_error *err) ORR_NO_DISCARD;
/* sentences.c: the sentence of an answer that has all else. */
void orr_placing_conclude(struct orr_placing *placing);

#endif
