/* A dump in the making: elements that readers of other forms add, fill and move until it is one. A draft lives in one
 * arena, which the dump takes over. Failures of memory and limits are remembered and reported once, by
 * orr_draft_finish().
 *
 * Each attribute remembers whether it is assumed: a machine type (orr_draft_assume_type()) replaces those, and fills in
 * what is absent, but never what the input says.
 */
#ifndef ORR_INPUT_DRAFT_H
#define ORR_INPUT_DRAFT_H

#include "engine/base/arena.h"
#include "engine/dump/notes.h"
#include "engine/input/input.h"

struct orr_draft_attr {
    enum orr_attr id;
    const char *name, *value;
    bool assumed;
    struct orr_draft_attr *next;
};

struct orr_draft_node {
    enum orr_element_kind kind;
    uint32_t parent, first, last, next; /* ORR_NO_ELEMENT: none */
    uint32_t line, column;              /* in the user's bytes, 0: it has no place there */
    struct orr_draft_attr *attributes;
    bool removed;
};

enum { ORR_MAX_NOTES = 24 };

struct orr_draft {
    struct orr_arena *arena;
    struct orr_draft_node *nodes; /* 0 is the <system> */
    unsigned count, capacity;
    uint32_t limit; /* of elements */
    bool too_many;
    bool no_nvlinks; /* the input does not show whether GPUs have NVLinks, and none are assumed */
    struct orr_dump_notes notes;
    struct orr_assumed assumed[ORR_MAX_NOTES];
    struct orr_missing missing[ORR_MAX_NOTES];
};

/* Starts with a <system version="1">. The draft is the caller's until it is finished or released. */
enum orr_code orr_draft_init(struct orr_draft *draft, const struct orr_input *input,
                             struct orr_error *err) ORR_NO_DISCARD;
void orr_draft_release(struct orr_draft *draft);
/* A copy of a dump: elements, attributes, places. The dump stays the caller's. */
void orr_draft_copy(struct orr_draft *draft, const struct orr_dump *dump);

/* A new last child. Where memory or room is short it gives 0, the <system>, and the draft remembers. */
uint32_t orr_draft_add(struct orr_draft *draft, uint32_t parent, enum orr_element_kind kind);
/* Moves the last child of its parent to where NCCL puts a device: before the first whose bus id comes later as text. */
void orr_draft_order_pci(struct orr_draft *draft, uint32_t node);
/* Sets an attribute: replaces its value, or appends it. */
void orr_draft_set(struct orr_draft *draft, uint32_t node, enum orr_attr attr, const char *format, ...)
    ORR_PRINTF(4, 5);
/* The same for a value that the input does not contain. */
void orr_draft_suppose(struct orr_draft *draft, uint32_t node, enum orr_attr attr, const char *format, ...)
    ORR_PRINTF(4, 5);
/* An attribute that means nothing to NCCL's releases, such as "vendor" of a pci element. */
void orr_draft_set_named(struct orr_draft *draft, uint32_t node, const char *name, const char *value);
/* NULL where there is none. */
const struct orr_draft_attr *orr_draft_attr(const struct orr_draft *draft, uint32_t node, enum orr_attr attr);
/* Its value, "" where there is none. */
const char *orr_draft_get(const struct orr_draft *draft, uint32_t node, enum orr_attr attr);
/* The first child of a kind, ORR_NO_ELEMENT: none. */
uint32_t orr_draft_child(const struct orr_draft *draft, uint32_t node, enum orr_element_kind kind);
/* Takes a node with all below it out of the tree. */
void orr_draft_remove(struct orr_draft *draft, uint32_t node);
/* Takes attributes away that `keep` does not want. */
void orr_draft_drop_attr(struct orr_draft *draft, uint32_t node, enum orr_attr attr);

/* Notes; what does not fit is counted in the last one. */
void orr_note_recognised(struct orr_draft *draft, const char *format, ...) ORR_PRINTF(2, 3);
void orr_note_assumed(struct orr_draft *draft, unsigned touches, const char *format, ...) ORR_PRINTF(3, 4);
void orr_note_missing(struct orr_draft *draft, const char *command, const char *format, ...) ORR_PRINTF(3, 4);
/* Formats into the draft's arena; "" where memory is short. */
const char *orr_draft_format(struct orr_draft *draft, const char *format, ...) ORR_PRINTF(2, 3);

/* Settles what a file made by hand leaves open: classes, widths, places of GPUs (assume_places.c). */
void orr_draft_find_places(struct orr_draft *draft, const struct orr_machine_type *type);
/* Fills in what is absent or assumed from a machine type, and says so. */
void orr_draft_assume_type(struct orr_draft *draft, const struct orr_machine_type *type);
/* Gives NIC ports of assumed speed what a row of orr_assumed_nics_word() asks for, and says what they have now. */
void orr_draft_assume_nics(struct orr_draft *draft, unsigned row);

/* The draft's notes, in its arena, with the row's name and title. NULL: no memory. */
const struct orr_dump_notes *orr_draft_notes(struct orr_draft *draft, const struct orr_input_kind *kind);
/* The dump; kind: the row that read it. The draft is empty afterwards, also on failure. */
enum orr_code orr_draft_finish(struct orr_draft *draft, const struct orr_input *input,
                               const struct orr_input_kind *kind, struct orr_dump **ret_dump,
                               struct orr_error *err) ORR_NO_DISCARD;

/* "0-31,64-95" as words of 32 bits in hex, highest first, as NCCL's affinity; "" where the list cannot be read. */
const char *orr_cpu_list_mask(struct orr_draft *draft, const char *list);

#endif
