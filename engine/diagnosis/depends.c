/* SPDX-License-Identifier: Apache-2.0 */
/* What the findings cost rests on figures, and an input may not show one. Each value that it may have is tried, in the
 * machine as it is and in the repaired one. If the findings cost nothing with one of them, the headline is a question.
 */
#include <limits.h>

#include "engine/diagnosis/arrange.h"
#include "engine/diagnosis/everything.h"
#include "engine/diagnosis/measure.h"
#include "engine/diagnosis/verdict.h"
#include "engine/trials/repair.h"

struct judging {
    const struct orr_patient *patient;
    const struct orr_diagnosis *diagnosis;
    struct orr_trials *trials;
};

/* The bus bandwidth of the machine with one value, as it is or with everything repaired. */
static enum orr_code measure_with(const struct judging *j, const struct orr_suppositions *of, uint32_t row,
                                  bool repaired, uint32_t hosts, struct orr_performance *ret_figures,
                                  struct orr_error *err)
{
    ORR_LOCAL_ARENA(scratch, 0);
    struct orr_variant variant;
    struct orr_analysis *answer;
    struct orr_error refused;
    ORR_NEED(scratch, err);
    const struct orr_chosen chosen = {repaired ? UINT32_MAX : 0, UINT32_MAX, 0};
    ORR_TRY(orr_repair_chosen(j->patient, j->diagnosis, chosen, scratch, &variant, err));
    orr_suppose(&variant, of, row);
    variant.query.hosts = hosts;
    variant.query.plan = true;
    ORR_TRY(orr_variant_analyze(j->trials, &variant, &answer, &refused, err));
    *ret_figures = (struct orr_performance){.known = answer};
    struct orr_performance all = {0};
    if (answer)
        orr_measure(answer, &all);
    ret_figures->value[ORR_COST_BUS_BW] = all.value[ORR_COST_BUS_BW];
    orr_analysis_free(answer);
    return ORR_OK;
}

/* On the hosts that the headline quotes, and on one: a loss there is a loss. */
static enum orr_code judge_with(void *judging, const struct orr_suppositions *of, uint32_t row,
                                struct orr_depends *ret_depends, bool *ret_judged, struct orr_error *err)
{
    const struct judging *j = judging;
    const uint32_t hosts = j->diagnosis->all.hosts;
    struct orr_measured now = {.hosts = {hosts, 1}, .fused = 1, .count = hosts > 1 ? 2 : 1}, repaired = now;
    if (!orr_trials_may_go_on(j->trials))
        return ORR_OK;
    for (uint32_t i = 0; i < now.count; i++) {
        ORR_TRY(measure_with(j, of, row, false, now.hosts[i], &now.figures[i], err));
        ORR_TRY(measure_with(j, of, row, true, now.hosts[i], &repaired.figures[i], err));
    }
    ret_depends->verdict = orr_cost_between(&now, &repaired).none ? ORR_VERDICT_HEALTHY : ORR_VERDICT_DEGRADED;
    ret_depends->bus_bw = now.figures[0].value[ORR_COST_BUS_BW];
    ret_depends->expected = repaired.figures[0].value[ORR_COST_BUS_BW];
    *ret_judged = now.figures[0].known && repaired.figures[0].known;
    return ORR_OK;
}

enum orr_code orr_diagnosis_depend(struct orr_diagnosis *diagnosis, const struct orr_patient *patient,
                                   struct orr_search_memo *memo, struct orr_error *err)
{
    struct orr_trials trials = {.left = {.analyses = 56, .steps = 20000000}, .memo = memo};
    struct judging judging = {patient, diagnosis, &trials};
    const struct orr_suppositions *of;
    struct orr_depends_list list;
    size_t at = 0;
    if (!diagnosis->has_all || diagnosis->all.none || diagnosis->all.figure != ORR_COST_BUS_BW ||
        patient->analysis->cluster)
        return ORR_OK;
    while ((of = orr_supposed(patient->analysis->given, UINT_MAX, false, &at))) {
        ORR_TRY(orr_depends_find(of, judge_with, &judging, &list, err));
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
