/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a text that was copied from a terminal, a log or a chat. It skips blanks of any kind, colours with or
 * without their escape character, rules of Markdown tables and prefixes of launchers. */
#ifndef ORR_INPUT_MATRIX_WORDS_H
#define ORR_INPUT_MATRIX_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct orr_word {
    const char *text; /* not terminated */
    size_t length;
    uint32_t line, column;
    bool first; /* start of its line */
};

struct orr_words {
    const char *bytes;
    size_t length, at, line_start;
    uint32_t line;
    bool fresh; /* no word of the line was returned yet */
    /* Prefix of each line ("node1:", "[1,0]<stdout>:", "> ", a time); lines without it are skipped. */
    const char *prefix;
    size_t prefix_length;
};

/* The bytes stay the caller's. */
struct orr_words orr_words_start(const char *bytes, size_t length);
/* The next word; false at the end of the text, or of the budget. */
bool orr_words_next(struct orr_words *words, struct orr_word *ret_word);

bool orr_word_is(const struct orr_word *word, const char *text);
/* "GPU12" gives 12 for the prefix "GPU"; -1 if it is not such a word. */
int orr_word_numbered(const struct orr_word *word, const char *prefix);

/* The words from the next line that has a name such as "GPU0" after other text, which is then the prefix of all lines;
 * false if there is no such line. The next call goes on after that line. */
bool orr_words_behind_prefix(struct orr_words *scan, struct orr_words *ret_words);

#endif
