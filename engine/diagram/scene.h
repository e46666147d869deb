/* SPDX-License-Identifier: Apache-2.0 */
/* A machine that is being drawn: its tiles, and a wire for each pair of linked devices. Both layouts of the machine use
 * it: NUMA nodes in rows (view_system.c) and trays in a rack (view_rack.c). */
#ifndef ORR_DIAGRAM_SCENE_H
#define ORR_DIAGRAM_SCENE_H

#include "engine/diagram/labels.h"

struct orr_analysis;

extern const float orr_link_font, orr_tile_font;

struct orr_scene {
    const struct orr_system *system; /* that of the labels */
    struct orr_drawing *drawing;
    struct orr_labels labels;
    bool by_bandwidth; /* links are as wide as their bandwidth */
    uint32_t *tiles;   /* [node]: its tile in the drawing, ORR_NO_TILE if there is none */
};

enum orr_wiring {
    ORR_WIRE_NONE,
    ORR_WIRE_UPLINK,       /* between a device and what contains it */
    ORR_WIRE_CPU,          /* between a GPU and its CPU, beside the one through PCI */
    ORR_WIRE_TRACK_BOTTOM, /* between GPUs */
    ORR_WIRE_TRACK_TOP,    /* between CPUs */
    ORR_WIRE_NVSWITCH,
    ORR_WIRE_OTHER
};

/* How to draw a link; the two links of a pair are drawn once, by the link from the lower index. */
enum orr_wiring orr_scene_wiring(const struct orr_scene *scene, uint32_t link);
/* Adds the wire of a link; label: NULL for none. */
void orr_scene_wire(struct orr_scene *scene, uint32_t link, const struct orr_point *points, uint32_t count,
                    const char *label, struct orr_point label_at);
/* "8 GPUs, 2 NUMA nodes, 16 NICs with 16 ports, NVSwitch": the line above the drawing. */
const char *orr_scene_caption(const struct orr_scene *scene, const struct orr_analysis *analysis);

#endif
