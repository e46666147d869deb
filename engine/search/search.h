/* SPDX-License-Identifier: Apache-2.0 */
/* The channel search: a depth-first enumeration with bandwidth reservation under step budgets. Its rules:
 * docs/nccl/search.md. Its shortcuts: README.md beside this file. */
#ifndef ORR_SEARCH_SEARCH_H
#define ORR_SEARCH_SEARCH_H

#include "engine/paths/paths.h"
#include "engine/search/graph.h"
#include "engine/topology/graph_file.h"

struct orr_search_memo; /* engine/search/memo.h */

/* Graphs that a rank requests besides ring and tree. */
struct orr_search_request {
    uint32_t hosts;                    /* number of hosts in the communicator */
    bool collnet;                      /* CollNet is on, with a plugin */
    bool nvls;                         /* NVLS is supported */
    const struct orr_graph_file *file; /* NCCL_GRAPH_FILE: its graphs are taken unchanged; NULL if there is none */
    struct orr_search_memo *memo;      /* memo of earlier searches; NULL if there is none */
};

/* The pattern that the tree graph requests first. */
enum orr_pattern orr_tree_pattern_asked(const struct orr_release *release, uint32_t hosts);

/* Finds the graphs of one system, in NCCL's order and on one set of link capacities. All memory from arena. The graphs
 * name GPUs by host rank. INVALID if the graph file does not fit the machine. */
enum orr_code orr_search(const struct orr_paths *paths, const struct orr_settings *settings,
                         const struct orr_search_request *request, struct orr_arena *arena,
                         struct orr_graph ret_graphs[ORR_GRAPH_COUNT], struct orr_error *err) ORR_NO_DISCARD;

#endif
