/* SPDX-License-Identifier: Apache-2.0 */
/* inside diagnosis/: the headline. */
#ifndef ORR_DIAGNOSIS_VERDICT_H
#define ORR_DIAGNOSIS_VERDICT_H

#include "engine/diagnosis/diagnosis.h"

struct orr_patient;
struct orr_search_memo;

/* Fills depends and rests_on: tries the values of figures that the input does not show. (depends.c) */
enum orr_code orr_diagnosis_depend(struct orr_diagnosis *diagnosis, const struct orr_patient *patient,
                                   struct orr_search_memo *memo, struct orr_error *err) ORR_NO_DISCARD;
/* Sets state, sentence, advice and cause from the rows. */
enum orr_code orr_verdict_write(struct orr_diagnosis *diagnosis, const struct orr_analysis *analysis,
                                struct orr_arena *arena, struct orr_error *err) ORR_NO_DISCARD;

#endif
