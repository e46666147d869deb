/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/input/matrix_words.h"

#include <ctype.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/bytes.h"

enum { LONGEST_PREFIX = 120, BYTES_A_STEP = 32 };

/* Length of a blank in bytes: text from web pages and editors may have NBSP and a byte order mark. */
static size_t blank_at(const char *text, size_t length)
{
    static const char *const blanks[] = {" ", "\t", "|", "\xc2\xa0", "\xef\xbb\xbf"};
    for (size_t i = 0; i < sizeof blanks / sizeof blanks[0]; i++)
        if (length >= strlen(blanks[i]) && !memcmp(text, blanks[i], strlen(blanks[i])))
            return strlen(blanks[i]);
    return 0;
}

/* Length of a terminal's escape sequence, such as ESC [ 4 m, even if ESC was lost or written as ^[; 0 if there is none.
 * Without ESC only colours are recognised, because brackets may contain other text. */
static size_t sequence_at(const char *text, size_t length)
{
    size_t at = 0;
    bool escaped = length && text[0] == '\033';
    if (escaped)
        at = 1;
    else if (length > 1 && text[0] == '^' && text[1] == '[')
        at = 2;
    if (at < length && text[at] == '[')
        at++;
    else if (!at)
        return 0;
    size_t digits = at;
    while (at < length && (orr_is_digit(text[at]) || text[at] == ';'))
        at++;
    if (escaped)
        return at + (at < length && isalpha((unsigned char)text[at]));
    return at > digits && at < length && text[at] == 'm' ? at + 1 : 0;
}

/* Whether the line starts with the common prefix; if the prefix contains a time, numbers may differ. */
static bool has_prefix(const struct orr_words *words, size_t at)
{
    bool is_time = false;
    if (words->length - at < words->prefix_length)
        return false;
    for (size_t i = 2; i < words->prefix_length; i++)
        is_time |= orr_is_digit(words->prefix[i - 2]) && words->prefix[i - 1] == ':' && orr_is_digit(words->prefix[i]);
    for (size_t i = 0; i < words->prefix_length; i++) {
        char own = words->bytes[at + i], all = words->prefix[i];
        if (own != all && !(is_time && orr_is_digit(own) && orr_is_digit(all)))
            return false;
    }
    return true;
}

static size_t line_end(const struct orr_words *words, size_t at)
{
    while (at < words->length && words->bytes[at] != '\n' && words->bytes[at] != '\r')
        at++;
    return at;
}

static void begin_line(struct orr_words *words)
{
    words->line_start = words->at;
    words->fresh = true;
    if (has_prefix(words, words->at))
        words->at += words->prefix_length;
    else
        words->at = line_end(words, words->at);
}

struct orr_words orr_words_start(const char *bytes, size_t length)
{
    struct orr_words words = {.bytes = bytes, .length = length, .line = 1, .prefix = ""};
    begin_line(&words);
    return words;
}

/* Steps over a blank, an end of line or a sequence; false if a word starts here. */
static bool skip(struct orr_words *words)
{
    const char *text = words->bytes + words->at;
    size_t left = words->length - words->at, size;
    if (*text == '\n' || *text == '\r') { /* \r\n is one end, \r alone too */
        words->at += *text == '\r' && left > 1 && text[1] == '\n' ? 2 : 1;
        words->line++;
        begin_line(words);
        return true;
    }
    size = blank_at(text, left);
    size = size ? size : sequence_at(text, left);
    words->at += size;
    return size > 0;
}

/* Most bytes of a large text begin neither a blank nor a sequence; one look at this table decides. */
static bool ends_word(const struct orr_words *words, size_t at)
{
    static const bool may_end[256] = {['\n'] = true, ['\r'] = true, [' '] = true,    ['\t'] = true, ['|'] = true,
                                      [0xc2] = true, [0xef] = true, ['\033'] = true, ['^'] = true,  ['['] = true};
    const char *text = words->bytes + at;
    size_t left = words->length - at;
    if (!may_end[(unsigned char)*text])
        return false;
    return *text == '\n' || *text == '\r' || blank_at(text, left) || sequence_at(text, left);
}

/* A line between the rows of a table. */
static bool is_rule(const struct orr_word *word)
{
    for (size_t i = 0; i < word->length; i++)
        if (!strchr("-:=+", word->text[i]) || !word->text[i])
            return false;
    return word->length > 1;
}

bool orr_words_next(struct orr_words *words, struct orr_word *ret_word)
{
    for (;;) {
        const size_t begun = words->at;
        while (words->at < words->length && skip(words))
            ;
        if (words->at >= words->length)
            return false;
        size_t from = words->at;
        do
            words->at++;
        while (words->at < words->length && !ends_word(words, words->at));
        if (orr_budget_spent((uint32_t)((words->at - begun) / BYTES_A_STEP) + 1))
            return false;
        *ret_word = (struct orr_word){.text = words->bytes + from,
                                      .length = words->at - from,
                                      .line = words->line,
                                      .column = (uint32_t)(from - words->line_start) + 1,
                                      .first = words->fresh};
        if (is_rule(ret_word))
            continue;
        words->fresh = false;
        return true;
    }
}

bool orr_word_is(const struct orr_word *word, const char *text)
{
    return word->length == strlen(text) && !memcmp(word->text, text, word->length);
}

int orr_word_numbered(const struct orr_word *word, const char *prefix)
{
    size_t size = strlen(prefix);
    int number = 0;
    if (word->length <= size || word->length > size + 4 || memcmp(word->text, prefix, size))
        return -1;
    for (size_t i = size; i < word->length; i++) {
        if (!orr_is_digit(word->text[i]))
            return -1;
        number = number * 10 + (word->text[i] - '0');
    }
    return number;
}

/* The end of the text before a word in its line, without blanks and sequences. */
static size_t prefix_length(const struct orr_words *words, const struct orr_word *word)
{
    const char *start = words->bytes + words->line_start, *end = start;
    for (const char *at = start; at < word->text;) {
        size_t size = blank_at(at, (size_t)(word->text - at));
        size = size ? size : sequence_at(at, (size_t)(word->text - at));
        at += size ? size : 1;
        end = size ? end : at;
    }
    return (size_t)(end - start);
}

bool orr_words_behind_prefix(struct orr_words *scan, struct orr_words *ret_words)
{
    struct orr_word word;
    while (orr_words_next(scan, &word)) {
        /* mpirun's "[1,0]<stdout>:" touches the first column of rows, but a tab is before that of the header */
        if (word.first || orr_word_numbered(&word, "GPU") < 0)
            continue;
        size_t length = prefix_length(scan, &word);
        *ret_words = *scan;
        scan->at = line_end(scan, scan->at);
        if (length > LONGEST_PREFIX)
            continue;
        ret_words->prefix = ret_words->bytes + ret_words->line_start;
        ret_words->prefix_length = length;
        ret_words->at = ret_words->line_start;
        begin_line(ret_words);
        return true;
    }
    return false;
}
