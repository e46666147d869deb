/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the order of hosts that `orrery order` proposes as a table. */
#include "engine/cluster/cluster.h"
#include "engine/report/answers_text.h"
#include "engine/trials/suppositions.h"

static enum orr_code write_table(struct orr_page *page, const struct orr_order *order, const char *const *names,
                                 const char *const *leaves, struct orr_arena *arena)
{
    enum { COLUMNS = 5 };
    static const char *const heads[COLUMNS] = {"", "host", "NVLink domain", "leaf switch", "ranks"};
    const struct orr_cluster *c = order->present;
    struct orr_table table;
    orr_table_init(&table, arena, COLUMNS);
    for (int i = 0; i < COLUMNS; i++)
        orr_table_add(&table, ORR_STYLE_PLAIN, "%s", heads[i]);
    for (uint32_t i = 0, rank = 0; i < order->host_count; i++) {
        const uint32_t host = order->hosts[i], line = c->hosts[host].line, count = c->hosts[host].rank_count;
        orr_table_add(&table, ORR_STYLE_PLAIN, "%u", i);
        orr_table_add(&table, ORR_STYLE_PLAIN, "%s", names[host]);
        orr_table_add(&table, ORR_STYLE_PLAIN, "%s", c->lines[line].domain ? c->lines[line].domain : "-");
        orr_table_add(&table, ORR_STYLE_PLAIN, "%s", leaves && leaves[line] ? leaves[line] : "-");
        if (order->better || orr_rank_order_by_host(c->order))
            orr_table_add(&table, ORR_STYLE_PLAIN, "%u-%u", rank, rank + count - 1);
        else
            orr_table_add(&table, ORR_STYLE_PLAIN, "%u, as now (%s)", count, orr_rank_order_name(c->order));
        rank += count;
    }
    orr_table_write(page, &table, "");
    return ORR_OK;
}

enum orr_code orr_report_order(struct orr_page *page, const struct orr_order *order, const char *const *names,
                               const char *const *leaves, struct orr_error *err)
{
    ORR_LOCAL_TEXT(notes, 1 << 16);
    ORR_LOCAL_TEXT(assumed, 256);
    ORR_LOCAL_ARENA(arena, 0);
    ORR_NEED(arena, err);
    ORR_TRY(orr_order_notes(order, names, "", &notes, err));
    orr_page_verdict(page, order->better ? ORR_STYLE_CAREFUL : ORR_STYLE_GOOD, order->sentence);
    orr_supposed_of(order->present->analysis, order->present->member_count > 1, &assumed);
    if (assumed.length)
        orr_page_printf(page, ORR_STYLE_CAREFUL, "", ORR_RESTS_ON, orr_text_data(&assumed));
    orr_page_say(page, ORR_STYLE_PLAIN, "", order->proof);
    orr_page_lines(page, orr_text_data(&notes));
    orr_page_blank(page);
    return write_table(page, order, names, leaves, arena);
}
