/* SPDX-License-Identifier: Apache-2.0 */
/* One tree of a channel, the root at the top. Shows up to ORR_TREE_RANKS ranks like this; larger trees show hosts or
 * trays (view_host_tree.c). */
#include <math.h>

#include "engine/diagram/stations.h"
#include "engine/diagram/view.h"

enum { ORR_TREE_RANKS = 64 };
static const float slot_w = 128, layer_h = 74, tile_w = 108, tile_h = 32;

struct branch {                 /* of a rank */
    uint32_t first_child, next; /* ranks; UINT32_MAX if there is none */
    struct orr_actor actor;
    struct orr_point at;
};

struct growth {
    struct orr_cast cast;
    const struct orr_tree *tree;
    struct branch *branches;
    float next_slot;
};

/* Places a rank over its children, leaves side by side. */
static void place(struct growth *growth, uint32_t rank, uint32_t layer)
{
    struct branch *branch = &growth->branches[rank];
    float left = INFINITY, right = -INFINITY;
    for (uint32_t c = branch->first_child; c != UINT32_MAX; c = growth->branches[c].next) {
        place(growth, c, layer + 1);
        left = fminf(left, growth->branches[c].at.x);
        right = fmaxf(right, growth->branches[c].at.x);
    }
    if (left > right) {
        left = right = growth->next_slot;
        growth->next_slot += slot_w;
    }
    branch->at = (struct orr_point){(left + right) / 2, (float)layer * layer_h};
    branch->actor = (struct orr_actor){.rank = (int32_t)rank};
    orr_cast_tile(&growth->cast, &branch->actor, branch->at, tile_w, tile_h, 10);
}

static void wire(struct growth *growth, uint32_t up, uint32_t down, float least, float most)
{
    const struct branch *a = &growth->branches[up], *b = &growth->branches[down];
    struct orr_hop hop = orr_cast_hop(&growth->cast, &a->actor, &b->actor);
    bool narrowest = hop.bw > 0 && hop.bw == least && least < most;
    float y = a->at.y + tile_h / 2, turn = y + 12;
    float half = orr_text_width(orr_cast_hop_label(&growth->cast, hop, narrowest), 8.5f) / 2;
    struct orr_point label = {b->at.x + 5 + half, b->at.y - tile_h / 2 - 13};
    struct orr_point end = {b->at.x, b->at.y - tile_h / 2};
    if (fabsf(a->at.x - b->at.x) < 1)
        orr_cast_wire(&growth->cast, &a->actor, &b->actor, hop, narrowest, (struct orr_point[]){{a->at.x, y}, end}, 2,
                      label);
    else
        orr_cast_wire(&growth->cast, &a->actor, &b->actor, hop, narrowest,
                      (struct orr_point[]){{a->at.x, y}, {a->at.x, turn}, {b->at.x, turn}, end}, 4, label);
}

enum orr_code orr_view_tree(const struct orr_analysis *analysis, int32_t channel, struct orr_drawing *drawing,
                            struct orr_error *err)
{
    const struct orr_communicator *all = &analysis->communicator;
    uint32_t n = all->rank_count;
    if (channel < 0 || channel >= all->channel_count)
        return orr_fail(err, ORR_NOT_FOUND, "there is no channel %d: the communicator has %d, counted from 0", channel,
                        all->channel_count);
    struct growth growth = {0};
    orr_cast_init(&growth.cast, analysis, drawing);
    if (!drawing->failed && n > ORR_TREE_RANKS && orr_cast_places(&growth.cast) > 1)
        return orr_view_host_tree(&growth.cast, channel, err);
    if (n > ORR_DRAWN_NODES_MAX)
        return orr_fail(err, ORR_LIMIT, "the tree has %u ranks, and a picture shows at most %d", n,
                        ORR_DRAWN_NODES_MAX);
    growth.branches = drawing->failed ? NULL : ORR_NEW(drawing->arena, struct branch, n);
    growth.tree = drawing->failed ? NULL : orr_cast_tree(&growth.cast, channel);
    if (!growth.tree || !growth.branches) {
        drawing->failed = true;
        return ORR_OK;
    }
    const int32_t *up = growth.tree->up;
    for (uint32_t r = 0; r < n; r++)
        growth.branches[r].first_child = growth.branches[r].next = UINT32_MAX;
    for (uint32_t r = n; r-- > 0;) {
        if (up[r] < 0)
            continue;
        growth.branches[r].next = growth.branches[up[r]].first_child;
        growth.branches[up[r]].first_child = r;
    }
    for (uint32_t r = 0; r < n; r++)
        if (up[r] < 0)
            place(&growth, r, 0);
    float least = INFINITY, most = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t r = 0; r < n && !drawing->failed; r++) {
            if (up[r] < 0)
                continue;
            if (pass) {
                wire(&growth, (uint32_t)up[r], r, least, most);
                continue;
            }
            float bw = orr_cast_hop(&growth.cast, &growth.branches[up[r]].actor, &growth.branches[r].actor).bw;
            if (bw > 0) {
                least = fminf(least, bw);
                most = fmaxf(most, bw);
            }
        }
    drawing->title = orr_drawing_text(drawing, "tree of channel %d of %d: %u ranks", channel, all->channel_count, n);
    orr_drawing_note(drawing, "note:caption", ORR_NO_BOX, -tile_w / 2, -48, 11, drawing->title);
    return ORR_OK;
}
