/* SPDX-License-Identifier: Apache-2.0 */
/* inside diagnosis/: the headline. */
#ifndef ORR_DIAGNOSIS_VERDICT_H
#define ORR_DIAGNOSIS_VERDICT_H

#include "engine/diagnosis/diagnosis.h"

/* Sets state, sentence, advice and cause from the rows. */
enum orr_code orr_verdict_write(struct orr_diagnosis *diagnosis, const struct orr_analysis *analysis,
                                struct orr_arena *arena, struct orr_error *err) ORR_NO_DISCARD;

#endif
