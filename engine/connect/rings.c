/* Rings over all nodes: each node's part of the ring, from its first to its last GPU, one node after the other. */
#include "engine/connect/connecting.h"

/* Rails: a ring that leaves a node by another NIC than it entered would arrive at the next node on the wrong rail.
 * Where the search found such rings in pairs (0 in by A, out by B; 1 in by B, out by A), every second node takes the
 * other of the pair:
 *
 *      node 0        node 1        node 2
 *    A >[ch 0]> B  B >[ch 1]> A  A >[ch 0]> B
 */
static bool alternates(const struct orr_connecting *c, uint32_t node)
{
    if (node % 2 == 0 || c->base_channels % 2)
        return false;
    int32_t cross_nic = c->out->aligned[ORR_GRAPH_RING].cross_nic;
    switch (c->rules->rails) {
    case ORR_RAILS_AS_FOUND:
        return false;
    case ORR_RAILS_ALTERNATE_CROSS:
        return cross_nic != 0;
    case ORR_RAILS_ALTERNATE_PAIRS:
        return cross_nic == 2;
    case ORR_RAILS_ALTERNATE_OWN:
        return c->members[node].contribution->graphs[ORR_GRAPH_RING].cross_nic == 2;
    }
    return false;
}

/* The ring must name every rank once; NCCL follows it link by link and fails in the same cases. */
static enum orr_code check_part(const int32_t *row, uint32_t count, int32_t base, int32_t *seen, int32_t channel,
                                const struct orr_contribution *contribution, struct orr_error *err)
{
    for (uint32_t i = 0; i < count; i++)
        seen[base + row[i]] = channel;
    for (uint32_t i = 0; i < count; i++)
        if (seen[base + contribution->ranks[i]] != channel)
            return orr_fail(err, ORR_INTERNAL, "ring %d does not contain rank %d", channel,
                            base + contribution->ranks[i]);
    return ORR_OK;
}

/* Rings are told from rank 0 on, which is somewhere in node 0's part: that part's head comes last. */
static enum orr_code connect_ring(const struct orr_connecting *c, int32_t channel, int32_t *ring, int32_t *seen,
                                  struct orr_error *err)
{
    const int32_t *own = orr_graph_row(&c->members[0], ORR_GRAPH_RING, channel);
    uint32_t own_count = c->members[0].contribution->rank_count, start = 0, filled = 0;
    while (start < own_count && c->members[0].rank_base + own[start] != 0)
        start++;
    for (uint32_t n = 0; n < c->out->node_count; n++) {
        const struct orr_member *member = &c->members[n];
        const int32_t *row = orr_graph_row(member, ORR_GRAPH_RING, alternates(c, n) ? channel ^ 1 : channel);
        uint32_t count = member->contribution->rank_count;
        ORR_TRY(check_part(row, count, member->rank_base, seen, channel, member->contribution, err));
        for (uint32_t i = n == 0 ? start : 0; i < count; i++)
            ring[filled++] = member->rank_base + row[i];
    }
    for (uint32_t i = 0; i < start; i++)
        ring[filled++] = c->members[0].rank_base + own[i];
    return ORR_OK;
}

enum orr_code orr_connect_rings(struct orr_connecting *c, struct orr_error *err)
{
    struct orr_communicator *out = c->out;
    int32_t **rings = ORR_NEW(c->arena, int32_t *, (size_t)out->distinct_count);
    int32_t *seen = orr_ranks_new(c->arena, out->rank_count);
    if (!rings || !seen)
        return orr_fail_nomem(err);
    for (int32_t d = 0; d < out->distinct_count; d++) {
        if (d >= c->base_channels) { /* only the tree differs */
            rings[d] = rings[d - c->base_channels];
            continue;
        }
        rings[d] = ORR_NEW(c->arena, int32_t, out->rank_count);
        if (!rings[d])
            return orr_fail_nomem(err);
        ORR_TRY(connect_ring(c, d, rings[d], seen, err));
    }
    out->rings = rings;
    return ORR_OK;
}
