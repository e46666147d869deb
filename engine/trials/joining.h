/* SPDX-License-Identifier: Apache-2.0 */
/* Whether NVLink joins the hosts of a job. Trays of a rack look the same if it does and if it does not, unless the
 * question or the machine type says it. */
#ifndef ORR_TRIALS_JOINING_H
#define ORR_TRIALS_JOINING_H

#include "engine/expect/table.h"
#include "engine/machines/machine_types.h"
#include "engine/trials/suppositions.h"

/* Not a figure of the machine: which hosts share an NVLink domain. */
extern const struct orr_suppositions orr_joining;
enum { ORR_APART, ORR_JOINED }; /* its rows */

/* How many hosts with these GPUs NVLink may join, although the analysis has the network alone; 0 if the question says
 * it. */
uint32_t orr_may_be_joined(const struct orr_analysis *analysis, const struct orr_gpu_board *board);
/* The job of the analysis if NVLink joins its hosts; NULL if nothing is open, or if the release joins none. The caller
 * frees it (orr_analysis_again_free()). NOMEM, SPENT. */
enum orr_code orr_joined_analyze(const struct orr_analysis *analysis, uint32_t *ret_joined,
                                 struct orr_analysis **ret_answer, struct orr_error *err) ORR_NO_DISCARD;
/* Fills joined and joined_best of a table. NOMEM, SPENT. */
enum orr_code orr_find_joined(struct orr_expect_table *table, struct orr_error *err) ORR_NO_DISCARD;
/* " The input does not show whether NVLink joins the hosts, as in a rack: if so, AllReduce gets about ...".
 * GB/s before and after a change; before is 0 if there is none. */
void orr_joining_say(const double joined[2], const double apart[2], uint32_t hosts, struct orr_text *text);

#endif
