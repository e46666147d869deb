/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the drawing as DOT for Graphviz' nop2 engine, which draws at the given places. The graph's `layout` attribute
 * says so, so `dot -Tsvg` on the text gives the same picture. */
#include <math.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/diagram/drawing.h"

static const float margin = 0, corner = 6, arrow_length = 7;

struct extent {
    float left, top, right, bottom;
};

static void cover(struct extent *extent, float x, float y)
{
    extent->left = fminf(extent->left, x);
    extent->right = fmaxf(extent->right, x);
    extent->top = fminf(extent->top, y);
    extent->bottom = fmaxf(extent->bottom, y);
}

static void cover_frame(struct extent *extent, const struct orr_frame *frame)
{
    cover(extent, frame->x, frame->y);
    cover(extent, frame->x + frame->w, frame->y + frame->h);
}

static struct extent extent_of(const struct orr_drawing *drawing)
{
    struct extent extent = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (unsigned i = 0; i < drawing->box_count; i++)
        cover_frame(&extent, &drawing->boxes[i].frame);
    for (unsigned i = 0; i < drawing->tile_count; i++)
        cover_frame(&extent, &drawing->tiles[i].frame);
    for (unsigned i = 0; i < drawing->wire_count; i++) {
        const struct orr_wire *wire = &drawing->wires[i];
        for (uint32_t k = 0; k < wire->point_count; k++)
            cover(&extent, wire->points[k].x, wire->points[k].y);
        if (wire->label) {
            float half = orr_text_width(wire->label, wire->label_font) / 2;
            cover(&extent, wire->label_at.x - half, wire->label_at.y - wire->label_font);
            cover(&extent, wire->label_at.x + half, wire->label_at.y + wire->label_font);
        }
    }
    if (extent.left > extent.right)
        extent = (struct extent){0, 0, 1, 1};
    return (struct extent){extent.left - margin, extent.top - margin, extent.right + margin, extent.bottom + margin};
}

/* Length of the character at the start of a text that XML allows, control characters left out; 0 if there is none. */
static size_t character(const char *text)
{
    return (unsigned char)*text < 0x20 || *text == 0x7f ? 0 : orr_xml_length(text);
}

/* The inside of a quoted DOT string that means exactly this text: the backslash escapes of labels (\N, \l ...) and
 * XML entities are made harmless, control characters and broken UTF-8 become U+FFFD. A line feed becomes a line break.
 */
static void quote_inside(struct orr_text *text, const char *string)
{
    for (const char *at = string; *at;) {
        size_t length = character(at);
        if (*at == '\n')
            orr_text_puts(text, "\\n");
        else if (*at == '"' || *at == '\\')
            orr_text_puts(text, *at == '"' ? "\\\"" : "\\\\");
        else if (*at == '&')
            orr_text_puts(text, "&amp;");
        else if (length)
            orr_text_add(text, at, length);
        else
            orr_text_puts(text, "\xef\xbf\xbd");
        at += length ? length : 1;
    }
}

static void quote(struct orr_text *text, const char *string)
{
    orr_text_puts(text, "\"");
    quote_inside(text, string);
    orr_text_puts(text, "\"");
}

static void attribute(struct orr_text *text, const char *name, const char *value)
{
    orr_text_printf(text, "%s=", name);
    quote(text, value);
    orr_text_puts(text, ",");
}

static void write_tile(struct orr_text *text, const struct orr_drawing *drawing, const struct orr_tile *tile,
                       const struct extent *extent)
{
    const struct orr_paint *paint = orr_theme_paint(drawing->theme, tile->assumed ? ORR_ROLE_OTHER : tile->role);
    quote(text, tile->id);
    orr_text_puts(text, " [");
    attribute(text, "id", tile->id);
    attribute(text, "class", tile->classes);
    attribute(text, "tooltip", tile->title);
    attribute(text, "label", tile->label);
    if (tile->role == ORR_ROLE_NOTE)
        orr_text_puts(text, "shape=plaintext,style=\"\",");
    else
        orr_text_printf(text, "fillcolor=\"%s\",color=\"%s\",penwidth=%s,", paint->fill, paint->stroke,
                        tile->bold_frame ? "2.2" : "1");
    if (tile->assumed)
        orr_text_puts(text, "style=\"rounded,filled,dashed\",");
    orr_text_printf(text, "fontcolor=\"%s\",fontsize=%.4g,pos=\"%.2f,%.2f\",width=%.4f,height=%.4f];\n", paint->ink,
                    (double)tile->font, (double)(tile->frame.x + tile->frame.w / 2 - extent->left),
                    (double)(extent->bottom - tile->frame.y - tile->frame.h / 2), (double)(tile->frame.w / 72),
                    (double)(tile->frame.h / 72));
}

static struct orr_point towards(struct orr_point from, struct orr_point to, float distance)
{
    float dx = to.x - from.x, dy = to.y - from.y, length = hypotf(dx, dy);
    if (length <= 0)
        return from;
    distance = fminf(distance, length);
    return (struct orr_point){from.x + dx * distance / length, from.y + dy * distance / length};
}

static void point(struct orr_text *text, const struct extent *extent, struct orr_point at)
{
    orr_text_printf(text, "%.2f,%.2f ", (double)(at.x - extent->left), (double)(extent->bottom - at.y));
}

/* A straight piece as a Bezier curve, without its first point. */
static void straight(struct orr_text *text, const struct extent *extent, struct orr_point from, struct orr_point to)
{
    point(text, extent, from);
    point(text, extent, to);
    point(text, extent, to);
}

static void write_spline(struct orr_text *text, const struct orr_wire *wire, const struct extent *extent)
{
    uint32_t last = wire->point_count - 1;
    struct orr_point tip = wire->points[last], end = tip;
    orr_text_puts(text, "pos=\"");
    if (wire->arrow) {
        end = towards(tip, wire->points[last - 1], arrow_length);
        orr_text_puts(text, "e,");
        point(text, extent, tip);
    }
    struct orr_point at = wire->points[0];
    point(text, extent, at);
    for (uint32_t k = 1; k < last; k++) { /* each corner is rounded */
        struct orr_point turn = wire->points[k], next = k + 1 == last ? end : wire->points[k + 1];
        float before = hypotf(turn.x - at.x, turn.y - at.y), after = hypotf(next.x - turn.x, next.y - turn.y) / 2;
        float radius = fminf(corner, fminf(before, after));
        struct orr_point in = towards(turn, at, radius), out = towards(turn, next, radius);
        straight(text, extent, at, in);
        point(text, extent, turn);
        point(text, extent, turn);
        point(text, extent, out);
        at = out;
    }
    straight(text, extent, at, end);
    orr_text_puts(text, "\",");
}

static void write_wire(struct orr_text *text, const struct orr_drawing *drawing, const struct orr_wire *wire,
                       const struct extent *extent)
{
    static const char *const styles[] = {
        [ORR_LINE_SOLID] = "solid", [ORR_LINE_DASHED] = "dashed", [ORR_LINE_DOTTED] = "dotted"};
    quote(text, drawing->tiles[wire->from].id);
    orr_text_puts(text, " -- ");
    quote(text, drawing->tiles[wire->to].id);
    orr_text_puts(text, " [");
    attribute(text, "id", wire->id);
    attribute(text, "class", wire->classes);
    attribute(text, "tooltip", wire->title);
    if (wire->label) {
        attribute(text, "label", wire->label);
        attribute(text, "labeltooltip", wire->title);
        orr_text_printf(text, "fontsize=%.4g,fontcolor=\"%s\",lp=\"%.2f,%.2f\",", (double)wire->label_font,
                        wire->label_colour, (double)(wire->label_at.x - extent->left),
                        (double)(extent->bottom - wire->label_at.y));
    }
    if (wire->arrow)
        orr_text_puts(text, "dir=forward,");
    write_spline(text, wire, extent);
    orr_text_printf(text, "color=\"%s\",penwidth=%.4g,style=%s];\n", wire->colour, (double)wire->width,
                    styles[wire->dash]);
}

/* Boxes and tiles sorted by the box that contains them, each list in order of creation. */
struct nesting {
    uint32_t *first_box, *next_box, *first_tile, *next_tile; /* [box + 1], element 0 means the canvas */
};

static void write_inside(struct orr_text *text, const struct orr_drawing *drawing, const struct nesting *nesting,
                         uint32_t box, const struct extent *extent)
{
    uint32_t slot = box == ORR_NO_BOX ? 0 : box + 1;
    for (uint32_t t = nesting->first_tile[slot]; t != ORR_NO_TILE; t = nesting->next_tile[t])
        write_tile(text, drawing, &drawing->tiles[t], extent);
    for (uint32_t b = nesting->first_box[slot]; b != ORR_NO_BOX; b = nesting->next_box[b]) {
        const struct orr_box *inner = &drawing->boxes[b];
        const struct orr_paint *paint = orr_theme_paint(drawing->theme, inner->role);
        /* Writes all attributes in every cluster, because an inner cluster inherits those that it does not set. */
        orr_text_puts(text, "subgraph \"cluster ");
        quote_inside(text, inner->id);
        orr_text_puts(text, "\" {\ngraph [");
        attribute(text, "id", inner->id);
        attribute(text, "class", inner->classes);
        attribute(text, "tooltip", inner->title);
        orr_text_printf(text, "style=\"rounded,filled\",fillcolor=\"%s\",color=\"%s\",bb=\"%.2f,%.2f,%.2f,%.2f\"];\n",
                        paint->fill, paint->stroke, (double)(inner->frame.x - extent->left),
                        (double)(extent->bottom - inner->frame.y - inner->frame.h),
                        (double)(inner->frame.x + inner->frame.w - extent->left),
                        (double)(extent->bottom - inner->frame.y));
        write_inside(text, drawing, nesting, b, extent);
        orr_text_puts(text, "}\n");
    }
}

static uint32_t *indices(struct orr_arena *arena, unsigned count)
{
    uint32_t *array = ORR_NEW(arena, uint32_t, count);
    if (array)
        memset(array, 0xff, count * sizeof *array);
    return array;
}

static bool nest(const struct orr_drawing *drawing, struct nesting *nesting)
{
    nesting->first_box = indices(drawing->arena, drawing->box_count + 1);
    nesting->next_box = indices(drawing->arena, drawing->box_count + 1);
    nesting->first_tile = indices(drawing->arena, drawing->box_count + 1);
    nesting->next_tile = indices(drawing->arena, drawing->tile_count + 1);
    if (!nesting->first_box || !nesting->next_box || !nesting->first_tile || !nesting->next_tile)
        return false;
    for (unsigned b = drawing->box_count; b-- > 0;) {
        uint32_t slot = drawing->boxes[b].parent == ORR_NO_BOX ? 0 : drawing->boxes[b].parent + 1;
        nesting->next_box[b] = nesting->first_box[slot];
        nesting->first_box[slot] = b;
    }
    for (unsigned t = drawing->tile_count; t-- > 0;) {
        uint32_t slot = drawing->tiles[t].box == ORR_NO_BOX ? 0 : drawing->tiles[t].box + 1;
        nesting->next_tile[t] = nesting->first_tile[slot];
        nesting->first_tile[slot] = t;
    }
    return true;
}

enum orr_code orr_drawing_write(const struct orr_drawing *drawing, struct orr_text *text, struct orr_error *err)
{
    struct nesting nesting;
    if (drawing->failed || !nest(drawing, &nesting))
        return orr_fail_nomem(err);
    struct extent extent = extent_of(drawing);
    const struct orr_paint *canvas = orr_theme_paint(drawing->theme, ORR_ROLE_CANVAS);
    const char *theme = orr_theme_name(drawing->theme);
    orr_text_puts(text, "graph \"orrery\" {\ngraph [layout=nop2,notranslate=true,charset=\"UTF-8\",id=\"orrery\",");
    orr_text_printf(text, "class=\"orrery view-%s theme-%s\",", drawing->view, theme);
    attribute(text, "tooltip", drawing->title);
    orr_text_printf(text, "bgcolor=\"%s\",pad=0.17,bb=\"0,0,%.2f,%.2f\",fontname=\"%s\"];\n", canvas->fill,
                    (double)(extent.right - extent.left), (double)(extent.bottom - extent.top), orr_theme_font);
    orr_text_printf(text, "node [shape=box,style=\"rounded,filled\",fixedsize=true,margin=0,fontname=\"%s\"];\n",
                    orr_theme_font);
    orr_text_printf(text, "edge [fontname=\"%s\",arrowsize=0.7];\n", orr_theme_font);
    write_inside(text, drawing, &nesting, ORR_NO_BOX, &extent);
    for (unsigned i = 0; i < drawing->wire_count; i++)
        write_wire(text, drawing, &drawing->wires[i], &extent);
    orr_text_puts(text, "}\n");
    if (text->starved)
        return orr_fail_nomem(err);
    if (orr_text_failed(text))
        return orr_fail(err, ORR_LIMIT, "the picture's text is longer than %zu bytes", text->limit);
    return ORR_OK;
}
