/* SPDX-License-Identifier: Apache-2.0 */
/* Routes about the service itself: releases, settings, its description, health and version. */
#include <stdlib.h>
#include <string.h>

#include "api/handlers/handlers.h"
#include "api/handlers/openapi_yaml.h"

enum orr_code orr_handle_releases(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    (void)call;
    struct orr_json json = {0};
    return orr_answer_of_json(200, &json, orr_releases_json(&json, NULL), ret_answer, err);
}

enum orr_code orr_handle_settings(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    struct orr_json json = {0};
    return orr_answer_of_json(200, &json, orr_settings_json(&json, call->params.query.settings.release), ret_answer,
                              err);
}

enum orr_code orr_handle_openapi(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    (void)call;
    char *copy = malloc(orr_openapi_yaml_length + 1);
    ORR_NEED(copy, err);
    memcpy(copy, orr_openapi_yaml, orr_openapi_yaml_length);
    *ret_answer = orr_answer_new(200, "application/yaml", copy, orr_openapi_yaml_length);
    return *ret_answer ? ORR_OK : orr_fail_nomem(err);
}

/* The page of a problem's `type`. */
enum orr_code orr_handle_problem_type(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    struct orr_json json = {0};
    for (int i = ORR_OK + 1; i < ORR_PROBLEM_COUNT; i++) {
        const struct orr_problem_info info = orr_problem_info((enum orr_problem)i, ORR_INTERNAL);
        if (strcmp(info.type, call->captures[0]))
            continue;
        json_t *object = ORR_OBJECT(&json, ORR_VALUE("type", orr_json_format(&json, "/problems/%s", info.type)),
                                    ORR_STRING("title", info.title), ORR_INT("status", info.status));
        return orr_answer_of_json(200, &json, object, ret_answer, err);
    }
    return orr_fail(err, ORR_NOT_FOUND, "there is no problem type \"%.40s\"", call->captures[0]);
}

static enum orr_code say_state(unsigned status, const char *state, struct orr_answer **ret_answer,
                               struct orr_error *err)
{
    struct orr_json json = {0};
    json_t *object = ORR_OBJECT(&json, ORR_STRING("status", state));
    ORR_TRY(orr_answer_of_json(status, &json, object, ret_answer, err));
    (*ret_answer)->keeping = ORR_KEEP_NOT;
    (*ret_answer)->etag[0] = 0;
    return ORR_OK;
}

enum orr_code orr_handle_health(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    (void)call;
    return say_state(200, "ok", ret_answer, err);
}

enum orr_code orr_handle_ready(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    if (atomic_load(&call->app->draining))
        return say_state(503, "draining", ret_answer, err);
    if (orr_store_check(call->app->store, NULL) != ORR_OK)
        return say_state(503, "store not writable", ret_answer, err);
    return say_state(200, "ready", ret_answer, err);
}

enum orr_code orr_handle_version(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    (void)call;
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    struct orr_json json = {0};
    json_t *object = orr_json_object(&json), *names = orr_json_array(&json);
    for (uint32_t i = count; i-- > 0;)
        orr_json_add(&json, names, orr_json_text(&json, releases[i].name));
    ORR_SET(&json, object, ORR_STRING("name", "orrery"), ORR_STRING("version", orr_version()),
            ORR_VALUE("nccl_releases", names));
    return orr_answer_of_json(200, &json, object, ret_answer, err);
}
