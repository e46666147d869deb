/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the verdict in one sentence for people. */
#include <stdio.h>
#include <string.h>

#include "engine/base/words.h"
#include "engine/log_reading/statements.h"
#include "engine/machines/machine_types.h"
#include "engine/perf/perfing.h"

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

/* "41.5 GB/s at 1 GiB is as expected if the NICs run at 100 Gb/s (predicted 42), low if the NICs run at 400 Gb/s
 * (predicted 96): which is it?" */
static const char *ask(const struct orr_perf_work *work, const struct orr_perf_table *table, const char *measured,
                       const char *size)
{
    char expected[16];
    const char *text = orr_arena_text(work->arena, "%s GB/s at %s is", measured, size);
    for (uint32_t i = 0; i < table->depends.count; i++) {
        const struct orr_depends *row = &table->depends.rows[i];
        const bool low = row->verdict == ORR_PERF_LOW;
        text = orr_arena_text(work->arena, "%s%s %s", text,
                              !i                             ? ""
                              : i + 1 < table->depends.count ? ","
                                                             : " and",
                              orr_perf_verdict_name((enum orr_perf_verdict)row->verdict));
        if (low)
            text = orr_arena_text(work->arena, "%s (%.0f %%)", text, 100 * row->bus_bw / row->expected);
        text = orr_arena_text(work->arena, "%s if %s", text, row->assuming);
        if (!low)
            text = orr_arena_text(work->arena, "%s (predicted %s)", text, number(expected, row->expected));
    }
    if (table->depends.count > 1)
        return orr_arena_text(work->arena, "%s: which is it? The input does not show it; run `%s`.", text,
                              table->confirm);
    return orr_arena_text(work->arena, "%s, which the input does not show; run `%s`.", text, table->confirm);
}

/* What the verdict rests on if the text names GPUs and no line shows the machine: "" if nothing. */
static const char *condition(const struct orr_perf_work *work, const struct orr_perf_table *table)
{
    const struct orr_result_table *measured = table->measured;
    const bool board = measured->board_assumed && !strcmp(table->machine_source, "guessed");
    const char *unit = measured->unit_unsure ? "the figure is in GB/s, as nccl-tests prints it" : "";
    if (board)
        return orr_arena_text(work->arena, "If the %u %s (line %u) are on a board with NVLink%s%s, ",
                              measured->said_gpus, measured->model, measured->said_line, *unit ? " and " : "", unit);
    if (*unit)
        return orr_arena_text(work->arena, "If %s, ", unit);
    return measured->one_host_assumed && table->verdict == ORR_PERF_LOW ? "If all the GPUs are in one host, " : "";
}

const char *orr_perf_split(const struct orr_perf_work *work)
{
    uint32_t line = 0;
    const uint32_t groups = work->results->log ? orr_log_test_groups(work->results->log, &line) : 1;
    return groups < 2 ? NULL : orr_arena_text(work->arena, "nccl-tests ran in %u groups (line %u)", groups, line);
}

static bool is_in_types(const char *model)
{
    const struct orr_machine_type *type;
    for (size_t i = 0; (type = orr_machine_type(i)); i++)
        if (orr_machine_type_has(type, model))
            return true;
    return false;
}

const char *orr_perf_no_machine(const struct orr_perf_work *work, const struct orr_result_table *measured)
{
    const char *split = orr_perf_split(work);
    if (split)
        return split;
    if (measured->model && is_in_types(measured->model))
        return measured->hosts
                   ? "no machine type has this many such GPUs in a host; name the machine with --machine TYPE "
                     "or --topology FILE"
                   : "the text does not show how many of these GPUs are in a host; name the machine with "
                     "--machine TYPE or --topology FILE";
    return measured->device_count
               ? "no machine type has such GPUs; name the machine with --machine TYPE or --topology FILE"
               : "the results do not show the machine; name it with --machine TYPE or --topology FILE";
}

/* The line that turns on SHARP of InfiniBand, whose switches reduce; 0 if there is none. */
static uint32_t line_of_sharp(const struct orr_log *log)
{
    for (uint32_t i = 0; log && i < log->setting_count; i++)
        if (!strcmp(log->settings[i].name, "NCCL_COLLNET_ENABLE") && !strcmp(log->settings[i].value, "1"))
            return log->settings[i].line;
    return 0;
}

static const char *verdict_of(const struct orr_perf_work *work, const struct orr_perf_table *table, const char *why)
{
    static const double SLIGHTLY = 1.1;
    char size[24], measured[16], about[320];
    if (table->main == UINT32_MAX)
        return orr_arena_text(work->arena, "Orrery cannot judge whether this is the bandwidth to expect: %s.", why);
    const struct orr_perf_row *row = &table->rows[table->main];
    orr_size_text(row->size, size);
    const uint32_t sharp = table->test == ORR_TEST_ALL_REDUCE ? line_of_sharp(work->results->log) : 0;
    number(measured, row->bus_bw);
    describe(table, row, about);
    if (table->verdict == ORR_PERF_CANNOT_JUDGE && table->depends.count)
        return ask(work, table, measured, size);
    switch (table->verdict) {
    case ORR_PERF_EXPECTED:
        if (table->slow_ports)
            return orr_arena_text(work->arena, "%s GB/s at %s is what NICs give that run at %g Gb/s (%s).", measured,
                                  size, table->slow_ports / 1000.0, about);
        return orr_arena_text(work->arena, "%s GB/s at %s is what this machine should give (%s).", measured, size,
                              about);
    case ORR_PERF_LOW:
        return orr_arena_text(work->arena, "%s GB/s at %s is %.0f %% of what this machine should give (%s).", measured,
                              size, 100 * row->bus_bw / row->expected.bus_bw, about);
    case ORR_PERF_HIGH:
        if (sharp)
            return orr_arena_text(
                work->arena,
                "%s GB/s at %s is more than without SHARP (%s), and may be right: with "
                "NCCL_COLLNET_ENABLE=1 (line %u) InfiniBand's switches can reduce, while busbw counts "
                "as for a ring, so it is not what the NICs carry.",
                measured, size, about, sharp);
        if (row->bus_bw < SLIGHTLY * row->high)
            return orr_arena_text(work->arena,
                                  "%s GB/s at %s is slightly more than predicted, so nothing is wrong (%s).", measured,
                                  size, about);
        return orr_arena_text(work->arena,
                              "%s GB/s at %s is more than this machine should give (%s); the results may come from "
                              "another machine or NCCL release.",
                              measured, size, about);
    default:
        return orr_arena_text(
            work->arena, "Orrery cannot judge whether %s GB/s at %s is the bandwidth to expect: %s.", measured, size,
            *why ? why : "it is more than the guessed machine gives; name the machine with --machine");
    }
}

const char *orr_perf_sentence(const struct orr_perf_work *work, struct orr_perf_table *table, const char *why)
{
    const char *when = condition(work, table), *verdict = verdict_of(work, table, why);
    if (table->main == UINT32_MAX || !*when)
        return verdict;
    if (!table->measured->board_assumed && !table->measured->unit_unsure)
        return orr_arena_text(work->arena, "%s%s", when, verdict);
    table->verdict = ORR_PERF_CANNOT_JUDGE;
    return orr_arena_text(work->arena, "%s%s%s", when, verdict,
                          table->measured->board_assumed
                              ? " If they are PCIe cards, paste the output of `nvidia-smi topo -m` too."
                              : " If it is in Gb/s, it is an eighth of that.");
}

ORR_WORD_LIST(orr_perf_verdict_name, size_t, "as expected", "low", "high", "cannot judge")
