/* SPDX-License-Identifier: Apache-2.0 */
/* The what-if answer: changes between two releases or two sets of settings. */
#include "api/documents/documents.h"
#include "api/handlers/cluster_work.h"
#include "api/handlers/handlers.h"
#include "engine/cluster/cluster.h"

/* Rings and trees of more hosts than one document may have are left out of the comparison. */
static enum orr_code plan_if_large(struct orr_call *call, struct orr_error *err)
{
    ORR_LOCAL_STRUCT(orr_cluster_record, record);
    ORR_TRY(orr_store_cluster_get(call->app->store, call->id, &record, err));
    call->params.query.plan = record.hosts > ORR_MAX_HOSTS;
    return ORR_OK;
}

enum orr_code orr_handle_diff(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    const struct orr_params *params = &call->params;
    ORR_LOCAL(orr_work, a);
    ORR_LOCAL(orr_work, b);
    struct orr_json json = {0};
    struct orr_changes changes;
    struct orr_query other;
    if (call->route->flags & ORR_ROUTE_CLUSTER)
        ORR_TRY(plan_if_large(call, err));
    enum orr_code code = orr_against_read(&params->query, &params->against, &other, err);
    if (code != ORR_OK && !params->against.count)
        call->problem = ORR_PROBLEM_PARAMETER;
    ORR_TRY(code);
    ORR_LOCAL_ARENA(arena, 0);
    code = arena ? orr_call_work(call, &a, err) : orr_fail_nomem(err);
    /* Both sides use the same dumps; if releases read the bytes differently, those of the first side. */
    const struct orr_release *reading = params->query.settings.release;
    const bool by_release =
        code == ORR_OK && (a->cluster ? a->cluster->parts->by_release : a->dump->notes && a->dump->notes->release);
    if (code == ORR_OK)
        code = orr_call_work_of(call, &other, by_release ? reading : NULL, &b, err);
    if (code == ORR_OK)
        code = orr_changes_find(a->analysis, b->analysis, orr_changes_effort(a->analysis), arena, &changes, err);
    if (code == ORR_OK)
        code = orr_answer_of_json(200, &json, orr_diff_json(&json, &changes, call->id), ret_answer, err);
    return code;
}
