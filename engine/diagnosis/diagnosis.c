/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/diagnosis/diagnosis.h"

#include <string.h>

#include "engine/base/budget.h"
#include "engine/diagnosis/arrange.h"
#include "engine/diagnosis/everything.h"
#include "engine/diagnosis/measure.h"
#include "engine/diagnosis/verdict.h"
#include "engine/diagnosis/without_hosts.h"
#include "engine/search/memo.h"
#include "engine/trials/repair.h"

/* The budget of all trials of one diagnosis. 20 million steps of the search take about a second. */
static const struct orr_effort most_effort = {.analyses = 40, .steps = 20000000};

struct doctor {
    const struct orr_analysis *analysis;
    struct orr_arena *arena;
    struct orr_patient patient;
    struct orr_trials trials;
    struct orr_measured now;
    struct orr_diagnosis *out;
    bool *gone; /* [repaired row * room + row]: the finding is gone with that repair */
    uint32_t room;
};

static void count_hosts(const struct orr_query *query, struct orr_measured *measured)
{
    measured->hosts[measured->count++] = 1;
    measured->hosts[measured->count++] = 2;
    if (query->hosts > 2)
        measured->hosts[measured->count++] = query->hosts;
}

/* The figures of a question for a number of hosts; they stay unknown if the question has no answer. If *ret_analysis is
 * not NULL, the caller owns it. */
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

/* Which findings a repaired machine no longer has. */
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
        d->gone[(size_t)row * d->room + i] = !there;
    }
    return ORR_OK;
}

/* The repaired machine for each number of hosts; row UINT32_MAX: all repairs at once. */
static enum orr_code measure_repaired(struct doctor *d, struct orr_variant *variant, bool network_only, uint32_t row,
                                      struct orr_measured *repaired, struct orr_error *err)
{
    const struct orr_dump *dump;
    *repaired = d->now;
    ORR_TRY(orr_variant_dump(variant, &dump, err));
    for (uint32_t i = 0; i < repaired->count; i++) {
        bool asked = repaired->hosts[i] == d->analysis->query.hosts;
        struct orr_analysis *answer = NULL;
        repaired->figures[i].known = false;
        if (!d->now.figures[i].known || (network_only && repaired->hosts[i] == 1 && !asked) ||
            !orr_trials_may_go_on(&d->trials))
            continue;
        ORR_TRY(try_hosts(d, dump, &variant->query.settings, repaired->hosts[i], !asked || d->analysis->query.plan,
                          &repaired->figures[i], asked ? &answer : NULL, err));
        enum orr_code code = answer && row != UINT32_MAX ? note_gone(d, row, answer, err) : ORR_OK;
        orr_analysis_free(answer);
        ORR_TRY(code);
    }
    return ORR_OK;
}

/* A missing GPU cannot be put back into the file; the loss is the GPU itself. */
static bool count_gpus(const struct doctor *d, struct orr_diagnosed *row)
{
    if (strcmp(row->finding->row->id, "gpu-missing") != 0)
        return false;
    const struct orr_machine *machine = &d->patient.machine;
    const bool nearly = machine->nearly.differs == ORR_DIFFERS_GPUS;
    row->repair = "the GPUs that machines of this kind have";
    row->has_cost = true;
    row->cost = (struct orr_cost){.figure = ORR_COST_GPUS,
                                  .now = nearly ? machine->nearly.here : machine->gpus_here,
                                  .repaired = nearly ? machine->nearly.there : machine->gpus,
                                  .hosts = 1,
                                  .fused = 1};
    row->cost.all_repaired = row->cost.repaired;
    return true;
}

static enum orr_code try_repair(struct doctor *d, uint32_t index, struct orr_error *err)
{
    struct orr_diagnosed *row = &d->out->rows[index];
    const struct orr_repair *repair = orr_repair_find(row->finding->row->id);
    if (count_gpus(d, row) || !repair)
        return ORR_OK;
    row->repair = repair->what;
    row->of_file = repair->kind & ORR_REPAIR_OF_FILE;
    row->asks = repair->kind & ORR_REPAIR_ASKS;
    if (!orr_trials_may_go_on(&d->trials)) {
        row->not_tried = "the limit on analyses for costs was reached";
        return ORR_OK;
    }
    ORR_LOCAL_ARENA(scratch, 0);
    struct orr_variant variant;
    ORR_TRY(orr_patient_copy(&d->patient, scratch, &variant, err));
    repair->apply(&variant);
    ORR_NEED(!orr_arena_starved(scratch), err);
    if (!variant.changed) {
        row->not_tried = variant.refused ? variant.refused : "the file does not show what the device should have";
        return ORR_OK;
    }
    struct orr_measured repaired;
    ORR_TRY(measure_repaired(d, &variant, repair->kind & ORR_REPAIR_NETWORK, index, &repaired, err));
    if (repair->kind & ORR_REPAIR_SUPPOSES) {
        row->supposed = orr_cost_between(&repaired, &d->now);
        return ORR_OK;
    }
    row->cost = orr_cost_between(&d->now, &repaired);
    row->has_cost = row->cost.hosts;
    row->repairs = row->has_cost && !row->of_file && !row->asks;
    row->not_tried = row->has_cost ? NULL : "no figures of the repaired machine could be computed";
    return ORR_OK;
}

/* The machine with the repairs of the chosen rows together. */
static enum orr_code try_together(struct doctor *d, struct orr_chosen chosen, struct orr_measured *ret_repaired,
                                  struct orr_error *err)
{
    ORR_LOCAL_ARENA(scratch, 0);
    struct orr_variant variant;
    ORR_NEED(scratch, err);
    ORR_TRY(orr_repair_chosen(&d->patient, d->out, chosen, scratch, &variant, err));
    return measure_repaired(d, &variant, false, UINT32_MAX, ret_repaired, err);
}

/* The bus bandwidth for a number of hosts with a repair, or as it is if the repair changes nothing. */
static double bus_bw_with(const struct orr_cost *cost, const struct orr_cost *all)
{
    for (uint32_t i = 0; i < cost->change_count; i++)
        if (cost->changes[i].figure == ORR_COST_BUS_BW && cost->changes[i].hosts == all->hosts)
            return cost->changes[i].repaired;
    return all->now;
}

static double bus_bw_of(const struct orr_measured *measured, uint32_t hosts)
{
    for (uint32_t i = 0; i < measured->count; i++)
        if (measured->hosts[i] == hosts && measured->figures[i].known)
            return measured->figures[i].value[ORR_COST_BUS_BW];
    return 0;
}

/* Another fault may limit the bandwidth as well, so that a repair gains nothing alone. How much do all other repairs
 * gain without it? */
static enum orr_code try_without(struct doctor *d, uint32_t index, struct orr_error *err)
{
    static const double least = 0.01;
    const struct orr_cost *all = &d->out->all;
    struct orr_diagnosed *row = &d->out->rows[index];
    struct orr_measured without;
    if (!row->repairs || bus_bw_with(&row->cost, all) > (1 + least) * all->now || !orr_trials_may_go_on(&d->trials))
        return ORR_OK;
    ORR_TRY(try_together(d, (struct orr_chosen){UINT32_MAX, index, 0}, &without, err));
    const double rest = bus_bw_of(&without, all->hosts);
    if (rest <= 0 || rest > (1 - least) * all->repaired)
        return ORR_OK;
    if (!orr_diagnosed_costs(row) || row->cost.figure != ORR_COST_BUS_BW) {
        row->cost.figure = ORR_COST_BUS_BW;
        row->cost.now = row->cost.repaired = all->now;
        row->cost.hosts = all->hosts;
        row->cost.fused = all->fused;
        row->cost.none = false;
        row->has_cost = true;
    }
    row->cost.together = true;
    return ORR_OK;
}

/* Leaves out a finding that only the repaired machine shows, and that costs nothing there. */
static void leave_out_harmless(struct orr_diagnosis *out)
{
    for (uint32_t i = out->count; i-- > 0 && out->rows[i].stage;)
        if (!out->rows[i].has_cost)
            memmove(&out->rows[i], &out->rows[i + 1], (--out->count - i) * sizeof out->rows[i]);
}

static uint32_t count_repairs(const struct orr_diagnosis *out, bool costly, uint32_t *ret_only)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < out->count; i++)
        if (costly ? orr_diagnosed_adds(&out->rows[i]) : out->rows[i].repairs) {
            count++;
            *ret_only = i;
        }
    return count;
}

/* Makes all repairs in one machine, which every cost refers to. */
static enum orr_code try_all(struct doctor *d, struct orr_error *err)
{
    struct orr_measured all;
    uint32_t only = 0;
    if (!count_repairs(d->out, false, &only))
        return ORR_OK;
    ORR_TRY(orr_find_hidden(&d->patient, d->out, &d->trials, d->arena, err));
    if ((count_repairs(d->out, false, &only) < 2 && !d->out->stages) || !orr_trials_may_go_on(&d->trials)) {
        d->out->has_all = count_repairs(d->out, true, &only) == 1;
        if (d->out->has_all) {
            d->out->all = d->out->rows[only].cost;
            d->out->all_repair = d->out->rows[only].repair;
        }
        return ORR_OK;
    }
    ORR_TRY(try_together(d, (struct orr_chosen){UINT32_MAX, UINT32_MAX, 0}, &all, err));
    d->out->all = orr_cost_between(&d->now, &all);
    for (uint32_t i = 0; i < d->out->count && d->out->all.figure == ORR_COST_BUS_BW && !d->out->all.none; i++)
        ORR_TRY(try_without(d, i, err));
    leave_out_harmless(d->out);
    const uint32_t costly = count_repairs(d->out, true, &only);
    d->out->all_repair = costly == 1 ? d->out->rows[only].repair : "everything that costs something";
    d->out->has_all = costly && d->out->all.hosts;
    for (uint32_t i = 0; i < d->out->count; i++)
        orr_cost_refer(&d->out->rows[i].cost, &all);
    return ORR_OK;
}

/* Whether a repair has a turn of its own in what follows. */
static bool adds(const struct orr_diagnosed *row)
{
    return orr_diagnosed_adds(row) && row->follows == UINT32_MAX && row->cost.figure == ORR_COST_BUS_BW;
}

/* What each repair adds once the costlier findings before it are repaired. The first adds what it gains alone, the last
 * the remainder; those between them are tried together with the ones before. */
static enum orr_code find_gains(struct doctor *d, struct orr_error *err)
{
    static const double least = 0.005; /* a smaller gain would be printed as 0 */
    const struct orr_cost *all = &d->out->all;
    uint32_t last = UINT32_MAX;
    double reached = all->now;
    if (!d->out->has_all || all->none || all->figure != ORR_COST_BUS_BW)
        return ORR_OK;
    for (uint32_t i = 0; i < d->out->count; i++)
        if (adds(&d->out->rows[i]))
            last = i;
    for (uint32_t i = 0, turn = 0; i <= last && last != UINT32_MAX; i++) {
        struct orr_diagnosed *row = &d->out->rows[i];
        struct orr_measured repaired = {0};
        double with = i == last ? all->repaired : bus_bw_with(&row->cost, all);
        if (!adds(row))
            continue;
        if (turn++ && i != last && orr_trials_may_go_on(&d->trials))
            ORR_TRY(try_together(d, (struct orr_chosen){i + 1, UINT32_MAX, 0}, &repaired, err));
        for (uint32_t h = 0; h < repaired.count; h++)
            if (repaired.hosts[h] == all->hosts && repaired.figures[h].known)
                with = repaired.figures[h].value[ORR_COST_BUS_BW];
        row->cost.gain = with > reached ? with - reached : 0;
        row->cost.has_gain = row->cost.gain > least * all->repaired;
        reached += row->cost.gain;
    }
    return ORR_OK;
}

/* The severity follows the cost if it is known: a finding that costs nothing is a note, and one that costs something is
 * at least a warning. NCCL's errors stay errors. */
static void judge(struct orr_diagnosed *row)
{
    row->severity = row->finding->row->severity;
    if (row->supposed.hosts && row->supposed.none)
        row->severity = ORR_SEVERITY_INFO; /* it makes no difference */
    if (!row->has_cost || row->of_file || row->asks || row->severity == ORR_SEVERITY_ERROR)
        return;
    row->severity = row->cost.none ? ORR_SEVERITY_INFO : ORR_SEVERITY_WARNING;
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

/* In a cluster no host is repaired, because its dump alone says nothing about the others. Hosts that differ from most
 * are left out instead. */
static enum orr_code try_all_repairs(struct doctor *d, struct orr_error *err)
{
    ORR_TRY(d->analysis->cluster ? try_without_odd_hosts(d, err) : try_each(d, err));
    for (uint32_t i = 0; i < d->out->count; i++)
        judge(&d->out->rows[i]);
    ORR_NEED(orr_diagnosis_arrange(d->out, d->gone, d->room, d->arena), err);
    return find_gains(d, err);
}

enum orr_code orr_diagnose(const struct orr_analysis *analysis, struct orr_arena *arena,
                           struct orr_diagnosis *ret_diagnosis, struct orr_error *err)
{
    struct doctor d = {.analysis = analysis, .arena = arena, .trials = {.left = most_effort}, .out = ret_diagnosis};
    struct orr_findings *found = ORR_NEW(arena, struct orr_findings, 1);
    *ret_diagnosis = (struct orr_diagnosis){.sentence = "", .advice = "", .cause = UINT32_MAX};
    ORR_NEED(found, err);
    ORR_TRY(orr_patient_read(&d.patient, analysis, arena, err));
    ORR_TRY(orr_find(analysis->dump, analysis, arena, found, err));
    d.room = found->count + ORR_MOST_HIDDEN;
    ret_diagnosis->rows = ORR_NEW(arena, struct orr_diagnosed, d.room);
    d.gone = ORR_NEW(arena, bool, (size_t)d.room *d.room);
    ORR_NEED(ret_diagnosis->rows && d.gone, err);
    ret_diagnosis->count = found->count;
    for (uint32_t i = 0; i < found->count; i++)
        ret_diagnosis->rows[i] = (struct orr_diagnosed){
            .finding = &found->rows[i], .severity = found->rows[i].row->severity, .follows = UINT32_MAX};
    enum { MEMO_BYTES = 8 << 20 };
    d.trials.memo = analysis->cluster ? NULL : orr_search_memo_new(MEMO_BYTES);
    enum orr_code code = try_all_repairs(&d, err);
    if (code == ORR_OK)
        code = orr_diagnosis_depend(ret_diagnosis, &d.patient, d.trials.memo, err);
    orr_search_memo_free(d.trials.memo);
    ORR_TRY(code);
    ret_diagnosis->analyses = d.trials.made;
    return orr_verdict_write(ret_diagnosis, analysis, &d.patient.machine, arena, err);
}
