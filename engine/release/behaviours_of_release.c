/* SPDX-License-Identifier: Apache-2.0 */
/* What the fields of struct orr_release mean, in their order. */
#include "engine/release/behaviour_rows.h"

/* Words of enums, in their order. */
static const char *const id_layouts[] = {
    [ORR_ID_PLAIN] = "local ids, no system ids",
    [ORR_ID_ADDED] = "system id added above the local id",
    [ORR_ID_MASKED] = "system id above the masked local id",
};
static const char *const fusions[] = {
    [ORR_FUSE_NONE] = "none",
    [ORR_FUSE_HOSTS] = "of the hosts of an NVLink domain",
    [ORR_FUSE_RANKS] = "of all ranks",
};
static const char *const mnnvls[] = {
    [ORR_MNNVL_NONE] = "none",
    [ORR_MNNVL_MUST] = "those of a clique; NCCL_MNNVL_ENABLE=1 fails where they cannot",
    [ORR_MNNVL_TRIED] = "those of a clique",
    [ORR_MNNVL_CLIQUES] = "those of a clique, unless P2P is off",
};
static const char *const pci_kinds[] = {
    [ORR_KIND_BY_CLASS] = "by PCI class",
    [ORR_KIND_BY_CHILD] = "by its gpu or nic element",
    [ORR_KIND_EVERY_GPU] = "by its elements, with several gpu elements in one pci",
};
static const char *const ascents[] = {
    [ORR_ASCENT_ANY] = "over any PCI links, also back down, which may never end",
    [ORR_ASCENT_SWITCHES] = "over switches and CPUs, also straight back, which may never end",
    [ORR_ASCENT_ONWARD] = "over switches and CPUs, never straight back",
};
static const char *const c2c_links[] = {
    [ORR_C2C_NONE] = "ignored",
    [ORR_C2C_AS_NVLINK] = "an NVLink",
    [ORR_C2C_OWN] = "a link type of its own",
};
static const char *const flattenings[] = {
    [ORR_FLATTEN_NONE] = "none",
    [ORR_FLATTEN_GEN4_EQUAL] = "Gen4 with equal identity",
    [ORR_FLATTEN_GEN4_GEN5] = "Gen4 and Gen5 by range",
};
static const char *const admissions[] = {
    [ORR_ADMIT_FASTER] = "faster",
    [ORR_ADMIT_FEWER_HOPS] = "fewer hops, then faster",
    [ORR_ADMIT_NEARER] = "nearer by type, then faster, then fewer hops",
};
static const char *const net_choices[] = {
    [ORR_NET_BY_CHANNEL] = "fastest path from the NIC, in turn by channel",
    [ORR_NET_BY_PEER] = "fastest path from the NIC, by the peer's device number",
    [ORR_NET_BY_DEV] = "fastest path from the NIC, by NVML index",
    [ORR_NET_DEALT] = "assigned in turn to the GPUs with the same nearest NICs",
    [ORR_NET_BY_MIRRORED_DEV] = "nearest, by mirrored NVML index and channel",
    [ORR_NET_BY_MIRRORED_SHARE] = "nearest, by mirrored index within its share and policy",
};
static const char *const separations[] = {
    [ORR_APART_WITHOUT_SHM] = "without shared memory",
    [ORR_APART_WITHOUT_SHM_AND_P2P] = "without shared memory and P2P",
    [ORR_APART_WHERE_NETWORK_IS_BETTER] = "without shared memory and P2P, or where the network is faster",
};
static const char *const pxn_rules[] = {
    [ORR_PXN_NONE] = "none",
    [ORR_PXN_PREFERRING_ONLY] = "first GPU that prefers the NIC, if any, where the own path is beyond PXB",
    [ORR_PXN_FIRST_PREFERRING] = "first GPU that prefers the NIC, where the own path is beyond PXB",
    [ORR_PXN_FIRST_FASTER] = "first GPU that prefers the NIC, where faster or the own path is beyond PXB",
    [ORR_PXN_LOCAL_GPU_PAST_PXB] = "the NIC's local GPU, where faster or the own path is beyond PXB",
    [ORR_PXN_LOCAL_GPU_PAST_RELAY] =
        "the NIC's local GPU, where faster or the own path is longer than a relay's may be",
    [ORR_PXN_LOCAL_GPU_PAST_PXN] = "the NIC's local GPU, where faster or the own path is beyond PXN",
    [ORR_PXN_LOCAL_GPU_WITH_GDR] = "the NIC's local GPU if it has GDR, where faster or the own path is beyond PXN",
};
static const char *const p2p_defaults[] = {
    [ORR_P2P_BY_MODEL] = "PXB on ARM and Intel Broadwell, PHB on other Intel, else SYS",
    [ORR_P2P_BY_MODEL_AND_ZHAOXIN] = "PXB on ARM, Zhaoxin and Intel Broadwell, PHB on other Intel, else SYS",
    [ORR_P2P_BY_VENDOR] = "PXB on Intel, ARM, Zhaoxin, else SYS",
    [ORR_P2P_PXB_BUT_AMD_PAIR] = "PXB, SYS for two GPUs on AMD",
};
static const char *const net_lists[] = {
    [ORR_NETS_ALL] = "all by index",
    [ORR_NETS_FASTEST_START] = "the fastest, by hops, rotated by GPU",
    [ORR_NETS_BY_TYPE_ROTATED] = "by path type, rotated by GPU",
    [ORR_NETS_PREFERRED] = "those that GPUs prefer, then the others by path type",
};
static const char *const nic_pairs[] = {
    [ORR_PAIRS_NONE] = "none",
    [ORR_PAIRS_ALL] = "all graphs",
    [ORR_PAIRS_RINGS] = "rings",
};
static const char *const start_gpus[] = {
    [ORR_START_TWO_ROUNDS] = "fastest and nearest, those with PCIe bandwidth left first",
    [ORR_START_ROTATED] = "fastest and nearest, rotated by channel",
    [ORR_START_NEAREST] = "the nearest",
    [ORR_START_LOCAL_GPU] = "the NIC's local GPU, then the nearest",
};
static const char *const tree_patterns[] = {
    [ORR_TREE_BY_HOSTS] = "tree for up to two hosts, else balanced tree (split tree before sm 80)",
    [ORR_TREE_BALANCED] = "balanced tree",
    [ORR_TREE_SPLIT] = "split tree",
};
static const char *const start_heads[] = {
    [ORR_HEADS_AS_OTHERS] = "as other patterns do",
    [ORR_HEADS_BY_NET_INDEX] = "at the GPU with the index of the channel's NIC",
    [ORR_HEADS_OF_LIST] = "at the GPU of the channel's NIC in the list",
    [ORR_HEADS_OF_FIRST] = "at the GPU of the first NIC in turn",
    [ORR_HEADS_ONCE] = "at the GPU of a NIC, each GPU once; skipped NICs lose their bandwidth",
    [ORR_HEADS_NEXT] = "at the GPU of a NIC, each GPU once",
};
static const char *const crossing_scopes[] = {
    [ORR_CROSSING_ALL] = "every pattern",
    [ORR_CROSSING_SET_FOR_ALL] = "every pattern where it is set, rings and split or balanced trees where it is tried",
    [ORR_CROSSING_SOME] = "rings and split or balanced trees",
};
static const char *const neighbours[] = {
    [ORR_NEIGHBOURS_NONE] = "like others",
    [ORR_NEIGHBOURS_FIRST] = "first",
    [ORR_NEIGHBOURS_ONLY] = "alone",
};
static const char *const doublings[] = {
    [ORR_DOUBLING_FROM_25] = "from 25 GB/s on",
    [ORR_DOUBLING_UP_TO_90] = "from 25 GB/s on up to sm 80, from 50 GB/s on up to sm 90",
    [ORR_DOUBLING_BY_CHANNELS] = "from 25 GB/s on; above sm 80 with more than four channels from 50 GB/s on",
};
static const char *const nvls_betters[] = {
    [ORR_NVLS_BETTER_AS_OTHERS] = "by rate, as others",
    [ORR_NVLS_BETTER_BY_CHANNELS] = "with more channels",
    [ORR_NVLS_BETTER_BY_RATE] = "with more channels or a higher rate to NICs",
};

static const char *const intel_models[] = {NULL, "BDW", "SKL", "SRP", "ERP"};
static const struct orr_grid intel_grid = {ORR_GRID_FLOAT, ORR_COUNT(intel_models), 1, intel_models};

#define FIELD(field) ORR_FIELD(orr_release, ORR_OF_RELEASE, "", field)
#define YES(field, bears_, sentence_)                                                                                  \
    {                                                                                                                  \
        FIELD(field), .kind = ORR_BEHAVIOUR_BOOL, .bears = (bears_), .sentence = (sentence_)                           \
    }
#define INT(field, unit_, bears_, sentence_)                                                                           \
    {                                                                                                                  \
        FIELD(field), .kind = ORR_BEHAVIOUR_INT, .unit = (unit_), .bears = (bears_), .sentence = (sentence_)           \
    }
#define FLOAT(field, unit_, bears_, sentence_)                                                                         \
    {                                                                                                                  \
        FIELD(field), .kind = ORR_BEHAVIOUR_FLOAT, .unit = (unit_), .bears = (bears_), .sentence = (sentence_)         \
    }
#define WORD(field, words_, bears_, sentence_)                                                                         \
    {                                                                                                                  \
        FIELD(field), .kind = ORR_BEHAVIOUR_WORD, .words = (words_), .bears = (bears_), .sentence = (sentence_)        \
    }
#define TYPE(field, bears_, sentence_)                                                                                 \
    {                                                                                                                  \
        FIELD(field), .kind = ORR_BEHAVIOUR_PATH_TYPE, .bears = (bears_), .sentence = (sentence_)                      \
    }
#define TABLE(field, read_, unit_, bears_, sentence_)                                                                  \
    {                                                                                                                  \
        FIELD(field), .kind = ORR_BEHAVIOUR_TABLE, .read = (read_), .unit = (unit_), .bears = (bears_),                \
                      .sentence = (sentence_)                                                                          \
    }

static const struct orr_behaviour rows[] = {
    {FIELD(path_types), .kind = ORR_BEHAVIOUR_LIST, .read = orr_read_path_types,
     .bears = PATHS | P2P | GDR | NETS | GRAPHS,
     .sentence = "path types, nearest first; the position is the number that logs show"},
    INT(path_type_count, NULL, PATHS, "number of path types"),
    WORD(id_layout, id_layouts, SYS, "how node ids are made"),
    WORD(fusion, fusions, SYS, "whose files are fused into one system"),
    WORD(mnnvl, mnnvls, SYS, "which ranks of an NVLink fabric over hosts share a system"),
    YES(clique_by_chassis, SYS, "NCCL_MNNVL_CLIQUE_ID=-2 takes the chassis for the clique"),
    INT(max_channels, NULL, GRAPHS | CHANNELS, "most channels of a communicator (MAXCHANNELS)"),
    INT(max_elements, NULL, IN, "XML elements at which a document is refused"),
    INT(max_children, NULL, IN, "most children of one XML element"),
    INT(max_nodes, NULL, IN, "most nodes of one type"),
    INT(max_links, NULL, IN, "most links of one node"),
    TABLE(speeds, orr_read_speeds, "GB/s", SYS | BW | PATHS | GRAPHS, "PCIe x16 rates by the text of link_speed"),
    TABLE(nvlink_bw, orr_read_nvlink_bw, "GB/s", SYS | BW | PATHS | GRAPHS | TUNING,
          "rate of one NVLink by compute capability"),
    TABLE(nvlink_counted, orr_read_nvlink_bw, "GB/s", CHANNELS,
          "rate of one NVLink where channels of point-to-point transfers are counted"),
    FLOAT(qpi_power, "GB/s", SYS | BW | PATHS | GRAPHS, "link between POWER CPUs"),
    FLOAT(qpi_arm, "GB/s", SYS | BW | PATHS | GRAPHS, "link between ARM CPUs"),
    FLOAT(qpi_amd, "GB/s", SYS | BW | PATHS | GRAPHS, "link between AMD CPUs; 5000 counts as free"),
    FLOAT(qpi_zhaoxin, "GB/s", SYS | BW | PATHS | GRAPHS, "link between Zhaoxin CPUs"),
    FLOAT(qpi_yongfeng, "GB/s", SYS | BW | PATHS | GRAPHS, "link between Zhaoxin Yongfeng CPUs"),
    {FIELD(qpi_intel), .kind = ORR_BEHAVIOUR_TABLE, .read = orr_read_grid, .grid = &intel_grid, .unit = "GB/s",
     .bears = SYS | BW | PATHS | GRAPHS, .sentence = "link between Intel CPUs by model (QPI, UPI)"},
    FLOAT(intel_overhead_up, NULL, GRAPHS, "PCIe through an Intel CPU between GPUs is charged this much ..."),
    FLOAT(intel_overhead_down, NULL, GRAPHS, "... for every so much of the rate"),

    WORD(pci_kind, pci_kinds, SYS | IN, "what makes a PCI device a GPU or a NIC"),
    YES(merges_nic_functions, SYS | PATHS | GRAPHS, "functions of one card are one NIC"),
    YES(cpu_nics_of_first_system, SYS, "a NIC directly in a CPU is sought in the first system only"),
    YES(gpu_links_itself, SYS, "a GPU has a link to itself"),
    WORD(c2c, c2c_links, SYS | BW | PATHS | GDR, "what a C2C element becomes"),
    YES(pci_peer_links, SYS | PATHS, "links between PCIe switches (pcilink) count"),
    WORD(flattening, flattenings, SYS | PATHS | GRAPHS, "which Broadcom switches of two levels become one"),
    YES(graph_file_ranks, GRAPHS, "a graph file may name GPUs by rank"),
    YES(has_devs, SYS | PATHS | GRAPHS, "links hang on physical GPUs (DEV), and ranks (GPU) on those"),
    YES(reads_bare_guids, SYS, "a guid without 0x counts, and a missing one is the node id"),
    WORD(ascent, ascents, SYS | PATHS | IN, "how the CPU above a GPU is found for C2C and NVLink"),
    YES(has_partitions, SYS | PATHS | GRAPHS, "the partitions of a GPU (mlopart) are separate devices"),
    YES(has_gin, SYS, "a NIC may have GIN nodes"),
    YES(has_rma, SYS, "a NIC may have RMA nodes"),
    YES(refuses_gpu_bridges, IN, "a GPU inside a PCI device with a bridge's class is an error"),
    YES(knows_zhaoxin, SYS | BW, "has Zhaoxin CPUs as a vendor of their own"),
    YES(knows_latency, SYS | GRAPHS | TUNING, "reads the latency of NICs"),
    INT(newest_intel, NULL, SYS | BW, "Intel model (1 BDW, 2 SKL, 3 SRP, 4 ERP) that all newer ones count as"),

    WORD(admission, admissions, PATHS, "when a path replaces the one found before"),
    YES(relays_by_gpu, PATHS | P2P | GRAPHS, "NVLink paths through another GPU (NVB)"),
    YES(reverse_of_any_type, PATHS, "the reverse hop is the first link there, whatever its type"),
    YES(near_two_switches, PATHS, "two switches count as PIX if the path has at most three hops"),
    YES(power_sockets_are_near, PATHS, "NVLink and then the link between POWER CPUs count as one socket"),
    YES(has_nvs_paths, PATHS, "paths start at NVSwitches too"),
    TYPE(unreached, PATHS, "type of a path to a device that cannot be reached"),
    YES(first_cpu_unreached, PATHS | GDR, "a CPU that cannot be reached may count as the nearest"),
    YES(cpu_by_rate, PATHS | GDR, "the nearest CPU is the fastest, then by path type, then by hops; else by hops"),
    WORD(p2p_default, p2p_defaults, P2P | PATHS, "default P2P level"),
    WORD(separation, separations, PATHS | CHANNELS, "when GPUs of one host count as unable to reach each other"),
    YES(apart_by_type, PATHS, "GPUs that cannot reach each other have the type NET, not a path without links"),
    YES(shows_net_as_dis, PATHS, "the path type NET is printed as DIS"),
    WORD(net_choice, net_choices, NETS | PATHS | GRAPHS, "how a GPU chooses its NIC for a channel"),
    YES(stands_by_index, NETS | PATHS | GRAPHS,
        "a NIC's local GPU may be any GPU by index, not only one of the nearest"),
    YES(peer_by_number, NETS, "point-to-point transfers use the NIC of the GPU with the peer's number"),
    WORD(pxn, pxn_rules, PATHS | NETS, "the GPU whose NIC another GPU uses over NVLink (PXN)"),
    YES(peers_relay_over_c2c, NETS, "point-to-point transfers may use PXN over C2C where PXN itself may"),
    YES(retags_c2c, PATHS | GDR, "the path between a GPU on C2C and a NIC on PCIe of its CPU is P2C, not PHB"),
    YES(retags_phb_only, PATHS | GDR, "only paths of type PHB become P2C, wherever the NIC is"),
    YES(composes_p2c, PATHS | GDR, "a path of PHB and C2C is P2C, not PHB"),
    YES(p2c_past_pxn, PATHS | NETS | GRAPHS, "P2C counts as longer than PXN"),
    YES(diverts_gdr_always, PATHS,
        "without GPUDirect RDMA, NCCL builds the path through the CPU even if it already goes there"),
    YES(reads_only_with_nvlink, GDR, "GPUDirect RDMA for sending needs NVLink at any capability, not only below sm 80"),
    YES(gdr_has_modes, GDR, "GPUDirect RDMA has a PCIe mode (2) for GPUs on C2C"),
    YES(gdr_counts_phb, GDR | PATHS, "PHB of a GPU on C2C counts as C2C where GDR over C2C is on"),
    YES(gdr_level_c2c, GDR | PATHS,
        "the default GDR level includes P2C; else P2C counts as C2C where GDR over C2C is on"),
    YES(exchanges_net_rates, CHANNELS, "ranks exchange the speed of their NICs"),
    YES(keeps_nets, SYS | PATHS | GRAPHS, "NICs stay in the graph of a single host"),
    YES(retags_near_nets_only, PATHS, "P2C only for the NICs nearest to a GPU"),
    FLOAT(single_gpu_total, "GB/s", SYS | GRAPHS, "total bandwidth of a GPU without NICs"),

    TABLE(search_rates, orr_read_search_rates, "GB/s", GRAPHS,
          "bandwidths of a channel that the search tries, by compute capability"),
    INT(ring_max_channels, NULL, GRAPHS, "most channels of the ring graph"),
    INT(steps_same, "steps", GRAPHS, "search budget of an attempt with equal channels"),
    INT(steps_tree, "steps", GRAPHS, "search budget of an attempt for a tree"),
    INT(steps_other, "steps", GRAPHS, "search budget of any other attempt"),
    INT(steps_all, "steps", GRAPHS, "search budget of all attempts of a graph"),
    WORD(tree_pattern, tree_patterns, GRAPHS | CHANNELS, "pattern that the tree graph starts with"),
    YES(tree_keeps_ring_channels, GRAPHS, "the tree must have as many channels as the ring"),
    YES(ring_follows_tree, GRAPHS | CHANNELS, "a ring has no more channels than the tree"),
    YES(nets_as_aligned, NETS,
        "net_devs lists NICs for the channels that the rings of all systems have, not for those of the own ring"),
    YES(collnet_always, GRAPHS, "searches a CollNet graph whether CollNet is on or not"),
    YES(collnet_graph_is_chain, GRAPHS, "CollNet's graph is that of CollNetChain"),
    YES(collnet_direct, GRAPHS, "CollNetDirect has its own graph"),
    INT(collnet_direct_most, NULL, GRAPHS, "most channels of CollNetDirect's graph"),
    INT(nvls_max_channels, NULL, GRAPHS | CHANNELS, "most channels of the NVLS graph, 0: there is none"),
    INT(nvls_least_gpus, NULL, GRAPHS | CHANNELS, "fewest GPUs of a host for NVLS"),
    YES(nvls_counts_clique, GRAPHS | CHANNELS, "on fused hosts all GPUs count for NVLS, even those that are removed"),
    YES(nvls_fixed_channels, GRAPHS, "NVLS needs a channel for every GPU"),
    YES(nvls_any_channels, GRAPHS, "with NICs, NVLS may have more channels than there are GPUs"),
    YES(nvls_divides_rate, GRAPHS, "without NICs, NVLS starts at the bandwidth of all GPUs together"),
    WORD(nvls_better, nvls_betters, GRAPHS, "when a set of NVLS channels is better"),
    YES(types_from_system, GRAPHS, "limits on path types start and end at the types that the machine has"),
    YES(rates_by_total, GRAPHS, "the first bandwidth tried must fit the GPUs' links too"),
    YES(lone_gpu_unbounded, GRAPHS, "... but not those of a single GPU"),
    WORD(crossing_scope, crossing_scopes, GRAPHS, "patterns for which crossing NICs is decided"),
    YES(weighs_crossing, GRAPHS, "a solution that does not cross NICs may be 15 % slower"),
    INT(cross_nic_try, NULL, GRAPHS, "how NICs may be crossed (1 any, 2 pairs that keep rails)"),
    YES(splits_nvlink, GRAPHS, "two groups of GPUs joined by NVLink get at least two channels"),
    YES(checks_unreachable, GRAPHS, "a pair without a path ends the attempt"),
    YES(empty_paths_are_free, GRAPHS, "a path without links passes every limit"),
    YES(compares_patterns, GRAPHS, "fewer hops count only against a solution of the same pattern"),
    YES(replays_first, GRAPHS, "later channels repeat the one before first, and then search freely"),
    YES(checks_way_back, GRAPHS, "trees check the type of the reverse path too"),
    YES(power_cpu_only, GRAPHS, "NVLink into a CPU loads the reverse link on POWER only"),
    WORD(net_lists, net_lists, GRAPHS, "NICs at which a channel may start"),
    YES(policy_limits_lists, GRAPHS, "with NCCL_NETDEVS_POLICY=MAX:N the lists of NICs have N for each GPU at most"),
    YES(rotates_start_nets, GRAPHS, "the list of NICs is rotated by the channel's number"),
    YES(counts_connections, GRAPHS, "a NIC takes no more channels than its maxconn"),
    WORD(start_gpus, start_gpus, GRAPHS, "GPUs tried first behind an entry NIC"),
    WORD(start_heads, start_heads, GRAPHS, "where a channel of NVLS or CollNetDirect starts"),
    WORD(switch_neighbours, neighbours, GRAPHS, "with NVSwitches, GPUs next by index are tried"),
    YES(switch_skips_order, GRAPHS, "with NVSwitches index order is not tried first"),
    WORD(nic_pairs, nic_pairs, GRAPHS, "odd channels take the NICs of even ones the other way round in"),
    YES(knows_rails, GRAPHS | SYS, "planes and rails of NICs limit where a channel may leave"),
    YES(any_inter_before_sm90, GRAPHS, "before sm 90 path types to NICs are relaxed up to SYS"),
    YES(simple_order_by_preference, GRAPHS,
        "if nothing is found, the preferred NICs of the first and last GPU are used"),

    WORD(doubling, doublings, GRAPHS, "bandwidths at which channels are doubled at half the bandwidth"),
    YES(duplicates_early, GRAPHS, "doubles channels before raising bandwidths"),
    YES(raises_rings, GRAPHS, "bandwidths of rings are raised too"),
    YES(amd_keeps_same_channels, GRAPHS, "on AMD, rings with SYS paths keep equal channels"),
    YES(tree_for_sm90, GRAPHS, "tries a tree in place of a balanced tree from sm 90 on"),
    YES(relaxes_split_tree, GRAPHS, "tries a tree in place of a split tree"),
    YES(relaxes_pattern_first, GRAPHS, "tries that before crossing NICs"),
    TYPE(type_inter_always, GRAPHS, "below this type, path types to NICs are relaxed although a solution was found"),
    YES(finishes_at_full_rate, GRAPHS, "only all channels at full bandwidth end the search"),
};

const struct orr_behaviour_rows orr_behaviours_of_release = {rows, ORR_COUNT(rows)};
