/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a draft: see draft.h. */
#include "engine/input/draft.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t most_elements(const struct orr_input *input)
{
    return (input->options.limits ? input->options.limits : &orr_dump_default_limits)->elements;
}

enum orr_code orr_draft_init(struct orr_draft *draft, const struct orr_input *input, struct orr_error *err)
{
    *draft = (struct orr_draft){.cpu_row = input->options.assumed_cpu};
    orr_doc_init(&draft->doc, orr_arena_new(0));
    draft->doc.limit = most_elements(input);
    if (!orr_arena_starved(draft->doc.arena))
        return ORR_OK;
    orr_draft_release(draft);
    return orr_fail_nomem(err);
}

void orr_draft_take(struct orr_draft *draft, const struct orr_input *input, struct orr_dump *dump)
{
    *draft = (struct orr_draft){.from = dump};
    orr_doc_open(&draft->doc, dump, dump->arena);
    draft->doc.limit = most_elements(input);
    draft->doc.origin = ORR_VALUE_GIVEN; /* by another file of the same input */
}

void orr_draft_release(struct orr_draft *draft)
{
    orr_arena_free(draft->doc.arena);
    *draft = (struct orr_draft){0};
}

static const char *format_in(struct orr_draft *draft, const char *format, va_list args)
{
    const char *text = orr_arena_vprintf(draft->doc.arena, SIZE_MAX, format, args);
    return text ? text : "";
}

const char *orr_draft_format(struct orr_draft *draft, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = format_in(draft, format, args);
    va_end(args);
    return text;
}

void orr_note_recognised(struct orr_draft *draft, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    draft->notes.recognised = format_in(draft, format, args);
    va_end(args);
}

void orr_note_assumed(struct orr_draft *draft, unsigned touches, const char *format, ...)
{
    if (draft->notes.assumed_count == ORR_MAX_NOTES)
        return;
    va_list args;
    va_start(args, format);
    const char *what = format_in(draft, format, args);
    va_end(args);
    draft->assumed[draft->notes.assumed_count++] = (struct orr_assumed){
        .what = what, .sentence = orr_draft_format(draft, "Assumed about the input: %s.", what), .touches = touches};
}

void orr_note_missing(struct orr_draft *draft, const char *command, const char *format, ...)
{
    if (draft->notes.missing_count == ORR_MAX_NOTES)
        return;
    va_list args;
    va_start(args, format);
    draft->missing[draft->notes.missing_count++] =
        (struct orr_missing){.what = format_in(draft, format, args), .command = command};
    va_end(args);
}

const struct orr_dump_notes *orr_draft_notes(struct orr_draft *draft, const struct orr_input_kind *kind)
{
    struct orr_dump_notes *notes = ORR_NEW(draft->doc.arena, struct orr_dump_notes, 1);
    struct orr_assumed *assumed = ORR_NEW(draft->doc.arena, struct orr_assumed, draft->notes.assumed_count);
    struct orr_missing *missing = ORR_NEW(draft->doc.arena, struct orr_missing, draft->notes.missing_count);
    if (!notes || !assumed || !missing || orr_arena_starved(draft->doc.arena))
        return NULL;
    memcpy(assumed, draft->assumed, draft->notes.assumed_count * sizeof *assumed);
    memcpy(missing, draft->missing, draft->notes.missing_count * sizeof *missing);
    *notes = draft->notes;
    notes->kind = kind->name;
    notes->title = kind->title;
    notes->recognised = notes->recognised ? notes->recognised : "";
    notes->assumed = assumed;
    notes->missing = missing;
    return notes;
}

const char *orr_cpu_list_mask(struct orr_draft *draft, const char *list)
{
    enum { MOST = 4096, WORD = 32, WORDS = MOST / WORD, WORD_TEXT = 9 };
    uint32_t words[WORDS] = {0};
    int highest = -1;
    while (*list) {
        char *end;
        unsigned long first = strtoul(list, &end, 10), last = first;
        if (end == list)
            return "";
        if (*end == '-') {
            list = end + 1;
            last = strtoul(list, &end, 10);
            if (end == list)
                return "";
        }
        if (first > last || last >= MOST)
            return "";
        for (unsigned long cpu = first; cpu <= last; cpu++)
            words[cpu / WORD] |= 1u << cpu % WORD;
        highest = (int)(last / WORD) > highest ? (int)(last / WORD) : highest;
        if (*end && *end != ',')
            return "";
        list = end + (*end == ',');
    }
    char text[WORDS * WORD_TEXT + 1] = "";
    size_t used = 0;
    for (int i = highest; i >= 0; i--)
        used += (size_t)snprintf(text + used, sizeof text - used, "%08x%s", words[i], i ? "," : "");
    return highest < 0 ? "" : orr_draft_format(draft, "%s", text);
}
