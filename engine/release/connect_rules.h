/* SPDX-License-Identifier: Apache-2.0 */
/* How a release joins the graphs of several systems into channels: the named behaviours of engine/connect, one row a
 * release. docs/nccl/connect.md says what they do. */
#ifndef ORR_RELEASE_CONNECT_RULES_H
#define ORR_RELEASE_CONNECT_RULES_H

#include <stdbool.h>
#include <stdint.h>

enum orr_rails {                            /* when nodes with odd numbers exchange ring channels 2j and 2j + 1 */
                 ORR_RAILS_AS_FOUND,        /* never */
                 ORR_RAILS_ALTERNATE_EVEN,  /* a rank's own ring graph may cross NICs, with an even number of nodes */
                 ORR_RAILS_ALTERNATE_CROSS, /* the aligned ring graph may cross NICs */
                 ORR_RAILS_ALTERNATE_PAIRS, /* the aligned ring graph crosses NICs in pairs (crossNic 2) */
                 ORR_RAILS_ALTERNATE_OWN    /* the node's own ring graph does */
};

enum orr_net_peer { /* point-to-point channels to a peer on another host */
                    ORR_NET_PEER_ONE,
                    ORR_NET_PEER_TWO,     /* NCCL_NCHANNELS_PER_NET_PEER, 2 by default */
                    ORR_NET_PEER_BY_SIZE, /* fewer the more ranks there are, at least what fills a GPU's CPU link */
                    ORR_NET_PEER_BY_RATE  /* by the rate of a GPU's NICs; the least over all ranks */
};

enum orr_p2p_order { /* in which order a rank meets its peers */
                     ORR_P2P_BY_RANK,
                     ORR_P2P_BY_RANK_DISTANCE,      /* near and far ranks in turn */
                     ORR_P2P_BY_DISTANCE,           /* of nodes; steps as the largest node has ranks */
                     ORR_P2P_BY_DISTANCE_OF_EIGHTS, /* the same, steps made to fit eights */
                     ORR_P2P_BY_NODE,               /* triangular deltas of nodes, then of local ranks */
                     ORR_P2P_BY_GROUP               /* triangular deltas of groups, local ranks in plain order */
};

struct orr_connect_rules {
    /* Alignment. */
    bool mixes_cpu; /* CPU types are exchanged: differing ones become MIXED */
    bool aligns_cross_nic;
    bool aligns_type_inter;
    bool aligns_to_nearest; /* the nearest types win, not the farthest */
    bool own_capability;    /* every rank uses its own GPU's compute capability instead of the lowest */

    enum orr_rails rails;

    /* Trees. */
    bool up_and_down_trees;  /* two link sets over one loop (2.7.8), not parent and children */
    bool shifts_even_trees;  /* the second tree is shifted for an even number of nodes, mirrored for an odd number */
    int32_t root_child_slot; /* slot of the root's only child */

    /* CollNet. */
    int32_t collnet_max_local_ranks; /* off if a node has more; 0 means no limit */
    bool collnet_counts_hosts;       /* off if a host has more, whatever its nodes */
    bool collnet_on_one_node;        /* where NCCL_COLLNET_NODE_THRESHOLD is below 2 */
    bool collnet_copies_channels;    /* half as many channels again if it is faster inside than outside */
    bool collnet_heads_distinct;     /* a GPU that heads two channels counts once */
    bool collnet_chains;
    bool chains_by_tree;       /* in the order of the tree graph, not of CollNet's */
    bool heads_of_nvls;        /* the heads of NVLS count as CollNet's where NVLS is on */
    bool chain_heads_must_fit; /* CollNetChain is off where its heads are not among CollNet's */

    /* Twice the channels with several nodes and a ring above 45 GB/s, by the least capability. */
    int32_t double_sm_min, double_sm_max;
    int32_t double_most; /* channels before it */

    /* NVLS. */
    int32_t nvls_channels;   /* by default, 0 if the release has no NVLS */
    bool nvls_one_node;      /* only with one node, without a graph */
    bool nvls_trees_for_all; /* all channels have NVLS trees, not only the NVLS channels */
    bool nvls_channels_stay; /* counted even if the graph turned out empty */
    bool nvls_heads_repeat;  /* a GPU that heads two channels counts twice; as many heads as the own graph has
                                channels; the list of all nodes' heads is zeroes beyond the base channels */
    int32_t nvls_channels_sm100, nvls_channels_sm100_hosts; /* from capability 100 on: one host, several */
    bool nvls_by_net_rate;     /* then, with several nodes, more by NIC rate and node size */
    bool nvls_copies_channels; /* channels of collectives are copied until there are as many as NVLS channels */

    /* Point to point. */
    enum orr_net_peer net_peer;
    bool net_peer_positive;          /* NCCL_NCHANNELS_PER_NET_PEER below 1 is ignored */
    bool p2p_bounded;                /* by the arguments' room, and per peer by the total */
    bool nvb_counts;                 /* NVLink through another GPU counts as NVLink there */
    enum orr_p2p_order p2p_schedule; /* rounds of sends and receives */
    bool groups_one_node;            /* ranks are grouped even on one node */
};

#endif
