/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of an NCCL release: one row each, made from the row of its predecessor and its changes (releases_2_*.c).
 * Code reads a figure or a named behaviour of the row, never a version number. */
#ifndef ORR_RELEASE_RELEASE_H
#define ORR_RELEASE_RELEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/release/cpu.h"
#include "engine/release/path_type.h"

/* 2.27.7 -> 22707. Versions are compared only to look rows of tables up. */
#define ORR_VERSION(major, minor, patch) ((major)*10000u + (minor)*100u + (patch))

struct orr_speed { /* text of link_speed, matched as a prefix in this order -> units of 100 Mb/s a lane */
    const char *prefix;
    int32_t units;
};
struct orr_nvlink_bw { /* GB/s of one NVLink by compute capability: the first row whose sm_min <= sm */
    int32_t sm_min;
    float bw;
};
struct orr_speed_table { /* rates that the search tries, falling; GB/s */
    const float *intra, *inter;
    uint32_t intra_count, inter_count;
};
struct orr_search_rates { /* by the least compute capability: the first row whose sm_min <= sm */
    int32_t sm_min;
    struct orr_speed_table table;
};

/* Whose files are fused into one: nobody's, those of the hosts of an NVLink domain, those of all ranks there are in it.
 */
enum orr_fusion { ORR_FUSE_NONE, ORR_FUSE_HOSTS, ORR_FUSE_RANKS };
/* Which ranks of an NVLink fabric over hosts share a system: none, or those of a clique. MUST: NCCL_MNNVL_ENABLE=1 is
 * an error if they cannot. TRIED: it is not, and asks on one host too. CLIQUES: only unless P2P is off. */
enum orr_mnnvl { ORR_MNNVL_NONE, ORR_MNNVL_MUST, ORR_MNNVL_TRIED, ORR_MNNVL_CLIQUES };
enum orr_id_layout { ORR_ID_PLAIN, ORR_ID_ADDED, ORR_ID_MASKED }; /* how system ids join local ids */
/* What makes a <pci> a GPU or a NIC. */
enum orr_pci_kind { ORR_KIND_BY_CLASS, ORR_KIND_BY_CHILD, ORR_KIND_EVERY_GPU };
/* How NCCL finds the CPU above a GPU: over any PCI links, even back down, so that the walk may never end; over switches
 * and CPUs only, but also straight back; or never straight back. */
enum orr_ascent { ORR_ASCENT_ANY, ORR_ASCENT_SWITCHES, ORR_ASCENT_ONWARD };
enum orr_c2c_links { ORR_C2C_NONE, ORR_C2C_AS_NVLINK, ORR_C2C_OWN };
/* Which Broadcom switches of two levels become one. */
enum orr_flattening { ORR_FLATTEN_NONE, ORR_FLATTEN_GEN4_EQUAL, ORR_FLATTEN_GEN4_GEN5 };
/* When a path to a node replaces the one found before. */
enum orr_admission { ORR_ADMIT_FASTER, ORR_ADMIT_FEWER_HOPS, ORR_ADMIT_NEARER };
/* How a GPU chooses its NIC for a channel. */
enum orr_net_choice {
    ORR_NET_BY_CHANNEL,
    ORR_NET_BY_PEER, /* by the device number of the peer */
    ORR_NET_BY_DEV,
    ORR_NET_DEALT, /* NICs are dealt out in turn to the GPUs with the same nearest NICs */
    ORR_NET_BY_MIRRORED_DEV,
    ORR_NET_BY_MIRRORED_SHARE
};

/* When two GPUs count as unable to reach each other, and how the path shows it. */
enum orr_separation { ORR_APART_WITHOUT_SHM, ORR_APART_WITHOUT_SHM_AND_P2P, ORR_APART_WHERE_NETWORK_IS_BETTER };
enum orr_pxn_rule {
    ORR_PXN_NONE,
    ORR_PXN_PREFERRING_ONLY,    /* the first GPU that prefers the NIC, else none */
    ORR_PXN_FIRST_PREFERRING,   /* the first GPU that prefers the NIC, else the last near one */
    ORR_PXN_FIRST_FASTER,       /* the same, among those that are faster or spare a path beyond PXB */
    ORR_PXN_LOCAL_GPU_PAST_PXB, /* the NIC's local GPU, when that is faster or the GPU's own path is longer than PXB */
    ORR_PXN_LOCAL_GPU_PAST_RELAY, /* ... beyond the farthest type that a relay may have */
    ORR_PXN_LOCAL_GPU_PAST_PXN,
    ORR_PXN_LOCAL_GPU_WITH_GDR
};
/* Default P2P level by the first CPU. */
enum orr_p2p_default { ORR_P2P_BY_MODEL, ORR_P2P_BY_MODEL_AND_ZHAOXIN, ORR_P2P_BY_VENDOR, ORR_P2P_PXB_BUT_AMD_PAIR };
enum orr_net_lists {
    ORR_NETS_ALL,
    ORR_NETS_FASTEST_START, /* channels start at the fastest only, by hops, rotated; they may leave by any */
    ORR_NETS_BY_TYPE_ROTATED,
    ORR_NETS_PREFERRED
};
/* If NICs are crossed: whether odd channels use the NICs of even channels in reverse. */
enum orr_nic_pairs { ORR_PAIRS_NONE, ORR_PAIRS_ALL, ORR_PAIRS_RINGS };
enum orr_start_gpus {
    ORR_START_TWO_ROUNDS,
    ORR_START_ROTATED,
    ORR_START_NEAREST,  /* all nearest GPUs by rate and type */
    ORR_START_LOCAL_GPU /* the same, the NIC's local GPU first */
};
/* Where a channel of NVLS or CollNetDirect starts, coming from NICs. */
enum orr_start_heads {
    ORR_HEADS_AS_OTHERS,    /* like any other pattern */
    ORR_HEADS_BY_NET_INDEX, /* at the GPU with the index of the channel's NIC */
    ORR_HEADS_OF_LIST,      /* at the local GPU of the channel's NIC in the list, from nothing */
    ORR_HEADS_OF_FIRST,     /* at the local GPU of the first NIC in turn */
    ORR_HEADS_ONCE,         /* the same, each GPU once; the rate of a NIC that is passed over stays taken */
    ORR_HEADS_NEXT          /* the same, and the bandwidth is given back; NICs without a local GPU are skipped */
};
/* Whether NCCL starts without any NIC: always; on one host only; never. */
enum orr_nets_needed { ORR_NETS_OPTIONAL, ORR_NETS_TO_OTHERS, ORR_NETS_ALWAYS };
/* The patterns that may cross NICs: all; set for all but relaxed only for those that leave by several GPUs; only
 * these. */
enum orr_crossing_scope { ORR_CROSSING_ALL, ORR_CROSSING_SET_FOR_ALL, ORR_CROSSING_SOME };
/* With NVSwitches, GPUs next by index are: nothing special; tried first; tried alone. */
enum orr_neighbours { ORR_NEIGHBOURS_NONE, ORR_NEIGHBOURS_FIRST, ORR_NEIGHBOURS_ONLY };
/* When channels are doubled at half the rate: from 25 GB/s on; from 25 up to capability 80 and from 50 up to 90; from
 * 25 on, but above capability 80 with more than four channels from 50 on. */
enum orr_doubling { ORR_DOUBLING_FROM_25, ORR_DOUBLING_UP_TO_90, ORR_DOUBLING_BY_CHANNELS };
/* When a set of NVLS channels is better: as others; with more channels; also at a higher rate to NICs. */
enum orr_nvls_better { ORR_NVLS_BETTER_AS_OTHERS, ORR_NVLS_BETTER_BY_CHANNELS, ORR_NVLS_BETTER_BY_RATE };

struct orr_tuning_model;  /* release/tuning_model.h: the tables and switches of the tuning model */
struct orr_connect_rules; /* release/connect_rules.h: how graphs of several systems are joined */
struct orr_device_rules;  /* release/device_rules.h: what the device side may use */

struct orr_release {
    const char *name;    /* "2.27.7" */
    uint32_t version;    /* ORR_VERSION */
    const char *date;    /* "2025-07", NULL if we know none */
    const char *summary; /* a sentence: what distinguishes it */
    bool compared;       /* compared with results of NCCL's own code; if not, answers say so */

    /* Graph. */
    const uint8_t *path_types; /* its path types (enum orr_path_type) in order: the position is the number in its log */
    uint32_t path_type_count;
    enum orr_id_layout id_layout;
    enum orr_fusion fusion;
    enum orr_mnnvl mnnvl;
    bool clique_by_chassis;         /* NCCL_MNNVL_CLIQUE_ID=-2 takes the chassis */
    int32_t max_channels;           /* MAXCHANNELS */
    uint32_t max_elements;          /* of a document; a file with this many already fails */
    uint32_t max_children;          /* of one element */
    uint32_t max_nodes;             /* of one type */
    uint32_t max_links;             /* of one node */
    const struct orr_speed *speeds; /* ends with a NULL prefix, whose units are the fallback */
    const struct orr_nvlink_bw *nvlink_bw;
    const struct orr_nvlink_bw *nvlink_counted; /* taken when point-to-point channels are counted */
    float qpi_power, qpi_arm, qpi_amd, qpi_zhaoxin, qpi_yongfeng;
    float qpi_intel[5];                           /* by model, 0 unused */
    float intel_overhead_up, intel_overhead_down; /* PCI charge on GPU paths of type PHB on Intel: bw * up / down */

    enum orr_pci_kind pci_kind;
    bool merges_nic_functions;     /* the functions of one card are one NIC */
    bool cpu_nics_of_first_system; /* a <nic> of any <cpu> is sought in the first system */
    bool gpu_links_itself;         /* a GPU has a LOC link to itself */
    enum orr_c2c_links c2c;
    bool pci_peer_links;
    enum orr_flattening flattening;
    bool graph_file_ranks; /* a GPU of a graph file may be named by its rank */
    bool has_devs;         /* physical GPUs (DEV) have the links, and ranks (GPU) are attached to them */
    bool reads_bare_guids; /* a guid without 0x counts, and the node id replaces a missing one */
    enum orr_ascent ascent;
    bool has_partitions;      /* parts of a GPU (mlopart) are devices of their own */
    bool has_gin, has_rma;    /* a <net> may mean these as well */
    bool refuses_gpu_bridges; /* a <gpu> in a <pci> of the class of a bridge */
    bool knows_zhaoxin, knows_latency;
    int32_t newest_intel; /* model that all newer ones count as */

    /* Paths and verdicts. */
    enum orr_admission admission;
    bool relays_by_gpu;          /* NVLink through another GPU (NVB) */
    bool reverse_of_any_type;    /* the way back uses the first link there, whatever its type */
    bool near_two_switches;      /* two switches are PIX if the path has at most three hops */
    bool power_sockets_are_near; /* NVLink, then the link between POWER CPUs, counts as the same socket */
    bool has_nvs_paths;
    enum orr_path_type unreached;
    bool first_cpu_unreached; /* a CPU that is not reached may count as the nearest */
    bool cpu_by_rate;         /* the nearest CPU is the fastest, then by type, then by hops; else by hops */
    enum orr_p2p_default p2p_default;
    enum orr_separation separation;
    bool apart_by_type;    /* GPUs that cannot reach each other have the type NET; else a path without links */
    bool shows_net_as_dis; /* the path type NET is printed as DIS */
    enum orr_net_choice net_choice;
    bool stands_by_index; /* a NIC's local GPU may be any GPU by index, not only one of the nearest */
    bool peer_by_number;  /* point to point, the NIC of the GPU here that has the peer's number counts */
    enum orr_pxn_rule pxn;
    bool peers_relay_over_c2c; /* point to point, the relay may be as far as PXN's: over C2C; else PXB */
    bool retags_c2c;
    bool retags_phb_only;        /* P2C in place of PHB alone, wherever the NIC is */
    bool composes_p2c;           /* PHB and C2C one after the other are P2C */
    bool p2c_past_pxn;           /* P2C counts as farther than PXN */
    bool diverts_gdr_always;     /* even if the path already goes through a CPU */
    bool reads_only_with_nvlink; /* GPUDirect RDMA for sending needs NVLink at any capability */
    bool gdr_has_modes;
    bool gdr_counts_phb;      /* PHB of a GPU on C2C counts as C2C */
    bool gdr_level_c2c;       /* the GDR level reaches P2C; others count P2C as C2C */
    bool exchanges_net_rates; /* ranks exchange the speed of their NICs */
    enum orr_nets_needed nets_needed;
    bool keeps_nets;            /* NETs stay if no rank is elsewhere; the search leaves them alone */
    bool retags_near_nets_only; /* P2C only for the NETs nearest to a GPU */
    float single_gpu_total;     /* total bandwidth of a GPU if there are no NICs */

    /* Search. */
    const struct orr_search_rates *search_rates;
    int32_t ring_max_channels;
    int32_t steps_same, steps_tree, steps_other, steps_all; /* budgets of an attempt, and of all */
    enum orr_tree_request { ORR_TREE_BY_HOSTS, ORR_TREE_BALANCED, ORR_TREE_SPLIT } tree_pattern;
    bool tree_keeps_ring_channels; /* the tree must have as many channels as the ring, not at least one */
    bool ring_follows_tree;        /* a ring has no more channels than the tree, for its NICs as well */
    bool nets_as_aligned;        /* ranks have NICs for the channels that all systems' rings have, not for their own */
    bool collnet_always;         /* asks for a CollNet graph whether CollNet is on or not */
    bool collnet_graph_is_chain; /* CollNet's graph is that of CollNetChain */
    bool collnet_direct;         /* has one of its own */
    int32_t collnet_direct_most; /* channels of it */
    int32_t nvls_max_channels;   /* 0 if there is no NVLS graph */
    int32_t nvls_least_gpus;     /* in a system */
    bool nvls_counts_clique;     /* where hosts are fused: in all of it, whatever trimming leaves of the system */
    bool nvls_fixed_channels;    /* NVLS needs a channel for every GPU */
    bool nvls_any_channels;      /* with NICs, NVLS takes more channels than there are GPUs */
    bool nvls_divides_rate;      /* without NICs, NVLS starts at the rate that all GPUs together may have */
    enum orr_nvls_better nvls_better;
    bool types_from_system;  /* limits start and end at the types that the system has, not at NVL, PIX and SYS */
    bool rates_by_total;     /* the first rate must fit the GPUs' links too */
    bool lone_gpu_unbounded; /* but not those of a single GPU */
    enum orr_crossing_scope crossing_scope;
    bool weighs_crossing;      /* a solution that does not cross NICs may be 15 % slower */
    int32_t cross_nic_try;     /* value that relaxation tries */
    bool splits_nvlink;        /* two groups of NVLink get two channels at least */
    bool checks_unreachable;   /* a pair without a path fails a move of any factor */
    bool empty_paths_are_free; /* a path without links takes nothing and passes every limit */
    bool compares_patterns;    /* fewer hops count only against a solution of the same pattern */
    bool replays_first;        /* later channels repeat the one before, and search freely besides */
    bool checks_way_back;      /* trees check the type of the reverse path too */
    bool power_cpu_only;       /* NVLink into a CPU loads the reverse link on POWER only */
    enum orr_net_lists net_lists;
    bool policy_limits_lists; /* with NCCL_NETDEVS_POLICY=MAX:N they have N NICs for each GPU at most */
    bool rotates_start_nets;
    bool counts_connections; /* a NIC takes no more channels than its maxconn */
    enum orr_start_gpus start_gpus;
    enum orr_start_heads start_heads;
    enum orr_neighbours switch_neighbours;
    bool switch_skips_order; /* with NVSwitches, index order is not tried first */
    enum orr_nic_pairs nic_pairs;
    bool knows_rails;                /* planes and rails of NICs limit where a channel may leave */
    bool any_inter_before_sm90;      /* before capability 90, types to NICs are relaxed up to SYS */
    bool simple_order_by_preference; /* without a path, the first and last GPU's preferred NICs are taken */

    enum orr_doubling doubling;
    bool duplicates_early; /* doubles channels before raising rates; others at the end */
    bool raises_rings;
    bool amd_keeps_same_channels;
    bool tree_for_sm90;                   /* tries tree in place of balanced tree from sm 90 on */
    bool relaxes_split_tree;              /* tries tree in place of split tree ... */
    bool relaxes_pattern_first;           /* ... before crossing NICs, not after */
    enum orr_path_type type_inter_always; /* below it, types to NICs are relaxed though channels were found */
    bool finishes_at_full_rate;           /* only all channels at the full rate end the search */

    const struct orr_connect_rules *connect;
    const struct orr_tuning_model *tuning;
    const struct orr_device_rules *device;
};

/* All releases, oldest first. */
const struct orr_release *orr_releases(uint32_t *ret_count);
/* The newest. */
const struct orr_release *orr_release_default(void);
/* Whether one release came before another. */
bool orr_release_is_older(const struct orr_release *release, const struct orr_release *than);
/* Are both of the same minor release, such as 2.27? */
bool orr_release_same_minor(const struct orr_release *a, const struct orr_release *b);
/* The row of "2.27.7", NULL if not emulated. */
const struct orr_release *orr_release_find(const char *name);

/* GB/s of one NVLink of a GPU, from one of the two tables above. */
static inline float orr_nvlink_bw_of(const struct orr_nvlink_bw *row, int32_t sm)
{
    while (sm < row->sm_min)
        row++;
    return row->bw;
}

/* The distance of a path type, to compare two types of a release. */
static inline uint32_t orr_path_farness(const struct orr_release *release, uint32_t type)
{
    bool swapped = release->p2c_past_pxn && (type == ORR_PATH_P2C || type == ORR_PATH_PXN);
    return swapped ? ORR_PATH_P2C + ORR_PATH_PXN - type : type;
}

/* A release's number of a path type (in its log and in its search), -1 if it has no such type. */
int orr_path_type_number(const struct orr_release *release, enum orr_path_type type);
/* The reverse; ORR_PATH_DIS beyond the last. */
enum orr_path_type orr_path_type_of_number(const struct orr_release *release, int number);
/* The name that a release prints for a type. */
const char *orr_path_type_shown(const struct orr_release *release, enum orr_path_type type);

#endif
