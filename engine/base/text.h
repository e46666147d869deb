/* SPDX-License-Identifier: Apache-2.0 */
/* Text that grows up to a given limit. After a failure (memory, limit), further writing does nothing, and
 * orr_text_failed() is true: check once, at the end. */
#ifndef ORR_BASE_TEXT_H
#define ORR_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/error.h"

struct orr_text {
    char *data;    /* zero-terminated after the first write; owned */
    size_t length; /* without the terminating zero */
    size_t capacity;
    size_t limit;    /* largest length allowed */
    uint64_t budget; /* budget from which the capacity was drawn: budget.h */
    bool failed;
    bool starved; /* the cause of the failure was memory, not the limit */
};

/* An empty text. */
#define ORR_TEXT(most) ((struct orr_text){.limit = (most)})
/* Declares a text that is released at the end of its block: ORR_LOCAL_TEXT(text, 4096). */
#define ORR_LOCAL_TEXT(name, most) __attribute__((cleanup(orr_text_release))) struct orr_text name = {.limit = (most)}
void orr_text_init(struct orr_text *text, size_t limit);
void orr_text_release(struct orr_text *text);
void orr_text_add(struct orr_text *text, const char *data, size_t length);
void orr_text_puts(struct orr_text *text, const char *string);
void orr_text_printf(struct orr_text *text, const char *format, ...) ORR_PRINTF(2, 3);
void orr_text_vprintf(struct orr_text *text, const char *format, va_list args) ORR_PRINTF(2, 0);
bool orr_text_failed(const struct orr_text *text);
/* The text, never NULL. */
static inline const char *orr_text_data(const struct orr_text *text)
{
    return text->data ? text->data : "";
}
/* Passes the bytes to the caller, who frees them with free(). NULL if writing failed. The text is empty afterwards. */
char *orr_text_take(struct orr_text *text, size_t *ret_length);
/* A copy in an arena; NULL if writing failed, or memory ran out. */
char *orr_text_copy(const struct orr_text *text, struct orr_arena *arena);

/* "1 GiB", "512 KiB", "1000 B" */
enum { ORR_SIZE_TEXT = 24 };
void orr_size_text(uint64_t size, char text[ORR_SIZE_TEXT]);
/* Reads "1048576", "1M", "8k" or "2G", of which letters are powers of 1024; 0 if there is none. *end is the place after
 * it. */
uint64_t orr_size_parse(const char *text, const char **end);

/* The plural ending of a noun: "s", or "" for one. */
static inline const char *orr_plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

#endif
