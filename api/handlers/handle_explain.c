/* SPDX-License-Identifier: Apache-2.0 */
/* Explains one decision, and the settings that would change it. */
#include "api/documents/documents.h"
#include "api/handlers/handlers.h"

enum orr_code orr_handle_explain(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    ORR_LOCAL(orr_work, work);
    struct orr_why why;
    ORR_LOCAL(orr_explanation, explanation);
    struct orr_json json = {0};
    ORR_TRY(orr_as_problem(call, ORR_PROBLEM_PARAMETER, orr_params_why(&call->params, &why, err)));
    call->params.query.plan = call->route->flags & ORR_ROUTE_CLUSTER; /* no ring is asked about */
    ORR_TRY(orr_call_work(call, &work, err));
    enum orr_code code = orr_explain(work->analysis, &why, orr_explain_effort(work->analysis), &explanation, err);
    if (code == ORR_SETTING)
        call->problem = ORR_PROBLEM_PARAMETER;
    if (code == ORR_OK)
        code = orr_answer_of_json(200, &json, orr_explanation_json(&json, explanation, call->id), ret_answer, err);
    return code;
}
