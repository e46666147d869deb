/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "engine/base/hash.h"
#include "engine/diagram/stations.h"
#include "engine/diagram/view.h"

enum { MOST_UNFOLDED = 24 };
static const float tile_w = 164, tile_h = 34, slot_w = 182, layer_h = 78, step_x = 228, step_y = 68;

struct stop { /* ranks of one place that the tree joins without leaving it */
    int32_t top;
    uint32_t ranks, times; /* ranks in it; this many like it, with all below them, are drawn as this one */
    int32_t low, high;
    uint32_t parent, first_child, next; /* UINT32_MAX if there is none */
    uint64_t look;                      /* equal for subtrees that are alike */
    bool folded;                        /* an earlier one represents it */
    struct orr_actor actor;
    struct orr_point at;
};

struct branches {
    struct orr_cast *cast;
    const struct orr_tree *tree;
    struct stop *stops;
    uint32_t *stop_of; /* [rank] */
    uint32_t count, shown;
    bool line; /* no rank has two children */
    float next_slot;
};

static bool joined(const struct branches *b, int32_t rank)
{
    int32_t up = b->tree->up[rank];
    return up >= 0 && orr_cast_same_place(b->cast, rank, up) &&
           b->cast->analysis->communicator.node_of_rank[rank] == b->cast->analysis->communicator.node_of_rank[up];
}

/* Every rank belongs to the stop of the highest rank that it is joined to. */
static bool gather(struct branches *b)
{
    uint32_t n = b->cast->analysis->communicator.rank_count;
    b->stops = ORR_NEW(b->cast->drawing->arena, struct stop, n);
    b->stop_of = ORR_NEW(b->cast->drawing->arena, uint32_t, n);
    if (!b->stops || !b->stop_of)
        return false;
    memset(b->stop_of, 0xff, n * sizeof *b->stop_of);
    for (uint32_t r = 0; r < n; r++) {
        int32_t top = (int32_t)r;
        while (b->stop_of[top] == UINT32_MAX && joined(b, top))
            top = b->tree->up[top];
        if (b->stop_of[top] == UINT32_MAX) {
            b->stops[b->count] = (struct stop){.top = top,
                                               .times = 1,
                                               .low = INT32_MAX,
                                               .parent = UINT32_MAX,
                                               .first_child = UINT32_MAX,
                                               .next = UINT32_MAX};
            b->stop_of[top] = b->count++;
        }
        uint32_t stop = b->stop_of[top];
        for (int32_t at = (int32_t)r; b->stop_of[at] == UINT32_MAX; at = b->tree->up[at])
            b->stop_of[at] = stop;
    }
    for (uint32_t r = 0; r < n; r++) {
        struct stop *stop = &b->stops[b->stop_of[r]];
        stop->ranks++;
        stop->low = (int32_t)r < stop->low ? (int32_t)r : stop->low;
        stop->high = (int32_t)r > stop->high ? (int32_t)r : stop->high;
    }
    b->line = true;
    for (uint32_t s = b->count; s-- > 0;) {
        int32_t up = b->tree->up[b->stops[s].top];
        if (up < 0)
            continue;
        struct stop *parent = &b->stops[b->stop_of[up]];
        b->stops[s].parent = b->stop_of[up];
        b->stops[s].next = parent->first_child;
        b->line &= parent->first_child == UINT32_MAX;
        parent->first_child = s;
    }
    return true;
}

/* Hashes the look of a subtree: kinds of hosts and their connections. Equal neighbours are drawn as one. */
static uint64_t look(struct branches *b, uint32_t s, bool fold)
{
    struct stop *stop = &b->stops[s];
    const struct orr_seat *seats = b->cast->seats;
    stop->look =
        orr_hash_number(orr_hash_number(ORR_HASH_START, seats[stop->top].part), (uint64_t)seats[stop->top].local);
    stop->look = orr_hash_number(stop->look, stop->ranks);
    for (uint32_t c = stop->first_child; c != UINT32_MAX; c = b->stops[c].next) {
        uint64_t own = look(b, c, fold);
        stop->look = orr_hash_number(stop->look, own);
        for (uint32_t e = stop->first_child; e != c && fold; e = b->stops[e].next)
            if (b->stops[e].look == own && !b->stops[e].folded && !b->stops[c].folded) {
                b->stops[c].folded = true;
                b->stops[e].times++;
            }
    }
    return stop->look;
}

/* The number of hosts that a tile represents: its own number times those of the tiles above it. */
static uint32_t times_of(const struct branches *b, uint32_t s)
{
    uint32_t times = 1;
    for (; s != UINT32_MAX; s = b->stops[s].parent)
        times *= b->stops[s].times;
    return times;
}

static void add_tile(struct branches *b, uint32_t s)
{
    struct stop *stop = &b->stops[s];
    struct orr_drawing *drawing = b->cast->drawing;
    uint32_t times = times_of(b, s);
    const char *name = orr_cast_place_name(b->cast, stop->top), *remark = orr_cast_remark(b->cast, stop->top);
    if (times > 1)
        name = orr_drawing_text(drawing, "%u hosts alike, such as %u", times, orr_cast_host(b->cast, stop->top));
    if (remark)
        name = orr_drawing_text(drawing, "\xe2\x96\xbc %s: %s", name, remark);
    const char *ranks =
        stop->ranks == 1 ? orr_drawing_text(drawing, "rank %d", stop->top)
        : (uint32_t)(stop->high - stop->low) + 1 == stop->ranks
            ? orr_drawing_text(drawing, "ranks %d\xe2\x80\x93%d, %d on top", stop->low, stop->high, stop->top)
            : orr_drawing_text(drawing, "%u ranks, %d on top", stop->ranks, stop->top);
    const float font = 9.5f;
    stop->actor = (struct orr_actor){.rank = stop->top};
    stop->actor.tile = orr_drawing_tile(
        drawing, &(struct orr_tile){
                     .frame = {stop->at.x - tile_w / 2, stop->at.y - tile_h / 2, tile_w, tile_h},
                     .box = ORR_NO_BOX,
                     .role = remark      ? ORR_ROLE_ALERT
                             : times > 1 ? ORR_ROLE_OTHER
                                         : ORR_ROLE_GPU,
                     .font = font,
                     .bold_frame = remark != NULL,
                     .id = orr_drawing_text(drawing, "station:%u", s),
                     .classes = remark ? "station marked" : "station",
                     .title = orr_drawing_text(drawing, "%s: %s", name, ranks),
                     .label = orr_drawing_text(drawing, "%s\n%s", orr_drawing_fit(drawing, name, font, tile_w - 6),
                                               orr_drawing_fit(drawing, ranks, font, tile_w - 6)),
                 });
    b->shown++;
}

static void place(struct branches *b, uint32_t s, uint32_t layer)
{
    struct stop *stop = &b->stops[s];
    float left = INFINITY, right = -INFINITY;
    for (uint32_t c = stop->first_child; c != UINT32_MAX; c = b->stops[c].next) {
        if (b->stops[c].folded)
            continue;
        place(b, c, layer + 1);
        left = fminf(left, b->stops[c].at.x);
        right = fmaxf(right, b->stops[c].at.x);
    }
    if (left > right) {
        left = right = b->next_slot;
        b->next_slot += slot_w;
    }
    stop->at = (struct orr_point){(left + right) / 2, (float)layer * layer_h};
    add_tile(b, s);
}

/* One below the other throughout: in rows, every other one from right to left. */
static void place_line(struct branches *b, uint32_t root)
{
    uint32_t columns = (uint32_t)ceil(sqrt(b->count * 0.6)), k = 0;
    for (uint32_t s = root; s != UINT32_MAX; s = b->stops[s].first_child, k++) {
        uint32_t row = k / columns, column = row % 2 ? columns - 1 - k % columns : k % columns;
        b->stops[s].at = (struct orr_point){(float)column * step_x, (float)row * step_y};
        add_tile(b, s);
    }
}

static void add_wire(struct branches *b, uint32_t s)
{
    const struct stop *low = &b->stops[s], *high = &b->stops[low->parent];
    int32_t up = b->tree->up[low->top];
    struct orr_actor from = {.rank = up, .tile = high->actor.tile};
    struct orr_hop hop = orr_cast_hop(b->cast, &from, &low->actor);
    struct orr_point a = high->at, c = low->at;
    if (b->line && a.y == c.y) {
        float side = c.x > a.x ? tile_w / 2 : -tile_w / 2;
        orr_cast_wire(b->cast, &from, &low->actor, hop, false,
                      (struct orr_point[]){{a.x + side, a.y}, {c.x - side, c.y}}, 2,
                      (struct orr_point){(a.x + c.x) / 2, a.y - 9});
        return;
    }
    float top = a.y + tile_h / 2, end = c.y - tile_h / 2;
    struct orr_point label = {c.x + 6 + orr_text_width(orr_cast_hop_label(b->cast, hop, false), 8.5f) / 2, end - 12};
    if (fabsf(a.x - c.x) < 1)
        orr_cast_wire(b->cast, &from, &low->actor, hop, false, (struct orr_point[]){{a.x, top}, {c.x, end}}, 2, label);
    else
        orr_cast_wire(b->cast, &from, &low->actor, hop, false,
                      (struct orr_point[]){{a.x, top}, {a.x, top + 12}, {c.x, top + 12}, {c.x, end}}, 4, label);
}

enum orr_code orr_view_host_tree(struct orr_cast *cast, int32_t channel, struct orr_error *err)
{
    struct orr_drawing *drawing = cast->drawing;
    const struct orr_communicator *all = &cast->analysis->communicator;
    struct branches b = {.cast = cast, .tree = orr_cast_tree(cast, channel)};
    if (!b.tree || !gather(&b)) {
        drawing->failed = true;
        return ORR_OK;
    }
    if (b.count > ORR_MAX_PLAN_HOSTS)
        return orr_fail(err, ORR_LIMIT, "the tree stops at %u places, and a picture shows at most %d", b.count,
                        ORR_MAX_PLAN_HOSTS);
    for (uint32_t s = 0; s < b.count && !drawing->failed; s++)
        if (b.stops[s].parent == UINT32_MAX) {
            look(&b, s, b.count > MOST_UNFOLDED);
            if (b.line)
                place_line(&b, s);
            else
                place(&b, s, 0);
        }
    if (b.shown > ORR_DRAWN_NODES_MAX)
        return orr_fail(err, ORR_LIMIT, "the tree has %u tiles, and a picture shows at most %d", b.shown,
                        ORR_DRAWN_NODES_MAX);
    for (uint32_t s = 0; s < b.count && !drawing->failed; s++)
        if (b.stops[s].parent != UINT32_MAX && b.stops[s].actor.tile != ORR_NO_TILE && b.stops[s].at.y + 1 > 0) {
            bool hidden = false;
            for (uint32_t at = s; at != UINT32_MAX; at = b.stops[at].parent)
                hidden |= b.stops[at].folded;
            if (!hidden)
                add_wire(&b, s);
        }
    drawing->title =
        orr_drawing_text(drawing, "tree of channel %d of %d: %u ranks, %u stops at %u %s", channel, all->channel_count,
                         all->rank_count, b.count, orr_cast_places(cast), cast->host_count == 1 ? "trays" : "hosts");
    orr_drawing_note(drawing, "note:caption", ORR_NO_BOX, -tile_w / 2, -48, 11, drawing->title);
    return ORR_OK;
}
