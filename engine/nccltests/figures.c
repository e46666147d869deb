/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, units, sizes, hosts and names of programs in the words of people. */
#include <string.h>

#include "engine/nccltests/reading.h"

double orr_unit_at(const char *at, const char *end, size_t *ret_length)
{
    static const struct {
        const char *name;
        double scale;
    } units[] = {{"GiB/s", 1.073741824},
                 {"GB/s", 1},
                 {"GB/S", 1},
                 {"GBps", 1},
                 {"GB/sec", 1},
                 {"Gb/s", ORR_UNIT_BITS},
                 {"Gbps", ORR_UNIT_BITS},
                 {"Gbit/s", ORR_UNIT_BITS},
                 {"Gbits/s", ORR_UNIT_BITS},
                 {"MB/s", 0.001}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if ((size_t)(end - at) >= strlen(units[i].name) && !memcmp(at, units[i].name, strlen(units[i].name))) {
            *ret_length = strlen(units[i].name);
            return units[i].scale;
        }
    return 0;
}

bool orr_measure_read(struct orr_span cell, enum orr_role role, struct orr_number *ret_number, double *scale)
{
    static const struct {
        const char *name;
        double scale;
    } times[] = {{"us", 1}, {"\xc2\xb5s", 1}, {"ms", 1e3}, {"s", 1e6}, {"sec", 1e6}};
    const char *blank = cell.length ? memchr(cell.at, ' ', cell.length) : NULL, *end = cell.at + cell.length;
    struct orr_span word = {cell.at, blank ? (size_t)(blank - cell.at) : cell.length};
    size_t length;
    if (!word.length)
        return false;
    if (!orr_number_read(word, ret_number)) {
        for (word.length = 0; word.at + word.length < end && strchr("0123456789.", word.at[word.length]);)
            word.length++;
        if (!word.length || !orr_number_read(word, ret_number))
            return false;
    }
    const char *unit = word.at + word.length;
    while (unit < end && *unit == ' ')
        unit++;
    for (size_t i = 0; i < sizeof times / sizeof times[0] && role == ORR_ROLE_TIME; i++)
        if (orr_span_is((struct orr_span){unit, (size_t)(end - unit)}, times[i].name))
            *scale = times[i].scale;
    const double rate = role == ORR_ROLE_ALG || role == ORR_ROLE_BUS ? orr_unit_at(unit, end, &length) : 0;
    *scale = rate > 0 ? rate : *scale;
    return unit == end || !orr_is_letter(*unit) || *scale > 0;
}

double orr_unit_in(struct orr_span text)
{
    size_t length;
    double scale = 0;
    for (const char *at = text.at, *end = at + text.length; at < end && scale == 0; at++)
        scale = orr_unit_at(at, end, &length);
    return scale;
}

/* Whether a comma and a group of three digits continue a number. */
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

bool orr_counts_hosts(const char *at, const char *end)
{
    static const char *const words[] = {"node", "host", "server", "machine", "pod", "instance", "vm"};
    static const char *const between[] = {"nvidia",    "hgx",      "dgx",    "gpu",  "h100",   "h200",
                                          "a100",      "b200",     "h800",   "a800", "h20",    "separate",
                                          "identical", "physical", "worker", "sxm",  "compute"};
    bool times = false; /* "8x H100 servers" counts GPUs */
    for (; at < end && strchr(" -x*", *at); at++)
        times |= *at == 'x' || *at == '*';
    for (size_t i = 0; i < sizeof between / sizeof between[0]; i++) { /* "2 HGX H100 servers" */
        const size_t length = strlen(between[i]);
        if (times && between[i][1] != 'g')
            continue;
        if ((size_t)(end - at) > length && strchr(" -", at[length]) &&
            orr_span_is((struct orr_span){at, length}, between[i])) {
            at += length + 1;
            times = false;
            i = SIZE_MAX; /* from the first on */
        }
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if ((size_t)(end - at) >= strlen(words[i]) && orr_span_is((struct orr_span){at, strlen(words[i])}, words[i]))
            return true;
    return false;
}

double orr_summary_hosts_in(struct orr_span text)
{
    const char *at = text.at, *end = at + text.length;
    double number;
    while (orr_number_next(&at, end, &number))
        if (orr_counts_hosts(at, end))
            return number;
    static const char *const one[] = {"single node",   "single-node", "one node",   "single machine",
                                      "single server", "one machine", "one server", NULL};
    return orr_span_has_one(text, one);
}
