/* SPDX-License-Identifier: Apache-2.0 */
/* Where text for people goes: a terminal with its width, colours and pager, or a pipe, which gets plain text. */
#ifndef ORR_CLI_TERMINAL_H
#define ORR_CLI_TERMINAL_H

#include "cli/options.h"
#include "engine/report/page.h"

/* Whether people read the output of a command that prints JSON to programs: on a terminal, or where --text says so. */
bool orr_is_for_people(const struct orr_options *options);

/* A page as wide as the terminal, or as COLUMNS says; a pipe gets 80 columns of ASCII without colours. */
void orr_terminal_page(const struct orr_options *options, struct orr_text *text, struct orr_page *ret_page);
/* The same for what other tools search and copy: a pipe gets its facts as whole lines, and UTF-8. */
void orr_terminal_lines(const struct orr_options *options, struct orr_text *text, struct orr_page *ret_page);
/* Prints the text of a page, by $PAGER where it is longer than the terminal, and releases it. Reports errors itself;
 * gives an exit status. */
int orr_terminal_print(struct orr_text *text);

/* Runs a command that prints as it goes. On a terminal its text is collected first, so that it is paged as a page is.
 */
int orr_terminal_run(int (*command)(const struct orr_options *options), const struct orr_options *options);

/* The report, the tree or the matrix that the options ask for, with what --against adds; hint: a last line, NULL: none.
 * Reports errors itself; gives an exit status. */
int orr_show(const struct orr_options *options, const struct orr_question *question, bool plan, const char *hint);

/* "auto", "always", "never": a list of words. */
const char *orr_color_word(size_t i);

/* cli/progress.c: one line on standard error, where that is a terminal, says what takes longer than a second. */
struct orr_budget;
void orr_progress_begin(const struct orr_budget *budget);
/* What is being done, in place of the budget's stage; "": nothing that is known better. */
void orr_progress_say(const char *format, ...) ORR_PRINTF(1, 2);
/* Removes the line, because something is printed on the terminal; it comes back while the work goes on. */
void orr_progress_clear(void);
void orr_progress_end(void);

#endif
