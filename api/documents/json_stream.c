/* SPDX-License-Identifier: Apache-2.0 */
#include "api/documents/json_stream.h"

#include <string.h>

static void put_bytes(struct orr_json_stream *json, const char *bytes, size_t length)
{
    if (length > sizeof json->chunk - json->length) { /* a step added more than ORR_STREAM_STEP, which is a defect of
                                                       * Orrery */
        json->state = ORR_STEP_NOMEM;
        return;
    }
    memcpy(json->chunk + json->length, bytes, length);
    json->length += length;
}

static void put_char(struct orr_json_stream *json, char c)
{
    put_bytes(json, &c, 1);
}

static int append(const char *bytes, size_t length, void *context)
{
    put_bytes(context, bytes, length);
    return 0;
}

/* Takes ownership of the value. */
static void put_value(struct orr_json_stream *json, json_t *value)
{
    if (!value || json_dump_callback(value, append, json, ORR_JSON_COMPACT))
        json->state = ORR_STEP_NOMEM;
    json_decref(value);
}

static void put_text(struct orr_json_stream *json, const char *text)
{
    for (const char *at = text; at && *at; at++)
        if (*at < ' ' || *at == '"' || *at == '\\' || *at == 0x7f) { /* or not ASCII */
            struct orr_json failed = {0};
            put_value(json, orr_json_text(&failed, text));
            return;
        }
    if (!text) {
        put_bytes(json, "null", 4);
        return;
    }
    put_char(json, '"');
    put_bytes(json, text, strlen(text));
    put_char(json, '"');
}

static void put_int(struct orr_json_stream *json, int64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    uint64_t rest = value < 0 ? 0u - (uint64_t)value : (uint64_t)value;
    do
        digits[--at] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        digits[--at] = '-';
    put_bytes(json, digits + at, sizeof digits - at);
}

/* The comma and the key before a value. */
static void put_key(struct orr_json_stream *json, const char *key)
{
    if (json->follows)
        put_char(json, ',');
    json->follows = true;
    if (!key)
        return;
    put_text(json, key);
    put_char(json, ':');
}

void orr_stream_begin(struct orr_json_stream *json, const char *key, char bracket)
{
    put_key(json, key);
    put_char(json, bracket);
    json->follows = false;
}

void orr_stream_end(struct orr_json_stream *json, char bracket)
{
    put_char(json, bracket);
    json->follows = true;
}

void orr_stream_line(struct orr_json_stream *json)
{
    put_char(json, '\n');
    json->follows = false;
}

void orr_stream_int(struct orr_json_stream *json, int32_t value)
{
    put_key(json, NULL);
    put_int(json, value);
}

void orr_stream_null(struct orr_json_stream *json, const char *key)
{
    put_key(json, key);
    put_text(json, NULL);
}

void orr_stream_members(struct orr_json_stream *json, const struct orr_json_row *member)
{
    for (; member->kind != ORR_ROW_END; member++) {
        if (member->kind == ORR_ROW_NONE)
            continue;
        put_key(json, member->key);
        if (member->kind == ORR_ROW_TEXT)
            put_text(json, member->text);
        else if (member->kind == ORR_ROW_INT)
            put_int(json, member->whole);
        else if (member->kind == ORR_ROW_BOOL)
            put_bytes(json, member->truth ? "true" : "false", member->truth ? 4 : 5);
        else {
            struct orr_json failed = {0};
            put_value(json, orr_json_row_value(&failed, member));
        }
    }
}

static ptrdiff_t read_text(struct orr_stream *stream, char *buffer, size_t size)
{
    struct orr_json_stream *json = (struct orr_json_stream *)stream;
    size_t filled = 0;
    while (filled < size) {
        if (json->taken == json->length) {
            json->taken = json->length = 0;
            while (json->state == ORR_STEP_MORE && !orr_stream_full(json)) {
                enum orr_stream_step state = json->step(json);
                json->state = json->state == ORR_STEP_MORE ? state : json->state;
            }
            if (json->state == ORR_STEP_NOMEM)
                return -1;
            if (!json->length)
                break;
        }
        size_t waiting = json->length - json->taken, some = waiting < size - filled ? waiting : size - filled;
        memcpy(buffer + filled, json->chunk + json->taken, some);
        json->taken += some;
        filled += some;
    }
    return (ptrdiff_t)filled;
}

void orr_json_stream_init(struct orr_json_stream *json, enum orr_stream_step (*step)(struct orr_json_stream *),
                          void (*release)(struct orr_stream *))
{
    json->stream = (struct orr_stream){.read = read_text, .free = release};
    json->step = step;
    json->state = ORR_STEP_MORE;
    json->follows = false;
    json->length = json->taken = 0;
}
