/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/nics/notes.h"

#include <stdarg.h>
#include <string.h>

enum { NOTE_MOST = 1024 };

void orr_view_note(struct orr_view_notes *notes, const char *format, ...)
{
    va_list args;
    if (notes->count == ORR_VIEW_NOTES)
        return;
    va_start(args, format);
    const char *what = orr_arena_vprintf(notes->arena, NOTE_MOST, format, args);
    va_end(args);
    const char *sentence = what ? orr_arena_printf(notes->arena, "Assumed about the input: %s.", what) : NULL;
    notes->rows[notes->count++] = (struct orr_assumed){.what = what, .sentence = sentence, .touches = ORR_TOUCHES_NICS};
}

bool orr_view_notes_add(const struct orr_view_notes *notes, const struct orr_dump *old, struct orr_dump *dump)
{
    static const struct orr_dump_notes none = {.kind = "nccl-topology", .title = "NCCL topology XML", .recognised = ""};
    const struct orr_dump_notes *from = old->notes ? old->notes : &none;
    struct orr_dump_notes *all = ORR_NEW(notes->arena, struct orr_dump_notes, 1);
    struct orr_assumed *assumed = ORR_NEW(notes->arena, struct orr_assumed, from->assumed_count + notes->count);
    if (!all || !assumed || orr_arena_starved(notes->arena))
        return false;
    *all = *from;
    if (from->assumed_count)
        memcpy(assumed, from->assumed, from->assumed_count * sizeof *assumed);
    memcpy(assumed + from->assumed_count, notes->rows, notes->count * sizeof *assumed);
    all->assumed = assumed;
    all->assumed_count = from->assumed_count + notes->count;
    dump->notes = all;
    return true;
}
