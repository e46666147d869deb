/* SPDX-License-Identifier: Apache-2.0 */
/* Colour refinement: a device's colour is mixed again and again with the colours above it, inside it and at the ends of
 * its NVLinks. So two devices keep the same colour only while everything that can be seen from them is equal. Sums
 * represent sets, so order does not matter. */
#include "engine/compare/match.h"

bool orr_colours_make(struct orr_colours *colours, const struct orr_devices *devices, struct orr_arena *arena)
{
    colours->now = ORR_NEW(arena, uint64_t, devices->count);
    colours->next = ORR_NEW(arena, uint64_t, devices->count);
    colours->around = ORR_NEW(arena, uint64_t, devices->count);
    return colours->now && colours->next && colours->around;
}

void orr_colours_start(struct orr_colours *colours, const struct orr_devices *devices, enum orr_colouring by,
                       const uint32_t *anchors)
{
    bool hardware = by == ORR_COLOUR_RANKS || by == ORR_COLOUR_HARDWARE;
    colours->figures = hardware;
    bool ranks = by == ORR_COLOUR_RANKS || by == ORR_COLOUR_SHAPE_RANKS;
    for (uint32_t i = 0; i < devices->count; i++) {
        const struct orr_device *d = &devices->rows[i];
        uint64_t colour = hardware ? d->hardware : d->shape;
        if (ranks)
            colour = orr_mix(colour, (uint64_t)d->role);
        colours->now[i] = anchors && anchors[i] ? orr_mix(colour, (uint64_t)anchors[i] << 32) : colour;
    }
}

void orr_colours_spread(struct orr_colours *colours, const struct orr_devices *devices, unsigned steps)
{
    for (unsigned step = 0; step < steps; step++) {
        for (uint32_t i = 0; i < devices->count; i++)
            colours->around[i] = 0;
        for (uint32_t i = 1; i < devices->count; i++)
            colours->around[devices->rows[i].parent] += orr_mix(3, colours->now[i]);
        for (uint32_t l = 0; l < devices->lane_count; l++) {
            const struct orr_lane *lane = &devices->lanes[l];
            uint32_t count = colours->figures ? lane->count : 0;
            colours->around[lane->from] += orr_mix(orr_mix(11, count), colours->now[lane->to]);
            colours->around[lane->to] += orr_mix(orr_mix(13, count), colours->now[lane->from]);
        }
        for (uint32_t i = 0; i < devices->count; i++) {
            uint64_t above = i ? colours->now[devices->rows[i].parent] : 0;
            colours->next[i] = orr_mix(orr_mix(colours->now[i], above), colours->around[i]);
        }
        uint64_t *spent = colours->now;
        colours->now = colours->next;
        colours->next = spent;
    }
}
