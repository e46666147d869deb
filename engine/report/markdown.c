/* SPDX-License-Identifier: Apache-2.0 */
/* Lines are gathered into blocks. A line that starts another kind of block, or an empty one, ends the block before:
 *
 *     # Heading          a heading, in its style
 *     words              a paragraph, which may go on in further lines
 *     - words            an item of a list, the same
 *     | a | b |          a row of a table, written as "a: b"; the row of dashes is skipped
 *     ```, or 4 blanks   code, kept as it is and never wrapped
 */
#include "engine/report/markdown.h"

#include <ctype.h>
#include <string.h>

enum { LINE_MOST = 1 << 16, LEAD_SIZE = 8 };

struct block {
    struct orr_page *page;
    struct orr_text words;
    char lead[LEAD_SIZE];
    enum orr_style style;
};

/* Appends words without the marks of links, pictures and emphasis. */
static void add_plain(struct orr_text *words, const char *text, size_t length)
{
    bool code = false;
    for (size_t i = 0; i < length; i++) {
        const char c = text[i];
        const char *close = c == ']' && i + 1 < length && text[i + 1] == '(' ? memchr(text + i, ')', length - i) : NULL;
        code = c == '`' ? !code : code;
        if (!code && close)
            i = (size_t)(close - text); /* the address of a link */
        else if (!code && (c == '[' || c == ']'))
            continue;
        else if (!code && c == '*' && i + 1 < length && text[i + 1] == '*')
            i++;
        else if (!code && c == '\\' && i + 1 < length)
            orr_text_add(words, text + ++i, 1);
        else
            orr_text_add(words, &c, 1);
    }
}

static void end_block(struct block *block)
{
    if (block->words.length) {
        orr_page_say(block->page, block->style, block->lead, orr_text_data(&block->words));
        if (block->style == ORR_STYLE_HEADING || !block->lead[0])
            orr_page_blank(block->page);
    }
    block->words.length = 0;
    block->lead[0] = '\0';
    block->style = ORR_STYLE_PLAIN;
}

static void put_row(struct block *block, const char *line, size_t length)
{
    ORR_LOCAL_TEXT(row, LINE_MOST);
    uint32_t cells = 0;
    if (length > 2 && strspn(line, "|-: ") >= length)
        return;
    for (size_t i = 0; i < length; i++) {
        const size_t start = i;
        while (i < length && (line[i] != '|' || (i && line[i - 1] == '\\')))
            i++;
        size_t from = start, to = i;
        while (from < to && line[from] == ' ')
            from++;
        while (to > from && line[to - 1] == ' ')
            to--;
        if (from == to)
            continue;
        orr_text_puts(&row, cells == 0 ? "" : cells == 1 ? ": " : "; ");
        add_plain(&row, line + from, to - from);
        cells++;
    }
    orr_page_hang(block->page, ORR_STYLE_PLAIN, "  - ", "    ", orr_text_data(&row));
}

static void put_line(struct block *block, const char *line, size_t length)
{
    const size_t marks = strspn(line, "#"), number = strspn(line, "0123456789");
    const bool bullet = length > 2 && (line[0] == '-' || line[0] == '*') && line[1] == ' ';
    const bool numbered = number && number < 3 && length > number + 2 && line[number] == '.' && line[number + 1] == ' ';
    size_t from = 0;
    if (!length || marks || bullet || numbered || line[0] == '|')
        end_block(block);
    if (!length || (line[0] == '!' && line[1] == '[') || line[0] == '<')
        return;
    if (line[0] == '|') {
        put_row(block, line, length);
        return;
    }
    if (marks) {
        block->style = ORR_STYLE_HEADING;
        from = marks + (line[marks] == ' ');
    } else if (bullet || numbered) {
        from = bullet ? 2 : number + 2;
        memcpy(block->lead, bullet ? "  - " : "  ", bullet ? 5 : 3);
        if (numbered) {
            memcpy(block->lead + 2, line, number + 2);
            block->lead[number + 4] = '\0';
        }
    }
    while (from < length && isspace((unsigned char)line[from]))
        from++;
    if (block->words.length)
        orr_text_puts(&block->words, " ");
    add_plain(&block->words, line + from, length - from);
    if (marks)
        end_block(block);
}

void orr_markdown_write(struct orr_page *page, const char *text)
{
    struct block block = {.page = page};
    bool fenced = false, table = false, code = false;
    orr_text_init(&block.words, LINE_MOST);
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        const bool fence = !strncmp(text, "```", 3);
        const bool indented = !fenced && !block.words.length && !strncmp(text, "    ", 4);
        if (table && (!length || text[0] != '|'))
            orr_page_blank(page);
        if (code && !fenced && !indented)
            orr_page_blank(page);
        table = length && text[0] == '|' && !fenced;
        code = (fenced && !fence) || indented;
        if (fence) {
            end_block(&block);
            if (fenced)
                orr_page_blank(page);
            fenced = !fenced;
        } else if (fenced || indented) {
            orr_page_row(page, "    %.*s", (int)(length - (indented ? 4 : 0)), text + (indented ? 4 : 0));
        } else {
            put_line(&block, text, length);
        }
    }
    end_block(&block);
    page->text->failed = page->text->failed || orr_text_failed(&block.words);
    orr_text_release(&block.words);
}
