/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/log_reading/scan.h"

static bool is_hex(char c)
{
    return orr_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Reads one conversion at *at. next: the pattern's next character, 0 at its end. */
static bool convert(char conversion, char next, const char **at, const char *end, struct orr_log_catch *found)
{
    const char *p = *at;
    double value;
    switch (conversion) {
    case 'i':
        while (p < end && orr_log_is_blank(*p))
            p++;
        value = (double)(p - *at);
        *at = p;
        return orr_log_keep_value(found, value);
    case 'd':
        return orr_log_scan_int(at, end, &value) && orr_log_keep_value(found, value);
    case 'f':
        return orr_log_scan_number(at, end, &value) && orr_log_keep_value(found, value);
    case 'x':
        if (end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
            p += 2;
        *at = p;
        while (p < end && is_hex(*p))
            p++;
        break;
    case 'w':
        while (p < end && !orr_log_is_blank(*p) && (*p != next || !next))
            p++;
        break;
    default: /* 't' */
        while (p < end && (*p != next || !next))
            p++;
        break;
    }
    if (p == *at)
        return false;
    const char *last = p;
    while (conversion == 't' && last > *at && orr_log_is_blank(last[-1]))
        last--;
    if (!orr_log_keep_word(found, *at, (size_t)(last - *at)))
        return false;
    *at = p;
    return true;
}

bool orr_log_scan(const char *pattern, enum orr_log_list list, const char *text, size_t length,
                  struct orr_log_catch *found)
{
    const char *at = text, *end = text + length;
    found->value_count = found->word_count = 0;
    for (; *pattern; pattern++) {
        if (*pattern == ' ' || *pattern == '~') {
            if (*pattern == ' ' && (at == end || !orr_log_is_blank(*at)))
                return false;
            while (at < end && orr_log_is_blank(*at))
                at++;
        } else if (*pattern == '%') {
            char conversion = *++pattern, next = pattern[1] == '~' ? pattern[2] : pattern[1];
            if (conversion == '*')
                return true;
            if (conversion == 'l')
                return orr_log_scan_list(list, at, (size_t)(end - at), found);
            if (!convert(conversion, next == '%' ? 0 : next, &at, end, found))
                return false;
        } else if (at == end || *at != *pattern) {
            return false;
        } else {
            at++;
        }
    }
    while (at < end && orr_log_is_blank(*at))
        at++;
    return at == end || list == ORR_LIST_REST;
}
