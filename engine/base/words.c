/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/words.h"

#include <strings.h>

bool orr_word_find(orr_words *words, const char *text, unsigned *ret_place)
{
    const char *word;
    for (unsigned i = 0; (word = words(i)); i++)
        if (!strcasecmp(word, text)) {
            *ret_place = i;
            return true;
        }
    return false;
}

void orr_words_write(orr_words *words, const char *last, struct orr_text *text)
{
    for (size_t i = 0; words(i); i++)
        if (i && !words(i + 1))
            orr_text_printf(text, " %s %s", last, words(i));
        else
            orr_text_printf(text, "%s%s", i ? ", " : "", words(i));
}
