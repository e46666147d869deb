/* SPDX-License-Identifier: Apache-2.0 */
/* The colours of Orrery's pictures: one table for everything that draws (diagrams, the page's style sheet, reports).
 *
 * Chosen so that people with deuteranopia, protanopia or tritanopia can distinguish them: kinds of paths run from blue
 * (nearest) through ochre to red (farthest) and differ in lightness as well. Colour is never the only sign: every kind
 * is also given as text, and what is degraded or narrowest is dashed or thick and marked in its label.
 * Contrast against the canvas: text 4.5:1 or more, lines 3:1 or more (test_diagram_theme.c computes it). */
#ifndef ORR_DIAGRAM_DIAGRAM_THEME_H
#define ORR_DIAGRAM_DIAGRAM_THEME_H

#include "engine/diagram/diagram.h"

/* The roles of colours. */
enum orr_role {
    ORR_ROLE_CANVAS,
    ORR_ROLE_HOST,   /* box of one host among several */
    ORR_ROLE_NUMA,   /* box of a NUMA node */
    ORR_ROLE_SWITCH, /* box of a PCIe switch */
    ORR_ROLE_CARD,   /* box of a NIC with its ports */
    ORR_ROLE_GPU,
    ORR_ROLE_PCI,
    ORR_ROLE_NVS,
    ORR_ROLE_CPU,
    ORR_ROLE_NIC,
    ORR_ROLE_NET,
    ORR_ROLE_OTHER, /* any other device; other hosts */
    ORR_ROLE_NOTE,  /* text without a frame */
    ORR_ROLE_ALERT, /* degraded, narrowest */
    ORR_ROLE_COUNT
};

struct orr_paint { /* "#rrggbb" */
    const char *fill, *stroke, *ink;
};

const struct orr_paint *orr_theme_paint(enum orr_theme theme, enum orr_role role);
/* The line colour of a kind of path, and of a kind of link (those of the paths that consist of it). */
const char *orr_theme_path(enum orr_theme theme, enum orr_path_type type);
const char *orr_theme_link(enum orr_theme theme, enum orr_link_type type);

/* The font, and the width in points of one line of UTF-8 text in DejaVu Sans of a size. */
extern const char orr_theme_font[];
float orr_text_width(const char *text, float size);

#endif
