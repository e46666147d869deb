/* SPDX-License-Identifier: Apache-2.0 */
/* The program described for other programs: its manual pages as roff, its reference as Markdown and its completions,
 * all written from the tables that --help prints. The build runs `orrery man DATE [COMMAND]` and `orrery completion
 * SHELL` and installs their output. */
#ifndef ORR_CLI_DESCRIBE_H
#define ORR_CLI_DESCRIBE_H

#include <stdio.h>

#include "cli/options.h"

/* orrery(1), or with one command orrery-NAME(1). date: "2026-11-21", of the page's footer. */
void orr_man_page(const struct orr_command *commands, size_t count, const char *date, FILE *out);
void orr_man_page_of(const struct orr_command *command, const char *date, FILE *out);
/* The same as Markdown, for docs/reference. */
void orr_reference_commands(const struct orr_command *commands, size_t count, FILE *out);
/* NCCL's settings of the default release, as Markdown. */
void orr_reference_settings(FILE *out);
/* A script that only needs that shell. */
void orr_bash_completion(const struct orr_command *commands, size_t count, FILE *out);
void orr_zsh_completion(const struct orr_command *commands, size_t count, FILE *out);
void orr_fish_completion(const struct orr_command *commands, size_t count, FILE *out);

#endif
