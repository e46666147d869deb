/* SPDX-License-Identifier: Apache-2.0 */
/* What limits large messages, by trial: the kinds of links that raise the bandwidth when they carry twice as much,
 * while everything else carrying twice as much raises nothing. */
#ifndef ORR_TRIALS_LIMIT_H
#define ORR_TRIALS_LIMIT_H

#include "engine/expect/expect.h"
#include "engine/trials/trials.h"

/* For an analysis and a program; expectation: theirs, NULL: it is made. A program that cannot be predicted has an empty
 * text. trials NULL: an allowance of its own. If the allowance ends first, the limit is the one by loads
 * (orr_expect_limit()) and ret_limit->tried is false. NOMEM, SPENT. */
enum orr_code orr_find_limit(struct orr_trials *trials, const struct orr_analysis *analysis, enum orr_test test,
                             const struct orr_expectation *expectation, struct orr_expect_limit *ret_limit,
                             struct orr_error *err) ORR_NO_DISCARD;

#endif
