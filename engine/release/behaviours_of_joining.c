/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the fields of connect rules and tuning models, in their order, and lists the parts that settings affect. */
#include "engine/release/behaviour_rows.h"
#include "engine/release/connect_rules.h"
#include "engine/release/tuning_model.h"

#define ORR_ROW(kind_, unit_, bears_, sentence_)                                                                       \
    .kind = ORR_BEHAVIOUR_##kind_, .unit = (unit_), .bears = (bears_), .sentence = (sentence_)

/* Connect rules. */

static const char *const rails[] = {
    [ORR_RAILS_AS_FOUND] = "never",
    [ORR_RAILS_ALTERNATE_EVEN] = "if a rank's own ring graph may cross NICs and the number of nodes is even",
    [ORR_RAILS_ALTERNATE_CROSS] = "if the aligned ring graph may cross NICs",
    [ORR_RAILS_ALTERNATE_PAIRS] = "if the aligned ring graph crosses NICs in pairs",
    [ORR_RAILS_ALTERNATE_OWN] = "if the node's own ring graph crosses NICs in pairs",
};
static const char *const p2p_orders[] = {
    [ORR_P2P_BY_RANK] = "rank after rank",
    [ORR_P2P_BY_RANK_DISTANCE] = "near and far ranks in turn",
    [ORR_P2P_BY_DISTANCE] = "near and far nodes in turn, with as many steps as the largest node has ranks",
    [ORR_P2P_BY_DISTANCE_OF_EIGHTS] = "near and far nodes in turn, with the steps rounded to groups of eight",
    [ORR_P2P_BY_NODE] = "triangular numbers of nodes, then of local ranks",
    [ORR_P2P_BY_GROUP] = "triangular numbers of groups, then local ranks in order",
};

static const char *const net_peers[] = {
    [ORR_NET_PEER_ONE] = "one",
    [ORR_NET_PEER_TWO] = "two",
    [ORR_NET_PEER_BY_SIZE] = "fewer for more ranks, but enough to fill a GPU's link to the CPU",
    [ORR_NET_PEER_BY_RATE] = "by the rate of a GPU's NICs; the lowest number of any rank",
};

#define ORR_FIELD_HERE(source_, field)                                                                                 \
    ORR_FIELD(orr_connect_rules, ORR_OF_CONNECT, "connect.", field), .source = (source_)
#define ORR_TRUTH(source_, field, bears, sentence)                                                                     \
    {                                                                                                                  \
        ORR_FIELD_HERE(source_, field), ORR_ROW(BOOL, NULL, bears, sentence)                                           \
    }
#define ORR_INT(source_, field, bears, sentence)                                                                       \
    {                                                                                                                  \
        ORR_FIELD_HERE(source_, field), ORR_ROW(INT, NULL, bears, sentence)                                            \
    }

static const struct orr_behaviour connect_rows[] = {
    ORR_TRUTH(ORR_AT_INIT, mixes_cpu, CHANNELS | TUNING,
              "ranks exchange their CPU types; different types become MIXED"),
    ORR_TRUTH(ORR_AT_INIT, aligns_cross_nic, CHANNELS, "ranks agree on crossing NICs"),
    ORR_TRUTH(ORR_AT_INIT, aligns_type_inter, CHANNELS | TUNING, "ranks agree on the farthest path type to NICs"),
    ORR_TRUTH(ORR_AT_INIT, aligns_to_nearest, CHANNELS | TUNING, "the nearest path type wins, not the farthest"),
    ORR_TRUTH(ORR_AT_INIT, own_capability, CHANNELS | TUNING,
              "every rank uses its own GPU's compute capability instead of the lowest"),
    {ORR_FIELD_HERE(ORR_AT_CONNECT, rails),
     ORR_ROW(WORD, NULL, CHANNELS, "when nodes with odd numbers exchange ring channels 2j and 2j+1"), .words = rails},
    ORR_TRUTH(ORR_AT_CONNECT, up_and_down_trees, CHANNELS,
              "trees are two link sets over one loop, not parent and children"),
    ORR_TRUTH(ORR_AT_CONNECT, shifts_even_trees, CHANNELS,
              "the second tree is shifted for an even number of nodes, mirrored for an odd number"),
    ORR_INT(ORR_AT_CONNECT, root_child_slot, CHANNELS, "slot of the root's only child"),
    ORR_INT(ORR_AT_CONNECT, collnet_max_local_ranks, CHANNELS | TUNING,
            "most ranks of a node with CollNet; 0: no limit"),
    ORR_TRUTH(ORR_AT_CONNECT, collnet_counts_hosts, CHANNELS | TUNING, "... counted by host, not by node"),
    ORR_TRUTH(ORR_AT_CONNECT, collnet_on_one_node, CHANNELS | TUNING,
              "CollNet may be used on a single node if NCCL_COLLNET_NODE_THRESHOLD is below 2"),
    ORR_TRUTH(ORR_AT_CONNECT, collnet_copies_channels, CHANNELS,
              "half as many channels again if CollNet is faster inside a node than between nodes"),
    ORR_TRUTH(ORR_AT_CONNECT, collnet_heads_distinct, CHANNELS | TUNING,
              "a GPU that heads two CollNet channels counts once"),
    ORR_TRUTH(ORR_AT_CONNECT, collnet_chains, CHANNELS, "CollNet chains are formed"),
    ORR_TRUTH(ORR_AT_CONNECT, chains_by_tree, CHANNELS, "CollNet chains follow the tree graph, not CollNet's"),
    ORR_TRUTH(ORR_AT_CONNECT, heads_of_nvls, TUNING, "NVLS heads are used as CollNet heads if NVLS is on"),
    ORR_TRUTH(ORR_AT_CONNECT, chain_heads_must_fit, TUNING, "CollNetChain is off if its heads are not among CollNet's"),
    ORR_INT(ORR_AT_CONNECT, double_sm_min, CHANNELS,
            "lowest compute capability at which fast rings over several nodes get twice the channels"),
    ORR_INT(ORR_AT_CONNECT, double_sm_max, CHANNELS, "... highest such capability"),
    ORR_INT(ORR_AT_CONNECT, double_most, CHANNELS, "... most channels before doubling"),
    ORR_INT(ORR_AT_NVLS, nvls_channels, CHANNELS, "default number of NVLS channels; 0: no NVLS"),
    ORR_TRUTH(ORR_AT_NVLS, nvls_one_node, CHANNELS | TUNING, "NVLS works on one node only, without a graph"),
    ORR_TRUTH(ORR_AT_CONNECT, nvls_trees_for_all, CHANNELS, "all channels have NVLS trees, not only the NVLS channels"),
    ORR_TRUTH(ORR_AT_NVLS, nvls_channels_stay, CHANNELS, "NVLS channels are counted even if the graph is empty"),
    ORR_TRUTH(ORR_AT_CONNECT, nvls_heads_repeat, CHANNELS, "a GPU that heads two NVLS channels counts twice"),
    ORR_INT(ORR_AT_NVLS, nvls_channels_sm100, CHANNELS, "... on one host, from sm 100 on"),
    ORR_INT(ORR_AT_NVLS, nvls_channels_sm100_hosts, CHANNELS, "... on several hosts, from sm 100 on"),
    ORR_TRUTH(ORR_AT_NVLS, nvls_by_net_rate, CHANNELS | TUNING,
              "over several nodes, the number of NVLS channels depends on NIC rate and node size from sm 100 on"),
    ORR_TRUTH(ORR_AT_CONNECT, nvls_copies_channels, CHANNELS | TUNING,
              "channels of collectives are copied until there are as many as NVLS channels"),
    {ORR_FIELD_HERE(ORR_AT_PATHS, net_peer),
     ORR_ROW(WORD, NULL, CHANNELS, "point-to-point channels to a peer on another host"), .words = net_peers},
    ORR_TRUTH(ORR_AT_PATHS, net_peer_positive, CHANNELS, "NCCL_NCHANNELS_PER_NET_PEER below 1 is ignored"),
    ORR_TRUTH(ORR_AT_PATHS, p2p_bounded, CHANNELS, "the room for kernel arguments limits point-to-point channels"),
    ORR_TRUTH(ORR_AT_PATHS, nvb_counts, CHANNELS,
              "NVLink through another GPU counts as NVLink for point-to-point channels"),
    {ORR_FIELD_HERE(ORR_AT_INIT, p2p_schedule), ORR_ROW(WORD, NULL, CHANNELS, "order in which a rank meets its peers"),
     .words = p2p_orders},
    ORR_TRUTH(ORR_AT_INIT, groups_one_node, CHANNELS, "ranks are grouped even on one node"),
};

#undef ORR_FIELD_HERE
#undef ORR_TRUTH
#undef ORR_INT

const struct orr_behaviour_rows orr_behaviours_of_connect = {connect_rows, ORR_COUNT(connect_rows)};

/* Tuning models. */

static const char *const capability_rows[] = {
    [ORR_ROW_UNIFORM_80] = "1 if all GPUs have sm 80, else 0",
    [ORR_ROW_UNIFORM_80_90] = "1 if all GPUs have sm 80, 2 if all have sm 90, else 0",
    [ORR_ROW_BY_LEAST] = "by the lowest compute capability: 80, 90, 100",
};
static const char *const ring_lls[] = {
    [ORR_RING_LL_HALF] = "a half",
    [ORR_RING_LL_QUARTER] = "a quarter over several nodes or for AllReduce, else a third",
};
static const char *const tree_costs[] = {
    [ORR_TREE_COST_NONE] = "none",
    [ORR_TREE_COST_OWN] = "0.85 if the rank's own graph has it",
    [ORR_TREE_COST_ANY] = "0.85 if any rank's graph has it",
};
static const char *const nvls_rates[] = {
    [ORR_NVLS_AS_RING] = "bandwidth inside a node with up to two nodes, else between nodes",
    [ORR_NVLS_LEAST] = "the lower of both bandwidths",
    [ORR_NVLS_BY_FUNCTION] = "the same for AllReduce; by share of traffic for others",
    [ORR_NVLS_BY_SHARE] = "by the switch's efficiency, minus the share of one channel",
};
static const char *const net_latencies[] = {
    [ORR_NET_LATENCY_PLAIN] = "the table's",
    [ORR_NET_LATENCY_OWN] = "the NIC's own, else the table's",
    [ORR_NET_LATENCY_ADDED] = "the table's and the NIC's",
    [ORR_NET_LATENCY_BY_TREE] = "the table's and the NIC's, with the tree's row for one rank per node",
};
static const char *const ring_steps[] = {
    [ORR_RING_STEPS_2N] = "2N for AllReduce over several nodes, N-1 for gathers, else N",
    [ORR_RING_STEPS_2N_LESS_2] = "2(N-1) for AllReduce, N-1 for gathers, else N",
    [ORR_RING_STEPS_SEVERAL] = "2(N-1) for AllReduce, N-1 for gathers, else N; none on one node",
};
static const char *const gathers[] = {
    [ORR_GATHERS_RING] = "Ring",
    [ORR_GATHERS_NVLS] = "Ring and NVLS",
    [ORR_GATHERS_COLLNET] = "Ring, NVLS, CollNetDirect and PAT",
};
static const char *const nvls_ratios[] = {
    [ORR_NVLS_RATIO_TREE] = "a fixed share; for NVLSTree by the number of nodes",
    [ORR_NVLS_RATIO_FLAT] = "a fixed share",
    [ORR_NVLS_RATIO_RING] = "a ring's",
};
static const char *const nvls_latencies[] = {
    [ORR_NVLS_LATENCY_BASE] = "the base latency and the table's steps over the network",
    [ORR_NVLS_LATENCY_STEPS] = "steps inside the node and over the network, with the NIC's latency",
};
static const char *const ll128_nics[] = {
    [ORR_LL128_NICS_PXB] = "PXB",
    [ORR_LL128_NICS_PXN] = "PXB, PXN from sm 90 on",
    [ORR_LL128_NICS_P2C] = "PXB, from sm 90 on P2C, or PXN without LL128 over C2C",
    [ORR_LL128_NICS_C2C] = "PXB, PXN from sm 90 on with LL128 over C2C",
};
static const char *const list_syntaxes[] = {
    [ORR_LIST_PLAIN] = "one list for all functions, unknown names ignored",
    [ORR_LIST_BY_FUNCTION] = "lists by function, unknown names are errors",
};
static const char *const ll128_fors[] = {
    [ORR_LL128_70_80] = "sm 70 and 80",
    [ORR_LL128_70_80_90] = "sm 70, 80, 90",
    [ORR_LL128_TO_120] = "sm 70, 80, 90, 100, 120",
    [ORR_LL128_FROM_70] = "from sm 70 on, if all GPUs have the same",
    [ORR_LL128_FROM_70_MIXED] = "from sm 70 on, if all GPUs have the same or at least sm 90",
};
static const char *const plateaus[] = {
    [ORR_PLATEAU_BY_RANKS] = "by bytes per rank",
    [ORR_PLATEAU_BY_RANKS_AND_SM] = "by bytes per rank, and by compute capability",
    [ORR_PLATEAU_BY_CHANNEL] = "by bytes per channel and rank, and by compute capability",
};

static const char *const algorithms[] = {"Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT"};
static const char *const hardware[] = {
    "NVLink Tree",
    "NVLink Ring",
    "NVLink CollNetDirect",
    "NVLink CollNetChain",
    "NVLink NVLS",
    "NVLink NVLSTree",
    "NVLink PAT",
    "PCI Tree",
    "PCI Ring",
    "PCI CollNetDirect",
    "PCI CollNetChain",
    "PCI NVLS",
    "PCI NVLSTree",
    "PCI PAT",
    "Net Tree",
    "Net Ring",
    "Net CollNetDirect",
    "Net CollNetChain",
    "Net NVLS",
    "Net NVLSTree",
    "Net PAT",
};
static const char *const limit_rows[] = {"row 0", "row 1", "row 2", "row 3"};
static const char *const one[] = {"all"};
static const char *const protocols[] = {"LL", "LL128", "Simple"};
static const struct orr_grid base_grid = {ORR_GRID_FLOAT, ORR_ALGORITHM_COUNT, ORR_PROTOCOL_COUNT, algorithms};
static const struct orr_grid hw_grid = {ORR_GRID_FLOAT, ORR_HW_COUNT *ORR_ALGORITHM_COUNT, ORR_PROTOCOL_COUNT,
                                        hardware};
static const struct orr_grid limit_grid = {ORR_GRID_DOUBLE, ORR_TUNING_ROWS, ORR_TUNING_COLUMNS, limit_rows};
static const struct orr_grid function_grid = {ORR_GRID_DOUBLE, 1, ORR_FUNCTION_COUNT, one};
static const struct orr_grid efficiency_grid = {ORR_GRID_DOUBLE, ORR_TUNING_ROWS, 1, limit_rows};
static const struct orr_grid row_max_grid = {ORR_GRID_FLOAT, ORR_TUNING_ROWS, 1, limit_rows};
static const struct orr_grid collnet_threads_grid = {ORR_GRID_INT, ORR_PROTOCOL_COUNT, 1, protocols};
static const struct orr_grid correction_grid = {ORR_GRID_FLOAT, ORR_PROTOCOL_COUNT, ORR_TUNING_SIZES, protocols};
static const struct orr_grid threads_grid = {ORR_GRID_INT, ORR_ALGORITHM_COUNT, 1, algorithms};
_Static_assert(ORR_COUNT(hardware) == ORR_HW_COUNT * ORR_ALGORITHM_COUNT, "a label for every line");
_Static_assert(ORR_COUNT(algorithms) == ORR_ALGORITHM_COUNT, "a label for every algorithm");
_Static_assert((int)ORR_TUNING_SIZES <= (int)ORR_FIGURES_OF_CELL, "a line holds a row of corrections");

#define ORR_FIELD_HERE(field) ORR_FIELD(orr_tuning_model, ORR_OF_TUNING, "tuning.", field), .source = ORR_AT_TUNING
#define ORR_TRUTH(field, sentence)                                                                                     \
    {                                                                                                                  \
        ORR_FIELD_HERE(field), ORR_ROW(BOOL, NULL, TUNING, sentence)                                                   \
    }
#define ORR_INT(field, sentence)                                                                                       \
    {                                                                                                                  \
        ORR_FIELD_HERE(field), ORR_ROW(INT, NULL, TUNING, sentence)                                                    \
    }
#define ORR_FLOAT(field, unit, sentence)                                                                               \
    {                                                                                                                  \
        ORR_FIELD_HERE(field), ORR_ROW(FLOAT, unit, TUNING, sentence)                                                  \
    }
#define ORR_DOUBLE(field, sentence)                                                                                    \
    {                                                                                                                  \
        ORR_FIELD_HERE(field), ORR_ROW(DOUBLE, NULL, TUNING, sentence)                                                 \
    }
#define ORR_WORD(field, words_, sentence)                                                                              \
    {                                                                                                                  \
        ORR_FIELD_HERE(field), ORR_ROW(WORD, NULL, TUNING, sentence), .words = (words_)                                \
    }
#define ORR_GRID(field, grid_, unit, sentence)                                                                         \
    {                                                                                                                  \
        ORR_FIELD_HERE(field), ORR_ROW(TABLE, unit, TUNING, sentence), .read = orr_read_grid, .grid = &(grid_)         \
    }

static const struct orr_behaviour tuning_rows[] = {
    ORR_INT(algorithm_count, "number of algorithms"),
    {ORR_FIELD_HERE(names), ORR_ROW(LIST, NULL, TUNING, "algorithms, by NCCL's number"), .read = orr_read_algorithms},
    ORR_TRUTH(one_collnet, "CollNet is a single algorithm"),
    ORR_TRUTH(one_collnet_graph, "all CollNet algorithms follow the chain graph"),
    ORR_TRUTH(nvls_by_ring, "NVLS follows the ring graph"),
    ORR_GRID(base_latency, base_grid, "us", "base latency of an algorithm with LL, LL128, Simple"),
    ORR_GRID(hw_latency, hw_grid, "us", "latency of a step by hardware and algorithm with LL, LL128, Simple"),
    ORR_TRUTH(power_pci_tree, "on POWER, Tree with Simple has the ring's PCI latency"),

    ORR_WORD(capability_row, capability_rows, "row of the limits that a communicator uses"),
    ORR_INT(rows, "number of rows of limits, by compute capability"),
    ORR_GRID(ll_max, limit_grid, "GB/s", "limit of LL, by row and by 1, 2 or more nodes"),
    ORR_GRID(ring_ll128, limit_grid, "GB/s", "limit of a ring channel with LL128, by row and by 1, 2 or more nodes"),
    ORR_GRID(tree_ll128, limit_grid, "GB/s", "limit of a tree channel with LL128, by row and by 1, 2 or more nodes"),
    ORR_GRID(tree_max, limit_grid, "GB/s", "limit of a tree channel, by row and by 1, 2 or more nodes"),
    ORR_GRID(nvls_tree_max, limit_grid, "GB/s", "limit of an NVLSTree channel, by row and by 1, 2 or more nodes"),
    ORR_GRID(ll128_of, function_grid, "GB/s",
             "limits of LL128 by operation instead: Broadcast, Reduce, AllGather, ReduceScatter, AllReduce"),
    ORR_TRUTH(ll_limited, "LL is limited by compute capability and number of nodes"),
    ORR_TRUTH(own_cpu, "rank 0's own CPU decides the row of the LL limits"),
    ORR_TRUTH(mixed_vendor_as_amd, "CPUs of different vendors use AMD's row of the LL limits"),
    ORR_GRID(row_max, row_max_grid, "GB/s", "limit of an algorithm, by row"),
    ORR_DOUBLE(tree_ll128_share, "share of its bandwidth that a tree over several nodes keeps with LL128"),
    ORR_WORD(ring_ll, ring_lls, "share of its bandwidth that a ring keeps with LL"),
    ORR_DOUBLE(ring_ll128_alone,
               "share of its bandwidth that a ring with fewer than two ranks per node keeps with LL128"),
    ORR_TRUTH(tree_flat_limits, "trees have one limit in total, by number of nodes and compute capability"),
    ORR_WORD(tree_pattern_cost, tree_costs, "factor of the bandwidth of trees with the pattern tree"),
    ORR_WORD(nvls_rate, nvls_rates, "bandwidth of an NVLS channel"),
    ORR_GRID(nvls_efficiency, efficiency_grid, NULL, "efficiency of NVLS by row"),
    ORR_WORD(nvls_ratio_rule, nvls_ratios, "how often data crosses the links of NVLS"),
    ORR_DOUBLE(nvls_ratio, "that share"),
    ORR_INT(nvls_least_channels, "fewest channels with which NVLS is used"),
    ORR_TRUTH(gather_by_collnet, "AllGather and ReduceScatter over NVLS and CollNet need a head for every rank"),
    ORR_TRUTH(collnet_gather_measured,
              "AllGather and ReduceScatter over CollNet depend on the ranks per node, as measured"),
    ORR_TRUTH(gather_unscaled, "only rings scale AllGather and ReduceScatter by a ratio"),
    ORR_WORD(gathers, gathers, "algorithms of AllGather and ReduceScatter"),
    ORR_TRUTH(collnet_gather_bounded,
              "AllGather and ReduceScatter over CollNet, as measured, need a head for every rank of a node"),
    ORR_DOUBLE(collnet_simple, "share of its bandwidth that CollNet with Simple keeps"),
    ORR_DOUBLE(collnet_ll, "share of its bandwidth that CollNet with LL keeps"),
    ORR_DOUBLE(collnet_ll128, "share of its bandwidth that CollNet with LL128 keeps"),
    ORR_DOUBLE(collnet_direct_sm90, "share of its bandwidth that CollNetDirect from sm 90 on keeps"),
    ORR_DOUBLE(collnet_chain, "share of its bandwidth that CollNetChain keeps"),
    ORR_DOUBLE(pat, "share of its bandwidth that PAT keeps"),

    ORR_WORD(net_latency, net_latencies, "latency of a step over the network"),
    ORR_WORD(ring_steps, ring_steps, "a ring's steps over the network"),
    ORR_TRUTH(ll_intra_slower, "LL is slower (1.8) inside a node if there are several"),
    ORR_TRUTH(net_overhead, "a ring step costs at least the network overhead"),
    ORR_TRUTH(collnet_by_steps, "CollNet's latency grows with the ranks of a node"),
    ORR_DOUBLE(collnet_direct_step, "latency of CollNetDirect for each rank of a node"),
    ORR_TRUTH(chain_skips_net, "CollNetChain has no step over the network"),
    ORR_WORD(nvls_latency, nvls_latencies, "latency of NVLS and NVLSTree"),
    ORR_TRUTH(pat_table_base, "PAT has a base latency"),

    ORR_WORD(lists, list_syntaxes, "how NCCL_ALGO and NCCL_PROTO are read"),
    ORR_TRUTH(lists_for_allreduce, "NCCL_ALGO only concerns AllReduce"),
    ORR_TRUTH(lists_spare_rings, "... but other functions always have their ring"),
    ORR_TRUTH(collnet_ungated, "a CollNet graph has figures even if CollNet is off"),
    ORR_TRUTH(needs_nvswitch, "CollNetDirect needs an NVSwitch"),
    ORR_TRUTH(ring_backup, "an operation without any bandwidth gets its ring's"),
    ORR_TRUTH(backup_obeys_protocols, "... but not with a protocol that is off"),
    ORR_TRUTH(fallback_to_ring_tree, "if nothing else is enabled, Ring and Tree are enabled again"),
    ORR_INT(chain_max_local_ranks, "most ranks of a node with CollNetChain; 0: no limit"),
    ORR_WORD(ll128_for, ll128_fors, "compute capabilities with LL128 by default"),
    ORR_TRUTH(ll128_over_nvb, "LL128 also if NVLink leads through another GPU"),
    ORR_WORD(ll128_nics, ll128_nics, "farthest NICs with LL128 by default"),
    ORR_INT(pat_least_sm, "PAT is off below this compute capability"),

    ORR_GRID(collnet_threads, collnet_threads_grid, NULL,
             "CollNet's threads by protocol (-1: like Tree, -2: like Ring)"),
    {ORR_FIELD_HERE(collnet_threshold), ORR_ROW(INT64, NULL, TUNING, "bytes per thread of CollNet with Simple")},
    ORR_TRUTH(threshold_list_zeroes_collnet, "NCCL_THREAD_THRESHOLDS clears CollNet's threshold"),
    ORR_INT(others_threads, "threads of CollNetDirect, CollNetChain, NVLS and NVLSTree with Simple"),

    ORR_GRID(tree_correction, correction_grid, NULL, "correction of Tree's predicted time by size, in powers of two"),
    ORR_INT(tree_correction_sizes, "sizes that Tree's correction covers"),
    ORR_INT(nvls_tree_correction_sizes, "sizes that NVLSTree's correction covers"),
    ORR_TRUTH(small_sizes_uncorrected, "sizes below 64 bytes are not corrected"),
    ORR_WORD(plateau, plateaus, "how the sizes are found at which AllReduce by Ring is slower over several nodes"),
    ORR_FLOAT(time_limit, "us", "longest predicted time that NCCL chooses; 0: no limit"),
    ORR_INT(collnet_direct_max_local_ranks, "most ranks of a node with which CollNetDirect is chosen; 0: no limit"),
    ORR_INT(collnet_chain_max_local_ranks, "most ranks of a node with which CollNetChain is chosen; 0: no limit"),
    ORR_INT(nvls_gather_max_local_ranks,
            "most ranks of a node with which AllGather and ReduceScatter use NVLS; 0: no limit"),
    ORR_TRUTH(nvls_gather_one_node, "AllGather and ReduceScatter use NVLS on one node only"),
    ORR_TRUTH(nvls_bounded, "over several nodes, NVLS uses no more channels than other algorithms"),
    ORR_TRUTH(collective_channels, "copies of channels made for NVLS do not count"),
    ORR_TRUTH(collnet_half_channels, "CollNet uses half of the channels"),
    ORR_TRUTH(collnet_sheds_in_rounds, "CollNet or CollNetDirect reduces its channels in several rounds"),
    ORR_GRID(simple_threads, threads_grid, NULL, "threads added with Simple"),
    ORR_INT(least_threads, "fewest threads of a block"),
    ORR_INT(fixed_threads, "threads of Tree and PAT; 0: by size"),
    ORR_INT(channel_traffic, "bytes that a channel of a started call carries at least; 0: not known"),
};

const struct orr_behaviour_rows orr_behaviours_of_tuning = {tuning_rows, ORR_COUNT(tuning_rows)};

/* Settings. */

void orr_behaviour_of_setting(enum orr_setting setting, struct orr_behaviour *ret_behaviour)
{
    const struct orr_setting_info *info = orr_setting_info(setting);
    *ret_behaviour = (struct orr_behaviour){.name = info->name,
                                            .kind = ORR_BEHAVIOUR_SETTING,
                                            .of = ORR_OF_SETTINGS,
                                            .sentence = info->meaning,
                                            .bears = info->bears,
                                            .setting = setting};
}
