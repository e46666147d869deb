/* SPDX-License-Identifier: Apache-2.0 */
/* Wires that run beside the rows: NVLinks between GPUs below them, links between CPUs above them. A wire that would
 * touch another gets its own track, and its label a place that no other wire crosses. */
#ifndef ORR_DIAGRAM_TRACKS_H
#define ORR_DIAGRAM_TRACKS_H

#include "engine/diagram/tree_layout.h"

enum orr_side { ORR_SIDE_TOP, ORR_SIDE_BOTTOM, ORR_SIDE_COUNT };

struct orr_track {
    uint32_t link;
    uint32_t ends[2];   /* nodes */
    enum orr_side side; /* of their tiles */
    float x[2];         /* where the wire meets them */
    uint32_t row[2];
    uint32_t lane[2]; /* counted from the row outwards; the same for both ends in one row */
    uint32_t margin;  /* right of all rows, for ends in different rows */
    const char *label;
    struct orr_point label_at;
};

struct orr_tracks {
    struct orr_tree_layout *layout;
    struct orr_track *tracks;
    uint32_t count;
    uint32_t *lanes[ORR_SIDE_COUNT];    /* [row]: number of lanes */
    float spacing[ORR_SIDE_COUNT];      /* of lanes, points */
    const char *common[ORR_SIDE_COUNT]; /* one label for all if there are too many to label each */
    uint32_t margins;
};

/* Chooses x positions and lanes. `tracks` holds link, ends and side of each. */
void orr_tracks_assign(struct orr_tracks *tracks, struct orr_tree_layout *layout, struct orr_track *list,
                       uint32_t count);
/* Height that a row needs on that side. */
float orr_tracks_height(const struct orr_tracks *tracks, enum orr_side side, uint32_t row);
/* Call this when the rows' tops are known and the tiles are moved. Writes the wire's 4 or 6 points and returns their
 * number; sets `label_at` of the track. */
uint32_t orr_tracks_points(struct orr_tracks *tracks, uint32_t index, struct orr_point points[6]);
/* Finds the places of all labels; a label without one is dropped (its wire keeps its title). */
void orr_tracks_labels(struct orr_tracks *tracks);

#endif
