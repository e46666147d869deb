/* SPDX-License-Identifier: Apache-2.0 */
/* What the channels of a graph take from each link, counted as NCCL's search reserves it. */
#ifndef ORR_EXPLAIN_LINK_LOADS_H
#define ORR_EXPLAIN_LINK_LOADS_H

#include "engine/analysis/analysis.h"

/* The load of a link in its direction. The hops of a tree are counted from the first GPU of a chain to the last,
 * although data runs both ways. */
struct orr_link_load {
    float used;        /* GB/s, of all channels together */
    uint64_t channels; /* bit c: channel c of the graph takes some of it */
};

/* [part->system.link_count], of a graph of that part; NULL if memory runs out. */
struct orr_link_load *orr_link_loads(const struct orr_part *part, const struct orr_graph *graph,
                                     struct orr_arena *arena);

#endif
