/* SPDX-License-Identifier: Apache-2.0 */
/* What the releases 2.22.3 to 2.26.2 changed. */
#include "engine/release/release_steps.h"

static const uint8_t types_2_26[] = {ORR_PATH_LOC, ORR_PATH_NVL, ORR_PATH_NVB, ORR_PATH_C2C, ORR_PATH_PIX, ORR_PATH_PXB,
                                     ORR_PATH_PXN, ORR_PATH_PHB, ORR_PATH_SYS, ORR_PATH_NET, ORR_PATH_DIS};

static const struct orr_nvlink_bw nvlink_2_25[] = {
    {100, 40.0f}, {90, 20.6f}, {87, 20.0f}, {86, 12.0f}, {70, 20.0f}, {60, 18.0f}, {INT32_MIN, 20.0f},
};

/* Rates that the search tries, GB/s a channel. */
static const float intra_2_18[] = {40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3};
static const float inter_2_18[] = {48, 30, 28, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4f, 1.2f, .24f, .12f};
static const float intra_sm90[] = {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3};
static const float inter_sm90[] = {48, 45, 42, 40, 30, 24, 22, 20, 17.5f, 15, 12, 6, 3, 2.4f, 1.2f, .24f, .12f};
static const float intra_sm100_2_25[] = {90, 80, 70, 60, 50, 40, 30, 24, 20, 19};
static const struct orr_search_rates rates_2_25[] = {
    {100, ORR_RATES(intra_sm100_2_25, inter_sm90)},
    {90, ORR_RATES(intra_sm90, inter_sm90)},
    {INT32_MIN, ORR_RATES(intra_2_18, inter_2_18)},
};

static void at_2_22_3(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    r->fusion = ORR_FUSE_RANKS;
    r->gpu_links_itself = false;
    r->pci_peer_links = true;
    r->ascent = ORR_ASCENT_SWITCHES;
    r->collnet_direct = true;
    r->collnet_direct_most = INT32_MAX;
    r->start_heads = ORR_HEADS_ONCE;
    c->mixes_cpu = true;
    c->p2p_bounded = true;
    c->p2p_schedule = ORR_P2P_BY_NODE;
    t->one_collnet_graph = false;
    t->own_cpu = true;
    t->backup_obeys_protocols = true;
    t->small_sizes_uncorrected = true;
    t->collective_channels = false;
}

static void at_2_23_4(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    r->id_layout = ORR_ID_MASKED;
    r->first_cpu_unreached = false;
    r->p2p_default = ORR_P2P_PXB_BUT_AMD_PAIR;
    r->cross_nic_try = 2;
    r->start_heads = ORR_HEADS_NEXT;
    r->nic_pairs = ORR_PAIRS_RINGS;
    c->collnet_max_local_ranks = 0;
    t->algorithm_count = 7;
    t->names[ORR_ALGO_PAT] = "PAT";
    t->pat = .85;
    t->gather_unscaled = true;
    orr_set_base(t, ORR_ALGO_TREE, 6.8f, 14.0f, 8.4f);
    orr_set_steps(t, ORR_ALGO_TREE, ORR_SIMPLE, 4.0f, 4.0f, 14.0f);
    t->ring_ll128_alone = .92;
    t->net_latency = ORR_NET_LATENCY_BY_TREE;
    t->ring_steps = ORR_RING_STEPS_SEVERAL;
    t->fixed_threads = 640;
}

static void at_2_24_3(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    (void)c;
    r->merges_nic_functions = false;
    r->cpu_nics_of_first_system = false;
    t->own_cpu = false;
    t->mixed_vendor_as_amd = true;
    t->pat = .75;
    t->lists = ORR_LIST_BY_FUNCTION;
    t->ring_backup = false;
    t->fallback_to_ring_tree = false;
}

static void at_2_25_1(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    r->nvlink_bw = r->nvlink_counted = nvlink_2_25;
    r->max_channels = 64;
    r->max_links = 576;
    r->search_rates = rates_2_25;
    r->ring_max_channels = 32;
    r->collnet_direct_most = 8;
    r->nvls_max_channels = 64;
    r->nvls_counts_clique = false;
    r->mnnvl = ORR_MNNVL_TRIED;
    r->nvls_fixed_channels = false;
    r->types_from_system = true;
    c->double_sm_max = INT32_MAX;
    c->nvls_channels_sm100 = c->nvls_channels_sm100_hosts = 32;
    t->rows = 4;
    orr_set_limit(t->ll_max[3], 2 * 141.0, 2 * 45.0, 2 * 35.0);
    orr_set_limit(t->ring_ll128[3], 2 * 36.7, 2 * 36.7, 2 * 36.7);
    orr_set_limit(t->tree_ll128[3], 2 * 36.7, 2 * 36.7, 2 * 29.0);
    orr_set_limit(t->tree_max[3], 2 * 38.7, 2 * 41.4, 2 * 36.0);
    t->ll128_for = ORR_LL128_TO_120;
}

static void at_2_26_2(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    orr_set_path_types(r, types_2_26, ORR_LENGTH(types_2_26));
    r->qpi_intel[ORR_INTEL_SRP] = 22;
    r->qpi_intel[ORR_INTEL_ERP] = 40;
    r->newest_intel = ORR_INTEL_ERP;
    r->c2c = ORR_C2C_OWN;
    r->ascent = ORR_ASCENT_ONWARD;
    r->gdr_has_modes = true;
    r->gdr_counts_phb = true;
    r->splits_nvlink = true;
    c->rails = ORR_RAILS_ALTERNATE_PAIRS;
    t->tree_pattern_cost = ORR_TREE_COST_ANY;
    t->pat_least_sm = 60;
}

const struct orr_release_step orr_steps_2_22_to_2_26[] = {
    {ORR_VERSION(2, 22, 3), "2.22.3", NULL,
     "CollNetDirect has its own graph, links between PCIe switches count, every GPU heads NVLS once", at_2_22_3, true},
    {ORR_VERSION(2, 23, 4), "2.23.4", "2024-09",
     "P2P level PXB for all but pairs on AMD, rails kept by rings that enter and leave by two NICs in turn, PAT",
     at_2_23_4, true},
    {ORR_VERSION(2, 24, 3), "2.24.3", "2025-01",
     "NICs of one card may be used as one, functions of a card are NICs of their own, NCCL_ALGO by function", at_2_24_3,
     true},
    {ORR_VERSION(2, 25, 1), "2.25.1", NULL,
     "64 channels, rates and tuning for capability 100, type limits taken from the machine", at_2_25_1, true},
    {ORR_VERSION(2, 26, 2), "2.26.2", NULL,
     "C2C as a path type of its own, GPUDirect RDMA in PCIe mode, newer Intel CPUs", at_2_26_2, true},
    {0, NULL, NULL, NULL, NULL, false},
};
