/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the GPUs for a job. */
#include <stdlib.h>

#include "api/documents/documents.h"
#include "api/handlers/handlers.h"

/* Scores of sets of one machine's GPUs with its dump, cached together: requests about one machine share them. */
struct scored {
    struct orr_shared shared;
    struct orr_dump *dump;
    struct orr_scores *scores;
};

static void free_scored(struct orr_shared *shared)
{
    struct scored *scored = (struct scored *)shared;
    orr_scores_free(scored->scores);
    orr_dump_free(scored->dump);
    free(scored);
}

static enum orr_code make_scored(struct orr_call *call, const struct orr_score_question *question,
                                 struct scored **ret_scored, struct orr_error *err)
{
    struct scored *scored = calloc(1, sizeof *scored);
    ORR_NEED(scored, err);
    enum orr_code code = orr_call_dump(call, NULL, &scored->dump, err);
    if (code == ORR_OK)
        code = orr_scores_new(scored->dump, question, &scored->scores, err);
    if (code != ORR_OK) {
        if (scored->dump)
            orr_dump_free(scored->dump);
        free(scored);
        return code;
    }
    size_t cost = sizeof *scored + orr_arena_bytes(scored->dump->arena) + orr_scores_bytes(scored->scores);
    orr_shared_init(&scored->shared, cost, free_scored);
    *ret_scored = scored;
    return ORR_OK;
}

static enum orr_code find_scored(struct orr_call *call, const struct orr_score_question *question,
                                 struct scored **ret_scored, struct orr_error *err)
{
    enum { LONGEST = 65536 };
    const struct orr_query query = {.settings = question->settings, .hosts = 1};
    ORR_LOCAL_TEXT(key, LONGEST);
    enum orr_code code = ORR_OK;
    orr_text_printf(&key, "%s|s|%s", call->id, orr_version());
    orr_query_key(&query, &key);
    orr_params_key(&call->params, ORR_TOPICS(ORR_TOPIC_READING, ORR_TOPIC_MACHINE, ORR_TOPIC_SCORED), &key);
    struct scored *scored = orr_text_failed(&key) ? NULL : (struct scored *)orr_cache_begin(call->app->cache, key.data);
    if (orr_text_failed(&key)) {
        code = orr_fail_nomem(err);
    } else if (!scored) {
        code = make_scored(call, question, &scored, err);
        orr_cache_end(call->app->cache, key.data, code == ORR_OK ? &scored->shared : NULL);
    }
    ORR_TRY(code);
    *ret_scored = scored;
    return ORR_OK;
}

static enum orr_code answer(struct orr_call *call, const struct scored *scored, struct orr_answer **ret_answer,
                            struct orr_error *err)
{
    struct orr_place_request request;
    struct orr_placing *placing;
    struct orr_json json = {0};
    if (call->params.strict)
        ORR_TRY(orr_dump_check_strict(scored->dump, err));
    call->problem = ORR_PROBLEM_PARAMETER;
    ORR_TRY(orr_params_place(&call->params, scored->scores, &request, err));
    ORR_LOCAL_ARENA(arena, 0);
    ORR_NEED(arena, err);
    enum orr_code code = orr_place(scored->scores, &request, arena, &placing, err);
    if (code == ORR_OK)
        code = orr_answer_of_json(200, &json,
                                  orr_place_json(&json, placing, call->id, orr_given(&call->params, ORR_ASK_RELEASE)),
                                  ret_answer, err);
    call->problem = code == ORR_SETTING ? call->problem : ORR_PROBLEM_NONE;
    return code;
}

enum orr_code orr_handle_place(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    struct orr_score_question question;
    struct scored *scored;
    int64_t seen;
    ORR_TRY(orr_as_problem(call, ORR_PROBLEM_PARAMETER, orr_params_scored(&call->params, &question, err)));
    if (call->route->flags & ORR_ROUTE_TOPOLOGY)
        ORR_TRY(orr_call_exists(call, true, &seen, err));
    ORR_TRY(find_scored(call, &question, &scored, err));
    enum orr_code code = answer(call, scored, ret_answer, err);
    orr_shared_give(&scored->shared);
    return code;
}
