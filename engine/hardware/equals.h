/* SPDX-License-Identifier: Apache-2.0 */
/* Inside hardware/: finds equal devices, and those that are slower than the best of their equals. */
#ifndef ORR_HARDWARE_EQUALS_H
#define ORR_HARDWARE_EQUALS_H

#include "engine/hardware/hardware.h"

/* Fills slower and slower_count; false if memory runs out. */
bool orr_hardware_compare_equals(struct orr_hardware_facts *hardware, struct orr_arena *arena);

#endif
