/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two dumps: devices by role, the hardware that differs, and NCCL's decisions that change because of it. */
#ifndef ORR_COMPARE_COMPARE_H
#define ORR_COMPARE_COMPARE_H

#include "engine/base/text.h"
#include "engine/compare/unlike.h"
#include "engine/whatif/changes.h"

struct orr_comparison {
    const struct orr_analysis *a, *b; /* borrowed: asked the same question */
    struct orr_devices devices_a, devices_b;
    struct orr_match match;
    struct orr_unlikes unlikes;
    struct orr_fact_names names;
    struct orr_changes changes; /* names of b's devices and ranks in a */
};

/* Fills *ret_comparison, which points into itself: do not copy it. Memory comes from arena. */
enum orr_code orr_compare(const struct orr_analysis *a, const struct orr_analysis *b, struct orr_arena *arena,
                          struct orr_comparison *ret_comparison, struct orr_error *err) ORR_NO_DISCARD;

/* The node of a system as it was built that a device became, ORR_NO_NODE if there is none. */
uint32_t orr_device_node(const struct orr_devices *devices, uint32_t device, const struct orr_system *built);
/* compare_text.c: a sentence or two. */
void orr_comparison_summary(const struct orr_comparison *comparison, struct orr_text *text);
/* "the same", "the same except for the order of ranks" ... */
const char *orr_likeness_text(enum orr_likeness likeness);

#endif
