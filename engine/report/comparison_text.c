/* SPDX-License-Identifier: Apache-2.0 */
/* Writes comparisons as text for people: the cost of the difference, the differences, and NCCL's decisions that
 * change. */
#include <string.h>

#include "engine/report/answers_text.h"
#include "engine/topology/machine.h"
#include "engine/whatif/shown.h"

enum { ROWS_SHOWN = 60, DEVIANTS_SHOWN = 12, FIGURES = 64, TEXT_MOST = 1 << 16 };

static void put_outcomes(struct orr_page *page, const struct orr_changes *changes, const char *sides)
{
    ORR_LOCAL_TEXT(table, TEXT_MOST);
    orr_changes_outcomes(changes, sides, &table);
    if (!table.length)
        return;
    orr_page_blank(page);
    orr_page_lines(page, orr_text_data(&table));
}

void orr_report_outcomes(struct orr_page *page, const struct orr_changes *changes)
{
    put_outcomes(page, changes, "before > after");
}

void orr_report_unlike(const struct orr_comparison *c, const struct orr_unlike *row, bool over_time,
                       struct orr_text *text)
{
    static const char *const words[2][5] = {{"is missing in B", "is in B only", " in A", " in B", " in B"},
                                            {"is gone", "is new", " before", " now", " now"}};
    char a[ORR_DEVICE_NAME_SIZE] = "", b[ORR_DEVICE_NAME_SIZE] = "", peers[2][ORR_DEVICE_NAME_SIZE];
    const char *const *said = words[over_time];
    if (row->a != ORR_NO_DEVICE)
        orr_device_text(&c->devices_a, row->a, a);
    if (row->b != ORR_NO_DEVICE)
        orr_device_text(&c->devices_b, row->b, b);
    orr_text_printf(text, "%s", *a ? a : b);
    if (row->kind > ORR_UNLIKE_ADDED && *a && *b && strcmp(a, b) != 0)
        orr_text_printf(text, " (%s%s)", b, said[4]);
    switch (row->kind) {
    case ORR_UNLIKE_MISSING:
    case ORR_UNLIKE_ADDED:
        orr_text_printf(text, " %s", said[!*a]);
        if (row->gpus + row->nets > 1)
            orr_text_printf(text, ", with %u GPU%s and %u port%s", row->gpus, orr_plural(row->gpus), row->nets,
                            orr_plural(row->nets));
        break;
    case ORR_UNLIKE_MOVED:
        orr_text_printf(text, ": below %s%s, below %s%s", orr_device_text(&c->devices_a, row->peer_a, peers[0]),
                        said[2], orr_device_text(&c->devices_b, row->peer_b, peers[1]), said[3]);
        break;
    case ORR_UNLIKE_NVLINKS:
        orr_text_printf(text, ": NVLinks to %s: %s -> %s", orr_device_text(&c->devices_a, row->peer_a, peers[0]),
                        row->value_a, row->value_b);
        break;
    default:
        orr_text_printf(text, ": %s: %s -> %s", orr_unlike_text(row), row->value_a, row->value_b);
    }
}

static void put_unlike(struct orr_page *page, const struct orr_comparison *c, const struct orr_unlike *row)
{
    ORR_LOCAL_TEXT(text, TEXT_MOST);
    orr_report_unlike(c, row, false, &text);
    orr_page_line(page, "  ", "%s", orr_text_data(&text));
}

static void put_hardware(struct orr_page *page, const struct orr_comparison *c)
{
    const uint32_t count = c->unlikes.count - c->unlikes.numbering;
    if (count)
        orr_page_heading(page, "Hardware that differs");
    for (uint32_t i = 0; i < count && i < ROWS_SHOWN; i++)
        put_unlike(page, c, &c->unlikes.rows[i]);
    if (count > ROWS_SHOWN)
        orr_page_line(page, "  ", "and %u more (--json lists them)", count - ROWS_SHOWN);
}

/* Differences in names and numbers: equal ones share a line, with the first as the example. */
static void put_numbering(struct orr_page *page, const struct orr_comparison *c)
{
    static const char *const kinds[ORR_DEVICE_KIND_COUNT] = {"dumps", "hosts", "CPUs", "bridges", "GPUs",
                                                             "NICs",  "GPUs",  "NICs", "ports"};
    const uint32_t from = c->unlikes.count - c->unlikes.numbering;
    uint32_t counts[ORR_DEVICE_KIND_COUNT][FIGURES] = {0};
    if (c->unlikes.numbering)
        orr_page_heading(page, "Names and numbers that differ for the same device");
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = from; i < c->unlikes.count; i++) {
            const struct orr_unlike *row = &c->unlikes.rows[i];
            const bool in_a = row->a != ORR_NO_DEVICE;
            const enum orr_device_kind kind = in_a ? c->devices_a.rows[row->a].kind : c->devices_b.rows[row->b].kind;
            uint32_t *count = &counts[kind][row->kind == ORR_UNLIKE_FIGURE && row->figure < FIGURES ? row->figure : 0];
            if (!pass)
                ++*count;
            else if (*count == 1)
                put_unlike(page, c, row);
            else if (*count)
                orr_page_line(page, "  ", "%u %s: %s: %s -> %s, and so on", *count, kinds[kind], orr_unlike_text(row),
                              row->value_a, row->value_b);
            if (pass)
                *count = 0;
        }
}

void orr_report_comparison(struct orr_page *page, const struct orr_comparison *c, const char *name_a,
                           const char *name_b, bool verbose)
{
    const struct orr_dump *dumps[2] = {c->a->dump, c->b->dump};
    ORR_LOCAL_TEXT(summary, TEXT_MOST);
    orr_comparison_summary(c, &summary);
    orr_page_verdict(page, ORR_STYLE_PLAIN, orr_text_data(&summary));
    orr_page_blank(page);
    for (int side = 0; side < 2; side++) {
        struct orr_machine_summary machine;
        ORR_LOCAL_TEXT(text, TEXT_MOST);
        orr_machine_summarise(dumps[side], &machine);
        orr_machine_sentence(&machine, &text);
        orr_page_line(page, side ? "B  " : "A  ", "%s: %s", side ? name_b : name_a, orr_text_data(&text));
    }
    orr_report_outcomes(page, &c->changes);
    put_hardware(page, c);
    put_numbering(page, c);
    orr_report_changes(page, &c->changes, verbose);
}

static void put_deviation(struct orr_page *page, const struct orr_majority *m, const struct orr_deviation *row,
                          const struct orr_called *called)
{
    const struct orr_unlike *unlike = &row->unlike;
    char name[ORR_DEVICE_NAME_SIZE];
    ORR_LOCAL_TEXT(text, TEXT_MOST);
    bool of_reference = unlike->a != ORR_NO_DEVICE;
    orr_text_printf(&text, "%s: %s",
                    orr_device_text(&m->devices[of_reference ? m->reference : row->example],
                                    of_reference ? unlike->a : unlike->b, name),
                    orr_deviation_text(row));
    if (unlike->kind == ORR_UNLIKE_NVLINKS)
        orr_text_printf(&text, ", %s", orr_device_text(&m->devices[m->reference], unlike->peer_a, name));
    if (row->decided)
        orr_text_printf(&text, ": %s on %u", row->majority, row->majority_hosts);
    else
        orr_text_puts(&text, ": no majority");
    orr_page_blank(page);
    orr_page_line(page, "  ", "%s", orr_text_data(&text));
    for (uint32_t i = 0; i < row->deviant_count && i < DEVIANTS_SHOWN; i++)
        orr_page_line(page, "    ", "%s  %s", row->values[i], called[row->deviants[i]].topology);
    if (row->deviant_count > DEVIANTS_SHOWN)
        orr_page_line(page, "    ", "and %u more (--json lists them)", row->deviant_count - DEVIANTS_SHOWN);
}

/* The performance of dumps that differ from the majority: a sentence for each, and a table for the dump that differs
 * most. */
static void put_effects(struct orr_page *page, const struct orr_majority *m, const struct orr_called *called,
                        const struct orr_changes *const *changes)
{
    const uint32_t most = orr_majority_costliest(m, changes);
    uint32_t compared = 0, said = 0;
    for (uint32_t s = 0; s < m->specimens; s++)
        compared += changes[s] && changes[s]->outcomes[0].host_count;
    const bool lists = compared > (most != UINT32_MAX); /* the summary names the outcome with the greatest loss */
    if (lists)
        orr_page_heading(page, "What they get");
    for (uint32_t s = 0; lists && s < m->specimens; s++) {
        ORR_LOCAL_TEXT(text, TEXT_MOST);
        if (!changes[s] || !changes[s]->outcomes[0].host_count || ++said > DEVIANTS_SHOWN)
            continue;
        orr_outcomes_say(&changes[s]->outcomes[0], &changes[s]->outcomes[1], &text);
        orr_page_line(page, "  ", "%s: %s", called[s].topology, orr_text_data(&text));
    }
    if (said > DEVIANTS_SHOWN)
        orr_page_line(page, "  ", "and %u more (--json lists them)", said - DEVIANTS_SHOWN);
    if (most == UINT32_MAX)
        return;
    orr_page_blank(page);
    orr_page_line(page, "", "%s compared with %s:", called[most].topology, called[m->reference].topology);
    put_outcomes(page, changes[most], "of the reference > of this dump");
}

void orr_report_majority(struct orr_page *page, const struct orr_majority *m, const struct orr_set_finding *findings,
                         uint32_t finding_count, const struct orr_called *called,
                         const struct orr_changes *const *changes)
{
    ORR_LOCAL_TEXT(summary, TEXT_MOST);
    orr_majority_summary(m, called, changes, &summary);
    orr_page_verdict(page, m->count ? ORR_STYLE_CAREFUL : ORR_STYLE_GOOD, orr_text_data(&summary));
    orr_page_line(page, "", "%u dumps were read, %u of them different. The others are compared with %s.", m->hosts,
                  m->specimens, called[m->reference].topology);
    put_effects(page, m, called, changes);
    for (uint32_t i = 0; i < finding_count; i++) {
        const struct orr_finding_row *row = &findings[i].row;
        orr_page_blank(page);
        orr_page_line(page, "", "%s %s: %s", orr_severity_name(row->severity), row->catalogue, row->title);
        orr_page_line(page, "  ", "%s", findings[i].detail);
        orr_page_line(page, "  ", "%s", row->advice);
    }
    for (uint32_t i = 0; i < m->count; i++)
        put_deviation(page, m, &m->rows[i], called);
}
