/* SPDX-License-Identifier: Apache-2.0 */
/* What the releases 2.27.3 to 2.30.7 changed. */
#include "engine/release/release_steps.h"

static const uint8_t types_2_27_3[] = {ORR_PATH_LOC, ORR_PATH_NVL, ORR_PATH_NVB, ORR_PATH_C2C,
                                       ORR_PATH_PIX, ORR_PATH_PXB, ORR_PATH_PXN, ORR_PATH_P2C,
                                       ORR_PATH_PHB, ORR_PATH_SYS, ORR_PATH_NET, ORR_PATH_DIS};
static const uint8_t types_2_27_5[] = {ORR_PATH_LOC, ORR_PATH_NVL, ORR_PATH_NVB, ORR_PATH_C2C,
                                       ORR_PATH_PIX, ORR_PATH_PXB, ORR_PATH_P2C, ORR_PATH_PXN,
                                       ORR_PATH_PHB, ORR_PATH_SYS, ORR_PATH_NET, ORR_PATH_DIS};

static const struct orr_nvlink_bw nvlink_2_27_5[] = {
    {100, 40.1f}, {90, 20.6f}, {87, 20.0f}, {86, 12.0f}, {70, 20.0f}, {60, 18.0f}, {INT32_MIN, 20.0f},
};

/* Rates that the search tries, GB/s a channel. */
static const float intra_2_18[] = {40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3};
static const float inter_2_18[] = {48, 30, 28, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4f, 1.2f, .24f, .12f};
static const float intra_sm90[] = {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3};
static const float inter_sm90[] = {48, 45, 42, 40, 30, 24, 22, 20, 17.5f, 15, 12, 6, 3, 2.4f, 1.2f, .24f, .12f};
static const float intra_sm100_2_27[] = {90, 80, 70, 60, 50, 40, 30, 24, 20, 19, 18};
static const float intra_sm100_2_29[] = {90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18};
static const float inter_sm100_2_27_3[] = {47.9f, 45.0f, 42, 40, 30,   24,   22,   20,  17.5f,
                                           15,    12,    6,  3,  2.4f, 1.2f, .24f, .12f};
static const float inter_sm100_2_27_5[] = {48, 45.1f, 42, 40, 30,   24,   22,   20,  17.5f,
                                           15, 12,    6,  3,  2.4f, 1.2f, .24f, .12f};
static const float inter_sm100_2_27_7[] = {96,    48, 45.1f, 42, 40, 30,   24,   22,   20,
                                           17.5f, 15, 12,    6,  3,  2.4f, 1.2f, .24f, .12f};
static const float inter_sm100_2_29_7[] = {96,    80, 48, 45.1f, 42, 40,   30,   24,   22,  20,
                                           17.5f, 15, 12, 6,     3,  2.4f, 1.2f, .24f, .12f};
static const float inter_sm100_2_30[] = {96, 86,    80, 48, 45.1f, 42, 40,   30,   24,   22,
                                         20, 17.5f, 15, 12, 6,     3,  2.4f, 1.2f, .24f, .12f};

#define BEFORE_SM100                                                                                                   \
    {90, ORR_RATES(intra_sm90, inter_sm90)},                                                                           \
    {                                                                                                                  \
        INT32_MIN, ORR_RATES(intra_2_18, inter_2_18)                                                                   \
    }
static const struct orr_search_rates rates_2_27_3[] = {{100, ORR_RATES(intra_sm100_2_27, inter_sm100_2_27_3)},
                                                       BEFORE_SM100};
static const struct orr_search_rates rates_2_27_5[] = {{100, ORR_RATES(intra_sm100_2_27, inter_sm100_2_27_5)},
                                                       BEFORE_SM100};
static const struct orr_search_rates rates_2_27_7[] = {{100, ORR_RATES(intra_sm100_2_27, inter_sm100_2_27_7)},
                                                       BEFORE_SM100};
static const struct orr_search_rates rates_2_29_2[] = {{100, ORR_RATES(intra_sm100_2_29, inter_sm100_2_27_7)},
                                                       BEFORE_SM100};
static const struct orr_search_rates rates_2_29_7[] = {{100, ORR_RATES(intra_sm100_2_29, inter_sm100_2_29_7)},
                                                       BEFORE_SM100};
static const struct orr_search_rates rates_2_30[] = {{100, ORR_RATES(intra_sm100_2_29, inter_sm100_2_30)},
                                                     BEFORE_SM100};

static void at_2_27_3(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    orr_set_path_types(r, types_2_27_3, ORR_LENGTH(types_2_27_3));
    r->mnnvl = ORR_MNNVL_CLIQUES;
    r->max_nodes = 576;
    r->retags_c2c = r->retags_phb_only = r->p2c_past_pxn = true;
    r->gdr_counts_phb = false;
    r->search_rates = rates_2_27_3;
    r->checks_unreachable = true;
    r->start_gpus = ORR_START_NEAREST;
    c->nvls_channels_sm100 = 24;
    t->nvls_rate = ORR_NVLS_BY_FUNCTION;
    t->gather_by_collnet = true;
    t->collnet_gather_measured = t->collnet_gather_bounded = false;
    t->ll128_for = ORR_LL128_FROM_70;
    t->ll128_nics = ORR_LL128_NICS_P2C;
    t->collnet_direct_max_local_ranks = 8;
    t->nvls_gather_one_node = false;
    t->nvls_gather_max_local_ranks = 32;
    t->channel_traffic = 16 * 1024;
}

static void at_2_27_5(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    (void)c;
    orr_set_path_types(r, types_2_27_5, ORR_LENGTH(types_2_27_5));
    r->nvlink_bw = r->nvlink_counted = nvlink_2_27_5;
    r->pxn = ORR_PXN_LOCAL_GPU_PAST_RELAY;
    r->retags_phb_only = r->p2c_past_pxn = false;
    r->composes_p2c = true;
    r->search_rates = rates_2_27_5;
    r->start_gpus = ORR_START_LOCAL_GPU;
    r->replays_first = false;
    t->ll128_nics = ORR_LL128_NICS_C2C;
}

static void at_2_27_7(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    (void)c, (void)t;
    r->pxn = ORR_PXN_LOCAL_GPU_PAST_PXN;
    r->peers_relay_over_c2c = true;
    r->search_rates = rates_2_27_7;
}

static void at_2_28_3(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    r->clique_by_chassis = true;
    c->rails = ORR_RAILS_ALTERNATE_OWN;
    c->heads_of_nvls = true;
    c->net_peer_positive = true;
    c->nvls_trees_for_all = c->nvls_copies_channels = false;
    orr_set_base(t, ORR_ALGO_PAT, 8, 8, 8);
    orr_set_steps(t, ORR_ALGO_PAT, ORR_SIMPLE, 4.0f, 4.0f, 14.0f);
    t->pat_table_base = true;
    orr_set_limit(t->tree_ll128[3], 55.6, 31.67, 20.0);
    orr_set_limit(t->tree_max[3], 70.0, 42.8, 24.0);
    orr_set_limit(t->nvls_tree_max[0], 26.5, 18.5, 10.0);
    orr_set_limit(t->nvls_tree_max[1], 24.0, 23.6, 17.8);
    orr_set_limit(t->nvls_tree_max[2], 0, 57.7, 45.5);
    orr_set_limit(t->nvls_tree_max[3], 0, 96.0, 43.1);
    t->nvls_rate = ORR_NVLS_BY_SHARE;
    t->nvls_efficiency[2] = .85;
    t->nvls_efficiency[3] = .74;
    t->nvls_ratio_rule = ORR_NVLS_RATIO_RING;
    t->nvls_least_channels = 2;
    t->chain_max_local_ranks = 8;
    t->collnet_chain_max_local_ranks = 8;
    t->time_limit = 0;
    t->nvls_bounded = true;
}

static void at_2_28_7(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    r->reads_bare_guids = true;
    r->keeps_nets = true;
    r->policy_limits_lists = true;
    r->nvls_least_gpus = 2;
    c->p2p_schedule = ORR_P2P_BY_GROUP;
    c->groups_one_node = true;
    orr_set_limit(t->ring_ll128[3], 73.4, 34.6, 73.4);
}

static void at_2_28_9(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    (void)r;
    c->groups_one_node = false;
    orr_set_steps(t, ORR_ALGO_NVLS_TREE, ORR_SIMPLE, 25, 0, 20.9f);
    orr_set_limit(t->nvls_tree_max[3], 0, 96.0, 43.8);
}

static void at_2_29_2(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    r->gdr_level_c2c = true;
    r->retags_near_nets_only = true;
    r->exchanges_net_rates = true;
    r->nets_needed = ORR_NETS_TO_OTHERS;
    r->search_rates = rates_2_29_2;
    r->any_inter_before_sm90 = true;
    r->simple_order_by_preference = true;
    c->net_peer = ORR_NET_PEER_BY_RATE;
    orr_set_limit(t->ring_ll128[3], 34.5, 34.6, 34.5);
    t->nvls_tree_correction_sizes = 24;
    t->channel_traffic = 32 * 1024;
}

static void at_2_29_7(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    (void)c;
    r->max_children = 640;
    r->max_nodes = 640;
    r->has_gin = true;
    r->search_rates = rates_2_29_7;
    orr_set_limit(t->ring_ll128[3], 40.0, 40.0, 40.0);
}

static void at_2_30_4(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    r->pci_kind = ORR_KIND_EVERY_GPU;
    r->has_devs = true;
    r->nets_needed = ORR_NETS_ALWAYS;
    r->pxn = ORR_PXN_LOCAL_GPU_WITH_GDR;
    r->search_rates = rates_2_30;
    c->nvls_by_net_rate = true;
    orr_set_limit(t->nvls_tree_max[3], 0, 96.0, 80.0);
    t->ll128_for = ORR_LL128_FROM_70_MIXED;
}

static void at_2_30_7(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    (void)t;
    r->graph_file_ranks = true;
    r->has_partitions = true;
    r->has_rma = true;
    r->refuses_gpu_bridges = true;
    r->admission = ORR_ADMIT_NEARER;
    r->cpu_by_rate = true;
    r->net_choice = ORR_NET_BY_MIRRORED_SHARE;
    r->knows_rails = true;
    r->nets_as_aligned = true;
    c->nvb_counts = true;
    c->chain_heads_must_fit = true;
}

const struct orr_release_step orr_steps_2_27_to_2_30[] = {
    {ORR_VERSION(2, 27, 3), "2.27.3", NULL,
     "P2C paths from GPUs on C2C to NICs, GPUDirect RDMA over C2C, LL128 from capability 70 on", at_2_27_3, true},
    {ORR_VERSION(2, 27, 5), "2.27.5", NULL,
     "P2C counts as nearer than PXN, channels repeat the one before or search freely, not both", at_2_27_5, true},
    {ORR_VERSION(2, 27, 7), "2.27.7", "2025-07",
     "C2C and P2C paths, GPUDirect RDMA over C2C, P2P level PXB for all but pairs on AMD, rails kept by rings that "
     "alternate between two NICs, rates for capability 100",
     at_2_27_7, true},
    {ORR_VERSION(2, 28, 3), "2.28.3", NULL,
     "PXN over C2C, NICs shared out by policy (NCCL_NETDEVS_POLICY), another model of NVLS", at_2_28_3, true},
    {ORR_VERSION(2, 28, 7), "2.28.7", NULL, "NICs stay in the graph of a single host, NVLS from two GPUs on", at_2_28_7,
     true},
    {ORR_VERSION(2, 28, 9), "2.28.9", "2025-11", "As 2.28.7, with other figures for NVLSTree", at_2_28_9, true},
    {ORR_VERSION(2, 29, 2), "2.29.2", NULL,
     "Point-to-point channels by the rate of NICs, GPUDirect RDMA up to P2C, P2C only for the nearest NICs", at_2_29_2,
     true},
    {ORR_VERSION(2, 29, 7), "2.29.7", "2026-03", "GIN devices, one more search rate for capability 100", at_2_29_7,
     true},
    {ORR_VERSION(2, 30, 4), "2.30.4", NULL,
     "Ranks hang on physical GPUs (DEV), PXN by GPUs with GPUDirect RDMA, NVLS channels by the rate of NICs", at_2_30_4,
     true},
    {ORR_VERSION(2, 30, 7), "2.30.7", "2026-06",
     "Ranks hang on physical GPUs (DEV), the nearest path wins before the fastest, PXN by GPUs with GPUDirect RDMA, "
     "rails and planes of NICs, NVLS from two GPUs on",
     at_2_30_7, true},
    {0, NULL, NULL, NULL, NULL, false},
};
