/* SPDX-License-Identifier: Apache-2.0 */
/* What tables of one text show together: figures in other units, and NVLink SHARP that helps less with fewer GPUs. */
#include <string.h>

#include "engine/perf/perfing.h"

enum { TABLES = 16 }; /* that are compared */

/* A table whose program prints Gb/s, while nccl-tests prints GB/s. */
static void compare_units(const struct orr_perf_work *work, struct orr_perf_check *check)
{
    static const double BITS = 8, NEAR = 0.1;
    const struct orr_perf_table *bits = NULL;
    for (uint32_t i = 0; i < check->table_count && !bits; i++)
        bits = check->tables[i].measured->in_bits ? &check->tables[i] : NULL;
    for (uint32_t i = 0; bits && i < check->table_count && i < TABLES; i++) {
        struct orr_perf_table *table = &check->tables[i];
        const struct orr_perf_row *own = &bits->rows[bits->row_count - 1], *other = NULL;
        const struct orr_perf_table *with = table;
        for (uint32_t k = 0; k < check->table_count && k < TABLES && table == bits; k++)
            with = check->tables[k].measured->in_bits ? with : &check->tables[k];
        const struct orr_perf_row *common = with == bits ? NULL : orr_perf_common_row(bits, with, &other);
        const bool agree =
            common && other->bus_bw > (1 - NEAR) * common->bus_bw && other->bus_bw < (1 + NEAR) * common->bus_bw;
        if (table != bits && !common)
            continue;
        char size[24];
        own = common ? common : own;
        orr_size_text(own->size, size);
        table->lead_count = 0; /* the question is which figure is right */
        orr_perf_lead(
            table, orr_arena_text(work->arena,
                                  "The table in line %u is in Gb/s, as its times show: %.4g Gb/s at %s are %.3g GB/s, "
                                  "and nccl-tests prints GB/s%s.",
                                  bits->measured->first_line, BITS * own->bus_bw, size, own->bus_bw,
                                  !common ? ""
                                  : agree ? orr_arena_text(work->arena, ": %.3g, so both agree", other->bus_bw)
                                          : orr_arena_text(work->arena, ": %.3g at that size", other->bus_bw)));
        orr_perf_lead(table, "Check: size / time of a row. DeepSpeed's benchmark prints GB/s with --bw-unit GBps; its "
                             "Throughput counts the size of AllReduce twice, and BusBW is that of nccl-tests.");
    }
}

/* NVLink SHARP on all GPUs of a board and on some of them: each GPU sends (n+1)/n of the data, and 2(n-1)/n of it in a
 * ring (nccl-tests#212). */
static void compare_ranks(const struct orr_perf_work *work, struct orr_perf_check *check)
{
    static const double DIFFER = 1.05;
    struct orr_perf_table *most = NULL;
    for (uint32_t i = 0; i < check->table_count; i++) {
        struct orr_perf_table *table = &check->tables[i];
        if (table->analysis && table->test == ORR_TEST_ALL_REDUCE && table->main != UINT32_MAX &&
            table->analysis->communicator.node_count == 1 && table->limit_known &&
            table->limit.what == ORR_BOUND_NVLS && (!most || table->analysis->ranks > most->analysis->ranks))
            most = table;
    }
    for (uint32_t i = 0; most && i < check->table_count; i++) {
        struct orr_perf_table *table = &check->tables[i];
        const struct orr_perf_row *all = NULL, *some;
        if (!table->analysis || table->test != ORR_TEST_ALL_REDUCE || table->verdict == ORR_PERF_LOW ||
            table->analysis->communicator.node_count > 1 || table->analysis->ranks >= most->analysis->ranks ||
            !(some = orr_perf_common_row(table, most, &all)) || all->bus_bw < DIFFER * some->bus_bw)
            continue;
        const double full = (double)most->analysis->ranks;
        table->lead_count = 0;
        orr_perf_lead(table, orr_arena_text(work->arena,
                                            "NVLink SHARP (NVLS) helps less with fewer GPUs, and that is normal: each "
                                            "GPU then sends (n+1)/n of the data, and 2(n-1)/n of it in a ring. So it "
                                            "is at best %.2f times as fast as the ring with %.0f GPUs, 1.2 times with "
                                            "4, and not faster with 3 or 2.",
                                            2 * (full - 1) / (full + 1), full));
        orr_perf_lead(table, "Check: NCCL_ALGO=Ring and NCCL_ALGO=NVLS with each number of GPUs. With few, NCCL takes "
                             "the ring, which is as fast.");
    }
}

void orr_perf_compare_tables(const struct orr_perf_work *work, struct orr_perf_check *check)
{
    compare_units(work, check);
    compare_ranks(work, check);
}
