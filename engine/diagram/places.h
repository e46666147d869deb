/* SPDX-License-Identifier: Apache-2.0 */
/* Places of tiles that more than one view uses. */
#ifndef ORR_DIAGRAM_PLACES_H
#define ORR_DIAGRAM_PLACES_H

#include "engine/diagram/drawing.h"

/* Points at equal distances along an ellipse, clockwise from the top. */
void orr_spread(struct orr_point *points, uint32_t count, float rx, float ry);
/* The point at which the line from the middle of a tile towards a point leaves the tile. */
struct orr_point orr_edge_of(struct orr_point centre, float w, float h, struct orr_point towards);

#endif
