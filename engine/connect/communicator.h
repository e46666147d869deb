/* SPDX-License-Identifier: Apache-2.0 */
/* One communicator over several systems: node numbering, alignment of the graphs, rings, trees, NVLS trees, CollNet
 * chains, channel counts and the point-to-point counts. docs/nccl/connect.md describes the rules.
 *
 * A member is one system with its ranks: a host, a part of a host that trimming split, or a fused NVLink domain. Equal
 * hosts share one contribution and differ only in which ranks they hold, so nothing is copied per host. Members are
 * ordered by their lowest ranks.
 */
#ifndef ORR_CONNECT_COMMUNICATOR_H
#define ORR_CONNECT_COMMUNICATOR_H

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/release/settings.h"
#include "engine/search/graph.h"

/* What one system contributes to the communicator, computed once for all equal hosts. */
struct orr_contribution {
    struct orr_graph graphs[ORR_GRAPH_COUNT]; /* as searched; pattern NONE if not requested */
    uint32_t rank_count;                      /* GPUs in the system */
    uint32_t nvls_row;                        /* GPUs of the NVLink domain, if NVLS counts these; 0 means rank_count */
    const int32_t *ranks;                     /* their host ranks, ascending */
    int32_t cpu_arch, cpu_vendor;             /* of CPU 0 */
    int32_t sm_min, sm_max;                   /* over the system's GPUs */
    bool has_nvswitch;
    bool has_collnet;  /* CollNet is asked for, and a NIC has coll="1" */
    bool nvls_on;      /* nvls_rule says so */
    uint8_t nvls_rule; /* enum orr_rule: is NVLS possible here (settings, GPUs, capability)? */
    /* Point-to-point channels per peer (2.27.7; see README.md): the least over ordered pairs of GPUs in this
     * system, INT32_MAX if there is one GPU. Then, over its GPUs, the least number of nearest NICs that fill a
     * GPU's CPU link (0 for a GPU whose own links do not reach a CPU). */
    int32_t p2p_local_min;
    int32_t p2p_nics_min;
    /* For releases that exchange these (ORR_NET_PEER_BY_RATE: 2.30.7), otherwise 0. Over its GPUs, the least number of
     * channels that fill a GPU's NICs (2 for a GPU without NICs), and the least rate from a GPU to its first preferred
     * NIC, GB/s. */
    int32_t p2p_net_min;
    float net_bw_min;
};

struct orr_member {
    const struct orr_contribution *contribution;
    int32_t rank_base;       /* communicator rank = rank_base + host rank, where ranks are numbered host by host */
    const int32_t *rank_map; /* [host rank]: communicator rank, ascending; NULL means consecutive from rank_base */
    uint32_t host;           /* parts of one host have the same number */
};

/* The communicator's rank of a host's rank. */
static inline int32_t orr_member_rank(const struct orr_member *member, int32_t host_rank)
{
    return member->rank_map ? member->rank_map[host_rank] : member->rank_base + host_rank;
}

/* A tree with one entry for each rank. Copied channels share it. */
struct orr_tree {
    int32_t *up;        /* [rank], -1 for the root */
    int32_t (*down)[3]; /* [rank], -1 if there is none */
    int32_t depth;
};
struct orr_chain {
    int32_t *up, *down; /* [rank]; the communicator's rank_count for the root in the network, -1 if there is none */
    int32_t depth;
};
struct orr_nvls_tree {
    int32_t *up;
    int32_t (*down)[3];
};
/* The trees of even channels and of odd channels, and, in releases that have them, the tree of channels without
 * roles. */
enum { ORR_NVLS_EVEN, ORR_NVLS_ODD, ORR_NVLS_BLANK, ORR_NVLS_TREES };

struct orr_communicator {
    uint32_t rank_count, node_count, max_local_ranks, min_local_ranks;
    uint32_t most_host_ranks;     /* one more than the highest host rank of any member */
    int32_t cpu_arch, cpu_vendor; /* MIXED if members differ */
    int32_t sm_min, sm_max;
    bool has_nvswitch;                /* whether member 0 has one, which decides for CollNetDirect */
    uint32_t own_local_ranks;         /* on rank 0's node */
    bool collnet;                     /* on after alignment */
    bool nvls;                        /* on: supported everywhere, with heads */
    const int32_t *node_of_rank;      /* [rank] */
    const struct orr_member *members; /* [node]; borrowed: they live as long */
    const struct orr_connect_rules *rules;
    int32_t ring_channels; /* that every member's ring graph has */
    int32_t base_channels; /* K: channels that every member's ring and tree graph has */

    struct orr_graph aligned[ORR_GRAPH_COUNT]; /* fields after alignment; gpus and nets are member 0's own */
    float own_latency_inter[ORR_GRAPH_COUNT];  /* latency of member 0, which the tuning model uses */
    int32_t max_tree_pattern;

    int32_t min_ctas, max_ctas; /* limits on the blocks of a collective, from settings */
    int32_t channel_count;      /* all channels */
    int32_t coll_channels;      /* those for collectives (before NVLS copies) */
    /* Channels are copies of fewer distinct ones: channel c is distinct channel source[c]. */
    int32_t distinct_count;
    const int32_t *source;             /* [channel] */
    int32_t *const *rings;             /* [distinct channel][position]: ranks in ring order, starting at rank 0 */
    const struct orr_tree *trees;      /* [distinct channel]; 2.7.8: the tree towards the root; rings and trees are NULL
                                          if orr_connect_plan() made it */
    const struct orr_tree *down_trees; /* [distinct channel]: 2.7.8's second link set, away from the root; else NULL */
    const struct orr_chain *collnet_chains; /* [distinct channel], NULL if CollNet is off or there is one node */

    int32_t nvls_channels;
    int32_t nvls_head_count;                /* on node 0 */
    const int32_t *nvls_heads;              /* [head]: rank on node 0 */
    int32_t nvls_tree_heads;                /* number of heads that every node has; trees join the heads of one
                                             * number */
    const struct orr_nvls_tree *nvls_trees; /* [ORR_NVLS_TREES]; NULL with one node */
    int32_t nvls_tree_channels;             /* how many channels have such a tree: orr_nvls_tree_of() */
    int32_t collnet_heads;
    bool chain_heads_fit; /* every GPU that heads a CollNet chain heads NVLS, or CollNetDirect without NVLS */

    int32_t uneven_from; /* channels from here on are copies that only some nodes make; channel_count if there are
                          * none */

    int32_t p2p_channels, p2p_channels_per_peer;
    uint32_t p2p_group_size; /* group size that the user set, for releases that schedule by groups */
};

/* Connects the members. settings give the release. All memory comes from arena. INTERNAL if a ring does not close
 * (NCCL fails there as well). */
enum orr_code orr_connect(const struct orr_member *members, uint32_t member_count, const struct orr_settings *settings,
                          struct orr_arena *arena, struct orr_communicator *ret_communicator,
                          struct orr_error *err) ORR_NO_DISCARD;

/* The same without rings, trees and chains, which need much memory with many ranks. orr_ring_make() and orr_tree_make()
 * make one at a time. */
enum orr_code orr_connect_plan(const struct orr_member *members, uint32_t member_count,
                               const struct orr_settings *settings, struct orr_arena *arena,
                               struct orr_communicator *ret_communicator, struct orr_error *err) ORR_NO_DISCARD;

/* The NVLS tree of a channel below nvls_tree_channels. */
const struct orr_nvls_tree *orr_nvls_tree_of(const struct orr_communicator *communicator, int32_t channel);
/* Writes the ring of a distinct channel: ring[rank_count]. */
void orr_ring_make(const struct orr_communicator *communicator, int32_t distinct, int32_t *ring);
/* Writes the tree of a distinct channel into the arrays of *tree, which have room for all ranks; 2.7.8: the one towards
 * the root. NOMEM. */
enum orr_code orr_tree_make(const struct orr_communicator *communicator, int32_t distinct, struct orr_tree *tree,
                            struct orr_error *err) ORR_NO_DISCARD;
/* Writes the ring of a channel from uneven_from on, as the ranks see it; the functions above give the rings and trees
 * of the nodes that copy. The ring starts at rank 0 and may end early, or return early and repeat. Returns how many
 * entries of ring[rank_count] are used; next[rank_count] is scratch. */
uint32_t orr_uneven_ring(const struct orr_communicator *communicator, int32_t channel, int32_t *next, int32_t *ring);
/* Rewrites in a copy of the channel's tree the ranks of nodes that do not copy. */
void orr_uneven_tree(const struct orr_communicator *communicator, int32_t channel, struct orr_tree *tree);
/* The channel of a node's own ring graph that serves a channel below base_channels: if rails require it, the other
 * channel of the pair. */
int32_t orr_ring_channel(const struct orr_communicator *communicator, uint32_t node, int32_t channel);

#endif
