/* SPDX-License-Identifier: Apache-2.0 */
/* Compares each row with its prediction, and derives the verdict of the table. README.md has the rules. */

#include "engine/perf/perfing.h"

static double better(double a, double b)
{
    return a > b ? a : b;
}

/* The shorter of two times, either of which may be missing. */
static double shorter(double a, double b)
{
    return a <= 0 ? b : b <= 0 || a < b ? a : b;
}

struct orr_band orr_perf_band(const struct orr_analysis *analysis, const struct orr_expected *expected, uint64_t size)
{
    const struct orr_band_key key = {.link = orr_perf_network(analysis),
                                     .generation = analysis->communicator.sm_min / 10,
                                     .algorithm = expected->algorithm_name,
                                     .protocol = expected->protocol_name,
                                     .range = orr_perf_range(size)};
    return orr_band_find(orr_band_rows, orr_band_row_count, &key);
}

/* rounded: a person's figure, of a size that is only supposed to be large. */
static void judge(struct orr_perf_row *row, bool rounded, const char *undecidable)
{
    static const double ROUNDED = 0.95;
    row->low = row->expected.bus_bw * row->band.low * (rounded ? ROUNDED : 1);
    row->high = row->expected.bus_bw * row->band.high;
    row->verdict = row->bus_bw < row->low ? ORR_PERF_LOW : row->bus_bw > row->high ? ORR_PERF_HIGH : ORR_PERF_EXPECTED;
    if (row->verdict != ORR_PERF_EXPECTED && undecidable) {
        row->verdict = ORR_PERF_CANNOT_JUDGE;
        row->why = undecidable;
    }
}

/* The bus bandwidth, computed from the algorithm bandwidth if the text gives only that. */
static double bus_bw(const struct orr_result_way *way, const struct orr_perf_table *table)
{
    const struct orr_result_table *measured = table->measured;
    if (way->bus_bw >= 0 || way->alg_bw < 0 || !table->analysis || !measured->test_certain)
        return way->bus_bw;
    return way->alg_bw * orr_test_bus_factor(measured->test, (uint32_t)table->analysis->ranks);
}

void orr_perf_judge_rows(const struct orr_expectation *expectation, const char *undecidable,
                         struct orr_perf_table *table)
{
    for (uint32_t i = 0; i < table->row_count; i++) {
        const struct orr_result_row *measured = &table->measured->rows[i];
        struct orr_perf_row *row = &table->rows[i];
        *row =
            (struct orr_perf_row){.size = measured->size,
                                  .out = bus_bw(&measured->out, table),
                                  .in = bus_bw(&measured->in, table),
                                  .bus_bw = better(bus_bw(&measured->out, table), bus_bw(&measured->in, table)),
                                  .time = shorter(measured->out.time, measured->in.time),
                                  .verdict = ORR_PERF_CANNOT_JUDGE,
                                  .why = expectation ? "nothing is predicted for this size" : "there is no prediction"};
        row->known = expectation && orr_expect(expectation, row->size, &row->expected);
        if (!row->known)
            continue;
        row->band = orr_perf_band(table->analysis, &row->expected, row->size);
        if (orr_perf_range(row->size) < 0)
            row->why = "launching the kernels takes most of the time below 1 MiB";
        else if (row->band.low <= 0)
            row->why = "no published result shows what such machines reach at this size";
        else if (row->bus_bw < 0)
            row->why = "the row has no bus bandwidth";
        else
            row->why = "", judge(row, table->measured->size_supposed, undecidable);
    }
}

/* More than half of the rows near the largest judged size decide, or half of them if all have one size: they are of two
 * hosts or runs, and the question is why one is low. Smaller sizes decide only if their bands rest on
 * results of the same kind, and at least three sizes in a row from 64 MiB on are low. */
enum orr_perf_verdict orr_perf_verdict_of(const struct orr_perf_row *rows, uint32_t count, uint32_t *ret_main)
{
    enum { NEAR = 4, RUN = 3, RUN_RANGE = 3 };
    uint64_t largest = 0, least = UINT64_MAX;
    uint32_t top[ORR_PERF_VERDICT_COUNT] = {0}, last[ORR_PERF_VERDICT_COUNT], run = 0, judged = 0;
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].verdict != ORR_PERF_CANNOT_JUDGE)
            largest = rows[i].size > largest ? rows[i].size : largest, judged++;
    *ret_main = UINT32_MAX;
    if (!judged)
        return ORR_PERF_CANNOT_JUDGE;
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].verdict != ORR_PERF_CANNOT_JUDGE && rows[i].size >= largest / NEAR) {
            top[rows[i].verdict]++;
            least = rows[i].size < least ? rows[i].size : least;
            last[rows[i].verdict] = i;
        }
    uint32_t all = top[ORR_PERF_EXPECTED] + top[ORR_PERF_LOW] + top[ORR_PERF_HIGH];
    enum orr_perf_verdict verdict = 2 * top[ORR_PERF_LOW] + (least == largest && all > 1) > all ? ORR_PERF_LOW
                                    : 2 * top[ORR_PERF_HIGH] > all                              ? ORR_PERF_HIGH
                                                                                                : ORR_PERF_EXPECTED;
    if (top[verdict])
        *ret_main = last[verdict];
    for (uint32_t i = 0; i < count && verdict == ORR_PERF_EXPECTED; i++) {
        bool low = rows[i].verdict == ORR_PERF_LOW && !rows[i].band.wide && rows[i].band.sources >= 2 &&
                   orr_perf_range(rows[i].size) >= RUN_RANGE;
        run = low ? run + 1 : 0;
        if (run == RUN) {
            verdict = ORR_PERF_LOW;
            *ret_main = i;
        }
    }
    for (uint32_t i = 0; i < count && *ret_main == UINT32_MAX; i++) /* a tie: no verdict has the majority */
        if (rows[i].verdict != ORR_PERF_CANNOT_JUDGE && rows[i].size == largest)
            *ret_main = i;
    return verdict;
}

bool orr_perf_is_of_pairs(const struct orr_perf_table *table)
{
    return table->test == ORR_TEST_SENDRECV || table->test == ORR_TEST_ALLTOALL || table->test == ORR_TEST_ALLTOALLV;
}
