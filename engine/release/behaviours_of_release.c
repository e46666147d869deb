/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the fields of struct orr_release, in their order. */
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
    [ORR_MNNVL_MUST] = "those of a clique; NCCL_MNNVL_ENABLE=1 fails if they cannot share one",
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
    [ORR_NET_BY_MIRRORED_SHARE] = "nearest, by mirrored index within the GPU's share and policy",
};
static const char *const separations[] = {
    [ORR_APART_WITHOUT_SHM] = "without shared memory",
    [ORR_APART_WITHOUT_SHM_AND_P2P] = "without shared memory and P2P",
    [ORR_APART_WHERE_NETWORK_IS_BETTER] = "without shared memory and P2P, or if the network is faster",
};
static const char *const pxn_rules[] = {
    [ORR_PXN_NONE] = "none",
    [ORR_PXN_PREFERRING_ONLY] = "first GPU that prefers the NIC, if any, when the GPU's own path is longer than PXB",
    [ORR_PXN_FIRST_PREFERRING] = "first GPU that prefers the NIC, when the GPU's own path is longer than PXB",
    [ORR_PXN_FIRST_FASTER] =
        "first GPU that prefers the NIC, when that is faster or the GPU's own path is longer than PXB",
    [ORR_PXN_LOCAL_GPU_PAST_PXB] = "the NIC's local GPU, when that is faster or the GPU's own path is longer than PXB",
    [ORR_PXN_LOCAL_GPU_PAST_RELAY] =
        "the NIC's local GPU, when that is faster or the GPU's own path is longer than a relay's may be",
    [ORR_PXN_LOCAL_GPU_PAST_PXN] = "the NIC's local GPU, when that is faster or the GPU's own path is longer than PXN",
    [ORR_PXN_LOCAL_GPU_WITH_GDR] =
        "the NIC's local GPU if it has GDR, when that is faster or the GPU's own path is longer than PXN",
};
static const char *const p2p_defaults[] = {
    [ORR_P2P_BY_MODEL] = "PXB on ARM and Intel Broadwell, PHB on other Intel, else SYS",
    [ORR_P2P_BY_MODEL_AND_ZHAOXIN] = "PXB on ARM, Zhaoxin and Intel Broadwell, PHB on other Intel, else SYS",
    [ORR_P2P_BY_VENDOR] = "PXB on Intel, ARM and Zhaoxin, else SYS",
    [ORR_P2P_PXB_BUT_AMD_PAIR] = "PXB; SYS for two GPUs on AMD",
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
    [ORR_HEADS_AS_OTHERS] = "like other patterns",
    [ORR_HEADS_BY_NET_INDEX] = "at the GPU with the index of the channel's NIC",
    [ORR_HEADS_OF_LIST] = "at the GPU of the channel's NIC in the list",
    [ORR_HEADS_OF_FIRST] = "at the GPU of the first NIC in turn",
    [ORR_HEADS_ONCE] = "at the GPU of a NIC, each GPU once; skipped NICs lose their bandwidth",
    [ORR_HEADS_NEXT] = "at the GPU of a NIC, each GPU once",
};
static const char *const nets_needs[] = {
    [ORR_NETS_OPTIONAL] = "never",
    [ORR_NETS_TO_OTHERS] = "if the system does not have all ranks",
    [ORR_NETS_ALWAYS] = "always",
};
static const char *const crossing_scopes[] = {
    [ORR_CROSSING_ALL] = "every pattern",
    [ORR_CROSSING_SET_FOR_ALL] = "every pattern if it is set, rings and split or balanced trees if it is tried",
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
    [ORR_NVLS_BETTER_AS_OTHERS] = "by rate, like other graphs",
    [ORR_NVLS_BETTER_BY_CHANNELS] = "with more channels",
    [ORR_NVLS_BETTER_BY_RATE] = "with more channels or a higher rate to NICs",
};

static const char *const intel_models[] = {NULL, "BDW", "SKL", "SRP", "ERP"};
static const struct orr_grid intel_grid = {ORR_GRID_FLOAT, ORR_COUNT(intel_models), 1, intel_models};

#define ORR_FIELD_HERE(source_, field) ORR_FIELD(orr_release, ORR_OF_RELEASE, "", field), .source = (source_)
#define ORR_TRUTH(source_, field, bears_, sentence_)                                                                   \
    {                                                                                                                  \
        ORR_FIELD_HERE(source_, field), .kind = ORR_BEHAVIOUR_BOOL, .bears = (bears_), .sentence = (sentence_)         \
    }
#define ORR_INT(source_, field, unit_, bears_, sentence_)                                                              \
    {                                                                                                                  \
        ORR_FIELD_HERE(source_, field), .kind = ORR_BEHAVIOUR_INT, .unit = (unit_), .bears = (bears_),                 \
                                        .sentence = (sentence_)                                                        \
    }
#define ORR_FLOAT(source_, field, unit_, bears_, sentence_)                                                            \
    {                                                                                                                  \
        ORR_FIELD_HERE(source_, field), .kind = ORR_BEHAVIOUR_FLOAT, .unit = (unit_), .bears = (bears_),               \
                                        .sentence = (sentence_)                                                        \
    }
#define ORR_WORD(source_, field, words_, bears_, sentence_)                                                            \
    {                                                                                                                  \
        ORR_FIELD_HERE(source_, field), .kind = ORR_BEHAVIOUR_WORD, .words = (words_), .bears = (bears_),              \
                                        .sentence = (sentence_)                                                        \
    }
#define ORR_TYPE(source_, field, bears_, sentence_)                                                                    \
    {                                                                                                                  \
        ORR_FIELD_HERE(source_, field), .kind = ORR_BEHAVIOUR_PATH_TYPE, .bears = (bears_), .sentence = (sentence_)    \
    }
#define ORR_TABLE(source_, field, read_, unit_, bears_, sentence_)                                                     \
    {                                                                                                                  \
        ORR_FIELD_HERE(source_, field), .kind = ORR_BEHAVIOUR_TABLE, .read = (read_), .unit = (unit_),                 \
                                        .bears = (bears_), .sentence = (sentence_)                                     \
    }

static const struct orr_behaviour rows[] = {
    {ORR_FIELD_HERE(ORR_AT_TOPO, path_types), .kind = ORR_BEHAVIOUR_LIST, .read = orr_read_path_types,
     .bears = PATHS | P2P | GDR | NETS | GRAPHS,
     .sentence = "path types, nearest first; the position is the number that logs show"},
    ORR_INT(ORR_AT_TOPO, path_type_count, NULL, PATHS, "number of path types"),
    ORR_WORD(ORR_AT_TOPO, id_layout, id_layouts, SYS, "how node ids are made"),
    ORR_WORD(ORR_AT_INIT, fusion, fusions, SYS, "whose files are fused into one system"),
    ORR_WORD(ORR_AT_MNNVL, mnnvl, mnnvls, SYS, "which ranks of an NVLink fabric over hosts share a system"),
    ORR_TRUTH(ORR_AT_MNNVL, clique_by_chassis, SYS, "NCCL_MNNVL_CLIQUE_ID=-2 uses the chassis as the clique"),
    ORR_INT(ORR_AT_DEVICE, max_channels, NULL, GRAPHS | CHANNELS, "most channels of a communicator (MAXCHANNELS)"),
    ORR_INT(ORR_AT_XML, max_elements, NULL, IN, "number of XML elements at which NCCL rejects a document"),
    ORR_INT(ORR_AT_XML, max_children, NULL, IN, "most children of one XML element"),
    ORR_INT(ORR_AT_TOPO, max_nodes, NULL, IN, "most nodes of one type"),
    ORR_INT(ORR_AT_TOPO, max_links, NULL, IN, "most links of one node"),
    ORR_TABLE(ORR_AT_TOPO, speeds, orr_read_speeds, "GB/s", SYS | BW | PATHS | GRAPHS,
              "PCIe x16 rates by the text of link_speed"),
    ORR_TABLE(ORR_AT_TOPO, nvlink_bw, orr_read_nvlink_bw, "GB/s", SYS | BW | PATHS | GRAPHS | TUNING,
              "rate of one NVLink by compute capability"),
    ORR_TABLE(ORR_AT_PATHS, nvlink_counted, orr_read_nvlink_bw, "GB/s", CHANNELS,
              "rate of one NVLink when NCCL counts channels of point-to-point transfers"),
    ORR_FLOAT(ORR_AT_TOPO, qpi_power, "GB/s", SYS | BW | PATHS | GRAPHS, "link between POWER CPUs"),
    ORR_FLOAT(ORR_AT_TOPO, qpi_arm, "GB/s", SYS | BW | PATHS | GRAPHS, "link between ARM CPUs"),
    ORR_FLOAT(ORR_AT_TOPO, qpi_amd, "GB/s", SYS | BW | PATHS | GRAPHS, "link between AMD CPUs; 5000 means no limit"),
    ORR_FLOAT(ORR_AT_TOPO, qpi_zhaoxin, "GB/s", SYS | BW | PATHS | GRAPHS, "link between Zhaoxin CPUs"),
    ORR_FLOAT(ORR_AT_TOPO, qpi_yongfeng, "GB/s", SYS | BW | PATHS | GRAPHS, "link between Zhaoxin Yongfeng CPUs"),
    {ORR_FIELD_HERE(ORR_AT_TOPO, qpi_intel), .kind = ORR_BEHAVIOUR_TABLE, .read = orr_read_grid, .grid = &intel_grid,
     .unit = "GB/s", .bears = SYS | BW | PATHS | GRAPHS, .sentence = "link between Intel CPUs by model (QPI, UPI)"},
    ORR_FLOAT(ORR_AT_SEARCH, intel_overhead_up, NULL, GRAPHS,
              "extra load of PCIe between GPUs across an Intel CPU: this part ..."),
    ORR_FLOAT(ORR_AT_SEARCH, intel_overhead_down, NULL, GRAPHS, "... divided by this, of the rate"),

    ORR_WORD(ORR_AT_TOPO, pci_kind, pci_kinds, SYS | IN, "what makes a PCI device a GPU or a NIC"),
    ORR_TRUTH(ORR_AT_TOPO, merges_nic_functions, SYS | PATHS | GRAPHS, "functions of one card are one NIC"),
    ORR_TRUTH(ORR_AT_TOPO, cpu_nics_of_first_system, SYS,
              "a NIC directly below a CPU is looked for in the first system only"),
    ORR_TRUTH(ORR_AT_TOPO, gpu_links_itself, SYS, "a GPU has a link to itself"),
    ORR_WORD(ORR_AT_TOPO, c2c, c2c_links, SYS | BW | PATHS | GDR, "what a C2C element becomes"),
    ORR_TRUTH(ORR_AT_TOPO, pci_peer_links, SYS | PATHS, "links between PCIe switches (pcilink) are used"),
    ORR_WORD(ORR_AT_TOPO, flattening, flattenings, SYS | PATHS | GRAPHS,
             "which Broadcom switches of two levels become one"),
    ORR_TRUTH(ORR_AT_SEARCH, graph_file_ranks, GRAPHS, "a graph file may name GPUs by rank"),
    ORR_TRUTH(ORR_AT_TOPO, has_devs, SYS | PATHS | GRAPHS,
              "links belong to physical GPUs (DEV), and ranks (GPU) to those"),
    ORR_TRUTH(ORR_AT_TOPO, reads_bare_guids, SYS, "a guid without 0x is accepted, and a missing one is the node id"),
    ORR_WORD(ORR_AT_TOPO, ascent, ascents, SYS | PATHS | IN, "how the CPU above a GPU is found for C2C and NVLink"),
    ORR_TRUTH(ORR_AT_TOPO, has_partitions, SYS | PATHS | GRAPHS,
              "the partitions of a GPU (mlopart) are separate devices"),
    ORR_TRUTH(ORR_AT_TOPO, has_gin, SYS, "a NIC may have GIN nodes"),
    ORR_TRUTH(ORR_AT_TOPO, has_rma, SYS, "a NIC may have RMA nodes"),
    ORR_TRUTH(ORR_AT_TOPO, refuses_gpu_bridges, IN, "a GPU inside a PCI device with a bridge's class is an error"),
    ORR_TRUTH(ORR_AT_TOPO, knows_zhaoxin, SYS | BW, "Zhaoxin is a CPU vendor of its own"),
    ORR_TRUTH(ORR_AT_TOPO, knows_latency, SYS | GRAPHS | TUNING, "NCCL reads the latency of NICs"),
    ORR_INT(ORR_AT_TOPO, newest_intel, NULL, SYS | BW,
            "newest Intel CPU that NCCL tells from older ones: 2 is Skylake, 4 is Emerald Rapids"),

    ORR_WORD(ORR_AT_PATHS, admission, admissions, PATHS, "when a path replaces the one found before"),
    ORR_TRUTH(ORR_AT_PATHS, relays_by_gpu, PATHS | P2P | GRAPHS, "NVLink paths through another GPU (NVB)"),
    ORR_TRUTH(ORR_AT_PATHS, reverse_of_any_type, PATHS, "the way back uses the first link there, whatever its type"),
    ORR_TRUTH(ORR_AT_PATHS, near_two_switches, PATHS, "a path over two switches is PIX if it has at most three hops"),
    ORR_TRUTH(ORR_AT_PATHS, power_sockets_are_near, PATHS,
              "NVLink followed by the link between POWER CPUs stays within a socket"),
    ORR_TRUTH(ORR_AT_PATHS, has_nvs_paths, PATHS, "paths start at NVSwitches too"),
    ORR_TYPE(ORR_AT_PATHS, unreached, PATHS, "type of a path to a device that cannot be reached"),
    ORR_TRUTH(ORR_AT_PATHS, first_cpu_unreached, PATHS | GDR,
              "a CPU that cannot be reached may be chosen as the nearest"),
    ORR_TRUTH(ORR_AT_PATHS, cpu_by_rate, PATHS | GDR,
              "the nearest CPU is the fastest, then by path type, then by hops; else by hops"),
    ORR_WORD(ORR_AT_PATHS, p2p_default, p2p_defaults, P2P | PATHS, "default P2P level"),
    ORR_WORD(ORR_AT_PATHS, separation, separations, PATHS | CHANNELS,
             "when NCCL treats GPUs of one host as unable to reach each other"),
    ORR_TRUTH(ORR_AT_PATHS, apart_by_type, PATHS,
              "GPUs that cannot reach each other have the type NET, not a path without links"),
    ORR_TRUTH(ORR_AT_TOPO, shows_net_as_dis, PATHS, "the path type NET is printed as DIS"),
    ORR_WORD(ORR_AT_TOPO, net_choice, net_choices, NETS | PATHS | GRAPHS, "how a GPU chooses its NIC for a channel"),
    ORR_TRUTH(ORR_AT_TOPO, stands_by_index, NETS | PATHS | GRAPHS,
              "a NIC's local GPU may be any GPU by index, not only one of the nearest"),
    ORR_TRUTH(ORR_AT_SEARCH, peer_by_number, NETS,
              "point-to-point transfers use the NIC of the GPU with the peer's number"),
    ORR_WORD(ORR_AT_PATHS, pxn, pxn_rules, PATHS | NETS, "the GPU whose NIC another GPU uses over NVLink (PXN)"),
    ORR_TRUTH(ORR_AT_SEARCH, peers_relay_over_c2c, NETS,
              "point-to-point transfers may use PXN over C2C if collectives may"),
    ORR_TRUTH(ORR_AT_PATHS, retags_c2c, PATHS | GDR,
              "the path between a GPU on C2C and a NIC on PCIe of its CPU is P2C, not PHB"),
    ORR_TRUTH(ORR_AT_PATHS, retags_phb_only, PATHS | GDR,
              "only paths of type PHB become P2C, whatever the place of the NIC"),
    ORR_TRUTH(ORR_AT_PATHS, composes_p2c, PATHS | GDR, "a path of PHB and C2C is P2C, not PHB"),
    ORR_TRUTH(ORR_AT_PATHS, p2c_past_pxn, PATHS | NETS | GRAPHS, "P2C is longer than PXN"),
    ORR_TRUTH(ORR_AT_PATHS, diverts_gdr_always, PATHS,
              "without GPUDirect RDMA, NCCL builds the path through the CPU even if it already goes there"),
    ORR_TRUTH(ORR_AT_PATHS, reads_only_with_nvlink, GDR,
              "GPUDirect RDMA for sending needs NVLink at any capability, not only below sm 80"),
    ORR_TRUTH(ORR_AT_PATHS, gdr_has_modes, GDR, "GPUDirect RDMA has a PCIe mode (2) for GPUs on C2C"),
    ORR_TRUTH(ORR_AT_PATHS, gdr_counts_phb, GDR | PATHS, "PHB of a GPU on C2C is treated as C2C if GDR over C2C is on"),
    ORR_TRUTH(ORR_AT_PATHS, gdr_level_c2c, GDR | PATHS,
              "the default GDR level includes P2C; otherwise P2C is treated as C2C if GDR over C2C is on"),
    ORR_TRUTH(ORR_AT_PATHS, exchanges_net_rates, CHANNELS, "ranks exchange the speed of their NICs"),
    ORR_WORD(ORR_AT_TOPO, nets_needed, nets_needs, SYS, "when NCCL needs NICs and fails without them"),
    ORR_TRUTH(ORR_AT_PATHS, keeps_nets, SYS | PATHS | GRAPHS, "NICs stay in the graph of a single host"),
    ORR_TRUTH(ORR_AT_PATHS, retags_near_nets_only, PATHS, "P2C only for the NICs nearest to a GPU"),
    ORR_FLOAT(ORR_AT_SEARCH, single_gpu_total, "GB/s", SYS | GRAPHS, "total bandwidth of a GPU if there are no NICs"),

    ORR_TABLE(ORR_AT_SEARCH, search_rates, orr_read_search_rates, "GB/s", GRAPHS,
              "bandwidths of a channel that the search tries, by compute capability"),
    ORR_INT(ORR_AT_SEARCH, ring_max_channels, NULL, GRAPHS, "most channels of the ring graph"),
    ORR_INT(ORR_AT_SEARCH, steps_same, "steps", GRAPHS, "search budget of an attempt with equal channels"),
    ORR_INT(ORR_AT_SEARCH, steps_tree, "steps", GRAPHS, "search budget of an attempt for a tree"),
    ORR_INT(ORR_AT_SEARCH, steps_other, "steps", GRAPHS, "search budget of any other attempt"),
    ORR_INT(ORR_AT_SEARCH, steps_all, "steps", GRAPHS, "search budget of all attempts of a graph"),
    ORR_WORD(ORR_AT_SEARCH, tree_pattern, tree_patterns, GRAPHS | CHANNELS, "pattern that the tree graph starts with"),
    ORR_TRUTH(ORR_AT_SEARCH, tree_keeps_ring_channels, GRAPHS, "the tree must have as many channels as the ring"),
    ORR_TRUTH(ORR_AT_INIT, ring_follows_tree, GRAPHS | CHANNELS, "a ring has no more channels than the tree"),
    ORR_TRUTH(ORR_AT_INIT, nets_as_aligned, NETS,
              "net_devs lists NICs for the channels that the rings of all systems have, not for those of the system's "
              "own ring"),
    ORR_TRUTH(ORR_AT_SEARCH, collnet_always, GRAPHS, "NCCL searches a CollNet graph even if CollNet is off"),
    ORR_TRUTH(ORR_AT_SEARCH, collnet_graph_is_chain, GRAPHS, "CollNet's graph is that of CollNetChain"),
    ORR_TRUTH(ORR_AT_SEARCH, collnet_direct, GRAPHS, "CollNetDirect has its own graph"),
    ORR_INT(ORR_AT_SEARCH, collnet_direct_most, NULL, GRAPHS, "most channels of CollNetDirect's graph"),
    ORR_INT(ORR_AT_SEARCH, nvls_max_channels, NULL, GRAPHS | CHANNELS,
            "most channels of the NVLS graph; 0: there is none"),
    ORR_INT(ORR_AT_SEARCH, nvls_least_gpus, NULL, GRAPHS | CHANNELS, "fewest GPUs of a host for NVLS"),
    ORR_TRUTH(ORR_AT_SEARCH, nvls_counts_clique, GRAPHS | CHANNELS,
              "on fused hosts NVLS counts all GPUs, even those that are removed"),
    ORR_TRUTH(ORR_AT_SEARCH, nvls_fixed_channels, GRAPHS, "NVLS needs a channel for every GPU"),
    ORR_TRUTH(ORR_AT_SEARCH, nvls_any_channels, GRAPHS, "with NICs, NVLS may have more channels than there are GPUs"),
    ORR_TRUTH(ORR_AT_SEARCH, nvls_divides_rate, GRAPHS,
              "without NICs, NVLS starts at the bandwidth of all GPUs together"),
    ORR_WORD(ORR_AT_SEARCH, nvls_better, nvls_betters, GRAPHS, "when a set of NVLS channels is better"),
    ORR_TRUTH(ORR_AT_SEARCH, types_from_system, GRAPHS,
              "limits on path types start and end at the types that the machine has"),
    ORR_TRUTH(ORR_AT_SEARCH, rates_by_total, GRAPHS, "the first bandwidth tried must fit the GPUs' links too"),
    ORR_TRUTH(ORR_AT_SEARCH, lone_gpu_unbounded, GRAPHS, "... except those of a single GPU"),
    ORR_WORD(ORR_AT_SEARCH, crossing_scope, crossing_scopes, GRAPHS, "patterns for which crossing NICs is decided"),
    ORR_TRUTH(ORR_AT_SEARCH, weighs_crossing, GRAPHS, "a solution that does not cross NICs may be 15 % slower"),
    ORR_INT(ORR_AT_SEARCH, cross_nic_try, NULL, GRAPHS, "how NICs may be crossed (1 any, 2 pairs that keep rails)"),
    ORR_TRUTH(ORR_AT_SEARCH, splits_nvlink, GRAPHS, "two groups of GPUs joined by NVLink get at least two channels"),
    ORR_TRUTH(ORR_AT_SEARCH, checks_unreachable, GRAPHS, "a pair without a path ends the attempt"),
    ORR_TRUTH(ORR_AT_SEARCH, empty_paths_are_free, GRAPHS, "a path without links passes every limit"),
    ORR_TRUTH(ORR_AT_SEARCH, compares_patterns, GRAPHS,
              "a solution wins by fewer hops only against one of the same pattern"),
    ORR_TRUTH(ORR_AT_SEARCH, replays_first, GRAPHS,
              "later channels first repeat the previous one, and then search freely"),
    ORR_TRUTH(ORR_AT_SEARCH, checks_way_back, GRAPHS, "trees check the type of the reverse path too"),
    ORR_TRUTH(ORR_AT_SEARCH, power_cpu_only, GRAPHS, "NVLink into a CPU loads the reverse link on POWER only"),
    ORR_WORD(ORR_AT_SEARCH, net_lists, net_lists, GRAPHS, "NICs at which a channel may start"),
    ORR_TRUTH(ORR_AT_SEARCH, policy_limits_lists, GRAPHS,
              "with NCCL_NETDEVS_POLICY=MAX:N the lists of NICs have N for each GPU at most"),
    ORR_TRUTH(ORR_AT_SEARCH, rotates_start_nets, GRAPHS, "the list of NICs is rotated by the channel's number"),
    ORR_TRUTH(ORR_AT_SEARCH, counts_connections, GRAPHS, "a NIC takes no more channels than its maxconn"),
    ORR_WORD(ORR_AT_SEARCH, start_gpus, start_gpus, GRAPHS, "GPUs tried first after an entry NIC"),
    ORR_WORD(ORR_AT_SEARCH, start_heads, start_heads, GRAPHS, "where a channel of NVLS or CollNetDirect starts"),
    ORR_WORD(ORR_AT_SEARCH, switch_neighbours, neighbours, GRAPHS, "with NVSwitches, GPUs next by index are tried"),
    ORR_TRUTH(ORR_AT_SEARCH, switch_skips_order, GRAPHS, "with NVSwitches, index order is not tried first"),
    ORR_WORD(ORR_AT_SEARCH, nic_pairs, nic_pairs, GRAPHS,
             "graphs whose odd channels use the NICs of the even ones in reverse"),
    ORR_TRUTH(ORR_AT_SEARCH, knows_rails, GRAPHS | SYS, "planes and rails of NICs limit where a channel may leave"),
    ORR_TRUTH(ORR_AT_SEARCH, any_inter_before_sm90, GRAPHS, "before sm 90, path types to NICs are relaxed up to SYS"),
    ORR_TRUTH(ORR_AT_SEARCH, simple_order_by_preference, GRAPHS,
              "if nothing is found, the preferred NICs of the first and last GPU are used"),

    ORR_WORD(ORR_AT_SEARCH, doubling, doublings, GRAPHS,
             "bandwidths at which channels are doubled at half the bandwidth"),
    ORR_TRUTH(ORR_AT_SEARCH, duplicates_early, GRAPHS, "NCCL doubles channels before it raises bandwidths"),
    ORR_TRUTH(ORR_AT_SEARCH, raises_rings, GRAPHS, "NCCL raises the bandwidths of rings too"),
    ORR_TRUTH(ORR_AT_SEARCH, amd_keeps_same_channels, GRAPHS, "on AMD, rings with SYS paths keep equal channels"),
    ORR_TRUTH(ORR_AT_SEARCH, tree_for_sm90, GRAPHS, "NCCL tries a tree instead of a balanced tree from sm 90 on"),
    ORR_TRUTH(ORR_AT_SEARCH, relaxes_split_tree, GRAPHS, "NCCL tries a tree instead of a split tree"),
    ORR_TRUTH(ORR_AT_SEARCH, relaxes_pattern_first, GRAPHS, "... before it tries to cross NICs"),
    ORR_TYPE(ORR_AT_SEARCH, type_inter_always, GRAPHS,
             "below this type, path types to NICs are relaxed even if a solution was found"),
    ORR_TRUTH(ORR_AT_SEARCH, finishes_at_full_rate, GRAPHS, "only all channels at full bandwidth end the search"),
};

const struct orr_behaviour_rows orr_behaviours_of_release = {rows, ORR_COUNT(rows)};
