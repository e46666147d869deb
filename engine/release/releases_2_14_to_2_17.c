/* SPDX-License-Identifier: Apache-2.0 */
/* What the releases 2.14.3 to 2.17.1 changed. */
#include "engine/release/release_steps.h"

/* Rates that the search tries, GB/s a channel. */
static const float intra_2_15[] = {44, 30, 22, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3};
static const float inter_2_15[] = {48, 30, 28, 24, 22, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4f, 1.2f, .24f, .12f};
static const float intra_sm90_2_16[] = {66, 33, 24, 20, 15, 12, 6, 3};
static const float inter_sm90_2_16[] = {48, 45, 30, 24, 15, 12, 6, 3, 2.4f, 1.2f, .24f, .12f};
static const struct orr_search_rates rates_2_15[] = {{INT32_MIN, ORR_RATES(intra_2_15, inter_2_15)}};
static const struct orr_search_rates rates_2_16[] = {
    {90, ORR_RATES(intra_sm90_2_16, inter_sm90_2_16)},
    {INT32_MIN, ORR_RATES(intra_2_15, inter_2_15)},
};

static void split_collnet(struct orr_tuning_model *t)
{
    t->algorithm_count = 4;
    t->names[ORR_ALGO_COLLNET_DIRECT] = "CollNetDirect";
    t->names[ORR_ALGO_COLLNET_CHAIN] = "CollNetChain";
    t->one_collnet = false;
    for (int a = ORR_ALGO_COLLNET_DIRECT; a <= ORR_ALGO_COLLNET_CHAIN; a++) {
        orr_set_base(t, (enum orr_algorithm)a, 4.4f, 4.4f, 0);
        orr_set_steps(t, (enum orr_algorithm)a, ORR_LL, 0, 0, 0);
        orr_set_steps(t, (enum orr_algorithm)a, ORR_LL128, 0, 0, 0);
        orr_set_steps(t, (enum orr_algorithm)a, ORR_SIMPLE, 8.0f, 8.0f, 10.7f);
    }
    t->collnet_chain = .75;
    t->chain_skips_net = true;
    t->needs_nvswitch = true;
    t->others_threads = 512;
    t->threshold_list_zeroes_collnet = false;
    t->simple_threads[ORR_ALGO_COLLNET_DIRECT] = 0;
}

/* Includes a change of 2.13.4: the NIC of point-to-point transfers. */
static void at_2_14_3(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    r->separation = ORR_APART_WHERE_NETWORK_IS_BETTER;
    r->peer_by_number = true;
    r->pxn = ORR_PXN_FIRST_FASTER;
    c->collnet_chains = true;
    c->chains_by_tree = true;
    split_collnet(t);
    orr_set_steps(t, ORR_ALGO_RING, ORR_SIMPLE, 3.4f, 5.7f, 9.6f);
    t->least_threads = 96;
}

/* 2.15.1 still forms CollNet chains in the order of the tree graph. */
static void at_2_15_5(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    r->search_rates = rates_2_15;
    c->chains_by_tree = false;
    t->capability_row = ORR_ROW_UNIFORM_80_90;
    t->rows = 3;
    orr_set_limit(t->ll_max[2], 87.7, 22.5, 19.0);
    orr_set_limit(t->tree_max[2], 24.0, 23.6, 17.8);
    orr_set_limit(t->ring_ll128[2], 20.0, 20.0, 20.0);
    orr_set_limit(t->tree_ll128[2], 20.0, 20.0, 20.0);
    t->ll128_for = ORR_LL128_70_80_90;
}

static void at_2_16_2(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    (void)c, (void)t;
    r->qpi_amd = 16;
}

static void at_2_16_5(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    (void)c, (void)t;
    r->qpi_amd = 5000;
    r->search_rates = rates_2_16;
    r->doubling = ORR_DOUBLING_UP_TO_90;
}

static void at_2_17_1(struct orr_release *r, struct orr_connect_rules *c, struct orr_tuning_model *t)
{
    r->nvls_least_gpus = 2;
    r->collnet_graph_is_chain = true;
    r->ring_follows_tree = r->nets_as_aligned = false;
    c->nvls_channels = c->nvls_channels_sm100 = 16;
    c->nvls_one_node = true;
    t->algorithm_count = 5;
    t->names[ORR_ALGO_NVLS] = "NVLS";
    t->nvls_by_ring = true;
    orr_set_base(t, ORR_ALGO_NVLS, 0, 0, 40);
    t->capability_row = ORR_ROW_BY_LEAST;
    orr_set_limit(t->ring_ll128[2], 36.7, 36.7, 36.7);
    orr_set_limit(t->tree_ll128[2], 36.7, 36.7, 36.7);
    orr_set_limit(t->tree_max[2], 38.7, 41.4, 33.0);
    t->row_max[2] = 370;
    t->gathers = ORR_GATHERS_NVLS;
    t->nvls_ratio_rule = ORR_NVLS_RATIO_FLAT;
    t->nvls_ratio = .75;
    t->lists_for_allreduce = false;
    t->lists_spare_rings = true;
    t->ll128_nics = ORR_LL128_NICS_PXN;
    t->plateau = ORR_PLATEAU_BY_RANKS_AND_SM;
}

const struct orr_release_step orr_steps_2_14_to_2_17[] = {
    {ORR_VERSION(2, 14, 3), "2.14.3", NULL,
     "The network is used inside a host if it is faster, PXN where the other GPU's path is faster, CollNet as two "
     "algorithms",
     at_2_14_3, true},
    {ORR_VERSION(2, 15, 5), "2.15.5", NULL, "One more search rate between hosts, tuning for capability 90", at_2_15_5,
     true},
    {ORR_VERSION(2, 16, 2), "2.16.2", NULL, "As 2.15.5; the link between AMD sockets counts as 16 GB/s", at_2_16_2,
     true},
    {ORR_VERSION(2, 16, 5), "2.16.5", "2023-02",
     "The link between AMD sockets counts as free again; search rates for capability 90", at_2_16_5, true},
    {ORR_VERSION(2, 17, 1), "2.17.1", NULL, "NVLS inside one host, tuning limits for capability 90", at_2_17_1, true},
    {0, NULL, NULL, NULL, NULL, false},
};
