/* SPDX-License-Identifier: Apache-2.0 */
/* What releases changed in the rules of the device side. The rules before 2.22.3 have not been read. */
#include "engine/release/device_rules.h"
#include "engine/release/release_steps.h"

static void at_2_22_3(struct orr_device_rules *d)
{
    d->covered = true;
}

static void at_2_23_4(struct orr_device_rules *d)
{
    d->direct_p2p = ORR_DIRECT_P2P_CONNECTED;
    d->ipc_registration = true;
}

static void at_2_24_3(struct orr_device_rules *d)
{
    d->counts_lone_ranks = true;
    d->ring_registration = true;
    d->pair_registration = ORR_PAIR_REG_WITHOUT_PXN;
}

static void at_2_25_1(struct orr_device_rules *d)
{
    d->all_nvlink = ORR_NVLINK_BY_FARTHEST;
    d->nvls_registered = ORR_NVLS_REGISTERED_BY_CAPABILITY;
}

static void at_2_26_2(struct orr_device_rules *d)
{
    d->pair_registration = ORR_PAIR_REG_OR_ALONE;
}

static void at_2_27_3(struct orr_device_rules *d)
{
    d->direct_p2p = ORR_DIRECT_P2P_PAIRS;
    d->symmetric = ORR_SYMMETRIC_ONE_NODE;
    d->nvls_registered = ORR_NVLS_REGISTERED_BY_HEADS;
}

static void at_2_28_3(struct orr_device_rules *d)
{
    d->rounds_sizes = true;
    d->lsa = ORR_LSA_NODE;
    d->copy_engine = ORR_CE_ASKED;
}

static void at_2_28_7(struct orr_device_rules *d)
{
    d->direct_p2p_alone = true;
    d->cuda_p2p = true;
    d->symmetric = ORR_SYMMETRIC_ANY_NODES;
    d->lsa = ORR_LSA_RUNS;
    d->gin = ORR_GIN_AT_CONNECTION;
}

static void at_2_29_2(struct orr_device_rules *d)
{
    d->direct_nvlink = ORR_DIRECT_NVLINK_PAIRS;
    d->symmetric = ORR_SYMMETRIC_OWN_GIN;
    d->windows_become_null = true;
    d->kernels_over_nodes = d->kernels_need_nvlink = d->kernels_by_window = true;
    d->ll_yields = ORR_LL_BY_PROTOCOL;
    d->gin = ORR_GIN_OF_RANK;
    d->gin_kernels = ORR_GIN_KERNELS_GATHER;
    d->has_rma = true;
    d->copy_engine = ORR_CE_ONE_NODE;
}

static void at_2_29_7(struct orr_device_rules *d)
{
    d->symmetric = ORR_SYMMETRIC_ALL_GIN;
    d->multimem_past_two = true;
    d->ll_yields = ORR_LL_BY_WINDOWS;
    d->lsa = ORR_LSA_RUNS_AND_SETTING;
    d->gin = ORR_GIN_OF_ALL;
    d->gin_enable_in_time = true;
    d->gin_kernels = ORR_GIN_KERNELS_RAIL;
    d->gin_ld_rates[0] = 14.5f;
    d->gin_ld_rates[1] = 5.0f;
    d->gin_ldmc_rates[0] = 9.85f;
    d->gin_ldmc_rates[1] = 2.25f;
    d->gin_chunk = 64 << 10;
    d->rma_of_all = true;
}

static void at_2_30_4(struct orr_device_rules *d)
{
    d->has_tma = true;
    d->gin_rate_of_all = true;
    d->copy_engine = ORR_CE_ONE_TEAM;
}

static void at_2_30_7(struct orr_device_rules *d)
{
    d->all_nvlink = ORR_NVLINK_OF_ALL;
    d->direct_nvlink = ORR_DIRECT_NVLINK_OR_ALONE;
    d->gin_enable_in_time = false;
    d->gin_with_fused_nics = d->gin_not_partitioned = true;
    d->gin_sm_min = 70;
    d->gin_ld_rates[0] = 13.7f;
    d->gin_ld_rates[1] = 26.6f;
    d->gin_ldmc_rates[0] = 4.22f;
    d->gin_ldmc_rates[1] = 8.44f;
    d->gin_chunk = 128 << 10;
    d->rma_counts_contexts = true;
    d->copy_engine_over_nodes = true;
    d->nvls_registered = ORR_NVLS_REGISTERED_BY_RATE;
}

void orr_device_rules_step(uint32_t version, struct orr_device_rules *rules)
{
    static const struct {
        uint32_t version;
        void (*change)(struct orr_device_rules *rules);
    } steps[] = {
        {ORR_VERSION(2, 22, 3), at_2_22_3}, {ORR_VERSION(2, 23, 4), at_2_23_4}, {ORR_VERSION(2, 24, 3), at_2_24_3},
        {ORR_VERSION(2, 25, 1), at_2_25_1}, {ORR_VERSION(2, 26, 2), at_2_26_2}, {ORR_VERSION(2, 27, 3), at_2_27_3},
        {ORR_VERSION(2, 28, 3), at_2_28_3}, {ORR_VERSION(2, 28, 7), at_2_28_7}, {ORR_VERSION(2, 29, 2), at_2_29_2},
        {ORR_VERSION(2, 29, 7), at_2_29_7}, {ORR_VERSION(2, 30, 4), at_2_30_4}, {ORR_VERSION(2, 30, 7), at_2_30_7},
    };
    for (size_t i = 0; i < ORR_LENGTH(steps); i++)
        if (steps[i].version == version)
            steps[i].change(rules);
}
