/* SPDX-License-Identifier: Apache-2.0 */
/* The assumptions of an analysis where NCCL would ask the hardware, and whether an answer rests on them. */
#ifndef ORR_EXPLAIN_ASSUMPTIONS_H
#define ORR_EXPLAIN_ASSUMPTIONS_H

#include "engine/analysis/analysis.h"

struct orr_assumption {
    const char *id, *text;
    bool (*applies)(const struct orr_analysis *analysis);
    unsigned kinds; /* bits of enum orr_why_kind: decisions that rest on it */
};

/* Row i, NULL if there are no more. */
const struct orr_assumption *orr_assumption(unsigned i);

#endif
