/* SPDX-License-Identifier: Apache-2.0 */
/* Finds deviations of a measured curve from the expected one: a knee, a cliff, a dip, a plateau, wrong values, runs
 * that differ at one size, and out-of-place runs that are slower than in-place ones, or the reverse. */
#include <math.h>

#include "engine/perf/perfing.h"

static void add_shape(struct orr_perf_table *table, enum orr_perf_shape_kind kind, uint64_t from, uint64_t to,
                      const char *sentence)
{
    if (table->shape_count < ORR_PERF_SHAPES)
        table->shapes[table->shape_count++] = (struct orr_perf_shape){kind, from, to, sentence};
}

static void find_wrong(const struct orr_perf_work *work, struct orr_perf_table *table)
{
    uint64_t from = 0, to = 0, wrong = 0;
    char text[24];
    for (uint32_t i = 0; i < table->row_count; i++) {
        const struct orr_result_row *row = &table->measured->rows[i];
        int64_t count = (row->out.wrong > 0 ? row->out.wrong : 0) + (row->in.wrong > 0 ? row->in.wrong : 0);
        if (count <= 0)
            continue;
        from = wrong ? from : row->size;
        to = row->size;
        wrong += (uint64_t)count;
    }
    orr_size_text(from, text);
    if (wrong)
        add_shape(table, ORR_PERF_SHAPE_WRONG, from, to,
                  orr_arena_text(work->arena,
                                 "The results contain %llu wrong value%s, first at %s: data was corrupted. A wrong "
                                 "result makes the bandwidth meaningless%s.",
                                 (unsigned long long)wrong, orr_plural((int64_t)wrong), text,
                                 orr_symptom_explaining(&work->check->symptoms, "tests-wrong")
                                     ? ""
                                     : "; look for errors of GPU memory, NVLinks and NICs first"));
}

/* A row's share of what such runs usually reach, or of the prediction if that is unknown; 0 if there is no figure. */
static double ratio(const struct orr_perf_row *row)
{
    double usual = row->band.low > 0 && !row->band.wide ? sqrt(row->band.low * row->band.high) : 1;
    return row->known && row->expected.bus_bw > 0 && row->bus_bw > 0 ? row->bus_bw / row->expected.bus_bw / usual : 0;
}

static bool counts(const struct orr_perf_row *row)
{
    return orr_perf_range(row->size) >= 0 && ratio(row) > 0;
}

/* Consecutive rows that reach a much smaller share of their prediction than the rows beside them. */
static void find_runs(const struct orr_perf_work *work, struct orr_perf_table *table)
{
    const double fallen = 0.75;
    char first[24], last[24];
    double before = 0; /* the best share so far */
    for (uint32_t i = 0; i < table->row_count; i++) {
        const struct orr_perf_row *row = &table->rows[i];
        if (!counts(row))
            continue;
        if (before <= 0 || ratio(row) >= fallen * before) {
            before = ratio(row) > before ? ratio(row) : before;
            continue;
        }
        uint32_t end = i;
        for (uint32_t k = i + 1;
             k < table->row_count && (!counts(&table->rows[k]) || ratio(&table->rows[k]) < fallen * before); k++)
            end = counts(&table->rows[k]) ? k : end;
        bool at_end = true;
        for (uint32_t k = end + 1; k < table->row_count; k++)
            at_end &= !counts(&table->rows[k]);
        orr_size_text(row->size, first);
        orr_size_text(table->rows[end].size, last);
        if (at_end && end - i < 2)
            add_shape(table, ORR_PERF_SHAPE_CLIFF, row->size, table->rows[end].size,
                      orr_arena_text(
                          work->arena,
                          "The bandwidth falls at the largest sizes, from %s on: %.3g GB/s where %.3g are predicted.",
                          first, table->rows[end].bus_bw, table->rows[end].expected.bus_bw));
        else if (at_end)
            add_shape(table, ORR_PERF_SHAPE_KNEE, row->size, table->rows[end].size,
                      orr_arena_text(work->arena,
                                     "From %s on, the bandwidth falls behind: smaller sizes reach %.0f %% of the usual "
                                     "bandwidth, %s only %.0f %%.",
                                     first, 100 * before, last, 100 * ratio(&table->rows[end])));
        else
            add_shape(table, ORR_PERF_SHAPE_DIP, row->size, table->rows[end].size,
                      orr_arena_text(work->arena,
                                     "The curve dips between %s and %s and recovers; NCCL uses %s with %s there.",
                                     first, last, row->expected.algorithm_name, row->expected.protocol_name));
        i = end;
    }
}

/* At least three of the largest sizes are within 4 % while the prediction still rises by a tenth or is far above. */
static void find_plateau(const struct orr_perf_work *work, struct orr_perf_table *table)
{
    double least = 0, most = 0;
    uint32_t first = UINT32_MAX, rows = 0;
    char text[24];
    for (uint32_t i = table->row_count; i-- > 0;) {
        const struct orr_perf_row *row = &table->rows[i];
        if (!counts(row))
            continue;
        double low = rows ? fmin(least, row->bus_bw) : row->bus_bw, high = rows ? fmax(most, row->bus_bw) : row->bus_bw;
        if (high > 1.04 * low)
            break;
        least = low;
        most = high;
        first = i;
        rows++;
    }
    if (rows < 3 || ratio(&table->rows[first]) > 0.85)
        return;
    orr_size_text(table->rows[first].size, text);
    add_shape(table, ORR_PERF_SHAPE_PLATEAU, table->rows[first].size, table->rows[table->row_count - 1].size,
              orr_arena_text(work->arena, "The bandwidth is level at %.3g GB/s from %s on.", most, text));
}

/* Single rows of which one run is much slower than the other: NCCL does the same in both. */
static void find_unsteady(const struct orr_perf_work *work, struct orr_perf_table *table, uint32_t both)
{
    static const double FALLEN = 0.75;
    const struct orr_perf_row *worst = NULL;
    uint32_t fallen = 0;
    for (uint32_t i = 0; i < table->row_count; i++) {
        const struct orr_perf_row *row = &table->rows[i];
        const double share = row->out < row->in ? row->out / row->in : row->in / row->out;
        if (orr_perf_range(row->size) < 2 || row->out <= 0 || row->in <= 0 || share >= FALLEN)
            continue;
        fallen++;
        worst = worst && fmin(worst->out, worst->in) / fmax(worst->out, worst->in) < share ? worst : row;
    }
    if (!worst || 4 * fallen > both)
        return;
    char size[24];
    const bool out = worst->out < worst->in;
    const bool hosts = table->analysis ? table->analysis->communicator.node_count > 1 : table->measured->hosts > 1;
    orr_size_text(worst->size, size);
    add_shape(table, ORR_PERF_SHAPE_UNSTEADY, worst->size, worst->size,
              orr_arena_text(work->arena,
                             "At %s the %s run got %.3g GB/s and the %s run %.3g. NCCL does the same in both, so "
                             "something else disturbed one of them: %s. Run the test again with more iterations (-n "
                             "100); if the dip moves or goes, it is not NCCL's.",
                             size, out ? "out-of-place" : "in-place", out ? worst->out : worst->in,
                             out ? "in-place" : "out-of-place", out ? worst->in : worst->out,
                             hosts ? "congestion or changing routes in the network, or another job"
                                   : "another process, or clocks that changed"));
}

static void find_place(const struct orr_perf_work *work, struct orr_perf_table *table)
{
    uint32_t slower_out = 0, slower_in = 0, both = 0;
    for (uint32_t i = 0; i < table->row_count; i++) {
        const struct orr_perf_row *row = &table->rows[i];
        if (orr_perf_range(row->size) < 2 || row->out <= 0 || row->in <= 0)
            continue;
        both++;
        slower_out += row->out < 0.85 * row->in;
        slower_in += row->in < 0.85 * row->out;
    }
    find_unsteady(work, table, both);
    if (both < 2 || 2 * (slower_out > slower_in ? slower_out : slower_in) < both)
        return;
    add_shape(
        table, ORR_PERF_SHAPE_PLACE, 0, 0,
        orr_arena_text(
            work->arena, "%s runs are more than 15 %% slower than %s ones at %u of %u sizes; the better one is judged.",
            slower_out > slower_in ? "Out-of-place" : "In-place", slower_out > slower_in ? "in-place" : "out-of-place",
            slower_out > slower_in ? slower_out : slower_in, both));
}

void orr_perf_find_shapes(const struct orr_perf_work *work, struct orr_perf_table *table)
{
    find_wrong(work, table);
    if (table->verdict == ORR_PERF_LOW) {
        find_runs(work, table);
        find_plateau(work, table);
    }
    find_place(work, table);
}
