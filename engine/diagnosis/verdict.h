/* inside diagnosis/: the headline. */
#ifndef ORR_DIAGNOSIS_VERDICT_H
#define ORR_DIAGNOSIS_VERDICT_H

#include "engine/diagnosis/diagnosis.h"
#include "engine/machines/recognise.h"

/* Sets state, sentence, advice and cause from the rows. */
enum orr_code orr_verdict_write(struct orr_diagnosis *diagnosis, const struct orr_analysis *analysis,
                                const struct orr_machine *machine, struct orr_arena *arena,
                                struct orr_error *err) ORR_NO_DISCARD;

#endif
