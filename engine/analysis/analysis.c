/* SPDX-License-Identifier: Apache-2.0 */
/* Runs NCCL's steps in order, from a dump to the tuning model. */
#include "engine/analysis/analysis.h"

#include <string.h>

#include "engine/analysis/part.h"
#include "engine/analysis/pasted.h"
#include "engine/base/budget.h"
#include "engine/base/clock.h"
#include "engine/decide/verdicts.h"
#include "engine/nics/gpus.h"

const uint32_t orr_max_ranks = 1u << 17;

/* Adds the time since *since to a stage and starts the next one; does nothing if nobody needs times. */
static void lap(uint64_t *stage, uint64_t *since)
{
    if (!stage)
        return;
    uint64_t t = orr_clock_ns();
    *stage += t - *since;
    *since = t;
}

static enum orr_code decide_pairs(struct orr_analysis *a, struct orr_error *err)
{
    struct orr_p2p *p2p = ORR_NEW(a->arena, struct orr_p2p, (size_t)a->local_ranks * a->local_ranks);
    uint32_t *node = ORR_NEW(a->arena, uint32_t, a->local_ranks);
    ORR_NEED(p2p && node, err);
    for (uint32_t i = 0; i < a->part_count; i++) {
        const struct orr_system *system = &a->parts[i].system;
        for (uint32_t g = system->first[ORR_GPU]; g < system->first[ORR_GPU + 1]; g++)
            node[system->nodes[g].gpu.rank] = g;
    }
    for (uint32_t x = 0; x < a->local_ranks; x++) {
        if (orr_budget_spent(2 * a->local_ranks))
            return orr_budget_check(err);
        for (uint32_t y = 0; y < a->local_ranks; y++) {
            struct orr_p2p *pair = &p2p[(size_t)x * a->local_ranks + y];
            const struct orr_part *part = &a->parts[a->part_of_rank[x]];
            pair->via = -1;
            if (a->part_of_rank[x] != a->part_of_rank[y]) {
                pair->decision =
                    (struct orr_decision){.rule = ORR_RULE_P2P_OTHER_PART, .distance = ORR_PATH_DIS, .setting = -1};
                continue;
            }
            struct orr_p2p_verdict verdict = orr_decide_p2p(&part->paths, &a->query.settings, node[x], node[y]);
            pair->decision = verdict.decision;
            pair->read = verdict.read;
            if (verdict.via != ORR_NO_NODE)
                pair->via = part->system.nodes[verdict.via].gpu.rank;
        }
    }
    a->p2p = p2p;
    return ORR_OK;
}

static enum orr_code join(struct orr_analysis *a, const struct orr_member *members, uint32_t count,
                          struct orr_error *err)
{
    orr_budget_stage("rings and trees over hosts");
    ORR_TRY(orr_budget_check(err));
    ORR_TRY((a->query.plan ? orr_connect_plan : orr_connect)(members, count, &a->query.settings, a->arena,
                                                             &a->communicator, err));
    for (uint32_t i = 0; i < a->part_count; i++)
        ORR_TRY(orr_part_align_nets(a, &a->parts[i], err));
    return ORR_OK;
}

static enum orr_code connect_hosts(struct orr_analysis *a, struct orr_error *err)
{
    uint32_t count = a->query.hosts * a->part_count;
    struct orr_member *members = ORR_NEW(a->arena, struct orr_member, count);
    ORR_NEED(members, err);
    for (uint32_t m = 0; m < count; m++) {
        members[m].contribution = &a->parts[m % a->part_count].contribution;
        members[m].host = m / a->part_count;
        members[m].rank_base = (int32_t)(members[m].host * a->local_ranks);
    }
    return join(a, members, count, err);
}

/* The steps up to the search. ranks: those of the whole communicator; 0 means the query's number of hosts with this
 * dump. */
static enum orr_code analyse_host(struct orr_analysis *a, uint32_t ranks, struct orr_stage_times *times,
                                  uint64_t *since, struct orr_error *err)
{
    orr_budget_stage("graph of the machine");
    ORR_TRY(orr_budget_check(err));
    ORR_TRY(orr_settings_keep(&a->query.settings, a->arena, err));
    ORR_TRY(orr_gpus_used(a->given, &a->query.settings, a->arena, &a->dump, err));
    ORR_TRY(orr_nics_used(a->dump, &a->query.settings, a->arena, &a->dump, err));
    ORR_TRY(orr_system_build(a->dump, &a->query.settings, a->arena, &a->built, err));
    a->local_ranks = orr_system_count(&a->built, ORR_GPU);
    if (!ranks && (uint64_t)a->local_ranks * a->query.hosts > orr_max_ranks)
        return orr_fail(err, ORR_LIMIT, "%u hosts of %u GPUs are more than %u ranks", a->query.hosts, a->local_ranks,
                        orr_max_ranks);
    a->ranks = ranks ? ranks : a->local_ranks * a->query.hosts;
    lap(times ? &times->graph : NULL, since);
    orr_budget_stage("paths");
    ORR_TRY(orr_parts_make(a, err));
    ORR_TRY(decide_pairs(a, err));
    for (uint32_t i = 0; i < a->part_count; i++)
        ORR_TRY(orr_part_decide(a, &a->parts[i], err));
    lap(times ? &times->paths : NULL, since);
    orr_budget_stage("search for channels");
    for (uint32_t i = 0; i < a->part_count; i++)
        ORR_TRY(orr_part_search(a, &a->parts[i], err));
    lap(times ? &times->search : NULL, since);
    return ORR_OK;
}

static enum orr_code take_tuner(struct orr_analysis *a, struct orr_error *err)
{
    const char *text = a->query.settings.tuner;
    a->tuning.tuner = NULL;
    if (!text)
        return ORR_OK;
    return orr_tuner_read(text, strlen(text), a->arena, &a->tuning.tuner, err);
}

static enum orr_code analyse(struct orr_analysis *a, struct orr_stage_times *times, struct orr_error *err)
{
    uint64_t since = times ? orr_clock_ns() : 0;
    orr_pasted_take_all(a->given, &a->query.settings);
    ORR_TRY(analyse_host(a, 0, times, &since, err));
    ORR_TRY(connect_hosts(a, err));
    lap(times ? &times->connect : NULL, &since);
    ORR_TRY(orr_tune(&a->communicator, &a->query.settings, &a->tuning, err));
    ORR_TRY(take_tuner(a, err));
    lap(times ? &times->tuning : NULL, &since);
    return ORR_OK;
}

static struct orr_analysis *new_analysis(const struct orr_dump *dump, const struct orr_query *query)
{
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_analysis *a = ORR_NEW(arena, struct orr_analysis, 1);
    if (!a)
        return NULL;
    a->arena = orr_arena_take(&arena);
    a->given = a->dump = dump;
    a->query = *query;
    return a;
}

enum orr_code orr_analyze_host(const struct orr_dump *dump, const struct orr_query *query, uint32_t ranks,
                               struct orr_analysis **ret_analysis, struct orr_error *err)
{
    uint64_t since = 0;
    struct orr_analysis *a = new_analysis(dump, query);
    ORR_NEED(a, err);
    enum orr_code code = analyse_host(a, ranks, NULL, &since, err);
    if (code != ORR_OK) {
        orr_analysis_free(a);
        return code;
    }
    *ret_analysis = a;
    return ORR_OK;
}

enum orr_code orr_analysis_join(struct orr_analysis *analysis, const struct orr_member *members, uint32_t count,
                                struct orr_error *err)
{
    ORR_TRY(join(analysis, members, count, err));
    ORR_TRY(orr_tune(&analysis->communicator, &analysis->query.settings, &analysis->tuning, err));
    return take_tuner(analysis, err);
}

enum orr_code orr_analyze(const struct orr_dump *dump, const struct orr_query *query, struct orr_stage_times *times,
                          struct orr_analysis **ret_analysis, struct orr_error *err)
{
    uint32_t most = query->plan ? ORR_MAX_PLAN_HOSTS : ORR_MAX_HOSTS;
    if (query->hosts < 1 || query->hosts > most)
        return orr_fail(err, ORR_SETTING, "hosts must be 1 to %u, not %u", most, query->hosts);
    struct orr_analysis *a = new_analysis(dump, query);
    ORR_NEED(a, err);
    if (times)
        memset(times, 0, sizeof *times);
    enum orr_code code = analyse(a, times, err);
    if (code != ORR_OK) {
        orr_analysis_free(a);
        return code;
    }
    *ret_analysis = a;
    return ORR_OK;
}

void orr_analysis_free(struct orr_analysis *analysis)
{
    if (analysis)
        orr_arena_free(analysis->arena);
}

const struct orr_part *orr_analysis_part(const struct orr_analysis *analysis, int32_t host_rank)
{
    return &analysis->parts[analysis->part_of_rank[host_rank]];
}
