/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a copy of a dump, a matrix, an hwloc export or a log in which names of machines and people are replaced, and
 * whose analysis is the same. Each name gets one substitute everywhere, and different names stay different. Data that
 * answers rest on is kept: bus ids, device names, models, process ids, numbers. anonymise.c has the only rules: the
 * page applies the list of replacements to its own exports. */
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

/* Appends the copy to text; for a tar of `orrery gather`, a copy of its content as XML. ret_replacements may be NULL;
 * its memory comes from arena. */
enum orr_code orr_anonymise(const char *bytes, size_t length, struct orr_arena *arena, struct orr_text *text,
                            struct orr_replacements *ret_replacements, struct orr_error *err) ORR_NO_DISCARD;

#endif
