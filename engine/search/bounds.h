/* SPDX-License-Identifier: Apache-2.0 */
/* Inside search/: upper bounds of an attempt, and whether they could beat the best trial. */
#ifndef ORR_SEARCH_BOUNDS_H
#define ORR_SEARCH_BOUNDS_H

#include "engine/search/limits.h"

/* Computes the bound of the trial, whose rates are set; false if none is known. */
bool orr_search_bound(struct orr_search_state *s, struct orr_bound *ret_bound) ORR_NO_DISCARD;

/* Could a set of channels within the bound be better than the best trial? */
bool orr_search_may_improve(const struct orr_search_state *s, const struct orr_bound *bound);

/* Can no attempt of a graph's search from this rate of the table on be better? */
bool orr_search_nothing_better(struct orr_search_state *s, const struct orr_limits *limits, uint32_t rate);

/* Records the first and last links of legs: ends.c. */
enum orr_code orr_search_note_ends(struct orr_search_state *s, struct orr_arena *arena,
                                   struct orr_error *err) ORR_NO_DISCARD;

#endif
