/* SPDX-License-Identifier: Apache-2.0 */
/* Two binary trees over the nodes, so that a node that is a leaf of the first is inside the second and all links are
 * used both ways. For eight nodes (first tree; the second is its mirror image):
 *
 *      0---------------.
 *                      4
 *                .----/ \----.
 *                2           6
 *               / \         / \
 *              1   3       5   7
 *
 * A node's level is the lowest set bit of its number. Inside a node the tree is a chain from its first GPU on; which
 * GPU talks to the parent and to which children depends on the tree graph's pattern.
 *
 * docs/nccl/connect.md, "Double binary trees".
 */
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/connect/connecting.h"

int32_t orr_log2(uint32_t value)
{
    int32_t result = 0;
    while (value >>= 1)
        result++;
    return result;
}

enum orr_code orr_tree_new(struct orr_arena *arena, uint32_t rank_count, struct orr_tree *ret_tree,
                           struct orr_error *err)
{
    ret_tree->up = orr_ranks_new(arena, rank_count);
    int32_t(*down)[3] = orr_arena_alloc(arena, rank_count, sizeof *down);
    ORR_NEED(ret_tree->up && down, err);
    for (uint32_t i = 0; i < rank_count; i++)
        down[i][0] = down[i][1] = down[i][2] = -1;
    ret_tree->down = down;
    return ORR_OK;
}

/* The place of number r in the binary tree over 0..n-1. */
static struct orr_tree_place binary_tree(int32_t n, int32_t r, int32_t root_child_slot)
{
    struct orr_tree_place place = {.up = -1, .down = {-1, -1}};
    if (r == 0) {
        int32_t span = 1;
        while (span < n)
            span *= 2;
        if (n > 1)
            place.down[root_child_slot] = span / 2;
        return place;
    }
    int32_t bit = r & -r;
    place.up = (r ^ bit) | (2 * bit);
    if (place.up >= n)
        place.up = r ^ bit;
    place.child = r < place.up ? 0 : 1;
    int32_t half = bit / 2;
    if (half) {
        place.down[0] = r - half;
        while (half && r + half >= n)
            half /= 2;
        if (half)
            place.down[1] = r + half;
    }
    return place;
}

void orr_double_tree(const struct orr_connect_rules *rules, int32_t node_count, int which,
                     struct orr_tree_place *places)
{
    bool even = node_count % 2 == 0;
    bool mirror = rules->shifts_even_trees ? !even : even; /* if false, the tree is shifted by one */
    int32_t n = node_count;
    for (int32_t node = 0; node < n; node++) {
        if (which == 0) {
            places[node] = binary_tree(n, node, rules->root_child_slot);
            continue;
        }
        struct orr_tree_place place =
            binary_tree(n, mirror ? n - 1 - node : (node - 1 + n) % n, rules->root_child_slot);
        int32_t *ends[] = {&place.up, &place.down[0], &place.down[1]};
        for (int i = 0; i < 3; i++)
            if (*ends[i] >= 0)
                *ends[i] = mirror ? n - 1 - *ends[i] : (*ends[i] + 1) % n;
        places[node] = place;
    }
}

/* The GPUs of a node's channel that communicate with other nodes. */
static int32_t to_parent(const struct orr_communicator *c, int32_t node, int32_t channel)
{
    const struct orr_member *member = &c->members[node];
    return orr_member_rank(member, orr_graph_row(member, ORR_GRAPH_TREE, channel)[0]);
}

static int32_t to_child(const struct orr_communicator *c, int32_t node, int32_t channel, int child)
{
    const struct orr_member *member = &c->members[node];
    const struct orr_graph *graph = &member->contribution->graphs[ORR_GRAPH_TREE];
    bool second = child == 0 ? graph->pattern != ORR_PATTERN_TREE : graph->pattern == ORR_PATTERN_SPLIT_TREE;
    return orr_member_rank(member, orr_graph_row(member, ORR_GRAPH_TREE, channel)[second && graph->gpu_count > 1]);
}

static void add_child(int32_t down[3], int32_t child)
{
    for (int slot = 0; slot < 3; slot++)
        if (down[slot] < 0) {
            down[slot] = child;
            return;
        }
}

static void fill_tree(const struct orr_communicator *c, int32_t channel, const struct orr_tree_place *places,
                      struct orr_tree *tree)
{
    for (int32_t n = 0; n < (int32_t)c->node_count; n++) {
        const struct orr_member *member = &c->members[n];
        const int32_t *row = orr_graph_row(member, ORR_GRAPH_TREE, channel);
        int32_t before = -1;
        for (uint32_t i = 0; i < member->contribution->rank_count; i++) {
            int32_t rank = orr_member_rank(member, row[i]);
            tree->up[rank] = before;
            if (before >= 0)
                tree->down[before][0] = rank;
            before = rank;
        }
        const struct orr_tree_place *place = &places[n];
        if (place->up >= 0)
            tree->up[to_parent(c, n, channel)] = to_child(c, place->up, channel, place->child);
        for (int child = 0; child < 2; child++)
            if (place->down[child] >= 0)
                add_child(tree->down[to_child(c, n, channel, child)], to_parent(c, place->down[child], channel));
    }
}

static void clear_tree(const struct orr_communicator *c, struct orr_tree *tree)
{
    memset(tree->up, 0xff, c->rank_count * sizeof *tree->up);
    memset(tree->down, 0xff, c->rank_count * sizeof *tree->down);
    tree->depth = (int32_t)(c->rank_count / c->node_count) - 1 + orr_log2(c->node_count);
}

static void fill(const struct orr_communicator *c, int32_t distinct, const struct orr_tree_place *places, bool up_tree,
                 struct orr_tree *tree)
{
    clear_tree(c, tree);
    if (c->rules->up_and_down_trees)
        orr_loop_tree_fill(c, distinct % c->base_channels, places, up_tree, tree);
    else
        fill_tree(c, distinct % c->base_channels, places, tree);
}

enum orr_code orr_tree_make(const struct orr_communicator *communicator, int32_t distinct, struct orr_tree *tree,
                            struct orr_error *err)
{
    struct orr_tree_place *places = malloc(communicator->node_count * sizeof *places);
    ORR_NEED(places, err);
    orr_double_tree(communicator->rules, (int32_t)communicator->node_count, distinct / communicator->base_channels,
                    places);
    fill(communicator, distinct, places, true, tree);
    free(places);
    return ORR_OK;
}

enum orr_code orr_connect_trees(struct orr_connecting *c, struct orr_error *err)
{
    struct orr_communicator *out = c->out;
    bool two = c->rules->up_and_down_trees;
    struct orr_tree *sets[2] = {ORR_NEW(c->arena, struct orr_tree, (size_t)out->distinct_count), NULL};
    struct orr_tree_place *places = ORR_NEW(c->arena, struct orr_tree_place, out->node_count);
    if (two)
        sets[1] = ORR_NEW(c->arena, struct orr_tree, (size_t)out->distinct_count);
    if (!places || !sets[0] || (two && !sets[1]))
        return orr_fail_nomem(err);
    for (int32_t d = 0; d < out->distinct_count; d++) {
        if (d % out->base_channels == 0)
            orr_double_tree(c->rules, (int32_t)out->node_count, d / out->base_channels, places);
        for (int set = 0; set < (two ? 2 : 1); set++) {
            if (orr_budget_spent(out->rank_count / 8))
                return orr_budget_check(err);
            ORR_TRY(orr_tree_new(c->arena, out->rank_count, &sets[set][d], err));
            fill(out, d, places, set == 0, &sets[set][d]);
        }
    }
    out->trees = sets[0];
    out->down_trees = sets[1];
    return ORR_OK;
}
