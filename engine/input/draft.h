/* SPDX-License-Identifier: Apache-2.0 */
/* A dump under construction, with its notes. Readers of other formats add elements, and a machine type fills in what
 * is missing. A draft lives in one arena, which the dump takes over. Failures of memory and limits are remembered and
 * reported once, by orr_draft_finish().
 *
 * Each attribute remembers whether it is assumed: a machine type (orr_draft_assume_type()) replaces those, and fills
 * in what is absent, but never what the input says.
 */
#ifndef ORR_INPUT_DRAFT_H
#define ORR_INPUT_DRAFT_H

#include "engine/dump/edit.h"
#include "engine/dump/notes.h"
#include "engine/input/input.h"

enum { ORR_MAX_NOTES = 24 };

struct orr_draft {
    struct orr_doc doc;
    const struct orr_dump *from; /* the dump that it was made of; NULL if there is none */
    unsigned cpu_row;            /* of orr_assumed_cpu_word(), as asked */
    uint32_t nic_mbps, nic_line; /* the speed of NICs that a line of the text says; 0 if none does */
    bool no_nvlinks;             /* the input does not show whether GPUs have NVLinks, and none are assumed */
    struct orr_dump_notes notes;
    struct orr_assumed assumed[ORR_MAX_NOTES];
    struct orr_missing missing[ORR_MAX_NOTES];
};

/* Starts with a <system version="1">. The draft is the caller's until it is finished or released. */
enum orr_code orr_draft_init(struct orr_draft *draft, const struct orr_input *input,
                             struct orr_error *err) ORR_NO_DISCARD;
void orr_draft_release(struct orr_draft *draft);
/* The same with all of a dump, which the draft takes over. */
void orr_draft_take(struct orr_draft *draft, const struct orr_input *input, struct orr_dump *dump);

/* Notes; what does not fit is counted in the last one. */
void orr_note_recognised(struct orr_draft *draft, const char *format, ...) ORR_PRINTF(2, 3);
void orr_note_assumed(struct orr_draft *draft, unsigned touches, const char *format, ...) ORR_PRINTF(3, 4);
void orr_note_missing(struct orr_draft *draft, const char *command, const char *format, ...) ORR_PRINTF(3, 4);
/* Formats into the draft's arena; "" if memory runs out. */
const char *orr_draft_format(struct orr_draft *draft, const char *format, ...) ORR_PRINTF(2, 3);

/* Fills in what a hand-written file leaves open: classes, widths, places of GPUs (assume_places.c). */
void orr_draft_find_places(struct orr_draft *draft, const struct orr_machine_type *type);
/* Fills in what is absent or assumed from a machine type, and says so. */
void orr_draft_assume_type(struct orr_draft *draft, const struct orr_machine_type *type);
/* Sets the speed of NIC ports whose speed is assumed, by a row of orr_assumed_nics_word(), and notes the new values. */
void orr_draft_assume_nics(struct orr_draft *draft, unsigned row);

/* Gives CPUs of assumed kind the values of a row of orr_assumed_cpu_word(). */
void orr_draft_assume_cpu(struct orr_draft *draft, unsigned row);

/* The draft's notes, in its arena, with the row's name and title; NULL if memory runs out. */
const struct orr_dump_notes *orr_draft_notes(struct orr_draft *draft, const struct orr_input_kind *kind);
/* The dump; kind: the row that read it. The draft is empty afterwards, also on failure. */
enum orr_code orr_draft_finish(struct orr_draft *draft, const struct orr_input *input,
                               const struct orr_input_kind *kind, struct orr_dump **ret_dump,
                               struct orr_error *err) ORR_NO_DISCARD;

/* "0-31,64-95" in the form of NCCL's affinity: words of 32 bits in hex, highest first; "" if the list cannot be
 * read. */
const char *orr_cpu_list_mask(struct orr_draft *draft, const char *list);

#endif
