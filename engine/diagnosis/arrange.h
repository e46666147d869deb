/* SPDX-License-Identifier: Apache-2.0 */
/* inside diagnosis/: which findings follow from others, and the order of all. */
#ifndef ORR_DIAGNOSIS_ARRANGE_H
#define ORR_DIAGNOSIS_ARRANGE_H

#include "engine/diagnosis/diagnosis.h"

/* Whether the row counts in the machine with everything repaired. */
bool orr_diagnosed_adds(const struct orr_diagnosed *row);
/* Sets what each row follows from, and puts the rows into their order. gone[row * stride + other]: the other finding
 * disappears with the repair of the row. False if memory ran out. */
bool orr_diagnosis_arrange(struct orr_diagnosis *diagnosis, const bool *gone, uint32_t stride, struct orr_arena *arena);

#endif
