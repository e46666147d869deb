#include "engine/release/settings.h"

#include <string.h>

#include "engine/base/words.h"

/* Shorthands for the rows: an integer with a default, one that NCCL fills by itself, a level, a text. */
#define INT(symbol, default_, values_, meaning_)                                                                       \
    [ORR_SET_##                                                                                                        \
        symbol] = {.kind = ORR_SETTING_INT, .default_value = (default_), .values = (values_), .meaning = (meaning_)}
#define AUTO(symbol, default_text_, values_, meaning_)                                                                 \
    [ORR_SET_##symbol] = {.kind = ORR_SETTING_INT,                                                                     \
                          .default_value = ORR_SETTING_UNSET,                                                          \
                          .default_text = (default_text_),                                                             \
                          .values = (values_),                                                                         \
                          .meaning = (meaning_)}
#define LEVEL(symbol, default_text_, meaning_)                                                                         \
    [ORR_SET_##symbol] = {.kind = ORR_SETTING_LEVEL,                                                                   \
                          .default_value = -1,                                                                         \
                          .default_text = (default_text_),                                                             \
                          .values = "{levels}, or 0 to 4",                                                             \
                          .meaning = (meaning_)}
#define TEXT(symbol, default_text_, values_, meaning_)                                                                 \
    [ORR_SET_##symbol] = {.kind = ORR_SETTING_TEXT,                                                                    \
                          .default_value = -1,                                                                         \
                          .default_text = (default_text_),                                                             \
                          .values = (values_),                                                                         \
                          .meaning = (meaning_)}

/* What a setting means; what differs between releases is in `spans` below. A word in braces is replaced by what
 * setting_words.c has for a release. */
static const struct orr_setting_info rows[ORR_SETTING_COUNT] = {
    TEXT(ALGO, "all", "list of {algorithms}, such as Ring,Tree{, per function: allreduce:Tree}",
         "Algorithms that may be used; a leading ^ leaves the named ones out."),
    INT(COLLNET_ENABLE, 0, "0, 1", "1 uses in-network reduction where the nets have coll=\"1\"."),
    INT(COLLNET_NODE_THRESHOLD, 2, "number of nodes", "CollNet is off below this many nodes."),
    INT(CROSS_NIC, 2, "0, 1, 2", "May a ring enter and leave a host by different NICs: never, always, where it helps."),
    INT(CUMEM_ENABLE, -2, "0, 1, -2 (automatic)",
        "Memory shared by cuMem; 0 leaves NVLink domains of several hosts unused. A new driver is assumed."),
    TEXT(IB_HCA, "all", "list such as mlx5_0,mlx5_1:1; ^ excludes, = compares whole names",
         "NICs that NCCL uses, by the beginnings of their names."),
    INT(IB_MERGE_NICS, 1, "0, 1", "0 never fuses NICs (see --fuse-nics)."),
    INT(IGNORE_CPU_AFFINITY, 0, "0, 1", "Ignores the CPU affinity of the process; nothing in the analysis changes."),
    INT(IGNORE_DISABLED_P2P, 0, "0, 1, 2",
        "What to do where NVML says that P2P is disabled; Orrery takes NVML as saying OK."),
    INT(LL128_C2C, 1, "0, 1", "LL128 over paths to NICs up to PXN from capability 90 on."),
    AUTO(LL128_NTHREADS, "640", "160 to 640", "Threads of a block with LL128."),
    AUTO(MAX_CTAS, "{channels}", "1 to {channels}", "Most blocks, that is channels, of a collective."),
    AUTO(MAX_NCHANNELS, "{channels}", "1 to {channels}", "Most channels of a collective."),
    AUTO(MAX_NRINGS, "{channels}", "1 to {channels}", "Old name of NCCL_MAX_NCHANNELS, which wins over it."),
    AUTO(MAX_P2P_NCHANNELS, "{channels}", "1 to {channels}", "Most channels for point-to-point transfers."),
    AUTO(MIN_CTAS, "1", "1 to {channels}", "Fewest blocks, that is channels, of a collective."),
    AUTO(MIN_NCHANNELS, "0", "0 to {channels}", "Fewest channels of a collective: rings are repeated to reach it."),
    AUTO(MIN_NRINGS, "0", "0 to {channels}", "Old name of NCCL_MIN_NCHANNELS, which wins over it."),
    INT(MIN_P2P_NCHANNELS, 1, "1 to {channels}", "Fewest channels for point-to-point transfers."),
    INT(MNNVL_CLIQUE_ID, -1, "a number, -1 (as the fabric says)",
        "The clique of every rank of a cluster; from 2.28.3 on -2 takes the chassis, which Orrery does not know."),
    INT(MNNVL_CROSS_CLIQUE, 0, "0, 1",
        "1 uses P2P between the cliques of one NVLink domain of a cluster, which stay systems of their own."),
    INT(MNNVL_ENABLE, 2, "0, 1, 2",
        "Fuses the hosts of a clique of an NVLink domain of a cluster into one system: off, even without P2P, with "
        "P2P."),
    INT(MNNVL_RAIL_PER_HOST, 0, "0, 1", "In a system of several hosts, rails are compared by host."),
    INT(MNNVL_SCATTER_NETS_ENABLE, 1, "0, 1", "In a system of several hosts, takes the hosts' NICs in turn."),
    INT(MNNVL_UUID, -1, "a number, -1 (as the fabric says)",
        "Both halves of the UUID of every rank's NVLink fabric in a cluster."),
    AUTO(NCHANNELS_PER_NET_PEER, "{net peer}", "1 and above", "Channels to a peer on another host."),
    TEXT(NETDEVS_POLICY, "AUTO: its share", "AUTO, ALL, MAX:N", "How many of its nearest NICs a GPU uses."),
    TEXT(NET, "the first network that has a NIC", "IB, Socket, or a plugin's name",
         "The network that the NICs must belong to; NICs of another one are an error."),
    INT(NET_DISABLE_INTRA, 0, "0, 1", "1 never uses the network between GPUs of one host."),
    INT(NET_GDR_C2C, 0, "0, 1", "GPUDirect RDMA over C2C and the CPU's PCIe."),
    LEVEL(NET_GDR_LEVEL, "{gdr level}", "Farthest NIC for GPUDirect RDMA."),
    INT(NET_GDR_MLOPART, 0, "0, 1", "GPUDirect RDMA for the partitions of a GPU (mlopart)."),
    INT(NET_GDR_READ, -2, "0, 1, -2 (automatic)", "GPUDirect RDMA for sending."),
    TEXT(NET_FORCE_MERGE, "none", "groups such as mlx5_0,mlx5_1;mlx5_2,mlx5_3",
         "NICs that are fused whatever their distance (see --fuse-nics)."),
    TEXT(NET_MERGE_LEVEL, "PORT", "LOC, PORT, PIX, PXB, P2C, PXN, PHB, SYS",
         "Farthest NICs of a host that are fused: by default the ports of one card (see --fuse-nics)."),
    TEXT(NET_MERGE_POLICY, "ALL", "ALL, RAIL", "RAIL fuses only NICs of one rail (see --fuse-nics)."),
    AUTO(NET_OVERHEAD, "1000, or 2000 on AMD", "nanoseconds",
         "Network overhead that the tuning model adds to each step."),
    AUTO(NTHREADS, "by algorithm", "64 to 512, a multiple of 32", "Threads of a block with LL and Simple."),
    INT(NVB_DISABLE, 0, "0, 1", "1 never goes through a GPU to reach another by NVLink."),
    INT(NVLS_ENABLE, 1, "0, 1, 2", "NVLink SHARP: off, on, where the hardware has it."),
    AUTO(NVLS_NCHANNELS, "{nvls}", "1 to {channels}", "Channels for NVLS."),
    INT(P2P_DISABLE, 0, "0, 1", "1 is NCCL_P2P_LEVEL=LOC: no GPU reads another."),
    LEVEL(P2P_LEVEL, "{p2p level}", "Farthest pair of GPUs that use P2P."),
    AUTO(P2P_MAX_PEERS, "all ranks", "number of ranks",
         "Peers that a rank talks to at once, which limits channels per peer."),
    INT(P2P_PER_CHANNEL_NET_BW, 14, "GB/s", "Network rate that one point-to-point channel is taken to carry."),
    INT(P2P_PXN_LEVEL, 2, "0, 1, 2",
        "Point-to-point transfers through another GPU's NIC: never, where needed, always where possible."),
    INT(P2P_SCHEDULE_GROUP_SIZE, 8, "number of ranks",
        "Ranks of a host that point-to-point transfers meet one after another before the next host's."),
    INT(P2P_USE_CUDA_MEMCPY, 0, "0, 1", "P2P by copy engine; no transfers through a relay GPU."),
    INT(PAT_ENABLE, 2, "0, 1, 2", "The PAT algorithm: off, on, with one rank a node."),
    TEXT(PROTO, "all; LL128 where it is safe", "list such as Simple or ^LL128{, per function: allreduce:LL}",
         "Protocols that may be used; a leading ^ leaves the named ones out."),
    INT(PXN_C2C, 0, "0, 1", "PXN through a GPU that reaches the NIC by C2C."),
    INT(PXN_DISABLE, 0, "0, 1", "1 never reaches a NIC through another GPU."),
    INT(SHM_DISABLE, 0, "0, 1", "1 never uses shared memory: GPUs without P2P use the network."),
    TEXT(SOCKET_IFNAME, "all that the dump lists", "list such as eth,ib0; ^ excludes, = compares whole names",
         "Interfaces of the socket network, by the beginnings of their names; other NICs are not concerned."),
    TEXT(THREAD_THRESHOLDS, "by protocol", "six numbers: Tree LL, LL128, Simple, Ring LL, LL128, Simple",
         "Bytes a thread below which fewer channels are used."),
    INT(TOPO_SPLIT_MLOPART, 1, "0, 1",
        "The partitions of a GPU (mlopart) count as physical GPUs of their own; 0: as ranks on one."),
    INT(UNPACK_DOUBLE_NCHANNELS, 1, "0, 1",
        "Twice the channels on networks that unpack on the device; none is assumed here."),
    AUTO(WORK_ARGS_BYTES, "no limit", "bytes", "Room for the arguments of a kernel, which limits the channels."),
};

/* From which release to which a setting exists, and a default that changed. */
struct span {
    uint32_t since, until;
    uint32_t changed;
    int64_t changed_default;
};
static const struct span spans[ORR_SETTING_COUNT] = {
    [ORR_SET_COLLNET_NODE_THRESHOLD] = {.since = ORR_VERSION(2, 9, 9)},
    [ORR_SET_CUMEM_ENABLE] = {.since = ORR_VERSION(2, 21, 5)},
    [ORR_SET_IGNORE_DISABLED_P2P] = {.since = ORR_VERSION(2, 12, 10)},
    [ORR_SET_LL128_C2C] = {.since = ORR_VERSION(2, 27, 3)},
    [ORR_SET_MAX_CTAS] = {.since = ORR_VERSION(2, 17, 1)},
    [ORR_SET_MIN_CTAS] = {.since = ORR_VERSION(2, 17, 1)},
    [ORR_SET_MNNVL_CLIQUE_ID] = {.since = ORR_VERSION(2, 23, 4)},
    [ORR_SET_MNNVL_CROSS_CLIQUE] = {.since = ORR_VERSION(2, 30, 4)},
    [ORR_SET_MNNVL_ENABLE] = {.since = ORR_VERSION(2, 21, 5)},
    [ORR_SET_MNNVL_RAIL_PER_HOST] = {.since = ORR_VERSION(2, 28, 7)},
    [ORR_SET_MNNVL_SCATTER_NETS_ENABLE] = {.since = ORR_VERSION(2, 27, 5)},
    [ORR_SET_MNNVL_UUID] = {.since = ORR_VERSION(2, 25, 1)},
    [ORR_SET_NCHANNELS_PER_NET_PEER] = {.since = ORR_VERSION(2, 12, 10)},
    [ORR_SET_NETDEVS_POLICY] = {.since = ORR_VERSION(2, 28, 3)},
    [ORR_SET_NET_DISABLE_INTRA] = {.since = ORR_VERSION(2, 14, 3)},
    [ORR_SET_NET] = {.since = ORR_VERSION(2, 10, 3)},
    [ORR_SET_NET_GDR_C2C] = {.since = ORR_VERSION(2, 26, 2), .changed = ORR_VERSION(2, 27, 3), .changed_default = 1},
    [ORR_SET_NET_GDR_MLOPART] = {.since = ORR_VERSION(2, 30, 7)},
    [ORR_SET_IB_MERGE_NICS] = {.since = ORR_VERSION(2, 20, 5)},
    [ORR_SET_NET_FORCE_MERGE] = {.since = ORR_VERSION(2, 24, 3)},
    [ORR_SET_NET_MERGE_LEVEL] = {.since = ORR_VERSION(2, 24, 3)},
    [ORR_SET_NET_MERGE_POLICY] = {.since = ORR_VERSION(2, 30, 7)},
    [ORR_SET_NET_OVERHEAD] = {.since = ORR_VERSION(2, 18, 1)},
    [ORR_SET_NVB_DISABLE] = {.since = ORR_VERSION(2, 9, 9)},
    [ORR_SET_NVLS_ENABLE] = {.since = ORR_VERSION(2, 17, 1), .changed = ORR_VERSION(2, 18, 1), .changed_default = 2},
    [ORR_SET_NVLS_NCHANNELS] = {.since = ORR_VERSION(2, 17, 1)},
    [ORR_SET_P2P_MAX_PEERS] = {.since = ORR_VERSION(2, 30, 4)},
    [ORR_SET_P2P_PER_CHANNEL_NET_BW] = {.since = ORR_VERSION(2, 29, 2)},
    [ORR_SET_P2P_PXN_LEVEL] = {.since = ORR_VERSION(2, 12, 10)},
    [ORR_SET_P2P_SCHEDULE_GROUP_SIZE] = {.since = ORR_VERSION(2, 28, 7)},
    [ORR_SET_P2P_USE_CUDA_MEMCPY] = {.since = ORR_VERSION(2, 13, 4)},
    [ORR_SET_PAT_ENABLE] = {.since = ORR_VERSION(2, 23, 4)},
    [ORR_SET_PXN_C2C] = {.since = ORR_VERSION(2, 27, 3), .changed = ORR_VERSION(2, 28, 3), .changed_default = 1},
    [ORR_SET_PXN_DISABLE] = {.since = ORR_VERSION(2, 12, 10)},
    [ORR_SET_TOPO_SPLIT_MLOPART] = {.since = ORR_VERSION(2, 30, 7)},
    [ORR_SET_UNPACK_DOUBLE_NCHANNELS] = {.since = ORR_VERSION(2, 22, 3)},
    [ORR_SET_WORK_ARGS_BYTES] = {.since = ORR_VERSION(2, 22, 3)},
};

static const char *const names[ORR_SETTING_COUNT] = {ORR_SETTING_MAP(ORR_SECOND_OF)};

/* What becomes of values beyond those that a row names. A number beyond 64 bits is as if not given, which NCCL says in
 * its log; so is -9223372036854775808. */
#define AS_0            "other numbers count as 0"
#define AS_1            "other numbers count as 1"
#define AS_2            "other numbers count as 2"
#define CLAMPED         "kept in 32 bits, then clamped to 1, or 0, and the most channels of the release; -2: as if not given"
#define CLAMPED_P2P     "kept in 32 bits, then clamped to 1 and the most channels of the release"
#define IGNORED_CLAMPED "kept in 32 bits; 0 and below: as if not given; above the most channels of the release: clamped"
#define LEVELS          "numbers are kept in 32 bits and clamped to 0 and 4; other names are as if not given"
#define ANY             "any 64-bit number"
#define NOTHING         "no value changes the analysis"
static const char *const outside[ORR_SETTING_COUNT] = {
    /* clang-format off */
    [ORR_SET_ALGO] = "{unknown name}",
    [ORR_SET_COLLNET_ENABLE] = AS_0,
    [ORR_SET_COLLNET_NODE_THRESHOLD] = ANY,
    [ORR_SET_CROSS_NIC] = "a 32-bit number, which wraps; others than 0, 1 and 2 are neither never nor always",
    [ORR_SET_CUMEM_ENABLE] = AS_1,
    [ORR_SET_IB_HCA] = "the first 32 names count; a list that selects no NIC is an error",
    [ORR_SET_IB_MERGE_NICS] = AS_1,
    [ORR_SET_NET] = "case does not matter; a network without NICs is an error",
    [ORR_SET_SOCKET_IFNAME] = "the first 32 names count; a list that selects no interface is an error",
    [ORR_SET_IGNORE_CPU_AFFINITY] = NOTHING,
    [ORR_SET_IGNORE_DISABLED_P2P] = NOTHING,
    [ORR_SET_LL128_C2C] = AS_1,
    [ORR_SET_LL128_NTHREADS] = "0 and below: as if not given; below 160: 160; above 640, or no multiple of 32: 640",
    [ORR_SET_MAX_CTAS] = IGNORED_CLAMPED,
    [ORR_SET_MAX_NCHANNELS] = CLAMPED,
    [ORR_SET_MAX_NRINGS] = CLAMPED,
    [ORR_SET_MAX_P2P_NCHANNELS] = CLAMPED_P2P,
    [ORR_SET_MIN_CTAS] = IGNORED_CLAMPED,
    [ORR_SET_MIN_NCHANNELS] = CLAMPED,
    [ORR_SET_MIN_NRINGS] = CLAMPED,
    [ORR_SET_MIN_P2P_NCHANNELS] = CLAMPED_P2P,
    [ORR_SET_MNNVL_CLIQUE_ID] = "an unsigned 32-bit number, which wraps",
    [ORR_SET_MNNVL_CROSS_CLIQUE] = AS_0,
    [ORR_SET_MNNVL_ENABLE] = AS_2,
    [ORR_SET_MNNVL_RAIL_PER_HOST] = AS_0,
    [ORR_SET_MNNVL_SCATTER_NETS_ENABLE] = AS_1,
    [ORR_SET_MNNVL_UUID] = ANY,
    [ORR_SET_NCHANNELS_PER_NET_PEER] = "kept in 32 bits; below 1 from 2.28.3 on, and -1 before: as if not given; other negative numbers: no limit",
    [ORR_SET_NETDEVS_POLICY] = "anything else is AUTO",
    [ORR_SET_NET_DISABLE_INTRA] = AS_0,
    [ORR_SET_NET_FORCE_MERGE] = "a group that does not name its NICs exactly is not fused; NCCL would not start",
    [ORR_SET_NET_GDR_C2C] = AS_1,
    [ORR_SET_NET_GDR_LEVEL] = LEVELS,
    [ORR_SET_NET_GDR_MLOPART] = AS_1,
    [ORR_SET_NET_GDR_READ] = "above 1: 1; below 0: automatic",
    [ORR_SET_NET_MERGE_LEVEL] = "anything else is LOC: nothing is fused",
    [ORR_SET_NET_MERGE_POLICY] = "anything else is ALL",
    [ORR_SET_NET_OVERHEAD] = ANY,
    [ORR_SET_NTHREADS] = "0 and below: as if not given; below 64: 64; above 512, or no multiple of 32: 512",
    [ORR_SET_NVB_DISABLE] = AS_1,
    [ORR_SET_NVLS_ENABLE] = AS_1,
    [ORR_SET_NVLS_NCHANNELS] = IGNORED_CLAMPED,
    [ORR_SET_P2P_DISABLE] = AS_0,
    [ORR_SET_P2P_LEVEL] = LEVELS,
    [ORR_SET_P2P_MAX_PEERS] = "kept in 32 bits; below 1: as if not given; above the number of ranks: the number of ranks",
    [ORR_SET_P2P_PER_CHANNEL_NET_BW] = "a 32-bit number, in which sums wrap; 0 and below: the number of NICs alone counts",
    [ORR_SET_P2P_PXN_LEVEL] = "others than 0, 1 and 2: never",
    [ORR_SET_P2P_SCHEDULE_GROUP_SIZE] = "below 1 NCCL crashes, so it is an error; above the number of ranks: clamped",
    [ORR_SET_P2P_USE_CUDA_MEMCPY] = AS_1,
    [ORR_SET_PAT_ENABLE] = AS_1,
    [ORR_SET_PROTO] = "{unknown name}",
    [ORR_SET_PXN_C2C] = AS_1,
    [ORR_SET_PXN_DISABLE] = AS_0,
    [ORR_SET_SHM_DISABLE] = AS_0,
    [ORR_SET_THREAD_THRESHOLDS] = "numbers below 0 leave the default",
    [ORR_SET_TOPO_SPLIT_MLOPART] = AS_1,
    [ORR_SET_UNPACK_DOUBLE_NCHANNELS] = NOTHING,
    [ORR_SET_WORK_ARGS_BYTES] = "below 32, negative ones included: no limit; 32 to 47: room for 1 channel",
    /* clang-format on */
};

void orr_setting_info(enum orr_setting setting, struct orr_setting_info *ret_info)
{
    *ret_info = rows[setting];
    ret_info->id = setting;
    ret_info->name = names[setting];
    ret_info->outside = outside[setting];
    ret_info->since = spans[setting].since;
    ret_info->until = spans[setting].until;
    ret_info->changed = spans[setting].changed;
    ret_info->changed_default = spans[setting].changed_default;
}

const char *orr_setting_name(enum orr_setting setting)
{
    return names[setting];
}

bool orr_setting_find(const char *name, enum orr_setting *ret_setting)
{
    for (int i = 0; i < ORR_SETTING_COUNT; i++)
        if (!strcmp(names[i], name)) {
            *ret_setting = (enum orr_setting)i;
            return true;
        }
    return false;
}

int64_t orr_setting_default(enum orr_setting setting, const struct orr_release *release)
{
    const struct span *span = &spans[setting];
    if (span->changed && release->version >= span->changed)
        return span->changed_default;
    return rows[setting].default_value;
}

bool orr_setting_in(enum orr_setting setting, const struct orr_release *release)
{
    const struct span *span = &spans[setting];
    return release->version >= span->since && (!span->until || release->version <= span->until);
}
