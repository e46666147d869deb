/* SPDX-License-Identifier: Apache-2.0 */
/* Which setting to recommend. Only settings that were tried are named, and none that lowers the bandwidth of the ring.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/explain/explainer.h"

/* GB/s of all channels of a graph: now, or with a setting. */
struct totals {
    float now, then;
};

static float figure(const struct orr_consequence *row)
{
    return strtof(row->after, NULL); /* "none" is 0 */
}

static struct totals totals_of(const struct orr_explainer *e, const struct orr_what_if *row, enum orr_graph_kind kind)
{
    const struct orr_graph *graph = &e->a->parts[0].contribution.graphs[kind];
    const char *name = orr_graph_name(e->a->query.settings.release, kind);
    float bw = graph->nets ? graph->bw_inter : graph->bw_intra, channels = (float)graph->channels;
    struct totals totals = {.now = bw * channels};
    for (uint32_t i = 0; i < row->consequence_count; i++) {
        const struct orr_consequence *one = &row->consequences[i];
        if (!one->of || strcmp(one->of, name) != 0)
            continue;
        if (!strcmp(one->name, "channels"))
            channels = figure(one);
        else if (!strcmp(one->name, graph->nets ? "bw_inter" : "bw_intra"))
            bw = figure(one);
    }
    totals.then = bw * channels;
    return totals;
}

static bool is_negative(const char *verdict)
{
    return !strncmp(verdict, "no", 2) || !strncmp(verdict, "off", 3);
}

static bool improves(const struct orr_explainer *e, const struct orr_what_if *row, enum orr_aim aim)
{
    if (!row->changes || row->refused)
        return false;
    if (aim == ORR_AIM_YES)
        return !is_negative(row->then);
    struct totals totals = totals_of(e, row, e->why->graph);
    return totals.then > totals.now;
}

static const char *name_setting(struct orr_explainer *e, const struct orr_what_if *row)
{
    return *row->value ? orr_tell(e, "%s=%s", row->name, row->value) : orr_tell(e, "the default of %s", row->name);
}

const char *orr_advise(struct orr_explainer *e)
{
    const struct orr_explanation *out = e->out;
    enum orr_aim aim = e->row->aim;
    const struct orr_what_if *best = NULL;
    bool one_lowers = false;
    if (aim == ORR_AIM_NOTHING || !out->what_if_count || (aim == ORR_AIM_YES && !is_negative(out->verdict)))
        return NULL;
    for (uint32_t i = 0; i < out->what_if_count; i++) {
        const struct orr_what_if *row = &out->what_ifs[i];
        struct totals ring = totals_of(e, row, ORR_GRAPH_RING);
        if (!improves(e, row, aim))
            continue;
        if (ring.then < ring.now)
            one_lowers = true;
        else if (!best || (aim == ORR_AIM_BANDWIDTH &&
                           totals_of(e, row, e->why->graph).then > totals_of(e, best, e->why->graph).then))
            best = row;
    }
    if (best && aim == ORR_AIM_YES)
        return orr_tell(e, "With %s the answer would be: %s.", name_setting(e, best), best->then);
    if (best)
        return orr_tell(e, "With %s it would have %s.", name_setting(e, best), best->then);
    return orr_tell(e, "None of the settings that Orrery tried %s%s.",
                    aim == ORR_AIM_YES ? "changes this" : "gives it more bandwidth",
                    one_lowers ? " without lowering the bandwidth of the ring" : "");
}
