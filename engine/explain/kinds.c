/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of decisions, one row each. */

#include "engine/explain/explainer.h"
#include "engine/release/behaviours.h"

enum {
    ROUTES =
        ORR_BEARS_SYSTEM | ORR_BEARS_BANDWIDTH | ORR_BEARS_PATHS | ORR_BEARS_P2P | ORR_BEARS_GDR | ORR_BEARS_NET_DEVS,
    SEARCHED = ROUTES | ORR_BEARS_GRAPHS,
    JOINED = SEARCHED | ORR_BEARS_CHANNELS,
    ASIDE = ORR_BEARS_DEVICE | ORR_BEARS_SYSTEM | ORR_BEARS_PATHS | ORR_BEARS_P2P | ORR_BEARS_GRAPHS,
};

#define ORR_KIND(name_, find_, verdict_, explain_)                                                                     \
    .name = (name_), .find = (find_), .verdict = (verdict_), .explain = (explain_)

const struct orr_kind_row orr_kind_rows[ORR_WHY_COUNT] = {
    [ORR_WHY_PATH] = {ORR_KIND("path", orr_find_pair, orr_verdict_path, orr_explain_path),
                      .asks = "What type and bandwidth does the path between two devices have?",
                      .needs = ORR_NEEDS_FROM | ORR_NEEDS_TO, .bears = ROUTES,
                      .touched = ORR_TOUCHES_LINKS | ORR_TOUCHES_PATHS,
                      .rests = {"admission", "near_two_switches", "diverts_gdr_always"}},
    [ORR_WHY_P2P] = {ORR_KIND("p2p", orr_find_ranks, orr_verdict_p2p, orr_explain_p2p),
                     .asks = "Can a GPU use P2P with another GPU?", .needs = ORR_NEEDS_FROM | ORR_NEEDS_TO,
                     .bears = ROUTES, .touched = ORR_TOUCHES_LINKS | ORR_TOUCHES_PATHS | ORR_TOUCHES_P2P,
                     .aim = ORR_AIM_YES, .rests = {"p2p_default", "separation"}},
    [ORR_WHY_GDR] = {ORR_KIND("gdr", orr_find_gpu_and_net, orr_verdict_gdr, orr_explain_gdr),
                     .asks = "Can a GPU send to a NIC, or receive from it, by GPUDirect RDMA?",
                     .needs = ORR_NEEDS_FROM | ORR_NEEDS_TO, .bears = ROUTES,
                     .touched = ORR_TOUCHES_PATHS | ORR_TOUCHES_GDR, .aim = ORR_AIM_YES,
                     .rests = {"gdr_has_modes", "gdr_level_c2c", "reads_only_with_nvlink"}},
    [ORR_WHY_NIC] = {ORR_KIND("nic", orr_find_gpu_of_nic, orr_verdict_nic, orr_explain_nic),
                     .asks = "Which NIC does a rank use for a channel?", .needs = ORR_NEEDS_FROM | ORR_NEEDS_CHANNEL,
                     .bears = SEARCHED, .touched = ORR_TOUCHES_PATHS | ORR_TOUCHES_GRAPHS | ORR_TOUCHES_GDR,
                     .rests = {"net_choice", "net_lists", "nic_pairs"}},
    [ORR_WHY_PXN] = {ORR_KIND("pxn", orr_find_gpu_and_net, orr_verdict_pxn, orr_explain_pxn),
                     .asks = "Does a GPU reach a NIC through another GPU?", .needs = ORR_NEEDS_FROM | ORR_NEEDS_TO,
                     .bears = ROUTES, .touched = ORR_TOUCHES_PATHS | ORR_TOUCHES_GDR, .rests = {"pxn", "net_choice"}},
    [ORR_WHY_GRAPH] = {ORR_KIND("graph", orr_find_graph, orr_verdict_graph, orr_explain_graph),
                       .asks = "Why does a graph have this number of channels and this bandwidth?",
                       .needs = ORR_NEEDS_GRAPH, .bears = SEARCHED, .touched = ORR_TOUCHES_GRAPHS,
                       .aim = ORR_AIM_BANDWIDTH, .rests = {"steps_all", "types_from_system", "duplicates_early"}},
    [ORR_WHY_TREE] = {ORR_KIND("tree", orr_find_nothing, orr_verdict_tree, orr_explain_tree),
                      .asks = "Why did NCCL choose this tree pattern?", .bears = SEARCHED,
                      .touched = ORR_TOUCHES_GRAPHS, .rests = {"tree_pattern", "tree_for_sm90", "relaxes_split_tree"}},
    [ORR_WHY_CHANNELS] = {ORR_KIND("channels", orr_find_nothing, orr_verdict_channels, orr_explain_channels),
                          .asks = "Why does the communicator have this number of channels?", .bears = JOINED,
                          .touched = ORR_TOUCHES_CHANNELS | ORR_TOUCHES_GRAPHS,
                          .rests = {"max_channels", "connect.nvls_copies_channels", "connect.double_sm_min"}},
    [ORR_WHY_NVLS] = {ORR_KIND("nvls", orr_find_nothing, orr_verdict_nvls, orr_explain_nvls),
                      .asks = "Is NVLink SHARP on?", .bears = JOINED,
                      .touched = ORR_TOUCHES_CHANNELS | ORR_TOUCHES_GRAPHS, .aim = ORR_AIM_YES,
                      .rests = {"nvls_least_gpus", "nvls_max_channels", "connect.nvls_channels"}},
    [ORR_WHY_ALGORITHM] = {ORR_KIND("algorithm", orr_find_choice, orr_verdict_choice, orr_explain_choice),
                           .asks = "Why does a collective of a given size use this algorithm and protocol?",
                           .needs = ORR_NEEDS_COLLECTIVE, .bears = JOINED | ORR_BEARS_TUNING,
                           .touched = ORR_TOUCHES_TUNING, .rests = {"tuning.names", "tuning.net_latency"}},
    [ORR_WHY_SYMMETRIC] = {ORR_KIND("symmetric", orr_find_nothing, orr_verdict_symmetric, orr_explain_symmetric),
                           .asks = "May symmetric kernels run, and which one runs a collective of a given size?",
                           .needs = ORR_NEEDS_COLLECTIVE, .bears = ASIDE,
                           .touched = ORR_TOUCHES_PATHS | ORR_TOUCHES_P2P, .aim = ORR_AIM_YES,
                           .rests = {"device.symmetric", "device.kernels_need_nvlink", "device.kernels_over_nodes",
                                     "device.windows_become_null"}},
    [ORR_WHY_LSA] = {ORR_KIND("lsa", orr_find_nothing, orr_verdict_lsa, orr_explain_lsa),
                     .asks = "Which ranks load and store each other's memory (LSA teams)?", .bears = ASIDE,
                     .touched = ORR_TOUCHES_PATHS, .rests = {"device.lsa"}},
    [ORR_WHY_MULTIMEM] = {ORR_KIND("multimem", orr_find_nothing, orr_verdict_multimem, orr_explain_multimem),
                          .asks = "Do symmetric kernels let the NVSwitch reduce and spread data (multimem)?",
                          .bears = ASIDE, .touched = ORR_TOUCHES_GRAPHS, .aim = ORR_AIM_YES,
                          .rests = {"device.multimem_past_two", "nvls_least_gpus"}},
    [ORR_WHY_GIN] = {ORR_KIND("gin", orr_find_nothing, orr_verdict_gin, orr_explain_gin),
                     .asks = "Can GPUs start network transfers themselves (GIN)?", .bears = ASIDE,
                     .touched = ORR_TOUCHES_GDR, .aim = ORR_AIM_YES,
                     .rests = {"device.gin", "device.gin_with_fused_nics"}},
    [ORR_WHY_CE] = {ORR_KIND("ce", orr_find_nothing, orr_verdict_ce, orr_explain_ce),
                    .asks = "May copy engines run a collective?", .bears = ASIDE,
                    .touched = ORR_TOUCHES_PATHS | ORR_TOUCHES_P2P, .aim = ORR_AIM_YES,
                    .rests = {"device.copy_engine", "device.copy_engine_over_nodes"}},
    [ORR_WHY_REGISTRATION] = {ORR_KIND("registration", orr_find_nothing, orr_verdict_registration,
                                       orr_explain_registration),
                              .asks = "Which user buffers may NCCL register?", .bears = ASIDE,
                              .touched = ORR_TOUCHES_PATHS | ORR_TOUCHES_P2P | ORR_TOUCHES_GDR,
                              .rests = {"device.ipc_registration", "device.ring_registration",
                                        "device.pair_registration", "device.nvls_registered"}},
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
