/* SPDX-License-Identifier: Apache-2.0 */
/* Matches dumps in which every device has its place: by colours, fixing one pair of look-alikes at a time. */
#include "engine/compare/match.h"

#include <stdlib.h>

#include "engine/base/budget.h"
#include "engine/base/sorting.h"

/* How far a device sees. Machines are no deeper than that: switches behind switches, then NVLink. */
enum { STEPS = 16 };
/* Mixing of colours that one match may cost; devices that are still undecided are paired in order. */
static const uint64_t most_work = 40000000;

struct side {
    const struct orr_devices *devices;
    struct orr_colours colours;
    struct spot { /* sorted by colour, then by what is inside, then by order */
        uint64_t colour, inside;
        int64_t order;
        uint32_t device;
    } * spots;
    uint32_t count;
    uint32_t *anchors;
    const uint32_t *matched; /* the match's, of this side */
};

ORR_COMPARATOR(compare_spots, struct spot, ORR_ORDER(a->colour, b->colour), ORR_ORDER(a->inside, b->inside),
               ORR_ORDER(a->order, b->order), ORR_ORDER(a->device, b->device))

static void look(struct side *side, enum orr_colouring by, unsigned steps)
{
    const struct orr_devices *devices = side->devices;
    orr_colours_start(&side->colours, devices, by, side->anchors);
    orr_colours_spread(&side->colours, devices, steps);
    side->count = 0;
    for (uint32_t i = 0; i < devices->count; i++)
        if (side->matched[i] == ORR_NO_DEVICE)
            side->spots[side->count++] =
                (struct spot){side->colours.now[i], devices->rows[i].hardware_below, devices->rows[i].order, i};
    qsort(side->spots, side->count, sizeof *side->spots, compare_spots);
}

static bool same_colours(const struct side *a, const struct side *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->spots[i].colour != b->spots[i].colour)
            return false;
    return true;
}

/* Pairs the devices whose colour is unique on both sides. Then pairs one pair of the first colour that several devices
 * have (with equal contents if possible), or with `every` all its devices in order. Returns the number of pairs. */
static uint32_t pair_up(struct orr_match *match, struct side *a, struct side *b, bool every)
{
    uint32_t pairs = 0;
    bool fixed = false;
    for (uint32_t from = 0, to; from < a->count; from = to) {
        for (to = from + 1; to < a->count && a->spots[to].colour == a->spots[from].colour; to++)
            ;
        bool alone = to - from == 1;
        if (!alone && fixed && !every)
            continue;
        uint32_t i = from, j = from;
        while (!alone && !every && i < to && j < to && a->spots[i].inside != b->spots[j].inside)
            if (a->spots[i].inside < b->spots[j].inside)
                i++;
            else
                j++;
        if (i == to || j == to)
            i = j = from;
        do {
            a->anchors[a->spots[i].device] = b->anchors[b->spots[j].device] = a->spots[i].device + 1;
            orr_match_pair(match, a->spots[i++].device, b->spots[j++].device);
            pairs++;
        } while (every && i < to);
        fixed |= !alone;
    }
    return pairs;
}

static bool make_side(struct side *side, const struct orr_devices *devices, const uint32_t *matched,
                      struct orr_arena *arena)
{
    *side = (struct side){.devices = devices, .matched = matched};
    side->spots = ORR_NEW(arena, struct spot, devices->count);
    side->anchors = ORR_NEW(arena, uint32_t, devices->count);
    return side->spots && side->anchors && orr_colours_make(&side->colours, devices, arena);
}

/* Matches all devices if both sides look alike by this colouring. */
static bool match_whole(struct orr_match *match, struct side *a, struct side *b, enum orr_colouring by)
{
    uint64_t work = 0, cost = (uint64_t)STEPS * (a->devices->count + a->devices->lane_count);
    for (bool first = true;; first = false) {
        if (orr_budget_spent((uint32_t)(cost / 16)))
            return !first;
        look(a, by, STEPS);
        look(b, by, STEPS);
        if (!same_colours(a, b)) /* later: a pair was fixed that does not fit; the rest is found by its parts */
            return !first;
        if (!a->count)
            return true;
        work += 2 * cost;
        pair_up(match, a, b, work > most_work);
    }
}

/* Whether each device has its equal, which is inside the equal of its container. */
static bool all_in_place(const struct orr_match *match)
{
    for (uint32_t i = 1; i < match->a->count; i++)
        if (match->to_b[i] == ORR_NO_DEVICE ||
            match->b->rows[match->to_b[i]].parent != match->to_b[match->a->rows[i].parent])
            return false;
    return match->a->count == match->b->count;
}

enum orr_code orr_match_find(const struct orr_devices *a, const struct orr_devices *b, struct orr_arena *arena,
                             struct orr_match *ret_match, struct orr_error *err)
{
    static const enum orr_likeness likeness[] = {[ORR_COLOUR_RANKS] = ORR_LIKE_RANKS,
                                                 [ORR_COLOUR_HARDWARE] = ORR_LIKE_HARDWARE,
                                                 [ORR_COLOUR_SHAPE_RANKS] = ORR_LIKE_SHAPE,
                                                 [ORR_COLOUR_SHAPE] = ORR_LIKE_SHAPE};
    struct side of_a, of_b;
    struct orr_match match = {.a = a, .b = b};
    match.to_b = ORR_NEW(arena, uint32_t, a->count);
    match.to_a = ORR_NEW(arena, uint32_t, b->count);
    ORR_NEED(match.to_b && match.to_a && make_side(&of_a, a, match.to_b, arena) &&
                 make_side(&of_b, b, match.to_a, arena),
             err);
    for (uint32_t i = 0; i < a->count; i++)
        match.to_b[i] = ORR_NO_DEVICE;
    for (uint32_t i = 0; i < b->count; i++)
        match.to_a[i] = ORR_NO_DEVICE;
    match.likeness = ORR_LIKE_SHAPE;
    for (int by = ORR_COLOUR_RANKS; a->count == b->count && by <= ORR_COLOUR_SHAPE; by++)
        if (match_whole(&match, &of_a, &of_b, (enum orr_colouring)by)) {
            match.likeness = likeness[by];
            break;
        }
    ORR_TRY(orr_match_parts(&match, arena, err));
    if (!all_in_place(&match))
        match.likeness = ORR_LIKE_PARTS;
    *ret_match = match;
    return ORR_OK;
}

enum orr_code orr_devices_fingerprint(const struct orr_devices *devices, struct orr_arena *arena,
                                      uint64_t *ret_fingerprint, struct orr_error *err)
{
    struct orr_colours colours;
    uint64_t all = 0;
    ORR_NEED(orr_colours_make(&colours, devices, arena), err);
    orr_colours_start(&colours, devices, ORR_COLOUR_HARDWARE, NULL);
    orr_colours_spread(&colours, devices, STEPS);
    for (uint32_t i = 0; i < devices->count; i++)
        all += orr_mix(17, colours.now[i]);
    *ret_fingerprint = orr_mix(all, devices->count);
    return ORR_OK;
}
