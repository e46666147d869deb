/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's own reader is not an XML parser: it stops at prologs, tabs, text, attributes on several lines and more. This
 * file walks over the bytes like that reader, by the rules of 2.27.7 (the other releases differ only in a few limits),
 * and says where it would stop first. It only checks; dump_read.c makes the dump. Rules: docs/nccl/topology-xml.md,
 * "What NCCL's reader refuses". */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/dump/dump.h"

enum { MOST_ELEMENTS = 255, LONGEST_NAME = 253, LONGEST_KEY = 254, LONGEST_VALUE = 253, DEEPEST = 256 };

struct lexer {
    const char *bytes;
    size_t length, at;
    struct orr_refusal refusal;
    unsigned elements; /* known ones */
    struct {
        const char *name;
        size_t length;
        bool known;
    } open[DEEPEST];
    unsigned depth;
};

/* Notes the first refusal at the present place. */
static void refuse(struct lexer *lexer, size_t at, const char *text)
{
    uint32_t line = 1;
    size_t start = 0;
    for (size_t i = 0; i < at && i < lexer->length; i++)
        if (lexer->bytes[i] == '\n') {
            line++;
            start = i + 1;
        }
    lexer->refusal.line = line;
    lexer->refusal.column = (uint32_t)(at - start) + 1;
    snprintf(lexer->refusal.text, sizeof lexer->refusal.text, "%s", text);
}

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

/* Reads up to one of the characters in `ends`; false at the end of the file. The character is consumed. */
static bool read_until(struct lexer *lexer, const char *ends, size_t *ret_start, size_t *ret_length, char *ret_last)
{
    *ret_start = lexer->at;
    while (lexer->at < lexer->length) {
        char c = lexer->bytes[lexer->at++];
        if (is_one_of(c, ends)) {
            *ret_length = lexer->at - 1 - *ret_start;
            *ret_last = c;
            return true;
        }
    }
    refuse(lexer, lexer->length, "the file ends inside a tag");
    return false;
}

/* Attributes after a name; *last is the character after the last one. */
static bool read_attributes(struct lexer *lexer, char *last)
{
    while (*last == ' ') {
        size_t start, length;
        char end;
        if (!read_until(lexer, "= >/\n\r", &start, &length, &end))
            return false;
        if (length > LONGEST_KEY)
            return refuse(lexer, start, "an attribute's name is longer than 254 characters"), false;
        *last = end;
        if (end != '=')
            continue; /* an attribute without a value */
        char quote = lexer->at < lexer->length ? lexer->bytes[lexer->at++] : 0;
        if (quote != '"' && quote != '\'')
            return refuse(lexer, lexer->at - 1, "an attribute's value has no quotes"), false;
        char ends[2] = {quote, 0};
        if (!read_until(lexer, ends, &start, &length, &end))
            return false;
        if (length > LONGEST_VALUE)
            return refuse(lexer, start, "an attribute's value is longer than 253 characters"), false;
        *last = lexer->at < lexer->length ? lexer->bytes[lexer->at++] : 0;
        if (!is_one_of(*last, " />"))
            return refuse(lexer, lexer->at - 1, "attributes must be on one line, separated by single blanks"), false;
    }
    return true;
}

/* The elements that NCCL knows; it skips any other with its contents, without reading its end tag. */
static bool is_known(const char *name, size_t length)
{
    for (int kind = 0; kind < ORR_ELEMENT_COUNT; kind++) {
        const char *known = orr_element_name((enum orr_element_kind)kind);
        if (strlen(known) == length && !memcmp(known, name, length))
            return true;
    }
    return false;
}

static bool read_end_tag(struct lexer *lexer, size_t tag)
{
    size_t start, length;
    char last;
    if (!read_until(lexer, ">", &start, &length, &last))
        return false;
    if (!lexer->depth)
        return refuse(lexer, tag, "an end tag without a start tag"), false;
    lexer->depth--;
    if (lexer->open[lexer->depth].known && (length != lexer->open[lexer->depth].length ||
                                            memcmp(lexer->bytes + start, lexer->open[lexer->depth].name, length) != 0))
        return refuse(lexer, tag, "an end tag that does not fit its start tag, or contains a blank"), false;
    return true;
}

static bool skip_comment(struct lexer *lexer)
{
    const char *end = memmem(lexer->bytes + lexer->at, lexer->length - lexer->at, "-->", 3);
    if (!end)
        return refuse(lexer, lexer->length, "a comment without an end"), false;
    lexer->at = (size_t)(end - lexer->bytes) + 3;
    return true;
}

static bool open_element(struct lexer *lexer, size_t start, size_t length, size_t tag)
{
    bool inside_known = !lexer->depth || lexer->open[lexer->depth - 1].known;
    if (lexer->depth == DEEPEST)
        return refuse(lexer, tag, "elements nested too deeply"), false;
    lexer->open[lexer->depth].name = lexer->bytes + start;
    lexer->open[lexer->depth].length = length;
    lexer->open[lexer->depth].known = inside_known && is_known(lexer->bytes + start, length);
    if (lexer->open[lexer->depth].known && ++lexer->elements > MOST_ELEMENTS)
        return refuse(lexer, tag,
                      "more than 255 elements: releases from 2.21 on have room for no more in one document"),
               false;
    lexer->depth++;
    return true;
}

static bool read_tag(struct lexer *lexer)
{
    size_t tag = lexer->at - 1, start, length;
    char last;
    if (lexer->at < lexer->length && lexer->bytes[lexer->at] == '/') {
        lexer->at++;
        return read_end_tag(lexer, tag);
    }
    if (lexer->at < lexer->length && lexer->bytes[lexer->at] == '?')
        return refuse(lexer, tag, "an XML declaration (<?xml ...?>)"), false;
    if (!read_until(lexer, " >/\n\r", &start, &length, &last))
        return false;
    if (memchr(lexer->bytes + start, '=', length))
        return refuse(lexer, start, "'=' in the name of an element or the first word of a comment"), false;
    if (length >= 3 && !memcmp(lexer->bytes + start, "!--", 3)) {
        lexer->at = start + 3;
        return skip_comment(lexer);
    }
    if (length > LONGEST_NAME)
        return refuse(lexer, start, "an element's name is longer than 253 characters"), false;
    if (is_one_of(last, "\n\r"))
        return refuse(lexer, lexer->at - 1, "attributes must be on the line of the element's name"), false;
    if (!open_element(lexer, start, length, tag) || !read_attributes(lexer, &last))
        return false;
    if (is_one_of(last, "\n\r"))
        return refuse(lexer, lexer->at - 1, "a tag must end on its line"), false;
    if (last == '/') {
        if (!read_until(lexer, ">", &start, &length, &last))
            return false;
        lexer->depth--;
    }
    return true;
}

struct orr_refusal orr_dump_refusal(const char *bytes, size_t length)
{
    struct lexer lexer = {.bytes = bytes, .length = length};
    if (orr_bytes_mark(bytes, length))
        refuse(&lexer, 0, "a byte order mark");
    while (!lexer.refusal.line && lexer.at < length) {
        char c = bytes[lexer.at++];
        if (c == '<')
            read_tag(&lexer);
        else if (c == '\t')
            refuse(&lexer, lexer.at - 1, "a tab between elements: only blanks and line ends are allowed there");
        else if (c != ' ' && c != '\n' && c != '\r')
            refuse(&lexer, lexer.at - 1, "text between elements");
    }
    if (!lexer.refusal.line && lexer.depth)
        refuse(&lexer, length, "the file ends before all elements are closed");
    return lexer.refusal;
}
