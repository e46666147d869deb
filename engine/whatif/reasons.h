/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/whatif: finds the steps at which the values of facts change. */
#ifndef ORR_WHATIF_REASONS_H
#define ORR_WHATIF_REASONS_H

#include "engine/whatif/facts.h"
#include "engine/whatif/steps.h"

struct orr_changed {
    struct orr_fact fact; /* the value is side A's */
    uint8_t rule_b;
    int64_t b;
};

struct orr_reasons {
    uint32_t words; /* words of a set of steps */
    uint64_t *sets; /* [changed * words]: bit S is set if the fact changes at step S, or may */
    bool *certain;  /* [changed] */
    uint32_t analyses;
};

static inline bool orr_reason_has(const struct orr_reasons *reasons, size_t changed, uint32_t step)
{
    return reasons->sets[changed * reasons->words + step / 64] >> (step % 64) & 1;
}

/* Answers questions between the two, within the limits, until each change is between two neighbouring ones. */
enum orr_code orr_reasons_find(const struct orr_analysis *a, const struct orr_way *way,
                               const struct orr_changed *changed, size_t count, struct orr_effort most,
                               struct orr_arena *arena, struct orr_reasons *ret_reasons,
                               struct orr_error *err) ORR_NO_DISCARD;

#endif
