/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/report/answers_text.h"

#include "engine/report/report.h"

enum {
    SHAPES_SHOWN = 12,
    NICS_SHOWN = 16,
    MEASURED = 1 << 28
}; /* MEASURED: size in bytes of the predicted AllReduce */

static void add_shape(struct orr_table *table, const struct orr_groups_of_kind *kind,
                      const struct orr_group_shape *shape)
{
    const struct orr_analysis *analysis = shape->cluster->analysis;
    const struct orr_communicator *c = &analysis->communicator;
    const struct orr_graph *ring = &c->aligned[ORR_GRAPH_RING];
    struct orr_choice choice;
    ORR_LOCAL_TEXT(ranks, 200);
    orr_text_printf(&ranks, "%u", shape->ranks[0]);
    for (uint32_t i = 1; i < kind->size && i < 4; i++)
        orr_text_printf(&ranks, " %u", shape->ranks[i]);
    orr_table_add(table, ORR_STYLE_PLAIN, "%u", shape->groups);
    orr_table_add(table, ORR_STYLE_PLAIN, "%s%s", orr_text_data(&ranks), kind->size > 4 ? " ..." : "");
    orr_table_add(table, ORR_STYLE_PLAIN, "%u", shape->cluster->host_count);
    orr_table_add(table, ORR_STYLE_PLAIN, "%d", c->channel_count);
    orr_table_add(table, ORR_STYLE_PLAIN, "%s", orr_path_type_name(ring->type_intra));
    if (orr_tuning_choose(&analysis->tuning, c, &analysis->query.settings, ORR_ALLREDUCE, MEASURED, &choice)) {
        orr_table_add(table, ORR_STYLE_PLAIN, "%.1f", (double)choice.bus_bw);
        orr_table_add(table, ORR_STYLE_PLAIN, "%s, %s",
                      orr_algorithm_name(analysis->query.settings.release, choice.algorithm),
                      orr_protocol_name(choice.protocol));
    } else {
        orr_table_add(table, ORR_STYLE_PLAIN, "-");
        orr_table_add(table, ORR_STYLE_PLAIN, "-");
    }
}

static void write_loads(struct orr_page *page, const struct orr_cluster *cluster, const struct orr_groups_of_kind *kind)
{
    ORR_LOCAL_TEXT(text, 4096);
    for (uint32_t i = 0; i < kind->load_count && i < NICS_SHOWN; i++) {
        const struct orr_group_load *load = &kind->loads[i];
        const struct orr_system *built = &cluster->kinds[load->kind].analysis->built;
        char name[ORR_NIC_NAME_SIZE];
        orr_text_printf(&text, "%s%s %.3g", i ? ", " : "",
                        orr_report_nic_name(built, built->first[ORR_NET] + load->net, name), load->most);
    }
    if (kind->load_count > NICS_SHOWN)
        orr_text_printf(&text, ", and %u more", kind->load_count - NICS_SHOWN);
    if (text.data)
        orr_page_printf(page, ORR_STYLE_PLAIN, "  ", "Highest load of each NIC, in rings of one group: %s.", text.data);
}

void orr_groups_write(struct orr_page *page, const struct orr_cluster *cluster, const struct orr_groups *groups,
                      struct orr_arena *arena)
{
    static const char *const heads[] = {"Groups", "Ranks of the first", "Hosts", "Channels", "Path",
                                        "GB/s",   "Algorithm"};
    orr_page_printf(page, ORR_STYLE_PLAIN, "",
                    "%u ranks, NCCL %s. GB/s is the predicted bus bandwidth of AllReduce at 256 MiB.",
                    cluster->rank_count, cluster->settings.release->name);
    for (uint32_t k = 0; k < groups->kind_count; k++) {
        const struct orr_groups_of_kind *kind = &groups->kinds[k];
        struct orr_table table;
        orr_page_blank(page);
        orr_page_printf(page, ORR_STYLE_HEADING, "", "%s: %u group%s of %u rank%s", orr_group_kind_name(kind->kind),
                        kind->count, orr_plural(kind->count), kind->size, orr_plural(kind->size));
        orr_table_init(&table, arena, 7);
        table.right = 0x2d;
        for (int i = 0; i < 7; i++)
            orr_table_add(&table, ORR_STYLE_PLAIN, "%s", heads[i]);
        for (uint32_t i = 0; i < kind->shape_count && i < SHAPES_SHOWN; i++)
            add_shape(&table, kind, &kind->shapes[i]);
        orr_table_write(page, &table, "  ");
        if (kind->shape_count > SHAPES_SHOWN)
            orr_page_printf(page, ORR_STYLE_PLAIN, "  ", "%u further kinds of groups: --json has all.",
                            kind->shape_count - SHAPES_SHOWN);
        write_loads(page, cluster, kind);
    }
}
