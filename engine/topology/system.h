/* SPDX-License-Identifier: Apache-2.0 */
/* The system graph: what NCCL builds from a dump, in compact arrays.
 *
 * Nodes are sorted by type in the order of enum orr_node_type and, within a type, by creation; "index" below means the
 * position in system->nodes. The links of a node are a contiguous span of system->links in NCCL's order, which
 * matters. Every relation is two links, one at each end; their bandwidths may differ.
 * Bandwidths are GB/s (10^9 bytes a second) in one direction, binary32 like NCCL's.
 * Immutable once built; the search has its own copy of the capacities.
 */
#ifndef ORR_TOPOLOGY_SYSTEM_H
#define ORR_TOPOLOGY_SYSTEM_H

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/dump/dump.h"
#include "engine/release/cpu.h"

struct orr_release;
struct orr_settings;

enum orr_node_type { /* ORDER: releases list nodes in this order */
                     ORR_GPU,
                     ORR_PCI,
                     ORR_NVS, /* all NVSwitches together */
                     ORR_CPU, /* one NUMA domain */
                     ORR_NIC,
                     ORR_NET, /* a port of a NIC as the network plugin counts them */
                     ORR_GIN,
                     ORR_RMA,
                     ORR_DEV, /* the physical GPU (2.30.7) */
                     ORR_CXB, /* the C2C bridge of a partitioned GPU (2.30.7) */
                     ORR_NODE_TYPE_COUNT
};

enum orr_link_type {
    ORR_LINK_LOC,
    ORR_LINK_NVL,
    ORR_LINK_C2C,
    ORR_LINK_PCI,
    ORR_LINK_SYS,
    ORR_LINK_NET,
    ORR_LINK_TYPE_COUNT
};

/* The part of a machine to which a link belongs. */
enum orr_link_kind {
    ORR_LINKS_NICS,   /* ports, and the PCIe links of their NICs */
    ORR_LINKS_NVLINK, /* between GPUs, and to NVSwitches */
    ORR_LINKS_PCIE,   /* all other PCIe links */
    ORR_LINKS_CPU,    /* between sockets, and C2C */
    ORR_LINK_KIND_COUNT
};
enum orr_link_kind orr_link_kind(enum orr_link_type type, enum orr_node_type from, enum orr_node_type to);

#define ORR_LOC_BW  5000.0f /* unlimited: a node to itself, or a NIC that is not a PCI device */
#define ORR_NO_NODE UINT32_MAX
#define ORR_NO_LINK UINT32_MAX

struct orr_node {
    enum orr_node_type type;
    int64_t id; /* system id in the 8 high bits, local id below */
    uint32_t first_link, link_count;
    uint32_t element; /* element of the dump that made it; ORR_NO_ELEMENT for NVSwitches */
    union {
        struct {
            int32_t rank;    /* 0..local_ranks-1 on this host, in order of the dump's rank values */
            int32_t dev;     /* NVML index */
            int32_t sm;      /* compute capability, 10 * major + minor */
            int32_t gdr;     /* GPUDirect RDMA possible */
            int32_t mlopart; /* partition, -1 if there is none */
        } gpu;               /* also set for a DEV, whose rank is -1 */
        struct {
            int32_t arch, vendor, model; /* NCCL's numbers; -1 if NCCL does not look at them */
        } cpu;
        struct {
            uint64_t identity; /* vendor, device, subsystem vendor, subsystem device: 16 bits each */
        } pci;
        struct {
            int32_t dev; /* the plugin's index */
            int32_t port;
            uint64_t asic; /* identity of the card: ports that share one share its bandwidth budget in the search */
            float bw;      /* of the port, GB/s */
            float latency; /* microseconds */
            int32_t gdr, coll, max_channels;
            int32_t rail, plane; /* -1 if unknown */
        } net;
    };
};

struct orr_link {
    enum orr_link_type type;
    uint32_t from, to; /* node indices */
    uint32_t reverse;  /* first link from `to` to `from`, of the same type unless the release accepts any type;
                          ORR_NO_LINK if there is none */
    float bw;          /* GB/s */
};

struct orr_system {
    const struct orr_release *release;
    const struct orr_dump *dump;
    struct orr_node *nodes;
    uint32_t node_count;
    uint32_t first[ORR_NODE_TYPE_COUNT + 1]; /* nodes of type T: first[T] .. first[T + 1] - 1 */
    struct orr_link *links;
    uint32_t link_count;
    uint32_t host_count; /* distinct host_hash values: more than one in a fused (MNNVL) dump */
    bool leaves_host;    /* the communicator has more systems, so the search uses NETs */
    float max_bw;        /* GB/s, after the last path computation: the largest path bandwidth GPU to NET, or to GPU */
    float total_bw;      /* GB/s, the largest sum of a GPU's links */
};

/* Nodes of one type. */
static inline uint32_t orr_system_count(const struct orr_system *system, enum orr_node_type type)
{
    return system->first[type + 1] - system->first[type];
}
static inline struct orr_node *orr_system_node(const struct orr_system *system, enum orr_node_type type, uint32_t i)
{
    return &system->nodes[system->first[type] + i];
}

/* Whether it is an Intel CPU, through which P2P costs more. */
static inline bool orr_node_is_intel(const struct orr_node *node)
{
    return node->type == ORR_CPU && node->cpu.arch == ORR_ARCH_X86 && node->cpu.vendor == ORR_VENDOR_INTEL;
}

/* System and local part of a node id. */
static inline uint32_t orr_id_system(int64_t id)
{
    return (uint32_t)((uint64_t)id >> 56);
}
static inline uint64_t orr_id_local(int64_t id)
{
    return (uint64_t)id & 0x00ffffffffffffffu;
}

/* "GPU", "PCI", ...; "NVL", "PCI", ... */
const char *orr_node_type_name(enum orr_node_type type);
const char *orr_link_type_name(enum orr_link_type type);
/* Whether a release has nodes of the type. */
bool orr_node_type_in(enum orr_node_type type, const struct orr_release *release);

/* Size of the longest node id with its terminating zero: "CPU/ffffffffffffffff-ffffffffffffff". */
enum { ORR_NODE_ID_SIZE = 40 };
/* Writes a node id in the form that users see: "GPU/0-1b000". Returns buffer. */
char *orr_node_id_format(enum orr_node_type type, int64_t id, char buffer[ORR_NODE_ID_SIZE]);
/* The same for a node of a system, where NUMA node -1 shows as the release shows it. Returns buffer. */
char *orr_system_node_id(const struct orr_system *system, uint32_t node, char buffer[ORR_NODE_ID_SIZE]);
/* Finds a node by its id, by "rank:3" or by a bus id ("0000:1b:00.0"); ORR_NO_NODE if there is none. */
uint32_t orr_system_find(const struct orr_system *system, const char *text);
/* The GPU of a host's rank, and the first NET of an id; ORR_NO_NODE if there is none. */
uint32_t orr_gpu_of_rank(const struct orr_system *system, int32_t rank);
uint32_t orr_net_of_id(const struct orr_system *system, int64_t id);

/* Whether the reader of the input assumed the attribute of the node's element, or of the PCI device around it.
 * The facts of a machine type count as known. */
bool orr_node_supposed(const struct orr_system *system, uint32_t node, enum orr_attr attr);
/* Whether Orrery made up the bus id of a node, or of an element of a dump, because the input has none (such as
 * `nvidia-smi topo -m`) or is a machine type. */
bool orr_node_id_made_up(const struct orr_system *system, uint32_t node);
bool orr_bus_id_made_up(const struct orr_dump *dump, uint32_t element);

/* Builds the graph of a dump by the rules of the settings' release, with ranks renumbered from 0. All memory comes
 * from arena. INVALID, with the place in the file, if NCCL would refuse the dump; NO_RANKS if no GPU takes part. */
enum orr_code orr_system_build(const struct orr_dump *dump, const struct orr_settings *settings,
                               struct orr_arena *arena, struct orr_system *ret_system,
                               struct orr_error *err) ORR_NO_DISCARD;

/* Indices of the nodes and links of a system in a copy without some of them; ORR_NO_NODE or ORR_NO_LINK for those that
 * are missing. */
struct orr_kept {
    uint32_t *node, *link;
};
/* A copy without the nodes for which keep[index] is 0 and without their links, in the same order. The caller has room
 * in *kept for all nodes and links of the system. */
enum orr_code orr_system_without(const struct orr_system *system, const unsigned char *keep, struct orr_arena *arena,
                                 struct orr_system *ret_system, struct orr_kept *kept,
                                 struct orr_error *err) ORR_NO_DISCARD;

/* A copy in which a physical GPU (DEV) and the only rank on it are one node, the rank's. The indices of nodes and
 * links stay the same. ret_folded_into[node] is the node that represents it: itself, or the rank's. False: out of
 * memory. */
bool orr_system_fold(const struct orr_system *system, struct orr_arena *arena, struct orr_system *ret_system,
                     uint32_t **ret_folded_into);

/* Checks the invariants of the arrays; false with ORR_INTERNAL in err, which names the first one that is broken:
 *   types-cover-nodes    first[] begins at 0 and ends at node_count
 *   nodes-by-type        each node is in the range of its type
 *   link-spans-adjoin    the spans of links follow one another in the order of their nodes
 *   spans-cover-links    together they are all links
 *   link-ends-exist      from and to are nodes
 *   links-at-their-node  each link lies in the span of its `from`
 *   reverse-leads-back   the reverse of a link joins the same two nodes */
bool orr_system_check(const struct orr_system *system, struct orr_error *err);
/* orr_system_check() if the budget in force asks for it, or in builds with ORR_CHECK_ALWAYS, such as the dev preset.
 * Called for every system that is built or copied. */
enum orr_code orr_system_verify(const struct orr_system *system, struct orr_error *err) ORR_NO_DISCARD;

#endif
