/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/detect/detecting.h"

static const struct row {
    const char *id, *advice, *command;
    enum orr_note_severity severity;
} rows[ORR_NOTE_COUNT] = {
#define X(symbol, weight, word, what, run) [ORR_NOTE_##symbol] = {word, what, run, ORR_NOTE_##weight},
    ORR_NOTE_MAP(X)
#undef X
};

void orr_note(struct orr_detector *d, enum orr_note_id id, const char *format, ...)
{
    enum { MOST_ALIKE = 4 };
    char text[320];
    unsigned alike = 0;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || (unsigned char)*c >= 0x7f)
            *c = '?';
    for (unsigned i = 0; i < d->note_count; i++)
        if (d->notes[i].id == rows[id].id) {
            if (!strcmp(d->notes[i].text, text))
                return;
            alike++;
        }
    if (alike == MOST_ALIKE || d->note_count == sizeof d->notes / sizeof d->notes[0])
        return;
    const char *kept = orr_arena_strndup(d->arena, text, strlen(text));
    if (!kept)
        return;
    d->notes[d->note_count++] = (struct orr_note){.id = rows[id].id,
                                                  .severity = rows[id].severity,
                                                  .text = kept,
                                                  .advice = rows[id].advice,
                                                  .command = rows[id].command};
}
