/* SPDX-License-Identifier: Apache-2.0 */
/* Copies that only some nodes make. 2.20.5 raises the channels to those of NVLS on every rank whose own node supports
 * it, before it knows that another node does not. Ranks of the others keep what they prepared alone in channels below
 * twice their own number (trees without links to other nodes, no ring), and zeroes beyond. */
#include <string.h>

#include "engine/connect/connecting.h"

/* The channel of its own graphs that a node prepared at this number, -1 if there is none. */
static int32_t prepared(const struct orr_contribution *contribution, int32_t channel)
{
    int32_t ring = contribution->graphs[ORR_GRAPH_RING].channels, tree = contribution->graphs[ORR_GRAPH_TREE].channels;
    int32_t own = ring < tree ? ring : tree;
    return channel < 2 * own ? channel % own : -1;
}

static bool left_out(const struct orr_member *member)
{
    return !member->contribution->nvls_on || !member->contribution->graphs[ORR_GRAPH_NVLS].channels;
}

uint32_t orr_uneven_ring(const struct orr_communicator *c, int32_t channel, int32_t *next, int32_t *ring)
{
    orr_ring_make(c, c->source[channel], ring);
    for (uint32_t i = 0; i < c->rank_count; i++)
        next[ring[i]] = ring[(i + 1) % c->rank_count];
    for (uint32_t rank = 0; rank < c->rank_count; rank++) {
        const struct orr_member *member = &c->members[c->node_of_rank[rank]];
        if (left_out(member))
            next[rank] = prepared(member->contribution, channel) < 0 ? 0 : -1;
    }
    uint32_t count = 0;
    for (int32_t rank = 0; rank >= 0 && count < c->rank_count; rank = next[rank])
        ring[count++] = rank;
    return count;
}

void orr_uneven_tree(const struct orr_communicator *c, int32_t channel, struct orr_tree *tree)
{
    for (uint32_t n = 0; n < c->node_count; n++) {
        const struct orr_member *member = &c->members[n];
        if (!left_out(member))
            continue;
        int32_t own = prepared(member->contribution, channel);
        const int32_t *row = own < 0 ? member->contribution->ranks : orr_graph_row(member, ORR_GRAPH_TREE, own);
        for (uint32_t i = 0; i < member->contribution->rank_count; i++) {
            int32_t rank = orr_member_rank(member, row[i]), none = own < 0 ? 0 : -1;
            tree->up[rank] = own >= 0 && i ? orr_member_rank(member, row[i - 1]) : none;
            tree->down[rank][1] = tree->down[rank][2] = tree->down[rank][0] = none;
            if (own >= 0 && i + 1 < member->contribution->rank_count)
                tree->down[rank][0] = orr_member_rank(member, row[i + 1]);
        }
    }
}
