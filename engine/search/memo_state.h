/* SPDX-License-Identifier: Apache-2.0 */
/* Inside search/: the key of a search, and its result. */
#ifndef ORR_SEARCH_MEMO_STATE_H
#define ORR_SEARCH_MEMO_STATE_H

#include "engine/search/memo.h"
#include "engine/search/search_state.h"

/* The key: NETs and links are numbered in the order in which the search meets them, so that it does not depend on
 * their positions in the dump. */
struct orr_search_key {
    uint32_t *words;
    size_t count;
    int16_t *net_number; /* [NET]: its number in the key */
    int16_t *net_at;     /* [number]: the NET */
};

/* One graph as the search left it. NETs by their numbers in the key. */
struct orr_found_graph {
    bool found; /* the graph was asked for */
    struct orr_trial best;
    uint64_t steps;
    struct orr_graph_story story;
};
struct orr_found_graphs {
    struct orr_found_graph graphs[ORR_GRAPH_COUNT];
};

/* The key of a search that is prepared, in arena. */
enum orr_code orr_search_key_make(const struct orr_search_state *s, const struct orr_search_request *request,
                                  struct orr_arena *arena, struct orr_search_key *ret_key,
                                  struct orr_error *err) ORR_NO_DISCARD;
/* Copies the result for the key into arena; false if the memo has none, or memory ran out. */
bool orr_search_memo_find(struct orr_search_memo *memo, const struct orr_search_key *key, uint32_t n,
                          struct orr_arena *arena, struct orr_found_graphs *ret_found);
/* Keeps the result, if there is room. */
void orr_search_memo_keep(struct orr_search_memo *memo, const struct orr_search_key *key, uint32_t n,
                          const struct orr_found_graphs *found);
/* Adds the best trial to the result. */
enum orr_code orr_search_note_found(const struct orr_search_state *s, const struct orr_search_key *key,
                                    const struct orr_graph *graph, struct orr_arena *arena,
                                    struct orr_found_graph *found, struct orr_error *err) ORR_NO_DISCARD;

#endif
