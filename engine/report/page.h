/* SPDX-License-Identifier: Apache-2.0 */
/* Text for people in lines of a given width: paragraphs that wrap, and tables.
 *
 * A page knows nothing of terminals: its caller sets the width of lines, whether they may contain more than ASCII, and
 * the sequences that turn styles on. Control characters, such as those in names of a file, never reach the text: each
 * becomes a '?'. Every character that is written takes one column.
 */
#ifndef ORR_REPORT_PAGE_H
#define ORR_REPORT_PAGE_H

#include "engine/base/arena.h"
#include "engine/base/text.h"

enum orr_style {
    ORR_STYLE_PLAIN,
    ORR_STYLE_HEADING,
    ORR_STYLE_GOOD,
    ORR_STYLE_CAREFUL, /* a warning, a value that is wrong */
    ORR_STYLE_BAD,
    ORR_STYLE_COUNT
};

enum { ORR_PAGE_LEAST = 40, ORR_PAGE_USUAL = 80, ORR_PAGE_MOST = 500 }; /* columns of a line */
enum { ORR_PAGE_WHOLE = 1 << 30 };                                      /* for `line`: never wrapped */

struct orr_page {
    struct orr_text *text;
    uint32_t width;            /* columns, ORR_PAGE_LEAST or more */
    uint32_t line;             /* columns of headings and single lines, such as facts; 0 means as `width` */
    bool unicode;              /* false means ASCII only */
    const char *const *styles; /* [ORR_STYLE_COUNT]: sequence that turns each style on, PLAIN turns all off; NULL if
                                  there are no styles */
};

/* A paragraph: `lead` begins its first line, further lines are indented by as many columns. Line breaks in the words
 * are kept. Words longer than a line are broken. */
void orr_page_say(struct orr_page *page, enum orr_style style, const char *lead, const char *words);
/* The same, but further lines begin with `rest`, which is as wide as the lead. */
void orr_page_hang(struct orr_page *page, enum orr_style style, const char *lead, const char *rest, const char *words);
void orr_page_printf(struct orr_page *page, enum orr_style style, const char *lead, const char *format, ...)
    ORR_PRINTF(4, 5);
/* A single line, which is wrapped only if it is longer than `line` of the page. */
void orr_page_line(struct orr_page *page, const char *lead, const char *format, ...) ORR_PRINTF(3, 4);
/* The conclusion of an answer: a line in its style. */
void orr_page_verdict(struct orr_page *page, enum orr_style style, const char *words);
/* A row of a table whose format sets the columns: never wrapped. */
void orr_page_row(struct orr_page *page, const char *format, ...) ORR_PRINTF(2, 3);
/* A command that people can copy: if it does not fit, it continues on the next line after a backslash. */
void orr_page_command(struct orr_page *page, const char *indent, const char *command);
/* A heading with a blank line before it, unless it is the first line. */
void orr_page_heading(struct orr_page *page, const char *heading);
void orr_page_blank(struct orr_page *page);
/* Text that was written without a page: each line is wrapped with its own indentation. */
void orr_page_lines(struct orr_page *page, const char *text);

/* Cells in rows. A table that is wider than the page is cut into blocks, each with the first column. */
struct orr_table {
    struct orr_arena *arena;
    struct orr_table_cell *cells;
    uint32_t count, columns, heads; /* columns: of every row; heads: rows at the top that every block repeats */
    unsigned capacity;
    uint64_t right; /* bit C: column C is aligned to the right */
    uint32_t split; /* the column at which the table is cut first; 0 means anywhere */
    const char *gap;
};

void orr_table_init(struct orr_table *table, struct orr_arena *arena, uint32_t columns);
void orr_table_add(struct orr_table *table, enum orr_style style, const char *format, ...) ORR_PRINTF(3, 4);
/* The width of the table in columns, if it is not cut. */
uint32_t orr_table_width(const struct orr_page *page, const struct orr_table *table);
void orr_table_write(struct orr_page *page, const struct orr_table *table, const char *indent);

#endif
