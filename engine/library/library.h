/* What the files of the library share. */
#ifndef ORR_LIBRARY_LIBRARY_H
#define ORR_LIBRARY_LIBRARY_H

#include "engine/base/error.h"
#include "engine/library/orrery.h"
#include "engine/orrery.h"

struct orr_machine {
    struct orr_dump *dump; /* as the default release has it */
    char *bytes; /* of which other releases make other dumps (the tar of `orrery gather`); NULL: all the same */
    size_t length;
};
struct orr_question {
    struct orr_query query;
};
struct orr_plan {
    struct orr_analysis *analysis;
    struct orr_dump *dump; /* of its own, NULL: the machine's */
};

/* Copies what `from`, of `full` bytes, holds beyond its size member to the caller's structure, as far as that reaches;
 * the rest of the caller's is zeroed. False with a report: the caller's size was not initialised. */
bool orr_library_fill(void *to, const void *from, size_t full, struct orr_report *report);
/* Hands an error over to the user of the library; gives false. */
bool orr_library_fail(struct orr_report *report, const struct orr_error *err);

#endif
