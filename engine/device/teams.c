/* SPDX-License-Identifier: Apache-2.0 */
/* Teams with load and store access (LSA): equal runs of consecutive ranks that share a node. All teams have one size,
 * so a node that differs makes teams smaller: 8 + 4 ranks give teams of 4, 8 + 7 ranks teams of 1, and ranks dealt out
 * to two hosts in turn give teams of 1. docs/nccl/device-side.md, "Teams". */
#include "engine/base/budget.h"
#include "engine/connect/p2p_schedule.h"
#include "engine/device/deciding.h"

/* The greatest common divisor of the runs, and how many runs there are. */
static enum orr_code measure_runs(const struct orr_communicator *c, uint32_t *ret_divisor, uint32_t *ret_runs,
                                  struct orr_error *err)
{
    uint32_t divisor = 0, runs = 0, length = 0;
    if (orr_budget_spent(c->rank_count))
        return orr_budget_check(err);
    for (uint32_t rank = 0; rank < c->rank_count; rank++) {
        length++;
        if (rank + 1 < c->rank_count && c->node_of_rank[rank + 1] == c->node_of_rank[rank])
            continue;
        divisor = orr_common_divisor(divisor, length);
        runs++;
        length = 0;
    }
    *ret_divisor = divisor;
    *ret_runs = runs;
    return ORR_OK;
}

static void say_size(struct orr_device_side *d, const char *rule, unsigned assumes, const char *sentence)
{
    for (uint32_t k = 0; k < d->kind_count; k++)
        orr_device_say(d, &d->kinds[k], ORR_DEVICE_LSA, (int32_t)d->lsa_size, rule, assumes, "%s", sentence);
}

static enum orr_code decide_size(struct orr_device_side *d, struct orr_error *err)
{
    const struct orr_communicator *c = &d->analysis->communicator;
    uint32_t divisor = 0, runs = 0;
    ORR_TRY(measure_runs(c, &divisor, &runs, err));
    const char *text = orr_arena_printf(
        d->arena, "Ranks are on %u node%s in %u run%s of consecutive ranks; the greatest common divisor is %u.",
        c->node_count, c->node_count == 1 ? "" : "s", runs, runs == 1 ? "" : "s", divisor);
    const char *rule = "RUNS_OF_RANKS";
    d->lsa_size = divisor;
    if (d->rules->lsa == ORR_LSA_NODE) {
        bool consecutive = runs == c->node_count;
        d->lsa_size = consecutive ? c->own_local_ranks : 1;
        rule = consecutive ? "RANKS_OF_NODE" : "RANKS_SCATTERED";
        text = consecutive ? "The ranks of each node are consecutive, and form a team."
                           : "The ranks of a node are not consecutive, so every rank is a team.";
    }
    int32_t asked = orr_setting_int32(&d->analysis->query.settings, ORR_SET_LSA_TEAM_SIZE);
    if (d->crosses_cliques && d->domain_of_all && d->rules->lsa == ORR_LSA_RUNS_AND_SETTING) {
        d->lsa_size = c->rank_count;
        rule = "NVLINK_DOMAIN";
        text = "P2P crosses the cliques of the NVLink domain, so all its ranks are a team.";
    } else if (d->rules->lsa == ORR_LSA_RUNS_AND_SETTING && asked > 0) {
        d->lsa_size = orr_common_divisor(divisor, (uint32_t)asked);
        rule = "RUNS_AND_SETTING";
        text = orr_arena_printf(d->arena,
                                "Runs of consecutive ranks on a node have the greatest common divisor %u, and "
                                "NCCL_LSA_TEAM_SIZE=%d is one more term, not the size.",
                                divisor, asked);
    }
    d->team_count = d->lsa_size ? c->rank_count / d->lsa_size : 0;
    say_size(d, rule, 0, text ? text : "");
    return ORR_OK;
}

static void decide_multimem(struct orr_device_side *d, struct orr_device_nodes *kind)
{
    if (d->rules->symmetric == ORR_SYMMETRIC_NONE)
        return;
    const struct orr_device_verdict *nvls = &kind->verdicts[ORR_DEVICE_NVLS];
    if (!nvls->value) {
        orr_device_say(d, kind, ORR_DEVICE_MULTIMEM, 0, "NVLS_OFF", 0, "NVLink SHARP is off: %s",
                       orr_device_inside(d, nvls->sentence));
        orr_device_remedy(d, kind, ORR_DEVICE_MULTIMEM, "%s", nvls->remedy);
    } else if (d->rules->multimem_past_two && d->lsa_size <= 2) {
        orr_device_say(d, kind, ORR_DEVICE_MULTIMEM, 0, "SMALL_TEAM", 0,
                       "A team has %u rank%s, and multimem needs at least 3.", d->lsa_size,
                       d->lsa_size == 1 ? "" : "s");
        orr_device_remedy(d, kind, ORR_DEVICE_MULTIMEM, "More consecutive ranks on every node make larger teams.");
    } else if (d->crosses_cliques) {
        orr_device_say(d, kind, ORR_DEVICE_MULTIMEM, 0, "ACROSS_CLIQUES", 0,
                       "P2P crosses the cliques of the NVLink domain.");
        orr_device_remedy(d, kind, ORR_DEVICE_MULTIMEM, "NCCL_MNNVL_CROSS_CLIQUE=0 keeps P2P inside a clique.");
    } else {
        orr_device_say(d, kind, ORR_DEVICE_MULTIMEM, 1, "NVLS_ON", nvls->assumes, "NVLink SHARP is on.");
    }
}

enum orr_code orr_device_teams(struct orr_device_side *d, struct orr_error *err)
{
    if (d->rules->lsa != ORR_LSA_NONE)
        ORR_TRY(decide_size(d, err));
    for (uint32_t k = 0; k < d->kind_count; k++)
        decide_multimem(d, &d->kinds[k]);
    return ORR_OK;
}
