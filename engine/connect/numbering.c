/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers the nodes, and finds the node of each rank. docs/nccl/connect.md, "Node numbers". */
#include "engine/connect/connecting.h"

int32_t *orr_ranks_new(struct orr_arena *arena, size_t count)
{
    int32_t *ranks = ORR_NEW(arena, int32_t, count);
    if (ranks)
        for (size_t i = 0; i < count; i++)
            ranks[i] = -1;
    return ranks;
}

/* A graph may name only its own system's ranks, so that later steps can index by them. */
static enum orr_code check_graph(const struct orr_graph *graph, const struct orr_contribution *contribution,
                                 const int32_t *marks, int32_t mark_count, int32_t mark, struct orr_error *err)
{
    if (graph->channels < 0 || graph->channels > ORR_MAX_CHANNELS)
        return orr_fail(err, ORR_INTERNAL, "a graph has %d channels", graph->channels);
    if (graph->channels && (graph->row_count > graph->gpu_count || !graph->gpus))
        return orr_fail(err, ORR_INTERNAL, "a graph's channels have no GPUs");
    bool whole = graph->kind != ORR_GRAPH_NVLS && graph->kind != ORR_GRAPH_COLLNET_DIRECT;
    if (graph->channels && whole && graph->gpu_count != contribution->rank_count)
        return orr_fail(err, ORR_INTERNAL, "a graph's channels have %u GPUs of %u", graph->gpu_count,
                        contribution->rank_count);
    for (int32_t c = 0; c < graph->channels; c++)
        for (uint32_t i = 0; i < graph->row_count; i++) {
            int32_t rank = graph->gpus[(size_t)c * graph->gpu_count + i];
            if (rank < 0 || rank >= mark_count || marks[rank] != mark)
                return orr_fail(err, ORR_INTERNAL, "a graph names rank %d, which its system lacks", rank);
        }
    return ORR_OK;
}

static enum orr_code check_contribution(const struct orr_contribution *contribution, int32_t *marks, int32_t mark_count,
                                        int32_t mark, struct orr_error *err)
{
    for (uint32_t i = 0; i < contribution->rank_count; i++)
        marks[contribution->ranks[i]] = mark;
    for (int kind = 0; kind < ORR_GRAPH_COUNT; kind++) {
        if (contribution->graphs[kind].pattern == ORR_PATTERN_NONE)
            continue;
        ORR_TRY(check_graph(&contribution->graphs[kind], contribution, marks, mark_count, mark, err));
    }
    return ORR_OK;
}

enum orr_code orr_number_nodes(struct orr_connecting *c, uint32_t member_count, struct orr_error *err)
{
    struct orr_communicator *out = c->out;
    uint64_t total = 0;
    int32_t last = 0; /* highest host rank */
    for (uint32_t n = 0; n < member_count; n++) {
        const struct orr_contribution *contribution = c->members[n].contribution;
        total += contribution->rank_count;
        for (uint32_t i = 0; i < contribution->rank_count; i++) {
            if (contribution->ranks[i] < 0)
                return orr_fail(err, ORR_INTERNAL, "a system has rank %d", contribution->ranks[i]);
            if (contribution->ranks[i] > last)
                last = contribution->ranks[i];
        }
        if (!contribution->rank_count)
            return orr_fail(err, ORR_NO_RANKS, "a system has no GPU with a rank");
        if (n == 0 || contribution->rank_count > out->max_local_ranks)
            out->max_local_ranks = contribution->rank_count;
        if (n == 0 || contribution->rank_count < out->min_local_ranks)
            out->min_local_ranks = contribution->rank_count;
    }
    if (!total || total > INT32_MAX / 4)
        return orr_fail(err, ORR_LIMIT, "a communicator of %llu ranks cannot be built", (unsigned long long)total);
    out->rank_count = (uint32_t)total;
    out->node_count = member_count;
    out->most_host_ranks = (uint32_t)last + 1;
    out->own_local_ranks = c->members[0].contribution->rank_count;
    out->has_nvswitch = c->members[0].contribution->has_nvswitch;

    int32_t *nodes = orr_ranks_new(c->arena, out->rank_count);
    int32_t *marks = orr_ranks_new(c->arena, (size_t)last + 1);
    ORR_NEED(nodes && marks, err);
    const struct orr_contribution *checked = NULL;
    for (uint32_t n = 0; n < member_count; n++) {
        const struct orr_member *member = &c->members[n];
        for (uint32_t i = 0; i < member->contribution->rank_count; i++) {
            int64_t rank = member->rank_map ? member->rank_map[member->contribution->ranks[i]]
                                            : (int64_t)member->rank_base + member->contribution->ranks[i];
            if (rank < 0 || rank >= out->rank_count || nodes[rank] >= 0)
                return orr_fail(err, ORR_INTERNAL, "rank %lld of system %u is taken or beyond the last",
                                (long long)rank, n);
            nodes[rank] = (int32_t)n;
        }
        if (member->contribution != checked) /* equal hosts are usually adjacent */
            ORR_TRY(check_contribution(member->contribution, marks, last + 1, (int32_t)n, err));
        checked = member->contribution;
    }
    if (nodes[0] != 0)
        return orr_fail(err, ORR_INTERNAL, "rank 0 is not in the first system");
    out->node_of_rank = nodes;
    return ORR_OK;
}
