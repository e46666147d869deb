/* SPDX-License-Identifier: Apache-2.0 */
/* A ring of many ranks as a line with stations: each visit of a host, or of a tray of a fused system, is one. Visits
 * that are alike and follow one another are one station if there are too many. */
#ifndef ORR_DIAGRAM_STATIONS_H
#define ORR_DIAGRAM_STATIONS_H

#include "engine/diagram/cast.h"

/* Fills the cast's drawing. Memory ran out: drawing->failed. */
enum orr_code orr_view_stations(struct orr_cast *cast, int32_t channel, struct orr_error *err) ORR_NO_DISCARD;
/* The same of a tree: the ranks of one host or tray that it joins without leaving it are one tile. If there are too
 * many, subtrees beside one another that are alike are one. */
enum orr_code orr_view_host_tree(struct orr_cast *cast, int32_t channel, struct orr_error *err) ORR_NO_DISCARD;
/* "slowest", "unlike most", "slowest, unlike most": what is remarkable about the host of a rank, NULL if there is
 * nothing. */
const char *orr_cast_remark(const struct orr_cast *cast, int32_t rank);

#endif
