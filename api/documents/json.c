/* SPDX-License-Identifier: Apache-2.0 */
#include "api/documents/json.h"

#include <math.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/utf8.h"

/* Header in front of jansson's memory, which records the budget that it was drawn from. */
struct head {
    alignas(max_align_t) uint64_t budget;
    size_t size;
};

/* jansson reports some failed allocations as bad syntax, and others as the end of a text, so they are recorded here. */
static _Thread_local bool starved;

static void *draw(size_t size)
{
    enum { STEPS = 2 };
    uint64_t budget;
    struct head *head = NULL;
    if (size <= SIZE_MAX / 2 && !orr_budget_spent(STEPS) && orr_budget_draw(sizeof *head + size, &budget)) {
        head = malloc(sizeof *head + size);
        if (!head)
            orr_budget_give(budget, sizeof *head + size);
    }
    starved = starved || !head;
    if (!head)
        return NULL;
    *head = (struct head){.budget = budget, .size = sizeof *head + size};
    return head + 1;
}

static void give(void *memory)
{
    if (!memory)
        return;
    struct head *head = (struct head *)memory - 1;
    orr_budget_give(head->budget, head->size);
    free(head);
}

/* The memory of JSON is drawn from the budget in force, from before any JSON is made. */
__attribute__((constructor)) static void draw_memory(void)
{
    json_set_alloc_funcs(draw, give);
}

static json_t *made(struct orr_json *json, json_t *value)
{
    if (!value)
        json->failed = true;
    return value;
}

json_t *orr_json_object(struct orr_json *json)
{
    return made(json, json_object());
}

json_t *orr_json_array(struct orr_json *json)
{
    return made(json, json_array());
}

void orr_json_set(struct orr_json *json, json_t *object, const char *key, json_t *value)
{
    if (!object || !value) {
        json_decref(value);
        json->failed = true;
    } else if (json_object_set_new_nocheck(object, key, value) < 0) {
        json->failed = true;
    }
}

void orr_json_set_text(struct orr_json *json, json_t *object, const char *key, const char *text)
{
    orr_json_set(json, object, key, orr_json_text(json, text));
}

void orr_json_set_int(struct orr_json *json, json_t *object, const char *key, int64_t value)
{
    orr_json_set(json, object, key, orr_json_int(json, value));
}

json_t *orr_json_row_value(struct orr_json *json, const struct orr_json_row *member)
{
    switch (member->kind) {
    case ORR_ROW_TEXT:
        return orr_json_text(json, member->text);
    case ORR_ROW_INT:
        return orr_json_int(json, member->whole);
    case ORR_ROW_NUMBER:
        return orr_json_number(json, member->number);
    case ORR_ROW_BOOL:
        return orr_json_bool(json, member->truth);
    case ORR_ROW_VALUE:
    case ORR_ROW_NONE:
    case ORR_ROW_END:
        break;
    }
    return member->value;
}

void orr_json_set_members(struct orr_json *json, json_t *object, const struct orr_json_row *member)
{
    for (; member->kind != ORR_ROW_END; member++)
        if (member->kind != ORR_ROW_NONE)
            orr_json_set(json, object, member->key, orr_json_row_value(json, member));
}

json_t *orr_json_object_of(struct orr_json *json, const struct orr_json_row *members)
{
    json_t *object = orr_json_object(json);
    orr_json_set_members(json, object, members);
    return object;
}

void orr_json_add(struct orr_json *json, json_t *array, json_t *value)
{
    if (!array || !value) {
        json_decref(value);
        json->failed = true;
    } else if (json_array_append_new(array, value) < 0) {
        json->failed = true;
    }
}

json_t *orr_json_again(json_t *value)
{
    return json_incref(value);
}

json_t *orr_json_text(struct orr_json *json, const char *text)
{
    if (!text)
        return json_null();
    json_t *value = json_string(text);
    if (value)
        return value;
    /* The text is not UTF-8, or memory ran out: tries again with a corrected text, in which each byte becomes at most
     * three. */
    struct orr_text mended;
    orr_text_init(&mended, strlen(text) * 3 + 1);
    for (const char *at = text; *at;) {
        size_t length = orr_utf8_length(at);
        if (length)
            orr_text_add(&mended, at, length);
        else
            orr_text_puts(&mended, "\xef\xbf\xbd");
        at += length ? length : 1;
    }
    value = orr_text_failed(&mended) || !mended.data ? NULL : json_string(mended.data);
    orr_text_release(&mended);
    return made(json, value);
}

json_t *orr_json_text_of(struct orr_json *json, const struct orr_text *text)
{
    return text->starved ? made(json, NULL) : orr_json_text(json, text->data ? text->data : "");
}

json_t *orr_json_format(struct orr_json *json, const char *format, ...)
{
    char buffer[512];
    va_list args;
    va_start(args, format);
    vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    return orr_json_text(json, buffer);
}

json_t *orr_json_texts(struct orr_json *json, const char *const *texts, uint32_t count)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < count && texts[i]; i++)
        orr_json_add(json, array, orr_json_text(json, texts[i]));
    return array;
}

json_t *orr_json_int(struct orr_json *json, int64_t value)
{
    return made(json, json_integer(value));
}

json_t *orr_json_bool(struct orr_json *json, bool value)
{
    return made(json, json_boolean(value));
}

json_t *orr_json_number(struct orr_json *json, double value)
{
    if (!isfinite(value))
        return json_null();
    if (fabs(value) < 1e15 && value == floor(value))
        return made(json, json_integer((json_int_t)value));
    return made(json, json_real(value));
}

json_t *orr_json_node(struct orr_json *json, enum orr_node_type type, int64_t id)
{
    char buffer[ORR_NODE_ID_SIZE];
    return made(json, json_string_nocheck(orr_node_id_format(type, id, buffer)));
}

json_t *orr_json_node_of(struct orr_json *json, const struct orr_system *system, uint32_t node)
{
    char buffer[ORR_NODE_ID_SIZE];
    return made(json, json_string_nocheck(orr_system_node_id(system, node, buffer)));
}

json_t **orr_json_nodes(struct orr_json *json, const struct orr_system *system)
{
    json_t **nodes = calloc(system->node_count + 1, sizeof *nodes);
    if (!nodes) {
        json->failed = true;
        return NULL;
    }
    for (uint32_t i = 0; i < system->node_count; i++)
        nodes[i] = orr_json_node_of(json, system, i);
    return nodes;
}

void orr_json_nodes_free(json_t **nodes, const struct orr_system *system)
{
    if (!nodes)
        return;
    for (uint32_t i = 0; i < system->node_count; i++)
        json_decref(nodes[i]);
    free(nodes);
}

enum orr_code orr_json_parse(const char *bytes, size_t length, json_t **ret_value, struct orr_error *err)
{
    json_error_t where;
    starved = false;
    json_t *value = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &where);
    if (starved) {
        json_decref(value);
        return orr_fail_nomem(err);
    }
    if (!value)
        return orr_fail_at(err, ORR_INVALID, where.line > 0 ? (uint32_t)where.line : 1,
                           where.column > 0 ? (uint32_t)where.column : 1, "%.150s", where.text);
    *ret_value = value;
    return ORR_OK;
}

void orr_json_member(const char *bytes, size_t length, const char *name, char *value, size_t size)
{
    json_t *root = NULL;
    const char *found = bytes && orr_json_parse(bytes, length, &root, NULL) == ORR_OK
                            ? json_string_value(json_object_get(root, name))
                            : NULL;
    snprintf(value, size, "%s", found ? found : "");
    json_decref(root);
}

static int append(const char *bytes, size_t length, void *context)
{
    struct orr_text *text = context;
    orr_text_add(text, bytes, length);
    return orr_text_failed(text) ? -1 : 0;
}

enum orr_code orr_json_write(struct orr_json *json, json_t *root, bool pretty, struct orr_text *text,
                             struct orr_error *err)
{
    size_t flags = pretty ? ORR_JSON_WRITTEN | JSON_INDENT(2) : ORR_JSON_COMPACT;
    int failed = json->failed || !root ? 1 : json_dump_callback(root, append, text, flags);
    json_decref(root);
    if (!failed)
        return ORR_OK;
    if (!json->failed && orr_text_failed(text) && !text->starved) {
        return orr_fail_with(err, ORR_LIMIT, NULL, "ask for one section, or for fewer hosts",
                             "the answer is larger than %zu bytes", text->limit);
    }
    return orr_fail_nomem(err);
}
