/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of decisions, one row each. */

#include "engine/explain/explainer.h"
#include "engine/release/behaviours.h"

enum {
    ROUTES =
        ORR_BEARS_SYSTEM | ORR_BEARS_BANDWIDTH | ORR_BEARS_PATHS | ORR_BEARS_P2P | ORR_BEARS_GDR | ORR_BEARS_NET_DEVS,
    SEARCHED = ROUTES | ORR_BEARS_GRAPHS,
    JOINED = SEARCHED | ORR_BEARS_CHANNELS,
};

const struct orr_kind_row orr_kind_rows[ORR_WHY_COUNT] = {
    [ORR_WHY_PATH] = {.name = "path",
                      .asks = "What type and bandwidth does the path between two devices have?",
                      .needs = ORR_NEEDS_FROM | ORR_NEEDS_TO,
                      .bears = ROUTES,
                      .find = orr_find_pair,
                      .verdict = orr_verdict_path,
                      .explain = orr_explain_path,
                      .touched = ORR_TOUCHES_LINKS | ORR_TOUCHES_PATHS,
                      .rests = {"admission", "near_two_switches", "diverts_gdr_always"}},
    [ORR_WHY_P2P] = {.name = "p2p",
                     .asks = "Can a GPU use P2P with another GPU?",
                     .needs = ORR_NEEDS_FROM | ORR_NEEDS_TO,
                     .bears = ROUTES,
                     .find = orr_find_ranks,
                     .verdict = orr_verdict_p2p,
                     .explain = orr_explain_p2p,
                     .touched = ORR_TOUCHES_LINKS | ORR_TOUCHES_PATHS | ORR_TOUCHES_P2P,
                     .aim = ORR_AIM_YES,
                     .rests = {"p2p_default", "separation"}},
    [ORR_WHY_GDR] = {.name = "gdr",
                     .asks = "Can a GPU send to a NIC, or receive from it, by GPUDirect RDMA?",
                     .needs = ORR_NEEDS_FROM | ORR_NEEDS_TO,
                     .bears = ROUTES,
                     .find = orr_find_gpu_and_net,
                     .verdict = orr_verdict_gdr,
                     .explain = orr_explain_gdr,
                     .touched = ORR_TOUCHES_PATHS | ORR_TOUCHES_GDR,
                     .aim = ORR_AIM_YES,
                     .rests = {"gdr_has_modes", "gdr_level_c2c", "reads_only_with_nvlink"}},
    [ORR_WHY_NIC] = {.name = "nic",
                     .asks = "Which NIC does a rank use for a channel?",
                     .needs = ORR_NEEDS_FROM | ORR_NEEDS_CHANNEL,
                     .bears = SEARCHED,
                     .find = orr_find_gpu_of_nic,
                     .verdict = orr_verdict_nic,
                     .explain = orr_explain_nic,
                     .touched = ORR_TOUCHES_PATHS | ORR_TOUCHES_GRAPHS | ORR_TOUCHES_GDR,
                     .rests = {"net_choice", "net_lists", "nic_pairs"}},
    [ORR_WHY_PXN] = {.name = "pxn",
                     .asks = "Does a GPU reach a NIC through another GPU?",
                     .needs = ORR_NEEDS_FROM | ORR_NEEDS_TO,
                     .bears = ROUTES,
                     .find = orr_find_gpu_and_net,
                     .verdict = orr_verdict_pxn,
                     .explain = orr_explain_pxn,
                     .touched = ORR_TOUCHES_PATHS | ORR_TOUCHES_GDR,
                     .rests = {"pxn", "net_choice"}},
    [ORR_WHY_GRAPH] = {.name = "graph",
                       .asks = "Why does a graph have this number of channels and this bandwidth?",
                       .needs = ORR_NEEDS_GRAPH,
                       .bears = SEARCHED,
                       .find = orr_find_graph,
                       .verdict = orr_verdict_graph,
                       .explain = orr_explain_graph,
                       .touched = ORR_TOUCHES_GRAPHS,
                       .aim = ORR_AIM_BANDWIDTH,
                       .rests = {"steps_all", "types_from_system", "duplicates_early"}},
    [ORR_WHY_TREE] = {.name = "tree",
                      .asks = "Why did NCCL choose this tree pattern?",
                      .bears = SEARCHED,
                      .find = orr_find_nothing,
                      .verdict = orr_verdict_tree,
                      .explain = orr_explain_tree,
                      .touched = ORR_TOUCHES_GRAPHS,
                      .rests = {"tree_pattern", "tree_for_sm90", "relaxes_split_tree"}},
    [ORR_WHY_CHANNELS] = {.name = "channels",
                          .asks = "Why does the communicator have this number of channels?",
                          .bears = JOINED,
                          .find = orr_find_nothing,
                          .verdict = orr_verdict_channels,
                          .explain = orr_explain_channels,
                          .touched = ORR_TOUCHES_CHANNELS | ORR_TOUCHES_GRAPHS,
                          .rests = {"max_channels", "connect.nvls_copies_channels", "connect.double_sm_min"}},
    [ORR_WHY_NVLS] = {.name = "nvls",
                      .asks = "Is NVLink SHARP on?",
                      .bears = JOINED,
                      .find = orr_find_nothing,
                      .verdict = orr_verdict_nvls,
                      .explain = orr_explain_nvls,
                      .touched = ORR_TOUCHES_CHANNELS | ORR_TOUCHES_GRAPHS,
                      .aim = ORR_AIM_YES,
                      .rests = {"nvls_least_gpus", "nvls_max_channels", "connect.nvls_channels"}},
    [ORR_WHY_ALGORITHM] = {.name = "algorithm",
                           .asks = "Why does a collective of a given size use this algorithm and protocol?",
                           .needs = ORR_NEEDS_COLLECTIVE,
                           .bears = JOINED | ORR_BEARS_TUNING,
                           .find = orr_find_choice,
                           .verdict = orr_verdict_choice,
                           .explain = orr_explain_choice,
                           .touched = ORR_TOUCHES_TUNING,
                           .rests = {"tuning.names", "tuning.net_latency"}},
};

void orr_why_info(enum orr_why_kind kind, struct orr_why_info *ret_info)
{
    const struct orr_kind_row *row = &orr_kind_rows[kind];
    *ret_info = (struct orr_why_info){.name = row->name, .asks = row->asks, .needs = row->needs};
}

const char *orr_why_name(size_t kind)
{
    return kind < ORR_WHY_COUNT ? orr_kind_rows[kind].name : NULL;
}
