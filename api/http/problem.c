/* SPDX-License-Identifier: Apache-2.0 */
#include "api/http/problem.h"

#include <string.h>

#include "api/documents/json.h"

/* The reason phrases of RFC 9110, and of RFC 6585 for 429 and 431. */
static const struct phrase {
    unsigned status;
    const char *title;
} phrases[] = {
    {400, "Bad request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not found"},
    {405, "Method not allowed"},
    {406, "Not acceptable"},
    {408, "Request timeout"},
    {412, "Precondition failed"},
    {413, "Content too large"},
    {414, "URI too long"},
    {415, "Unsupported media type"},
    {421, "Misdirected request"},
    {422, "Unprocessable content"},
    {429, "Too many requests"},
    {431, "Request header fields too large"},
    {500, "Internal server error"},
    {503, "Service unavailable"},
};

/* The types of the engine's codes are their names (engine/base/error.h). */
static const struct row {
    const char *type;
    unsigned status; /* one of phrases */
} problems[ORR_PROBLEM_COUNT] = {
    [ORR_NOMEM] = {NULL, 503},
    [ORR_SYNTAX] = {NULL, 400},
    [ORR_REFUSED] = {NULL, 422},
    [ORR_UNRECOGNISED] = {NULL, 415},
    [ORR_INVALID] = {NULL, 422},
    [ORR_NO_RANKS] = {NULL, 422},
    [ORR_LIMIT] = {NULL, 422},
    [ORR_SETTING] = {NULL, 400},
    [ORR_NOT_FOUND] = {NULL, 404},
    [ORR_UNSUPPORTED] = {NULL, 422},
    [ORR_SPENT] = {NULL, 422},
    [ORR_UNPACKED] = {NULL, 413},
    [ORR_STOPPED] = {NULL, 503},
    [ORR_RENDER] = {NULL, 500},
    [ORR_STORE] = {NULL, 503},
    [ORR_IO] = {NULL, 500},
    [ORR_INTERNAL] = {NULL, 500},
    [ORR_PROBLEM_METHOD] = {"method-not-allowed", 405},
    [ORR_PROBLEM_PARAMETER] = {"invalid-parameter", 400},
    [ORR_PROBLEM_BODY_EMPTY] = {"empty-body", 400},
    [ORR_PROBLEM_BODY_SIZE] = {"body-too-large", 413},
    [ORR_PROBLEM_BODY_JSON] = {"invalid-json", 400},
    [ORR_PROBLEM_TARGET] = {"malformed-target", 400},
    [ORR_PROBLEM_TARGET_SIZE] = {"target-too-long", 414},
    [ORR_PROBLEM_NOT_ACCEPTABLE] = {"not-acceptable", 406},
    [ORR_PROBLEM_PRECONDITION] = {"precondition-failed", 412},
    [ORR_PROBLEM_UNAUTHORIZED] = {"unauthorized", 401},
    [ORR_PROBLEM_FORBIDDEN] = {"forbidden", 403},
    [ORR_PROBLEM_TOO_MANY] = {"too-many-requests", 429},
    [ORR_PROBLEM_OVERLOADED] = {"overloaded", 503},
    [ORR_PROBLEM_HEADER_SIZE] = {"headers-too-large", 431},
    [ORR_PROBLEM_HEADERS] = {"malformed-headers", 400},
    [ORR_PROBLEM_HOST] = {"misdirected", 421},
    [ORR_PROBLEM_CROSS_SITE] = {"cross-site", 403},
    [ORR_PROBLEM_TIMEOUT] = {"request-timeout", 408},
};
_Static_assert(ORR_CODE_COUNT == 18, "ORDER: a new code needs a row here");

struct orr_problem_info orr_problem_info(enum orr_problem problem, enum orr_code code)
{
    unsigned at = problem && code != ORR_NOMEM ? (unsigned)problem : (unsigned)code;
    at = at < ORR_PROBLEM_COUNT && problems[at].status ? at : ORR_INTERNAL;
    const struct phrase *phrase = phrases;
    while (phrase->status != problems[at].status)
        phrase++;
    return (struct orr_problem_info){
        .type = at < ORR_CODE_COUNT ? orr_code_name((enum orr_code)at) : problems[at].type,
        .status = phrase->status,
        .title = phrase->title,
    };
}

static struct orr_answer *last_resort(unsigned status)
{
    char *bytes = strdup("{\"type\":\"/problems/out-of-memory\",\"title\":\"Service unavailable\",\"status\":503}");
    return bytes ? orr_answer_new(status, "application/problem+json", bytes, strlen(bytes)) : NULL;
}

/* The exceeded limit, by how much if known, where, and the server's setting that raises it. */
static void add_overrun(struct orr_json *json, json_t *object, const struct orr_budget *budget)
{
    const struct orr_overrun over = orr_budget_overrun(budget);
    if (!over.setting)
        return;
    orr_json_set(json, object, "limit",
                 ORR_OBJECT(json, ORR_STRING("of", orr_spent_word(budget->spent)), ORR_NUMBER("allowed", over.allowed),
                            ORR_NUMBER("used", over.used), ORR_STRING("unit", over.unit),
                            ORR_STRING("stage", budget->stage ? budget->stage : "start"),
                            ORR_WHEN(budget->task, ORR_STRING("task", budget->task)),
                            ORR_STRING("setting", over.setting)));
}

struct orr_answer *orr_problem_answer(enum orr_problem problem, const struct orr_error *err,
                                      const struct orr_budget *over, const char *instance)
{
    const struct orr_problem_info info = orr_problem_info(problem, err->code);
    struct orr_json json = {0};
    json_t *object = ORR_OBJECT(&json, ORR_VALUE("type", orr_json_format(&json, "/problems/%s", info.type)),
                                ORR_STRING("title", info.title), ORR_INT("status", info.status),
                                ORR_STRING("detail", err->text), ORR_WHEN(instance, ORR_STRING("instance", instance)));
    if (err->line)
        ORR_SET(&json, object, ORR_INT("line", err->line), ORR_WHEN(err->column, ORR_INT("column", err->column)));
    ORR_SET(&json, object, ORR_WHEN(err->where[0], ORR_STRING("where", err->where)),
            ORR_WHEN(err->advice[0], ORR_STRING("advice", err->advice)));
    if (over)
        add_overrun(&json, object, over);
    struct orr_answer *answer = NULL;
    if (orr_answer_of_json(info.status, &json, object, &answer, NULL) != ORR_OK)
        return last_resort(503);
    answer->media_type = "application/problem+json";
    return answer;
}
