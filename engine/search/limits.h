/* SPDX-License-Identifier: Apache-2.0 */
/* Inside search/: a rank's request for a graph, and the limits that it sets for the whole search of that graph. */
#ifndef ORR_SEARCH_LIMITS_H
#define ORR_SEARCH_LIMITS_H

#include "engine/search/search_state.h"

/* A row of the table of graphs that a rank asks for. */
struct orr_graph_request {
    enum orr_graph_kind kind;
    enum orr_pattern pattern;
    int32_t min_channels, max_channels;
    bool collnet;
    int32_t id; /* id of the graph in a graph file */
};

/* The limits of a request, for the whole search of one graph. */
struct orr_limits {
    const float *rates;
    uint32_t rate_count;
    int32_t min_intra, max_intra, min_inter, max_inter; /* path type numbers */
    int32_t dis;                                        /* number of "not connected" */
    int32_t always_inter, sys;
    struct orr_trial start; /* the request itself */
};

/* Fills the limits and the start values; start.pattern is ORR_PATTERN_NONE if the graph stays empty. */
void orr_search_limits(struct orr_search_state *s, const struct orr_graph_request *request,
                       struct orr_limits *ret_limits);

/* The table of rates of a search. */
const float *orr_search_rates_of(const struct orr_search_state *s, uint32_t *ret_count);

/* The first rate of the table that the system could carry. */
uint32_t orr_search_first_rate(const struct orr_search_state *s, const struct orr_limits *limits);

#endif
