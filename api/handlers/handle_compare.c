/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two stored dumps by role, or a set of them with their majority. */
#include <string.h>

#include "api/documents/documents.h"
#include "api/handlers/fleet.h"
#include "api/handlers/handlers.h"
#include "engine/compare/compare.h"
#include "engine/compare/majority.h"
#include "engine/machines/machine_types.h"

/* The analysis of a topology, and its names. */
static enum orr_code work_of(struct orr_call *call, const char *parameter, const char *id, struct orr_work **ret_work,
                             struct orr_called *called, struct orr_error *err)
{
    struct orr_record record;
    if (called) {
        ORR_TRY(orr_fleet_turn_to(call, parameter, id, err));
        ORR_TRY(orr_store_get(call->app->store, id, &record, err));
        *called = (struct orr_called){id, orr_arena_strndup(call->arena, record.name, strlen(record.name))};
        orr_record_release(&record);
        ORR_NEED(called->name, err);
    }
    return orr_fleet_work(call, parameter, id, ret_work, err);
}

/* The analysis of a machine type alone, in place of a second topology. */
static enum orr_code work_of_type(struct orr_call *call, const struct orr_machine_type *type,
                                  struct orr_work **ret_work, struct orr_called *called, struct orr_error *err)
{
    *called = (struct orr_called){type->name, type->title};
    return orr_fleet_work_of_type(call, type, ret_work, err);
}

static enum orr_code compare_two(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    const struct orr_params *params = &call->params;
    ORR_LOCAL(orr_work, a);
    ORR_LOCAL(orr_work, b);
    struct orr_called called[2];
    struct orr_comparison comparison;
    struct orr_json json = {0};
    ORR_LOCAL_ARENA(arena, 0);
    const struct orr_machine_type *type = params->machine;
    call->params.machine = NULL; /* of the second one only */
    ORR_NEED(arena, err);
    ORR_TRY(work_of(call, "a", params->a, &a, &called[0], err));
    ORR_TRY(type ? work_of_type(call, type, &b, &called[1], err) : work_of(call, "b", params->b, &b, &called[1], err));
    ORR_TRY(orr_compare(a->analysis, b->analysis, arena, &comparison, err));
    return orr_answer_of_json(200, &json, orr_compare_json(&json, &comparison, &called[0], &called[1]), ret_answer,
                              err);
}

enum { MOST_DECISIONS = 16 };

static enum orr_code gather(struct orr_call *call, struct orr_fleet *set, struct orr_error *err)
{
    const struct orr_params *params = &call->params;
    ORR_TRY(orr_fleet_gather(call, params, ORR_FLEET_TOPOLOGIES, set, err));
    if (set->topologies > 2)
        return ORR_OK;
    call->problem = ORR_PROBLEM_PARAMETER;
    return orr_fail_with(err, ORR_SETTING, params->topologies.count ? "topology" : "label",
                         "compare two with a=ID&b=ID; name a set with topology=ID several times, or label=NAME=VALUE",
                         "a majority needs at least 3 different topologies; these are only %u", set->topologies);
}

/* Finds NCCL's different decisions for a deviating dump; one that cannot be analysed gets none. */
static enum orr_code decide(struct orr_call *call, const struct orr_fleet *set, uint32_t specimen,
                            const struct orr_work *reference, const struct orr_changes **ret_changes,
                            struct orr_error *err)
{
    struct orr_error own = {0};
    ORR_LOCAL(orr_work, work);
    struct orr_comparison *comparison = ORR_NEW(set->arena, struct orr_comparison, 1);
    ORR_NEED(comparison, err);
    enum orr_code code = work_of(call, "topology", set->called[specimen].topology, &work, NULL, &own);
    if (code == ORR_OK)
        code = orr_compare(reference->analysis, work->analysis, set->arena, comparison, &own);
    if (code == ORR_OK)
        *ret_changes = &comparison->changes; /* only counts are kept, so the analyses may be freed */
    return code == ORR_NOMEM ? orr_fail_nomem(err) : ORR_OK;
}

static enum orr_code compare_members(struct orr_call *call, struct orr_fleet *set, struct orr_answer **ret_answer,
                                     struct orr_error *err)
{
    struct orr_majority majority;
    struct orr_set_finding findings[ORR_SET_FINDINGS];
    ORR_LOCAL(orr_work, reference);
    struct orr_error own = {0};
    struct orr_json json = {0};
    uint32_t count = 0, decided = 0;
    ORR_TRY(gather(call, set, err));
    ORR_TRY(orr_majority_find(set->specimens, set->count, set->arena, &majority, err));
    ORR_TRY(orr_majority_findings(&majority, set->arena, findings, &count, err));
    const struct orr_changes **changes = ORR_NEW(set->arena, const struct orr_changes *, set->count);
    ORR_NEED(changes, err);
    enum orr_code code =
        majority.count ? work_of(call, "topology", set->called[majority.reference].topology, &reference, NULL, &own)
                       : ORR_OK;
    if (code == ORR_NOMEM)
        return orr_fail_nomem(err);
    code = ORR_OK; /* dumps without ranks still have hardware to compare */
    for (uint32_t i = 0; i < set->count && code == ORR_OK && reference && decided < MOST_DECISIONS; i++)
        if (i != majority.reference && majority.deviates[i][0] + majority.deviates[i][1]) {
            code = decide(call, set, i, reference, &changes[i], err);
            decided++;
        }
    ORR_TRY(code);
    return orr_answer_of_json(200, &json,
                              orr_majority_json(&json, &majority, findings, count, set->called, set->alike, changes),
                              ret_answer, err);
}

static enum orr_code compare_set(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    struct orr_fleet set = {.arena = orr_arena_new(0)};
    enum orr_code code = set.arena ? compare_members(call, &set, ret_answer, err) : orr_fail_nomem(err);
    orr_fleet_release(&set);
    orr_arena_free(set.arena);
    return code;
}

enum orr_code orr_handle_compare(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    call->params.query.apart = true;
    const struct orr_params *params = &call->params;
    bool of_set = params->topologies.count || params->label_count || params->search;
    if (params->a && !params->b != !params->machine && !of_set)
        return compare_two(call, ret_answer, err);
    if (params->a || params->b || params->machine || !of_set) {
        call->problem = ORR_PROBLEM_PARAMETER;
        return orr_fail_with(err, ORR_SETTING,
                             params->b && params->machine ? "machine"
                             : params->a                  ? "b"
                                                          : "a",
                             "a=ID&b=ID or a=ID&machine=TYPE compares two; topology=ID several times, or "
                             "label=NAME=VALUE, compares the members of a set with its majority",
                             of_set                         ? "a, b and machine are two topologies, not a set"
                             : params->b && params->machine ? "machine replaces b, but both are given"
                                                            : "a comparison needs both a and b");
    }
    return orr_fleet_cached(call, "majority", compare_set, ret_answer, err);
}
