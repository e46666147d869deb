/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the orders of a layout's axes. */
#include <stdio.h>
#include <string.h>

#include "engine/order/ordering.h"

enum { MOST_LAYOUT = 400 };

/* The text of a layout with its axes in another order. */
static void write_layout(const struct orr_layout *layout, const enum orr_dimension *axes, char *text)
{
    int used = 0;
    for (int d = 0; d < ORR_DIMENSION_COUNT; d++)
        used += snprintf(text + used, (size_t)(MOST_LAYOUT - used), "%s=%u,", orr_dimension_name((enum orr_dimension)d),
                         layout->size[d]);
    if (layout->expert > 1)
        used += snprintf(text + used, (size_t)(MOST_LAYOUT - used), "ep=%u,", layout->expert);
    used += snprintf(text + used, (size_t)(MOST_LAYOUT - used), "order=");
    for (int i = 0; i < ORR_DIMENSION_COUNT; i++)
        used += snprintf(text + used, (size_t)(MOST_LAYOUT - used), "%s%s", i ? "-" : "", orr_dimension_name(axes[i]));
}

enum orr_code orr_list_layouts(struct orr_ordering *o, struct orr_layouts *out, struct orr_error *err)
{
    struct orr_layout layout;
    ORR_TRY(orr_layout_read(o->question->layout, o->present->rank_count, &layout, err));
    const bool fixed = strstr(o->question->layout, "order=") != NULL;
    for (uint32_t code = 0; code < 256; code++) { /* each number has four digits of base four: positions in the present
                                                   * order */
        enum orr_dimension axes[ORR_DIMENSION_COUNT];
        bool seen[ORR_DIMENSION_COUNT] = {false}, valid = true;
        for (uint32_t i = 0; i < ORR_DIMENSION_COUNT; i++) {
            const uint32_t place = code >> (6 - 2 * i) & 3;
            axes[i] = layout.order[place];
            valid = valid && !seen[place] && (layout.size[axes[i]] > 1 || place == i);
            seen[place] = true;
        }
        if (!valid || (fixed && out->count))
            continue;
        memcpy(out->axes[out->count], axes, sizeof axes);
        ORR_NEED((out->texts[out->count] = orr_arena_alloc(o->arena, MOST_LAYOUT, 1)), err);
        write_layout(&layout, axes, out->texts[out->count++]);
    }
    return ORR_OK;
}
