/* SPDX-License-Identifier: Apache-2.0 */
/* inside diagnosis/: the machine with everything repaired.
 *
 * A fault may hide another one. NICs in x8 slots hide that all PCIe links run at Gen4, because either repair alone
 * gains nothing; ports at half of their speed hide that their slots are too narrow, because nothing is wrong with the
 * slots until the ports are repaired. So the repaired machine is examined again, and what is found there is repaired
 * too, in stages. */
#ifndef ORR_DIAGNOSIS_EVERYTHING_H
#define ORR_DIAGNOSIS_EVERYTHING_H

#include "engine/diagnosis/diagnosis.h"
#include "engine/trials/repair.h"

enum {
    ORR_MOST_HIDDEN = 8, /* number of findings that only the repaired machine shows */
    ORR_MOST_STAGES = 3
};

/* Rows to repair: of the first `count` rows (UINT32_MAX means all), those that have a repair, except the row at `skip`
 * (UINT32_MAX means none) and its consequences. */
struct orr_chosen {
    uint32_t count, skip;
    unsigned but; /* kinds of repairs that are left out, enum orr_repair_kind */
};

/* The machine with the repairs of the chosen rows, in arena. NOMEM. */
enum orr_code orr_repair_chosen(const struct orr_patient *patient, const struct orr_diagnosis *diagnosis,
                                struct orr_chosen chosen, struct orr_arena *arena, struct orr_variant *ret_variant,
                                struct orr_error *err) ORR_NO_DISCARD;

/* Examines the machine with everything repaired, and appends what it shows as rows of later stages; the rows have room
 * for ORR_MOST_HIDDEN more. NOMEM, SPENT. */
enum orr_code orr_find_hidden(const struct orr_patient *patient, struct orr_diagnosis *diagnosis,
                              struct orr_trials *trials, struct orr_arena *arena, struct orr_error *err) ORR_NO_DISCARD;

#endif
