/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the output of `orrery predict`. nccl-tests' layout has 116 columns; a narrower terminal gets only the columns
 * that people compare. */
#include <inttypes.h>

#include "engine/release/release_names.h"
#include "engine/report/answers_text.h"
#include "engine/report/report.h"
#include "engine/trials/suppositions.h"

enum { LAYOUT_WIDTH = 116, COLUMNS = 5 };

static void write_verdict(struct orr_page *page, const struct orr_expect_table *table)
{
    const struct orr_analysis *analysis = table->analysis;
    const struct orr_settings *settings = &analysis->query.settings;
    char extent[ORR_REPORT_EXTENT_SIZE], caveat[ORR_CAVEAT_SIZE];
    ORR_LOCAL_TEXT(text, 1024);
    orr_text_printf(&text, "%s_perf on %s: up to %.4g GB/s, limited by %s.", orr_test_programs[table->test].name,
                    orr_report_extent(analysis, extent), orr_expect_table_best(table), table->limit.text);
    orr_page_verdict(page, ORR_STYLE_GOOD, orr_text_data(&text));
    if (!orr_settings_verified(settings))
        orr_page_printf(page, ORR_STYLE_CAREFUL, "", "%s.", orr_settings_caveat(settings, caveat));
    orr_page_printf(page, ORR_STYLE_PLAIN, "",
                    "Predicted for NCCL %s, not measured. In place and out of place are predicted alike.",
                    settings->release->name);
}

enum orr_code orr_report_expected(struct orr_page *page, const struct orr_expect_table *table, struct orr_error *err)
{
    static const char *const heads[COLUMNS] = {"size (bytes)", "time (us)", "algbw", "busbw (GB/s)", "NCCL chooses"};
    struct orr_table shown;
    ORR_LOCAL_ARENA(arena, 0);
    ORR_LOCAL_TEXT(assumed, 256);
    ORR_NEED(arena, err);
    orr_supposed_of(table->analysis, table->analysis->communicator.node_count > 1, &assumed);
    if (page->line == ORR_PAGE_WHOLE || page->width >= LAYOUT_WIDTH) {
        if (assumed.length)
            orr_text_printf(page->text, "# " ORR_RESTS_ON "\n", orr_text_data(&assumed));
        orr_expect_table_write(table, page->text);
        return ORR_OK;
    }
    write_verdict(page, table);
    if (assumed.length)
        orr_page_printf(page, ORR_STYLE_CAREFUL, "", ORR_RESTS_ON, orr_text_data(&assumed));
    orr_page_blank(page);
    orr_table_init(&shown, arena, COLUMNS);
    shown.right = 0xf;
    for (int i = 0; i < COLUMNS; i++)
        orr_table_add(&shown, ORR_STYLE_PLAIN, "%s", heads[i]);
    for (uint32_t i = 0; i < table->count; i++) {
        const struct orr_expected *e = &table->rows[i].expected;
        orr_table_add(&shown, ORR_STYLE_PLAIN, "%" PRIu64, table->rows[i].size);
        orr_table_add(&shown, ORR_STYLE_PLAIN, "%.*f", e->time >= 10000 ? 0 : e->time >= 100 ? 1 : 2, e->time);
        orr_table_add(&shown, ORR_STYLE_PLAIN, "%.2f", e->alg_bw);
        orr_table_add(&shown, ORR_STYLE_PLAIN, "%.2f", e->bus_bw);
        orr_table_add(&shown, ORR_STYLE_PLAIN, "%s %s, %d channel%s", e->algorithm_name, e->protocol_name, e->channels,
                      orr_plural(e->channels));
    }
    orr_table_write(page, &shown, "  ");
    return ORR_OK;
}
