/* SPDX-License-Identifier: Apache-2.0 */
/* What the releases 2.18.1 to 2.21.5 changed. */
#include "engine/release/release_steps.h"

static const uint8_t types_2_18[] = {ORR_PATH_LOC, ORR_PATH_NVL, ORR_PATH_NVB, ORR_PATH_PIX, ORR_PATH_PXB,
                                     ORR_PATH_PXN, ORR_PATH_PHB, ORR_PATH_SYS, ORR_PATH_NET, ORR_PATH_DIS};

static const struct orr_nvlink_bw nvlink_2_18[] = {
    {87, 20.0f}, {86, 12.0f}, {70, 20.0f}, {60, 18.0f}, {INT32_MIN, 20.0f},
};
static const struct orr_nvlink_bw nvlink_2_20[] = {
    {90, 20.6f}, {87, 20.0f}, {86, 12.0f}, {70, 20.0f}, {60, 18.0f}, {INT32_MIN, 20.0f},
};

/* Rates that the search tries, GB/s a channel. */
static const float intra_2_18[] = {40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3};
static const float inter_2_18[] = {48, 30, 28, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4f, 1.2f, .24f, .12f};
static const float intra_sm90_2_18_1[] = {60, 40, 30, 24, 20, 15, 12, 6, 3};
static const float inter_sm90_2_18_1[] = {48, 45, 42, 40, 30, 24, 15, 12, 6, 3, 2.4f, 1.2f, .24f, .12f};
static const float inter_sm90_2_18_3[] = {48, 45, 42, 40, 30, 24, 20, 17.5f, 15, 12, 6, 3, 2.4f, 1.2f, .24f, .12f};
static const float intra_sm90_2_19[] = {60, 50, 40, 30, 24, 20, 15, 12, 6, 3};
static const float intra_sm90_2_21[] = {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3};
static const float inter_sm90_2_19[] = {48, 45, 42, 40, 30, 24, 22, 20, 17.5f, 15, 12, 6, 3, 2.4f, 1.2f, .24f, .12f};
static const struct orr_search_rates rates_2_18_1[] = {
    {90, ORR_RATES(intra_sm90_2_18_1, inter_sm90_2_18_1)},
    {INT32_MIN, ORR_RATES(intra_2_18, inter_2_18)},
};
static const struct orr_search_rates rates_2_18_3[] = {
    {90, ORR_RATES(intra_sm90_2_18_1, inter_sm90_2_18_3)},
    {INT32_MIN, ORR_RATES(intra_2_18, inter_2_18)},
};
static const struct orr_search_rates rates_2_19[] = {
    {90, ORR_RATES(intra_sm90_2_19, inter_sm90_2_19)},
    {INT32_MIN, ORR_RATES(intra_2_18, inter_2_18)},
};
static const struct orr_search_rates rates_2_21[] = {
    {90, ORR_RATES(intra_sm90_2_21, inter_sm90_2_19)},
    {INT32_MIN, ORR_RATES(intra_2_18, inter_2_18)},
};

static void tune_2_18_1(struct orr_tuning_model *t)
{
    t->algorithm_count = 6;
    t->names[ORR_ALGO_NVLS_TREE] = "NVLSTree";
    t->nvls_by_ring = false;
    orr_set_base(t, ORR_ALGO_TREE, 6.8f, 14.0f, 0);
    orr_set_base(t, ORR_ALGO_RING, 6.6f, 14.0f, 8.4f);
    orr_set_base(t, ORR_ALGO_COLLNET_DIRECT, 6.8f, 14.0f, 0);
    orr_set_base(t, ORR_ALGO_COLLNET_CHAIN, 6.8f, 14.0f, 0);
    orr_set_base(t, ORR_ALGO_NVLS, 0, 0, 23);
    orr_set_base(t, ORR_ALGO_NVLS_TREE, 0, 0, 23);
    orr_set_steps(t, ORR_ALGO_TREE, ORR_LL, .6f, 1.0f, 5.0f);
    orr_set_steps(t, ORR_ALGO_RING, ORR_LL, .6f, 1.0f, 2.7f);
    orr_set_steps(t, ORR_ALGO_RING, ORR_SIMPLE, 3.4f, 5.7f, 14.0f);
    orr_set_steps(t, ORR_ALGO_COLLNET_CHAIN, ORR_SIMPLE, 4.75f, 8.0f, 14.0f);
    orr_set_steps(t, ORR_ALGO_NVLS, ORR_SIMPLE, 0, 0, 18);
    orr_set_steps(t, ORR_ALGO_NVLS_TREE, ORR_SIMPLE, 0, 0, 19);
    memset(t->row_max, 0, sizeof t->row_max);
    t->gathers = ORR_GATHERS_RING;
    t->nvls_ratio_rule = ORR_NVLS_RATIO_TREE;
    t->collnet_direct_sm90 = .85;
    t->collnet_chain = 1;
    t->net_latency = ORR_NET_LATENCY_ADDED;
    t->ll_intra_slower = false;
    t->net_overhead = true;
    t->chain_skips_net = false;
    t->plateau = ORR_PLATEAU_BY_CHANNEL;
    t->others_threads = 640;
}

static void at_2_18_1(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    r->nvlink_bw = r->nvlink_counted = nvlink_2_18;
    r->qpi_intel[ORR_INTEL_SKL] = r->qpi_intel[ORR_INTEL_SRP] = r->qpi_intel[ORR_INTEL_ERP] = 10;
    orr_set_path_types(r, types_2_18, ORR_LENGTH(types_2_18));
    r->has_nvs_paths = true;
    r->apart_by_type = r->shows_net_as_dis = true;
    r->pxn = ORR_PXN_LOCAL_GPU_PAST_PXB;
    r->net_choice = ORR_NET_DEALT;

    r->search_rates = rates_2_18_1;
    r->tree_keeps_ring_channels = true;
    r->collnet_always = false;
    r->nvls_max_channels = 32;
    r->nvls_least_gpus = 3;
    r->nvls_fixed_channels = r->nvls_any_channels = r->nvls_divides_rate = true;
    r->crossing_scope = ORR_CROSSING_SET_FOR_ALL;
    r->weighs_crossing = true;

    c->own_capability = true;
    c->double_sm_min = c->double_sm_max = 90;
    c->double_most = 16;
    c->nvls_one_node = false;
    c->nvls_channels_sm100_hosts = 16;
    c->nvls_trees_for_all = c->nvls_channels_stay = c->nvls_heads_repeat = true;
    c->p2p_schedule = ORR_P2P_BY_DISTANCE_OF_EIGHTS;
    tune_2_18_1(t);
}

static void at_2_18_3(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    r->search_rates = rates_2_18_3;
    r->steps_all = 327680;
    r->nvls_divides_rate = false;
    r->nvls_better = ORR_NVLS_BETTER_BY_CHANNELS;
    r->rates_by_total = r->lone_gpu_unbounded = true;
    r->checks_way_back = true;
    r->counts_connections = false;
    r->start_heads = ORR_HEADS_BY_NET_INDEX;
    r->doubling = ORR_DOUBLING_BY_CHANNELS;
    r->tree_for_sm90 = true;
    r->relaxes_split_tree = false;
    c->collnet_heads_distinct = true;
    orr_set_steps(t, ORR_ALGO_TREE, ORR_SIMPLE, 4.0f, 6.0f, 14.0f);
    orr_set_limit(t->tree_ll128[2], 36.7, 36.7, 29.0);
    orr_set_limit(t->tree_max[2], 38.7, 41.4, 36.0);
    t->tree_pattern_cost = ORR_TREE_COST_OWN;
    t->nvls_ratio = 5.0 / 6.0;
    t->ll128_over_nvb = true;
}

static void at_2_18_5(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    (void)c, (void)t;
    r->net_choice = ORR_NET_BY_MIRRORED_DEV;
    r->stands_by_index = true;
    r->net_lists = ORR_NETS_PREFERRED;
    r->start_heads = ORR_HEADS_OF_LIST;
}

static void at_2_19_3(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    (void)c;
    r->qpi_amd = 16;
    r->c2c = ORR_C2C_AS_NVLINK;
    r->reverse_of_any_type = false;
    r->stands_by_index = false;
    r->reads_only_with_nvlink = false;
    r->search_rates = rates_2_19;
    r->steps_all = 524288;
    r->nvls_any_channels = false;
    r->nvls_better = ORR_NVLS_BETTER_BY_RATE;
    r->crossing_scope = ORR_CROSSING_SOME;
    r->power_cpu_only = true;
    r->rotates_start_nets = true;
    r->start_gpus = ORR_START_ROTATED;
    r->start_heads = ORR_HEADS_OF_FIRST;
    r->switch_neighbours = ORR_NEIGHBOURS_FIRST;
    r->switch_skips_order = true;
    r->duplicates_early = r->raises_rings = r->amd_keeps_same_channels = true;

    orr_set_steps(t, ORR_ALGO_TREE, ORR_SIMPLE, 28, 28, 28);
    for (int a = ORR_ALGO_COLLNET_DIRECT; a <= ORR_ALGO_NVLS_TREE; a++)
        orr_set_base(t, (enum orr_algorithm)a, 0, 0, 0);
    orr_set_steps(t, ORR_ALGO_COLLNET_DIRECT, ORR_SIMPLE, 3.7f, 3.7f, 31);
    orr_set_steps(t, ORR_ALGO_COLLNET_CHAIN, ORR_SIMPLE, 2.8f, 2.8f, 30);
    orr_set_steps(t, ORR_ALGO_NVLS, ORR_SIMPLE, 23, 0, 18);
    orr_set_steps(t, ORR_ALGO_NVLS_TREE, ORR_SIMPLE, 23, 0, 14);
    t->nvls_rate = ORR_NVLS_LEAST;
    t->nvls_ratio_rule = ORR_NVLS_RATIO_FLAT;
    t->gathers = ORR_GATHERS_NVLS;
    t->collnet_direct_step = .4;
    t->nvls_latency = ORR_NVLS_LATENCY_STEPS;
    t->lists_spare_rings = false;
    t->ring_backup = true;
    t->nvls_gather_one_node = true;
}

/* NVLink domains over several hosts in the form of 2.20.5 (every host keeps its own system), which no other release
 * has, are not emulated. */
static void at_2_20_5(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    r->nvlink_bw = r->nvlink_counted = nvlink_2_20;
    r->flattening = ORR_FLATTEN_GEN4_GEN5;
    r->weighs_crossing = false;
    r->nic_pairs = ORR_PAIRS_ALL;
    c->rails = ORR_RAILS_ALTERNATE_EVEN;
    c->double_most = 15;
    c->nvls_heads_repeat = false;
    c->nvls_copies_channels = true;
    c->net_peer = ORR_NET_PEER_BY_SIZE;
    t->gathers = ORR_GATHERS_COLLNET;
    t->collnet_gather_measured = t->collnet_gather_bounded = true;
    t->collective_channels = true;
}

static void at_2_21_5(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    r->id_layout = ORR_ID_ADDED;
    r->fusion = ORR_FUSE_HOSTS;
    r->mnnvl = ORR_MNNVL_MUST;
    r->max_elements = 256;
    r->max_children = 128;
    r->max_links = 128;
    r->cpu_nics_of_first_system = true;
    r->unreached = ORR_PATH_DIS;
    r->shows_net_as_dis = false;
    r->diverts_gdr_always = false;
    r->single_gpu_total = 5000;
    r->search_rates = rates_2_21;
    r->nvls_counts_clique = true;
    r->lone_gpu_unbounded = false;
    r->empty_paths_are_free = false;
    r->switch_neighbours = ORR_NEIGHBOURS_ONLY;
    c->own_capability = false;
    c->aligns_cross_nic = true;
    c->rails = ORR_RAILS_ALTERNATE_CROSS;
    c->nvls_channels_stay = false;
    orr_set_steps(t, ORR_ALGO_NVLS, ORR_SIMPLE, 25, 0, 18);
    orr_set_steps(t, ORR_ALGO_NVLS_TREE, ORR_SIMPLE, 25, 0, 14);
    orr_set_limit(t->ll_max[2], 141.0, 45.0, 35.0);
    t->ring_ll = ORR_RING_LL_HALF;
}

const struct orr_release_step orr_steps_2_18_to_2_21[] = {
    {ORR_VERSION(2, 18, 1), "2.18.1", "2023-05",
     "NVLS over several hosts, PXN through a NIC's local GPU, NICs assigned in turn, new search bandwidths", at_2_18_1,
     true},
    {ORR_VERSION(2, 18, 3), "2.18.3", "2023-06",
     "Trees look at the path back, rates fit the GPUs' links, connection limits of NICs no longer count", at_2_18_3,
     true},
    {ORR_VERSION(2, 18, 5), "2.18.5", "2023-09", "NICs shared out by mirrored GPU index, preferred NICs first",
     at_2_18_5, true},
    {ORR_VERSION(2, 19, 3), "2.19.3", "2023-10",
     "C2C as NVLink, AMD sockets at 16 GB/s, GPUDirect RDMA for sending without NVLink, channels doubled before rates "
     "are raised",
     at_2_19_3, true},
    {ORR_VERSION(2, 20, 5), "2.20.5", "2024-03",
     "Rings enter and leave by pairs of NICs, Broadcom Gen5 switches, fewer channels per peer", at_2_20_5, true},
    {ORR_VERSION(2, 21, 5), "2.21.5", "2024-04",
     "NVLS and NVLink domains over hosts, the network used inside a host if it is faster, NICs shared out by mirrored "
     "GPU index, rates for capability 90",
     at_2_21_5, true},
    {0, NULL, NULL, NULL, NULL, false},
};
