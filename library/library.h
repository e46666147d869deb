/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the library share. */
#ifndef ORR_LIBRARY_LIBRARY_H
#define ORR_LIBRARY_LIBRARY_H

#include <stdatomic.h>

#include "api/http/answer.h"
#include "api/http/params.h"
#include "engine/base/budget.h"
#include "engine/base/error.h"
#include "engine/orrery.h"
#include "include/orrery/orrery.h"

struct orr_limits {
    struct orr_budget budget;
    atomic_bool stopped; /* survives the reset of the budget at the beginning of a call */
};
struct orr_machine {
    struct orr_dump *dump; /* as the release of the call has it that read it */
    char *bytes; /* of which other releases make other dumps (the tar of `orrery gather`); NULL: all the same */
    size_t length;
    const struct orr_machine_type *assumed;
    unsigned assumed_nics; /* row of orr_assumed_nics_word() */
    unsigned assumed_cpu;  /* row of orr_assumed_cpu_word() */
    char id[ORR_INPUT_ID_LENGTH];
};
struct orr_plan {
    struct orr_analysis *analysis;
    struct orr_dump *dump;   /* of its own, NULL: the machine's */
    struct orr_arena *arena; /* of the texts of its query; NULL: there are none */
    const struct orr_machine *machine;
};

/* Copies what `from`, of `full` bytes, holds beyond its size member to the caller's structure, as far as that reaches;
 * the rest of the caller's is zeroed. False with a report: the caller's size was not initialised. */
bool orr_library_fill(void *to, const void *from, size_t full, struct orr_report *report);
/* The reverse: copies the caller's structure to `to`, of `full` bytes, which holds the defaults. */
bool orr_library_take(void *to, size_t full, const void *from, struct orr_report *report);
/* Hands an error over to the user of the library; gives false. code: NULL takes that of the error. */
bool orr_library_fail(struct orr_report *report, const struct orr_error *err);
bool orr_library_fail_as(struct orr_report *report, const char *code, const struct orr_error *err);

/* Puts limits in force on this thread for one call, and ends that: the code of the call, or of the limit that it
 * exceeded. limits NULL: nothing is limited. */
void orr_limits_begin(const struct orr_limits *limits);
enum orr_code orr_limits_end(const struct orr_limits *limits, enum orr_code code, struct orr_error *err);
/* The budget, ready for a call that puts it in force itself; NULL for NULL. */
struct orr_budget *orr_limits_budget(const struct orr_limits *limits);

/* Reads parameters as the service reads a query string. *ret_arena holds their texts; the caller frees it. */
enum orr_code orr_library_params(const char *parameters, orr_topics accepted, struct orr_arena **ret_arena,
                                 struct orr_params *ret_params, enum orr_problem *ret_problem, struct orr_error *err);

/* Makes a document; takes the answer over, even on failure. */
bool orr_document_of(struct orr_answer *answer, struct orr_document **ret_document, struct orr_report *report);

#endif
