/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of a machine: hosts and settings. One question goes to every release, so a seed does not depend on
 * which releases there are. */
#ifndef ORR_PROPERTY_QUESTION_H
#define ORR_PROPERTY_QUESTION_H

#include "engine/analysis/analysis.h"
#include "tests/property/chance.h"

enum { MOST_ANSWERS = 6 };

struct question {
    uint32_t hosts;
    uint32_t count;
    struct {
        const char *name, *value; /* static */
    } settings[MOST_ANSWERS];
};

void question_make(struct chance *chance, struct question *ret_question);

/* The same as the engine takes it. */
enum orr_code question_ask(const struct question *question, const struct orr_release *release,
                           struct orr_query *ret_query, struct orr_error *err) ORR_NO_DISCARD;

#endif
