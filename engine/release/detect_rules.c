/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/release/detect_rules.h"

#include <stddef.h>

/* What each release changed. If it is only known that two releases differ, the newer one is assumed to have changed
 * it: engine/detect/README.md lists these. */
static void start(struct orr_detect_rules *r)
{
    *r = (struct orr_detect_rules){.functions = ORR_FUNCTIONS_OF_SLOT,
                                   .max_ib_devices = 16,
                                   .rates_end_at_hdr = true,
                                   .lanes_end_at_12 = true,
                                   .peer_memory = ORR_PEER_NV_MEM};
}

static void at_2_8_3(struct orr_detect_rules *r)
{
    r->trim = ORR_TRIM_CHILDLESS;
    r->adds_nvlinks_again = true;
}

static void at_2_9_6(struct orr_detect_rules *r)
{
    r->device_ids = true;
}

static void at_2_10_3(struct orr_detect_rules *r)
{
    r->usual_file = true;
    r->class_of_sys = true;
    r->without_sys = true;
}

static void at_2_11_4(struct orr_detect_rules *r)
{
    r->adds_nvlinks_again = false;
    r->functions = ORR_FUNCTIONS_OF_SLOT_DIGIT;
}

static void at_2_12_7(struct orr_detect_rules *r)
{
    r->latency = true;
    r->peer_memory |= ORR_PEER_NVIDIA;
}

static void at_2_13_4(struct orr_detect_rules *r)
{
    r->dma_buf = true;
}

static void at_2_14_3(struct orr_detect_rules *r)
{
    r->lanes_end_at_12 = false;
}

static void at_2_15_1(struct orr_detect_rules *r)
{
    r->probes_18_nvlinks = true;
}

static void at_2_16_5(struct orr_detect_rules *r)
{
    r->rates_end_at_hdr = false;
}

static void at_2_18_1(struct orr_detect_rules *r)
{
    r->merge_vfs = true;
}

static void at_2_18_3(struct orr_detect_rules *r)
{
    r->functions = ORR_FUNCTIONS_OF_BUS;
}

static void at_2_18_5(struct orr_detect_rules *r)
{
    r->sorts_by_bus = true;
}

static void at_2_19_3(struct orr_detect_rules *r)
{
    r->c2c = true;
}

static void at_2_21_5(struct orr_detect_rules *r)
{
    r->hash = ORR_HASH_BYTEWISE;
    r->max_ib_devices = 32;
    r->peer_memory = ORR_PEER_NV_MEM;
}

static void at_2_22_3(struct orr_detect_rules *r)
{
    r->fuses_ranks = true;
    r->trim = ORR_TRIM_UNCLAIMED_PLACES;
    r->peer_links = true;
    r->peer_memory |= ORR_PEER_NV_MEM_NC;
}

static void at_2_23_4(struct orr_detect_rules *r)
{
    r->peer_memory |= ORR_PEER_MODULE;
}

static void at_2_24_3(struct orr_detect_rules *r)
{
    r->latency_is_whole = true;
}

static void at_2_26_2(struct orr_detect_rules *r)
{
    r->hash = ORR_HASH_WIDE;
}

static void at_2_27_3(struct orr_detect_rules *r)
{
    r->trim = ORR_TRIM_UNCLAIMED;
}

static void at_2_28_3(struct orr_detect_rules *r)
{
    r->interfaces_run = true;
}

static void at_2_29_7(struct orr_detect_rules *r)
{
    r->nics_by_bus = true;
    r->says_net = true;
}

static void at_2_30_7(struct orr_detect_rules *r)
{
    r->affinity_always = true;
    r->pci_from_nvml = true;
    r->blank_far_end_is_switch = true;
    r->mlopart = true;
    r->rails = true;
}

static const struct {
    uint32_t since;
    void (*change)(struct orr_detect_rules *r);
} steps[] = {
    /* clang-format off */
    {ORR_VERSION(2, 8, 3), at_2_8_3},
    {ORR_VERSION(2, 9, 6), at_2_9_6},
    {ORR_VERSION(2, 10, 3), at_2_10_3},
    {ORR_VERSION(2, 11, 4), at_2_11_4},
    {ORR_VERSION(2, 12, 7), at_2_12_7},
    {ORR_VERSION(2, 13, 4), at_2_13_4},
    {ORR_VERSION(2, 14, 3), at_2_14_3},
    {ORR_VERSION(2, 15, 1), at_2_15_1},
    {ORR_VERSION(2, 16, 5), at_2_16_5},
    {ORR_VERSION(2, 18, 1), at_2_18_1},
    {ORR_VERSION(2, 18, 3), at_2_18_3},
    {ORR_VERSION(2, 18, 5), at_2_18_5},
    {ORR_VERSION(2, 19, 3), at_2_19_3},
    {ORR_VERSION(2, 21, 5), at_2_21_5},
    {ORR_VERSION(2, 22, 3), at_2_22_3},
    {ORR_VERSION(2, 23, 4), at_2_23_4},
    {ORR_VERSION(2, 24, 3), at_2_24_3},
    {ORR_VERSION(2, 26, 2), at_2_26_2},
    {ORR_VERSION(2, 27, 3), at_2_27_3},
    {ORR_VERSION(2, 28, 3), at_2_28_3},
    {ORR_VERSION(2, 29, 7), at_2_29_7},
    {ORR_VERSION(2, 30, 7), at_2_30_7},
    /* clang-format on */
};

void orr_detect_rules_of(const struct orr_release *release, struct orr_detect_rules *ret_rules)
{
    start(ret_rules);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && steps[i].since <= release->version; i++)
        steps[i].change(ret_rules);
}

enum orr_nic_merge orr_nic_merge_of(const struct orr_release *release)
{
    static const struct {
        uint32_t since;
        enum orr_nic_merge merge;
    } merges[] = {
        {ORR_VERSION(2, 20, 3), ORR_MERGE_IN_PLUGIN},    {ORR_VERSION(2, 24, 3), ORR_MERGE_VIRTUAL_ONCE},
        {ORR_VERSION(2, 26, 2), ORR_MERGE_VIRTUAL_ALL},  {ORR_VERSION(2, 27, 3), ORR_MERGE_VIRTUAL},
        {ORR_VERSION(2, 28, 3), ORR_MERGE_VIRTUAL_WIDE}, {ORR_VERSION(2, 30, 7), ORR_MERGE_VIRTUAL_SLOT},
    };
    enum orr_nic_merge merge = ORR_MERGE_NONE;
    for (size_t i = 0; i < sizeof merges / sizeof merges[0] && merges[i].since <= release->version; i++)
        merge = merges[i].merge;
    return merge;
}
