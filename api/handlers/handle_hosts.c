/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts and their histories: which dump each upload with the label "host" brought, and when. */
#include <stdlib.h>
#include <string.h>

#include "api/handlers/handlers.h"
#include "engine/base/hex.h"
#include "engine/base/utf8.h"

/* A page of hosts continues after a name, which is in hex because it may contain anything. */
static enum orr_code read_name_cursor(struct orr_call *call, const char **ret_name, struct orr_error *err)
{
    const char *cursor = call->params.cursor ? call->params.cursor : "";
    size_t length = strlen(cursor) / 2;
    char *name = orr_arena_alloc(call->arena, length + 1, 1);
    ORR_NEED(name, err);
    bool valid = strlen(cursor) % 2 == 0 && orr_hex_is_lower(cursor, strlen(cursor)) &&
                 orr_hex_read(cursor, length, (uint8_t *)name) && strlen(name) == length;
    if (!valid || !orr_is_utf8(name))
        return orr_bad_cursor(call, cursor, err);
    *ret_name = name;
    return ORR_OK;
}

static json_t *name_cursor(struct orr_json *json, const char *name)
{
    ORR_LOCAL_TEXT(text, 2 * ORR_MAX_LABEL_VALUE + 1);
    for (; *name; name++)
        orr_text_printf(&text, "%02x", (unsigned char)*name);
    json_t *cursor = orr_json_text_of(json, &text);
    return cursor;
}

enum orr_code orr_handle_hosts(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    struct orr_json json = {0};
    struct orr_host *hosts;
    const char *after = "";
    uint32_t count, limit = call->params.limit;
    ORR_TRY(read_name_cursor(call, &after, err));
    ORR_TRY(orr_store_hosts(call->app->store, after, limit + 1, &hosts, &count, err));
    json_t *object = orr_json_object(&json), *items = orr_json_array(&json);
    for (uint32_t i = 0; i < count && i < limit; i++) {
        orr_json_add(&json, items,
                     ORR_OBJECT(&json, ORR_STRING("host", hosts[i].name),
                                ORR_VALUE("last", orr_time_json(&json, hosts[i].last)),
                                ORR_INT("uploads", hosts[i].uploads)));
    }
    ORR_SET(&json, object, ORR_VALUE("items", items),
            ORR_VALUE("next", count > limit ? name_cursor(&json, hosts[limit - 1].name) : json_null()));
    for (uint32_t i = 0; i < count; i++)
        orr_host_release(&hosts[i]);
    free(hosts);
    return orr_answer_of_json(200, &json, object, ret_answer, err);
}

/* An upload; `changed` compares it with the one before it, NULL if it is the host's first. */
static json_t *visit_json(struct orr_json *json, const struct orr_visit *visit, const struct orr_visit *before)
{
    json_t *labels = json_loads(visit->labels, 0, NULL);
    return ORR_OBJECT(json, ORR_VALUE("at", orr_time_json(json, visit->at)), ORR_STRING("topology", visit->id),
                      ORR_BOOL("changed", before && strcmp(before->id, visit->id)), ORR_STRING("name", visit->name),
                      ORR_VALUE("labels", labels),
                      ORR_VALUE("link", orr_json_format(json, "/v1/topologies/%s", visit->id)));
}

enum orr_code orr_handle_history(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    struct orr_json json = {0};
    struct orr_visit *visits;
    const char *host = call->captures[0], *before_id;
    uint32_t count, limit = call->params.limit;
    int64_t before;
    ORR_TRY(orr_read_cursor(call, &before, &before_id, err));
    if (!orr_is_utf8(host))
        return orr_fail(err, ORR_NOT_FOUND, "the name of the host is not UTF-8");
    ORR_TRY(orr_store_history(call->app->store, host, before, before_id, limit + 1, &visits, &count, err));
    if (!count && !before) {
        free(visits);
        return orr_fail_with(err, ORR_NOT_FOUND, NULL,
                             "GET /v1/hosts lists the hosts; POST /v1/topologies?label=host%3DNAME adds to one",
                             "no upload has the label host=%.100s", host);
    }
    json_t *object = orr_json_object(&json), *items = orr_json_array(&json), *next = json_null();
    for (uint32_t i = 0; i < count && i < limit; i++)
        orr_json_add(&json, items, visit_json(&json, &visits[i], i + 1 < count ? &visits[i + 1] : NULL));
    if (count > limit) {
        char cursor[ORR_CURSOR_SIZE];
        orr_write_cursor(cursor, visits[limit - 1].sequence, visits[limit - 1].id);
        next = orr_json_text(&json, cursor);
    }
    ORR_SET(&json, object, ORR_STRING("host", host), ORR_VALUE("items", items), ORR_VALUE("next", next));
    for (uint32_t i = 0; i < count; i++)
        orr_visit_release(&visits[i]);
    free(visits);
    return orr_answer_of_json(200, &json, object, ret_answer, err);
}
