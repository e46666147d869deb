#include "engine/release/connect_rules.h"

const struct orr_connect_rules orr_connect_rules_2_7 = {
    .aligns_intra_to_nearest = true,
    .rails = ORR_RAILS_AS_FOUND,
    .up_and_down_trees = true,
    .shifts_even_trees = true,
    .root_child_slot = 0,
    .double_sm_min = INT32_MAX,
    .net_peer = ORR_NET_PEER_ONE,
    .p2p_schedule = ORR_P2P_BY_RANK,
};

const struct orr_connect_rules orr_connect_rules_2_12 = {
    .aligns_type_inter = true,
    .rails = ORR_RAILS_AS_FOUND,
    .root_child_slot = 1,
    .collnet_max_local_ranks = 8,
    .collnet_copies_channels = true,
    .double_sm_min = INT32_MAX,
    .net_peer = ORR_NET_PEER_TWO,
    .p2p_schedule = ORR_P2P_BY_DISTANCE,
};

const struct orr_connect_rules orr_connect_rules_2_21 = {
    .aligns_type_inter = true,
    .aligns_cross_nic = true,
    .rails = ORR_RAILS_ALTERNATE_CROSS,
    .root_child_slot = 1,
    .collnet_max_local_ranks = 8,
    .collnet_copies_channels = true,
    .collnet_heads_distinct = true,
    .collnet_chains = true,
    .double_sm_min = 90,
    .double_sm_max = 90,
    .nvls_channels = 16,
    .nvls_channels_sm100 = 16,
    .nvls_channels_sm100_hosts = 16,
    .nvls_copies_channels = true,
    .net_peer = ORR_NET_PEER_BY_SIZE,
    .p2p_schedule = ORR_P2P_BY_DISTANCE_OF_EIGHTS,
};

const struct orr_connect_rules orr_connect_rules_2_27 = {
    .mixes_cpu = true,
    .aligns_type_inter = true,
    .aligns_cross_nic = true,
    .rails = ORR_RAILS_ALTERNATE_PAIRS,
    .root_child_slot = 1,
    .collnet_copies_channels = true,
    .collnet_heads_distinct = true,
    .collnet_chains = true,
    .double_sm_min = 90,
    .double_sm_max = INT32_MAX,
    .nvls_channels = 16,
    .nvls_channels_sm100 = 24,
    .nvls_channels_sm100_hosts = 32,
    .nvls_copies_channels = true,
    .net_peer = ORR_NET_PEER_BY_SIZE,
    .p2p_bounded = true,
    .p2p_schedule = ORR_P2P_BY_NODE,
};

const struct orr_connect_rules orr_connect_rules_2_30 = {
    .mixes_cpu = true,
    .aligns_type_inter = true,
    .aligns_cross_nic = true,
    .rails = ORR_RAILS_ALTERNATE_OWN,
    .root_child_slot = 1,
    .collnet_copies_channels = true,
    .collnet_heads_distinct = true,
    .collnet_chains = true,
    .double_sm_min = 90,
    .double_sm_max = INT32_MAX,
    .nvls_channels = 16,
    .nvls_channels_sm100 = 24,
    .nvls_channels_sm100_hosts = 32,
    .nvls_by_net_rate = true,
    .net_peer = ORR_NET_PEER_BY_RATE,
    .p2p_bounded = true,
    .p2p_schedule = ORR_P2P_BY_GROUP,
};
