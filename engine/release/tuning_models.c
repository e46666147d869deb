/* Figures are those of NCCL's own tables at each release, in its units. */
#include "engine/release/tuning_model.h"

#define TREE      ORR_ALGO_TREE
#define RING      ORR_ALGO_RING
#define DIRECT    ORR_ALGO_COLLNET_DIRECT
#define CHAIN     ORR_ALGO_COLLNET_CHAIN
#define NVLS      ORR_ALGO_NVLS
#define NVLS_TREE ORR_ALGO_NVLS_TREE
#define PAT       ORR_ALGO_PAT

/* Limits that several releases share. */
/* clang-format off */
#define LL_MAX {{39.0, 39.0, 20.4}, {87.7, 22.5, 19.0}, {141.0, 45.0, 35.0}, {2 * 141.0, 2 * 45.0, 2 * 35.0}}
#define TREE_ROW_0 {26.5, 18.5, 10.0}
#define TREE_ROW_1 {24.0, 23.6, 17.8}
#define TREE_ROW_2 {38.7, 41.4, 36.0}
#define FLAT(value) {value, value, value}

/* A tree's bandwidth by size: the power of two of bytes / 64. */
#define CORRECTION_LL {1, 1, 1, 1, .9f, .8f, .7f, .7f, .7f, .7f, .6f, .5f, .4f, .4f, .5f, .6f, .7f, .8f, .9f, 1, 1, 1, 1, 1}
#define CORRECTIONS {                                                                                                  \
    [ORR_LL] = CORRECTION_LL,                                                                                          \
    [ORR_LL128] = {1, 1, 1, 1, 1, .9f, .8f, .8f, .8f, .7f, .6f, .6f, .6f, .6f, .6f, .6f, .8f, .9f, .9f, .9f, .9f, 1, 1, 1}, \
    [ORR_SIMPLE] = {.9f, .9f, .9f, .9f, .9f, .9f, .9f, .8f, .7f, .6f, .6f, .5f, .5f, .5f, .5f, .6f, .7f, .8f, .7f, .7f, \
                    .8f, .9f, .9f, .9f},                                                                               \
}
/* clang-format on */

const struct orr_tuning_model orr_tuning_model_2_7 =
    {
        .algorithm_count = 3,
        .names = {"Tree", "Ring", "CollNet"},
        .one_collnet_graph = true,
        .base_latency = {[TREE] = {4.4f, 4.4f, 0}, [RING] = {3.6f, 10.0f, 8.4f}, [DIRECT] = {4.4f, 4.4f, 0}},
        .hw_latency =
            {
                [ORR_HW_NVLINK] =
                    {[TREE] = {.52f, 1.2f, 28}, [RING] = {.47f, 1.9f, 3.4f}, [DIRECT] = {.5f, 1.2f, 4.0f}},
                [ORR_HW_PCI] = {[TREE] = {1.0f, 1.9f, 28}, [RING] = {1.0f, 2.5f, 5.7f}, [DIRECT] = {1.0f, 1.9f, 5.5f}},
                [ORR_HW_NET] = {[TREE] = {5.0f, 8.5f, 50}, [RING] = {2.7f, 4.0f, 9.6f}, [DIRECT] = {5.0f, 5.0f, 10.7f}},
            },

        .capability_row = ORR_ROW_UNIFORM_80,
        .rows = 2,
        .ll128_of = {18.8, 12.0, 18.3, 15.2, 16.7},
        .uniform_80_max = 235,
        .ring_ll = ORR_RING_LL_QUARTER,
        .ring_ll128_alone = .7,
        .tree_flat_limits = true,
        .only_ring_gathers = true,
        .collnet_simple = .9,
        .collnet_ll = 1.0 / 6.0,

        .net_latency = ORR_NET_LATENCY_PLAIN,
        .ring_steps = ORR_RING_STEPS_2N_LESS_2,
        .ll_intra_slower = true,
        .collnet_by_steps = true,

        .lists = ORR_LIST_PLAIN,
        .lists_for_allreduce = true,
        .collnet_ungated = true,
        .ll128_for = ORR_LL128_70_80,

        .collnet_threads = {-1, -1, -1},
        .collnet_threshold = 64,
        .threshold_list_zeroes_collnet = true,

        .tree_correction =
            {
                [ORR_LL] = CORRECTION_LL,
                [ORR_LL128] = {1,   1,   1,   1,   1,   .9f, .8f, .8f, .8f, .7f, .6f,
                               .6f, .6f, .5f, .6f, .6f, .7f, .7f, .8f, .9f, .9f, 1},
                [ORR_SIMPLE] = {.9f, .9f, .9f, .9f, .9f, .9f, .9f, .8f, .7f, .6f, .6f,
                                .5f, .5f, .5f, .5f, .5f, .5f, .6f, .6f, .7f, .8f, .9f},
            },
        .tree_correction_sizes = 22,
        .plateau = ORR_PLATEAU_BY_RANKS,
        .time_limit = 3.6e9f,
        .collnet_half_channels = true,
        .simple_threads = {[TREE] = 32, [RING] = 32, [DIRECT] = 32},
};

const struct orr_tuning_model orr_tuning_model_2_12 =
    {
        .algorithm_count = 3,
        .names = {"Tree", "Ring", "CollNet"},
        .one_collnet_graph = true,
        .base_latency = {[TREE] = {4.4f, 4.4f, 0}, [RING] = {3.6f, 10.0f, 8.4f}, [DIRECT] = {4.4f, 4.4f, 0}},
        .hw_latency =
            {
                [ORR_HW_NVLINK] =
                    {[TREE] = {.52f, 1.25f, 28}, [RING] = {.47f, 1.9f, 3.4f}, [DIRECT] = {.5f, 1.2f, 8.0f}},
                [ORR_HW_PCI] = {[TREE] = {1.0f, 1.9f, 28}, [RING] = {1.0f, 2.5f, 5.7f}, [DIRECT] = {1.0f, 1.9f, 8.0f}},
                [ORR_HW_NET] = {[TREE] = {5.0f, 8.5f, 28}, [RING] = {2.7f, 4.0f, 28}, [DIRECT] = {5.0f, 5.0f, 10.7f}},
            },
        .power_pci_tree = true,

        .capability_row = ORR_ROW_UNIFORM_80,
        .rows = 2,
        .ll_max = LL_MAX,
        .ring_ll128 = {FLAT(20.0), FLAT(20.0)},
        .tree_ll128 = {FLAT(20.0), FLAT(20.0)},
        .tree_max = {TREE_ROW_0, TREE_ROW_1},
        .ll_limited = true,
        .uniform_80_max = 235,
        .ring_ll = ORR_RING_LL_QUARTER,
        .ring_ll128_alone = .7,
        .only_ring_gathers = true,
        .collnet_simple = 1,

        .net_latency = ORR_NET_LATENCY_OWN,
        .ring_steps = ORR_RING_STEPS_2N,
        .ll_intra_slower = true,
        .collnet_direct_step = .5,

        .lists = ORR_LIST_PLAIN,
        .lists_for_allreduce = true,
        .fallback_to_ring_tree = true,
        .ll128_for = ORR_LL128_70_80,

        .collnet_threads = {-2, -2, 512},
        .collnet_threshold = 512,
        .threshold_list_zeroes_collnet = true,

        .tree_correction = CORRECTIONS,
        .tree_correction_sizes = 23,
        .plateau = ORR_PLATEAU_BY_RANKS,
        .time_limit = 3.6e9f,
        .simple_threads = {[TREE] = 128, [RING] = 32, [DIRECT] = 128},
};

const struct orr_tuning_model orr_tuning_model_2_21 =
    {
        .algorithm_count = 6,
        .names = {"Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree"},
        .one_collnet_graph = true,
        .base_latency = {[TREE] = {6.8f, 14.0f, 0}, [RING] = {6.6f, 14.0f, 8.4f}},
        .hw_latency =
            {
                [ORR_HW_NVLINK] = {[TREE] = {.6f, 1.25f, 28},
                                   [RING] = {.6f, 1.9f, 3.4f},
                                   [DIRECT] = {0, 0, 3.7f},
                                   [CHAIN] = {0, 0, 2.8f},
                                   [NVLS] = {0, 0, 25},
                                   [NVLS_TREE] = {0, 0, 25}},
                [ORR_HW_PCI] = {[TREE] = {1.0f, 1.9f, 28},
                                [RING] = {1.0f, 2.5f, 5.7f},
                                [DIRECT] = {0, 0, 3.7f},
                                [CHAIN] = {0, 0, 2.8f}},
                [ORR_HW_NET] = {[TREE] = {5.0f, 8.5f, 28},
                                [RING] = {2.7f, 4.0f, 14.0f},
                                [DIRECT] = {0, 0, 31},
                                [CHAIN] = {0, 0, 30},
                                [NVLS] = {0, 0, 18},
                                [NVLS_TREE] = {0, 0, 14}},
            },
        .power_pci_tree = true,

        .capability_row = ORR_ROW_BY_LEAST,
        .rows = 3,
        .ll_max = LL_MAX,
        .ring_ll128 = {FLAT(20.0), FLAT(20.0), FLAT(36.7)},
        .tree_ll128 = {FLAT(20.0), FLAT(20.0), {36.7, 36.7, 29.0}},
        .tree_max = {TREE_ROW_0, TREE_ROW_1, TREE_ROW_2},
        .ll_limited = true,
        .ring_ll = ORR_RING_LL_HALF,
        .ring_ll128_alone = .7,
        .tree_pattern_cost = ORR_TREE_COST_OWN,
        .nvls_rate = ORR_NVLS_LEAST,
        .collnet_gather_measured = true,

        .net_overhead = true,
        .collnet_direct_step = .4,
        .net_latency = ORR_NET_LATENCY_ADDED,
        .ring_steps = ORR_RING_STEPS_2N,

        .needs_nvswitch = true,
        .lists = ORR_LIST_PLAIN,
        .ring_backup = true,
        .fallback_to_ring_tree = true,
        .ll128_for = ORR_LL128_70_80_90,

        .collnet_threshold = 512,

        .tree_correction = CORRECTIONS,
        .plateau = ORR_PLATEAU_BY_CHANNEL,
        .simple_threads = {[TREE] = 128, [RING] = 32},
        .least_threads = 96,
        .tree_correction_sizes = 23,
        .time_limit = 3.6e9f,
        .nvls_gather_one_node = true,
        .collective_channels = true,
};

const struct orr_tuning_model orr_tuning_model_2_27 =
    {
        .algorithm_count = 7,
        .names = {"Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT"},
        .base_latency = {[TREE] = {6.8f, 14.0f, 8.4f}, [RING] = {6.6f, 14.0f, 8.4f}},
        .hw_latency =
            {
                [ORR_HW_NVLINK] = {[TREE] = {.6f, 1.25f, 4.0},
                                   [RING] = {.6f, 1.9f, 3.4f},
                                   [DIRECT] = {0, 0, 3.7f},
                                   [CHAIN] = {0, 0, 2.8f},
                                   [NVLS] = {0, 0, 25},
                                   [NVLS_TREE] = {0, 0, 25}},
                [ORR_HW_PCI] = {[TREE] = {1.0f, 1.9f, 4.0},
                                [RING] = {1.0f, 2.5f, 5.7f},
                                [DIRECT] = {0, 0, 3.7f},
                                [CHAIN] = {0, 0, 2.8f}},
                [ORR_HW_NET] = {[TREE] = {5.0f, 8.5f, 14},
                                [RING] = {2.7f, 4.0f, 14.0f},
                                [DIRECT] = {0, 0, 31},
                                [CHAIN] = {0, 0, 30},
                                [NVLS] = {0, 0, 18},
                                [NVLS_TREE] = {0, 0, 14}},
            },
        .power_pci_tree = true,

        .capability_row = ORR_ROW_BY_LEAST,
        .rows = 4,
        .ll_max = LL_MAX,
        .ring_ll128 = {FLAT(20.0), FLAT(20.0), FLAT(36.7), FLAT(2 * 36.7)},
        .tree_ll128 = {FLAT(20.0), FLAT(20.0), {36.7, 36.7, 29.0}, {2 * 36.7, 2 * 36.7, 2 * 29.0}},
        .tree_max = {TREE_ROW_0, TREE_ROW_1, TREE_ROW_2, {2 * 38.7, 2 * 41.4, 2 * 36.0}},
        .ll_limited = true,
        .ring_ll = ORR_RING_LL_HALF,
        .mixed_vendor_as_amd = true,
        .ring_ll128_alone = .92,
        .tree_pattern_cost = ORR_TREE_COST_ANY,
        .gather_by_collnet = true,
        .gather_unscaled = true,
        .nvls_rate = ORR_NVLS_BY_FUNCTION,

        .net_overhead = true,
        .collnet_direct_step = .4,
        .net_latency = ORR_NET_LATENCY_BY_TREE,
        .ring_steps = ORR_RING_STEPS_SEVERAL,

        .needs_nvswitch = true,
        .lists = ORR_LIST_BY_FUNCTION,
        .ll128_for = ORR_LL128_FROM_70,

        .collnet_threshold = 512,

        .tree_correction = CORRECTIONS,
        .plateau = ORR_PLATEAU_BY_CHANNEL,
        .simple_threads = {[TREE] = 128, [RING] = 32},
        .least_threads = 96,
        .fixed_threads = 640,
        .tree_correction_sizes = 23,
        .small_sizes_uncorrected = true,
        .time_limit = 3.6e9f,
        .collnet_direct_max_local_ranks = 8,
        .nvls_gather_max_local_ranks = 32,
};

const struct orr_tuning_model orr_tuning_model_2_30 =
    {
        .algorithm_count = 7,
        .names = {"Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT"},
        .base_latency = {[TREE] = {6.8f, 14.0f, 8.4f}, [RING] = {6.6f, 14.0f, 8.4f}, [PAT] = {8, 8, 8}},
        .hw_latency =
            {
                [ORR_HW_NVLINK] = {[TREE] = {.6f, 1.25f, 4.0},
                                   [RING] = {.6f, 1.9f, 3.4f},
                                   [DIRECT] = {0, 0, 3.7f},
                                   [CHAIN] = {0, 0, 2.8f},
                                   [NVLS] = {0, 0, 25},
                                   [NVLS_TREE] = {0, 0, 25},
                                   [PAT] = {0, 0, 4.0f}},
                [ORR_HW_PCI] = {[TREE] = {1.0f, 1.9f, 4.0},
                                [RING] = {1.0f, 2.5f, 5.7f},
                                [DIRECT] = {0, 0, 3.7f},
                                [CHAIN] = {0, 0, 2.8f},
                                [PAT] = {0, 0, 4.0f}},
                [ORR_HW_NET] = {[TREE] = {5.0f, 8.5f, 14},
                                [RING] = {2.7f, 4.0f, 14.0f},
                                [DIRECT] = {0, 0, 31},
                                [CHAIN] = {0, 0, 30},
                                [NVLS] = {0, 0, 18},
                                [NVLS_TREE] = {0, 0, 20.9f},
                                [PAT] = {0, 0, 14}},
            },
        .power_pci_tree = true,

        .capability_row = ORR_ROW_BY_LEAST,
        .rows = 4,
        .ll_max = LL_MAX,
        .ring_ll128 = {FLAT(20.0), FLAT(20.0), FLAT(36.7), FLAT(40.0)},
        .tree_ll128 = {FLAT(20.0), FLAT(20.0), {36.7, 36.7, 29.0}, {55.6, 31.67, 20.0}},
        .tree_max = {TREE_ROW_0, TREE_ROW_1, TREE_ROW_2, {70.0, 42.8, 24.0}},
        .nvls_tree_max = {TREE_ROW_0, TREE_ROW_1, {0, 57.7, 45.5}, {0, 96.0, 80.0}},
        .ll_limited = true,
        .ring_ll = ORR_RING_LL_HALF,
        .mixed_vendor_as_amd = true,
        .ring_ll128_alone = .92,
        .tree_pattern_cost = ORR_TREE_COST_ANY,
        .gather_by_collnet = true,
        .gather_unscaled = true,
        .nvls_rate = ORR_NVLS_BY_SHARE,
        .nvls_efficiency = {0, 0, .85, .74},
        .nvls_least_channels = 2,
        .nvls_ring_ratio = true,

        .net_overhead = true,
        .collnet_direct_step = .4,
        .net_latency = ORR_NET_LATENCY_BY_TREE,
        .ring_steps = ORR_RING_STEPS_SEVERAL,
        .pat_table_base = true,

        .needs_nvswitch = true,
        .lists = ORR_LIST_BY_FUNCTION,
        .chain_max_local_ranks = 8,
        .ll128_for = ORR_LL128_FROM_70_MIXED,

        .collnet_threshold = 512,

        .tree_correction = CORRECTIONS,
        .plateau = ORR_PLATEAU_BY_CHANNEL,
        .simple_threads = {[TREE] = 128, [RING] = 32},
        .least_threads = 96,
        .fixed_threads = 640,
        .tree_correction_sizes = 23,
        .nvls_tree_correction_sizes = 24,
        .small_sizes_uncorrected = true,
        .collnet_direct_max_local_ranks = 8,
        .collnet_chain_max_local_ranks = 8,
        .nvls_gather_max_local_ranks = 32,
        .nvls_bounded = true,
};
