/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/report/answers_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/report/read_text.h"

enum { CELL = 32 };

/* A bandwidth as a cell; "-" if there is none. */
static const char *bandwidth(bool known, double value, char cell[CELL])
{
    if (known)
        snprintf(cell, CELL, "%.2f", value);
    else
        snprintf(cell, CELL, "-");
    return cell;
}

enum { REASONS = 8 };

/* The number of a reason, which is added if it is new; 0 if there is no reason, or no room. */
static uint32_t reason_of(const char *why, const char *reasons[REASONS], uint32_t *count)
{
    for (uint32_t i = 0; i < *count; i++)
        if (!strcmp(reasons[i], why))
            return i + 1;
    if (!*why || *count == REASONS)
        return 0;
    reasons[(*count)++] = why;
    return *count;
}

static void write_rows(struct orr_page *page, const struct orr_perf_table *table)
{
    enum { COLUMNS = 6 };
    static const char *const heads[COLUMNS] = {"size", "busbw", "predicted", "normal", "algorithm", "verdict"};
    static const enum orr_style styles[] = {[ORR_PERF_EXPECTED] = ORR_STYLE_PLAIN,
                                            [ORR_PERF_HIGH] = ORR_STYLE_PLAIN,
                                            [ORR_PERF_LOW] = ORR_STYLE_BAD,
                                            [ORR_PERF_CANNOT_JUDGE] = ORR_STYLE_CAREFUL};
    const char *reasons[REASONS];
    uint32_t reason_count = 0;
    struct orr_table shown;
    ORR_LOCAL_ARENA(arena, 0);
    page->text->failed = page->text->failed || !arena;
    if (!arena)
        return;
    orr_table_init(&shown, arena, COLUMNS);
    shown.right = 0xf;
    for (int i = 0; i < COLUMNS; i++)
        orr_table_add(&shown, ORR_STYLE_PLAIN, "%s", heads[i]);
    for (uint32_t i = 0; i < table->row_count; i++) {
        const struct orr_perf_row *row = &table->rows[i];
        char measured[CELL], predicted[CELL], normal[CELL] = "-";
        if (row->known && row->band.low > 0)
            snprintf(normal, sizeof normal, "%.2f-%.2f", row->low, row->high);
        orr_table_add(&shown, ORR_STYLE_PLAIN, "%" PRIu64, row->size);
        orr_table_add(&shown, ORR_STYLE_PLAIN, "%s", bandwidth(row->bus_bw >= 0, row->bus_bw, measured));
        orr_table_add(&shown, ORR_STYLE_PLAIN, "%s",
                      bandwidth(row->known && row->expected.bus_bw >= 0, row->expected.bus_bw, predicted));
        orr_table_add(&shown, ORR_STYLE_PLAIN, "%s", normal);
        if (row->known)
            orr_table_add(&shown, ORR_STYLE_PLAIN, "%s %s", row->expected.algorithm_name, row->expected.protocol_name);
        else
            orr_table_add(&shown, ORR_STYLE_PLAIN, "-");
        const uint32_t reason = reason_of(row->why, reasons, &reason_count);
        char mark[16] = "";
        if (reason)
            snprintf(mark, sizeof mark, " (%u)", reason);
        orr_table_add(&shown, styles[row->verdict], "%s%s", orr_perf_verdict_name(row->verdict), mark);
    }
    orr_page_blank(page);
    orr_table_write(page, &shown, "  ");
    for (uint32_t i = 0; i < reason_count; i++)
        orr_page_line(page, "  ", "(%u) %s.", i + 1, reasons[i]);
}

/* Causes that were tried and fit, then advice, for which nothing speaks. */
static void write_explanations(struct orr_page *page, const struct orr_perf_table *table)
{
    for (uint32_t i = 0; i < table->explanation_count; i++) {
        const struct orr_perf_explanation *explanation = &table->explanations[i];
        if (!i)
            orr_page_blank(page);
        orr_page_line(page, "", "This looks as if %s (fit %.2f%s%s).", explanation->what, explanation->fit,
                      *explanation->evidence ? "; " : ", and no line of the input shows it", explanation->evidence);
        orr_page_line(page, "  ", "%s", explanation->confirm);
    }
    if (table->advice) {
        orr_page_blank(page);
        orr_page_say(page, ORR_STYLE_PLAIN, "", table->advice);
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
    static const enum orr_style styles[] = {[ORR_PERF_EXPECTED] = ORR_STYLE_GOOD,
                                            [ORR_PERF_HIGH] = ORR_STYLE_GOOD,
                                            [ORR_PERF_LOW] = ORR_STYLE_BAD,
                                            [ORR_PERF_CANNOT_JUDGE] = ORR_STYLE_CAREFUL};
    orr_page_verdict(page, styles[table->verdict], table->sentence);
    for (uint32_t i = 0; i < table->lead_count; i++)
        orr_page_say(page, ORR_STYLE_PLAIN, "", table->leads[i]);
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
        ORR_LOCAL_TEXT(results, 80);
        if (band->results)
            orr_text_printf(&results, ", %u result%s of %u source%s", band->results, orr_plural(band->results),
                            band->sources, orr_plural(band->sources));
        orr_page_line(page, "", "Normal is %.0f to %.0f %% of the prediction: %s%s.", 100 * band->low, 100 * band->high,
                      band->based_on, orr_text_data(&results));
    }
    for (uint32_t i = 0; i < table->assumed_count; i++)
        orr_page_line(page, "", "Assumed: %s.", table->assumed[i]);
    write_rows(page, table);
}

/* "Settings of the text: NCCL_ALGO=Tree, NCCL_IB_HCA=mlx5_0 (not applied)." */
static void write_settings(struct orr_page *page, const struct orr_perf_check *check)
{
    enum { SHOWN = 24, MOST = 1 << 16 };
    ORR_LOCAL_TEXT(text, MOST);
    for (uint32_t i = 0; i < check->setting_count && i < SHOWN; i++)
        orr_text_printf(&text, "%s%s=%s%s", i ? ", " : "", check->settings[i].name, check->settings[i].value,
                        check->settings[i].applied ? "" : " (without effect on the prediction)");
    if (check->setting_count)
        orr_page_printf(page, ORR_STYLE_PLAIN, "", "Settings of the text: %s.", orr_text_data(&text));
}

void orr_report_perf(struct orr_page *page, const struct orr_results *results, const struct orr_perf_check *check,
                     const struct orr_dump *beside, bool verbose)
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
    orr_report_read(page, beside, results->log, results);
    write_settings(page, check);
    if (verbose)
        orr_page_line(page, "", "Read as %s: %u table%s.", results->form, check->table_count,
                      orr_plural(check->table_count));
    for (uint32_t i = 0; i < results->note_count; i++)
        orr_page_line(page, "  ", "%s.", results->notes[i]);
}
