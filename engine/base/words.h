/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of words from which people choose: views, formats, collectives ... Each list is a function, so that it can
 * come from any kind of table. */
#ifndef ORR_BASE_WORDS_H
#define ORR_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/text.h"

/* For tables from the rows of an X macro: `names[] = {ORR_CODE_MAP(ORR_SECOND_OF)}`. ORR_NAME_OF gives the first
 * argument of each row as a text. */
#define ORR_FIRST_OF(first, ...)         first,
#define ORR_NAME_OF(first, ...)          #first,
#define ORR_SECOND_OF(first, ...)        ORR_FIRST_OF(__VA_ARGS__, )
#define ORR_THIRD_OF(first, second, ...) ORR_FIRST_OF(__VA_ARGS__, )

/* Word i of a list; NULL beyond the last. */
typedef const char *orr_words(size_t i);

/* Defines a function that gives the word of an enum, or word i of a list: NULL beyond the last. For example
 * ORR_WORD_LIST(orr_color_word, size_t, "auto", "always", "never"). */
#define ORR_WORD_LIST(function, type, ...)                                                                             \
    const char *function(type word)                                                                                    \
    {                                                                                                                  \
        static const char *const words[] = {__VA_ARGS__};                                                              \
        return (size_t)word < sizeof words / sizeof *words ? words[word] : NULL;                                       \
    }

/* Finds the index of a word in a list, ignoring case; false if not in the list. */
bool orr_word_find(orr_words *words, const char *text, unsigned *ret_place);
/* "svg, png, pdf or dot". last: the word before the last one, such as "or". */
void orr_words_write(orr_words *words, const char *last, struct orr_text *text);

#endif
