/* SPDX-License-Identifier: Apache-2.0 */
/* Spans of input bytes, and the beginnings of texts. Lengths and positions are in bytes; the bytes need no terminating
 * zero. */
#ifndef ORR_BASE_BYTES_H
#define ORR_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A span of a text that somebody else owns. */
struct orr_span {
    const char *at;
    size_t length;
};

/* ASCII, whatever the locale. */
static inline bool orr_is_digit(char c)
{
    return c >= '0' && c <= '9';
}
static inline bool orr_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The length of UTF-8's byte order mark, which some editors write at the start of a file: 3, or 0 without one. */
static inline size_t orr_bytes_mark(const char *bytes, size_t length)
{
    return length >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3) ? 3 : 0;
}

/* The first position from `at` on that is not a space, tab or line end; `length` if there is none. */
static inline size_t orr_bytes_blanks(const char *bytes, size_t length, size_t at)
{
    while (at < length && bytes[at] && strchr(" \t\r\n", bytes[at]))
        at++;
    return at;
}

#endif
