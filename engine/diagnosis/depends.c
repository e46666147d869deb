/* SPDX-License-Identifier: Apache-2.0 */
/* What the findings cost rests on figures, and an input may not show one. Each value that it may have is tried, in the
 * machine as it is and in the repaired one. If the findings cost nothing with one of them, the headline is a question.
 * Whether NVLink joins the hosts is such a figure, too. */
#include <limits.h>

#include "engine/base/budget.h"
#include "engine/cluster/again.h"
#include "engine/diagnosis/arrange.h"
#include "engine/diagnosis/everything.h"
#include "engine/diagnosis/measure.h"
#include "engine/diagnosis/verdict.h"
#include "engine/trials/joining.h"
#include "engine/trials/repair.h"

struct judging {
    const struct orr_patient *patient;
    const struct orr_diagnosis *diagnosis;
    struct orr_trials *trials;
};

/* *ret_answer is NULL if the question has no answer. */
static enum orr_code analyze(struct orr_trials *trials, struct orr_variant *variant, struct orr_analysis **ret_answer,
                             struct orr_error *err)
{
    const struct orr_dump *dump;
    struct orr_error refused = {0};
    if (variant->query.domain < 2 || variant->query.hosts < 2)
        return orr_variant_analyze(trials, variant, ret_answer, &refused, err);
    *ret_answer = NULL;
    ORR_TRY(orr_variant_dump(variant, &dump, err));
    trials->left.analyses -= trials->left.analyses > 0;
    const enum orr_code code = orr_analyze_hosts(dump, &variant->query, NULL, ret_answer, &refused);
    return code == ORR_NOMEM ? orr_fail_nomem(err) : orr_budget_check(err);
}

/* The bus bandwidth of the machine with one value, as it is or with everything repaired. */
static enum orr_code measure_with(const struct judging *j, const struct orr_suppositions *of, uint32_t row,
                                  bool repaired, uint32_t hosts, struct orr_performance *ret_figures,
                                  struct orr_error *err)
{
    ORR_LOCAL_ARENA(scratch, 0);
    struct orr_variant variant;
    ORR_LOCAL_AGAIN(answer);
    ORR_NEED(scratch, err);
    const struct orr_chosen chosen = {repaired ? UINT32_MAX : 0, UINT32_MAX, 0};
    ORR_TRY(orr_repair_chosen(j->patient, j->diagnosis, chosen, scratch, &variant, err));
    variant.query.hosts = hosts;
    variant.query.plan = true;
    if (of == &orr_joining)
        variant.query.domain = row == ORR_JOINED ? orr_board_joined(j->patient->machine.board) : 1;
    else
        orr_suppose(&variant, of, row);
    ORR_TRY(analyze(j->trials, &variant, &answer, err));
    *ret_figures = (struct orr_performance){.known = answer};
    struct orr_performance all = {0};
    if (answer)
        orr_measure(answer, &all);
    ret_figures->value[ORR_COST_BUS_BW] = all.value[ORR_COST_BUS_BW];
    return ORR_OK;
}

/* On the hosts that the headline quotes, and on one: a loss there is a loss. */
static enum orr_code judge_with(void *judging, const struct orr_suppositions *of, uint32_t row,
                                struct orr_depends *ret_depends, bool *ret_judged, struct orr_error *err)
{
    const struct judging *j = judging;
    const uint32_t hosts = of == &orr_joining ? j->patient->analysis->query.hosts : j->diagnosis->all.hosts;
    struct orr_measured now = {.hosts = {hosts, 1}, .fused = 1, .count = hosts > 1 ? 2 : 1}, repaired = now;
    if (!orr_trials_may_go_on(j->trials))
        return ORR_OK;
    for (uint32_t i = 0; i < now.count; i++) {
        ORR_TRY(measure_with(j, of, row, false, now.hosts[i], &now.figures[i], err));
        repaired.figures[i] = now.figures[i];
        if (j->diagnosis->has_all)
            ORR_TRY(measure_with(j, of, row, true, now.hosts[i], &repaired.figures[i], err));
    }
    ret_depends->verdict = orr_cost_between(&now, &repaired).none ? ORR_VERDICT_HEALTHY : ORR_VERDICT_DEGRADED;
    ret_depends->bus_bw = now.figures[0].value[ORR_COST_BUS_BW];
    ret_depends->expected = repaired.figures[0].value[ORR_COST_BUS_BW];
    *ret_judged = now.figures[0].known && repaired.figures[0].known;
    return ORR_OK;
}

static enum orr_code depend_on_values(struct orr_diagnosis *diagnosis, struct judging *judging, struct orr_error *err)
{
    const struct orr_suppositions *of;
    struct orr_depends_list list;
    size_t at = 0;
    if (!diagnosis->has_all || diagnosis->all.none || diagnosis->all.figure != ORR_COST_BUS_BW)
        return ORR_OK;
    while ((of = orr_supposed(judging->patient->analysis->given, UINT_MAX, false, &at))) {
        ORR_TRY(orr_depends_find(of, judge_with, judging, &list, err));
        const bool asks = orr_depends_differ(&list, ORR_VERDICT_DEGRADED);
        if (!asks && (list.count < 2 || diagnosis->rests_on))
            continue;
        diagnosis->rests_on = of;
        diagnosis->depends = list;
        if (asks)
            return ORR_OK;
    }
    return ORR_OK;
}

static enum orr_code depend_on_joining(struct orr_diagnosis *diagnosis, struct judging *judging, struct orr_error *err)
{
    struct orr_depends_list list;
    if (diagnosis->rests_on || !orr_may_be_joined(judging->patient->analysis, judging->patient->machine.board))
        return ORR_OK;
    ORR_TRY(orr_depends_find(&orr_joining, judge_with, judging, &list, err));
    if (list.count > ORR_JOINED) {
        diagnosis->rests_on = &orr_joining;
        diagnosis->depends = list;
    }
    return ORR_OK;
}

enum orr_code orr_diagnosis_depend(struct orr_diagnosis *diagnosis, const struct orr_patient *patient,
                                   struct orr_search_memo *memo, struct orr_error *err)
{
    struct orr_trials trials = {.left = {.analyses = 56, .steps = 20000000}, .memo = memo};
    struct judging judging = {patient, diagnosis, &trials};
    if (patient->analysis->cluster)
        return ORR_OK;
    ORR_TRY(depend_on_values(diagnosis, &judging, err));
    return depend_on_joining(diagnosis, &judging, err);
}
