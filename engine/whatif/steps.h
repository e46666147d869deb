/* SPDX-License-Identifier: Apache-2.0 */
/* Leads from one question to another in single steps: each behaviour in which the releases differ, then each setting
 * whose value differs. Any prefix of the steps is a question that can be answered, so a change in the answer can be
 * attributed to the step where it appears. The steps always lead from the older release to the newer one, so that the
 * reasons do not depend on which side is asked first. Rules that require others come after them; smaller search budgets
 * come first, so that the answers in between are quick. */
#ifndef ORR_WHATIF_STEPS_H
#define ORR_WHATIF_STEPS_H

#include "engine/analysis/analysis.h"
#include "engine/release/behaviours.h"
#include "engine/release/connect_rules.h"
#include "engine/release/tuning_model.h"
#include "engine/trials/trials.h"

struct orr_step {
    struct orr_behaviour behaviour; /* kind is SETTING if the question changes the setting, regardless of the releases'
                                     * defaults */
    const char *from, *to;          /* its two values as text */
};

struct orr_way {
    const struct orr_query *from, *to; /* borrowed */
    bool reversed;                     /* `from` is the second question, because its release is older */
    struct orr_step *steps;
    uint32_t count;
};

/* A question between the two: an invented release with rules of both. */
struct orr_mixture {
    struct orr_release release;
    struct orr_connect_rules connect;
    struct orr_tuning_model tuning;
    struct orr_query query;
};

/* Texts and steps are in arena. */
enum orr_code orr_way_find(const struct orr_query *a, const struct orr_query *b, struct orr_arena *arena,
                           struct orr_way *ret_way, struct orr_error *err) ORR_NO_DISCARD;

/* The question after `taken` steps. It points into itself: do not copy it. */
void orr_way_mix(const struct orr_way *way, uint32_t taken, struct orr_mixture *ret_mixture);

#endif
