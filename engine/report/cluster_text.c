/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the hosts of a cluster that are at fault as a table with one row for each fault. */
#include "engine/cluster/standing.h"
#include "engine/report/report.h"

static void add_gain(struct orr_table *table, bool known, double figure, double now)
{
    if (known)
        orr_table_add(table, ORR_STYLE_PLAIN, "%.0f (%+.0f)", figure, figure - now);
    else
        orr_table_add(table, ORR_STYLE_PLAIN, "-");
}

void orr_report_cluster_faults(struct orr_page *page, const struct orr_report *report)
{
    static const char *const heads[] = {"Hosts", "Device", "Repaired", "Drained"};
    const struct orr_cluster_faults *faults = &report->faults;
    struct orr_table table;
    bool together = false;
    orr_page_say(page, ORR_STYLE_BAD, "  ", faults->sentence);
    orr_table_init(&table, report->arena, 4);
    table.right = 1 << 2 | 1 << 3;
    for (int i = 0; i < 4; i++)
        orr_table_add(&table, ORR_STYLE_PLAIN, "%s", heads[i]);
    for (uint32_t i = 0; i < faults->count; i++) {
        const struct orr_cluster_fault *row = &faults->rows[i];
        char hosts[ORR_HOSTS_TEXT];
        orr_host_list_text(report->analysis->cluster, row->hosts, row->host_count, hosts);
        orr_table_add(&table, ORR_STYLE_PLAIN, "%s", hosts);
        orr_table_add(&table, ORR_STYLE_PLAIN, "%s", row->device[0] ? row->device : "-");
        together |= row->together;
        if (row->together)
            orr_table_add(&table, ORR_STYLE_PLAIN, "with others");
        else
            add_gain(&table, row->has_fixed, row->fixed, faults->now);
        add_gain(&table, row->has_drained, row->drained, faults->now);
    }
    orr_page_printf(page, ORR_STYLE_PLAIN, "  ",
                    "AllReduce at 1 GiB in GB/s if only this fault is repaired%s, and if only its hosts are drained "
                    "(now: %.0f; everything repaired: %.0f):",
                    together ? " (\"with others\": gains only together with other repairs)" : "", faults->now,
                    faults->repaired);
    orr_table_write(page, &table, "  ");
    for (uint32_t i = 0; i < faults->count; i++)
        orr_page_printf(page, ORR_STYLE_PLAIN, "  - ", "%s. %s", faults->rows[i].what, faults->rows[i].remedy);
}
