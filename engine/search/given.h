/* SPDX-License-Identifier: Apache-2.0 */
/* Inside search/: graphs that NCCL_GRAPH_FILE gives, in place of a search (docs/nccl/search.md). */
#ifndef ORR_SEARCH_GIVEN_H
#define ORR_SEARCH_GIVEN_H

#include "engine/search/limits.h"
#include "engine/topology/graph_file.h"

/* The graph of the file with this id; NULL if there is none, or NCCL passes over it because it crosses NICs and may
 * not.
 */
const struct orr_file_graph *orr_search_given(const struct orr_search_state *s, const struct orr_limits *limits,
                                              int32_t id);
/* Turns it into a result, with the fields and channels of the file. INVALID if a channel names GPUs that the machine
 * does not have, or a field makes no sense. */
enum orr_code orr_search_take(const struct orr_search_state *s, enum orr_graph_kind kind,
                              const struct orr_file_graph *given, struct orr_arena *arena, struct orr_graph *ret_graph,
                              struct orr_error *err) ORR_NO_DISCARD;

#endif
