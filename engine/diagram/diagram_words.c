/* SPDX-License-Identifier: Apache-2.0 */
/* Names of views and formats. */
#include "engine/diagram/diagram.h"

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
