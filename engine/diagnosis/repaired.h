/* SPDX-License-Identifier: Apache-2.0 */
/* Answers a question about the machine with some of its findings repaired. The diagnosis asks the same to find their
 * costs; here a user asks it. */
#ifndef ORR_DIAGNOSIS_REPAIRED_H
#define ORR_DIAGNOSIS_REPAIRED_H

#include "engine/analysis/analysis.h"

/* findings: `count` ids ("slow-link"), repaired in this order. The machine of *ret_dump is in arena and borrows from
 * dump; *ret_query is the question with the settings that repairs changed. Fails with SETTING, naming the finding, if a
 * finding has no repair or its repair changes nothing here; otherwise as orr_analyze() does. */
enum orr_code orr_repaired(const struct orr_dump *dump, const struct orr_query *query, const char *const *findings,
                           uint32_t count, struct orr_arena *arena, const struct orr_dump **ret_dump,
                           struct orr_query *ret_query, struct orr_error *err) ORR_NO_DISCARD;

/* The id of the i-th finding that has a repair; NULL after the last. */
const char *orr_repairable(size_t i);

#endif
