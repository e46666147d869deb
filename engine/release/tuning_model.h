/* SPDX-License-Identifier: Apache-2.0 */
/* The tables and named behaviours of a release's tuning model, one row a release. docs/nccl/tuning.md
 * says what they do. Latencies in microseconds, bandwidths in GB/s of one channel unless stated otherwise. */
#ifndef ORR_RELEASE_TUNING_MODEL_H
#define ORR_RELEASE_TUNING_MODEL_H

#include <stdbool.h>
#include <stdint.h>

/* NCCL's numbers: the tables are indexed by them. */
enum orr_function { ORR_BROADCAST, ORR_REDUCE, ORR_ALLGATHER, ORR_REDUCESCATTER, ORR_ALLREDUCE, ORR_FUNCTION_COUNT };
enum orr_protocol { ORR_LL, ORR_LL128, ORR_SIMPLE, ORR_PROTOCOL_COUNT };
enum orr_algorithm { /* ORDER: NCCL's numbers from 2.19 on; older releases have a "CollNet" in the place of
                        CollNetDirect */
                     ORR_ALGO_TREE,
                     ORR_ALGO_RING,
                     ORR_ALGO_COLLNET_DIRECT,
                     ORR_ALGO_COLLNET_CHAIN,
                     ORR_ALGO_NVLS,
                     ORR_ALGO_NVLS_TREE,
                     ORR_ALGO_PAT,
                     ORR_ALGORITHM_COUNT
};

enum orr_hardware { ORR_HW_NVLINK, ORR_HW_PCI, ORR_HW_NET, ORR_HW_COUNT };

enum { ORR_TUNING_ROWS = 4, ORR_TUNING_COLUMNS = 3, ORR_TUNING_SIZES = 24 };
/* Limits by capability (row) and number of nodes: 1, 2, more (column). */
typedef double orr_limits[ORR_TUNING_ROWS][ORR_TUNING_COLUMNS];

enum orr_capability_row {                        /* which row a communicator takes */
                          ORR_ROW_UNIFORM_80,    /* 1 if all GPUs are of capability 80, else 0 */
                          ORR_ROW_UNIFORM_80_90, /* 1 and 2 if all are of 80 or of 90, else 0 */
                          ORR_ROW_BY_LEAST /* by the least capability: from 80, 90, 100 on as far as there are rows */
};

enum orr_ring_ll { /* share of its bandwidth that a ring keeps with LL */
                   ORR_RING_LL_HALF,
                   ORR_RING_LL_QUARTER /* a quarter with several nodes or a reduction to all, else a third */
};

enum orr_nvls_rate {
    ORR_NVLS_AS_RING,     /* as a ring's channel: bandwidth inside a node with up to two nodes, else between nodes */
    ORR_NVLS_LEAST,       /* the lower of both bandwidths */
    ORR_NVLS_BY_FUNCTION, /* AllReduce so, the others by their share of traffic */
    ORR_NVLS_BY_SHARE     /* efficiency of the switch, one channel's share lost */
};

enum orr_net_latency {                         /* of a step over the network */
                       ORR_NET_LATENCY_PLAIN,  /* the table's */
                       ORR_NET_LATENCY_OWN,    /* the NIC's own, the table's if it has none */
                       ORR_NET_LATENCY_ADDED,  /* the table's and the NIC's */
                       ORR_NET_LATENCY_BY_TREE /* so, but the tree's row where each node has one rank */
};

enum orr_ring_steps { /* a ring's steps over the network: AllReduce; AllGather and ReduceScatter; others */
                      ORR_RING_STEPS_2N,        /* 2N with several nodes, N - 1, N */
                      ORR_RING_STEPS_2N_LESS_2, /* 2(N - 1), N - 1, N */
                      ORR_RING_STEPS_SEVERAL    /* the same, none with one node */
};

enum orr_gathers { /* by what AllGather and ReduceScatter may go */
                   ORR_GATHERS_RING,
                   ORR_GATHERS_NVLS,   /* and NVLS */
                   ORR_GATHERS_COLLNET /* and CollNetDirect, and PAT */
};

enum orr_nvls_ratio {                      /* how often data crosses the links of NVLS and NVLSTree */
                      ORR_NVLS_RATIO_TREE, /* NVLS: see nvls_ratio; NVLSTree: .70 by number of nodes */
                      ORR_NVLS_RATIO_FLAT, /* both alike: nvls_ratio */
                      ORR_NVLS_RATIO_RING  /* as a ring */
};

enum orr_nvls_latency {                        /* of NVLS and NVLSTree */
                        ORR_NVLS_LATENCY_BASE, /* the base, and the table's steps of the network */
                        ORR_NVLS_LATENCY_STEPS /* steps inside and over the network, with the NIC's */
};

enum orr_list_syntax {
    ORR_LIST_PLAIN,      /* Ring,Tree or ^Ring for all functions; unknown names are ignored */
    ORR_LIST_BY_FUNCTION /* entries by function; unknown names are errors */
};

enum orr_ring_plateau { /* from which size AllReduce over several nodes starts more slowly with Simple */
                        ORR_PLATEAU_BY_RANKS,        /* from 64 KiB a 16th of a rank on: 1.9 */
                        ORR_PLATEAU_BY_RANKS_AND_SM, /* the same; 1.5 from capability 90 on */
                        ORR_PLATEAU_BY_CHANNEL /* from 64 bytes a channel and rank on: 1.9, 1.4 from capability 80 on */
};

struct orr_tuning_model {
    uint32_t algorithm_count;
    const char *names[ORR_ALGORITHM_COUNT];
    bool one_collnet;       /* CollNet is one algorithm, not CollNetDirect and CollNetChain */
    bool one_collnet_graph; /* all CollNet algorithms follow the chain graph */
    bool nvls_by_ring;      /* NVLS follows the ring graph */

    float base_latency[ORR_ALGORITHM_COUNT][ORR_PROTOCOL_COUNT];
    float hw_latency[ORR_HW_COUNT][ORR_ALGORITHM_COUNT][ORR_PROTOCOL_COUNT];
    bool power_pci_tree; /* on POWER, Tree with Simple has the ring's PCI latency */

    /* Bandwidth. */
    enum orr_capability_row capability_row;
    int32_t rows;
    orr_limits ll_max, ring_ll128, tree_ll128, tree_max, nvls_tree_max;
    double ll128_of[ORR_FUNCTION_COUNT]; /* LL128 limits by function instead, 0 means the tables above */
    bool ll_limited;                     /* ll_max holds */
    bool own_cpu;                        /* rank 0's CPU selects the row of ll_max, not the communicator's */
    bool mixed_vendor_as_amd;            /* for the row of ll_max */
    float row_max[ORR_TUNING_ROWS];      /* a whole algorithm's bandwidth, 0 means any */
    double tree_ll128_share;             /* of a tree's bandwidth with several nodes */
    enum orr_ring_ll ring_ll;
    double ring_ll128_alone; /* LL128's share of a ring with less than two ranks a node; .92 otherwise */
    bool tree_flat_limits;   /* trees have one limit in total, by number of nodes and compute capability (2.7.8) */
    enum { ORR_TREE_COST_NONE, ORR_TREE_COST_OWN, ORR_TREE_COST_ANY } tree_pattern_cost; /* .85 for pattern TREE */
    enum orr_nvls_rate nvls_rate;
    double nvls_efficiency[ORR_TUNING_ROWS];
    enum orr_nvls_ratio nvls_ratio_rule;
    double nvls_ratio;
    int32_t nvls_least_channels;  /* with fewer there is no NVLS */
    bool gather_by_collnet;       /* AllGather and ReduceScatter over NVLS and CollNet need a head for every rank */
    bool collnet_gather_measured; /* measured bandwidth by ranks per node */
    bool gather_unscaled;         /* no ratio for them but for rings; else only CollNetDirect goes without */
    enum orr_gathers gathers;
    bool collnet_gather_bounded; /* CollNet's, as measured, needs CollNet and a head for every rank of a node */
    double collnet_simple, collnet_ll, collnet_ll128; /* factors of the single CollNet */
    double collnet_direct_sm90, collnet_chain;        /* factors of CollNetDirect from capability 90 on, and of
                                                         CollNetChain */
    double pat;                                       /* factor */

    /* Latency. */
    enum orr_net_latency net_latency;
    enum orr_ring_steps ring_steps;
    bool ll_intra_slower; /* 1.8 inside a node if there are several */
    bool net_overhead;
    bool collnet_by_steps; /* CollNet counts the ranks of a node */
    double collnet_direct_step;
    bool chain_skips_net; /* CollNetChain has no step over the network */
    enum orr_nvls_latency nvls_latency;
    bool pat_table_base;

    /* Enabling. */
    enum orr_list_syntax lists;
    bool lists_for_allreduce;      /* algorithm switches only concern AllReduce */
    bool lists_spare_rings;        /* other functions always have their ring */
    bool collnet_ungated;          /* a CollNet graph has figures even if CollNet is off */
    bool needs_nvswitch;           /* CollNetDirect needs an NVSwitch */
    bool ring_backup;              /* an operation without any bandwidth gets its ring's */
    bool backup_obeys_protocols;   /* but not with a protocol that is off */
    bool fallback_to_ring_tree;    /* without CollNet and if nothing else is enabled, Ring and Tree are enabled again */
    int32_t chain_max_local_ranks; /* CollNetChain is off if a node has more, or its heads are not the network's; 0:
                                      any */
    enum {
        ORR_LL128_70_80,
        ORR_LL128_70_80_90,
        ORR_LL128_TO_120,
        ORR_LL128_FROM_70,
        ORR_LL128_FROM_70_MIXED
    } ll128_for;
    bool ll128_over_nvb; /* also through another GPU */
    enum { ORR_LL128_NICS_PXB, ORR_LL128_NICS_PXN, ORR_LL128_NICS_P2C, ORR_LL128_NICS_C2C } ll128_nics;
    int32_t pat_least_sm; /* PAT is off below */

    /* Threads: the largest, and CollNet's (in the place of CollNetDirect) by protocol. */
    int32_t collnet_threads[ORR_PROTOCOL_COUNT]; /* -1 means as for Tree, -2 as for Ring */
    int64_t collnet_threshold;                   /* of CollNet and Simple */
    bool threshold_list_zeroes_collnet;
    int32_t others_threads; /* of CollNetDirect, CollNetChain, NVLS and NVLSTree with Simple */

    /* Choice. */
    float tree_correction[ORR_PROTOCOL_COUNT][ORR_TUNING_SIZES];
    int32_t tree_correction_sizes, nvls_tree_correction_sizes;
    bool small_sizes_uncorrected; /* sizes below 64 bytes get no correction; if false, they get that of 64 */
    enum orr_ring_plateau plateau;
    float time_limit;                                                      /* microseconds, 0 if there is none */
    int32_t collnet_direct_max_local_ranks, collnet_chain_max_local_ranks; /* 0 means any */
    int32_t nvls_gather_max_local_ranks;                                   /* 0 means any */
    bool nvls_gather_one_node;
    bool nvls_bounded;        /* with several nodes, NVLS uses at most as many channels as others */
    bool collective_channels; /* copies for NVLS are not counted */
    bool collnet_half_channels;
    bool collnet_sheds_in_rounds;                /* CollNet or CollNetDirect reduces its channels in several rounds */
    int32_t simple_threads[ORR_ALGORITHM_COUNT]; /* added with Simple */
    int32_t least_threads;
    int32_t fixed_threads; /* of Tree and PAT, 0 if there is none */
    /* Bytes that a channel carries at least when a call starts; 0: not known. See orr_tuning_channels_started(). */
    int32_t channel_traffic;
};

#endif
