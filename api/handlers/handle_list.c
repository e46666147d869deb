/* SPDX-License-Identifier: Apache-2.0 */
/* The list of stored topologies, and the cursors by which all lists are read page by page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handlers/handlers.h"
#include "engine/base/bytes.h"

enum orr_code orr_bad_cursor(struct orr_call *call, const char *cursor, struct orr_error *err)
{
    call->problem = ORR_PROBLEM_PARAMETER;
    return orr_fail_with(err, ORR_SETTING, "cursor", "use `next` of an earlier page unchanged",
                         "\"%.60s\" is not a cursor", cursor);
}

void orr_write_cursor(char cursor[ORR_CURSOR_SIZE], int64_t at, const char *id)
{
    snprintf(cursor, ORR_CURSOR_SIZE, "%llx-%s", (unsigned long long)at, id);
}

enum orr_code orr_read_cursor(struct orr_call *call, int64_t *ret_before, const char **ret_before_id,
                              struct orr_error *err)
{
    const char *cursor = call->params.cursor;
    unsigned long long before;
    int taken = 0;
    *ret_before = 0;
    *ret_before_id = NULL;
    if (!cursor)
        return ORR_OK;
    if (sscanf(cursor, "%16llx-%n", &before, &taken) != 1 || !taken || !orr_is_id(cursor + taken) || !before ||
        before > INT64_MAX)
        return orr_bad_cursor(call, cursor, err);
    *ret_before = (int64_t)before;
    *ret_before_id = cursor + taken;
    return ORR_OK;
}

static void put_encoded(struct orr_text *text, const char *part)
{
    for (; *part; part++)
        if (orr_is_digit(*part) || orr_is_letter(*part) || strchr("-._~", *part))
            orr_text_add(text, part, 1);
        else
            orr_text_printf(text, "%%%02X", (unsigned char)*part);
}

/* The next page of the same list, as a Link header; one that is too long for a header is left out. */
static void link_next(struct orr_call *call, const struct orr_listing *listing, const char *cursor)
{
    ORR_LOCAL_TEXT(target, ORR_HEADER_SIZE);
    orr_text_printf(&target, "/v1/topologies?limit=%u&cursor=%s", call->params.limit, cursor);
    if (listing->search) {
        orr_text_puts(&target, "&q=");
        put_encoded(&target, listing->search);
    }
    for (uint32_t i = 0; i < listing->label_count; i++) {
        orr_text_puts(&target, "&label=");
        put_encoded(&target, listing->labels[i].name);
        orr_text_puts(&target, "%3D");
        put_encoded(&target, listing->labels[i].value);
    }
    if (!orr_text_failed(&target))
        orr_response_header(call->response, "Link", "<%s>; rel=\"next\"", target.data);
}

static enum orr_code read_listing(struct orr_call *call, struct orr_listing *listing, struct orr_error *err)
{
    const struct orr_params *params = &call->params;
    *listing = (struct orr_listing){.limit = params->limit + 1, .search = params->search};
    for (uint32_t i = 0; i < params->label_count; i++) {
        const char *name = orr_arena_strndup(call->arena, params->labels[i].name, params->labels[i].name_length);
        ORR_NEED(name, err);
        listing->labels[listing->label_count++] =
            (struct orr_store_label){.name = name, .value = params->labels[i].value};
    }
    return orr_read_cursor(call, &listing->before, &listing->before_id, err);
}

enum orr_code orr_handle_list(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    struct orr_listing listing;
    struct orr_record *records;
    uint32_t count;
    struct orr_json json = {0};
    ORR_TRY(read_listing(call, &listing, err));
    ORR_TRY(orr_store_list(call->app->store, &listing, &records, &count, err));
    json_t *object = orr_json_object(&json), *items = orr_json_array(&json), *next = json_null();
    enum orr_code code = ORR_OK;
    for (uint32_t i = 0; code == ORR_OK && i < count && i < call->params.limit; i++) {
        json_t *item = NULL;
        code = orr_record_json(call, &json, &records[i], &item, err);
        if (code == ORR_OK)
            orr_json_add(&json, items, item);
    }
    if (count > call->params.limit) { /* one more was asked for, to know */
        const struct orr_record *last = &records[call->params.limit - 1];
        char cursor[ORR_CURSOR_SIZE];
        orr_write_cursor(cursor, last->created, last->id);
        next = orr_json_text(&json, cursor);
        link_next(call, &listing, cursor);
    }
    ORR_SET(&json, object, ORR_VALUE("items", items), ORR_VALUE("next", next));
    for (uint32_t i = 0; i < count; i++)
        orr_record_release(&records[i]);
    free(records);
    if (code != ORR_OK) {
        json_decref(object);
        return code;
    }
    return orr_answer_of_json(200, &json, object, ret_answer, err);
}
