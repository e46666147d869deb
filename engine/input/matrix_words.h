/* The words of a text that a terminal, a log or a chat has been through: blanks of any kind, colours with or without
 * their escape character, rules of Markdown tables and what a launcher writes before each line do not matter. */
#ifndef ORR_INPUT_MATRIX_WORDS_H
#define ORR_INPUT_MATRIX_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct orr_word {
    const char *text; /* not terminated */
    size_t length;
    uint32_t line, column;
    bool first; /* of its line */
};

struct orr_words {
    const char *bytes;
    size_t length, at, line_start;
    uint32_t line;
    bool fresh; /* nothing of the line was given yet */
    /* What stands before each line ("node1:", "[1,0]<stdout>:", "> ", a time); lines without it are passed over. */
    const char *prefix;
    size_t prefix_length;
};

/* prefix: of prefix_length bytes, which stay the caller's. */
struct orr_words orr_words_start(const char *bytes, size_t length, const char *prefix, size_t prefix_length);
/* The next word; false: the end. */
bool orr_words_next(struct orr_words *words, struct orr_word *ret_word);

bool orr_word_is(const struct orr_word *word, const char *text);
/* "GPU12" gives 12 for the prefix "GPU"; -1: it is none. */
int orr_word_numbered(const struct orr_word *word, const char *prefix);

/* What stands before "GPU0" at the start of the n-th line that holds such a word behind something else; false: there is
 * no such line. */
bool orr_words_prefix(const char *bytes, size_t length, unsigned n, const char **ret_prefix, size_t *ret_length);

#endif
