/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/diagram/diagram.h"

#include "engine/base/budget.h"
#include "engine/diagram/view.h"

static const char *const view_names[ORR_VIEW_COUNT] = {[ORR_VIEW_SYSTEM] = "system",
                                                       [ORR_VIEW_RING] = "ring",
                                                       [ORR_VIEW_TREE] = "tree",
                                                       [ORR_VIEW_PATH] = "path",
                                                       [ORR_VIEW_COLLNET] = "collnet_direct"};
static const struct {
    const char *name, *media_type;
} formats[ORR_FORMAT_COUNT] = {
    [ORR_FORMAT_SVG] = {"svg", "image/svg+xml"},
    [ORR_FORMAT_PNG] = {"png", "image/png"},
    [ORR_FORMAT_PDF] = {"pdf", "application/pdf"},
    [ORR_FORMAT_DOT] = {"dot", "text/vnd.graphviz"},
};

const char *orr_view_name(size_t view)
{
    return view < ORR_VIEW_COUNT ? view_names[view] : NULL;
}

const char *orr_format_name(size_t format)
{
    return format < ORR_FORMAT_COUNT ? formats[format].name : NULL;
}

const char *orr_format_media_type(size_t format)
{
    return format < ORR_FORMAT_COUNT ? formats[format].media_type : NULL;
}

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
