/* SPDX-License-Identifier: Apache-2.0 */
/* Rings over all nodes: each node's part of the ring, from its first to its last GPU, one node after the other.
 * docs/nccl/connect.md, "Rings over several nodes". */
#include "engine/base/budget.h"
#include "engine/connect/connecting.h"

/* Rails: a ring that leaves a node by another NIC than it entered would arrive at the next node on the wrong rail. If
 * the search found such rings in pairs (0 in by A, out by B; 1 in by B, out by A), every second node takes the other of
 * the pair. In some releases each rank decides by its own graph (viewer), so ranks may disagree:
 *
 *      node 0        node 1        node 2
 *    A >[ch 0]> B  B >[ch 1]> A  A >[ch 0]> B
 */
static bool alternates(const struct orr_communicator *c, uint32_t viewer, uint32_t node)
{
    if (node % 2 == 0 || c->base_channels % 2)
        return false;
    int32_t cross_nic = c->aligned[ORR_GRAPH_RING].cross_nic;
    switch (c->rules->rails) {
    case ORR_RAILS_AS_FOUND:
        return false;
    case ORR_RAILS_ALTERNATE_EVEN:
        return c->node_count % 2 == 0 && c->members[viewer].contribution->graphs[ORR_GRAPH_RING].cross_nic != 0;
    case ORR_RAILS_ALTERNATE_CROSS:
        return cross_nic != 0;
    case ORR_RAILS_ALTERNATE_PAIRS:
        return cross_nic == 2;
    case ORR_RAILS_ALTERNATE_OWN:
        return c->members[node].contribution->graphs[ORR_GRAPH_RING].cross_nic == 2;
    }
    return false;
}

int32_t orr_ring_channel(const struct orr_communicator *communicator, uint32_t node, int32_t channel)
{
    return alternates(communicator, 0, node) ? channel ^ 1 : channel;
}

/* Do all ranks agree on the rings? */
static bool agree(const struct orr_communicator *c)
{
    for (uint32_t n = 1; n < c->node_count; n++)
        if (c->rules->rails == ORR_RAILS_ALTERNATE_EVEN && alternates(c, n, 1) != alternates(c, 0, 1))
            return false;
    return true;
}

/* Every rank connects to the next rank of the ring as it sees it. */
static void walk_ring(const struct orr_communicator *c, int32_t channel, int32_t *ring)
{
    uint32_t node = 0;
    ring[0] = 0;
    for (uint32_t i = 1; i < c->rank_count; i++) {
        const struct orr_member *member = &c->members[node];
        const int32_t *row = orr_graph_row(member, ORR_GRAPH_RING, alternates(c, node, node) ? channel ^ 1 : channel);
        uint32_t at = 0, count = member->contribution->rank_count, next = (node + 1) % c->node_count;
        while (at < count && orr_member_rank(member, row[at]) != ring[i - 1])
            at++;
        if (at + 1 < count) {
            ring[i] = orr_member_rank(member, row[at + 1]);
            continue;
        }
        row = orr_graph_row(&c->members[next], ORR_GRAPH_RING, alternates(c, node, next) ? channel ^ 1 : channel);
        ring[i] = orr_member_rank(&c->members[next], row[0]);
        node = next;
    }
}

/* Rings are listed from rank 0, which may be anywhere in node 0's part, so the beginning of that part comes last. */
void orr_ring_make(const struct orr_communicator *c, int32_t distinct, int32_t *ring)
{
    int32_t channel = distinct % c->base_channels; /* the second half of the channels differs only in its trees */
    if (!agree(c)) {
        walk_ring(c, channel, ring);
        return;
    }
    const int32_t *own = orr_graph_row(&c->members[0], ORR_GRAPH_RING, channel);
    uint32_t own_count = c->members[0].contribution->rank_count, start = 0, filled = 0;
    while (start < own_count && orr_member_rank(&c->members[0], own[start]) != 0)
        start++;
    for (uint32_t n = 0; n < c->node_count; n++) {
        const struct orr_member *member = &c->members[n];
        const int32_t *row = orr_graph_row(member, ORR_GRAPH_RING, orr_ring_channel(c, n, channel));
        for (uint32_t i = n == 0 ? start : 0; i < member->contribution->rank_count; i++)
            ring[filled++] = orr_member_rank(member, row[i]);
    }
    for (uint32_t i = 0; i < start; i++)
        ring[filled++] = orr_member_rank(&c->members[0], own[i]);
}

/* A part of a ring must name every rank of its node once; NCCL follows the ring link by link and fails in the same
 * cases. */
static enum orr_code check_part(const int32_t *row, const struct orr_member *member, int32_t *seen, int32_t mark,
                                int32_t channel, struct orr_error *err)
{
    const struct orr_contribution *contribution = member->contribution;
    for (uint32_t i = 0; i < contribution->rank_count; i++)
        seen[row[i]] = mark;
    for (uint32_t i = 0; i < contribution->rank_count; i++)
        if (seen[contribution->ranks[i]] != mark)
            return orr_fail(err, ORR_INTERNAL, "ring %d does not contain rank %d", channel,
                            orr_member_rank(member, contribution->ranks[i]));
    return ORR_OK;
}

enum orr_code orr_check_rings(const struct orr_connecting *c, struct orr_error *err)
{
    const struct orr_communicator *out = c->out;
    const struct orr_contribution *checked[2] = {NULL, NULL}; /* last checked contributions of even and odd nodes, since
                                                               * most nodes are equal */
    int32_t *seen = orr_ranks_new(c->arena, out->most_host_ranks), mark = 0;
    ORR_NEED(seen, err);
    for (uint32_t n = 0; n < out->node_count; n++) {
        const struct orr_member *member = &c->members[n];
        if (member->contribution == checked[n % 2])
            continue;
        checked[n % 2] = member->contribution;
        for (int32_t channel = 0; channel < out->base_channels; channel++) {
            const int32_t *row = orr_graph_row(member, ORR_GRAPH_RING, orr_ring_channel(out, n, channel));
            ORR_TRY(check_part(row, member, seen, mark++, channel, err));
        }
    }
    return ORR_OK;
}

enum orr_code orr_connect_rings(struct orr_connecting *c, struct orr_error *err)
{
    struct orr_communicator *out = c->out;
    int32_t **rings = ORR_NEW(c->arena, int32_t *, (size_t)out->distinct_count);
    ORR_NEED(rings, err);
    for (int32_t d = 0; d < out->distinct_count; d++) {
        if (d >= out->base_channels) {
            rings[d] = rings[d - out->base_channels];
            continue;
        }
        rings[d] = ORR_NEW(c->arena, int32_t, out->rank_count);
        ORR_NEED(rings[d], err);
        if (orr_budget_spent(out->rank_count / 16))
            return orr_budget_check(err);
        orr_ring_make(out, d, rings[d]);
    }
    out->rings = rings;
    return ORR_OK;
}
