/* SPDX-License-Identifier: Apache-2.0 */
/* GET /v1/clusters/{id}/order: the order of hosts and ranks for which the prediction is best. */
#include <string.h>

#include "api/documents/documents.h"
#include "api/handlers/cluster_work.h"
#include "api/handlers/handlers.h"
#include "engine/report/answers_text.h"

static enum orr_code answer(struct orr_call *call, const struct orr_order_question *question,
                            const struct orr_cluster_names *names, struct orr_answer **ret_answer,
                            struct orr_error *err)
{
    ORR_LOCAL(orr_order, order);
    struct orr_json json = {0};
    struct orr_text text;
    ORR_TRY(orr_order_find(question, &order, err));
    enum orr_code code;
    if (call->params.order_format == ORR_ORDER_JSON) {
        json_t *object = orr_order_json(&json, question, order, names->hosts, names->made_up);
        code = orr_answer_of_json(200, &json, object, ret_answer, err);
    } else {
        orr_text_init(&text, ORR_MAX_ANSWER);
        struct orr_page page = {.text = &text, .width = ORR_PAGE_MOST, .line = ORR_PAGE_WHOLE, .unicode = true};
        code = call->params.order_format == ORR_ORDER_TEXT
                   ? orr_report_order(&page, order, names->hosts, names->leaves, err)
                   : orr_order_write(order, call->params.order_format, names->hosts, names->leaves, &text, err);
        if (code == ORR_OK)
            code = orr_answer_of_text(200, "text/plain; charset=utf-8", &text, ret_answer, err);
        orr_text_release(&text);
    }
    return code;
}

enum orr_code orr_handle_order(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    ORR_LOCAL(orr_work, work);
    ORR_LOCAL_STRUCT(orr_cluster_topologies, topologies);
    struct orr_order_question question;
    struct orr_cluster_names names;
    ORR_TRY(orr_as_problem(call, ORR_PROBLEM_PARAMETER, orr_params_order(&call->params, &question, err)));
    call->params.query.plan = true;
    ORR_TRY(orr_call_work(call, &work, err));
    question.present = work->cluster->cluster;
    const struct orr_cluster_file *file = &work->cluster->parts->file;
    ORR_TRY(orr_cluster_topologies_read(call, file, &topologies, err));
    enum orr_code code = orr_cluster_file_names(file, orr_label_of_topology, &topologies, call->arena, &names, err);
    if (code == ORR_OK) {
        question.leaves = names.leaves;
        code = answer(call, &question, &names, ret_answer, err);
    }
    if (code == ORR_SETTING)
        call->problem = ORR_PROBLEM_PARAMETER;
    return code;
}
