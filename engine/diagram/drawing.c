/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/diagram/drawing.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void orr_drawing_init(struct orr_drawing *drawing, struct orr_arena *arena, enum orr_theme theme, enum orr_view view)
{
    *drawing = (struct orr_drawing){.arena = arena, .theme = theme, .view = orr_view_name(view), .title = ""};
}

uint32_t orr_drawing_box(struct orr_drawing *drawing, const struct orr_box *box)
{
    if (drawing->failed || !ORR_RESERVE(drawing->arena, drawing->boxes, drawing->box_count, drawing->box_capacity)) {
        drawing->failed = true;
        return ORR_NO_BOX;
    }
    drawing->boxes[drawing->box_count] = *box;
    return drawing->box_count++;
}

uint32_t orr_drawing_tile(struct orr_drawing *drawing, const struct orr_tile *tile)
{
    if (drawing->failed || !ORR_RESERVE(drawing->arena, drawing->tiles, drawing->tile_count, drawing->tile_capacity)) {
        drawing->failed = true;
        return ORR_NO_TILE;
    }
    drawing->tiles[drawing->tile_count] = *tile;
    return drawing->tile_count++;
}

uint32_t orr_drawing_wire(struct orr_drawing *drawing, const struct orr_wire *wire)
{
    if (drawing->failed || !ORR_RESERVE(drawing->arena, drawing->wires, drawing->wire_count, drawing->wire_capacity)) {
        drawing->failed = true;
        return UINT32_MAX;
    }
    drawing->wires[drawing->wire_count] = *wire;
    return drawing->wire_count++;
}

void orr_drawing_note(struct orr_drawing *drawing, const char *id, uint32_t box, float x, float y, float font,
                      const char *text)
{
    orr_drawing_tile(drawing, &(struct orr_tile){
                                  .frame = {x, y, orr_text_width(text, font), font * 1.3f},
                                  .box = box,
                                  .role = ORR_ROLE_NOTE,
                                  .font = font,
                                  .id = id,
                                  .classes = "note",
                                  .title = text,
                                  .label = text,
                              });
}

const char *orr_drawing_text(struct orr_drawing *drawing, const char *format, ...)
{
    enum { MOST = 512 }; /* longer texts are cut; no label or title needs more */
    va_list args;
    va_start(args, format);
    const char *text = orr_arena_vprintf(drawing->arena, MOST, format, args);
    va_end(args);
    drawing->failed |= !text;
    return text ? text : "";
}

const struct orr_point *orr_drawing_points(struct orr_drawing *drawing, const struct orr_point *points, uint32_t count)
{
    struct orr_point *copy = drawing->failed ? NULL : ORR_NEW(drawing->arena, struct orr_point, count);
    if (!copy) {
        drawing->failed = true;
        return NULL;
    }
    memcpy(copy, points, count * sizeof *copy);
    return copy;
}

const char *orr_drawing_fit(struct orr_drawing *drawing, const char *text, float font, float width)
{
    if (orr_text_width(text, font) <= width)
        return text;
    char buffer[160];
    size_t length = strlen(text);
    if (length > sizeof buffer - 4)
        length = sizeof buffer - 4;
    for (;; length--) {
        while (length && ((unsigned char)text[length] & 0xc0) == 0x80) /* never inside a character */
            length--;
        snprintf(buffer, sizeof buffer, "%.*s\xe2\x80\xa6", (int)length, text);
        if (!length || orr_text_width(buffer, font) <= width)
            return orr_drawing_text(drawing, "%s", buffer);
    }
}
