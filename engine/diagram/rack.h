/* SPDX-License-Identifier: Apache-2.0 */
/* Many hosts of one NVLink domain, such as the 18 trays of an NVL72. Compact trays follow the order of the rack, top to
 * bottom and then the next column, under one bar for all NVSwitches. README.md has a sketch. */
#ifndef ORR_DIAGRAM_RACK_H
#define ORR_DIAGRAM_RACK_H

#include "engine/analysis/analysis.h"
#include "engine/diagram/scene.h"

/* Bands below the GPUs of a tray, from top to bottom: switches that lead to GPUs, ports with their NICs, switches that
 * lead only to NICs. */
enum orr_band { ORR_BAND_UPPER, ORR_BAND_PORT, ORR_BAND_LOWER, ORR_BAND_COUNT };

struct orr_tray_slot {        /* of a device */
    uint32_t columns, height; /* size including contents; for a switch, `height` is the number of strips above it in its
                               * band */
    bool to_gpu, to_nic;      /* it is a GPU (NIC) or leads to one */
    struct orr_frame at;
};

struct orr_tray {
    uint32_t system; /* of its devices' ids */
    uint32_t gpus;
    int32_t low_rank, high_rank;
    float width, x, y;
};

struct orr_rack {
    struct orr_scene *scene;
    struct orr_tray_slot *slots;
    uint32_t *first, *next; /* [node]: its contents, in order */
    struct orr_tray *trays;
    uint32_t tray_count, rows;
    uint32_t strips[ORR_BAND_COUNT], ports; /* maximum number of rows of switches, and of ports below one NIC */
    float tray_w, tray_h, gpu_top, top[ORR_BAND_COUNT], cpu_top, bus_bottom;
};

extern const float orr_rack_title_h, orr_rack_rail_h, orr_rack_cpu_h, orr_rack_bus_h, orr_rack_cpu_gap; /* points */

static inline enum orr_node_type orr_rack_type(const struct orr_rack *rack, uint32_t node)
{
    return rack->scene->system->nodes[node].type;
}
/* Whether a node is neither GPU, port, NIC nor CPU. */
bool orr_rack_is_switch(enum orr_node_type type);
/* Whether this layout can show the machine: several hosts, each with CPUs that contain everything else. */
bool orr_rack_fits(const struct orr_scene *scene);
/* Finds the trays, and the columns of their contents; false if memory runs out. */
bool orr_rack_gather(struct orr_rack *rack);
/* Places the bands from top to bottom, then the grid. The number of columns makes the picture about as wide as a
 * window. */
void orr_rack_arrange(struct orr_rack *rack);
/* Places a device of a tray and all inside, from x on. */
void orr_tray_place(struct orr_rack *rack, uint32_t node, float x, const struct orr_tray *tray);
/* Fills the scene's drawing. Memory ran out: drawing->failed. */
enum orr_code orr_view_rack(struct orr_scene *scene, const struct orr_analysis *analysis) ORR_NO_DISCARD;

#endif
