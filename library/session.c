/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions and documents: the service's answers, without sockets. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handlers/app.h"
#include "library/library.h"

struct orr_session {
    struct orr_app *app;
};

struct orr_document {
    struct orr_answer *answer;
};

bool orr_session_new(const struct orr_session_options *options, struct orr_session **ret_session,
                     struct orr_report *report)
{
    struct orr_error err = {0};
    struct orr_session_options used = {.size = sizeof used};
    if (options && !orr_library_take(&used, sizeof used, options, report))
        return false;
    const struct orr_app_options app = {.database = ":memory:",
                                        .program = used.program ? used.program : "orrery",
                                        .cache_bytes = used.cache,
                                        .max_body = used.largest};
    struct orr_session *session = calloc(1, sizeof *session);
    enum orr_code code = session ? orr_app_new(&app, &session->app, &err) : orr_fail_nomem(&err);
    if (code != ORR_OK) {
        free(session);
        return orr_library_fail(report, &err);
    }
    *ret_session = session;
    return true;
}

void orr_session_free(struct orr_session *session)
{
    if (session)
        orr_app_free(session->app);
    free(session);
}

enum { LONGEST_METHOD = 8 };
/* The method and the target of a question: a word means the route /v1/WORD, with POST if that exists. False if memory
 * ran out. */
static bool find_route(const struct orr_app *app, const char *question, const char *parameters, struct orr_text *target,
                       char method[LONGEST_METHOD], const struct orr_route **ret_route)
{
    const char *blank = strchr(question, ' ');
    orr_text_printf(target, "%s%s%s%s", blank ? "" : "/v1/", blank ? blank + 1 : question,
                    parameters && *parameters ? "?" : "", parameters ? parameters : "");
    if (orr_text_failed(target))
        return false;
    snprintf(method, LONGEST_METHOD, "%.*s", blank ? (int)(blank - question) : LONGEST_METHOD,
             blank ? question : "POST");
    *ret_route = orr_route_find(app, method, target->data);
    if (!*ret_route && !blank) {
        snprintf(method, LONGEST_METHOD, "GET");
        *ret_route = orr_route_find(app, method, target->data);
    }
    return true;
}

/* Reads the rest of a stream into the answer's body. */
static enum orr_code drain(struct orr_answer *answer, struct orr_error *err)
{
    enum { PIECE = 1 << 16 };
    ORR_LOCAL_TEXT(text, ORR_MAX_ANSWER);
    char *piece = malloc(PIECE);
    ptrdiff_t got = piece ? 1 : -1;
    while (got > 0 && !orr_text_failed(&text))
        if ((got = answer->stream->read(answer->stream, piece, PIECE)) > 0)
            orr_text_add(&text, piece, (size_t)got);
    free(piece);
    bool failed = got < 0 || orr_text_failed(&text);
    if (!failed)
        answer->body = orr_text_take(&text, &answer->length);
    answer->stream->free(answer->stream);
    answer->stream = NULL;
    return failed || !answer->body ? orr_fail_nomem(err) : ORR_OK;
}

/* The same within what the call has left of its limits. */
static enum orr_code drain_within(struct orr_answer *answer, struct orr_budget *budget, struct orr_error *err)
{
    if (!budget)
        return drain(answer, err);
    const uint64_t used = budget->used_ns;
    orr_budget_begin(budget);
    budget->started_ns -= used;
    enum orr_code code = drain(answer, err);
    orr_budget_end();
    return orr_budget_verdict(budget, code, err);
}

/* The answer of the service; NULL with a report. */
static struct orr_answer *answer_to(struct orr_session *session, const char *question, const char *parameters,
                                    const void *input, size_t length, const struct orr_limits *limits,
                                    struct orr_report *report)
{
    enum { LONGEST = 1 << 20 };
    ORR_LOCAL_TEXT(target, LONGEST);
    struct orr_failure failure = {0};
    struct orr_response response = {0};
    char method[LONGEST_METHOD];
    struct orr_request request = {.method = method, .body = input, .body_length = length, .failure = &failure};
    if (!find_route(session->app, question, parameters, &target, method, &request.route)) {
        orr_fail_nomem(&failure.error);
        orr_library_fail(report, &failure.error);
        return NULL;
    }
    request.target = target.data;
    request.budget = orr_limits_budget(limits);
    orr_api_handle(session->app, &request, &response);
    if (!failure.type && response.answer->stream) {
        enum orr_code code = drain_within(response.answer, request.budget, &failure.error);
        failure.type = code == ORR_OK ? NULL : orr_code_name(code);
    }
    if (!failure.type)
        return response.answer;
    orr_response_release(&response);
    orr_library_fail_as(report, failure.type, &failure.error);
    return NULL;
}

bool orr_session_keep(struct orr_session *session, const void *bytes, size_t length, const char *name,
                      const struct orr_limits *limits, char ret_id[ORR_INPUT_ID_LENGTH], struct orr_report *report)
{
    enum { LONGEST = 4096 };
    ORR_LOCAL_TEXT(parameters, LONGEST);
    if (name) {
        orr_text_printf(&parameters, "name=");
        for (const unsigned char *at = (const unsigned char *)name; *at; at++)
            orr_text_printf(&parameters, "%%%02X", *at);
    }
    struct orr_error err = {0};
    struct orr_answer *answer = NULL;
    if (orr_text_failed(&parameters)) {
        orr_fail(&err, ORR_LIMIT, "the name of the input is too long");
        orr_error_where(&err, "name");
        orr_library_fail(report, &err);
    } else {
        answer = answer_to(session, "topologies", name ? parameters.data : NULL, bytes, length, limits, report);
    }
    if (!answer)
        return false;
    orr_json_member(answer->body, answer->length, "id", ret_id, ORR_INPUT_ID_LENGTH);
    orr_shared_give(&answer->shared);
    return true;
}

bool orr_ask(struct orr_session *session, const char *question, const char *parameters, const void *input,
             size_t length, const struct orr_limits *limits, struct orr_document **ret_document,
             struct orr_report *report)
{
    struct orr_answer *answer = answer_to(session, question, parameters, input, length, limits, report);
    return answer && orr_document_of(answer, ret_document, report);
}

bool orr_document_of(struct orr_answer *answer, struct orr_document **ret_document, struct orr_report *report)
{
    struct orr_error err = {0};
    struct orr_document *document = calloc(1, sizeof *document);
    if (!document) {
        orr_fail_nomem(&err);
        orr_shared_give(&answer->shared);
        return orr_library_fail(report, &err);
    }
    document->answer = answer;
    *ret_document = document;
    return true;
}

const char *orr_document_bytes(const struct orr_document *document, size_t *ret_length)
{
    if (ret_length)
        *ret_length = document->answer->length;
    return document->answer->body ? document->answer->body : "";
}

const char *orr_document_type(const struct orr_document *document)
{
    return document->answer->media_type ? document->answer->media_type : "";
}

void orr_document_free(struct orr_document *document)
{
    if (document)
        orr_shared_give(&document->answer->shared);
    free(document);
}
