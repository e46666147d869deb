/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations shared by the files of the library. */
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
    struct orr_dump *dump; /* read by the rules of the release that the call named */
    char *bytes; /* bytes that become a different dump with each release (the tar of `orrery gather`); NULL if the dump
                    is the same for all */
    size_t length;
    const struct orr_machine_type *assumed;
    unsigned assumed_nics; /* row of orr_assumed_nics_word() */
    unsigned assumed_cpu;  /* row of orr_assumed_cpu_word() */
    char id[ORR_INPUT_ID_LENGTH];
};
struct orr_plan {
    struct orr_analysis *analysis;
    struct orr_dump *dump;   /* owned; NULL if the plan uses the machine's dump */
    struct orr_arena *arena; /* owns the texts of its query; NULL if it has none */
    const struct orr_machine *machine;
};

/* Copies the members after `size` of `from`, which has `full` bytes, to the caller's structure, as many as fit, and
 * zeroes the rest of it. False, with a report, if the caller did not initialise `size`. */
bool orr_library_fill(void *to, const void *from, size_t full, struct orr_report *report);
/* The reverse: copies the caller's structure over the defaults in `to`, which has `full` bytes. */
bool orr_library_take(void *to, size_t full, const void *from, struct orr_report *report);
/* Fills the report from an error. Always returns false. */
bool orr_library_fail(struct orr_report *report, const struct orr_error *err);
bool orr_library_fail_as(struct orr_report *report, const char *code, const struct orr_error *err);

/* Puts limits in force on this thread for one call; the second function ends that and returns the code of the call, or
 * of the limit that it exceeded. limits NULL if nothing is limited. */
void orr_limits_begin(const struct orr_limits *limits);
enum orr_code orr_limits_end(const struct orr_limits *limits, enum orr_code code, struct orr_error *err);
/* The budget, ready for a call that puts it in force itself; NULL for NULL. */
struct orr_budget *orr_limits_budget(const struct orr_limits *limits);

/* Reads parameters as the service reads a query string. *ret_arena holds their texts; the caller frees it. */
enum orr_code orr_library_params(const char *parameters, orr_topics accepted, struct orr_arena **ret_arena,
                                 struct orr_params *ret_params, enum orr_problem *ret_problem, struct orr_error *err);

/* Makes a document and takes ownership of the answer, even on failure. */
bool orr_document_of(struct orr_answer *answer, struct orr_document **ret_document, struct orr_report *report);

#endif
