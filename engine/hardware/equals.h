/* SPDX-License-Identifier: Apache-2.0 */
/* inside hardware/: which devices are equal, and which of them are slower than the fastest of their equals. */
#ifndef ORR_HARDWARE_EQUALS_H
#define ORR_HARDWARE_EQUALS_H

#include "engine/hardware/hardware.h"

/* Fills slower and slower_count; false if memory runs out. */
bool orr_hardware_compare_equals(struct orr_hardware_facts *hardware, struct orr_arena *arena);

#endif
