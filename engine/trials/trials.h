/* SPDX-License-Identifier: Apache-2.0 */
/* Questions asked once more with something changed: a setting, a device repaired, a link that lost half its lanes.
 *
 * All trials of one answer share their searches and an allowance, which is counted in analyses and steps: the answer
 * depends only on the question, never on the clock. variant.h makes the changes; hypotheses.h and repair.h list them.
 */
#ifndef ORR_TRIALS_TRIALS_H
#define ORR_TRIALS_TRIALS_H

#include "engine/analysis/analysis.h"

/* The allowance of trials, in counts, so that it is the same on every machine. */
struct orr_effort {
    uint32_t analyses;
    uint64_t steps; /* search steps; no further analysis begins once they are spent */
};

struct orr_trials {
    struct orr_effort left;       /* allowance that is left */
    struct orr_search_memo *memo; /* searches of earlier trials, most of which are alike, for the release of the
                                     analysis as it is; NULL if none are kept */
    uint32_t made;                /* analyses so far */
    /* cluster in which a changed machine replaces each host; NULL means equal hosts */
    const struct orr_cluster *around;
};

/* Whether another analysis is allowed. */
bool orr_trials_may_go_on(const struct orr_trials *trials);
/* Analyses `query`, whose machine is `dump` (NULL means the machine or cluster of `analysis`). *ret_answer is NULL if
 * that question has no answer; *ret_refused then says why. Otherwise the caller frees it with
 * orr_analysis_again_free(). Fails with NOMEM, or SPENT if the budget of the request is. */
enum orr_code orr_trials_analyze(struct orr_trials *trials, const struct orr_analysis *analysis,
                                 const struct orr_dump *dump, const struct orr_query *query,
                                 struct orr_analysis **ret_answer, struct orr_error *ret_refused,
                                 struct orr_error *err) ORR_NO_DISCARD;

#endif
