/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/compare/unlike.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sorting.h"

struct finder {
    const struct orr_match *match;
    struct orr_arena *arena;
    struct orr_unlike *rows;
    uint32_t count;
    unsigned capacity;
};

static const char *const names[ORR_UNLIKE_KIND_COUNT][2] = {
    [ORR_UNLIKE_MISSING] = {"missing", "is missing"},
    [ORR_UNLIKE_ADDED] = {"added", "is new"},
    [ORR_UNLIKE_MOVED] = {"moved", "is in another place"},
    [ORR_UNLIKE_NVLINKS] = {"nvlinks", "NVLinks to another GPU"},
};

const char *orr_unlike_name(const struct orr_unlike *row)
{
    return row->kind == ORR_UNLIKE_FIGURE ? orr_figure(row->figure)->name : names[row->kind][0];
}

const char *orr_unlike_text(const struct orr_unlike *row)
{
    return row->kind == ORR_UNLIKE_FIGURE ? orr_figure(row->figure)->text : names[row->kind][1];
}

/* A new row, NULL if memory runs out. */
static struct orr_unlike *add_unlike(struct finder *f, enum orr_unlike_kind kind, uint32_t a, uint32_t b)
{
    if (!ORR_RESERVE(f->arena, f->rows, f->count, f->capacity))
        return NULL;
    struct orr_unlike *row = &f->rows[f->count++];
    *row = (struct orr_unlike){.kind = kind, .a = a, .b = b, .peer_a = ORR_NO_DEVICE, .peer_b = ORR_NO_DEVICE};
    return row;
}

static void count_inside(const struct orr_devices *devices, uint32_t from, uint32_t *gpus, uint32_t *nets)
{
    /* The contents of a device follow it in document order. */
    for (uint32_t i = from; i < devices->count; i++) {
        uint32_t at = i;
        while (at > from)
            at = devices->rows[at].parent;
        if (at != from)
            break;
        *gpus += devices->rows[i].kind == ORR_DEVICE_GPU;
        *nets += devices->rows[i].kind == ORR_DEVICE_NET;
    }
}

/* Lists devices of one side without an equal, only the outermost of each branch. */
static void find_lonely(struct finder *f, const struct orr_devices *devices, const uint32_t *equal,
                        enum orr_unlike_kind kind)
{
    for (uint32_t i = 1; i < devices->count; i++) {
        if (equal[i] != ORR_NO_DEVICE || equal[devices->rows[i].parent] == ORR_NO_DEVICE)
            continue;
        bool of_a = kind == ORR_UNLIKE_MISSING;
        struct orr_unlike *row = add_unlike(f, kind, of_a ? i : ORR_NO_DEVICE, of_a ? ORR_NO_DEVICE : i);
        if (row && devices->rows[i].element != ORR_NO_ELEMENT)
            count_inside(devices, i, &row->gpus, &row->nets);
    }
}

/* Whether a side lacks a value: a matrix or a machine type has no PCI ids, which does not make it another card. */
static bool is_unknown(const struct orr_devices *devices, const char *value)
{
    return devices->dump->notes && !strcmp(value, "?");
}

static void find_figures(struct finder *f, uint32_t a, uint32_t b)
{
    char of_a[ORR_FIGURE_SIZE], of_b[ORR_FIGURE_SIZE];
    for (size_t figure = 0; orr_figure(figure); figure++) {
        bool has_a = orr_figure_of(f->match->a, a, figure, of_a), has_b = orr_figure_of(f->match->b, b, figure, of_b);
        if (!has_a || !has_b || !strcmp(of_a, of_b) || is_unknown(f->match->a, of_a) || is_unknown(f->match->b, of_b))
            continue;
        struct orr_unlike *row = add_unlike(f, ORR_UNLIKE_FIGURE, a, b);
        if (!row)
            return;
        row->figure = figure;
        memcpy(row->value_a, of_a, sizeof of_a);
        memcpy(row->value_b, of_b, sizeof of_b);
    }
}

ORR_COMPARATOR(compare_lanes, struct orr_lane, ORR_ORDER(a->from, b->from), ORR_ORDER(a->to, b->to))

/* The lanes of a side between devices that both sides have, named as the first names them, sorted and added up. */
static struct orr_lane *lanes_of(struct finder *f, const struct orr_devices *devices, const uint32_t *to_a,
                                 uint32_t *ret_count)
{
    struct orr_lane *lanes = ORR_NEW(f->arena, struct orr_lane, devices->lane_count);
    uint32_t count = 0, kept = 0;
    for (uint32_t i = 0; lanes && i < devices->lane_count; i++) {
        struct orr_lane lane = devices->lanes[i];
        if (to_a) {
            lane.from = to_a[lane.from];
            lane.to = to_a[lane.to];
        } else if (f->match->to_b[lane.from] == ORR_NO_DEVICE || f->match->to_b[lane.to] == ORR_NO_DEVICE) {
            continue;
        }
        if (lane.from != ORR_NO_DEVICE && lane.to != ORR_NO_DEVICE)
            lanes[count++] = lane;
    }
    if (count)
        qsort(lanes, count, sizeof *lanes, compare_lanes);
    for (uint32_t i = 0; i < count; i++)
        if (kept && !compare_lanes(&lanes[kept - 1], &lanes[i]))
            lanes[kept - 1].count += lanes[i].count;
        else
            lanes[kept++] = lanes[i];
    *ret_count = kept;
    return lanes;
}

static void find_nvlinks(struct finder *f)
{
    uint32_t count_a = 0, count_b = 0;
    struct orr_lane *a = lanes_of(f, f->match->a, NULL, &count_a);
    struct orr_lane *b = lanes_of(f, f->match->b, f->match->to_a, &count_b);
    for (uint32_t i = 0, j = 0; a && b && (i < count_a || j < count_b);) {
        int order = i == count_a ? 1 : j == count_b ? -1 : compare_lanes(&a[i], &b[j]);
        const struct orr_lane *lane = order <= 0 ? &a[i] : &b[j];
        uint32_t here = order <= 0 ? a[i].count : 0, there = order >= 0 ? b[j].count : 0;
        i += order <= 0;
        j += order >= 0;
        if (here == there)
            continue;
        struct orr_unlike *row = add_unlike(f, ORR_UNLIKE_NVLINKS, lane->from, f->match->to_b[lane->from]);
        if (!row)
            return;
        row->peer_a = lane->to;
        row->peer_b = f->match->to_b[lane->to];
        snprintf(row->value_a, sizeof row->value_a, "%u", here);
        snprintf(row->value_b, sizeof row->value_b, "%u", there);
    }
}

static bool is_numbering(const struct orr_unlike *row)
{
    return row->kind == ORR_UNLIKE_FIGURE && orr_figure(row->figure)->numbering;
}

ORR_COMPARATOR(compare_rows, struct orr_unlike, ORR_ORDER(is_numbering(a), is_numbering(b)),
               ORR_ORDER(a->kind, b->kind), ORR_ORDER(a->figure, b->figure), ORR_ORDER(a->a, b->a),
               ORR_ORDER(a->b, b->b), ORR_ORDER(a->peer_a, b->peer_a))

enum orr_code orr_unlikes_find(const struct orr_match *match, struct orr_arena *arena, struct orr_unlikes *ret_unlikes,
                               struct orr_error *err)
{
    struct finder f = {.match = match, .arena = arena};
    find_lonely(&f, match->a, match->to_b, ORR_UNLIKE_MISSING);
    find_lonely(&f, match->b, match->to_a, ORR_UNLIKE_ADDED);
    for (uint32_t a = 1; a < match->a->count; a++) {
        uint32_t b = match->to_b[a];
        if (b == ORR_NO_DEVICE)
            continue;
        uint32_t in_a = match->a->rows[a].parent, in_b = match->b->rows[b].parent;
        struct orr_unlike *row = match->to_b[in_a] == in_b ? NULL : add_unlike(&f, ORR_UNLIKE_MOVED, a, b);
        if (row) {
            row->peer_a = in_a;
            row->peer_b = in_b;
        }
        if (match->a->rows[a].element != ORR_NO_ELEMENT)
            find_figures(&f, a, b);
    }
    find_nvlinks(&f);
    if (orr_arena_starved(f.arena))
        return orr_fail_nomem(err);
    if (f.count)
        qsort(f.rows, f.count, sizeof *f.rows, compare_rows);
    *ret_unlikes = (struct orr_unlikes){.match = match, .rows = f.rows, .count = f.count};
    for (uint32_t i = f.count; i > 0 && is_numbering(&f.rows[i - 1]); i--)
        ret_unlikes->numbering++;
    return ORR_OK;
}
