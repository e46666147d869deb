/* SPDX-License-Identifier: Apache-2.0 */
/* Whether NVLink joins the hosts of a job. Trays of a rack look the same if it does and if it does not, unless the
 * question or the machine type says it. */
#ifndef ORR_TRIALS_JOINING_H
#define ORR_TRIALS_JOINING_H

#include "engine/expect/table.h"
#include "engine/machines/machine_types.h"

/* How many hosts with these GPUs NVLink may join, although the analysis has the network alone; 0 if the input or the
 * question says it. */
uint32_t orr_may_be_joined(const struct orr_analysis *analysis, const struct orr_gpu_board *board);
/* Fills joined and joined_best of a table. NOMEM, SPENT. */
enum orr_code orr_find_joined(struct orr_expect_table *table, struct orr_error *err) ORR_NO_DISCARD;

#endif
