#include "engine/release/detect_rules.h"

#include <stddef.h>

/* Oldest first. 2.7.8 is taken to find NICs as 2.12.12 does: what it does itself is not known. */
static const struct orr_detect_rules rows[] = {
    {
        .since = ORR_VERSION(2, 7, 8),
        .trim = ORR_TRIM_NONE,
        .functions = ORR_FUNCTIONS_OF_SLOT_DIGIT,
        .max_ib_devices = 16,
        .rates_end_at_hdr = true,
        .peer_memory = ORR_PEER_NV_MEM,
    },
    {
        .since = ORR_VERSION(2, 12, 12),
        .trim = ORR_TRIM_CHILDLESS,
        .usual_file = true,
        .device_ids = true,
        .functions = ORR_FUNCTIONS_OF_SLOT_DIGIT,
        .max_ib_devices = 16,
        .rates_end_at_hdr = true,
        .peer_memory = ORR_PEER_NV_MEM | ORR_PEER_NVIDIA,
        .latency = true,
    },
    {
        .since = ORR_VERSION(2, 21, 5),
        .sorts_by_bus = true,
        .hash = ORR_HASH_BYTEWISE,
        .trim = ORR_TRIM_CHILDLESS,
        .usual_file = true,
        .device_ids = true,
        .probes_18_nvlinks = true,
        .c2c = true,
        .functions = ORR_FUNCTIONS_OF_BUS,
        .max_ib_devices = 32,
        .peer_memory = ORR_PEER_NV_MEM,
        .dma_buf = true,
        .latency = true,
    },
    {
        .since = ORR_VERSION(2, 27, 7),
        .fuses_ranks = true,
        .sorts_by_bus = true,
        .hash = ORR_HASH_WIDE,
        .trim = ORR_TRIM_UNCLAIMED,
        .usual_file = true,
        .device_ids = true,
        .probes_18_nvlinks = true,
        .c2c = true,
        .peer_links = true,
        .functions = ORR_FUNCTIONS_OF_BUS,
        .max_ib_devices = 32,
        .peer_memory = ORR_PEER_NV_MEM | ORR_PEER_NV_MEM_NC | ORR_PEER_MODULE,
        .dma_buf = true,
        .latency = true,
        .latency_is_whole = true,
    },
    {
        .since = ORR_VERSION(2, 28, 0),
        .fuses_ranks = true,
        .sorts_by_bus = true,
        .hash = ORR_HASH_WIDE,
        .trim = ORR_TRIM_UNCLAIMED,
        .usual_file = true,
        .device_ids = true,
        .probes_18_nvlinks = true,
        .c2c = true,
        .peer_links = true,
        .functions = ORR_FUNCTIONS_OF_BUS,
        .max_ib_devices = 32,
        .peer_memory = ORR_PEER_NV_MEM | ORR_PEER_NV_MEM_NC | ORR_PEER_MODULE,
        .dma_buf = true,
        .latency = true,
        .latency_is_whole = true,
        .interfaces_run = true,
    },
    {
        .since = ORR_VERSION(2, 30, 0),
        .fuses_ranks = true,
        .sorts_by_bus = true,
        .hash = ORR_HASH_WIDE,
        .trim = ORR_TRIM_UNCLAIMED,
        .usual_file = true,
        .device_ids = true,
        .affinity_always = true,
        .pci_from_nvml = true,
        .mlopart = true,
        .probes_18_nvlinks = true,
        .c2c = true,
        .blank_far_end_is_switch = true,
        .peer_links = true,
        .functions = ORR_FUNCTIONS_OF_BUS,
        .nics_by_bus = true,
        .max_ib_devices = 32,
        .peer_memory = ORR_PEER_NV_MEM | ORR_PEER_NV_MEM_NC | ORR_PEER_MODULE,
        .dma_buf = true,
        .latency = true,
        .latency_is_whole = true,
        .says_net = true,
        .rails = true,
        .interfaces_run = true,
    },
};

const struct orr_detect_rules *orr_detect_rules_of(const struct orr_release *release)
{
    size_t i = sizeof rows / sizeof rows[0] - 1;
    while (i > 0 && rows[i].since > release->version)
        i--;
    return &rows[i];
}

enum orr_nic_merge orr_nic_merge_of(const struct orr_release *release)
{
    static const struct {
        uint32_t since;
        enum orr_nic_merge merge;
    } merges[] = {
        {ORR_VERSION(2, 20, 3), ORR_MERGE_IN_PLUGIN},
        {ORR_VERSION(2, 24, 3), ORR_MERGE_VIRTUAL},
        {ORR_VERSION(2, 30, 0), ORR_MERGE_VIRTUAL_WIDE},
    };
    enum orr_nic_merge merge = ORR_MERGE_NONE;
    for (size_t i = 0; i < sizeof merges / sizeof merges[0] && merges[i].since <= release->version; i++)
        merge = merges[i].merge;
    return merge;
}
