/* SPDX-License-Identifier: Apache-2.0 */
/* Outcomes: the bus bandwidth of the usual collective operations, small and large, on some numbers of hosts. A
 * comparison shows outcomes first, then facts. */
#ifndef ORR_TRIALS_OUTCOMES_H
#define ORR_TRIALS_OUTCOMES_H

#include "engine/base/text.h"
#include "engine/expect/expect.h"
#include "engine/trials/trials.h"

enum { ORR_OUTCOME_TESTS = 4, ORR_OUTCOME_SIZES = 2, ORR_MOST_OUTCOME_HOSTS = 16 };
extern const enum orr_test orr_outcome_tests[ORR_OUTCOME_TESTS]; /* AllReduce, AllGather, ReduceScatter, AlltoAll */
extern const uint64_t orr_outcome_sizes[ORR_OUTCOME_SIZES];      /* 1 MiB, 1 GiB */

struct orr_outcomes {
    uint32_t hosts[ORR_MOST_OUTCOME_HOSTS]; /* numbers of hosts, ascending; for a fused dump, numbers of its NVLink
                                             * domains */
    uint32_t fused;                         /* hosts of one such domain, or 1 */
    uint32_t host_count;
    double bus_bw[ORR_MOST_OUTCOME_HOSTS][ORR_OUTCOME_TESTS][ORR_OUTCOME_SIZES]; /* GB/s; 0 if it cannot be predicted */
    double joined; /* AllReduce at 1 GiB on the last number of hosts if NVLink joins them, which the input does not
                    * show; 0 if nothing is open */
    char not_shown[200]; /* facts that the figures rest on and the input does not show; "" if there are none */
};

/* Chooses the numbers of hosts to show: 1, 2 and that of the question, or those of a list. A cluster of different hosts
 * has its own number, and smaller numbers of the list for its first hosts in rank order. */
void orr_outcomes_choose(const struct orr_analysis *analysis, const uint32_t *list, uint32_t count,
                         struct orr_outcomes *ret_outcomes);
/* Chooses 1, 2, 4 ... and all hosts of the question or of the cluster. */
void orr_outcomes_scale(const struct orr_analysis *analysis, struct orr_outcomes *ret_outcomes);
/* Fills in the bandwidths of `dump` (NULL means the machine of the analysis) with `settings` (NULL means those of the
 * analysis) on the chosen numbers of hosts. A bandwidth that cannot be predicted stays 0. trials NULL means a separate
 * allowance. */
enum orr_code orr_outcomes_find(struct orr_trials *trials, const struct orr_analysis *analysis,
                                const struct orr_dump *dump, const struct orr_settings *settings,
                                struct orr_outcomes *outcomes, struct orr_error *err) ORR_NO_DISCARD;
/* Both outcomes, for the numbers of hosts of `before`: 1, 2 and that of its question. */
enum orr_code orr_outcomes_compare(const struct orr_analysis *before, const struct orr_analysis *after,
                                   struct orr_outcomes ret_outcomes[2], struct orr_error *err) ORR_NO_DISCARD;
/* (after - before) / before; 0 if either is not known. */
double orr_outcome_change(double before, double after);
/* The largest change, whether better or worse, as a share; 0 if it is too small to matter. */
double orr_outcomes_most(const struct orr_outcomes *before, const struct orr_outcomes *after);
/* "AllReduce"; "1 MiB". */
const char *orr_outcome_test_name(int test);
const char *orr_outcome_size_name(int size);
/* One sentence: "AllReduce at 1 GiB gets 464, 494 and 310 GB/s on 1, 2 and 64 hosts." */
void orr_outcomes_say_scaling(const struct orr_outcomes *outcomes, struct orr_text *text);
/* " The input does not show the speed of the NICs, so the figures rest on assumed values.", and both figures if NVLink
 * may join the hosts; nothing if it shows all. The other sentences end with it. before: NULL if nothing is compared. */
void orr_outcomes_say_assumed(const struct orr_outcomes *before, const struct orr_outcomes *after,
                              struct orr_text *text);
/* One sentence: "No change at 1 GiB: AllReduce gets 464, 494 and 310 GB/s on 1, 2 and 64 hosts.", or what changes most.
 */
void orr_outcomes_say(const struct orr_outcomes *before, const struct orr_outcomes *after, struct orr_text *text);
/* The table for people; before NULL gives the figures of one machine alone. sides: heading for the two, "before >
 * after". Each line ends with a newline. */
void orr_outcomes_write(const struct orr_outcomes *before, const struct orr_outcomes *after, const char *sides,
                        struct orr_text *text);

#endif
