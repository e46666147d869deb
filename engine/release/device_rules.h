/* SPDX-License-Identifier: Apache-2.0 */
/* What a release's device side may use: symmetric memory and its kernels, teams, GIN, copy-engine collectives and
 * registered buffers. One row a release (releases_device.c); docs/nccl/device-side.md says what the fields do. */
#ifndef ORR_RELEASE_DEVICE_RULES_H
#define ORR_RELEASE_DEVICE_RULES_H

#include <stdbool.h>
#include <stdint.h>

/* Whether all pairs of a node's ranks reach each other's memory: no such flag; those that the P2P transport connects,
 * relays included (intraNodeP2pSupport); those with P2P and without a relay (isAllDirectP2p). */
enum orr_direct_p2p { ORR_DIRECT_P2P_NONE, ORR_DIRECT_P2P_CONNECTED, ORR_DIRECT_P2P_PAIRS };
/* isAllNvlink: by the nearest pair of GPUs; by the farthest; by the farthest of every node. */
enum orr_all_nvlink { ORR_NVLINK_BY_NEAREST, ORR_NVLINK_BY_FARTHEST, ORR_NVLINK_OF_ALL };
/* isAllDirectNvlink: no such flag; the farthest pair is NVL; the same, and a lone GPU counts. */
enum orr_direct_nvlink { ORR_DIRECT_NVLINK_NONE, ORR_DIRECT_NVLINK_PAIRS, ORR_DIRECT_NVLINK_OR_ALONE };
/* What symmetric memory needs. NONE: there is none. ONE_NODE: P2P of all pairs, on one node. ANY_NODES: CUDA's P2P on
 * every node. OWN_GIN: the same, and GIN of the rank over several nodes. ALL_GIN: GIN of all ranks over several teams.
 */
enum orr_symmetric {
    ORR_SYMMETRIC_NONE,
    ORR_SYMMETRIC_ONE_NODE,
    ORR_SYMMETRIC_ANY_NODES,
    ORR_SYMMETRIC_OWN_GIN,
    ORR_SYMMETRIC_ALL_GIN
};
/* Ranks of a team with load and store access (LSA). NONE: there are no teams. NODE: those of the node, if consecutive.
 * RUNS: the greatest common divisor of the runs of consecutive ranks on a node. The last adds NCCL_LSA_TEAM_SIZE as one
 * more term. */
enum orr_lsa { ORR_LSA_NONE, ORR_LSA_NODE, ORR_LSA_RUNS, ORR_LSA_RUNS_AND_SETTING };
/* GIN: none; found when it connects; of each rank; of all ranks. */
enum orr_gin { ORR_GIN_NONE, ORR_GIN_AT_CONNECTION, ORR_GIN_OF_RANK, ORR_GIN_OF_ALL };
/* Kernels over several nodes or teams. */
enum orr_gin_kernels { ORR_GIN_KERNELS_NONE, ORR_GIN_KERNELS_GATHER, ORR_GIN_KERNELS_RAIL };
/* When an LL kernel yields to the classic choice: never; unless that is LL, too; the same without both windows. */
enum orr_ll_yields { ORR_LL_STAYS, ORR_LL_BY_PROTOCOL, ORR_LL_BY_WINDOWS };
/* Collectives by copy engine: none; asked for, on one node; also of themselves; on one team. */
enum orr_copy_engine { ORR_CE_NONE, ORR_CE_ASKED, ORR_CE_ONE_NODE, ORR_CE_ONE_TEAM };
/* Buffers of send and receive registered with the network: never; without PXN or NVLink everywhere; the same, or with
 * one rank a node. */
enum orr_pair_registration { ORR_PAIR_REG_NONE, ORR_PAIR_REG_WITHOUT_PXN, ORR_PAIR_REG_OR_ALONE };
/* Channels of a collective with buffers registered with NVLS: fixed; more from capability 100 on; by the number of
 * heads; the same, and more where NICs are fast. */
enum orr_nvls_registered {
    ORR_NVLS_REGISTERED_FIXED,
    ORR_NVLS_REGISTERED_BY_CAPABILITY,
    ORR_NVLS_REGISTERED_BY_HEADS,
    ORR_NVLS_REGISTERED_BY_RATE
};

struct orr_device_rules {
    bool covered; /* these rules were read in the release's source */
    enum orr_direct_p2p direct_p2p;
    bool direct_p2p_alone; /* a lone rank counts as reaching all */
    bool cuda_p2p;         /* the release asks what NVML says about each pair */
    enum orr_all_nvlink all_nvlink;
    enum orr_direct_nvlink direct_nvlink;
    bool counts_lone_ranks; /* isOneRPN: no node has two ranks */

    enum orr_symmetric symmetric;
    bool windows_become_null; /* a window of a communicator without symmetric memory is NULL, not an ordinary one */
    bool kernels_over_nodes;  /* symmetric kernels on several nodes */
    bool kernels_need_nvlink; /* only where all pairs have NVLink */
    bool kernels_by_window;   /* one registered side may do */
    bool rounds_sizes;        /* counts are rounded up to 1024 bytes */
    bool multimem_past_two;   /* not in teams of two */
    bool has_tma;             /* kernels with the tensor memory accelerator, and averages */
    enum orr_ll_yields ll_yields;

    enum orr_lsa lsa;
    enum orr_gin gin;
    bool gin_enable_in_time;  /* NCCL_GIN_ENABLE=0 is noticed before the first use */
    bool gin_with_fused_nics; /* fused NICs do no harm */
    bool gin_not_partitioned; /* a partition of a GPU anywhere switches it off */
    int32_t gin_sm_min;
    bool gin_rate_of_all; /* its kernels reckon with the least rate of all ranks' paths, not of the own NICs' lines */
    enum orr_gin_kernels gin_kernels;
    float gin_ld_rates[2], gin_ldmc_rates[2]; /* of a block: below capability 100, and from there on; 10^9 bytes/s */
    int32_t gin_chunk;                        /* bytes */
    bool has_rma;                             /* ncclPutSignal and its kind */
    bool rma_of_all;                          /* allowed by all ranks together */
    bool rma_counts_contexts;                 /* only with NCCL_NUM_RMA_CTX contexts */

    enum orr_copy_engine copy_engine;
    bool copy_engine_over_nodes;
    bool ipc_registration, ring_registration;
    enum orr_pair_registration pair_registration;
    enum orr_nvls_registered nvls_registered;
};

/* Changes the rules of the release before into those of this one; nothing if the release changed none. */
void orr_device_rules_step(uint32_t version, struct orr_device_rules *rules);

#endif
