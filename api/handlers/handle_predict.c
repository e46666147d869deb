/* SPDX-License-Identifier: Apache-2.0 */
/* Predicts the output of nccl-tests on a machine, and finds the settings that would change it. */
#include "api/documents/documents.h"
#include "api/documents/scaling.h"
#include "api/handlers/handlers.h"
#include "engine/trials/joining.h"
#include "engine/trials/limit.h"
#include "engine/trials/settings_tried.h"

enum orr_code orr_handle_predict(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    ORR_LOCAL(orr_work, work);
    struct orr_expect_sizes sizes;
    struct orr_expect_table table;
    struct orr_json json = {0};
    enum orr_test test;
    ORR_TRY(orr_as_problem(call, ORR_PROBLEM_PARAMETER, orr_params_predict(&call->params, &test, &sizes, err)));
    call->params.query.plan = true; /* no ring is asked about */
    ORR_TRY(orr_call_work(call, &work, err));
    ORR_TRY(orr_expect_table_make(work->analysis, test, &sizes, &table, err));
    ORR_TRY(orr_find_limit(NULL, work->analysis, test, NULL, &table.limit, err));
    ORR_TRY(orr_find_joined(&table, err));
    return orr_answer_of_json(200, &json,
                              orr_predict_json(&json, &table, call->id, orr_given(&call->params, ORR_ASK_RELEASE)),
                              ret_answer, err);
}

enum orr_code orr_handle_scaling(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    const struct orr_params *params = &call->params;
    ORR_LOCAL(orr_work, work);
    struct orr_scaling scaling;
    struct orr_json json = {0};
    call->params.query.plan = true;
    ORR_TRY(orr_call_work(call, &work, err));
    ORR_TRY(orr_scaling_find(work->analysis, params, &scaling, err));
    return orr_answer_of_json(200, &json, orr_scaling_json(&json, &scaling, work->analysis, call->id), ret_answer, err);
}

enum orr_code orr_handle_settings_for(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    ORR_LOCAL(orr_work, work);
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_settings_tried *tried = arena ? ORR_NEW(arena, struct orr_settings_tried, 1) : NULL;
    struct orr_outcomes now;
    struct orr_json json = {0};
    ORR_NEED(tried, err);
    call->params.query.plan = true;
    ORR_TRY(orr_call_work(call, &work, err));
    orr_outcomes_choose(work->analysis, NULL, 0, &now);
    ORR_TRY(orr_settings_try(work->analysis, &now, tried, err));
    return orr_answer_of_json(200, &json, orr_settings_tried_json(&json, tried, work->analysis, call->id), ret_answer,
                              err);
}
