/* SPDX-License-Identifier: Apache-2.0 */
#include "api/http/problem.h"

#include <stdlib.h>
#include <string.h>

#include "api/documents/json.h"

/* The types of the engine's codes are their names (engine/base/error.h). */
static const struct orr_problem_info problems[ORR_PROBLEM_COUNT] = {
    [ORR_NOMEM] = {NULL, 503, "The server is short of memory"},
    [ORR_SYNTAX] = {NULL, 400, "The input is not well-formed XML"},
    [ORR_REFUSED] = {NULL, 422, "NCCL's own reader would refuse the file"},
    [ORR_UNRECOGNISED] = {NULL, 415, "No machine can be made of the input"},
    [ORR_INVALID] = {NULL, 422, "The topology contradicts itself or lacks something"},
    [ORR_NO_RANKS] = {NULL, 422, "No GPU takes part"},
    [ORR_LIMIT] = {NULL, 422, "The input is larger than a stated limit"},
    [ORR_SETTING] = {NULL, 400, "A release, host count or setting cannot be used"},
    [ORR_NOT_FOUND] = {NULL, 404, "There is no such thing"},
    [ORR_UNSUPPORTED] = {NULL, 422, "Orrery does not compute this"},
    [ORR_SPENT] = {NULL, 422, "The answer needs more time or memory than a request may use"},
    [ORR_UNPACKED] = {NULL, 413, "The archive holds more than the server unpacks"},
    [ORR_STOPPED] = {NULL, 503, "The work was ended before it was done"},
    [ORR_RENDER] = {NULL, 500, "The drawing could not be made"},
    [ORR_STORE] = {NULL, 503, "The database cannot be used"},
    [ORR_IO] = {NULL, 500, "A file could not be read or written"},
    [ORR_INTERNAL] = {NULL, 500, "A defect in Orrery"},
    [ORR_PROBLEM_METHOD] = {"method-not-allowed", 405, "The resource does not know this method"},
    [ORR_PROBLEM_PARAMETER] = {"invalid-parameter", 400, "A query parameter cannot be used"},
    [ORR_PROBLEM_BODY_EMPTY] = {"empty-body", 400, "The request has no body"},
    [ORR_PROBLEM_BODY_SIZE] = {"body-too-large", 413, "The body is larger than allowed"},
    [ORR_PROBLEM_BODY_JSON] = {"invalid-json", 400, "The body is not the JSON that is expected here"},
    [ORR_PROBLEM_TARGET] = {"malformed-target", 400, "The path or the query is malformed"},
    [ORR_PROBLEM_TARGET_SIZE] = {"target-too-long", 414, "The path with its query is too long"},
    [ORR_PROBLEM_NOT_ACCEPTABLE] = {"not-acceptable", 406, "No representation that the client accepts"},
    [ORR_PROBLEM_PRECONDITION] = {"precondition-failed", 412, "A precondition of the request does not hold"},
    [ORR_PROBLEM_UNAUTHORIZED] = {"unauthorized", 401, "A token is needed"},
    [ORR_PROBLEM_FORBIDDEN] = {"forbidden", 403, "The token does not allow this"},
    [ORR_PROBLEM_TOO_MANY] = {"too-many-requests", 429, "The client asks more than it may"},
    [ORR_PROBLEM_OVERLOADED] = {"overloaded", 503, "The server has more to do than it takes"},
    [ORR_PROBLEM_HEADER_SIZE] = {"headers-too-large", 431, "The request line with its headers is too long"},
    [ORR_PROBLEM_HEADERS] = {"malformed-headers", 400, "The headers of the request are malformed"},
    [ORR_PROBLEM_TIMEOUT] = {"request-timeout", 408, "The request came too slowly"},
};
_Static_assert(ORR_CODE_COUNT == 18, "ORDER: a new code needs a row here");

struct orr_problem_info orr_problem_info(enum orr_problem problem, enum orr_code code)
{
    unsigned at = problem && code != ORR_NOMEM ? (unsigned)problem : (unsigned)code;
    at = at < ORR_PROBLEM_COUNT && problems[at].title ? at : ORR_INTERNAL;
    struct orr_problem_info info = problems[at];
    if (at < ORR_CODE_COUNT)
        info.type = orr_code_name((enum orr_code)at);
    return info;
}

static struct orr_answer *last_resort(unsigned status)
{
    char *bytes =
        strdup("{\"type\":\"/problems/out-of-memory\",\"title\":\"The server is short of memory\",\"status\":503}");
    return bytes ? orr_answer_new(status, "application/problem+json", bytes, strlen(bytes)) : NULL;
}

/* Which limit was exceeded, by how much as far as is known, where, and which setting of the server raises it. */
static void add_overrun(struct orr_json *json, json_t *object, const struct orr_budget *budget)
{
    const struct orr_overrun over = orr_budget_overrun(budget);
    if (!over.setting)
        return;
    orr_json_set(json, object, "limit",
                 ORR_OBJECT(json, TEXT("of", orr_spent_word(budget->spent)), NUMBER("allowed", over.allowed),
                            NUMBER("used", over.used), TEXT("unit", over.unit),
                            TEXT("stage", budget->stage ? budget->stage : "start"),
                            WHEN(budget->task, TEXT("task", budget->task)), TEXT("setting", over.setting)));
}

struct orr_answer *orr_problem_answer(enum orr_problem problem, const struct orr_error *err,
                                      const struct orr_budget *over, const char *instance)
{
    const struct orr_problem_info info = orr_problem_info(problem, err->code);
    struct orr_json json = {0};
    json_t *object =
        ORR_OBJECT(&json, VALUE("type", orr_json_format(&json, "/problems/%s", info.type)), TEXT("title", info.title),
                   INT("status", info.status), TEXT("detail", err->text), WHEN(instance, TEXT("instance", instance)));
    if (err->line)
        ORR_SET(&json, object, INT("line", err->line), WHEN(err->column, INT("column", err->column)));
    ORR_SET(&json, object, WHEN(err->where[0], TEXT("where", err->where)),
            WHEN(err->advice[0], TEXT("advice", err->advice)));
    if (over)
        add_overrun(&json, object, over);
    struct orr_answer *answer = NULL;
    if (orr_answer_of_json(info.status, &json, object, &answer, NULL) != ORR_OK)
        return last_resort(503);
    answer->media_type = "application/problem+json";
    return answer;
}
