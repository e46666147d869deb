#include "engine/release/release.h"

#include <string.h>

#include "engine/release/connect_rules.h"
#include "engine/release/tuning_model.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const uint8_t path_types_2_7[] = {ORR_PATH_LOC, ORR_PATH_NVL, ORR_PATH_PIX, ORR_PATH_PXB,
                                         ORR_PATH_PHB, ORR_PATH_SYS, ORR_PATH_NET};
static const uint8_t path_types_2_12[] = {ORR_PATH_LOC, ORR_PATH_NVL, ORR_PATH_NVB, ORR_PATH_PIX,
                                          ORR_PATH_PXB, ORR_PATH_PXN, ORR_PATH_PHB, ORR_PATH_SYS};
static const uint8_t path_types_2_21[] = {ORR_PATH_LOC, ORR_PATH_NVL, ORR_PATH_NVB, ORR_PATH_PIX, ORR_PATH_PXB,
                                          ORR_PATH_PXN, ORR_PATH_PHB, ORR_PATH_SYS, ORR_PATH_NET, ORR_PATH_DIS};
static const uint8_t path_types_2_27[] = {ORR_PATH_LOC, ORR_PATH_NVL, ORR_PATH_NVB, ORR_PATH_C2C,
                                          ORR_PATH_PIX, ORR_PATH_PXB, ORR_PATH_P2C, ORR_PATH_PXN,
                                          ORR_PATH_PHB, ORR_PATH_SYS, ORR_PATH_NET, ORR_PATH_DIS};

/* Texts of link_speed, tried in this order as prefixes: kernels print with and without " PCIe". */
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

static const struct orr_speed speeds_2_7[] = {
    {"2.5 GT/s", 15}, {"5 GT/s", 30}, {"8 GT/s", 60}, {"16 GT/s", 120}, {NULL, 60},
};

static const struct orr_nvlink_bw nvlink_2_7[] = {{61, 21.0f}, {60, 18.0f}, {INT32_MIN, 21.0f}};
static const struct orr_nvlink_bw nvlink_counted_2_7[] = {{70, 21.0f}, {INT32_MIN, 18.0f}};
static const struct orr_nvlink_bw nvlink_2_12[] = {
    {87, 22.0f}, {86, 12.0f}, {70, 22.0f}, {60, 18.0f}, {INT32_MIN, 22.0f},
};
static const struct orr_nvlink_bw nvlink_2_21[] = {
    {90, 20.6f}, {87, 20.0f}, {86, 12.0f}, {70, 20.0f}, {60, 18.0f}, {INT32_MIN, 20.0f},
};
static const struct orr_nvlink_bw nvlink_2_27[] = {
    {100, 40.1f}, {90, 20.6f}, {87, 20.0f}, {86, 12.0f}, {70, 20.0f}, {60, 18.0f}, {INT32_MIN, 20.0f},
};

/* Rates that the search tries, GB/s a channel. */
static const float rates_2_7_all[] = {42, 24, 21, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4f, 1.2f, .24f, .12f};
static const float intra_2_12[] = {44, 30, 22, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3};
static const float inter_2_12[] = {48, 30, 24, 22, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4f, 1.2f, .24f, .12f};
static const float intra_old[] = {40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3};
static const float inter_old[] = {48, 30, 28, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4f, 1.2f, .24f, .12f};
static const float intra_sm90[] = {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3};
static const float inter_sm90[] = {48, 45, 42, 40, 30, 24, 22, 20, 17.5f, 15, 12, 6, 3, 2.4f, 1.2f, .24f, .12f};
static const float intra_sm100_2_27[] = {90, 80, 70, 60, 50, 40, 30, 24, 20, 19, 18};
static const float inter_sm100_2_27[] = {96,    48, 45.1f, 42, 40, 30,   24,   22,   20,
                                         17.5f, 15, 12,    6,  3,  2.4f, 1.2f, .24f, .12f};

#define RATES(intra_, inter_)                                                                                          \
    {                                                                                                                  \
        .intra = (intra_), .inter = (inter_), .intra_count = COUNT(intra_), .inter_count = COUNT(inter_)               \
    }

static const struct orr_search_rates rates_2_7[] = {{INT32_MIN, RATES(rates_2_7_all, rates_2_7_all)}};
static const struct orr_search_rates rates_2_12[] = {{INT32_MIN, RATES(intra_2_12, inter_2_12)}};
static const struct orr_search_rates rates_2_21[] = {
    {90, RATES(intra_sm90, inter_sm90)},
    {INT32_MIN, RATES(intra_old, inter_old)},
};
static const struct orr_search_rates rates_2_27[] = {
    {100, RATES(intra_sm100_2_27, inter_sm100_2_27)},
    {90, RATES(intra_sm90, inter_sm90)},
    {INT32_MIN, RATES(intra_old, inter_old)},
};

static const float intra_sm100_2_30[] = {90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18};
static const float inter_sm100_2_30[] = {96, 86,    80, 48, 45.1f, 42, 40,   30,   24,   22,
                                         20, 17.5f, 15, 12, 6,     3,  2.4f, 1.2f, .24f, .12f};
static const struct orr_search_rates rates_2_30[] = {
    {100, RATES(intra_sm100_2_30, inter_sm100_2_30)},
    {90, RATES(intra_sm90, inter_sm90)},
    {INT32_MIN, RATES(intra_old, inter_old)},
};

static const struct orr_release releases[] = {
    {
        .name = "2.7.8",
        .version = ORR_VERSION(2, 7, 8),
        .date = "2020-07",
        .summary = "Routes by bandwidth alone, no relays through GPUs, no PXN, split trees, CollNet as one algorithm; "
                   "GPUs without shared memory part",
        .verified = true,
        .path_types = path_types_2_7,
        .path_type_count = COUNT(path_types_2_7),
        .id_layout = ORR_ID_PLAIN,
        .fusion = ORR_FUSE_NONE,
        .mnnvl = ORR_MNNVL_NONE,
        .max_channels = 32,
        .max_elements = 1024,
        .max_children = 32,
        .max_nodes = 256,
        .max_links = 32,
        .speeds = speeds_2_7,
        .nvlink_bw = nvlink_2_7,
        .nvlink_counted = nvlink_counted_2_7,
        .qpi_power = 32,
        .qpi_arm = 6,
        .qpi_amd = 5000,
        .qpi_zhaoxin = 5000,
        .qpi_yongfeng = 5000,
        .qpi_intel = {0, 6, 9, 9, 9},
        .intel_overhead_up = 12,
        .intel_overhead_down = 9,
        .pci_kind = ORR_KIND_BY_CLASS,
        .merges_nic_functions = true,
        .gpu_links_itself = true,
        .newest_intel = ORR_INTEL_SKL,
        .admission = ORR_ADMIT_FASTER,
        .reverse_of_any_type = true,
        .near_two_switches = true,
        .power_sockets_are_near = true,
        .unreached = ORR_PATH_LOC,
        .first_cpu_unreached = true,
        .p2p_default = ORR_P2P_BY_MODEL,
        .separation = ORR_APART_WITHOUT_SHM,
        .net_choice = ORR_NET_BY_CHANNEL,
        .pxn = ORR_PXN_NONE,
        .diverts_gdr_always = true,
        .reads_only_with_nvlink = true,
        .search_rates = rates_2_7,
        .ring_max_channels = 16,
        .steps_same = 1024,
        .steps_tree = 131072,
        .steps_other = 262144,
        .steps_all = 1572864,
        .tree_pattern = ORR_TREE_SPLIT,
        .ring_follows_tree = true,
        .collnet_always = true,
        .cross_nic_for_all = true,
        .cross_nic_try = 1,
        .net_lists = ORR_NETS_ALL,
        .counts_connections = true,
        .start_gpus = ORR_START_TWO_ROUNDS,
        .relaxes_split_tree = true,
        .type_inter_always = ORR_PATH_PXB,
        .finishes_at_full_rate = true,
        .empty_paths_are_free = true,
        .replays_first = true,
        .relaxes_pattern_first = true,
        .connect = &orr_connect_rules_2_7,
        .tuning = &orr_tuning_model_2_7,
    },
    {
        .name = "2.12.12",
        .version = ORR_VERSION(2, 12, 12),
        .date = "2022-05",
        .summary =
            "NVB relays through a GPU and PXN to other GPUs' NICs, routes by hops, double binary trees with balanced "
            "ends; AMD sockets count as free",
        .verified = true,
        .path_types = path_types_2_12,
        .path_type_count = COUNT(path_types_2_12),
        .id_layout = ORR_ID_PLAIN,
        .fusion = ORR_FUSE_NONE,
        .mnnvl = ORR_MNNVL_NONE,
        .max_channels = 32,
        .max_elements = 1024,
        .max_children = 32,
        .max_nodes = 256,
        .max_links = 32,
        .speeds = speeds_2_12,
        .nvlink_bw = nvlink_2_12,
        .nvlink_counted = nvlink_2_12,
        .qpi_power = 32,
        .qpi_arm = 6,
        .qpi_amd = 5000,
        .qpi_zhaoxin = 6,
        .qpi_yongfeng = 9,
        .qpi_intel = {0, 6, 9, 9, 9},
        .intel_overhead_up = 6,
        .intel_overhead_down = 5,
        .pci_kind = ORR_KIND_BY_CHILD,
        .merges_nic_functions = true,
        .gpu_links_itself = true,
        .flattening = ORR_FLATTEN_GEN4_EQUAL,
        .knows_zhaoxin = true,
        .knows_latency = true,
        .newest_intel = ORR_INTEL_SKL,
        .admission = ORR_ADMIT_FEWER_HOPS,
        .relays_by_gpu = true,
        .reverse_of_any_type = true,
        .unreached = ORR_PATH_LOC,
        .first_cpu_unreached = true,
        .p2p_default = ORR_P2P_BY_VENDOR,
        .separation = ORR_APART_WITHOUT_SHM_AND_P2P,
        .net_choice = ORR_NET_BY_DEV,
        .pxn = ORR_PXN_FIRST_PREFERRING,
        .diverts_gdr_always = true,
        .reads_only_with_nvlink = true,
        .search_rates = rates_2_12,
        .ring_max_channels = 16,
        .steps_same = 256,
        .steps_tree = 16384,
        .steps_other = 16384,
        .steps_all = 262144,
        .tree_pattern = ORR_TREE_BALANCED,
        .ring_follows_tree = true,
        .collnet_always = true,
        .cross_nic_for_all = true,
        .cross_nic_try = 1,
        .net_lists = ORR_NETS_BY_TYPE_ROTATED,
        .counts_connections = true,
        .start_gpus = ORR_START_TWO_ROUNDS,
        .relaxes_split_tree = true,
        .type_inter_always = ORR_PATH_PXN,
        .empty_paths_are_free = true,
        .compares_patterns = true,
        .replays_first = true,
        .connect = &orr_connect_rules_2_12,
        .tuning = &orr_tuning_model_2_12,
    },
    {
        .name = "2.21.5",
        .version = ORR_VERSION(2, 21, 5),
        .date = "2024-04",
        .summary =
            "NVLS and NVLink domains over hosts, the network used inside a host where it is faster, NICs shared out "
            "by mirrored GPU index, rates for capability 90",
        .verified = true,
        .path_types = path_types_2_21,
        .path_type_count = COUNT(path_types_2_21),
        .id_layout = ORR_ID_ADDED,
        .fusion = ORR_FUSE_HOSTS,
        .mnnvl = ORR_MNNVL_MUST,
        .max_channels = 32,
        .max_elements = 256,
        .max_children = 128,
        .max_nodes = 256,
        .max_links = 128,
        .speeds = speeds_2_12,
        .nvlink_bw = nvlink_2_21,
        .nvlink_counted = nvlink_2_21,
        .qpi_power = 32,
        .qpi_arm = 6,
        .qpi_amd = 16,
        .qpi_zhaoxin = 6,
        .qpi_yongfeng = 9,
        .qpi_intel = {0, 6, 10, 10, 10},
        .intel_overhead_up = 6,
        .intel_overhead_down = 5,
        .pci_kind = ORR_KIND_BY_CHILD,
        .merges_nic_functions = true,
        .cpu_nics_of_first_system = true,
        .gpu_links_itself = true,
        .c2c = ORR_C2C_AS_NVLINK,
        .flattening = ORR_FLATTEN_GEN4_GEN5,
        .knows_zhaoxin = true,
        .knows_latency = true,
        .newest_intel = ORR_INTEL_SKL,
        .admission = ORR_ADMIT_FEWER_HOPS,
        .relays_by_gpu = true,
        .has_nvs_paths = true,
        .unreached = ORR_PATH_DIS,
        .first_cpu_unreached = true,
        .p2p_default = ORR_P2P_BY_VENDOR,
        .separation = ORR_APART_WHERE_NETWORK_IS_BETTER,
        .net_choice = ORR_NET_BY_MIRRORED_DEV,
        .pxn = ORR_PXN_LOCAL_GPU_PAST_PXB,
        .single_gpu_total = 5000,
        .search_rates = rates_2_21,
        .ring_max_channels = 16,
        .steps_same = 256,
        .steps_tree = 16384,
        .steps_other = 16384,
        .steps_all = 524288,
        .tree_pattern = ORR_TREE_BALANCED,
        .tree_keeps_ring_channels = true,
        .nvls_max_channels = 32,
        .nvls_least_gpus = 3,
        .nvls_counts_clique = true,
        .nvls_fixed_channels = true,
        .rates_by_total = true,
        .cross_nic_try = 1,
        .checks_way_back = true,
        .power_cpu_only = true,
        .net_lists = ORR_NETS_PREFERRED,
        .rotates_start_nets = true,
        .nic_pairs = ORR_PAIRS_ALL,
        .start_gpus = ORR_START_ROTATED,
        .switch_neighbours = true,
        .switch_skips_order = true,
        .duplicates_early = true,
        .raises_rings = true,
        .amd_keeps_same_channels = true,
        .tree_for_sm90 = true,
        .type_inter_always = ORR_PATH_PXN,
        .compares_patterns = true,
        .replays_first = true,
        .connect = &orr_connect_rules_2_21,
        .tuning = &orr_tuning_model_2_21,
    },
    {
        .name = "2.27.7",
        .version = ORR_VERSION(2, 27, 7),
        .date = "2025-07",
        .summary = "C2C and P2C paths, GPU Direct RDMA over C2C, P2P level PXB for all but pairs on AMD, rails kept by "
                   "rings that enter and leave by two NICs in turn, rates for capability 100",
        .verified = true,
        .path_types = path_types_2_27,
        .path_type_count = COUNT(path_types_2_27),
        .id_layout = ORR_ID_MASKED,
        .fusion = ORR_FUSE_RANKS,
        .mnnvl = ORR_MNNVL_CLIQUES,
        .max_channels = 64,
        .max_elements = 256,
        .max_children = 128,
        .max_nodes = 576,
        .max_links = 576,
        .speeds = speeds_2_12,
        .nvlink_bw = nvlink_2_27,
        .nvlink_counted = nvlink_2_27,
        .qpi_power = 32,
        .qpi_arm = 6,
        .qpi_amd = 16,
        .qpi_zhaoxin = 6,
        .qpi_yongfeng = 9,
        .qpi_intel = {0, 6, 10, 22, 40},
        .intel_overhead_up = 6,
        .intel_overhead_down = 5,
        .pci_kind = ORR_KIND_BY_CHILD,
        .c2c = ORR_C2C_OWN,
        .pci_peer_links = true,
        .flattening = ORR_FLATTEN_GEN4_GEN5,
        .ascends_past_siblings = true,
        .knows_zhaoxin = true,
        .knows_latency = true,
        .newest_intel = ORR_INTEL_ERP,
        .admission = ORR_ADMIT_FEWER_HOPS,
        .relays_by_gpu = true,
        .has_nvs_paths = true,
        .unreached = ORR_PATH_DIS,
        .p2p_default = ORR_P2P_PXB_BUT_AMD_PAIR,
        .separation = ORR_APART_WHERE_NETWORK_IS_BETTER,
        .net_choice = ORR_NET_BY_MIRRORED_DEV,
        .pxn = ORR_PXN_LOCAL_GPU_PAST_PXN,
        .retags_c2c = true,
        .gdr_has_modes = true,
        .single_gpu_total = 5000,
        .search_rates = rates_2_27,
        .ring_max_channels = 32,
        .steps_same = 256,
        .steps_tree = 16384,
        .steps_other = 16384,
        .steps_all = 524288,
        .tree_pattern = ORR_TREE_BALANCED,
        .tree_keeps_ring_channels = true,
        .collnet_direct = true,
        .nvls_max_channels = 64,
        .nvls_least_gpus = 3,
        .types_from_system = true,
        .rates_by_total = true,
        .cross_nic_try = 2,
        .splits_nvlink = true,
        .checks_unreachable = true,
        .checks_way_back = true,
        .power_cpu_only = true,
        .net_lists = ORR_NETS_PREFERRED,
        .rotates_start_nets = true,
        .start_gpus = ORR_START_LOCAL_GPU,
        .switch_neighbours = true,
        .switch_skips_order = true,
        .nic_pairs = ORR_PAIRS_RINGS,
        .duplicates_early = true,
        .raises_rings = true,
        .amd_keeps_same_channels = true,
        .tree_for_sm90 = true,
        .type_inter_always = ORR_PATH_PXN,
        .compares_patterns = true,
        .connect = &orr_connect_rules_2_27,
        .tuning = &orr_tuning_model_2_27,
    },
    /* 2.28.9 is known by what its neighbours are known not to share with it: node and path types, limits of nodes (640
     * and GIN came with 2.29.7, DEV and rails with 2.30), PXN over C2C (the default of NCCL_PXN_C2C, settings.c),
     * NCCL_NETDEVS_POLICY and NCCL_MNNVL_RAIL_PER_HOST. NICs are shared out as 2.30.7 does, because the policy's values
     * say how many a GPU takes. Nothing is said of 2.28.9, and 2.27.7's rule taken, in all else that 2.30.7 does
     * otherwise: mnnvl, max_children, reads_bare_guids, admission, pxn (whether a relay needs GDR), gdr_level_c2c,
     * exchanges_net_rates, keeps_nets, retags_near_nets_only, search_rates, nvls_least_gpus, any_inter_before_sm90,
     * simple_order_by_preference, the connect rules and the tuning model. */
    {
        .name = "2.28.9",
        .version = ORR_VERSION(2, 28, 9),
        .date = "2025-11",
        .summary = "As 2.27.7, with PXN over C2C and NICs shared out by policy (NCCL_NETDEVS_POLICY)",
        .verified = false,
        .path_types = path_types_2_27,
        .path_type_count = COUNT(path_types_2_27),
        .id_layout = ORR_ID_MASKED,
        .fusion = ORR_FUSE_RANKS,
        .mnnvl = ORR_MNNVL_CLIQUES,
        .max_channels = 64,
        .max_elements = 256,
        .max_children = 128,
        .max_nodes = 576,
        .max_links = 576,
        .speeds = speeds_2_12,
        .nvlink_bw = nvlink_2_27,
        .nvlink_counted = nvlink_2_27,
        .qpi_power = 32,
        .qpi_arm = 6,
        .qpi_amd = 16,
        .qpi_zhaoxin = 6,
        .qpi_yongfeng = 9,
        .qpi_intel = {0, 6, 10, 22, 40},
        .intel_overhead_up = 6,
        .intel_overhead_down = 5,
        .pci_kind = ORR_KIND_BY_CHILD,
        .c2c = ORR_C2C_OWN,
        .pci_peer_links = true,
        .flattening = ORR_FLATTEN_GEN4_GEN5,
        .ascends_past_siblings = true,
        .knows_zhaoxin = true,
        .knows_latency = true,
        .newest_intel = ORR_INTEL_ERP,
        .admission = ORR_ADMIT_FEWER_HOPS,
        .relays_by_gpu = true,
        .has_nvs_paths = true,
        .unreached = ORR_PATH_DIS,
        .p2p_default = ORR_P2P_PXB_BUT_AMD_PAIR,
        .separation = ORR_APART_WHERE_NETWORK_IS_BETTER,
        .net_choice = ORR_NET_BY_MIRRORED_SHARE,
        .pxn = ORR_PXN_LOCAL_GPU_PAST_PXN,
        .retags_c2c = true,
        .gdr_has_modes = true,
        .single_gpu_total = 5000,
        .search_rates = rates_2_27,
        .ring_max_channels = 32,
        .steps_same = 256,
        .steps_tree = 16384,
        .steps_other = 16384,
        .steps_all = 524288,
        .tree_pattern = ORR_TREE_BALANCED,
        .tree_keeps_ring_channels = true,
        .collnet_direct = true,
        .nvls_max_channels = 64,
        .nvls_least_gpus = 3,
        .types_from_system = true,
        .rates_by_total = true,
        .cross_nic_try = 2,
        .splits_nvlink = true,
        .checks_unreachable = true,
        .checks_way_back = true,
        .power_cpu_only = true,
        .net_lists = ORR_NETS_PREFERRED,
        .rotates_start_nets = true,
        .start_gpus = ORR_START_LOCAL_GPU,
        .switch_neighbours = true,
        .switch_skips_order = true,
        .nic_pairs = ORR_PAIRS_RINGS,
        .duplicates_early = true,
        .raises_rings = true,
        .amd_keeps_same_channels = true,
        .tree_for_sm90 = true,
        .type_inter_always = ORR_PATH_PXN,
        .compares_patterns = true,
        .connect = &orr_connect_rules_2_27,
        .tuning = &orr_tuning_model_2_27,
    },
    {
        .name = "2.30.7",
        .version = ORR_VERSION(2, 30, 7),
        .date = "2026-06",
        .summary = "Ranks hang on physical GPUs (DEV), the nearest way wins before the fastest, PXN by GPUs with GPU "
                   "Direct RDMA, rails and planes of NICs, NVLS from two GPUs on",
        .verified = true,
        .path_types = path_types_2_27,
        .path_type_count = COUNT(path_types_2_27),
        .id_layout = ORR_ID_MASKED,
        .fusion = ORR_FUSE_RANKS,
        .mnnvl = ORR_MNNVL_DOMAINS,
        .max_channels = 64,
        .max_elements = 256,
        .max_children = 640,
        .max_nodes = 640,
        .max_links = 576,
        .speeds = speeds_2_12,
        .nvlink_bw = nvlink_2_27,
        .nvlink_counted = nvlink_2_27,
        .qpi_power = 32,
        .qpi_arm = 6,
        .qpi_amd = 16,
        .qpi_zhaoxin = 6,
        .qpi_yongfeng = 9,
        .qpi_intel = {0, 6, 10, 22, 40},
        .intel_overhead_up = 6,
        .intel_overhead_down = 5,
        .pci_kind = ORR_KIND_EVERY_GPU,
        .c2c = ORR_C2C_OWN,
        .pci_peer_links = true,
        .flattening = ORR_FLATTEN_GEN4_GEN5,
        .has_devs = true,
        .reads_bare_guids = true,
        .ascends_past_siblings = true,
        .knows_zhaoxin = true,
        .knows_latency = true,
        .newest_intel = ORR_INTEL_ERP,
        .admission = ORR_ADMIT_NEARER,
        .relays_by_gpu = true,
        .has_nvs_paths = true,
        .unreached = ORR_PATH_DIS,
        .p2p_default = ORR_P2P_PXB_BUT_AMD_PAIR,
        .separation = ORR_APART_WHERE_NETWORK_IS_BETTER,
        .net_choice = ORR_NET_BY_MIRRORED_SHARE,
        .pxn = ORR_PXN_LOCAL_GPU_WITH_GDR,
        .retags_c2c = true,
        .gdr_has_modes = true,
        .gdr_level_c2c = true,
        .exchanges_net_rates = true,
        .keeps_nets = true,
        .retags_near_nets_only = true,
        .single_gpu_total = 5000,
        .search_rates = rates_2_30,
        .ring_max_channels = 32,
        .steps_same = 256,
        .steps_tree = 16384,
        .steps_other = 16384,
        .steps_all = 524288,
        .tree_pattern = ORR_TREE_BALANCED,
        .tree_keeps_ring_channels = true,
        .collnet_direct = true,
        .nvls_max_channels = 64,
        .nvls_least_gpus = 2,
        .types_from_system = true,
        .rates_by_total = true,
        .cross_nic_try = 2,
        .splits_nvlink = true,
        .checks_unreachable = true,
        .checks_way_back = true,
        .power_cpu_only = true,
        .net_lists = ORR_NETS_PREFERRED,
        .rotates_start_nets = true,
        .start_gpus = ORR_START_LOCAL_GPU,
        .switch_neighbours = true,
        .switch_skips_order = true,
        .nic_pairs = ORR_PAIRS_RINGS,
        .knows_rails = true,
        .any_inter_before_sm90 = true,
        .simple_order_by_preference = true,
        .duplicates_early = true,
        .raises_rings = true,
        .amd_keeps_same_channels = true,
        .tree_for_sm90 = true,
        .type_inter_always = ORR_PATH_PXN,
        .compares_patterns = true,
        .connect = &orr_connect_rules_2_30,
        .tuning = &orr_tuning_model_2_30,
    },
};

const struct orr_release *orr_releases(uint32_t *ret_count)
{
    *ret_count = COUNT(releases);
    return releases;
}

const struct orr_release *orr_release_default(void)
{
    size_t newest = COUNT(releases) - 1;
    while (newest > 0 && !releases[newest].verified)
        newest--;
    return &releases[newest];
}

bool orr_release_is_older(const struct orr_release *release, const struct orr_release *than)
{
    return release->version < than->version;
}

const char *orr_release_verification(const struct orr_release *release)
{
    return release->verified ? "verified against NCCL's own results" : "not verified against references";
}

const struct orr_release *orr_release_find(const char *name)
{
    for (uint32_t i = 0; i < COUNT(releases); i++)
        if (!strcmp(releases[i].name, name))
            return &releases[i];
    return NULL;
}

int orr_path_type_number(const struct orr_release *release, enum orr_path_type type)
{
    for (uint32_t i = 0; i < release->path_type_count; i++)
        if (release->path_types[i] == type)
            return (int)i;
    return -1;
}

enum orr_path_type orr_path_type_of_number(const struct orr_release *release, int number)
{
    if (number < 0 || (uint32_t)number >= release->path_type_count)
        return ORR_PATH_DIS;
    return (enum orr_path_type)release->path_types[number];
}
