/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/report/read_text.h"

#include "engine/dump/notes.h"
#include "engine/log_reading/parts.h"

static void add_results(struct orr_text *text, const struct orr_results *results)
{
    uint32_t rows = 0;
    for (uint32_t i = 0; i < results->table_count; i++)
        rows += results->tables[i].row_count;
    const enum orr_test test = results->table_count ? results->tables[0].test : ORR_TEST_COUNT;
    if (rows)
        orr_text_printf(text, "%s%u row%s of %s%s", text->length ? "; " : "", rows, orr_plural(rows),
                        test == ORR_TEST_COUNT ? "nccl-tests" : orr_test_programs[test].name,
                        test == ORR_TEST_COUNT ? "" : "_perf");
}

void orr_report_read(struct orr_page *page, const struct orr_dump *dump, const struct orr_log *log,
                     const struct orr_results *results)
{
    const struct orr_dump_notes *notes = dump ? dump->notes : NULL;
    ORR_LOCAL_TEXT(text, 16384);
    if (log && log->nccl_count)
        orr_text_printf(&text, "%u line%s of NCCL's log", log->nccl_count, orr_plural(log->nccl_count));
    if (notes && notes->recognised)
        orr_text_printf(&text, "%s%s: %s", text.length ? "; " : "", notes->title, notes->recognised);
    else if (log)
        orr_log_parts(log, &text);
    if (results && !(notes && notes->recognised))
        add_results(&text, results);
    if (!text.length)
        return;
    orr_page_blank(page);
    orr_page_printf(page, ORR_STYLE_PLAIN, "", "Read: %s.", orr_text_data(&text));
}
