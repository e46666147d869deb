/* SPDX-License-Identifier: Apache-2.0 */
/* Routes that compute something from a dump: the analysis, its sections, paths, findings and drawings. */
#include <string.h>

#include "api/documents/documents.h"
#include "api/documents/sections.h"
#include "api/handlers/handlers.h"
#include "engine/base/clock.h"

static enum orr_code answer_section(struct orr_call *call, const char *section, struct orr_answer **ret_answer,
                                    struct orr_error *err)
{
    ORR_LOCAL(orr_work, work);
    ORR_LOCAL_TEXT(text, ORR_MAX_ANSWER);
    /* For a large cluster, questions whose answers would list every rank many times are refused. */
    call->params.query.plan = (call->route->flags & ORR_ROUTE_CLUSTER) && section && strcmp(section, "channels") != 0;
    ORR_TRY(orr_call_work(call, &work, err));
    uint64_t since = orr_clock_ns();
    enum orr_code code = orr_analysis_json(work->analysis, call->id, section, false, &text, err);
    orr_metric_observe(call->app->metrics, ORR_METRIC_STAGE_DURATION, ORR_TIMED_WRITE, orr_clock_ns() - since);
    if (code == ORR_OK)
        code = orr_answer_of_text(200, "application/json", &text, ret_answer, err);
    return code;
}

enum orr_code orr_handle_analysis(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    return answer_section(call, call->params.section, ret_answer, err);
}

enum orr_code orr_handle_section(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    return answer_section(call, call->captures[1], ret_answer, err);
}

enum orr_code orr_handle_path(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    ORR_LOCAL(orr_work, work);
    struct orr_json json = {0};
    json_t *path = NULL;
    if (!call->params.from || !call->params.to) {
        call->problem = ORR_PROBLEM_PARAMETER;
        return orr_fail_with(err, ORR_SETTING, call->params.from ? "to" : "from",
                             "name devices as the analysis does, such as from=GPU/0-1b000&to=NET/0-0, or rank:0",
                             "a path needs both from and to");
    }
    ORR_TRY(orr_call_work(call, &work, err));
    ORR_TRY(orr_path_json(&json, work->analysis, call->params.from, call->params.to, &path, err));
    return orr_answer_of_json(200, &json, path, ret_answer, err);
}

enum orr_code orr_handle_findings(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    ORR_LOCAL(orr_dump, dump);
    struct orr_json json = {0};
    ORR_TRY(orr_call_dump(call, NULL, &dump, err));
    json_t *object = ORR_OBJECT(&json, ORR_VALUE("counts", orr_finding_counts_json(&json, dump, NULL)),
                                ORR_VALUE("findings", orr_findings_json(&json, dump, NULL)),
                                ORR_VALUE("not_decidable", orr_undecided_json(&json)));
    return orr_answer_of_json(200, &json, object, ret_answer, err);
}

static enum orr_code draw(struct orr_call *call, enum orr_format format, struct orr_answer **ret_answer,
                          struct orr_error *err)
{
    enum { MOST_DOT = 64 << 20 };
    struct orr_diagram_request request;
    ORR_TRY(orr_as_problem(call, ORR_PROBLEM_PARAMETER, orr_params_drawing(&call->params, &request, err)));
    ORR_LOCAL(orr_work, work);
    ORR_LOCAL_TEXT(dot, MOST_DOT);
    ORR_TRY(orr_call_work(call, &work, err));
    enum orr_code code = orr_diagram_dot(work->analysis, &request, &dot, err);
    char *bytes = NULL;
    size_t length = 0;
    if (code == ORR_OK && format == ORR_FORMAT_DOT) {
        bytes = orr_text_take(&dot, &length);
        code = bytes ? ORR_OK : orr_fail_nomem(err);
    } else if (code == ORR_OK && orr_text_failed(&dot)) {
        code = orr_fail_nomem(err);
    } else if (code == ORR_OK) {
        uint64_t since = orr_clock_ns();
        code = orr_renderer_draw(call->app->renderer, orr_text_data(&dot), dot.length, format, &bytes, &length, err);
        orr_metric_observe(call->app->metrics, ORR_METRIC_STAGE_DURATION, ORR_TIMED_LAYOUT, orr_clock_ns() - since);
    }
    ORR_TRY(code);
    struct orr_answer *answer = orr_answer_new(200, orr_format_media_type(format), bytes, length);
    ORR_NEED(answer, err);
    answer->policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox";
    *ret_answer = answer;
    return ORR_OK;
}

static void advise(struct orr_error *err, const char *lead, orr_words *words)
{
    struct orr_text known;
    orr_text_init(&known, sizeof err->advice);
    orr_words_write(words, "and", &known);
    orr_error_advice(err, "%s%s", lead, orr_text_data(&known));
    orr_text_release(&known);
}

enum orr_code orr_handle_diagram(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    unsigned format;
    if (orr_word_find(orr_format_name, call->captures[1], &format))
        return draw(call, (enum orr_format)format, ret_answer, err);
    orr_fail(err, ORR_NOT_FOUND, "there is no diagram.%.20s", call->captures[1]);
    advise(err, "diagrams are ", orr_format_name);
    return ORR_NOT_FOUND;
}

/* The same if the format is a parameter, or the one that the client accepts. */
enum orr_code orr_handle_render(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    const char *types[ORR_FORMAT_COUNT];
    for (int i = 0; i < ORR_FORMAT_COUNT; i++)
        types[i] = orr_format_media_type((size_t)i);
    size_t format = orr_given(&call->params, ORR_ASK_FORMAT)
                        ? call->params.format
                        : orr_negotiate(orr_call_header(call, "Accept"), types, ORR_FORMAT_COUNT);
    if (format == ORR_FORMAT_COUNT) {
        call->problem = ORR_PROBLEM_NOT_ACCEPTABLE;
        orr_fail(err, ORR_INVALID, "none of the types in Accept is available");
        advise(err, "there are ", orr_format_media_type);
        return ORR_INVALID;
    }
    return draw(call, (enum orr_format)format, ret_answer, err);
}
