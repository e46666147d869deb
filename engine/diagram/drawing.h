/* SPDX-License-Identifier: Apache-2.0 */
/* A drawing before it becomes DOT: boxes in boxes, tiles, wires, each at its place.
 *
 * Positions are points (1/72 inch), x to the right, y down, any origin. Everything is kept in an arena and refers to
 * others by index. The places are our own: hardware reads best when equal siblings are in equal places, which no
 * general layout gives; Graphviz draws (layout engine nop2) and brings the formats. */
#ifndef ORR_DIAGRAM_DRAWING_H
#define ORR_DIAGRAM_DRAWING_H

#include "engine/base/arena.h"
#include "engine/diagram/diagram_theme.h"

#define ORR_NO_BOX  UINT32_MAX
#define ORR_NO_TILE UINT32_MAX

struct orr_point {
    float x, y;
};
struct orr_frame { /* upper left corner and size */
    float x, y, w, h;
};

struct orr_box {
    struct orr_frame frame;
    uint32_t parent; /* an earlier box; ORR_NO_BOX means the canvas */
    enum orr_role role;
    const char *id, *classes, *title;
};

struct orr_tile {
    struct orr_frame frame;
    uint32_t box; /* box that it is in */
    enum orr_role role;
    float font; /* size in points */
    bool bold_frame;
    bool assumed; /* dashed and grey */
    const char *id, *classes, *title;
    const char *label; /* lines separated by \n */
};

enum orr_dash { ORR_LINE_SOLID, ORR_LINE_DASHED, ORR_LINE_DOTTED };

struct orr_wire {
    uint32_t from, to; /* tiles, by which DOT names it */
    const char *id, *classes, *title;
    const char *colour;
    float width;
    enum orr_dash dash;
    bool arrow;                     /* at the last point */
    const struct orr_point *points; /* of a line with rounded corners */
    uint32_t point_count;           /* two or more */
    const char *label;              /* NULL if there is none */
    const char *label_colour;
    struct orr_point label_at; /* its middle */
    float label_font;
};

struct orr_drawing {
    struct orr_arena *arena;
    enum orr_theme theme;
    const char *view;
    const char *title;
    struct orr_box *boxes;
    struct orr_tile *tiles;
    struct orr_wire *wires;
    unsigned box_count, tile_count, wire_count;
    unsigned box_capacity, tile_capacity, wire_capacity;
    bool failed; /* memory ran out: check once, at the end */
};

void orr_drawing_init(struct orr_drawing *drawing, struct orr_arena *arena, enum orr_theme theme, enum orr_view view);

/* Each returns the index of the new element, or an invalid one with `failed` set. Whatever the argument points to must
 * live as long as the drawing: see orr_drawing_text(). */
uint32_t orr_drawing_box(struct orr_drawing *drawing, const struct orr_box *box);
uint32_t orr_drawing_tile(struct orr_drawing *drawing, const struct orr_tile *tile);
uint32_t orr_drawing_wire(struct orr_drawing *drawing, const struct orr_wire *wire);
/* A line of text without a frame whose upper left corner is at x, y. */
void orr_drawing_note(struct orr_drawing *drawing, const char *id, uint32_t box, float x, float y, float font,
                      const char *text);
/* Text and points that live as long as the drawing; "" and NULL if memory ran out. */
const char *orr_drawing_text(struct orr_drawing *drawing, const char *format, ...) ORR_PRINTF(2, 3);
const struct orr_point *orr_drawing_points(struct orr_drawing *drawing, const struct orr_point *points, uint32_t count);
/* The text, cut with an ellipsis if it is wider than `width` points. */
const char *orr_drawing_fit(struct orr_drawing *drawing, const char *text, float font, float width);

/* Writes the drawing as DOT; texts are escaped, so no name of a dump can become an attribute, markup or an address. */
enum orr_code orr_drawing_write(const struct orr_drawing *drawing, struct orr_text *text,
                                struct orr_error *err) ORR_NO_DISCARD;

#endif
