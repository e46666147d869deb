/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of an analysis: the machine, a ring, a tree, a path, CollNetDirect. The engine says which boxes contain
 * which, and their places, labels, classes and ids. Graphviz draws it in a worker process of its own
 * (diagram_worker.h), because it is not thread-safe and may run long. */
#ifndef ORR_DIAGRAM_DIAGRAM_H
#define ORR_DIAGRAM_DIAGRAM_H

#include "engine/analysis/analysis.h"
#include "engine/base/words.h"

enum orr_view { ORR_VIEW_SYSTEM, ORR_VIEW_RING, ORR_VIEW_TREE, ORR_VIEW_PATH, ORR_VIEW_COLLNET, ORR_VIEW_COUNT };
enum orr_format { ORR_FORMAT_SVG, ORR_FORMAT_PNG, ORR_FORMAT_PDF, ORR_FORMAT_DOT, ORR_FORMAT_COUNT };
enum orr_theme { ORR_THEME_LIGHT, ORR_THEME_DARK, ORR_THEME_COUNT };

struct orr_diagram_request {
    enum orr_view view;
    enum orr_theme theme;
    int32_t channel;       /* of the ring or tree */
    const char *from, *to; /* PATH: texts that orr_system_find() understands */
};

/* Lists of words (engine/base/words.h) in the order of the enums: "system", "ring" ...; "svg" ...; "image/svg+xml" ...;
 * "light", "dark". NULL beyond the last. */
const char *orr_view_name(size_t view);
const char *orr_format_name(size_t format);
const char *orr_format_media_type(size_t format);
const char *orr_theme_name(size_t theme);

/* Writes the picture as DOT. Ids of nodes are those of the analysis document with "/" (such as "GPU/0-1b000"), ids of
 * edges "FROM--TO". NOT_FOUND for a channel or node that is missing. */
enum orr_code orr_diagram_dot(const struct orr_analysis *analysis, const struct orr_diagram_request *request,
                              struct orr_text *text, struct orr_error *err) ORR_NO_DISCARD;

#endif
