/* SPDX-License-Identifier: Apache-2.0 */
/* What the search found for each system: channels that name the system's own ranks, within the limits asked for. */
#include <math.h>

#include "engine/release/release.h"
#include "tests/property/checks.h"

static bool complain(const struct orr_release *release, const struct orr_graph *graph, const char *what,
                     int32_t channel, struct orr_error *err)
{
    return WRONG(err, "%s graph of pattern %d with %d channels: channel %d %s", orr_graph_name(release, graph->kind),
                 (int)graph->pattern, graph->channels, channel, what);
}

static uint32_t count_rank(const struct orr_part *part, int32_t rank)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < part->contribution.rank_count; i++)
        count += part->contribution.ranks[i] == rank;
    return count;
}

static bool check_channel(const struct orr_part *part, const struct orr_graph *graph, int32_t channel,
                          struct orr_error *err)
{
    const int32_t *row = graph->gpus + (size_t)channel * graph->gpu_count;
    for (uint32_t i = 0; i < graph->row_count; i++) {
        if (count_rank(part, row[i]) != 1)
            return complain(part->system.release, graph, "names a rank that its system lacks", channel, err);
        for (uint32_t j = 0; j < i; j++)
            if (row[i] == row[j])
                return complain(part->system.release, graph, "names a rank twice", channel, err);
    }
    if (graph->nets && graph->pattern == ORR_PATTERN_TREE && graph->nets[channel][0] != graph->nets[channel][1] &&
        !is_simple_order(graph)) /* which may name each end's own NIC */
        return complain(part->system.release, graph, "is a tree that leaves by another NIC than it entered by", channel,
                        err);
    return true;
}

/* How many channels the release may give a graph of a kind. */
static int32_t most_channels(const struct orr_part *part, enum orr_graph_kind kind)
{
    const struct orr_release *release = part->system.release;
    switch (kind) {
    case ORR_GRAPH_RING:
        return release->ring_max_channels;
    case ORR_GRAPH_TREE:
    case ORR_GRAPH_COLLNET_CHAIN:
        return part->contribution.graphs[ORR_GRAPH_RING].channels;
    default:
        return release->max_channels;
    }
}

static bool check_graph(const struct orr_part *part, const struct orr_graph *graph, struct orr_error *err)
{
    const struct orr_release *release = part->system.release;
    bool always = graph->kind == ORR_GRAPH_RING || graph->kind == ORR_GRAPH_TREE;
    if (graph->channels < (always ? 1 : 0) || graph->channels > most_channels(part, graph->kind))
        return complain(release, graph, "is beyond the limits", graph->channels, err);
    if (!isfinite(graph->bw_intra) || !isfinite(graph->bw_inter) || graph->bw_intra < 0 || graph->bw_inter < 0)
        return complain(release, graph, "has no such rates", 0, err);
    if (orr_path_type_number(release, graph->type_intra) < 0 ||
        (orr_path_type_number(release, graph->type_inter) < 0 && graph->type_inter != ORR_PATH_DIS))
        return complain(release, graph, "has types that the release lacks", 0, err);
    uint32_t named = graph->pattern == ORR_PATTERN_NVLS ? 1 : graph->gpu_count; /* NVLS names heads only */
    if (graph->gpu_count != part->contribution.rank_count || graph->row_count != named)
        return complain(release, graph, "does not name all GPUs", 0, err);
    for (int32_t c = 0; c < graph->channels; c++)
        if (!check_channel(part, graph, c, err))
            return false;
    return true;
}

bool check_graphs(const struct orr_analysis *a, struct tally *tally, struct orr_error *err)
{
    for (uint32_t i = 0; i < a->part_count; i++)
        for (int kind = 0; kind < ORR_GRAPH_COUNT; kind++) {
            const struct orr_graph *graph = &a->parts[i].contribution.graphs[kind];
            bool always = kind == ORR_GRAPH_RING || kind == ORR_GRAPH_TREE;
            if (graph->pattern == ORR_PATTERN_NONE && (always || graph->channels))
                return WRONG(err, "part %u has no graph of kind %d", i, kind);
            if (graph->pattern == ORR_PATTERN_NONE)
                continue;
            tally->graphs++;
            if (graph->kind != (enum orr_graph_kind)kind || !check_graph(&a->parts[i], graph, err))
                return WRONG(err, "part %u: the graph of kind %d says it is %d", i, kind, (int)graph->kind);
        }
    return true;
}
