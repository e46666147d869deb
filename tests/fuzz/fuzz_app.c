/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fuzz/fuzz_app.h"

#include <ctype.h>
#include <jansson.h>
#include <strings.h>

#include "api/handlers/app.h"
#include "engine/base/text.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/machine_xml.h"

static const char *find_header(const void *context, const char *name)
{
    const struct fuzz_message *message = context;
    for (unsigned i = 0; i < message->header_count; i++)
        if (!strcasecmp(message->headers[i].name, name))
            return message->headers[i].value;
    return NULL;
}

static const char *sent(const struct orr_response *response, const char *name,
                        struct orr_header headers[ORR_MAX_HEADERS])
{
    unsigned count = orr_response_headers(response, headers);
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(headers[i].name, name))
            return headers[i].value;
    return "";
}

/* Nothing that came in may end a header and begin another. */
static void check_headers(const struct orr_response *response)
{
    struct orr_header headers[ORR_MAX_HEADERS];
    unsigned count = orr_response_headers(response, headers);
    for (unsigned i = 0; i < count; i++)
        for (const char *c = headers[i].value; *c; c++)
            FUZZ_REQUIRE(*c != '\r' && *c != '\n', "%s: %s", headers[i].name, headers[i].value);
}

static void check_answer(const struct orr_response *response, const char *target)
{
    unsigned status = response->status;
    struct orr_header headers[ORR_MAX_HEADERS], others[ORR_MAX_HEADERS];
    const char *type = sent(response, "Content-Type", headers);
    FUZZ_REQUIRE(status >= 200 && status < 600, "%s: status %u", target, status);
    FUZZ_REQUIRE(status != 500 || strstr(response->body ? response->body : "", "render-failed"), "%s: %.*s", target,
                 (int)response->length, response->body ? response->body : "");
    FUZZ_REQUIRE(status < 400 || status == 412 || !strcmp(type, "application/problem+json"), "%s: %u as \"%s\"", target,
                 status, type);
    check_headers(response);
    if (response->length && strstr(type, "json") && !*sent(response, "Content-Encoding", others)) {
        json_error_t where;
        json_t *value = json_loadb(response->body, response->length, JSON_DECODE_ANY, &where);
        FUZZ_REQUIRE(value, "%s: no JSON: %s at %d", target, where.text, where.position);
        json_decref(value);
    }
}

void fuzz_app_open(struct fuzz_app *fuzz)
{
    enum { BODY = 1 << 20, CACHE = 1 << 20 };
    struct orr_error err = {0};
    struct orr_response response = {0};
    /* Drawings end at DOT: Graphviz is not ours to fuzz, and a process each would cost too much. */
    const struct orr_app_options options = {.database = ":memory:",
                                            .static_folder = "static",
                                            .program = "/bin/false",
                                            .max_body = BODY,
                                            .cache_bytes = CACHE};
    const struct fuzz_message message = {.method = "POST"};
    const struct orr_request request = {.method = message.method,
                                        .target = "/v1/topologies?name=fuzz&label=host=node1",
                                        .header = find_header,
                                        .header_context = &message,
                                        .body = ORR_TEST_WORKSTATION,
                                        .body_length = sizeof ORR_TEST_WORKSTATION - 1,
                                        .id = "fuzz"};
    enum orr_code code = orr_app_new(&options, &fuzz->app, &err);
    FUZZ_REQUIRE(code == ORR_OK, "%s", err.text);
    orr_api_handle(fuzz->app, &request, &response);
    struct orr_header headers[ORR_MAX_HEADERS];
    const char *slash = strrchr(sent(&response, "Location", headers), '/');
    FUZZ_REQUIRE(response.status == 201 && slash, "status %u", response.status);
    snprintf(fuzz->id, sizeof fuzz->id, "%s", slash + 1);
    orr_response_release(&response);
}

void fuzz_app_close(struct fuzz_app *fuzz)
{
    orr_app_free(fuzz->app);
}

unsigned fuzz_app_ask(struct fuzz_app *fuzz, const struct fuzz_message *message)
{
    enum { LONGEST = 1 << 20 };
    struct orr_response response = {0};
    ORR_LOCAL_TEXT(target, LONGEST);
    for (const char *at = message->target; *at;) {
        size_t plain = strcspn(at, "@");
        orr_text_add(&target, at, plain);
        at += plain;
        if (*at) {
            orr_text_puts(&target, fuzz->id);
            at++;
        }
    }
    struct orr_request request = {.method = message->method,
                                  .target = target.data ? target.data : "",
                                  .header = find_header,
                                  .header_context = message,
                                  .body = message->body,
                                  .body_length = message->length,
                                  .id = "fuzz",
                                  .may_defer = true};
    orr_api_handle(fuzz->app, &request, &response);
    if (response.deferred) {
        orr_response_release(&response);
        request.may_defer = false;
        orr_api_handle(fuzz->app, &request, &response);
        FUZZ_REQUIRE(!response.deferred, "%s: deferred twice", request.target);
    }
    check_answer(&response, request.target);
    unsigned status = response.status;
    orr_response_release(&response);
    return status;
}
