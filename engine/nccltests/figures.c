/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, units, sizes and names of programs in the words of people. */
#include <string.h>

#include "engine/nccltests/reading.h"

double orr_unit_at(const char *at, const char *end, size_t *ret_length)
{
    static const struct {
        const char *name;
        double scale;
    } units[] = {{"GiB/s", 1.073741824}, {"GB/s", 1},     {"GB/S", 1},       {"GBps", 1},        {"GB/sec", 1},
                 {"Gb/s", 0.125},        {"Gbps", 0.125}, {"Gbit/s", 0.125}, {"Gbits/s", 0.125}, {"MB/s", 0.001}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if ((size_t)(end - at) >= strlen(units[i].name) && !memcmp(at, units[i].name, strlen(units[i].name))) {
            *ret_length = strlen(units[i].name);
            return units[i].scale;
        }
    return 0;
}

double orr_unit_in(struct orr_span text)
{
    size_t length;
    double scale = 0;
    for (const char *at = text.at, *end = at + text.length; at < end && scale == 0; at++)
        scale = orr_unit_at(at, end, &length);
    return scale;
}

/* Whether a number goes on with a group of three digits after a comma. */
enum { GROUP = 3 };
static bool is_grouped(const char *at, const char *end)
{
    return end - at > GROUP && *at == ',' && orr_is_digit(at[1]) && orr_is_digit(at[2]) && orr_is_digit(at[3]) &&
           (end - at == GROUP + 1 || !orr_is_digit(at[GROUP + 1]));
}

bool orr_number_next(const char **at, const char *end, double *ret_value)
{
    for (const char *from = *at; from < end; from++) {
        if (!orr_is_digit(*from) || (from > *at && (orr_is_letter(from[-1]) || from[-1] == '_' || from[-1] == '.')))
            continue;
        const char *stop = from;
        struct orr_number number;
        while (stop < end && (orr_is_digit(*stop) || (*stop == '.' && stop + 1 < end && orr_is_digit(stop[1]))))
            stop++;
        if (is_grouped(stop, end)) { /* "3,160": neither 3 nor 160 */
            from = stop + GROUP;
            continue;
        }
        if (!orr_number_read((struct orr_span){from, (size_t)(stop - from)}, &number) || number.missing) {
            from = stop;
            continue;
        }
        *at = stop;
        *ret_value = number.value;
        return true;
    }
    return false;
}

enum orr_test orr_test_in(struct orr_span text)
{
    for (size_t i = 0; i < text.length;) {
        while (i < text.length && !orr_is_letter(text.at[i]))
            i++;
        const size_t start = i;
        while (i < text.length && (orr_is_letter(text.at[i]) || strchr("_-", text.at[i])))
            i++;
        const enum orr_test test = orr_test_find(text.at + start, i - start);
        if (test != ORR_TEST_COUNT)
            return test;
    }
    return ORR_TEST_COUNT;
}

uint64_t orr_size_in(struct orr_span text)
{
    static const struct {
        char prefix;
        int bits;
    } units[] = {{'k', 10}, {'m', 20}, {'g', 30}};
    static const double MOST = 1 << 20;
    const char *at = text.at, *end = at + text.length;
    uint64_t size = 0;
    double number;
    while (orr_number_next(&at, end, &number)) {
        const char *next = at;
        while (next < end && *next == ' ')
            next++;
        for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
            const char *stop = next + 1;
            if (next >= end || (*next | 0x20) != units[i].prefix)
                continue;
            stop += stop < end && *stop == 'i';
            if (stop >= end || *stop != 'B' || (stop + 1 < end && (orr_is_letter(stop[1]) || stop[1] == '/')))
                continue; /* "GB/s" or "Gb" */
            if (size || !(number >= 1 && number <= MOST) || number != (double)(uint32_t)number)
                return 0;
            size = (uint64_t)number << units[i].bits;
        }
    }
    return size <= ORR_SUMMARY_LARGE && !(size & (size - 1)) ? size : 0;
}
