/* SPDX-License-Identifier: Apache-2.0 */
/* The views: each fills a drawing from an analysis. If memory runs out, drawing->failed is set; other failures are
 * returned. */
#ifndef ORR_DIAGRAM_VIEW_H
#define ORR_DIAGRAM_VIEW_H

#include "engine/diagram/labels.h"

enum { ORR_DRAWN_NODES_MAX = 4096, ORR_DRAWN_LINKS_MAX = 16384, ORR_DRAWN_DEPTH_MAX = 96 };

enum orr_code orr_view_system(const struct orr_analysis *analysis, struct orr_drawing *drawing,
                              struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_view_ring(const struct orr_analysis *analysis, int32_t channel, struct orr_drawing *drawing,
                            struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_view_tree(const struct orr_analysis *analysis, int32_t channel, struct orr_drawing *drawing,
                            struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_view_collnet(const struct orr_analysis *analysis, struct orr_drawing *drawing,
                               struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_view_path(const struct orr_analysis *analysis, const char *from, const char *to,
                            struct orr_drawing *drawing, struct orr_error *err) ORR_NO_DISCARD;

#endif
