/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/expect only: loads of the links of a host, and the fullest of them. */
#ifndef ORR_EXPECT_LOADS_H
#define ORR_EXPECT_LOADS_H

#include "engine/expect/expect.h"

/* One system and the load of each of its links (each link has one direction), in GB/s or any unit that is divided by
 * GB/s. */
struct orr_loads {
    const struct orr_part *part;
    enum orr_peer_traffic peers;
    double *links; /* [link] */
    unsigned only; /* kinds of links among which to find the fullest, bits by enum orr_link_kind; 0 means all */
};

/* The fullest link of a system. */
struct orr_fullest {
    double use;    /* load / bandwidth; 0 if nothing is loaded */
    uint32_t link; /* ORR_NO_LINK if there is none */
    enum orr_bottleneck what;
};

/* Links without load, from arena. NOMEM. */
enum orr_code orr_loads_make(const struct orr_part *part, enum orr_peer_traffic peers, struct orr_arena *arena,
                             struct orr_loads *ret_loads, struct orr_error *err) ORR_NO_DISCARD;
/* Adds a load to each link of the path between two base nodes; nothing if one is ORR_NO_NODE. Redirected traffic
 * loads the path to the CPU and the one back. */
void orr_loads_add(struct orr_loads *loads, uint32_t from, uint32_t to, double load);

/* The fullest link. A NIC that is nearly as full is named instead, because the other links of its path carry the
 * same. */
struct orr_fullest orr_loads_fullest(const struct orr_loads *loads);
/* load / bandwidth of the fullest PCIe link. */
double orr_loads_pcie(const struct orr_loads *loads);
/* The limit by the fullest link, with its text. */
void orr_limit_of(const struct orr_loads *loads, const struct orr_fullest *fullest, struct orr_expect_limit *ret_limit);
/* The limit if no link is full; bw: GB/s of a channel. */
void orr_limit_by_channels(int32_t channels, double bw, struct orr_expect_limit *ret_limit);

/* The system of a member. */
const struct orr_part *orr_member_part(const struct orr_analysis *analysis, const struct orr_member *member);

/* limit.c: the limit of an algorithm for large messages, from the graphs of every kind of host. *ret_pcie is load /
 * bandwidth of the fullest PCIe link; only is as in struct orr_loads. */
enum orr_code orr_graph_limit(const struct orr_analysis *analysis, enum orr_algorithm algorithm,
                              enum orr_peer_traffic peers, unsigned only, struct orr_arena *arena, double *ret_pcie,
                              struct orr_expect_limit *ret_limit, struct orr_error *err) ORR_NO_DISCARD;
#endif
