/* SPDX-License-Identifier: Apache-2.0 */
/* Inside search/: the steps that a graph's search has for all its attempts. */
#ifndef ORR_SEARCH_STEPS_H
#define ORR_SEARCH_STEPS_H

#include "engine/search/search_state.h"

/* Begins a graph's search. */
void orr_steps_begin(struct orr_search_state *s);

/* An attempt with a budget of this many steps begins. */
void orr_steps_take(struct orr_search_state *s, int32_t steps);

/* The attempt ends and returns its unused steps; `left` is the result of orr_search_attempt(), and the trial still has
 * its limits and rates. */
void orr_steps_give_back(struct orr_search_state *s, int32_t steps, int32_t left);

/* Call it where NCCL ends if no steps are left; true if certainly none are. */
bool orr_steps_look(struct orr_search_state *s);

/* Would NCCL have had steps to come this far? Counts skipped attempts until the answer is certain. */
bool orr_steps_sufficed(struct orr_search_state *s);

#endif
