/* SPDX-License-Identifier: Apache-2.0 */
/* What a cluster gains without the hosts that differ from most. Nothing is repaired: the others are analysed again
 * without them. */
#include "engine/diagnosis/without_hosts.h"

#include <stdio.h>
#include <string.h>

#include "engine/cluster/again.h"
#include "engine/cluster/standing.h"
#include "engine/diagnosis/measure.h"

enum { MOST_WHAT = ORR_HOSTS_TEXT + 64 };

/* The lines without hosts of odd kinds, and a text that names what was left out; NULL if memory runs out. */
static struct orr_cluster_line *other_lines(const struct orr_cluster *c, struct orr_arena *arena, uint32_t *ret_count,
                                            uint32_t *ret_left_out, char what[MOST_WHAT])
{
    struct orr_cluster_line *lines = ORR_NEW(arena, struct orr_cluster_line, c->line_count);
    char list[ORR_HOSTS_TEXT];
    *ret_count = *ret_left_out = 0;
    if (!lines)
        return NULL;
    memcpy(lines, c->lines, c->line_count * sizeof *lines);
    for (uint32_t h = 0; h < c->host_count; h++)
        if (orr_kind_odd(c, c->systems[c->hosts[h].system].kind)) {
            lines[c->hosts[h].line].count--;
            ++*ret_left_out;
        }
    for (uint32_t l = 0; l < c->line_count; l++)
        if (lines[l].count)
            lines[(*ret_count)++] = lines[l];
    orr_hosts_text(c, orr_kind_odd, list);
    snprintf(what, MOST_WHAT, "%u of %u hosts left out (%s)", *ret_left_out, c->host_count, list);
    return lines;
}

enum orr_code orr_try_without_odd_hosts(const struct orr_analysis *analysis, struct orr_arena *arena,
                                        struct orr_diagnosed *row, struct orr_error *err)
{
    const struct orr_cluster *c = analysis->cluster;
    uint32_t count, left_out;
    char what[MOST_WHAT];
    struct orr_cluster_line *lines = other_lines(c, arena, &count, &left_out, what);
    ORR_NEED(lines, err);
    if (!left_out || !count)
        return ORR_OK;
    row->repair = orr_arena_strndup(arena, what, strlen(what));
    ORR_NEED(row->repair, err);
    if (c->order == ORR_ORDER_LIST || orr_analysis_steps(analysis) > ORR_CLUSTER_AGAIN_STEPS) {
        row->not_tried = c->order == ORR_ORDER_LIST ? "the ranks are listed one by one"
                                                    : "the analysis of this cluster takes too long to repeat";
        return ORR_OK;
    }
    const struct orr_cluster_request request = {
        .lines = lines, .line_count = count, .order = c->order, .settings = c->settings, .plan = true};
    struct orr_cluster *others;
    ORR_TRY(orr_cluster_analyze(&request, &others, err));
    struct orr_performance with, without;
    orr_measure(analysis, &with);
    orr_measure(others->analysis, &without);
    orr_cluster_free(others);
    /* Fewer hosts alone lower the latency, and the figures of one host are those of rank 0's host. */
    struct orr_measured now = {.hosts = {c->host_count}, .fused = 1, .count = 1}, repaired = now;
    now.figures[0] = (struct orr_performance){.known = true};
    repaired.figures[0] = now.figures[0];
    now.figures[0].value[ORR_COST_BUS_BW] = with.value[ORR_COST_BUS_BW];
    repaired.figures[0].value[ORR_COST_BUS_BW] = without.value[ORR_COST_BUS_BW];
    row->cost = orr_cost_between(&now, &repaired);
    row->has_cost = true;
    return ORR_OK;
}
