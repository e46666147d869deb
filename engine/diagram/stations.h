/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a ring of many ranks as a line with stations, one for each visit of a host or of a tray of a fused system. If
 * there are too many, equal consecutive visits share a station. */
#ifndef ORR_DIAGRAM_STATIONS_H
#define ORR_DIAGRAM_STATIONS_H

#include "engine/diagram/cast.h"

/* Fills the cast's drawing. Memory ran out: drawing->failed. */
enum orr_code orr_view_stations(struct orr_cast *cast, int32_t channel, struct orr_error *err) ORR_NO_DISCARD;
/* The same for a tree: the ranks of a host or tray that it joins without leaving it share a tile. If there are too
 * many, equal neighbouring subtrees are drawn as one. */
enum orr_code orr_view_host_tree(struct orr_cast *cast, int32_t channel, struct orr_error *err) ORR_NO_DISCARD;
/* "slowest", "unlike most", "slowest, unlike most": what is remarkable about the host of a rank, NULL if there is
 * nothing. */
const char *orr_cast_remark(const struct orr_cast *cast, int32_t rank);

#endif
