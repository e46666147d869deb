/* SPDX-License-Identifier: Apache-2.0 */
/* Inside search/: decides what the search of one graph tries after an attempt. */
#ifndef ORR_SEARCH_RELAXING_H
#define ORR_SEARCH_RELAXING_H

#include "engine/search/limits.h"

/* docs/nccl/search.md, "What NCCL relaxes, and when it stops". Relaxes the trial to the next one worth trying. The
 * requirements are, from the innermost loop to the outermost: same channels, pattern, types, crossing NICs, rate. The
 * last attempt had `steps` steps and left `left` of them; false if nothing is left to try. */
bool orr_search_relax(struct orr_search_state *s, const struct orr_limits *limits, int32_t steps, int32_t left,
                      uint32_t *rate);

/* Twice the channels at half the rate, if the rate allows it; returns DOUBLED then, or else 0.
 * docs/nccl/search.md, "Doubling channels". */
unsigned orr_search_duplicate(struct orr_search_state *s);

/* Chooses a higher rate to try; false if there is none. docs/nccl/search.md, "Higher bandwidths for what was found". */
bool orr_search_raise(struct orr_search_state *s, const struct orr_limits *limits, uint32_t *rate);

#endif
