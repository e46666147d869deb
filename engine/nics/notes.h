/* SPDX-License-Identifier: Apache-2.0 */
/* Notes (engine/dump/notes.h) about how a job's view of a machine differs from its dump. */
#ifndef ORR_NICS_NOTES_H
#define ORR_NICS_NOTES_H

#include "engine/base/arena.h"
#include "engine/dump/dump.h"

enum { ORR_VIEW_NOTES = 6 };
struct orr_view_notes {
    struct orr_arena *arena;
    struct orr_assumed rows[ORR_VIEW_NOTES];
    uint32_t count;
};

/* One sentence without a full stop; beyond ORR_VIEW_NOTES of them it is dropped. */
void orr_view_note(struct orr_view_notes *notes, const char *format, ...) ORR_PRINTF(2, 3);
/* Gives `dump` the notes of `old`, followed by these; false if memory runs out. */
bool orr_view_notes_add(const struct orr_view_notes *notes, const struct orr_dump *old, struct orr_dump *dump);

#endif
