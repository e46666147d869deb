/* SPDX-License-Identifier: Apache-2.0 */
/* Traffic of the rings of a communicator: how many channels use each NIC, the load of each link of a host, and the
 * hops between hosts that change the rail. All figures are at the rate that the aligned ring graph assumes. */
#ifndef ORR_CLUSTER_TRAFFIC_H
#define ORR_CLUSTER_TRAFFIC_H

#include "engine/cluster/cluster.h"

/* A NIC of a kind, with means over the systems of that kind. */
struct orr_nic_load {
    uint32_t kind, part, node; /* of the part's system */
    int32_t rail;              /* its number in the dump, else its own number */
    double in, out;            /* channels that enter and leave through it */
    double crossing;           /* channels that leave through it and enter the next node on another rail */
    double bw;                 /* GB/s, the busier direction */
};
/* A link of a kind that rings use. */
struct orr_ring_link {
    uint32_t kind, part, link; /* of the part's system */
    double bw;                 /* GB/s */
};

struct orr_traffic {
    struct orr_nic_load *nics;
    uint32_t nic_count;
    struct orr_ring_link *links;
    uint32_t link_count;
    uint64_t hops;     /* between nodes, over all channels */
    uint64_t crossing; /* hops whose two NICs have different numbers */
};

/* Memory comes from arena. Graphs in simple order have no rate and load nothing. */
enum orr_code orr_ring_traffic(const struct orr_cluster *cluster, struct orr_arena *arena,
                               struct orr_traffic *ret_traffic, struct orr_error *err) ORR_NO_DISCARD;

#endif
