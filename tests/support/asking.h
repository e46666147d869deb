/* SPDX-License-Identifier: Apache-2.0 */
/* Requests in process, without sockets. One app per test program, on either kind of database (stores.h). */
#ifndef ORR_TEST_ASKING_H
#define ORR_TEST_ASKING_H

#include <jansson.h>

#include "api/handlers/app.h"
#include "tests/support/machine_xml.h"
#include "tests/support/stores.h"

struct pair {
    const char *name, *value;
};

static inline const char *find_header(const void *context, const char *name)
{
    for (const struct pair *pair = context; pair && pair->name; pair++)
        if (!strcmp(pair->name, name))
            return pair->value;
    return NULL;
}

static struct orr_app *app;
static struct orr_response response; /* to the last request */

/* An app on an empty database, for all tests of a group. */
static struct place app_place;

static inline struct orr_app *open_app(void)
{
    struct orr_error err = {0};
    struct orr_app *opened = NULL;
    const struct orr_app_options options = {.database = app_place.location, .max_body = 1 << 20};
    assert_ok(orr_app_new(&options, &opened, &err), &err);
    return opened;
}

void before_all(void)
{
    make_place(&app_place);
    app = open_app();
}

void after_all(void)
{
    orr_response_release(&response);
    orr_app_free(app);
    remove_place(&app_place);
}

static inline void ask_with(const char *method, const char *target, const char *body, const struct pair *headers)
{
    const struct orr_request request = {
        .method = method,
        .target = target,
        .header = find_header,
        .header_context = headers,
        .body = body,
        .body_length = body ? strlen(body) : 0,
        .id = "test-1",
    };
    orr_response_release(&response);
    orr_api_handle(app, &request, &response);
}

static inline void ask(const char *method, const char *target, const char *body)
{
    ask_with(method, target, body, NULL);
}

static inline const char *sent(const char *name)
{
    static struct orr_header headers[ORR_MAX_HEADERS];
    unsigned count = orr_response_headers(&response, headers);
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(headers[i].name, name))
            return headers[i].value;
    return "";
}

/* The body as JSON; the caller drops it. */
static inline json_t *body_json(void)
{
    json_t *value = json_loadb(response.body ? response.body : "", response.length, JSON_DECODE_ANY, NULL);
    assert_non_null(value);
    return value;
}

static inline const char *text_of(json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static inline void assert_problem(unsigned status, const char *type)
{
    assert_int_equal(response.status, status);
    assert_string_equal(sent("Content-Type"), "application/problem+json");
    json_t *problem = body_json();
    assert_string_equal(text_of(problem, "type"), type);
    assert_int_equal(json_integer_value(json_object_get(problem, "status")), status);
    assert_string_equal(text_of(problem, "instance"), "test-1");
    assert_true(text_of(problem, "detail")[0]);
    json_decref(problem);
}

/* Uploads a dump and writes "/v1/topologies/ID" + tail. */
static inline char *stored(const char *dump, const char *tail)
{
    static char target[512];
    ask("POST", "/v1/topologies", dump);
    assert_true(response.status == 201 || response.status == 200);
    snprintf(target, sizeof target, "%s%s", sent("Location"), tail);
    return target;
}

#endif
