/* SPDX-License-Identifier: Apache-2.0 */
/* What the releases 2.7.8 to 2.12.12 changed. All rows start from 2.7.8. */
#include "engine/release/release_steps.h"

static const uint8_t types_2_7[] = {ORR_PATH_LOC, ORR_PATH_NVL, ORR_PATH_PIX, ORR_PATH_PXB,
                                    ORR_PATH_PHB, ORR_PATH_SYS, ORR_PATH_NET};
static const uint8_t types_2_8[] = {ORR_PATH_LOC, ORR_PATH_NVL, ORR_PATH_NVB, ORR_PATH_PIX,
                                    ORR_PATH_PXB, ORR_PATH_PHB, ORR_PATH_SYS};
static const uint8_t types_2_12[] = {ORR_PATH_LOC, ORR_PATH_NVL, ORR_PATH_NVB, ORR_PATH_PIX,
                                     ORR_PATH_PXB, ORR_PATH_PXN, ORR_PATH_PHB, ORR_PATH_SYS};

/* Texts of link_speed, tried in this order as prefixes: kernels print with and without " PCIe". */
static const struct orr_speed speeds_2_7[] = {
    {"2.5 GT/s", 15}, {"5 GT/s", 30}, {"8 GT/s", 60}, {"16 GT/s", 120}, {NULL, 60},
};
static const struct orr_speed speeds_2_11[] = {
    {"2.5 GT/s", 15},        {"5 GT/s", 30},
    {"8 GT/s", 60},          {"16 GT/s", 120},
    {"5.0 GT/s PCIe", 30},   {"8.0 GT/s PCIe", 60},
    {"16.0 GT/s PCIe", 120}, {"32.0 GT/s PCIe", 240},
    {"64.0 GT/s PCIe", 480}, {NULL, 60},
};
static const struct orr_speed speeds_2_12[] = {
    {"2.5 GT/s", 15},
    {"5 GT/s", 30},
    {"8 GT/s", 60},
    {"16 GT/s", 120},
    {"32 GT/s", 240},
    {"5.0 GT/s PCIe", 30},
    {"8.0 GT/s PCIe", 60},
    {"16.0 GT/s PCIe", 120},
    {"32.0 GT/s PCIe", 240},
    {"64.0 GT/s PCIe", 480},
    {NULL, 60},
};

static const struct orr_nvlink_bw nvlink_2_7[] = {{61, 21.0f}, {60, 18.0f}, {INT32_MIN, 21.0f}};
static const struct orr_nvlink_bw nvlink_counted_2_7[] = {{70, 21.0f}, {INT32_MIN, 18.0f}};
static const struct orr_nvlink_bw nvlink_2_8[] = {
    {87, 21.0f}, {86, 12.0f}, {70, 21.0f}, {60, 18.0f}, {INT32_MIN, 21.0f},
};
static const struct orr_nvlink_bw nvlink_2_10[] = {
    {87, 22.0f}, {86, 12.0f}, {70, 22.0f}, {60, 18.0f}, {INT32_MIN, 22.0f},
};

static const float all_2_7[] = {42, 24, 21, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4f, 1.2f, .24f, .12f};
static const float all_2_8[] = {42, 30, 24, 21, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4f, 1.2f, .24f, .12f};
static const float intra_2_10[] = {44, 30, 22, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3};
static const float inter_2_10[] = {48, 30, 24, 22, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4f, 1.2f, .24f, .12f};
static const struct orr_search_rates rates_2_7[] = {{INT32_MIN, ORR_RATES(all_2_7, all_2_7)}};
static const struct orr_search_rates rates_2_8[] = {{INT32_MIN, ORR_RATES(all_2_8, all_2_8)}};
static const struct orr_search_rates rates_2_10[] = {{INT32_MIN, ORR_RATES(intra_2_10, inter_2_10)}};

/* A tree's bandwidth by size: the power of two of bytes / 64. */
static const float ll_2_7[ORR_TUNING_SIZES] = {1,   1,   1,   1,   .9f, .8f, .7f, .7f, .7f, .7f, .6f, .5f,
                                               .4f, .4f, .5f, .6f, .7f, .8f, .9f, 1,   1,   1,   1,   1};
static const float ll128_2_7[ORR_TUNING_SIZES] = {1,   1,   1,   1,   1,   .9f, .8f, .8f, .8f, .7f, .6f,
                                                  .6f, .6f, .5f, .6f, .6f, .7f, .7f, .8f, .9f, .9f, 1};
static const float ll128_2_8[ORR_TUNING_SIZES] = {1,   1,   1,   1,   1,   .9f, .8f, .8f, .8f, .7f,  .6f, .6f,
                                                  .6f, .5f, .6f, .6f, .7f, .7f, .8f, .9f, .9f, .92f, .92f};
static const float ll128_2_10[ORR_TUNING_SIZES] = {1,   1,   1,   1,   1,   .9f, .8f, .8f, .8f, .7f, .6f, .6f,
                                                   .6f, .6f, .6f, .6f, .8f, .9f, .9f, .9f, .9f, 1,   1,   1};
static const float simple_2_7[ORR_TUNING_SIZES] = {.9f, .9f, .9f, .9f, .9f, .9f, .9f, .8f, .7f, .6f, .6f,
                                                   .5f, .5f, .5f, .5f, .5f, .5f, .6f, .6f, .7f, .8f, .9f};
static const float simple_2_8[ORR_TUNING_SIZES] = {.9f, .9f, .9f, .9f, .9f, .9f, .9f, .8f, .7f, .6f, .6f, .5f,
                                                   .5f, .5f, .5f, .6f, .7f, .8f, .7f, .7f, .8f, .9f, .9f, .9f};

static void start_with_graph(struct orr_release *r)
{
    orr_set_path_types(r, types_2_7, ORR_LENGTH(types_2_7));
    r->max_channels = 32;
    r->max_elements = 1024;
    r->max_children = 32;
    r->max_nodes = 256;
    r->max_links = 32;
    r->speeds = speeds_2_7;
    r->nvlink_bw = nvlink_2_7;
    r->nvlink_counted = nvlink_counted_2_7;
    r->qpi_power = 32;
    r->qpi_arm = 6;
    r->qpi_amd = r->qpi_zhaoxin = r->qpi_yongfeng = 5000;
    r->qpi_intel[ORR_INTEL_BDW] = 6;
    r->qpi_intel[ORR_INTEL_SKL] = r->qpi_intel[ORR_INTEL_SRP] = r->qpi_intel[ORR_INTEL_ERP] = 9;
    r->intel_overhead_up = 12;
    r->intel_overhead_down = 9;
    r->pci_kind = ORR_KIND_BY_CLASS;
    r->merges_nic_functions = true;
    r->gpu_links_itself = true;
    r->newest_intel = ORR_INTEL_SKL;
}

static void start_with_paths(struct orr_release *r)
{
    r->admission = ORR_ADMIT_FASTER;
    r->reverse_of_any_type = true;
    r->near_two_switches = true;
    r->power_sockets_are_near = true;
    r->unreached = ORR_PATH_LOC;
    r->first_cpu_unreached = true;
    r->p2p_default = ORR_P2P_BY_MODEL;
    r->separation = ORR_APART_WITHOUT_SHM;
    r->net_choice = ORR_NET_BY_CHANNEL;
    r->diverts_gdr_always = true;
    r->reads_only_with_nvlink = true;
}

static void start_with_search(struct orr_release *r)
{
    r->search_rates = rates_2_7;
    r->ring_max_channels = 16;
    r->steps_same = 1024;
    r->steps_tree = 131072;
    r->steps_other = 262144;
    r->steps_all = 1572864;
    r->tree_pattern = ORR_TREE_SPLIT;
    r->ring_follows_tree = r->nets_as_aligned = true;
    r->collnet_always = true;
    r->cross_nic_try = 1;
    r->counts_connections = true;
    r->relaxes_split_tree = true;
    r->relaxes_pattern_first = true;
    r->type_inter_always = ORR_PATH_PXB;
    r->finishes_at_full_rate = true;
    r->empty_paths_are_free = true;
    r->replays_first = true;
}

static void start_with_tuning(struct orr_tuning_model *t)
{
    t->algorithm_count = 3;
    t->names[ORR_ALGO_TREE] = "Tree";
    t->names[ORR_ALGO_RING] = "Ring";
    t->names[ORR_ALGO_COLLNET_DIRECT] = "CollNet";
    t->one_collnet = t->one_collnet_graph = true;
    orr_set_base(t, ORR_ALGO_TREE, 4.4f, 4.4f, 0);
    orr_set_base(t, ORR_ALGO_RING, 3.6f, 10.0f, 8.4f);
    orr_set_base(t, ORR_ALGO_COLLNET_DIRECT, 4.4f, 4.4f, 0);
    orr_set_steps(t, ORR_ALGO_TREE, ORR_LL, .52f, 1.0f, 5.0f);
    orr_set_steps(t, ORR_ALGO_TREE, ORR_LL128, 1.2f, 1.9f, 8.5f);
    orr_set_steps(t, ORR_ALGO_TREE, ORR_SIMPLE, 28, 28, 50);
    orr_set_steps(t, ORR_ALGO_RING, ORR_LL, .47f, 1.0f, 2.7f);
    orr_set_steps(t, ORR_ALGO_RING, ORR_LL128, 1.9f, 2.5f, 4.0f);
    orr_set_steps(t, ORR_ALGO_RING, ORR_SIMPLE, 3.4f, 5.7f, 9.6f);
    orr_set_steps(t, ORR_ALGO_COLLNET_DIRECT, ORR_LL, .5f, 1.0f, 5.0f);
    orr_set_steps(t, ORR_ALGO_COLLNET_DIRECT, ORR_LL128, 1.2f, 1.9f, 5.0f);
    orr_set_steps(t, ORR_ALGO_COLLNET_DIRECT, ORR_SIMPLE, 4.0f, 5.5f, 10.7f);

    t->capability_row = ORR_ROW_UNIFORM_80;
    t->rows = 2;
    memcpy(t->ll128_of, (const double[ORR_FUNCTION_COUNT]){18.8, 12.0, 18.3, 15.2, 16.7}, sizeof t->ll128_of);
    t->row_max[1] = 235;
    t->ring_ll = ORR_RING_LL_QUARTER;
    t->ring_ll128_alone = .7;
    t->tree_flat_limits = true;
    t->tree_ll128_share = .915;
    t->gathers = ORR_GATHERS_RING;
    t->collnet_simple = .9;
    t->collnet_ll = 1.0 / 6.0;
    t->collnet_direct_sm90 = t->collnet_chain = t->pat = 1;
    t->net_latency = ORR_NET_LATENCY_PLAIN;
    t->ring_steps = ORR_RING_STEPS_2N_LESS_2;
    t->ll_intra_slower = true;
    t->collnet_by_steps = true;

    t->lists = ORR_LIST_PLAIN;
    t->lists_for_allreduce = true;
    t->collnet_ungated = true;
    t->ll128_for = ORR_LL128_70_80;
    t->collnet_threads[ORR_LL] = t->collnet_threads[ORR_LL128] = t->collnet_threads[ORR_SIMPLE] = -1;
    t->collnet_threshold = 64;
    t->threshold_list_zeroes_collnet = true;

    memcpy(t->tree_correction[ORR_LL], ll_2_7, sizeof ll_2_7);
    memcpy(t->tree_correction[ORR_LL128], ll128_2_7, sizeof ll128_2_7);
    memcpy(t->tree_correction[ORR_SIMPLE], simple_2_7, sizeof simple_2_7);
    t->tree_correction_sizes = 22;
    t->plateau = ORR_PLATEAU_BY_RANKS;
    t->time_limit = 3.6e9f;
    t->collnet_half_channels = true;
    t->simple_threads[ORR_ALGO_TREE] = t->simple_threads[ORR_ALGO_RING] = 32;
    t->simple_threads[ORR_ALGO_COLLNET_DIRECT] = 32;
}

static void start(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    start_with_graph(r);
    start_with_paths(r);
    start_with_search(r);
    c->aligns_to_nearest = true;
    c->up_and_down_trees = true;
    c->shifts_even_trees = true;
    c->double_sm_min = INT32_MAX;
    c->net_peer = ORR_NET_PEER_ONE;
    c->p2p_schedule = ORR_P2P_BY_RANK;
    start_with_tuning(t);
}

static void at_2_8_3(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    orr_set_path_types(r, types_2_8, ORR_LENGTH(types_2_8));
    r->nvlink_bw = r->nvlink_counted = nvlink_2_8;
    r->pci_kind = ORR_KIND_BY_CHILD;
    r->admission = ORR_ADMIT_FEWER_HOPS;
    r->relays_by_gpu = true;
    r->near_two_switches = false;
    r->power_sockets_are_near = false;

    r->search_rates = rates_2_8;
    r->tree_pattern = ORR_TREE_BY_HOSTS;
    r->finishes_at_full_rate = false;
    r->compares_patterns = true;

    c->aligns_type_inter = true;
    c->up_and_down_trees = false;
    c->shifts_even_trees = false;
    c->root_child_slot = 1;
    c->p2p_schedule = ORR_P2P_BY_RANK_DISTANCE;

    orr_set_steps(t, ORR_ALGO_TREE, ORR_LL128, 1.25f, 1.9f, 8.5f);
    orr_set_steps(t, ORR_ALGO_TREE, ORR_SIMPLE, 28, 28, 28);
    t->tree_flat_limits = false;
    t->ll_limited = true;
    orr_set_limit(t->ll_max[0], 39.0, 39.0, 20.4);
    orr_set_limit(t->ll_max[1], 87.7, 22.5, 19.0);
    orr_set_limit(t->tree_max[0], 26.5, 18.5, 10.0);
    orr_set_limit(t->tree_max[1], 24.0, 22.5, 16.0);
    t->ll128_of[ORR_ALLREDUCE] = 16.9;
    t->collnet_ungated = false;
    t->fallback_to_ring_tree = true;
    memcpy(t->tree_correction[ORR_LL128], ll128_2_8, sizeof ll128_2_8);
    memcpy(t->tree_correction[ORR_SIMPLE], simple_2_8, sizeof simple_2_8);
    t->tree_correction_sizes = 23;
    t->simple_threads[ORR_ALGO_TREE] = 64;
}

static void at_2_8_4(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    (void)c, (void)t;
    r->knows_zhaoxin = true;
    r->qpi_zhaoxin = 6;
    r->qpi_yongfeng = 9;
    r->p2p_default = ORR_P2P_BY_MODEL_AND_ZHAOXIN;
}

/* 2.9.6 and 2.9.8 are the same, except that they lack two settings. */
static void at_2_9_9(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    r->intel_overhead_up = 6;
    r->intel_overhead_down = 5;
    r->flattening = ORR_FLATTEN_GEN4_EQUAL;
    r->p2p_default = ORR_P2P_BY_VENDOR;
    r->net_choice = ORR_NET_BY_PEER;
    r->net_lists = ORR_NETS_FASTEST_START;
    c->collnet_copies_channels = true;
    t->collnet_ll = 0;
    t->collnet_threads[ORR_LL] = t->collnet_threads[ORR_LL128] = -2;
    t->collnet_threads[ORR_SIMPLE] = 512;
    t->collnet_threshold = 512;
    t->collnet_half_channels = false;
    t->collnet_sheds_in_rounds = true;
    t->simple_threads[ORR_ALGO_COLLNET_DIRECT] = 128;
}

static void at_2_10_3(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    r->nvlink_bw = r->nvlink_counted = nvlink_2_10;
    r->search_rates = rates_2_10;
    r->tree_pattern = ORR_TREE_BALANCED;
    r->separation = ORR_APART_WITHOUT_SHM_AND_P2P;
    c->collnet_max_local_ranks = 8;
    c->collnet_counts_hosts = true;
    c->collnet_on_one_node = true;
    orr_set_steps(t, ORR_ALGO_COLLNET_DIRECT, ORR_SIMPLE, 8.0f, 8.0f, 10.7f);
    t->power_pci_tree = true;
    memset(t->ll128_of, 0, sizeof t->ll128_of);
    for (int row = 0; row < 2; row++) {
        orr_set_limit(t->ring_ll128[row], 20.0, 20.0, 20.0);
        orr_set_limit(t->tree_ll128[row], 20.0, 20.0, 20.0);
    }
    t->tree_ll128_share = 120.0 / 128.0;
    orr_set_limit(t->tree_max[1], 24.0, 23.6, 17.8);
    t->collnet_simple = 1;
    t->collnet_by_steps = false;
    t->collnet_direct_step = .5;
    memcpy(t->tree_correction[ORR_LL128], ll128_2_10, sizeof ll128_2_10);
    t->simple_threads[ORR_ALGO_TREE] = 128;
}

static void at_2_11_4(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    (void)c, (void)t;
    r->speeds = speeds_2_11;
}

static void at_2_12_10(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    orr_set_path_types(r, types_2_12, ORR_LENGTH(types_2_12));
    r->knows_latency = true;
    r->net_choice = ORR_NET_BY_DEV;
    r->pxn = ORR_PXN_PREFERRING_ONLY;
    r->steps_same = 256;
    r->steps_tree = r->steps_other = 16384;
    r->steps_all = 262144;
    r->net_lists = ORR_NETS_BY_TYPE_ROTATED;
    r->type_inter_always = ORR_PATH_PXN;
    r->relaxes_pattern_first = false;
    c->aligns_to_nearest = false;
    c->collnet_counts_hosts = false;
    c->net_peer = ORR_NET_PEER_TWO;
    c->p2p_schedule = ORR_P2P_BY_DISTANCE;
    t->net_latency = ORR_NET_LATENCY_OWN;
    orr_set_steps(t, ORR_ALGO_RING, ORR_SIMPLE, 3.4f, 5.7f, 28);
    t->ring_steps = ORR_RING_STEPS_2N;
}

static void at_2_12_12(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    (void)c, (void)t;
    r->speeds = speeds_2_12;
    r->pxn = ORR_PXN_FIRST_PREFERRING;
}

const struct orr_release_step orr_steps_2_7_to_2_12[] = {
    {ORR_VERSION(2, 7, 8), "2.7.8", "2020-07",
     "Routes by bandwidth alone, no relays through GPUs, no PXN, split trees, CollNet as one algorithm; GPUs without "
     "shared memory part",
     start, true},
    {ORR_VERSION(2, 8, 3), "2.8.3", NULL,
     "Routes by hops, NVLink relays through a GPU (NVB), one double binary tree per channel, trees by number of hosts",
     at_2_8_3, true},
    {ORR_VERSION(2, 8, 4), "2.8.4", NULL, "As 2.8.3; Zhaoxin CPUs are known", at_2_8_4, true},
    {ORR_VERSION(2, 9, 9), "2.9.9", NULL,
     "Channels start at the fastest NICs, two-level Broadcom switches count as one, P2P level PXB for all Intel CPUs",
     at_2_9_9, true},
    {ORR_VERSION(2, 10, 3), "2.10.3", NULL,
     "Trees are always balanced, search rates differ inside and between hosts, GPUs part only without P2P", at_2_10_3,
     true},
    {ORR_VERSION(2, 11, 4), "2.11.4", NULL, "As 2.10.3; link speeds of newer kernels are understood", at_2_11_4, true},
    {ORR_VERSION(2, 12, 10), "2.12.10", NULL,
     "PXN to other GPUs' NICs, smaller search budgets, NICs by path type, ranks agree on the farthest path types",
     at_2_12_10, true},
    {ORR_VERSION(2, 12, 12), "2.12.12", "2022-05",
     "NVB relays through a GPU and PXN to other GPUs' NICs, routes by hops, double binary trees with balanced ends; "
     "AMD sockets count as free",
     at_2_12_12, true},
    {0, NULL, NULL, NULL, NULL, false},
};
