/* SPDX-License-Identifier: Apache-2.0 */
#include "server/trace.h"

#include <stdio.h>
#include <string.h>

#include "engine/base/hex.h"

/* 16 digits, without a terminating zero. Faster than printf, which every request would pay for. */
static void write_hex(uint64_t number, char *text)
{
    uint8_t bytes[8];
    char digits[2 * sizeof bytes + 1];
    for (int i = 7; i >= 0; i--, number >>= 8)
        bytes[i] = (uint8_t)number;
    orr_hex_write(bytes, sizeof bytes, digits);
    memcpy(text, digits, 2 * sizeof bytes);
}

void orr_request_id(const char *given, uint64_t number, char id[ORR_REQUEST_ID])
{
    size_t length = given ? strlen(given) : 0;
    if (length >= 1 && length < ORR_REQUEST_ID &&
        strspn(given, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == length) {
        memcpy(id, given, length + 1);
        return;
    }
    write_hex(number, id);
    id[16] = 0;
}

static bool is_zero(const char *text, size_t length)
{
    return strspn(text, "0") >= length;
}

/* version-trace-span-flags: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 */
bool orr_trace_continue(const char *given, uint64_t number, char parent[ORR_TRACEPARENT])
{
    enum { TRACE = 3, SPAN = 36, FLAGS = 53, LENGTH = 55 };
    parent[0] = 0;
    size_t length = given ? strlen(given) : 0;
    if (length < LENGTH || !orr_hex_is_lower(given, 2) || given[2] != '-' || !orr_hex_is_lower(given + TRACE, 32) ||
        given[35] != '-' || !orr_hex_is_lower(given + SPAN, 16) || given[52] != '-' ||
        !orr_hex_is_lower(given + FLAGS, 2))
        return false;
    bool later_version = strncmp(given, "00", 2) != 0;
    if (!strncmp(given, "ff", 2) || is_zero(given + TRACE, 32) || is_zero(given + SPAN, 16) ||
        (length > LENGTH && (!later_version || given[LENGTH] != '-')))
        return false;
    memcpy(parent, given, LENGTH);
    parent[0] = parent[1] = '0'; /* what we write is version 00 */
    write_hex(number ? number : 1, parent + SPAN);
    parent[LENGTH] = 0;
    return true;
}
