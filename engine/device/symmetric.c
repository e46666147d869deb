/* SPDX-License-Identifier: Apache-2.0 */
/* Decides about symmetric memory and everything that rests on it. Operands are checked in NCCL's order, and the first
 * that fails is the answer. docs/nccl/device-side.md, "Symmetric memory". */
#include "engine/device/deciding.h"

/* Windows and cuMem, which every use needs. */
static bool fails_by_setting(struct orr_device_side *d, struct orr_device_nodes *kind)
{
    bool windows = orr_device_setting(d, ORR_SET_WIN_ENABLE) != 0;
    if (windows && orr_device_cumem(d))
        return false;
    orr_device_say(d, kind, ORR_DEVICE_SYMMETRIC, 0, windows ? "CUMEM_OFF" : "WINDOWS_OFF", 0, "%s is 0.",
                   windows ? "NCCL_CUMEM_ENABLE" : "NCCL_WIN_ENABLE");
    orr_device_remedy(d, kind, ORR_DEVICE_SYMMETRIC, "The default of %s switches it on.",
                      windows ? "NCCL_CUMEM_ENABLE" : "NCCL_WIN_ENABLE");
    return true;
}

/* Whether GIN is needed and missing. */
static bool lacks_gin(struct orr_device_side *d, struct orr_device_nodes *kind)
{
    const struct orr_communicator *c = &d->analysis->communicator;
    const struct orr_device_verdict *gin = &kind->verdicts[ORR_DEVICE_GIN];
    bool by_node = d->rules->symmetric == ORR_SYMMETRIC_OWN_GIN;
    if (d->rules->symmetric != ORR_SYMMETRIC_ALL_GIN && !by_node)
        return false;
    if (gin->value > 0 || (by_node ? c->node_count : d->team_count) <= 1)
        return false;
    orr_device_say(d, kind, ORR_DEVICE_SYMMETRIC, 0, gin->rule, gin->assumes,
                   "There are %u %ss, which need GIN between them, but GIN is not available: %s",
                   by_node ? c->node_count : d->team_count, by_node ? "node" : "team",
                   orr_device_inside(d, gin->sentence));
    orr_device_remedy(d, kind, ORR_DEVICE_SYMMETRIC, "%s", gin->remedy);
    return true;
}

static void decide_memory(struct orr_device_side *d, struct orr_device_nodes *kind)
{
    const struct orr_communicator *c = &d->analysis->communicator;
    bool one_node = d->rules->symmetric == ORR_SYMMETRIC_ONE_NODE;
    enum orr_device_fact access = one_node ? ORR_DEVICE_DIRECT_P2P : ORR_DEVICE_CUDA_P2P;
    const struct orr_device_verdict *p2p = &kind->verdicts[access];
    if (!p2p->value) {
        orr_device_say(d, kind, ORR_DEVICE_SYMMETRIC, 0, p2p->rule, p2p->assumes, "%s is 0: %s",
                       orr_device_fact_name(d->analysis->query.settings.release, access),
                       orr_device_inside(d, p2p->sentence));
        orr_device_remedy(d, kind, ORR_DEVICE_SYMMETRIC, "%s", p2p->remedy);
        return;
    }
    if (one_node && c->node_count > 1) {
        orr_device_say(d, kind, ORR_DEVICE_SYMMETRIC, 0, "SEVERAL_NODES", 0,
                       "NCCL %s has symmetric memory on one node only.", d->analysis->query.settings.release->name);
        orr_device_remedy(d, kind, ORR_DEVICE_SYMMETRIC,
                          "NCCL 2.29.2 or newer has it over several nodes, with GIN between them.");
        return;
    }
    if (fails_by_setting(d, kind) || lacks_gin(d, kind))
        return;
    unsigned assumes = p2p->assumes | ORR_DEVICE_ASSUMES_DRIVER;
    bool gin = d->rules->symmetric >= ORR_SYMMETRIC_OWN_GIN && c->node_count > 1;
    orr_device_say(d, kind, ORR_DEVICE_SYMMETRIC, 1, "SYMMETRIC_ON",
                   assumes | (gin ? ORR_DEVICE_ASSUMES_GIN_PLUGIN : 0), "%s is 1, and cuMem and windows are on%s.",
                   orr_device_fact_name(d->analysis->query.settings.release, access),
                   gin && d->team_count > 1 ? "; between teams there is GIN" : "");
}

/* Makes one fact "no" because of another. */
static void follow(struct orr_device_side *d, struct orr_device_nodes *kind, enum orr_device_fact fact,
                   enum orr_device_fact from)
{
    const struct orr_device_verdict *cause = &kind->verdicts[from];
    orr_device_say(d, kind, fact, 0, cause->rule, cause->assumes, "%s is 0: %s",
                   orr_device_fact_name(d->analysis->query.settings.release, from),
                   orr_device_inside(d, cause->sentence));
    orr_device_remedy(d, kind, fact, "%s", cause->remedy);
}

static void decide_kernels(struct orr_device_side *d, struct orr_device_nodes *kind)
{
    const struct orr_communicator *c = &d->analysis->communicator;
    bool several = d->rules->kernels_over_nodes && d->rules->gin_kernels == ORR_GIN_KERNELS_GATHER ? c->node_count > 1
                                                                                                   : d->team_count > 1;
    if (!orr_device_is(kind, ORR_DEVICE_SYMMETRIC)) {
        follow(d, kind, ORR_DEVICE_KERNELS, ORR_DEVICE_SYMMETRIC);
    } else if (c->rank_count == 1) {
        orr_device_say(d, kind, ORR_DEVICE_KERNELS, 0, "ONE_RANK", 0, "With one rank NCCL only copies.");
    } else if (!d->rules->kernels_over_nodes && c->node_count > 1) {
        orr_device_say(d, kind, ORR_DEVICE_KERNELS, 0, "SEVERAL_NODES", 0,
                       "No kernel of this release works over several nodes, of which there are %u.", c->node_count);
        orr_device_remedy(d, kind, ORR_DEVICE_KERNELS, "NCCL 2.29.2 or newer has kernels for several nodes.");
    } else if (d->rules->kernels_need_nvlink && !orr_device_is(kind, ORR_DEVICE_DIRECT_NVLINK)) {
        follow(d, kind, ORR_DEVICE_KERNELS, ORR_DEVICE_DIRECT_NVLINK);
    } else if (d->crosses_cliques) {
        orr_device_say(d, kind, ORR_DEVICE_KERNELS, 0, "ACROSS_CLIQUES", 0,
                       "P2P crosses the cliques of the NVLink domain.");
        orr_device_remedy(d, kind, ORR_DEVICE_KERNELS, "NCCL_MNNVL_CROSS_CLIQUE=0 keeps P2P inside a clique.");
    } else if (several && orr_device_setting(d, ORR_SET_SYM_GIN_KERNELS_ENABLE) == 0) {
        orr_device_say(d, kind, ORR_DEVICE_KERNELS, 0, "GIN_KERNELS_OFF", 0, "NCCL_SYM_GIN_KERNELS_ENABLE is 0.");
        orr_device_remedy(d, kind, ORR_DEVICE_KERNELS,
                          "The default of NCCL_SYM_GIN_KERNELS_ENABLE allows kernels over several teams.");
    } else {
        orr_device_say(d, kind, ORR_DEVICE_KERNELS, 1, several ? "KERNELS_BY_GIN" : "KERNELS_IN_TEAM",
                       kind->verdicts[ORR_DEVICE_SYMMETRIC].assumes, "%s",
                       several ? "Over several teams only kernels with GIN work, and none of them does AllReduce."
                               : "All ranks are in one team, so they load and store each other's memory.");
    }
}

static void decide_rma(struct orr_device_side *d, struct orr_device_nodes *kind)
{
    const struct orr_communicator *c = &d->analysis->communicator;
    const struct orr_device_verdict *gin = &kind->verdicts[ORR_DEVICE_GIN];
    bool several = d->rules->rma_of_all ? d->team_count > 1 : c->node_count > 1;
    if (!d->rules->has_rma)
        return;
    if (!orr_device_is(kind, ORR_DEVICE_SYMMETRIC)) {
        follow(d, kind, ORR_DEVICE_RMA, ORR_DEVICE_SYMMETRIC);
    } else if (several && gin->value != ORR_GIN_SUPPORT_FULL) {
        orr_device_say(d, kind, ORR_DEVICE_RMA, 0, gin->rule, gin->assumes,
                       "Over several teams it needs GIN between all ranks: %s", orr_device_inside(d, gin->sentence));
        orr_device_remedy(d, kind, ORR_DEVICE_RMA, "%s", gin->remedy);
    } else if (several && orr_device_setting(d, ORR_SET_RMA_DISABLE) == 1) {
        orr_device_say(d, kind, ORR_DEVICE_RMA, 0, "RMA_OFF", 0, "NCCL_RMA_DISABLE is 1.");
        orr_device_remedy(d, kind, ORR_DEVICE_RMA, "The default of NCCL_RMA_DISABLE allows it.");
    } else if (d->rules->rma_counts_contexts &&
               orr_setting_int32(&d->analysis->query.settings, ORR_SET_NUM_RMA_CTX) < 1) {
        orr_device_say(d, kind, ORR_DEVICE_RMA, 0, "RMA_NO_CONTEXT", 0, "NCCL_NUM_RMA_CTX leaves no context.");
        orr_device_remedy(d, kind, ORR_DEVICE_RMA, "The default of NCCL_NUM_RMA_CTX gives one.");
    } else {
        orr_device_say(d, kind, ORR_DEVICE_RMA, 1, several ? "RMA_BY_PROXY" : "RMA_IN_TEAM",
                       kind->verdicts[ORR_DEVICE_SYMMETRIC].assumes | ORR_DEVICE_ASSUMES_DRIVER, "%s",
                       several ? "Copy engines serve the own team, a proxy the others."
                               : "Copy engines serve all ranks, which are in one team.");
    }
}

static void decide_copy_engine(struct orr_device_side *d, struct orr_device_nodes *kind)
{
    const struct orr_communicator *c = &d->analysis->communicator;
    const enum orr_copy_engine rule = d->rules->copy_engine;
    bool by_team = rule == ORR_CE_ONE_TEAM;
    bool several = by_team ? d->team_count > 1 : c->node_count > 1;
    bool own = rule >= ORR_CE_ONE_NODE && c->sm_min >= 100 && orr_device_is(kind, ORR_DEVICE_DIRECT_NVLINK);
    const unsigned assumes = kind->verdicts[ORR_DEVICE_SYMMETRIC].assumes | ORR_DEVICE_ASSUMES_DRIVER;
    if (rule == ORR_CE_NONE)
        return;
    if (!orr_device_is(kind, ORR_DEVICE_SYMMETRIC)) {
        follow(d, kind, ORR_DEVICE_COPY_ENGINE, ORR_DEVICE_SYMMETRIC);
    } else if (several && d->rules->copy_engine_over_nodes && orr_device_is(kind, ORR_DEVICE_RMA) &&
               d->lsa_size >= c->max_local_ranks) {
        orr_device_say(d, kind, ORR_DEVICE_COPY_ENGINE, 1, "CE_OVER_NODES", assumes,
                       "AllGather and AlltoAll may use copy engines and RMA over several nodes if both buffers are in "
                       "windows and NCCL_CTA_POLICY is ZERO.");
    } else if (several) {
        orr_device_say(d, kind, ORR_DEVICE_COPY_ENGINE, 0, by_team ? "SEVERAL_TEAMS" : "SEVERAL_NODES", 0,
                       "Copy engines reach one %s, and there are %u.", by_team ? "team" : "node",
                       by_team ? d->team_count : c->node_count);
    } else {
        orr_device_say(d, kind, ORR_DEVICE_COPY_ENGINE, 1, own ? "CE_BY_SIZE" : "CE_IF_ASKED", assumes, "%s",
                       own ? "AllGather uses copy engines above NCCL_SYM_CE_THRESHOLD elements per rank, and "
                             "AllGather, AlltoAll, Scatter and Gather use them at any size if NCCL_CTA_POLICY is ZERO."
                           : "AllGather, AlltoAll, Scatter and Gather use copy engines if NCCL_CTA_POLICY is ZERO.");
    }
}

void orr_device_symmetric(struct orr_device_side *d, struct orr_device_nodes *kind)
{
    if (d->rules->symmetric == ORR_SYMMETRIC_NONE)
        return;
    decide_memory(d, kind);
    decide_kernels(d, kind);
    decide_rma(d, kind);
    decide_copy_engine(d, kind);
}
