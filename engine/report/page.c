/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/report/page.h"

#include <string.h>

/* One character of text: its code point and length; 0xFFFD of length 1 if it is not UTF-8. */
static uint32_t decode(const char *text, size_t *ret_length)
{
    static const struct {
        unsigned char mask, lead, bits;
        uint32_t least;
    } rows[] = {
        {0x80, 0x00, 0x7f, 0}, {0xe0, 0xc0, 0x1f, 0x80}, {0xf0, 0xe0, 0x0f, 0x800}, {0xf8, 0xf0, 0x07, 0x10000}};
    const unsigned char *at = (const unsigned char *)text;
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        if ((*at & rows[row].mask) != rows[row].lead)
            continue;
        uint32_t point = *at & rows[row].bits;
        size_t i = 1;
        for (; i <= row && (at[i] & 0xc0) == 0x80; i++)
            point = point << 6 | (at[i] & 0x3f);
        if (i <= row || point < rows[row].least)
            break;
        *ret_length = i;
        return point;
    }
    *ret_length = 1;
    return 0xfffd;
}

/* Whether a character takes one column and cannot change how others are shown. */
static bool is_shown(uint32_t point)
{
    static const uint32_t ranges[][2] = {{0x20, 0x7e},     {0xa1, 0xac},     {0xae, 0x2ff},    {0x370, 0x52f},
                                         {0x2010, 0x2027}, {0x2030, 0x205e}, {0x20a0, 0x20bf}, {0x2190, 0x25ff}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (point >= ranges[i][0] && point <= ranges[i][1])
            return true;
    return false;
}

/* The substitute for a character if the page is ASCII only. */
static const char *in_ascii(uint32_t point)
{
    static const struct {
        uint32_t point;
        const char *text;
    } rows[] = {{0x251c, "|"}, {0x2514, "`"}, {0x2502, "|"},   {0x2500, "-"},  {0xb7, "-"},   {0xd7, "x"},
                {0x2013, "-"}, {0x2014, "-"}, {0x2026, "..."}, {0x2192, "->"}, {0x2248, "~"}, {0x2265, ">="}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].point == point)
            return rows[i].text;
    return "?";
}

/* Cleans text for the page; ends[i] is the end of character i. Line breaks stay. */
static void clean(const struct orr_page *page, const char *words, struct orr_text *made)
{
    for (size_t length; *words; words += length) {
        uint32_t point = decode(words, &length);
        if (point == '\n')
            orr_text_puts(made, "\n");
        else if (point < 0x80)
            orr_text_add(made, is_shown(point) ? words : "?", 1);
        else if (!page->unicode)
            orr_text_puts(made, in_ascii(point));
        else if (is_shown(point))
            orr_text_add(made, words, length);
        else
            orr_text_puts(made, "?");
    }
}

/* The number of columns of the first `bytes` bytes of cleaned text. */
static uint32_t columns_of(const char *text, size_t length)
{
    uint32_t columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += (text[i] & 0xc0) != 0x80;
    return columns;
}

/* The number of bytes in the first `columns` columns of cleaned text. */
static size_t bytes_of(const char *text, size_t length, uint32_t columns)
{
    size_t i = 0;
    while (i < length && (columns || (text[i] & 0xc0) == 0x80))
        columns -= (text[i++] & 0xc0) != 0x80;
    return i;
}

static void put_styled(struct orr_page *page, enum orr_style style, const char *text, size_t length)
{
    const bool on = page->styles && style != ORR_STYLE_PLAIN && length;
    if (on)
        orr_text_puts(page->text, page->styles[style]);
    orr_text_add(page->text, text, length);
    if (on)
        orr_text_puts(page->text, page->styles[ORR_STYLE_PLAIN]);
}

static void put_blanks(struct orr_page *page, uint32_t columns)
{
    while (columns--)
        orr_text_puts(page->text, " ");
}

/* Whether a line may end at a blank: not between a number and its "%". */
static bool is_break(const char *blank)
{
    return *blank == ' ' && blank[1] != '%';
}

/* The number of bytes of a cleaned line that fit, up to a blank if possible. */
static size_t fitting(const char *line, size_t length, uint32_t room)
{
    size_t most = bytes_of(line, length, room), end = most;
    if (most == length)
        return length;
    while (end && !is_break(line + end))
        end--;
    return end ? end : most;
}

/* The beginning of lines after the first, and the end of lines that continue. */
struct margin {
    struct orr_text rest; /* cleaned */
    uint32_t columns;
    const char *end;
};

/* Writes one piece without line breaks. */
static void put_wrapped(struct orr_page *page, enum orr_style style, const char *line, size_t length,
                        const struct margin *margin)
{
    const uint32_t room = page->width - margin->columns, tail = (uint32_t)strlen(margin->end);
    for (;;) {
        size_t taken = columns_of(line, length) <= room ? length : fitting(line, length, room - tail);
        put_styled(page, style, line, taken);
        const size_t blank = taken < length && line[taken] == ' ';
        line += taken + blank;
        length -= taken + blank;
        if (!length)
            break;
        orr_text_printf(page->text, "%s\n", margin->end);
        orr_text_add(page->text, margin->rest.data, margin->rest.length);
    }
    orr_text_puts(page->text, "\n");
}

/* rest is NULL for blanks. A lead wider than half of the line is cut. */
static void say(struct orr_page *page, enum orr_style style, const char *lead, const char *rest, const char *words,
                const char *end)
{
    ORR_LOCAL_TEXT(made, page->text->limit);
    ORR_LOCAL_TEXT(first, page->text->limit);
    struct margin margin = {.end = end};
    orr_text_init(&margin.rest, page->text->limit);
    clean(page, lead, &first);
    clean(page, words, &made);
    const char *at = orr_text_data(&made), *begin = orr_text_data(&first);
    const size_t begin_length = bytes_of(begin, first.length, page->width / 2);
    margin.columns = columns_of(begin, begin_length);
    clean(page, rest ? rest : "", &margin.rest);
    while (columns_of(orr_text_data(&margin.rest), margin.rest.length) < margin.columns &&
           !orr_text_failed(&margin.rest))
        orr_text_puts(&margin.rest, " ");
    margin.rest.length = bytes_of(orr_text_data(&margin.rest), margin.rest.length, margin.columns);
    orr_text_add(page->text, begin, begin_length);
    for (size_t length;; at += length + 1) {
        length = strcspn(at, "\n");
        put_wrapped(page, style, at, length, &margin);
        if (!at[length])
            break;
        orr_text_add(page->text, margin.rest.data, margin.rest.length);
    }
    page->text->failed =
        page->text->failed || orr_text_failed(&made) || orr_text_failed(&first) || orr_text_failed(&margin.rest);
    orr_text_release(&margin.rest);
}

void orr_page_say(struct orr_page *page, enum orr_style style, const char *lead, const char *words)
{
    say(page, style, lead, NULL, words, "");
}

void orr_page_hang(struct orr_page *page, enum orr_style style, const char *lead, const char *rest, const char *words)
{
    say(page, style, lead, rest, words, "");
}

static void make(struct orr_page *page, struct orr_text *made, const char *format, va_list args) ORR_PRINTF(3, 0);
static void make(struct orr_page *page, struct orr_text *made, const char *format, va_list args)
{
    orr_text_vprintf(made, format, args);
    page->text->failed = page->text->failed || orr_text_failed(made);
}

void orr_page_printf(struct orr_page *page, enum orr_style style, const char *lead, const char *format, ...)
{
    ORR_LOCAL_TEXT(made, page->text->limit);
    va_list args;
    va_start(args, format);
    make(page, &made, format, args);
    va_end(args);
    say(page, style, lead, NULL, orr_text_data(&made), "");
}

static void say_line(struct orr_page *page, enum orr_style style, uint32_t columns, const char *lead, const char *words)
{
    struct orr_page wide = *page;
    wide.width = columns ? columns : page->width;
    say(&wide, style, lead, NULL, words, "");
}

void orr_page_line(struct orr_page *page, const char *lead, const char *format, ...)
{
    ORR_LOCAL_TEXT(made, page->text->limit);
    va_list args;
    va_start(args, format);
    make(page, &made, format, args);
    va_end(args);
    say_line(page, ORR_STYLE_PLAIN, page->line, lead, orr_text_data(&made));
}

void orr_page_verdict(struct orr_page *page, enum orr_style style, const char *words)
{
    say_line(page, style, page->line, "", words);
}

void orr_page_row(struct orr_page *page, const char *format, ...)
{
    ORR_LOCAL_TEXT(made, page->text->limit);
    va_list args;
    va_start(args, format);
    make(page, &made, format, args);
    va_end(args);
    say_line(page, ORR_STYLE_PLAIN, ORR_PAGE_WHOLE, "", orr_text_data(&made));
}

void orr_page_command(struct orr_page *page, const char *indent, const char *command)
{
    say(page, ORR_STYLE_PLAIN, indent, NULL, command, " \\");
}

void orr_page_heading(struct orr_page *page, const char *heading)
{
    if (page->text->length)
        orr_page_blank(page);
    say_line(page, ORR_STYLE_HEADING, page->line, "", heading);
}

void orr_page_blank(struct orr_page *page)
{
    orr_text_puts(page->text, "\n");
}

void orr_page_lines(struct orr_page *page, const char *text)
{
    char lead[ORR_PAGE_LEAST / 2 + 1];
    while (*text) {
        size_t length = strcspn(text, "\n"), indent = strspn(text, " ");
        ORR_LOCAL_TEXT(line, page->text->limit);
        if (indent >= sizeof lead || indent > length)
            indent = 0;
        memset(lead, ' ', indent);
        lead[indent] = '\0';
        orr_text_add(&line, text + indent, length - indent);
        if (length)
            orr_page_say(page, ORR_STYLE_PLAIN, lead, orr_text_data(&line));
        else
            orr_page_blank(page);
        page->text->failed = page->text->failed || orr_text_failed(&line);
        text += length + (text[length] == '\n');
    }
}

struct orr_table_cell {
    const char *words;
    enum orr_style style;
};

void orr_table_init(struct orr_table *table, struct orr_arena *arena, uint32_t columns)
{
    *table = (struct orr_table){.arena = arena, .columns = columns, .heads = 1, .gap = "  "};
}

void orr_table_add(struct orr_table *table, enum orr_style style, const char *format, ...)
{
    enum { LONGEST = 1000 };
    va_list args;
    va_start(args, format);
    const char *words = orr_arena_vprintf(table->arena, LONGEST, format, args);
    va_end(args);
    if (ORR_RESERVE(table->arena, table->cells, table->count, table->capacity))
        table->cells[table->count++] = (struct orr_table_cell){words ? words : "", style};
}

/* The number of columns of a cell on the page. */
static uint32_t cell_width(const struct orr_page *page, const struct orr_table_cell *cell)
{
    ORR_LOCAL_TEXT(made, 4096);
    clean(page, cell->words, &made);
    uint32_t columns = columns_of(orr_text_data(&made), made.length);
    return columns;
}

static uint32_t column_width(const struct orr_page *page, const struct orr_table *table, uint32_t column)
{
    uint32_t most = 0;
    for (uint32_t i = column; i < table->count; i += table->columns) {
        uint32_t width = cell_width(page, &table->cells[i]);
        most = width > most ? width : most;
    }
    return most;
}

uint32_t orr_table_width(const struct orr_page *page, const struct orr_table *table)
{
    uint32_t width = 0;
    for (uint32_t column = 0; column < table->columns; column++)
        width += column_width(page, table, column) + (column ? (uint32_t)strlen(table->gap) : 0);
    return width;
}

/* Writes a cell in its column; the last cell of a line gets no trailing blanks. */
static void put_cell(struct orr_page *page, const struct orr_table_cell *cell, uint32_t width, bool right, bool last)
{
    ORR_LOCAL_TEXT(made, 4096);
    clean(page, cell->words, &made);
    const char *words = orr_text_data(&made);
    size_t length = bytes_of(words, made.length, width);
    uint32_t blanks = width - columns_of(words, length);
    if (right)
        put_blanks(page, blanks);
    put_styled(page, cell->style, words, length);
    if (!right && !last)
        put_blanks(page, blanks);
}

/* Writes the first column and columns from..to-1. */
static void put_block(struct orr_page *page, const struct orr_table *table, const uint32_t *widths, uint32_t from,
                      uint32_t to, const char *indent)
{
    for (uint32_t row = 0; row + table->columns <= table->count; row += table->columns) {
        const struct orr_table_cell *cells = &table->cells[row];
        uint32_t last = to;
        while (last > from && !*cells[last - 1].words)
            last--;
        orr_text_puts(page->text, indent);
        put_cell(page, &cells[0], widths[0], table->right & 1, last == from);
        for (uint32_t column = from; column < last; column++) {
            orr_text_puts(page->text, table->gap);
            put_cell(page, &cells[column], widths[column], table->right >> (column & 63) & 1, column + 1 == last);
        }
        orr_text_puts(page->text, "\n");
    }
}

void orr_table_write(struct orr_page *page, const struct orr_table *table, const char *indent)
{
    const uint32_t gap = (uint32_t)strlen(table->gap), room = page->width - (uint32_t)strlen(indent);
    uint32_t *widths = ORR_NEW(table->arena, uint32_t, table->columns + 1);
    page->text->failed = page->text->failed || !widths;
    if (!widths || !table->columns)
        return;
    for (uint32_t column = 0; column < table->columns; column++) {
        uint32_t most = column ? room - widths[0] - gap : room / 2;
        widths[column] = column_width(page, table, column);
        widths[column] = widths[column] < most ? widths[column] : most;
    }
    bool whole = orr_table_width(page, table) <= room;
    for (uint32_t from = 1; from < table->columns || from == 1;) {
        uint32_t to = from, used = widths[0], end = table->columns;
        if (!whole && table->split > from)
            end = table->split;
        while (to < end && (to == from || used + gap + widths[to] <= room))
            used += gap + widths[to++];
        if (from > 1)
            orr_page_blank(page);
        put_block(page, table, widths, from, to, indent);
        if (to >= table->columns)
            break;
        from = to;
    }
}
