/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of a dump, a matrix, an hwloc export or a log in which names of machines and people are replaced, and which
 * analyses the same. Each name gets one substitute everywhere, and different names stay different. Data on which
 * answers rest is kept: bus ids, device names, models, process ids, numbers. One set of rules (anonymise.c), which the
 * page applies to what it exports by the list of replacements. */
#ifndef ORR_INPUT_ANONYMISE_H
#define ORR_INPUT_ANONYMISE_H

#include "engine/base/arena.h"
#include "engine/base/text.h"

struct orr_replacement {
    const char *from, *to;
};

struct orr_replacements {
    struct orr_replacement *rows; /* in the order in which they were met */
    uint32_t count;
};

/* Appends the copy to text; of the tar of `orrery gather`, a copy of the XML that it describes. ret_replacements may be
 * NULL; its memory is from arena. */
enum orr_code orr_anonymise(const char *bytes, size_t length, struct orr_arena *arena, struct orr_text *text,
                            struct orr_replacements *ret_replacements, struct orr_error *err) ORR_NO_DISCARD;

#endif
