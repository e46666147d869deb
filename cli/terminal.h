/* SPDX-License-Identifier: Apache-2.0 */
/* Prints text for people on a terminal, with its width, colours and pager, or as plain text into a pipe. */
#ifndef ORR_CLI_TERMINAL_H
#define ORR_CLI_TERMINAL_H

#include "cli/options.h"
#include "engine/report/page.h"

/* Whether a command that prints JSON to programs should print text for people: on a terminal, or with --text. */
bool orr_is_for_people(const struct orr_options *options);

/* A page as wide as the terminal, or as COLUMNS says; a pipe gets 80 columns of ASCII without colours. */
void orr_terminal_page(const struct orr_options *options, struct orr_text *text, struct orr_page *ret_page);
/* The same for text that other tools search and copy: a pipe gets facts as whole lines, and UTF-8, unless COLUMNS gives
 * a width. */
void orr_terminal_lines(const struct orr_options *options, struct orr_text *text, struct orr_page *ret_page);
/* Prints the text of a page, with $PAGER if it is longer than the terminal, and releases it. Reports errors itself;
 * returns an exit status. */
int orr_terminal_print(struct orr_text *text);

/* The same for a page whose making may have failed with an error. */
int orr_print_page(enum orr_code code, struct orr_text *text, const struct orr_error *err);

/* The same for lines that were written without a page, such as a table of Orrery's: releases `lines`. */
int orr_terminal_print_lines(const struct orr_options *options, struct orr_text *lines);

/* The report, the tree or the matrix that the options ask for, with what --against adds; hint: a last line, NULL if
 * there is none. Reports errors itself; gives an exit status. */
int orr_show(const struct orr_options *options, const struct orr_question *question, bool plan, const char *hint);

/* cli/clean.c: appends text with a question mark for each character that could change the terminal; kept: control
 * characters that stay, ESC for our own styles. text ends with a zero. */
void orr_clean(struct orr_text *to, const char *text, size_t length, const char *kept);
/* Prints a message of one line on standard error, whatever line breaks names in it have. */
void orr_message(const char *format, ...) ORR_PRINTF(1, 2);
/* From now on all output to standard error is cleaned. */
void orr_clean_errors(void);

/* "auto", "always", "never": a list of words. */
const char *orr_color_word(size_t i);

/* cli/progress.c: a line on standard error, if that is a terminal, for work that takes longer than a second. */
struct orr_budget;
void orr_progress_begin(const struct orr_budget *budget);
/* Text to show instead of the budget's stage; "" for the stage. */
void orr_progress_say(const char *format, ...) ORR_PRINTF(1, 2);
/* Removes the line, because something is printed on the terminal; it comes back while the work goes on. */
void orr_progress_clear(void);
void orr_progress_end(void);

#endif
