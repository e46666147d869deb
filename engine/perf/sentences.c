/* SPDX-License-Identifier: Apache-2.0 */
/* What people read: the verdict in one sentence. */
#include <stdarg.h>
#include <stdio.h>

#include "engine/perf/perfing.h"

const char *orr_perf_text(struct orr_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *kept = orr_arena_vprintf(arena, 640, format, arguments);
    va_end(arguments);
    return kept ? kept : "";
}

static const char *number(char text[16], double value)
{
    snprintf(text, 16, value >= 99.95 ? "%.0f" : value >= 9.995 ? "%.1f" : "%.2f", value);
    return text;
}

/* "predicted 380, normal 340-395; Ring, Simple; limited by 8 NICs of 48 GB/s" */
static void describe(const struct orr_perf_table *table, const struct orr_perf_row *row, char text[320])
{
    char expected[16], low[16], high[16];
    int used = snprintf(text, 320, "predicted %s, normal %s–%s; %s, %s", number(expected, row->expected.bus_bw),
                        number(low, row->low), number(high, row->high), row->expected.algorithm_name,
                        row->expected.protocol_name);
    if (table->limit_known && used > 0 && used < 320)
        snprintf(text + used, (size_t)(320 - used), "; limited by %s", table->limit.text);
}

const char *orr_perf_sentence(const struct orr_perf_work *work, const struct orr_perf_table *table, const char *why)
{
    char size[24], measured[16], about[320];
    if (table->main == UINT32_MAX)
        return orr_perf_text(work->arena, "It cannot be judged whether this is the bandwidth to expect: %s.", why);
    const struct orr_perf_row *row = &table->rows[table->main];
    orr_size_text(row->size, size);
    number(measured, row->bus_bw);
    describe(table, row, about);
    switch (table->verdict) {
    case ORR_PERF_EXPECTED:
        return orr_perf_text(work->arena, "%s GB/s at %s is what this machine should give (%s).", measured, size,
                             about);
    case ORR_PERF_LOW:
        return orr_perf_text(work->arena, "%s GB/s at %s is %.0f %% of what this machine should give (%s).", measured,
                             size, 100 * row->bus_bw / row->expected.bus_bw, about);
    case ORR_PERF_HIGH:
        return orr_perf_text(work->arena,
                             "%s GB/s at %s is more than this machine should give (%s); the results may come from "
                             "another machine or NCCL release.",
                             measured, size, about);
    default:
        return orr_perf_text(work->arena, "It cannot be judged whether %s GB/s at %s is the bandwidth to expect: %s.",
                             measured, size, why);
    }
}
