/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that people send: a span of them, and how texts begin. Lengths and places are in bytes; the bytes need no
 * terminating zero. */
#ifndef ORR_BASE_BYTES_H
#define ORR_BASE_BYTES_H

#include <stddef.h>
#include <string.h>

/* A span of a text that somebody else owns. */
struct orr_span {
    const char *at;
    size_t length;
};

/* The length of UTF-8's byte order mark, which some editors write at the start of a file: 3, or 0 without one. */
static inline size_t orr_bytes_mark(const char *bytes, size_t length)
{
    return length >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3) ? 3 : 0;
}

/* The first place at or after `at` that is not a space, tab or end of line; length: there is none. */
static inline size_t orr_bytes_blanks(const char *bytes, size_t length, size_t at)
{
    while (at < length && bytes[at] && strchr(" \t\r\n", bytes[at]))
        at++;
    return at;
}

#endif
