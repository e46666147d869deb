#include "engine/diagram/diagram.h"

#include <string.h>

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

const char *orr_view_name(enum orr_view view)
{
    return (unsigned)view < ORR_VIEW_COUNT ? view_names[view] : "?";
}

bool orr_view_parse(const char *text, enum orr_view *ret_view)
{
    for (int i = 0; i < ORR_VIEW_COUNT; i++)
        if (strcmp(text, view_names[i]) == 0) {
            *ret_view = (enum orr_view)i;
            return true;
        }
    return false;
}

const char *orr_format_name(enum orr_format format)
{
    return (unsigned)format < ORR_FORMAT_COUNT ? formats[format].name : "?";
}

const char *orr_format_media_type(enum orr_format format)
{
    return (unsigned)format < ORR_FORMAT_COUNT ? formats[format].media_type : "application/octet-stream";
}

bool orr_format_parse(const char *text, enum orr_format *ret_format)
{
    for (int i = 0; i < ORR_FORMAT_COUNT; i++)
        if (strcmp(text, formats[i].name) == 0) {
            *ret_format = (enum orr_format)i;
            return true;
        }
    return false;
}

bool orr_theme_parse(const char *text, enum orr_theme *ret_theme)
{
    for (int i = 0; i < ORR_THEME_COUNT; i++)
        if (strcmp(text, orr_theme_name((enum orr_theme)i)) == 0) {
            *ret_theme = (enum orr_theme)i;
            return true;
        }
    return false;
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
    struct orr_arena *arena = orr_arena_new((size_t)256 << 20);
    if (!arena)
        return orr_fail_nomem(err);
    struct orr_drawing drawing;
    enum orr_theme theme = (unsigned)request->theme < ORR_THEME_COUNT ? request->theme : ORR_THEME_LIGHT;
    orr_drawing_init(&drawing, arena, theme, request->view);
    enum orr_code code = draw(analysis, request, &drawing, err);
    if (code == ORR_OK)
        code = orr_budget_check(err);
    if (code == ORR_OK)
        code = orr_drawing_write(&drawing, text, err);
    orr_arena_free(arena);
    return code;
}
