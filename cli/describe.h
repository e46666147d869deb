/* The program described for other programs: its manual page as roff and its completion for bash, both written from the
 * tables that --help prints. The build runs `orrery man DATE` and `orrery completion bash` and installs what they say.
 */
#ifndef ORR_CLI_DESCRIBE_H
#define ORR_CLI_DESCRIBE_H

#include <stdio.h>

#include "cli/options.h"

/* orrery(1). date: "2026-11-21", of the page's footer. */
void orr_man_page(const struct orr_command *commands, size_t count, const char *date, FILE *out);
/* A script for bash, which needs nothing but bash. */
void orr_bash_completion(const struct orr_command *commands, size_t count, FILE *out);

#endif
