/* SPDX-License-Identifier: Apache-2.0 */
/* What the fields of connect rules and tuning models mean, in their order; and which settings bear on what. */
#include "engine/release/behaviour_rows.h"
#include "engine/release/connect_rules.h"
#include "engine/release/tuning_model.h"

#define ORR_ROW(kind_, unit_, bears_, sentence_)                                                                       \
    .kind = ORR_BEHAVIOUR_##kind_, .unit = (unit_), .bears = (bears_), .sentence = (sentence_)

/* Connect rules. */

static const char *const rails[] = {
    [ORR_RAILS_AS_FOUND] = "never",
    [ORR_RAILS_ALTERNATE_EVEN] = "where a rank's own ring graph may cross NICs, with an even number of nodes",
    [ORR_RAILS_ALTERNATE_CROSS] = "where the aligned ring graph may cross NICs",
    [ORR_RAILS_ALTERNATE_PAIRS] = "where the aligned ring graph crosses NICs in pairs",
    [ORR_RAILS_ALTERNATE_OWN] = "where the node's own ring graph crosses NICs in pairs",
};
static const char *const p2p_orders[] = {
    [ORR_P2P_BY_RANK] = "rank after rank",
    [ORR_P2P_BY_RANK_DISTANCE] = "near and far ranks in turn",
    [ORR_P2P_BY_DISTANCE] = "near and far nodes in turn, with as many steps as the largest has ranks",
    [ORR_P2P_BY_DISTANCE_OF_EIGHTS] = "near and far nodes in turn, in steps that fit eights",
    [ORR_P2P_BY_NODE] = "triangular numbers of nodes, then of local ranks",
    [ORR_P2P_BY_GROUP] = "triangular numbers of groups, then local ranks in order",
};

static const char *const net_peers[] = {
    [ORR_NET_PEER_ONE] = "one",
    [ORR_NET_PEER_TWO] = "two",
    [ORR_NET_PEER_BY_SIZE] = "fewer the more ranks, at least what fills a GPU's CPU link",
    [ORR_NET_PEER_BY_RATE] = "by the rate of a GPU's NICs, the least over all ranks",
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
              "ranks exchange their CPU types, and differing ones become MIXED"),
    ORR_TRUTH(ORR_AT_INIT, aligns_cross_nic, CHANNELS, "ranks agree on crossing NICs"),
    ORR_TRUTH(ORR_AT_INIT, aligns_type_inter, CHANNELS | TUNING, "ranks agree on the farthest path type to NICs"),
    ORR_TRUTH(ORR_AT_INIT, aligns_to_nearest, CHANNELS | TUNING, "the nearest path type wins, not the farthest"),
    ORR_TRUTH(ORR_AT_INIT, own_capability, CHANNELS | TUNING,
              "every rank takes its own GPU's capability for that of all"),
    {ORR_FIELD_HERE(ORR_AT_CONNECT, rails),
     ORR_ROW(WORD, NULL, CHANNELS, "when nodes with odd numbers exchange ring channels 2j and 2j+1"), .words = rails},
    ORR_TRUTH(ORR_AT_CONNECT, up_and_down_trees, CHANNELS,
              "trees are two link sets over one loop, not parent and children"),
    ORR_TRUTH(ORR_AT_CONNECT, shifts_even_trees, CHANNELS,
              "the second tree is shifted for an even number of nodes, mirrored for an odd number"),
    ORR_INT(ORR_AT_CONNECT, root_child_slot, CHANNELS, "slot of the root's only child"),
    ORR_INT(ORR_AT_CONNECT, collnet_max_local_ranks, CHANNELS | TUNING,
            "CollNet is off where a node has more ranks, 0: no limit"),
    ORR_TRUTH(ORR_AT_CONNECT, collnet_counts_hosts, CHANNELS | TUNING, "... where a host has more, whatever its nodes"),
    ORR_TRUTH(ORR_AT_CONNECT, collnet_on_one_node, CHANNELS | TUNING,
              "CollNet may be used on a single node, where NCCL_COLLNET_NODE_THRESHOLD is below 2"),
    ORR_TRUTH(ORR_AT_CONNECT, collnet_copies_channels, CHANNELS,
              "half as many channels again where CollNet is faster inside than outside"),
    ORR_TRUTH(ORR_AT_CONNECT, collnet_heads_distinct, CHANNELS | TUNING,
              "a GPU that heads two CollNet channels counts once"),
    ORR_TRUTH(ORR_AT_CONNECT, collnet_chains, CHANNELS, "CollNet chains are formed"),
    ORR_TRUTH(ORR_AT_CONNECT, chains_by_tree, CHANNELS, "CollNet chains follow the tree graph, not CollNet's"),
    ORR_TRUTH(ORR_AT_CONNECT, heads_of_nvls, TUNING, "the heads of NVLS count as CollNet's where NVLS is on"),
    ORR_TRUTH(ORR_AT_CONNECT, chain_heads_must_fit, TUNING,
              "CollNetChain is off where its heads are not among CollNet's"),
    ORR_INT(ORR_AT_CONNECT, double_sm_min, CHANNELS,
            "channels double over several nodes with fast rings from this capability on"),
    ORR_INT(ORR_AT_CONNECT, double_sm_max, CHANNELS, "... up to this one"),
    ORR_INT(ORR_AT_CONNECT, double_most, CHANNELS, "... while there are no more channels than this"),
    ORR_INT(ORR_AT_NVLS, nvls_channels, CHANNELS, "NVLS channels by default, 0: no NVLS"),
    ORR_TRUTH(ORR_AT_NVLS, nvls_one_node, CHANNELS | TUNING, "NVLS only with one node, without a graph"),
    ORR_TRUTH(ORR_AT_CONNECT, nvls_trees_for_all, CHANNELS, "all channels have trees of NVLS, not only its own"),
    ORR_TRUTH(ORR_AT_NVLS, nvls_channels_stay, CHANNELS,
              "NVLS channels are counted even where the graph turned out empty"),
    ORR_TRUTH(ORR_AT_CONNECT, nvls_heads_repeat, CHANNELS, "a GPU that heads two NVLS channels counts twice"),
    ORR_INT(ORR_AT_NVLS, nvls_channels_sm100, CHANNELS, "... on one host from sm 100 on"),
    ORR_INT(ORR_AT_NVLS, nvls_channels_sm100_hosts, CHANNELS, "... on several hosts from sm 100 on"),
    ORR_TRUTH(ORR_AT_NVLS, nvls_by_net_rate, CHANNELS | TUNING,
              "over several nodes NVLS channels go by NIC rate and node size from sm 100 on"),
    ORR_TRUTH(ORR_AT_CONNECT, nvls_copies_channels, CHANNELS | TUNING,
              "collective channels are copied up to the NVLS channels"),
    {ORR_FIELD_HERE(ORR_AT_PATHS, net_peer),
     ORR_ROW(WORD, NULL, CHANNELS, "point-to-point channels to a peer on another host"), .words = net_peers},
    ORR_TRUTH(ORR_AT_PATHS, net_peer_positive, CHANNELS, "NCCL_NCHANNELS_PER_NET_PEER below 1 counts as not given"),
    ORR_TRUTH(ORR_AT_PATHS, p2p_bounded, CHANNELS, "point-to-point channels are bounded by the room for arguments"),
    ORR_TRUTH(ORR_AT_PATHS, nvb_counts, CHANNELS,
              "NVLink through another GPU counts as NVLink for point-to-point channels"),
    {ORR_FIELD_HERE(ORR_AT_INIT, p2p_schedule), ORR_ROW(WORD, NULL, CHANNELS, "order in which a rank meets its peers"),
     .words = p2p_orders},
    ORR_TRUTH(ORR_AT_INIT, groups_one_node, CHANNELS, "groups of ranks are formed with one node, too"),
};

#undef ORR_FIELD_HERE
#undef ORR_TRUTH
#undef ORR_INT

const struct orr_behaviour_rows orr_behaviours_of_connect = {connect_rows, ORR_COUNT(connect_rows)};

/* Tuning models. */

static const char *const capability_rows[] = {
    [ORR_ROW_UNIFORM_80] = "1 if all GPUs are of sm 80, else 0",
    [ORR_ROW_UNIFORM_80_90] = "1 or 2 where all GPUs are of sm 80 or of sm 90, else 0",
    [ORR_ROW_BY_LEAST] = "by the least capability: 80, 90, 100",
};
static const char *const ring_lls[] = {
    [ORR_RING_LL_HALF] = "a half",
    [ORR_RING_LL_QUARTER] = "a quarter over several nodes or for AllReduce, else a third",
};
static const char *const tree_costs[] = {
    [ORR_TREE_COST_NONE] = "nothing",
    [ORR_TREE_COST_OWN] = "0.85 by the own graph",
    [ORR_TREE_COST_ANY] = "0.85 by any graph",
};
static const char *const nvls_rates[] = {
    [ORR_NVLS_AS_RING] = "inside with up to two nodes, else outside",
    [ORR_NVLS_LEAST] = "the lesser of inside and outside",
    [ORR_NVLS_BY_FUNCTION] = "the same for AllReduce, by share of traffic for others",
    [ORR_NVLS_BY_SHARE] = "by efficiency of the switch, less one channel's share",
};
static const char *const net_latencies[] = {
    [ORR_NET_LATENCY_PLAIN] = "the table's",
    [ORR_NET_LATENCY_OWN] = "the NIC's own, else the table's",
    [ORR_NET_LATENCY_ADDED] = "the table's and the NIC's",
    [ORR_NET_LATENCY_BY_TREE] = "the table's and the NIC's, the tree's row with one rank a node",
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
    [ORR_NVLS_RATIO_TREE] = "a fixed share; of NVLSTree by the number of nodes",
    [ORR_NVLS_RATIO_FLAT] = "a fixed share",
    [ORR_NVLS_RATIO_RING] = "a ring's",
};
static const char *const nvls_latencies[] = {
    [ORR_NVLS_LATENCY_BASE] = "the base, and the table's steps of the network",
    [ORR_NVLS_LATENCY_STEPS] = "steps inside and over the network, with the NIC's",
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
    [ORR_LL128_FROM_70] = "from sm 70 on, all alike",
    [ORR_LL128_FROM_70_MIXED] = "from sm 70 on, all alike or from sm 90 on",
};
static const char *const plateaus[] = {
    [ORR_PLATEAU_BY_RANKS] = "by bytes a rank",
    [ORR_PLATEAU_BY_RANKS_AND_SM] = "by bytes a rank, and by capability",
    [ORR_PLATEAU_BY_CHANNEL] = "by bytes a channel and rank, and by capability",
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
    ORR_TRUTH(one_collnet, "CollNet is one algorithm"),
    ORR_TRUTH(one_collnet_graph, "all CollNet algorithms follow the chain graph"),
    ORR_TRUTH(nvls_by_ring, "NVLS follows the ring graph"),
    ORR_GRID(base_latency, base_grid, "us", "base latency of an algorithm with LL, LL128, Simple"),
    ORR_GRID(hw_latency, hw_grid, "us", "latency of a step by hardware and algorithm with LL, LL128, Simple"),
    ORR_TRUTH(power_pci_tree, "on POWER, Tree with Simple has the ring's PCI latency"),

    ORR_WORD(capability_row, capability_rows, "which row of the limits a communicator takes"),
    ORR_INT(rows, "rows of the limits by capability"),
    ORR_GRID(ll_max, limit_grid, "GB/s", "most with LL, by row and nodes 1, 2, more"),
    ORR_GRID(ring_ll128, limit_grid, "GB/s", "most of a ring's channel with LL128, by row and nodes 1, 2, more"),
    ORR_GRID(tree_ll128, limit_grid, "GB/s", "most of a tree's channel with LL128, by row and nodes 1, 2, more"),
    ORR_GRID(tree_max, limit_grid, "GB/s", "most of a tree's channel, by row and nodes 1, 2, more"),
    ORR_GRID(nvls_tree_max, limit_grid, "GB/s", "most of a NVLSTree channel, by row and nodes 1, 2, more"),
    ORR_GRID(ll128_of, function_grid, "GB/s",
             "LL128 limits of Broadcast, Reduce, AllGather, ReduceScatter, AllReduce instead"),
    ORR_TRUTH(ll_limited, "LL is limited by capability and nodes"),
    ORR_TRUTH(own_cpu, "the row of the LL limits goes by rank 0's own CPU"),
    ORR_TRUTH(mixed_vendor_as_amd, "CPUs of different vendors take AMD's row of the LL limits"),
    ORR_GRID(row_max, row_max_grid, "GB/s", "most of an algorithm, by row"),
    ORR_DOUBLE(tree_ll128_share, "what LL128 leaves of a tree over several nodes"),
    ORR_WORD(ring_ll, ring_lls, "what LL leaves of a ring's bandwidth"),
    ORR_DOUBLE(ring_ll128_alone, "what LL128 leaves of a ring with less than two ranks a node"),
    ORR_TRUTH(tree_flat_limits, "trees are limited as a whole, by number of nodes and capability"),
    ORR_WORD(tree_pattern_cost, tree_costs, "what the pattern tree costs a tree"),
    ORR_WORD(nvls_rate, nvls_rates, "rate of a NVLS channel"),
    ORR_GRID(nvls_efficiency, efficiency_grid, NULL, "efficiency of NVLS by row"),
    ORR_WORD(nvls_ratio_rule, nvls_ratios, "how often data crosses the links of NVLS"),
    ORR_DOUBLE(nvls_ratio, "that share"),
    ORR_INT(nvls_least_channels, "with fewer channels there is no NVLS"),
    ORR_TRUTH(gather_by_collnet, "AllGather and ReduceScatter over NVLS and CollNet need a head for every rank"),
    ORR_TRUTH(collnet_gather_measured, "CollNet's gathers go by ranks a node, as measured"),
    ORR_TRUTH(gather_unscaled, "gathers have no ratio but for rings"),
    ORR_WORD(gathers, gathers, "algorithms of AllGather and ReduceScatter"),
    ORR_TRUTH(collnet_gather_bounded, "CollNet's gathers, as measured, need a head for every rank of a node"),
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
    ORR_TRUTH(collnet_by_steps, "CollNet's latency counts the ranks of a node"),
    ORR_DOUBLE(collnet_direct_step, "latency of CollNetDirect for each rank of a node"),
    ORR_TRUTH(chain_skips_net, "CollNetChain has no step over the network"),
    ORR_WORD(nvls_latency, nvls_latencies, "latency of NVLS and NVLSTree"),
    ORR_TRUTH(pat_table_base, "PAT has a base latency"),

    ORR_WORD(lists, list_syntaxes, "how NCCL_ALGO and NCCL_PROTO are read"),
    ORR_TRUTH(lists_for_allreduce, "NCCL_ALGO only concerns AllReduce"),
    ORR_TRUTH(lists_spare_rings, "... but other functions always have their ring"),
    ORR_TRUTH(collnet_ungated, "a CollNet graph has figures whether CollNet is on or not"),
    ORR_TRUTH(needs_nvswitch, "CollNetDirect needs a NVSwitch"),
    ORR_TRUTH(ring_backup, "a function without any bandwidth gets its ring's"),
    ORR_TRUTH(backup_obeys_protocols, "... but not with a protocol that is off"),
    ORR_TRUTH(fallback_to_ring_tree, "with nothing else enabled, Ring and Tree come back"),
    ORR_INT(chain_max_local_ranks, "CollNetChain is off where a node has more ranks, 0: any"),
    ORR_WORD(ll128_for, ll128_fors, "capabilities with LL128 by default"),
    ORR_TRUTH(ll128_over_nvb, "LL128 also where NVLink goes through another GPU"),
    ORR_WORD(ll128_nics, ll128_nics, "farthest NICs with LL128 by default"),
    ORR_INT(pat_least_sm, "PAT is off below this capability"),

    ORR_GRID(collnet_threads, collnet_threads_grid, NULL, "CollNet's threads by protocol (-1: as Tree, -2: as Ring)"),
    {ORR_FIELD_HERE(collnet_threshold), ORR_ROW(INT64, NULL, TUNING, "bytes a thread of CollNet with Simple")},
    ORR_TRUTH(threshold_list_zeroes_collnet, "NCCL_THREAD_THRESHOLDS clears CollNet's"),
    ORR_INT(others_threads, "threads of CollNetDirect, CollNetChain, NVLS and NVLSTree with Simple"),

    ORR_GRID(tree_correction, correction_grid, NULL, "correction of Tree's predicted time by size, in powers of two"),
    ORR_INT(tree_correction_sizes, "sizes that Tree's correction covers"),
    ORR_INT(nvls_tree_correction_sizes, "sizes that NVLSTree's correction covers"),
    ORR_TRUTH(small_sizes_uncorrected, "sizes below 64 bytes are not corrected"),
    ORR_WORD(plateau, plateaus, "where AllReduce by Ring starts slower over several nodes"),
    ORR_FLOAT(time_limit, "us", "longest predicted time that is chosen, 0: any"),
    ORR_INT(collnet_direct_max_local_ranks, "CollNetDirect is not chosen where a node has more ranks, 0: any"),
    ORR_INT(collnet_chain_max_local_ranks, "CollNetChain is not chosen where a node has more ranks, 0: any"),
    ORR_INT(nvls_gather_max_local_ranks, "gathers over NVLS are not chosen where a node has more ranks, 0: any"),
    ORR_TRUTH(nvls_gather_one_node, "gathers over NVLS only on one node"),
    ORR_TRUTH(nvls_bounded, "over several nodes NVLS takes no more channels than others"),
    ORR_TRUTH(collective_channels, "NVLS' copies of channels do not count"),
    ORR_TRUTH(collnet_half_channels, "CollNet takes half the channels"),
    ORR_TRUTH(collnet_sheds_in_rounds, "CollNet, or CollNetDirect, takes fewer channels in rounds"),
    ORR_GRID(simple_threads, threads_grid, NULL, "threads added with Simple"),
    ORR_INT(least_threads, "fewest threads of a block"),
    ORR_INT(fixed_threads, "threads of Tree and PAT, 0: by size"),
};

const struct orr_behaviour_rows orr_behaviours_of_tuning = {tuning_rows, ORR_COUNT(tuning_rows)};

/* Settings. */

void orr_behaviour_of_setting(enum orr_setting setting, struct orr_behaviour *ret_behaviour)
{
    struct orr_setting_info info;
    orr_setting_info(setting, &info);
    *ret_behaviour = (struct orr_behaviour){.name = info.name,
                                            .kind = ORR_BEHAVIOUR_SETTING,
                                            .of = ORR_OF_SETTINGS,
                                            .sentence = info.meaning,
                                            .bears = info.bears,
                                            .setting = setting};
}
