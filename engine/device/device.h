/* SPDX-License-Identifier: Apache-2.0 */
/* Features that kernels of a communicator may use: direct access flags, teams, symmetric memory with its kernels,
 * multimem, GIN, collectives by copy engine and registered buffers. docs/nccl/device-side.md describes the rules.
 *
 * Everything follows from an analysis (and its cluster). Facts that a dump does not show are assumed, and each verdict
 * names its assumptions. A value belongs to the communicator, a node or a rank. Ranks differ only between kinds of
 * nodes, that is, sets of equal hosts or parts of hosts. */
#ifndef ORR_DEVICE_DEVICE_H
#define ORR_DEVICE_DEVICE_H

#include "engine/cluster/cluster.h"
#include "engine/release/device_rules.h"

/* X(symbol, NCCL's name, scope, question): ORDER as they depend on each other. */
#define ORR_DEVICE_FACT_MAP(X)                                                                                         \
    X(DIRECT_P2P, "isAllDirectP2p", NODE, "Do all GPUs of a node reach each other's memory by P2P?")                   \
    X(CUDA_P2P, "isAllCudaP2p", NODE, "Does NVML report P2P for all GPUs of a node?")                                  \
    X(ALL_NVLINK, "isAllNvlink", NODE, "Does NVLink join all GPUs of a node?")                                         \
    X(DIRECT_NVLINK, "isAllDirectNvlink", NODE, "Does NVLink join all GPUs of a node without a relay?")                \
    X(ONE_RANK, "isOneRPN", ALL, "Does every node have one rank?")                                                     \
    X(RUNTIME_CONNECT, "runtimeConn", ALL, "Are connections made at their first use?")                                 \
    X(NVLS, "nvlsSupport", ALL, "Is NVLink SHARP on?")                                                                 \
    X(LSA, "lsaSize", ALL, "How many ranks are in a team with load and store access (LSA)?")                           \
    X(MULTIMEM, "hasLsaMultimem", ALL, "Do symmetric kernels use multimem?")                                           \
    X(GIN, "globalGinSupport", ALL, "Can GPUs start network transfers themselves (GIN)?")                              \
    X(SYMMETRIC, "symmetricSupport", NODE, "Is symmetric memory supported?")                                           \
    X(KERNELS, "symmetricKernels", NODE, "May symmetric kernels run, if windows are registered?")                      \
    X(RMA, "hostRmaSupport", NODE, "May ncclPutSignal and its kind be used?")                                          \
    X(COPY_ENGINE, "ceCollectives", NODE, "May copy engines run a collective?")                                        \
    X(NVLS_BUFFERS, "nvlsRegSupport", ALL, "May user buffers be registered with NVLink SHARP?")                        \
    X(IPC_BUFFERS, "ipcRegistration", NODE, "May user buffers be registered for P2P?")                                 \
    X(RING_BUFFERS, "ringRegistration", NODE, "May user buffers be registered with the network of rings?")             \
    X(PAIR_BUFFERS, "sendRecvRegistration", NODE, "May buffers of send and receive be registered with the network?")

enum orr_device_fact {
#define X(symbol, ...) ORR_DEVICE_##symbol,
    ORR_DEVICE_FACT_MAP(X)
#undef X
        ORR_DEVICE_FACT_COUNT
};

/* Facts that a dump does not show. X(symbol, id): the ids are those of the analysis's assumptions (engine/explain). */
#define ORR_DEVICE_ASSUMPTION_MAP(X)                                                                                   \
    X(DRIVER, "new-driver")     /* CUDA 12.6 or newer, and cuMem works */                                              \
    X(NVML, "nvml-p2p-ok")      /* for every pair of GPUs */                                                           \
    X(MULTICAST, "nvls-works")  /* fabric manager and driver set it up */                                              \
    X(GIN_PLUGIN, "gin-plugin") /* NCCL's own */                                                                       \
    X(PROCESSES, "one-gpu-per-process")

enum orr_device_assumption {
#define X(symbol, ...) ORR_DEVICE_ASSUMES_BIT_##symbol,
    ORR_DEVICE_ASSUMPTION_MAP(X)
#undef X
        ORR_DEVICE_ASSUMPTION_COUNT
};
enum { /* bits */
#define X(symbol, ...) ORR_DEVICE_ASSUMES_##symbol = 1 << ORR_DEVICE_ASSUMES_BIT_##symbol,
       ORR_DEVICE_ASSUMPTION_MAP(X)
#undef X
};

/* The first operand that decides. Texts are static or in the arena. */
struct orr_device_verdict {
    int32_t value;        /* 1 or 0 for yes or no; a number of ranks for LSA; enum orr_gin_support for GIN; -1 if the
                           * release does not ask */
    const char *rule;     /* stable word, "PAIR_WITHOUT_NVLINK" */
    const char *sentence; /* why, with the devices or settings that decide */
    const char *remedy;   /* setting or hardware that would change a "no"; "" if there is none, or for a "yes" */
    unsigned assumes;     /* ORR_DEVICE_ASSUMES_*: bits */
};

enum orr_gin_type { ORR_GIN_TYPE_NONE = 0, ORR_GIN_TYPE_PROXY = 2, ORR_GIN_TYPE_GDAKI = 3 };
enum orr_gin_support { ORR_GIN_SUPPORT_NONE, ORR_GIN_SUPPORT_FULL, ORR_GIN_SUPPORT_RAIL };

/* Equal nodes: all hosts of one kind, or one part of each. */
struct orr_device_nodes {
    const struct orr_analysis *host;
    const struct orr_part *part;
    int32_t first_rank; /* lowest rank of the communicator on the first of these nodes */
    uint32_t node_count;
    enum orr_gin_type gin_type;
    const char *fused_nic; /* name of a NIC made of several ports; NULL if there is none */
    struct orr_device_verdict verdicts[ORR_DEVICE_FACT_COUNT];
};

struct orr_device_side {
    const struct orr_analysis *analysis; /* borrowed */
    const struct orr_device_rules *rules;
    struct orr_device_nodes *kinds; /* kind 0 holds rank 0 */
    uint32_t kind_count;
    uint32_t lsa_size, team_count;               /* 0 if the release has no teams */
    bool crosses_cliques;                        /* P2P between the cliques of an NVLink domain */
    bool domain_of_all;                          /* the NVLink domain contains all ranks */
    bool fused;                                  /* a node has several hosts (MNNVL) */
    float min_net_bw;                            /* GB/s, used in the model of GIN kernels; 0 if there is no NIC */
    int32_t nvls_registered[ORR_FUNCTION_COUNT]; /* channels with buffers registered with NVLS; 0 if none are */
    struct orr_arena *arena;                     /* not owned */
};

/* Decides all facts. Everything is in arena; the analysis must outlive it. */
enum orr_code orr_device_decide(const struct orr_analysis *analysis, struct orr_arena *arena,
                                struct orr_device_side *ret_device, struct orr_error *err) ORR_NO_DISCARD;

/* The verdict of the kind that holds rank 0. */
static inline const struct orr_device_verdict *orr_device_verdict(const struct orr_device_side *device,
                                                                  enum orr_device_fact fact)
{
    return &device->kinds[0].verdicts[fact];
}
/* The first kind of nodes whose value differs from kind 0; 0 if none differs. */
uint32_t orr_device_differs(const struct orr_device_side *device, enum orr_device_fact fact);

/* Number of GIN connections of each rank; 0 if there is no GIN, or a release with other rules (before 2.29.7). */
uint32_t orr_device_gin_connections(const struct orr_device_side *device);

/* NCCL's name in a release, "isAllDirectP2p" or "intraNodeP2pSupport"; the question; "node" or "communicator". */
const char *orr_device_fact_name(const struct orr_release *release, enum orr_device_fact fact);
const char *orr_device_fact_question(enum orr_device_fact fact);
bool orr_device_fact_shared(enum orr_device_fact fact); /* the value is the same on all ranks by construction */
/* The first release whose rules have the fact; NULL if there is none. */
const struct orr_release *orr_device_fact_since(enum orr_device_fact fact);
/* "yes", "no", "8 ranks", "full", "rail", "none", "not in this release". */
enum { ORR_DEVICE_VALUE_SIZE = 32 };
char *orr_device_value_text(enum orr_device_fact fact, int32_t value, char text[ORR_DEVICE_VALUE_SIZE]);
const char *orr_gin_type_name(enum orr_gin_type type);
/* A verdict's sentence, adapted for use inside another sentence: "the farthest path ...". */
const char *orr_device_inside(struct orr_device_side *device, const char *sentence);
/* "nvml-p2p-ok" */
const char *orr_device_assumption_id(unsigned bit);
/* The first reason about NVLink SHARP in the order in which NCCL looks. */
enum orr_rule orr_device_nvls_rule(const struct orr_analysis *analysis);

#endif
