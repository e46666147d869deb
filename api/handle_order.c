/* GET /v1/clusters/{id}/order: the order of hosts and ranks for which the prediction is best. */
#include <stdlib.h>
#include <string.h>

#include "api/call.h"
#include "api/cluster_work.h"
#include "api/documents.h"

/* A label of a stored topology: `host` its name, `switch` its leaf switch. */
static const char *label_of(void *context, const char *topology, bool leaf)
{
    struct orr_call *call = context;
    struct orr_record record;
    struct orr_error ignored = {0};
    char value[ORR_MAX_LABEL_VALUE + 1];
    if (orr_store_get(call->app->store, topology, &record, &ignored) != ORR_OK)
        return NULL;
    orr_json_member(record.labels, strlen(record.labels), leaf ? "switch" : "host", value, sizeof value);
    orr_record_release(&record);
    return value[0] ? orr_arena_strndup(call->arena, value, strlen(value)) : NULL;
}

static enum orr_code answer(struct orr_call *call, const struct orr_order_question *question,
                            const struct orr_cluster_names *names, struct orr_answer **ret_answer,
                            struct orr_error *err)
{
    struct orr_order *order;
    struct orr_json json = {0};
    struct orr_text text;
    ORR_TRY(orr_order_find(question, &order, err));
    enum orr_code code;
    if (call->params.order_format == ORR_ORDER_JSON) {
        json_t *object = orr_order_json(&json, question, order, names->hosts, names->made_up);
        code = orr_answer_of_json(200, &json, object, ret_answer, err);
    } else {
        orr_text_init(&text, ORR_MAX_ANSWER);
        code = orr_order_write(order, call->params.order_format, names->hosts, names->leaves, &text, err);
        if (code == ORR_OK)
            code = orr_answer_of_text(200, "text/plain; charset=utf-8", &text, ret_answer, err);
        orr_text_release(&text);
    }
    orr_order_free(order);
    return code;
}

enum orr_code orr_handle_order(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    struct orr_work *work;
    struct orr_order_question question;
    struct orr_cluster_names names;
    call->problem = ORR_PROBLEM_PARAMETER;
    ORR_TRY(orr_params_order(&call->params, &question, err));
    call->problem = ORR_PROBLEM_NONE;
    call->params.query.plan = true;
    ORR_TRY(orr_call_work(call, &work, err));
    question.present = work->cluster->cluster;
    enum orr_code code = orr_cluster_file_names(&work->cluster->parts->file, label_of, call, call->arena, &names, err);
    if (code == ORR_OK) {
        question.leaves = names.leaves;
        code = answer(call, &question, &names, ret_answer, err);
    }
    orr_shared_give(&work->shared);
    if (code == ORR_SETTING)
        call->problem = ORR_PROBLEM_PARAMETER;
    return code;
}
