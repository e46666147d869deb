/* SPDX-License-Identifier: Apache-2.0 */
/* Small random machines for the search: few GPUs and NICs, not always joined as real ones are. */
#ifndef ORR_TESTS_SMALL_MACHINE_H
#define ORR_TESTS_SMALL_MACHINE_H

#include "engine/base/text.h"
#include "tests/property/chance.h"

/* Writes one as topology XML, one element a line. most: GPUs, and NICs; 6 is the largest. */
void small_machine_write(struct chance *chance, uint32_t most, struct orr_text *xml);

#endif
