/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"

void orr_text_init(struct orr_text *text, size_t limit)
{
    *text = (struct orr_text){.limit = limit};
}

void orr_text_release(struct orr_text *text)
{
    orr_budget_give(text->budget, text->capacity);
    free(text->data);
    *text = (struct orr_text){.limit = text->limit};
}

static bool make_room(struct orr_text *text, size_t more)
{
    if (text->failed || more > text->limit || text->length > text->limit - more) {
        text->failed = true;
        return false;
    }
    size_t needed = text->length + more + 1;
    if (needed <= text->capacity)
        return true;
    size_t capacity = text->capacity ? text->capacity : 256;
    while (capacity < needed)
        capacity *= 2;
    const bool drawn = orr_budget_draw(capacity - text->capacity, &text->budget);
    char *data = drawn ? realloc(text->data, capacity) : NULL;
    if (!data) {
        if (drawn)
            orr_budget_starve();
        text->failed = text->starved = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void orr_text_add(struct orr_text *text, const char *data, size_t length)
{
    if (!make_room(text, length))
        return;
    if (length)
        memcpy(text->data + text->length, data, length);
    text->length += length;
    text->data[text->length] = 0;
}

void orr_text_puts(struct orr_text *text, const char *string)
{
    orr_text_add(text, string, strlen(string));
}

void orr_text_vprintf(struct orr_text *text, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    if (length < 0)
        text->failed = true;
    else if (make_room(text, (size_t)length)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void orr_text_printf(struct orr_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    orr_text_vprintf(text, format, args);
    va_end(args);
}

bool orr_text_failed(const struct orr_text *text)
{
    return text->failed;
}

char *orr_text_take(struct orr_text *text, size_t *ret_length)
{
    char *data = text->failed ? NULL : text->data ? text->data : calloc(1, 1);
    orr_budget_give(text->budget, text->capacity);
    if (text->failed)
        free(text->data);
    if (ret_length)
        *ret_length = data ? text->length : 0;
    *text = (struct orr_text){.limit = text->limit};
    return data;
}

char *orr_text_copy(const struct orr_text *text, struct orr_arena *arena)
{
    return text->failed ? NULL : orr_arena_strndup(arena, text->data ? text->data : "", text->length);
}

void orr_size_text(uint64_t size, char text[ORR_SIZE_TEXT])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    unsigned unit = 0;
    while (unit < 4 && size >= 1024 && size % 1024 == 0) {
        size /= 1024;
        unit++;
    }
    snprintf(text, ORR_SIZE_TEXT, "%llu %s", (unsigned long long)size, units[unit]);
}

uint64_t orr_size_parse(const char *text, const char **end)
{
    enum { MOST_DIGITS = 13 };
    static const char units[] = "kmgt";
    size_t digits = strspn(text, "0123456789");
    uint64_t value = digits && digits <= MOST_DIGITS ? strtoull(text, NULL, 10) : 0;
    const char *unit = text[digits] ? strchr(units, text[digits] | 0x20) : NULL;
    *end = text + digits + (unit != NULL);
    if (unit && digits > 4)
        return 0;
    return unit ? value << 10 * (unit - units + 1) : value;
}
