#include "engine/nics/notes.h"

#include <stdarg.h>
#include <string.h>

#include "engine/base/text.h"

enum { NOTE_MOST = 1024, SENTENCE_MOST = 1100 };

static const char *take(struct orr_view_notes *notes, struct orr_text *text)
{
    const char *kept =
        orr_text_failed(text) || !text->data ? NULL : orr_arena_strndup(notes->arena, text->data, text->length);
    orr_text_release(text);
    notes->starved |= !kept;
    return kept ? kept : "";
}

void orr_view_note(struct orr_view_notes *notes, const char *format, ...)
{
    struct orr_text text;
    va_list args;
    if (notes->count == ORR_VIEW_NOTES)
        return;
    orr_text_init(&text, NOTE_MOST);
    va_start(args, format);
    orr_text_vprintf(&text, format, args);
    va_end(args);
    const char *what = take(notes, &text);
    orr_text_init(&text, SENTENCE_MOST);
    orr_text_puts(&text, "Assumed about the input: ");
    orr_text_puts(&text, what);
    orr_text_puts(&text, ".");
    notes->rows[notes->count++] =
        (struct orr_assumed){.what = what, .sentence = take(notes, &text), .touches = ORR_TOUCHES_ALL};
}

bool orr_view_notes_add(const struct orr_view_notes *notes, const struct orr_dump *old, struct orr_dump *dump)
{
    static const struct orr_dump_notes none = {.kind = "nccl-topology", .title = "NCCL topology XML", .recognised = ""};
    const struct orr_dump_notes *from = old->notes ? old->notes : &none;
    struct orr_dump_notes *all = ORR_NEW(notes->arena, struct orr_dump_notes, 1);
    struct orr_assumed *assumed = ORR_NEW(notes->arena, struct orr_assumed, from->assumed_count + notes->count);
    if (!all || !assumed || notes->starved)
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
