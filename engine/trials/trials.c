/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/trials/trials.h"

#include "engine/base/budget.h"
#include "engine/cluster/again.h"

bool orr_trials_may_go_on(const struct orr_trials *trials)
{
    return trials->left.analyses && trials->left.steps;
}

enum orr_code orr_trials_analyze(struct orr_trials *trials, const struct orr_analysis *analysis,
                                 const struct orr_dump *dump, const struct orr_query *query,
                                 struct orr_analysis **ret_answer, struct orr_error *ret_refused, struct orr_error *err)
{
    struct orr_query asked = *query;
    struct orr_analysis *answer = NULL;
    *ret_refused = (struct orr_error){0};
    *ret_answer = NULL;
    asked.memo = query->settings.release == analysis->query.settings.release ? trials->memo : NULL;
    trials->left.analyses -= trials->left.analyses > 0;
    trials->made++;
    enum orr_code code = dump && trials->around
                             ? orr_cluster_analyze_again(trials->around, dump, &asked, &answer, ret_refused)
                         : dump ? orr_analyze(dump, &asked, NULL, &answer, ret_refused)
                                : orr_analyze_again(analysis, &asked, &answer, ret_refused),
                  spent = orr_budget_check(err);
    if (spent != ORR_OK) { /* a trial that the budget ended was not refused */
        orr_analysis_again_free(answer);
        return spent;
    }
    if (code == ORR_NOMEM)
        return orr_fail_nomem(err);
    if (code != ORR_OK)
        return ORR_OK;
    uint64_t steps = orr_analysis_steps(answer);
    trials->left.steps -= steps < trials->left.steps ? steps : trials->left.steps;
    *ret_answer = answer;
    return ORR_OK;
}
