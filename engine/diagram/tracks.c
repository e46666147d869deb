/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/diagram/tracks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sorting.h"

static const float clearance = 8, first_lane = 15, roomy = 14, tight = 4;
enum { LABELLED_LANES = 14 };

struct end { /* of a track at a tile */
    uint32_t node, track;
    int which, group; /* group 0 goes left, 1 right */
    float key;
};

ORR_COMPARATOR(compare_ends, struct end, ORR_ORDER(a->node, b->node), ORR_ORDER(a->group, b->group),
               ORR_ORDER(a->key, b->key), ORR_ORDER(a->track, b->track))

static float middle(const struct orr_tree_layout *layout, uint32_t node)
{
    const struct orr_frame *tile = &layout->spots[node].tile;
    return tile->x + tile->w / 2;
}

/* Spreads the wires of each tile over its middle. Among wires that go left the nearest is leftmost, among those that go
 * right the nearest is rightmost, so that none crosses another of the same tile. */
static bool spread_ends(struct orr_tracks *tracks)
{
    const struct orr_tree_layout *layout = tracks->layout;
    struct end *ends = ORR_NEW(layout->labels->drawing->arena, struct end, 2 * (size_t)tracks->count);
    if (!ends)
        return false;
    for (uint32_t t = 0; t < tracks->count; t++)
        for (int which = 0; which < 2; which++) {
            const struct orr_track *track = &tracks->tracks[t];
            float own = middle(layout, track->ends[which]), other = middle(layout, track->ends[!which]);
            bool far = track->row[0] != track->row[1];
            bool right = far || other > own;
            ends[2 * t + (unsigned)which] =
                (struct end){track->ends[which], t, which, right, far ? -1e6f : -fabsf(other - own) * (right ? 1 : -1)};
        }
    /* The side needs no key: a node has wires on one side only. */
    qsort(ends, 2 * (size_t)tracks->count, sizeof *ends, compare_ends);
    for (uint32_t i = 0, first = 0; i <= 2 * tracks->count; i++) {
        if (i < 2 * tracks->count && ends[i].node == ends[first].node)
            continue;
        if (i == first)
            continue;
        const struct orr_frame *tile = &layout->spots[ends[first].node].tile;
        float step = fminf(9, tile->w * 0.6f / (float)(i - first));
        for (uint32_t k = first; k < i; k++)
            tracks->tracks[ends[k].track].x[ends[k].which] =
                tile->x + tile->w / 2 + step * ((float)(k - first) - (float)(i - first - 1) / 2);
        first = i;
    }
    return true;
}

struct order {
    uint32_t track;
    float length;
};

ORR_COMPARATOR(compare_orders, struct order, ORR_ORDER(a->length, b->length), ORR_ORDER(a->track, b->track))

struct taken { /* a stretch of a lane; those of one row and side are chained */
    float from, to;
    uint32_t lane, next;
};

/* Takes the first lane of the row in which from..to is free. */
static uint32_t take_lane(struct taken *pool, uint32_t *used, uint32_t *chain, float from, float to)
{
    uint64_t busy[64] = {0}; /* 4096 lanes; beyond them wires share */
    for (uint32_t k = *chain; k != UINT32_MAX; k = pool[k].next)
        if (pool[k].from < to + clearance && from < pool[k].to + clearance && pool[k].lane < 4096)
            busy[pool[k].lane / 64] |= (uint64_t)1 << pool[k].lane % 64;
    uint32_t lane = 0;
    while (lane < 4095 && busy[lane / 64] >> lane % 64 & 1)
        lane++;
    pool[*used] = (struct taken){from, to, lane, *chain};
    *chain = (*used)++;
    return lane;
}

static bool assign_lanes(struct orr_tracks *tracks)
{
    struct orr_arena *arena = tracks->layout->labels->drawing->arena;
    uint32_t rows = tracks->layout->row_count;
    struct order *orders = ORR_NEW(arena, struct order, tracks->count);
    struct taken *pool = ORR_NEW(arena, struct taken, 2 * (size_t)tracks->count);
    uint32_t *chains = ORR_NEW(arena, uint32_t, (size_t)rows * ORR_SIDE_COUNT);
    for (int side = 0; side < ORR_SIDE_COUNT; side++)
        tracks->lanes[side] = ORR_NEW(arena, uint32_t, rows);
    if (!orders || !pool || !chains || !tracks->lanes[0] || !tracks->lanes[1])
        return false;
    memset(chains, 0xff, (size_t)rows * ORR_SIDE_COUNT * sizeof *chains);
    for (uint32_t t = 0; t < tracks->count; t++) {
        const struct orr_track *track = &tracks->tracks[t];
        orders[t] = (struct order){t, track->row[0] == track->row[1] ? fabsf(track->x[1] - track->x[0]) : 1e6f};
    }
    qsort(orders, tracks->count, sizeof *orders, compare_orders);
    uint32_t used = 0;
    for (uint32_t k = 0; k < tracks->count; k++) {
        struct orr_track *track = &tracks->tracks[orders[k].track];
        bool same = track->row[0] == track->row[1];
        for (int which = 0; which < (same ? 1 : 2); which++) {
            float from = same ? fminf(track->x[0], track->x[1]) : track->x[which];
            float to = same ? fmaxf(track->x[0], track->x[1]) : 1e6f;
            uint32_t row = track->row[which], *most = &tracks->lanes[track->side][row];
            track->lane[which] =
                take_lane(pool, &used, &chains[row * ORR_SIDE_COUNT + (uint32_t)track->side], from, to);
            if (track->lane[which] >= *most)
                *most = track->lane[which] + 1;
        }
        if (same)
            track->lane[1] = track->lane[0];
        else
            track->margin = tracks->margins++;
    }
    return true;
}

/* Labels each wire if that stays readable; otherwise one label serves all. */
static void choose_labels(struct orr_tracks *tracks)
{
    const struct orr_labels *labels = tracks->layout->labels;
    for (int side = 0; side < ORR_SIDE_COUNT; side++) {
        uint32_t most = 0, count = 0;
        float low = INFINITY, high = 0;
        for (uint32_t row = 0; row < tracks->layout->row_count; row++)
            most = tracks->lanes[side][row] > most ? tracks->lanes[side][row] : most;
        tracks->spacing[side] = most > LABELLED_LANES ? tight : roomy;
        for (uint32_t t = 0; t < tracks->count; t++) {
            struct orr_track *track = &tracks->tracks[t];
            if ((int)track->side != side)
                continue;
            float bw = labels->system->links[track->link].bw;
            low = fminf(low, bw);
            high = fmaxf(high, bw);
            count++;
            if (most <= LABELLED_LANES)
                track->label = orr_label_exception(labels, track->link, orr_link_font, 90);
        }
        if (most > LABELLED_LANES)
            tracks->common[side] =
                orr_drawing_text(labels->drawing, low == high ? "%u %s of %s each" : "%u %s of %s to %s", count,
                                 side == ORR_SIDE_TOP ? "links between CPUs" : "NVLink connections between GPUs",
                                 orr_label_bw(labels->drawing, low), orr_label_bw(labels->drawing, high));
    }
}

void orr_tracks_assign(struct orr_tracks *tracks, struct orr_tree_layout *layout, struct orr_track *list,
                       uint32_t count)
{
    *tracks = (struct orr_tracks){.layout = layout, .tracks = list, .count = count};
    for (uint32_t t = 0; t < count; t++)
        for (int which = 0; which < 2; which++)
            list[t].row[which] = orr_tree_row(layout, list[t].ends[which]);
    if (!spread_ends(tracks) || !assign_lanes(tracks)) {
        layout->labels->drawing->failed = true;
        return;
    }
    choose_labels(tracks);
}

float orr_tracks_height(const struct orr_tracks *tracks, enum orr_side side, uint32_t row)
{
    uint32_t lanes = tracks->lanes[side][row];
    return lanes ? first_lane + tracks->spacing[side] * (float)lanes + (tracks->common[side] ? 12 : 0) : 0;
}

static float lane_y(const struct orr_tracks *tracks, const struct orr_track *track, int which)
{
    const struct orr_tree_layout *layout = tracks->layout;
    uint32_t row = track->row[which];
    float away = first_lane + tracks->spacing[track->side] * (float)track->lane[which];
    return track->side == ORR_SIDE_TOP ? layout->tops[row] - away : layout->tops[row] + layout->row_height[row] + away;
}

static float tile_y(const struct orr_tracks *tracks, const struct orr_track *track, int which)
{
    const struct orr_frame *tile = &tracks->layout->spots[track->ends[which]].tile;
    return track->side == ORR_SIDE_TOP ? tile->y : tile->y + tile->h;
}

uint32_t orr_tracks_points(struct orr_tracks *tracks, uint32_t index, struct orr_point points[6])
{
    const struct orr_track *track = &tracks->tracks[index];
    float y0 = lane_y(tracks, track, 0), y1 = lane_y(tracks, track, 1);
    points[0] = (struct orr_point){track->x[0], tile_y(tracks, track, 0)};
    points[1] = (struct orr_point){track->x[0], y0};
    if (track->row[0] == track->row[1]) {
        points[2] = (struct orr_point){track->x[1], y0};
        points[3] = (struct orr_point){track->x[1], tile_y(tracks, track, 1)};
        return 4;
    }
    float x = tracks->layout->width + 16 + 6 * (float)track->margin;
    points[2] = (struct orr_point){x, y0};
    points[3] = (struct orr_point){x, y1};
    points[4] = (struct orr_point){track->x[1], y1};
    points[5] = (struct orr_point){track->x[1], tile_y(tracks, track, 1)};
    return 6;
}

/* Does a wire of another track cross the label at x of this track's lane? Those on farther lanes do, with their ends.
 */
static bool crossed(const struct orr_tracks *tracks, const struct orr_track *track, float x, float half)
{
    for (uint32_t t = 0; t < tracks->count; t++) {
        const struct orr_track *other = &tracks->tracks[t];
        for (int which = 0; which < 2; which++)
            if (other->side == track->side && other->row[which] == track->row[0] &&
                other->lane[which] >= track->lane[0] && fabsf(other->x[which] - x) < half + 3)
                return true;
    }
    return false;
}

void orr_tracks_labels(struct orr_tracks *tracks)
{
    for (uint32_t t = 0; t < tracks->count; t++) {
        struct orr_track *track = &tracks->tracks[t];
        if (!track->label)
            continue;
        float half = orr_text_width(track->label, orr_link_font) / 2, x0 = track->x[0];
        float x1 = track->row[0] == track->row[1] ? track->x[1] : tracks->layout->width + 16;
        float centre = (x0 + x1) / 2, reach = fabsf(x1 - x0) / 2 - half - 3;
        bool found = false;
        for (float off = 0; off <= reach && !found; off += 4)
            for (int sign = -1; sign <= 1 && !found; sign += 2)
                if (!crossed(tracks, track, centre + off * (float)sign, half)) {
                    track->label_at = (struct orr_point){centre + off * (float)sign, lane_y(tracks, track, 0) - 6};
                    found = true;
                }
        if (!found)
            track->label = NULL;
    }
}
