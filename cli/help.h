/* SPDX-License-Identifier: Apache-2.0 */
/* `orrery COMMAND --help`, `orrery help` and the guides of docs on the terminal. All of it wraps and is paged. */
#ifndef ORR_CLI_HELP_H
#define ORR_CLI_HELP_H

#include "cli/options.h"

/* For a screen: the first paragraph, two examples, the command's own options, and the names of the shared ones. If
 * `whole`, everything. */
enum orr_help_length { ORR_HELP_SCREEN, ORR_HELP_WHOLE };
int orr_help_command(const struct orr_command *command, const struct orr_options *options, enum orr_help_length length);

/* `orrery help [TOPIC]`: a command, "options", or a guide; NULL means the list of commands and guides. Returns an exit
 * status. */
int orr_help(const char *topic);

/* The guides, in the order of docs/site/pages.txt; the build makes the table of docs (embed_guides.cmake). */
struct orr_guide {
    const char *name;  /* "scheduler" */
    const char *title; /* "I write a scheduler" */
    const char *text;  /* Markdown */
};
extern const struct orr_guide orr_guides[];
extern const size_t orr_guide_count;

#endif
