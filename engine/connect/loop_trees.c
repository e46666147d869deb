/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of releases with two link sets (2.7.8): an "up tree" that data climbs to the root and a "down tree" that it
 * comes back on. Inside a node both start as a closed loop over the tree order, which is then opened where the node
 * meets other nodes:
 *
 *        t[0] -> t[1] -> ... -> t[L-1] -.
 *          ^____________________________|        opened at t[1], it is the chain t[1] t[2] ... t[0]
 *
 * docs/nccl/connect.md, "Trees of 2.7.8".
 */
#include "engine/connect/connecting.h"

/* Pattern numbers of these releases: 1 meant another pattern then. */
enum { SPLIT_TREE_LOOP = ORR_PATTERN_BALANCED_TREE };

/* The ranks by which one node's part of a tree receives and sends. */
struct ports {
    int32_t recv, send;
};

static struct ports ports_of(const struct orr_communicator *c, int32_t node, int32_t channel, bool up_tree)
{
    const struct orr_member *member = &c->members[node];
    const struct orr_graph *graph = &member->contribution->graphs[ORR_GRAPH_TREE];
    const int32_t *row = orr_graph_row(member, ORR_GRAPH_TREE, channel);
    int32_t first = orr_member_rank(member, row[0]);
    int32_t other = orr_member_rank(member, row[graph->pattern != ORR_PATTERN_TREE && graph->gpu_count > 1]);
    if (up_tree && graph->pattern != (enum orr_pattern)SPLIT_TREE_LOOP)
        return (struct ports){.recv = other, .send = first};
    return (struct ports){.recv = first, .send = other};
}

static void close_loop(const struct orr_communicator *c, int32_t node, int32_t channel, bool up_tree,
                       struct orr_tree *tree)
{
    const struct orr_member *member = &c->members[node];
    const struct orr_graph *graph = &member->contribution->graphs[ORR_GRAPH_TREE];
    const int32_t *row = orr_graph_row(member, ORR_GRAPH_TREE, channel);
    int32_t count = (int32_t)member->contribution->rank_count;
    bool reversed = up_tree && graph->pattern == (enum orr_pattern)SPLIT_TREE_LOOP;
    for (int32_t i = 0; i < count; i++) {
        int32_t before = orr_member_rank(member, row[(i - 1 + count) % count]);
        int32_t after = orr_member_rank(member, row[(i + 1) % count]), rank = orr_member_rank(member, row[i]);
        tree->up[rank] = reversed ? after : before;
        tree->down[rank][0] = reversed ? before : after;
    }
}

static void open_loop(const struct orr_communicator *c, int32_t node, int32_t at, struct orr_tree *tree)
{
    const struct orr_member *member = &c->members[node];
    for (uint32_t i = 0; i < member->contribution->rank_count; i++) {
        int32_t rank = orr_member_rank(member, member->contribution->ranks[i]);
        if (tree->down[rank][0] == at)
            tree->down[rank][0] = -1;
        if (rank == at)
            tree->up[rank] = -1;
    }
}

/* Other nodes come after the local link, if there is one. */
static void add_downs(int32_t down[3], const int32_t others[2])
{
    int slot = down[0] >= 0 ? 1 : 0;
    for (int i = 0; i < 2; i++)
        if (others[i] >= 0)
            down[slot++] = others[i];
}

void orr_loop_tree_fill(const struct orr_communicator *c, int32_t channel, const struct orr_tree_place *places,
                        bool up_tree, struct orr_tree *tree)
{
    for (int32_t n = 0; n < (int32_t)c->node_count; n++)
        close_loop(c, n, channel, up_tree, tree);
    for (int32_t n = 0; n < (int32_t)c->node_count; n++) {
        const struct orr_tree_place *place = &places[n];
        struct ports own = ports_of(c, n, channel, up_tree);
        int32_t others[2] = {-1, -1};
        for (int i = 0; i < 2; i++)
            if (place->down[i] >= 0) {
                struct ports child = ports_of(c, place->down[i], channel, up_tree);
                others[i] = up_tree ? child.send : child.recv;
            }
        if (up_tree) {
            open_loop(c, n, own.send, tree);
            if (place->up >= 0)
                tree->up[own.send] = ports_of(c, place->up, channel, true).recv;
            add_downs(tree->down[own.recv], others);
        } else {
            open_loop(c, n, place->up < 0 ? ports_of(c, n, channel, true).send : own.recv, tree);
            add_downs(tree->down[own.send], others);
            if (place->up >= 0)
                tree->up[own.recv] = ports_of(c, place->up, channel, false).send;
        }
    }
}
