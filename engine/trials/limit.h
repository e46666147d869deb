/* SPDX-License-Identifier: Apache-2.0 */
/* Finds by trial what limits large messages: the kinds of links that raise the bandwidth when they are twice as fast,
 * while doubling everything else raises nothing. */
#ifndef ORR_TRIALS_LIMIT_H
#define ORR_TRIALS_LIMIT_H

#include "engine/expect/expect.h"
#include "engine/trials/trials.h"

/* The limit of an analysis and a program. expectation: their expected result, or NULL to compute it here. The text is
 * empty if the program cannot be predicted. trials NULL means a separate allowance. If the allowance ends first, the
 * limit is the one by loads (orr_expect_limit()) and ret_limit->tried is false. NOMEM, SPENT. */
enum orr_code orr_find_limit(struct orr_trials *trials, const struct orr_analysis *analysis, enum orr_test test,
                             const struct orr_expectation *expectation, struct orr_expect_limit *ret_limit,
                             struct orr_error *err) ORR_NO_DISCARD;

#endif
