/* SPDX-License-Identifier: Apache-2.0 */
/* Finds hops of rings that leave a rail, from the facts about NICs in the description. NCCL does not know rails, leaf
 * switches or subnets: it pairs NICs by their order. */
#ifndef ORR_CLUSTER_RAILS_H
#define ORR_CLUSTER_RAILS_H

#include "engine/cluster/cluster.h"

/* A hop of a ring from one host to the next. */
struct orr_rail_hop {
    uint32_t from_host, to_host;
    const struct orr_node *from_net, *to_net;
    const struct orr_analysis *from_analysis, *to_analysis; /* kinds of both hosts, which the nodes belong to */
    enum orr_nic_fact fact;                                 /* what differs */
    const char *from, *to;                                  /* its values */
};

struct orr_rails {
    uint64_t hops;     /* between hosts, over all channels, if the networks of both NICs are known */
    uint64_t crossing; /* number of these hops between different networks although the hosts share one, or on isolated
                          rails */
    uint64_t turning;  /* number of the crossing hops for which the next host's NIC of the same number is in the NIC's
                          own network */
    bool isolated;     /* no crossing hop can work */
    struct orr_rail_hop first; /* of the crossing hops */
};

/* The facts about a NIC of a host; NULL if there are none. net is a node of the system of the host's kind. */
const struct orr_cluster_nic *orr_cluster_nic_of(const struct orr_cluster *cluster, uint32_t host,
                                                 const struct orr_dump *dump, const struct orr_node *net);
/* Looks at every hop between hosts. Everything is 0 if no line of the description has NICs. LIMIT if the budget is
 * spent. */
enum orr_code orr_cluster_rails(const struct orr_cluster *cluster, struct orr_rails *ret_rails,
                                struct orr_error *err) ORR_NO_DISCARD;
const char *orr_nic_fact_key(enum orr_nic_fact fact);
const char *orr_nic_fact_words(enum orr_nic_fact fact);

#endif
