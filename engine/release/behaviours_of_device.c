/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the fields of the rules of the device side, in their order. */
#include "engine/release/behaviour_rows.h"
#include "engine/release/device_rules.h"

static const char *const direct_p2ps[] = {
    [ORR_DIRECT_P2P_NONE] = "not asked",
    [ORR_DIRECT_P2P_CONNECTED] = "by the pairs that the P2P transport connects, relays included",
    [ORR_DIRECT_P2P_PAIRS] = "by P2P without a relay",
};
static const char *const all_nvlinks[] = {
    [ORR_NVLINK_BY_NEAREST] = "the nearest pair",
    [ORR_NVLINK_BY_FARTHEST] = "the farthest pair",
    [ORR_NVLINK_OF_ALL] = "the farthest pair of any node",
};
static const char *const direct_nvlinks[] = {
    [ORR_DIRECT_NVLINK_NONE] = "not asked",
    [ORR_DIRECT_NVLINK_PAIRS] = "if the farthest pair is NVL; a lone GPU does not count",
    [ORR_DIRECT_NVLINK_OR_ALONE] = "if the farthest pair is NVL or the GPU is alone",
};
static const char *const symmetrics[] = {
    [ORR_SYMMETRIC_NONE] = "not supported",
    [ORR_SYMMETRIC_ONE_NODE] = "P2P between all pairs, and one node",
    [ORR_SYMMETRIC_ANY_NODES] = "P2P between all pairs as NVML reports it",
    [ORR_SYMMETRIC_OWN_GIN] = "P2P as NVML reports it, and over several nodes GIN at the rank",
    [ORR_SYMMETRIC_ALL_GIN] = "P2P as NVML reports it, and over several teams GIN at all ranks",
};
static const char *const lsas[] = {
    [ORR_LSA_NONE] = "no teams",
    [ORR_LSA_NODE] = "the node's ranks, if consecutive",
    [ORR_LSA_RUNS] = "greatest common divisor of runs of ranks on a node",
    [ORR_LSA_RUNS_AND_SETTING] = "greatest common divisor of runs of ranks on a node and of NCCL_LSA_TEAM_SIZE",
};
static const char *const gins[] = {
    [ORR_GIN_NONE] = "none",
    [ORR_GIN_AT_CONNECTION] = "found when it connects",
    [ORR_GIN_OF_RANK] = "of each rank",
    [ORR_GIN_OF_ALL] = "of all ranks together",
};
static const char *const gin_kernels[] = {
    [ORR_GIN_KERNELS_NONE] = "none",
    [ORR_GIN_KERNELS_GATHER] = "AllGather over several nodes",
    [ORR_GIN_KERNELS_RAIL] = "AllGather and ReduceScatter over several teams",
};
static const char *const ll_yieldings[] = {
    [ORR_LL_STAYS] = "never",
    [ORR_LL_BY_PROTOCOL] = "if the classic choice is not LL, or no window is registered",
    [ORR_LL_BY_WINDOWS] = "the same, unless both windows are registered",
};
static const char *const copy_engines[] = {
    [ORR_CE_NONE] = "never",
    [ORR_CE_ASKED] = "if the CTA policy is ZERO, on one node",
    [ORR_CE_ONE_NODE] = "by CTA policy or size, on one node",
    [ORR_CE_ONE_TEAM] = "by CTA policy or size, in one team",
};
static const char *const pair_registrations[] = {
    [ORR_PAIR_REG_NONE] = "never",
    [ORR_PAIR_REG_WITHOUT_PXN] = "without PXN, or without NVLink between all pairs",
    [ORR_PAIR_REG_OR_ALONE] = "the same, or with one rank on every node",
};

#define ORR_FIELD_HERE(field) ORR_FIELD(orr_device_rules, ORR_OF_DEVICE, "device.", field)
#define ORR_ROW(source_, kind_, unit_, sentence_)                                                                      \
    .source = (source_), .kind = ORR_BEHAVIOUR_##kind_, .unit = (unit_), .bears = DEVICE, .sentence = (sentence_)
#define ORR_TRUTH(at, field, sentence)                                                                                 \
    {                                                                                                                  \
        ORR_FIELD_HERE(field), ORR_ROW(at, BOOL, NULL, sentence)                                                       \
    }
#define ORR_INT(at, field, unit, sentence)                                                                             \
    {                                                                                                                  \
        ORR_FIELD_HERE(field), ORR_ROW(at, INT, unit, sentence)                                                        \
    }
#define ORR_WORD(at, field, words_, sentence)                                                                          \
    {                                                                                                                  \
        ORR_FIELD_HERE(field), ORR_ROW(at, WORD, NULL, sentence), .words = (words_)                                    \
    }
#define ORR_RATES_OF(at, field, sentence)                                                                              \
    {                                                                                                                  \
        ORR_FIELD_HERE(field), ORR_ROW(at, TABLE, "GB/s", sentence), .read = orr_read_grid, .grid = &rate_grid         \
    }

static const char *const rate_lines[] = {"below sm 100", "from sm 100"};
static const struct orr_grid rate_grid = {ORR_GRID_FLOAT, 2, 1, rate_lines};
static const char *const nvls_registereds[] = {
    [ORR_NVLS_REGISTERED_FIXED] = "4 to 6",
    [ORR_NVLS_REGISTERED_BY_CAPABILITY] = "4 to 6, from capability 10.0 on 6 to 8",
    [ORR_NVLS_REGISTERED_BY_HEADS] = "32 to 64 shared by the heads",
    [ORR_NVLS_REGISTERED_BY_RATE] = "32 to 64 shared by the heads, and 80 with NICs of 96 GB/s",
};

static const struct orr_behaviour rows[] = {
    ORR_TRUTH(ORR_AT_INIT, covered, "Orrery knows the rules of the device side"),
    ORR_WORD(ORR_AT_TRANSPORT, direct_p2p, direct_p2ps,
             "how NCCL asks whether the ranks of a node reach each other's memory"),
    ORR_TRUTH(ORR_AT_TRANSPORT, direct_p2p_alone, "a rank that is alone on its node reaches all"),
    ORR_TRUTH(ORR_AT_TRANSPORT, cuda_p2p, "NCCL also asks NVML about each pair (isAllCudaP2p)"),
    ORR_WORD(ORR_AT_PATHS, all_nvlink, all_nvlinks, "the pair of GPUs that decides isAllNvlink"),
    ORR_WORD(ORR_AT_PATHS, direct_nvlink, direct_nvlinks, "when isAllDirectNvlink is 1"),
    ORR_TRUTH(ORR_AT_INIT, counts_lone_ranks, "NCCL notes that every node has one rank (isOneRPN)"),

    ORR_WORD(ORR_AT_INIT, symmetric, symmetrics, "conditions of symmetric memory"),
    ORR_TRUTH(ORR_AT_DEVR, windows_become_null,
              "without symmetric memory a window is NULL, not an ordinary registration"),
    ORR_TRUTH(ORR_AT_SCHEDULER, kernels_over_nodes, "symmetric kernels run over several nodes"),
    ORR_TRUTH(ORR_AT_SCHEDULER, kernels_need_nvlink,
              "symmetric kernels need NVLink between all pairs (isAllDirectNvlink)"),
    ORR_TRUTH(ORR_AT_SYMMETRIC, kernels_by_window, "some symmetric kernels need only one registered side"),
    ORR_TRUTH(ORR_AT_SYMMETRIC, rounds_sizes, "the model of symmetric kernels rounds sizes up to 1024 bytes"),
    ORR_TRUTH(ORR_AT_SYMMETRIC, multimem_past_two, "multimem is not used in a team of two"),
    ORR_TRUTH(ORR_AT_SYMMETRIC, has_tma, "symmetric kernels may use TMA (NCCL_SYM_TMA_ENABLE)"),
    ORR_WORD(ORR_AT_SCHEDULER, ll_yields, ll_yieldings,
             "when NCCL prefers the classic choice to a symmetric kernel with LL"),

    ORR_WORD(ORR_AT_DEVR, lsa, lsas, "ranks of a team with load and store access (LSA)"),
    ORR_WORD(ORR_AT_INIT, gin, gins, "support of GIN"),
    ORR_TRUTH(ORR_AT_GIN, gin_enable_in_time,
              "NCCL_GIN_ENABLE=0 shows in the support of GIN, not only in a failure at first use"),
    ORR_TRUTH(ORR_AT_INIT, gin_with_fused_nics, "GIN works with fused NICs"),
    ORR_TRUTH(ORR_AT_INIT, gin_not_partitioned, "a partition of a GPU (MLOPart) anywhere switches GIN off"),
    ORR_INT(ORR_AT_GIN, gin_sm_min, NULL, "lowest compute capability of GIN; 0: any"),
    ORR_TRUTH(
        ORR_AT_INIT, gin_rate_of_all,
        "kernels with GIN use the lowest rate of all ranks' paths to NICs, not the line rate of the rank's own NICs"),
    ORR_WORD(ORR_AT_SYMMETRIC, gin_kernels, gin_kernels, "symmetric kernels that use GIN"),
    ORR_RATES_OF(ORR_AT_SYMMETRIC, gin_ld_rates, "rate of one ReduceScatter block over GIN with LD"),
    ORR_RATES_OF(ORR_AT_SYMMETRIC, gin_ldmc_rates, "rate of one ReduceScatter block over GIN with LDMC"),
    ORR_INT(ORR_AT_SYMMETRIC, gin_chunk, "bytes", "chunk size of ReduceScatter over GIN"),
    ORR_TRUTH(ORR_AT_RMA, has_rma, "ncclPutSignal and related calls exist"),
    ORR_TRUTH(ORR_AT_INIT, rma_of_all, "all ranks together decide whether these may be used"),
    ORR_TRUTH(ORR_AT_RMA, rma_counts_contexts, "... only if NCCL_NUM_RMA_CTX leaves a context"),

    ORR_WORD(ORR_AT_CE, copy_engine, copy_engines, "when copy engines run a collective"),
    ORR_TRUTH(ORR_AT_CE, copy_engine_over_nodes, "copy engines and RMA together run AllGather over several nodes"),
    ORR_TRUTH(ORR_AT_REGISTER, ipc_registration, "user buffers are registered for P2P"),
    ORR_TRUTH(ORR_AT_REGISTER, ring_registration, "user buffers are registered with the network of rings"),
    ORR_WORD(ORR_AT_REGISTER, pair_registration, pair_registrations,
             "when buffers of send and receive are registered with the network"),
    ORR_WORD(ORR_AT_NVLS, nvls_registered, nvls_registereds,
             "channels of a collective whose buffers are registered with NVLS"),
};

const struct orr_behaviour_rows orr_behaviours_of_device = {rows, ORR_COUNT(rows)};
