/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/diagram/diagram.h"

#include "engine/base/budget.h"
#include "engine/diagram/view.h"

static enum orr_code draw(const struct orr_analysis *analysis, const struct orr_diagram_request *request,
                          struct orr_drawing *drawing, struct orr_error *err)
{
    switch (request->view) {
    case ORR_VIEW_RING:
        return orr_view_ring(analysis, request->channel, drawing, err);
    case ORR_VIEW_TREE:
        return orr_view_tree(analysis, request->channel, drawing, err);
    case ORR_VIEW_PATH:
        return orr_view_path(analysis, request->from, request->to, drawing, err);
    case ORR_VIEW_COLLNET:
        return orr_view_collnet(analysis, drawing, err);
    default:
        return orr_view_system(analysis, drawing, err);
    }
}

enum orr_code orr_diagram_dot(const struct orr_analysis *analysis, const struct orr_diagram_request *request,
                              struct orr_text *text, struct orr_error *err)
{
    orr_budget_stage("drawing");
    ORR_LOCAL_ARENA(arena, (size_t)256 << 20);
    struct orr_drawing drawing;
    enum orr_theme theme = (unsigned)request->theme < ORR_THEME_COUNT ? request->theme : ORR_THEME_LIGHT;
    orr_drawing_init(&drawing, arena, theme, request->view);
    ORR_TRY(draw(analysis, request, &drawing, err));
    ORR_TRY(orr_budget_check(err));
    return orr_drawing_write(&drawing, text, err);
}
