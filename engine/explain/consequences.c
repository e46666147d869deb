/* SPDX-License-Identifier: Apache-2.0 */
/* The consequences of a setting that people ask for first, channels and bandwidths, as text. */
#include <stdio.h>
#include <string.h>

#include "engine/explain/explainer.h"

/* Words for one figure of one graph; facts.c has the words for many. */
static const char *const texts[ORR_FACT_KIND_COUNT] = {
    [ORR_FACT_MAX_BW] = "fastest path",
    [ORR_FACT_TOTAL_BW] = "links of the best-connected GPU",
    [ORR_FACT_GRAPH_PATTERN] = "pattern",
    [ORR_FACT_GRAPH_CHANNELS] = "channels",
    [ORR_FACT_GRAPH_BW_INTRA] = "bandwidth of a channel inside the host",
    [ORR_FACT_GRAPH_BW_INTER] = "bandwidth of a channel to NICs",
    [ORR_FACT_GRAPH_TYPE_INTRA] = "farthest path between GPUs",
    [ORR_FACT_GRAPH_TYPE_INTER] = "farthest path to NICs",
    [ORR_FACT_GRAPH_CROSS_NIC] = "crossing of NICs",
    [ORR_FACT_CHANNELS] = "channels in total",
    [ORR_FACT_NVLS_CHANNELS] = "NVLS channels",
    [ORR_FACT_P2P_CHANNELS] = "point-to-point channels",
    [ORR_FACT_P2P_PER_PEER] = "point-to-point channels per peer",
};

static void write_value(const struct orr_change *change, int64_t value, char text[ORR_CONSEQUENCE_TEXT])
{
    if (value == ORR_FACT_ABSENT) {
        snprintf(text, ORR_CONSEQUENCE_TEXT, "none");
        return;
    }
    switch (orr_fact_info(change->kind)->unit) {
    case ORR_UNIT_FLOAT:
        snprintf(text, ORR_CONSEQUENCE_TEXT, "%.6g GB/s", (double)orr_fact_float(value));
        break;
    case ORR_UNIT_PATH_TYPE:
        snprintf(text, ORR_CONSEQUENCE_TEXT, "%s", orr_path_type_name((enum orr_path_type)value));
        break;
    case ORR_UNIT_PATTERN:
        snprintf(text, ORR_CONSEQUENCE_TEXT, "%s", orr_pattern_name((enum orr_pattern)value));
        break;
    default:
        snprintf(text, ORR_CONSEQUENCE_TEXT, "%lld", (long long)value);
    }
}

bool orr_pick_consequences(const struct orr_changes *changes, struct orr_arena *arena, struct orr_what_if *row)
{
    struct orr_consequence *rows = ORR_NEW(arena, struct orr_consequence, ORR_MOST_CONSEQUENCES);
    uint32_t count = 0;
    if (!rows)
        return false;
    for (size_t i = 0; i < changes->count && count < ORR_MOST_CONSEQUENCES; i++) {
        const struct orr_change *change = &changes->changes[i];
        const struct orr_fact_info *info = orr_fact_info(change->kind);
        if (!texts[change->kind])
            continue;
        struct orr_consequence *figure = &rows[count++];
        figure->name = info->name;
        figure->text = texts[change->kind];
        if (info->place == ORR_PLACE_GRAPH)
            figure->of = orr_graph_name(changes->a->query.settings.release, (enum orr_graph_kind)change->detail);
        write_value(change, change->a, figure->before);
        write_value(change, change->b, figure->after);
    }
    row->consequences = rows;
    row->consequence_count = count;
    row->changed = changes->changed;
    memcpy(row->section_changed, changes->section_changed, sizeof row->section_changed);
    return true;
}
