/* SPDX-License-Identifier: Apache-2.0 */
/* The loads of links do not show which links limit: NCCL's search adapts its channels to the narrowest links, so links
 * of several kinds end up equally full, and widening one kind alone gains nothing. So the machine is analysed again
 * with some kinds of links doubled. The answer is the smallest set of kinds that raises the bandwidth while all the
 * others together do not.
 *
 *     two hosts of 8 GPUs, NICs of 48 GB/s on PCIe links of 48 GB/s
 *     NICs                     no gain: the PCIe links are full too
 *     NICs and PCIe links      gain, and NVLinks and sockets together have none: that is the limit
 *
 * If all kinds together gain nothing, NCCL's channels are the limit. There are four kinds, so at most 15 analyses.
 */
#include "engine/trials/limit.h"

#include "engine/base/budget.h"
#include "engine/cluster/again.h"
#include "engine/search/memo.h"

enum { KINDS = ORR_LINK_KIND_COUNT, ALL = (1 << KINDS) - 1 };
static const uint64_t large = UINT64_C(16) << 30; /* as in engine/expect */
static const double raised = 1.01;

struct widening {
    struct orr_trials *trials;
    const struct orr_analysis *analysis;
    enum orr_test test;
    double now, with[ALL + 1]; /* GB/s; with[kinds] is negative if not tried */
};

static double bandwidth(const struct orr_expectation *expectation)
{
    struct orr_expected expected;
    return orr_expect(expectation, large, &expected) ? expected.bus_bw : 0;
}

/* Whether the bandwidth rises if these kinds of links carry twice as much. */
static enum orr_code is_raised(struct widening *w, unsigned kinds, bool *ret_raised, struct orr_error *err)
{
    if (kinds && w->with[kinds] < 0) {
        struct orr_query query = w->analysis->query;
        struct orr_analysis *answer;
        struct orr_expectation *expectation = NULL;
        struct orr_error refused = {0};
        query.settings.widened = kinds;
        query.plan = true;
        ORR_TRY(orr_trials_analyze(w->trials, w->analysis, NULL, &query, &answer, &refused, err));
        w->with[kinds] = 0;
        enum orr_code code = answer ? orr_expectation_new(answer, w->test, &expectation, &refused) : ORR_OK;
        if (code == ORR_OK && expectation)
            w->with[kinds] = bandwidth(expectation);
        orr_expectation_free(expectation);
        orr_analysis_again_free(answer);
        if (code == ORR_NOMEM)
            return orr_fail_nomem(err);
        ORR_TRY(orr_budget_check(err));
    }
    *ret_raised = kinds && w->with[kinds] > raised * w->now;
    return ORR_OK;
}

static int count_bits(unsigned bits)
{
    int count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

/* The smallest set of kinds that limits; *ret_known false if the allowance ended first. */
static enum orr_code find_kinds(struct widening *w, unsigned *ret_kinds, bool *ret_known, struct orr_error *err)
{
    bool own, others;
    *ret_kinds = 0;
    *ret_known = orr_trials_may_go_on(w->trials);
    if (!*ret_known)
        return ORR_OK;
    ORR_TRY(is_raised(w, ALL, &own, err));
    if (!own)
        return ORR_OK; /* NCCL's channels */
    for (int size = 1; size <= KINDS; size++)
        for (unsigned kinds = 1; kinds <= ALL; kinds++) {
            if (count_bits(kinds) != size)
                continue;
            *ret_known = orr_trials_may_go_on(w->trials);
            if (!*ret_known)
                return ORR_OK;
            ORR_TRY(is_raised(w, kinds, &own, err));
            if (own)
                ORR_TRY(is_raised(w, ALL & ~kinds, &others, err));
            if (own && !others) {
                *ret_kinds = kinds;
                return ORR_OK;
            }
        }
    *ret_kinds = ALL; /* not reached: all kinds together raise it, and no other kinds are left */
    return ORR_OK;
}

static enum orr_code find_limit(struct widening *w, const struct orr_expectation *expectation,
                                struct orr_expect_limit *ret_limit, struct orr_error *err)
{
    enum { MEMO_BYTES = 4 << 20 };
    struct orr_search_memo *memo = w->trials->memo, *own = memo ? NULL : orr_search_memo_new(MEMO_BYTES);
    unsigned kinds = 0;
    bool known = false;
    for (unsigned i = 0; i <= ALL; i++)
        w->with[i] = -1;
    w->now = bandwidth(expectation);
    orr_expect_limit(expectation, ret_limit);
    w->trials->memo = memo ? memo : own;
    enum orr_code code = w->now > 0 ? find_kinds(w, &kinds, &known, err) : ORR_OK;
    w->trials->memo = memo;
    orr_search_memo_free(own);
    ORR_TRY(code);
    if (!known)
        return ORR_OK;
    ORR_TRY(orr_expect_limit_of(expectation, kinds, ret_limit, err));
    ret_limit->tried = true;
    return ORR_OK;
}

enum orr_code orr_find_limit(struct orr_trials *trials, const struct orr_analysis *analysis, enum orr_test test,
                             const struct orr_expectation *given, struct orr_expect_limit *ret_limit,
                             struct orr_error *err)
{
    struct orr_trials own = {.left = {.analyses = ALL + 1, .steps = 10000000}};
    struct widening w = {.trials = trials ? trials : &own, .analysis = analysis, .test = test};
    struct orr_expectation *made = NULL;
    struct orr_error refused = {0};
    *ret_limit = (struct orr_expect_limit){.what = ORR_BOUND_CHANNELS};
    enum orr_code code = given ? ORR_OK : orr_expectation_new(analysis, test, &made, &refused);
    if (code != ORR_OK)
        return code == ORR_NOMEM ? orr_fail_nomem(err) : orr_budget_check(err);
    code = find_limit(&w, given ? given : made, ret_limit, err);
    orr_expectation_free(made);
    return code;
}
