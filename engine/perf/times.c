/* SPDX-License-Identifier: Apache-2.0 */
/* What the measured times themselves show: a clock that did not wait, a latency that more ranks make longer, and
 * channels that are too few. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/words.h"
#include "engine/perf/perfing.h"

static double time_of(const struct orr_perf_row *row)
{
    return row->time > 0 ? row->time : 0;
}

bool orr_perf_is_untimed(const struct orr_perf_table *table)
{
    static const double MANY_TIMES = 16, ALIKE = 1.5, IMPOSSIBLE = 2000; /* GB/s of any link */
    const struct orr_perf_row *least = NULL, *most = NULL;
    for (uint32_t i = 0; i < table->row_count; i++) {
        const struct orr_perf_row *row = &table->rows[i];
        if (!(time_of(row) > 0))
            continue;
        least = !least || row->size < least->size ? row : least;
        most = !most || row->size > most->size ? row : most;
    }
    return most && (double)most->size >= MANY_TIMES * (double)least->size && most->bus_bw > IMPOSSIBLE &&
           most->time < ALIKE * least->time;
}

static bool say_untimed(const struct orr_perf_work *work, struct orr_perf_table *table)
{
    if (!orr_perf_is_untimed(table))
        return false;
    const struct orr_perf_row *first = &table->rows[0], *last = &table->rows[table->row_count - 1];
    char small[24], large[24];
    orr_size_text(first->size, small);
    orr_size_text(last->size, large);
    orr_perf_lead(table, orr_arena_text(work->arena,
                                        "The times do not grow with the size (%.3g us at %s, %.3g us at %s): they are "
                                        "those of the call, which returns as soon as its kernel is queued, and not of "
                                        "the operation.",
                                        first->time, small, last->time, large));
    orr_perf_lead(table, "Check: call torch.cuda.synchronize() (cudaStreamSynchronize) before each reading of the "
                         "clock, or measure with CUDA events; a barrier before the loop is not enough.");
    return true;
}

/* The time of a ring with many ranks: a fixed time and the size at a rate. */
struct fit {
    double fixed, slope; /* us, us a byte */
};

static bool fit_times(const struct orr_perf_table *table, struct fit *ret_fit)
{
    static const double LEAST = 1 << 26, NEAR = 0.25;
    enum { ROWS = 3 };
    const struct orr_perf_row *a = NULL, *b = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->row_count; i++) {
        const struct orr_perf_row *row = &table->rows[i];
        if (!(time_of(row) > 0) || (double)row->size < LEAST || (b && row->size <= b->size))
            continue;
        a = b;
        b = row;
        count++;
    }
    if (count < ROWS || b->time <= a->time)
        return false;
    ret_fit->slope = (b->time - a->time) / (double)(b->size - a->size);
    ret_fit->fixed = a->time - (double)a->size * ret_fit->slope;
    for (uint32_t i = 0; i < table->row_count; i++) {
        const struct orr_perf_row *row = &table->rows[i];
        const double fitted = ret_fit->fixed + (double)row->size * ret_fit->slope;
        if (time_of(row) > 0 && (double)row->size >= LEAST && fabs(fitted - row->time) > NEAR * row->time)
            return false;
    }
    return ret_fit->fixed > 0;
}

/* AllGather and ReduceScatter have a ring over all ranks, whose latency grows with each (nccl#1712). */
static bool say_latency(const struct orr_perf_work *work, struct orr_perf_table *table)
{
    static const double SHARE = 0.3, LARGE = 1 << 28, STEP_MOST = 60; /* us */
    enum { RANKS = 32 };
    const uint32_t ranks = table->measured->ranks;
    const struct orr_perf_row *held = NULL;
    struct fit fit;
    char size[24], part[24];
    if ((table->test != ORR_TEST_ALL_GATHER && table->test != ORR_TEST_REDUCE_SCATTER) || ranks < RANKS ||
        !fit_times(table, &fit) || fit.fixed > STEP_MOST * ranks)
        return false;
    for (uint32_t i = 0; i < table->row_count; i++)
        if ((double)table->rows[i].size >= LARGE && table->rows[i].time > 0 && fit.fixed > SHARE * table->rows[i].time)
            held = &table->rows[i];
    const double rate = orr_test_bus_factor(table->test, ranks) / fit.slope / 1e3;
    if (!held || (table->analysis && table->main != UINT32_MAX && table->rows[table->main].expected.bus_bw > 0 &&
                  rate < 0.7 * table->rows[table->main].expected.bus_bw))
        return false;
    orr_size_text(held->size, size);
    orr_size_text(held->size / ranks, part);
    orr_perf_lead(
        table, orr_arena_text(
                   work->arena,
                   "This is latency, not bandwidth: the times are %.3g ms, whatever the size, plus the size at a bus "
                   "bandwidth of %.0f GB/s. A ring over %u ranks has %u steps (%.2g us each), and each carries only "
                   "size / ranks, %s at %s.",
                   fit.fixed / 1e3, rate, ranks, ranks - 1, fit.fixed / (ranks - 1), part, size));
    orr_perf_lead(table, "Check: the largest sizes reach that bandwidth, and at one size the time grows in proportion "
                         "to the number of ranks. AllReduce has trees, whose latency grows with the logarithm.");
    orr_perf_lead(table, "Make the operations larger (more parameters in each AllGather of FSDP), or use fewer ranks "
                         "in each group.");
    return true;
}

bool orr_perf_is_cold(const struct orr_perf_table *table)
{
    enum { FEW = 2 }; /* iterations, of which the first then is a large part */
    return table->measured->warmup == 0 && table->measured->iterations > 0 && table->measured->iterations <= FEW;
}

static bool say_cold(const struct orr_perf_work *work, struct orr_perf_table *table)
{
    if (!orr_perf_is_cold(table))
        return false;
    orr_perf_lead(
        table, orr_arena_text(work->arena,
                              "The run had no warm-up (-w 0) and %d iteration%s (-n): the times contain what NCCL does "
                              "at the first use of an algorithm, which opens connections, allocates buffers and loads "
                              "kernels. That takes milliseconds and happens once.",
                              table->measured->iterations, orr_plural((uint64_t)table->measured->iterations)));
    orr_perf_lead(table, "Check: run with -w 5 -n 20, the bandwidth of which can be judged. A program can make a small "
                         "operation of each kind at its start.");
    return true;
}

bool orr_perf_say_times(const struct orr_perf_work *work, struct orr_perf_table *table)
{
    return say_untimed(work, table) || say_cold(work, table) || say_latency(work, table);
}

/* A channel is a thread block, and too few of them fill neither NVLinks nor many NICs (nccl#1703), which NCCL's model
 * does not know. */
bool orr_perf_say_channels(const struct orr_perf_work *work, struct orr_perf_table *table)
{
    static const double LEAST = 10, MOST = 27; /* GB/s of a channel */
    static const char *const names[] = {"NCCL_MAX_NCHANNELS", "NCCL_MAX_CTAS"};
    const struct orr_perf_row *row = &table->rows[table->main];
    for (uint32_t i = 0; i < work->check->setting_count; i++) {
        const struct orr_perf_setting *setting = &work->check->settings[i];
        const long channels = strtol(setting->value, NULL, 10);
        if ((strcmp(setting->name, names[0]) != 0 && strcmp(setting->name, names[1]) != 0) || channels <= 0 ||
            row->bus_bw < LEAST * (double)channels || row->bus_bw > MOST * (double)channels)
            continue;
        bool both = false;
        for (uint32_t k = 0; k < work->check->setting_count; k++)
            both |= !strcmp(work->check->settings[k].name, "NCCL_MIN_NCHANNELS");
        orr_perf_lead(
            table,
            orr_arena_text(work->arena,
                           "%s=%s (line %u) leaves NCCL %ld channels. Each is one thread block, which moves 20 to "
                           "25 GB/s at best (%.3g here), so they fill neither fast NVLinks nor many NICs.",
                           setting->name, setting->value, setting->line, channels, row->bus_bw / (double)channels));
        orr_perf_lead(table, "Check: run without it, also on one host alone; NCCL_DEBUG=INFO then prints more \"coll "
                             "channels\".");
        orr_perf_lead(table, orr_arena_text(work->arena, "Unset %s%s: NCCL chooses as many channels as the links need.",
                                            setting->name, both ? " and NCCL_MIN_NCHANNELS" : ""));
        return true;
    }
    return false;
}
