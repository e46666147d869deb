/* SPDX-License-Identifier: Apache-2.0 */
/* The table of reasons to refuse a request before it is handled. */

#include "api/http/call.h"

static const struct {
    enum orr_problem problem;
    const char *before, *unit; /* "BEFORE LIMITunit" is the sentence; unit NULL means BEFORE alone */
    const char *advice;
    const char *challenge; /* WWW-Authenticate */
} rows[ORR_DENIAL_COUNT] = {
    [ORR_DENIED_BODY] = {ORR_PROBLEM_BODY_SIZE, "the body is larger than", " bytes",
                         "the dump of one host has about ten kilobytes; --max-body raises the limit", NULL},
    [ORR_DENIED_HEADER] = {ORR_PROBLEM_HEADER_SIZE, "the request line with its headers is longer than", " bytes",
                           "--max-header raises the limit", NULL},
    [ORR_DENIED_MALFORMED] = {ORR_PROBLEM_HEADERS, "the headers are malformed", NULL,
                              "send each Host, Content-Length and Transfer-Encoding once, no blank before a colon, and "
                              "no control characters",
                              NULL},
    [ORR_DENIED_CODING] = {ORR_PROBLEM_HEADERS, "the service does not know the transfer coding of the body", NULL,
                           "send `Transfer-Encoding: chunked` or a Content-Length", NULL},
    [ORR_DENIED_HOST] = {ORR_PROBLEM_HOST, "the header Host names another server", NULL,
                         "ask for localhost or the address of the service; --allowed-hosts adds names", NULL},
    [ORR_DENIED_CROSS_SITE] = {ORR_PROBLEM_CROSS_SITE, "a page of another site sent this request", NULL,
                               "open the page of this service; --cors-origins lets pages of other origins use the API",
                               NULL},
    [ORR_DENIED_NO_TOKEN] = {ORR_PROBLEM_UNAUTHORIZED, "this request needs a token", NULL,
                             "send the header `Authorization: Bearer TOKEN`; the operator of the service issues tokens",
                             "Bearer realm=\"orrery\""},
    [ORR_DENIED_TOKEN] = {ORR_PROBLEM_UNAUTHORIZED, "the service does not know this token", NULL,
                          "it may have been withdrawn; the operator of the service issues tokens",
                          "Bearer realm=\"orrery\", error=\"invalid_token\""},
    [ORR_DENIED_READ] = {ORR_PROBLEM_FORBIDDEN, "the token does not have the scope read", NULL,
                         "ask the operator of the service for a token with the scope read",
                         "Bearer realm=\"orrery\", error=\"insufficient_scope\", scope=\"read\""},
    [ORR_DENIED_WRITE] = {ORR_PROBLEM_FORBIDDEN, "the token does not have the scope write", NULL,
                          "ask the operator of the service for a token with the scope write",
                          "Bearer realm=\"orrery\", error=\"insufficient_scope\", scope=\"write\""},
    [ORR_DENIED_RATE] = {ORR_PROBLEM_TOO_MANY, "one client may send", " requests per second",
                         "wait for the time that Retry-After says", NULL},
    [ORR_DENIED_CLIENT] = {ORR_PROBLEM_TOO_MANY, "one client may have", " requests in progress",
                           "wait for an answer before sending more", NULL},
    [ORR_DENIED_CONNECTIONS] = {ORR_PROBLEM_OVERLOADED, "there are more than", " connections",
                                "try again later; --connections raises the limit", NULL},
    [ORR_DENIED_QUEUE] = {ORR_PROBLEM_OVERLOADED, "more than", " requests wait to be computed",
                          "try again later; --queue raises the limit", NULL},
    [ORR_DENIED_BODY_MEMORY] = {ORR_PROBLEM_OVERLOADED, "the bodies of all requests in progress would take more than",
                                " bytes", "try again later; --body-memory raises the limit", NULL},
    [ORR_DENIED_STREAM_MEMORY] = {ORR_PROBLEM_OVERLOADED, "the streams in progress would take more than", " bytes",
                                  "try again later; --stream-memory raises the limit", NULL},
    [ORR_DENIED_STOPPING] = {ORR_PROBLEM_OVERLOADED, "the server is shutting down", NULL,
                             "try again: another server may have taken over", NULL},
    [ORR_DENIED_HEADER_TIME] = {ORR_PROBLEM_TIMEOUT, "the headers took longer than", " ms", NULL, NULL},
    [ORR_DENIED_BODY_TIME] = {ORR_PROBLEM_TIMEOUT, "the body took longer than", " ms", NULL, NULL},
};

enum orr_code orr_call_deny(struct orr_call *call, enum orr_denial refusal, unsigned long long limit,
                            struct orr_error *err)
{
    call->problem = rows[refusal].problem;
    orr_metric_add(call->app->metrics, ORR_METRIC_REJECTED, refusal - 1, 1);
    if (rows[refusal].unit)
        orr_fail(err, ORR_LIMIT, "%s %llu%s", rows[refusal].before, limit, rows[refusal].unit);
    else
        orr_fail(err, ORR_LIMIT, "%s", rows[refusal].before);
    if (rows[refusal].advice)
        orr_error_advice(err, "%s", rows[refusal].advice);
    return ORR_LIMIT;
}

void orr_api_refuse(struct orr_app *app, const struct orr_request *request, enum orr_denial refusal,
                    unsigned long long limit, unsigned retry_after, struct orr_response *response)
{
    struct orr_error err = {0};
    struct orr_call call = {.app = app, .request = request, .response = response};
    orr_response_init(response);
    response->route = orr_route_template(request->route);
    orr_call_deny(&call, refusal, limit, &err);
    if (rows[refusal].challenge)
        orr_response_header(response, "WWW-Authenticate", "%s", rows[refusal].challenge);
    if (retry_after)
        orr_response_header(response, "Retry-After", "%u", retry_after);
    orr_call_problem(&call, &err);
}
