/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as people's own programs print them, each figure with its name or unit:
 *
 *     1024 MB       34.7 us  algbw    30943.6  busbw    58019.2 GB/s
 *     size: 1073741824 bytes, time: 12.3 ms, algbw: 87.3 GB/s, busbw: 152.8 GB/s
 */
#include <string.h>

#include "engine/nccltests/reading.h"

/* The number after a name, and what its unit is worth in GB/s. */
static bool named(struct orr_span line, const char *name, struct orr_number *number, double *ret_scale)
{
    const char *at = orr_span_find(line, name), *end = line.at + line.length;
    if (!at)
        return false;
    for (at += strlen(name); at < end && *at && strchr(" \t:=", *at); at++)
        ;
    *ret_scale = 1;
    size_t digits = 0;
    while (at + digits < end && (orr_is_digit(at[digits]) || at[digits] == '.'))
        digits++;
    if (!digits || !orr_number_read((struct orr_span){at, digits}, number))
        return false;
    for (at += digits; at < end && *at == ' '; at++)
        ;
    size_t length;
    const double unit = orr_unit_at(at, end, &length);
    *ret_scale = unit > 0 ? unit : 1;
    return !number->missing;
}

/* The first number with one of the units "a|b" after it, and the span of both. */
static bool with_unit(struct orr_span line, const char *const *units, struct orr_span *ret_cell)
{
    const char *end = line.at + line.length;
    for (const char *at = line.at; at < end; at++) {
        const char *start = at;
        if (!orr_is_digit(*at) || (at > line.at && (orr_is_letter(at[-1]) || strchr("_-.", at[-1]))))
            continue;
        while (at < end && (orr_is_digit(*at) || *at == '.'))
            at++;
        const char *unit = at;
        while (unit < end && *unit == ' ')
            unit++;
        const char *stop = unit;
        while (stop < end && orr_is_letter(*stop))
            stop++;
        for (size_t i = 0; units[i]; i++)
            if (orr_span_is((struct orr_span){unit, (size_t)(stop - unit)}, units[i]) &&
                (stop == end || *stop != '/')) {
                *ret_cell = (struct orr_span){start, (size_t)(stop - start)};
                return true;
            }
        at--;
    }
    return false;
}

bool orr_labelled_take(struct orr_results_building *b, struct orr_span line)
{
    static const char *const sizes[] = {"b", "bytes", "kb", "kib", "mb", "mib", "gb", "gib", NULL};
    static const char *const times[] = {"us", "ms", "s", "sec", NULL};
    struct orr_number bus, alg = {.missing = true}, time = {.missing = true};
    double bus_scale, alg_scale = 1, time_scale = 1;
    struct orr_span cell;
    bool rounded;
    struct orr_result_row row = {.line = b->line, .root = -1};
    row.out = row.in = (struct orr_result_way){.time = -1, .alg_bw = -1, .bus_bw = -1, .wrong = -1};
    if (!named(line, "busbw", &bus, &bus_scale) || !with_unit(line, sizes, &cell) ||
        !orr_size_read(cell, 1, &row.size, &rounded))
        return false;
    if (with_unit(line, times, &cell) && orr_measure_read(cell, ORR_ROLE_TIME, &time, &time_scale))
        row.out.time = time.value * time_scale;
    if (named(line, "algbw", &alg, &alg_scale))
        row.out.alg_bw = alg.value * alg_scale;
    if (row.out.time <= 0 && row.out.alg_bw <= 0)
        return false; /* a sentence */
    row.out.bus_bw = bus.value * bus_scale;
    if (!b->results->form)
        b->results->form = "rows with the name of each figure";
    struct orr_evidence *e = orr_tables_add(b, &row, "", "");
    if (e && alg_scale == 1 && bus_scale == 1)
        orr_evidence_add(e, row.size, &(struct orr_number){.missing = true}, &alg, &bus);
    return true;
}
