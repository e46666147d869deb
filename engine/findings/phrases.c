/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/findings/phrases.h"

#include <stdarg.h>
#include <stdio.h>

void orr_add_phrase(struct orr_phrases *phrases, const char *format, ...)
{
    enum { ROOM_FOR_COUNT = 24 };
    char phrase[240];
    va_list args;
    va_start(args, format);
    vsnprintf(phrase, sizeof phrase, format, args);
    va_end(args);
    size_t length = strlen(phrase), used = phrases->length ? 2 : 0;
    if (phrases->left_out || phrases->length + used + length + ROOM_FOR_COUNT > sizeof phrases->text) {
        phrases->left_out++;
        return;
    }
    phrases->length += (size_t)snprintf(phrases->text + phrases->length, sizeof phrases->text - phrases->length, "%s%s",
                                        used ? "; " : "", phrase);
}

void orr_say_phrases(struct orr_finder *f, const struct orr_phrases *phrases)
{
    if (phrases->left_out)
        orr_say(f, "%s; and %u more", phrases->text, phrases->left_out);
    else if (phrases->length)
        orr_say(f, "%s", phrases->text);
}
