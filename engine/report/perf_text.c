/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/report/perf_text.h"

#include <inttypes.h>
#include <stdio.h>

enum { CELL = 32 };

/* A bandwidth as a cell; "-": there is none. */
static const char *bandwidth(bool known, double value, char cell[CELL])
{
    if (known)
        snprintf(cell, CELL, "%.2f", value);
    else
        snprintf(cell, CELL, "-");
    return cell;
}

static void write_rows(struct orr_page *page, const struct orr_perf_table *table)
{
    orr_page_blank(page);
    orr_page_row(page, "%14s %9s %9s %19s  %-16s %s", "size", "busbw", "predicted", "normal", "algorithm", "verdict");
    for (uint32_t i = 0; i < table->row_count; i++) {
        const struct orr_perf_row *row = &table->rows[i];
        const bool has_band = row->known && row->band.low > 0;
        char measured[CELL], predicted[CELL], normal[CELL] = "-", algorithm[CELL] = "-";
        if (has_band)
            snprintf(normal, sizeof normal, "%9.2f-%-9.2f", row->low, row->high);
        if (row->known)
            snprintf(algorithm, sizeof algorithm, "%-7.12s %-8.12s", row->expected.algorithm_name,
                     row->expected.protocol_name);
        orr_page_row(page, "%14" PRIu64 " %9s %9s %19s  %-16s %s%s%s", row->size,
                     bandwidth(row->bus_bw >= 0, row->bus_bw, measured),
                     bandwidth(row->known && row->expected.bus_bw >= 0, row->expected.bus_bw, predicted), normal,
                     algorithm, orr_perf_verdict_name(row->verdict), *row->why ? ": " : "", row->why);
    }
}

static void write_explanations(struct orr_page *page, const struct orr_perf_table *table)
{
    for (uint32_t i = 0; i < table->explanation_count; i++) {
        const struct orr_perf_explanation *explanation = &table->explanations[i];
        if (!i)
            orr_page_blank(page);
        orr_page_line(page, "", "This looks as if %s (fit %.2f%s%s).", explanation->what, explanation->fit,
                      *explanation->evidence ? "; " : "", explanation->evidence);
        orr_page_line(page, "  ", "%s", explanation->confirm);
    }
    if (table->verdict == ORR_PERF_LOW && !table->explanation_count) {
        orr_page_blank(page);
        orr_page_line(page, "", "%s",
                      table->all_tried
                          ? "None of the configurations that were tried fits these results."
                          : "Not all configurations were tried: the analyses allowed for explanations were spent.");
    }
    for (uint32_t i = 0; i < table->shape_count; i++) {
        if (!i)
            orr_page_blank(page);
        orr_page_line(page, "", "%s", table->shapes[i].sentence);
    }
}

static void write_table(struct orr_page *page, const struct orr_perf_table *table)
{
    orr_page_line(page, "", "%s", table->sentence);
    write_explanations(page, table);
    if (table->per_nic > 0) {
        orr_page_blank(page);
        orr_page_line(page, "", "Each NIC carried %.1f GB/s in each direction.", table->per_nic);
    }
    if (*table->machine) {
        orr_page_blank(page);
        orr_page_line(page, "", "Machine: %s.", table->machine);
    }
    if (table->main != UINT32_MAX) {
        const struct orr_band *band = &table->rows[table->main].band;
        orr_page_line(page, "", "Normal is %.0f to %.0f %% of the prediction: %s, %u result%s of %u source%s.",
                      100 * band->low, 100 * band->high, band->based_on, band->results, orr_plural(band->results),
                      band->sources, orr_plural(band->sources));
    }
    for (uint32_t i = 0; i < table->assumed_count; i++)
        orr_page_line(page, "", "Assumed: %s.", table->assumed[i]);
    write_rows(page, table);
}

void orr_report_perf(struct orr_page *page, const struct orr_results *results, const struct orr_perf_check *check)
{
    for (uint32_t i = 0; i < check->table_count; i++) {
        const struct orr_perf_table *table = &check->tables[i];
        if (i)
            orr_page_blank(page);
        if (check->table_count > 1)
            orr_page_line(page, "", "Table %u (%s, line %u)", i + 1,
                          table->test < ORR_TEST_COUNT ? orr_test_programs[table->test].name : "operation not known",
                          table->measured->first_line);
        write_table(page, table);
    }
    orr_page_blank(page);
    orr_page_line(page, "", "Read as %s: %u table%s.", results->form, check->table_count,
                  orr_plural(check->table_count));
    for (uint32_t i = 0; i < results->note_count; i++)
        orr_page_line(page, "  ", "%s.", results->notes[i]);
}
