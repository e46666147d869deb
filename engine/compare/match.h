/* SPDX-License-Identifier: Apache-2.0 */
/* Finds which device of one dump plays the role of which device of another. README.md has the rules. */
#ifndef ORR_COMPARE_MATCH_H
#define ORR_COMPARE_MATCH_H

#include "engine/compare/devices.h"

/* How much the two dumps have in common: the first that holds. */
enum orr_likeness {
    ORR_LIKE_RANKS,    /* every device has its equal, with the same ranks in the same places */
    ORR_LIKE_HARDWARE, /* every device has its equal; ranks are dealt otherwise */
    ORR_LIKE_SHAPE,    /* every device has its place; some figures differ */
    ORR_LIKE_PARTS     /* devices are missing, added or moved */
};

struct orr_match {
    const struct orr_devices *a, *b; /* borrowed */
    uint32_t *to_b;                  /* [device of a]: device of b, ORR_NO_DEVICE if there is none */
    uint32_t *to_a;                  /* [device of b] */
    enum orr_likeness likeness;
};

/* Matches the devices of two dumps. The result depends only on their contents, and the work is bounded for any
 * contents. Memory comes from arena. */
enum orr_code orr_match_find(const struct orr_devices *a, const struct orr_devices *b, struct orr_arena *arena,
                             struct orr_match *ret_match, struct orr_error *err) ORR_NO_DISCARD;

/* A digest that is the same for dumps with equal devices, regardless of names, ranks and order; for other dumps it
 * differs, except by a chance of about 2^-64. Scratch memory comes from arena. */
enum orr_code orr_devices_fingerprint(const struct orr_devices *devices, struct orr_arena *arena,
                                      uint64_t *ret_fingerprint, struct orr_error *err) ORR_NO_DISCARD;

/* Inside compare/. Colours say which devices look alike from their place (colours.c). */
enum orr_colouring { ORR_COLOUR_RANKS, ORR_COLOUR_HARDWARE, ORR_COLOUR_SHAPE_RANKS, ORR_COLOUR_SHAPE };
struct orr_colours {
    uint64_t *now, *next, *around; /* [device] */
    bool figures;                  /* the number of NVLinks in a lane matters */
};
bool orr_colours_make(struct orr_colours *colours, const struct orr_devices *devices, struct orr_arena *arena);
/* Colours devices by their own values. anchors[i]: a number that only the device and its match have, 0 if there is
 * none. */
void orr_colours_start(struct orr_colours *colours, const struct orr_devices *devices, enum orr_colouring by,
                       const uint32_t *anchors);
/* Mixes in the surroundings of each device, up to this many steps away. */
void orr_colours_spread(struct orr_colours *colours, const struct orr_devices *devices, unsigned steps);

/* Pairs the devices that colourings left over: from the top down by their contents, then moved devices (parts.c). */
enum orr_code orr_match_parts(struct orr_match *match, struct orr_arena *arena, struct orr_error *err) ORR_NO_DISCARD;

static inline void orr_match_pair(struct orr_match *match, uint32_t a, uint32_t b)
{
    match->to_b[a] = b;
    match->to_a[b] = a;
}

#endif
