/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the numbers and words of a line for patterns and lists. */
#include "engine/log_reading/scan.h"

bool orr_log_keep_value(struct orr_log_catch *found, double value)
{
    if (found->value_count == ORR_LOG_MOST_ITEMS)
        return false;
    found->values[found->value_count++] = value;
    return true;
}

bool orr_log_keep_word(struct orr_log_catch *found, const char *at, size_t length)
{
    if (found->word_count == ORR_LOG_MOST_ITEMS)
        return false;
    found->words[found->word_count].at = at;
    found->words[found->word_count++].length = (uint32_t)length;
    return true;
}

bool orr_log_scan_int(const char **at, const char *end, double *ret_value)
{
    enum { DIGITS_MOST = 9 }; /* fits into an int, as readers of records expect */
    const char *p = *at;
    bool negative = p < end && *p == '-';
    double value = 0;
    int digits = 0;
    for (p += negative; p < end && orr_is_digit(*p) && digits < DIGITS_MOST; p++, digits++)
        value = value * 10 + (*p - '0');
    if (!digits || (p < end && orr_is_digit(*p)))
        return false;
    *ret_value = negative ? -value : value;
    *at = p;
    return true;
}

bool orr_log_scan_number(const char **at, const char *end, double *ret_value)
{
    enum { FRACTION_MOST = 12 };
    const char *p = *at;
    double fraction = 0, scale = 1;
    bool negative = p < end && *p == '-';
    if (!orr_log_scan_int(&p, end, ret_value))
        return false;
    if (p + 1 < end && *p == '.' && orr_is_digit(p[1])) {
        int digits = 0;
        for (p++; p < end && orr_is_digit(*p); p++)
            if (digits++ < FRACTION_MOST) {
                scale *= 10;
                fraction = fraction * 10 + (*p - '0');
            }
        *ret_value += (negative ? -fraction : fraction) / scale;
    }
    *at = p;
    return true;
}
