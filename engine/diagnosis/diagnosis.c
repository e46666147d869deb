/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/diagnosis/diagnosis.h"

#include <string.h>

#include "engine/base/budget.h"
#include "engine/cluster/again.h"
#include "engine/diagnosis/measure.h"
#include "engine/diagnosis/verdict.h"
#include "engine/diagnosis/without_hosts.h"
#include "engine/search/memo.h"
#include "engine/trials/repair.h"

/* What the trials of one diagnosis may cost together. 20 million steps of the search are about a second. */
static const struct orr_effort most_effort = {.analyses = 20, .steps = 20000000};

struct doctor {
    const struct orr_analysis *analysis;
    struct orr_arena *arena;
    struct orr_hardware_facts hw; /* of analysis->given */
    struct orr_machine machine;
    struct orr_groups groups;
    struct orr_trials trials;
    struct orr_measured now;
    struct orr_diagnosis *out;
    bool *gone; /* [repaired row * count + row]: the finding is gone with that repair */
};

static void count_hosts(const struct orr_query *query, struct orr_measured *measured)
{
    measured->hosts[measured->count++] = 1;
    measured->hosts[measured->count++] = 2;
    if (query->hosts > 2)
        measured->hosts[measured->count++] = query->hosts;
}

/* The figures of a question for a number of hosts; they stay unknown where it has no answer. *ret_analysis, where it is
 * not NULL, is the caller's. */
static enum orr_code try_hosts(struct doctor *d, const struct orr_dump *dump, const struct orr_settings *settings,
                               uint32_t hosts, bool plan, struct orr_performance *ret_figures,
                               struct orr_analysis **ret_analysis, struct orr_error *err)
{
    const struct orr_query query = {.settings = *settings, .hosts = hosts, .plan = plan};
    struct orr_analysis *answer;
    struct orr_error refused;
    ORR_TRY(orr_trials_analyze(&d->trials, d->analysis, dump, &query, &answer, &refused, err));
    if (answer)
        orr_measure(answer, ret_figures);
    if (ret_analysis)
        *ret_analysis = answer;
    else
        orr_analysis_free(answer);
    return ORR_OK;
}

/* The machine as it is, for the other numbers of hosts. */
static enum orr_code measure_now(struct doctor *d, struct orr_error *err)
{
    const struct orr_query *query = &d->analysis->query;
    count_hosts(query, &d->now);
    d->now.fused = d->analysis->built.host_count > 1 ? d->analysis->built.host_count : 1;
    for (uint32_t i = 0; i < d->now.count; i++)
        if (d->now.hosts[i] == query->hosts)
            orr_measure(d->analysis, &d->now.figures[i]);
        else if (orr_trials_may_go_on(&d->trials))
            ORR_TRY(try_hosts(d, d->analysis->given, &query->settings, d->now.hosts[i], true, &d->now.figures[i], NULL,
                              err));
    return ORR_OK;
}

/* Which findings are gone from a repaired machine. */
static enum orr_code note_gone(struct doctor *d, uint32_t row, const struct orr_analysis *repaired,
                               struct orr_error *err)
{
    ORR_LOCAL_ARENA(scratch, 0);
    struct orr_findings found;
    ORR_TRY(orr_find(repaired->dump, repaired, scratch, &found, err));
    for (uint32_t i = 0; i < d->out->count; i++) {
        bool there = false;
        for (uint32_t k = 0; k < found.count; k++)
            there |= found.rows[k].row == d->out->rows[i].finding->row;
        d->gone[(size_t)row * d->out->count + i] = !there;
    }
    return ORR_OK;
}

/* The repaired machine for each number of hosts; row UINT32_MAX: all repairs at once. */
static enum orr_code measure_repaired(struct doctor *d, struct orr_variant *variant, bool network_only, uint32_t row,
                                      struct orr_cost *ret_cost, struct orr_error *err)
{
    struct orr_measured repaired = d->now;
    const struct orr_dump *dump;
    ORR_TRY(orr_variant_dump(variant, &dump, err));
    for (uint32_t i = 0; i < repaired.count; i++) {
        bool asked = repaired.hosts[i] == d->analysis->query.hosts;
        struct orr_analysis *answer = NULL;
        repaired.figures[i].known = false;
        if (!d->now.figures[i].known || (network_only && repaired.hosts[i] == 1 && !asked) ||
            !orr_trials_may_go_on(&d->trials))
            continue;
        ORR_TRY(try_hosts(d, dump, &variant->query.settings, repaired.hosts[i], !asked || d->analysis->query.plan,
                          &repaired.figures[i], asked ? &answer : NULL, err));
        enum orr_code code = answer && row != UINT32_MAX ? note_gone(d, row, answer, err) : ORR_OK;
        orr_analysis_free(answer);
        ORR_TRY(code);
    }
    *ret_cost = orr_cost_between(&d->now, &repaired);
    return ORR_OK;
}

/* A copy of the machine, to be repaired; it comes from arena. */
static enum orr_code init_variant(const struct doctor *d, struct orr_variant *variant, struct orr_arena *arena,
                                  struct orr_error *err)
{
    orr_variant_init(variant, d->analysis, NULL, NULL, arena);
    variant->hw = &d->hw;
    variant->machine = &d->machine;
    variant->groups = &d->groups;
    ORR_NEED(orr_variant_copy(variant), err);
    return ORR_OK;
}

/* A GPU that is missing cannot be put back into the file; what is lost is the GPU itself. */
static bool count_gpus(const struct doctor *d, struct orr_diagnosed *row)
{
    if (strcmp(row->finding->row->id, "gpu-missing") != 0)
        return false;
    row->repair = "the GPUs that machines of this kind have";
    row->has_cost = true;
    row->cost = (struct orr_cost){
        .figure = ORR_COST_GPUS, .now = d->machine.gpus_here, .repaired = d->machine.gpus, .hosts = 1, .fused = 1};
    return true;
}

static enum orr_code try_repair(struct doctor *d, uint32_t index, struct orr_error *err)
{
    struct orr_diagnosed *row = &d->out->rows[index];
    const struct orr_repair *repair = orr_repair_find(row->finding->row->id);
    if (count_gpus(d, row) || !repair)
        return ORR_OK;
    row->repair = repair->what;
    row->of_file = repair->of_file;
    if (!orr_trials_may_go_on(&d->trials)) {
        row->not_tried = "the analyses allowed for costs are spent";
        return ORR_OK;
    }
    ORR_LOCAL_ARENA(scratch, 0);
    struct orr_variant variant;
    ORR_TRY(init_variant(d, &variant, scratch, err));
    repair->apply(&variant);
    ORR_NEED(!orr_arena_starved(scratch), err);
    enum orr_code code = ORR_OK;
    if (!variant.changed)
        row->not_tried = variant.refused ? variant.refused : "the file does not show what the device should have";
    else
        code = measure_repaired(d, &variant, repair->network_only, index, &row->cost, err);
    row->has_cost = code == ORR_OK && row->cost.hosts;
    if (variant.changed && !row->cost.hosts)
        row->not_tried = "no figures of the repaired machine could be computed";
    return code;
}

static bool costs(const struct orr_diagnosed *row)
{
    return row->has_cost && !row->cost.none;
}

/* All repairs in one machine, where more than one finding costs something. */
static enum orr_code try_all(struct doctor *d, struct orr_error *err)
{
    uint32_t costly = 0, only = 0;
    for (uint32_t i = 0; i < d->out->count; i++)
        if (costs(&d->out->rows[i]) && !d->out->rows[i].of_file && d->out->rows[i].cost.figure != ORR_COST_GPUS) {
            costly++;
            only = i;
        }
    if (costly == 1) {
        d->out->all = d->out->rows[only].cost;
        d->out->all_repair = d->out->rows[only].repair;
        d->out->has_all = true;
    }
    if (costly < 2 || !orr_trials_may_go_on(&d->trials))
        return ORR_OK;
    ORR_LOCAL_ARENA(scratch, 0);
    struct orr_variant variant;
    ORR_TRY(init_variant(d, &variant, scratch, err));
    for (uint32_t i = 0; i < d->out->count; i++) {
        const struct orr_repair *repair = orr_repair_find(d->out->rows[i].finding->row->id);
        if (repair && costs(&d->out->rows[i]) && !d->out->rows[i].of_file)
            repair->apply(&variant);
    }
    if (orr_arena_starved(scratch))
        return ORR_OK;
    ORR_TRY(measure_repaired(d, &variant, false, UINT32_MAX, &d->out->all, err));
    d->out->all_repair = "everything that costs something";
    d->out->has_all = d->out->all.hosts;
    return ORR_OK;
}

/* By its cost, where that is known: what costs nothing is a note, what costs something is at least a warning. NCCL's
 * errors stay errors. */
static void judge(struct orr_diagnosed *row)
{
    row->severity = row->finding->row->severity;
    if (!row->has_cost || row->of_file || row->severity == ORR_SEVERITY_ERROR)
        return;
    row->severity = row->cost.none ? ORR_SEVERITY_INFO : ORR_SEVERITY_WARNING;
}

/* The first finding present of those that explain row i by the table, UINT32_MAX: none. */
static uint32_t named_cause(const struct orr_diagnosis *out, uint32_t i)
{
    const struct orr_finding_row *row = out->rows[i].finding->row;
    for (size_t c = 0; c < ORR_MOST_CAUSES && row->follows_from[c]; c++)
        for (uint32_t k = 0; k < out->count; k++)
            if (!strcmp(out->rows[k].finding->row->id, row->follows_from[c]))
                return k;
    return UINT32_MAX;
}

/* A finding that is gone with the repair of a costlier one follows from it. */
static void fold(struct doctor *d)
{
    struct orr_diagnosis *out = d->out;
    for (uint32_t cause = 0; cause < out->count; cause++)
        for (uint32_t i = 0; costs(&out->rows[cause]) && i < out->count; i++) {
            struct orr_diagnosed *row = &out->rows[i];
            int order = costs(row) ? orr_cost_compare(&out->rows[cause].cost, &row->cost) : -1;
            /* What costs more is no consequence; of equal costs the first is the cause, so that there is no circle. */
            if (i == cause || !d->gone[(size_t)cause * out->count + i] || order > 0 || (order == 0 && i < cause))
                continue;
            if (row->follows == UINT32_MAX ||
                orr_cost_compare(&out->rows[cause].cost, &out->rows[row->follows].cost) < 0)
                row->follows = cause;
        }
    /* Without a cost of its own, a finding follows from the one that its row names. */
    for (uint32_t i = 0; i < out->count; i++)
        if (!out->rows[i].has_cost && out->rows[i].follows == UINT32_MAX)
            out->rows[i].follows = named_cause(out, i);
    /* A consequence of a consequence follows from its cause. Costs decrease from each to the next, and the table has no
     * circle (test_findings_input), so that it ends. */
    for (uint32_t i = 0; i < out->count; i++)
        while (out->rows[i].follows != UINT32_MAX && out->rows[out->rows[i].follows].follows != UINT32_MAX)
            out->rows[i].follows = out->rows[out->rows[i].follows].follows;
}

/* Whether row a comes before row b, both of them causes. */
static bool is_before(const struct orr_diagnosed *a, const struct orr_diagnosed *b)
{
    if (a->severity != b->severity)
        return a->severity < b->severity;
    if (costs(a) != costs(b))
        return costs(a);
    return costs(a) && orr_cost_compare(&a->cost, &b->cost) < 0;
}

/* Causes in their order, each followed by what follows from it. */
static bool put_in_order(struct doctor *d)
{
    struct orr_diagnosis *out = d->out;
    struct orr_diagnosed *rows = ORR_NEW(d->arena, struct orr_diagnosed, out->count);
    bool *placed = ORR_NEW(d->arena, bool, out->count);
    uint32_t count = 0;
    if (!out->count)
        return true;
    if (!rows || !placed)
        return false;
    while (count < out->count) {
        uint32_t first = UINT32_MAX;
        for (uint32_t i = 0; i < out->count; i++)
            if (!placed[i] && out->rows[i].follows == UINT32_MAX &&
                (first == UINT32_MAX || is_before(&out->rows[i], &out->rows[first])))
                first = i;
        if (first == UINT32_MAX) /* not reached: every consequence has a cause */
            return false;
        uint32_t cause = count;
        placed[first] = true;
        rows[count++] = out->rows[first];
        for (uint32_t i = 0; i < out->count; i++)
            if (!placed[i] && out->rows[i].follows == first) {
                placed[i] = true;
                rows[count] = out->rows[i];
                rows[count++].follows = cause;
            }
    }
    out->rows = rows;
    return true;
}

static enum orr_code try_each(struct doctor *d, struct orr_error *err)
{
    orr_budget_stage("costs of findings");
    for (uint32_t i = 0; i < d->out->count; i++)
        if (orr_repair_find(d->out->rows[i].finding->row->id)) {
            if (!d->now.count)
                ORR_TRY(measure_now(d, err));
            ORR_TRY(try_repair(d, i, err));
        } else {
            count_gpus(d, &d->out->rows[i]);
        }
    return try_all(d, err);
}

static enum orr_code try_repairs(struct doctor *d, struct orr_error *err)
{
    enum { MEMO_BYTES = 8 << 20 };
    d->trials.memo = orr_search_memo_new(MEMO_BYTES);
    enum orr_code code = try_each(d, err);
    orr_search_memo_free(d->trials.memo);
    return code;
}

static enum orr_code try_without_odd_hosts(struct doctor *d, struct orr_error *err)
{
    for (uint32_t i = 0; i < d->out->count; i++)
        if (!strcmp(d->out->rows[i].finding->row->id, "cluster-odd-host")) {
            ORR_TRY(orr_try_without_odd_hosts(d->analysis, d->arena, &d->out->rows[i], err));
            d->trials.made += d->out->rows[i].has_cost;
            d->out->all = d->out->rows[i].cost;
            d->out->all_repair = d->out->rows[i].repair;
            d->out->has_all = d->out->rows[i].has_cost && !d->out->all.none;
        }
    return ORR_OK;
}

enum orr_code orr_diagnose(const struct orr_analysis *analysis, struct orr_arena *arena,
                           struct orr_diagnosis *ret_diagnosis, struct orr_error *err)
{
    struct doctor d = {.analysis = analysis, .arena = arena, .trials = {.left = most_effort}, .out = ret_diagnosis};
    struct orr_findings *found = ORR_NEW(arena, struct orr_findings, 1);
    *ret_diagnosis = (struct orr_diagnosis){.sentence = "", .advice = "", .cause = UINT32_MAX};
    ORR_NEED(found && orr_hardware_read(analysis->given, arena, &d.hw) && orr_groups_find(&d.hw, arena, &d.groups),
             err);
    ORR_TRY(orr_find(analysis->dump, analysis, arena, found, err));
    orr_machine_recognise(&d.hw, &d.machine);
    ret_diagnosis->rows = ORR_NEW(arena, struct orr_diagnosed, found->count);
    d.gone = ORR_NEW(arena, bool, (size_t)found->count * found->count);
    if (found->count && (!ret_diagnosis->rows || !d.gone))
        return orr_fail_nomem(err);
    ret_diagnosis->count = found->count;
    for (uint32_t i = 0; i < found->count; i++)
        ret_diagnosis->rows[i] = (struct orr_diagnosed){
            .finding = &found->rows[i], .severity = found->rows[i].row->severity, .follows = UINT32_MAX};
    /* In a cluster no host is repaired, as its dump alone says nothing about the others: those that differ from most
     * are left out. */
    if (analysis->cluster)
        ORR_TRY(try_without_odd_hosts(&d, err));
    else
        ORR_TRY(try_repairs(&d, err));
    for (uint32_t i = 0; i < ret_diagnosis->count; i++)
        judge(&ret_diagnosis->rows[i]);
    fold(&d);
    ORR_NEED(put_in_order(&d), err);
    ret_diagnosis->analyses = d.trials.made;
    return orr_verdict_write(ret_diagnosis, analysis, arena, err);
}
