/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of words that people may choose from: views, formats, collectives ... Each is a function, so that a list can
 * come from a table of any shape. */
#ifndef ORR_BASE_WORDS_H
#define ORR_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/text.h"

/* For tables of what the rows of an X macro say: `names[] = {ORR_CODE_MAP(ORR_SECOND_OF)}`. ORR_NAME_OF gives the first
 * argument of each row as a text. */
#define ORR_FIRST_OF(first, ...)         first,
#define ORR_NAME_OF(first, ...)          #first,
#define ORR_SECOND_OF(first, ...)        ORR_FIRST_OF(__VA_ARGS__, )
#define ORR_THIRD_OF(first, second, ...) ORR_FIRST_OF(__VA_ARGS__, )

/* Word i of a list; NULL beyond the last. */
typedef const char *orr_words(size_t i);

/* The place of a word in a list, whatever its case; false: the list does not have it. */
bool orr_word_find(orr_words *words, const char *text, unsigned *ret_place);
/* "svg, png, pdf or dot". last: the word before the last one, such as "or". */
void orr_words_write(orr_words *words, const char *last, struct orr_text *text);

#endif
