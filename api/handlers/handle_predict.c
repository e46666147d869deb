/* SPDX-License-Identifier: Apache-2.0 */
/* What nccl-tests should print on a machine. */
#include "api/documents/documents.h"
#include "api/handlers/handlers.h"

enum orr_code orr_handle_predict(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    ORR_LOCAL(orr_work, work);
    struct orr_expect_sizes sizes;
    struct orr_expect_table table;
    struct orr_json json = {0};
    enum orr_test test;
    call->problem = ORR_PROBLEM_PARAMETER;
    ORR_TRY(orr_params_predict(&call->params, &test, &sizes, err));
    call->problem = ORR_PROBLEM_NONE;
    call->params.query.plan = true; /* no ring is asked about */
    ORR_TRY(orr_call_work(call, &work, err));
    ORR_TRY(orr_expect_table_make(work->analysis, test, &sizes, &table, err));
    return orr_answer_of_json(200, &json,
                              orr_predict_json(&json, &table, call->id, orr_given(&call->params, ORR_ASK_RELEASE)),
                              ret_answer, err);
}
