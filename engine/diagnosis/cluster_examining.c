/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/diagnosis/cluster_examining.h"

#include <string.h>

#include "engine/base/text.h"
#include "engine/cluster/again.h"
#include "engine/diagnosis/arrange.h"
#include "engine/diagnosis/everything.h"

/* The constants above bound the trials. */
static const struct orr_effort unlimited = {.analyses = UINT32_MAX, .steps = UINT64_MAX};

uint32_t orr_specimen_of(const struct orr_examining *e, uint32_t line)
{
    const struct orr_cluster_line *l = &e->cluster->lines[line];
    for (uint32_t s = 0; s < e->specimen_count && !l->gpus; s++)
        if (e->specimens[s].dump == l->dump)
            return s;
    return UINT32_MAX;
}

static void list_specimens(struct orr_examining *e)
{
    for (uint32_t l = 0; l < e->cluster->line_count; l++) {
        const struct orr_cluster_line *line = &e->cluster->lines[l];
        uint32_t s = orr_specimen_of(e, l);
        if (s == UINT32_MAX && !line->gpus && e->specimen_count < ORR_MOST_SPECIMENS) {
            s = e->specimen_count++;
            e->specimens[s] = (struct orr_specimen){.dump = line->dump, .repaired = line->dump};
        }
        if (s != UINT32_MAX)
            e->specimens[s].hosts += line->count;
    }
}

/* The answer for two hosts with this dump; NULL if there is none. The caller frees it. */
static enum orr_code analyze_two(struct orr_examining *e, const struct orr_dump *dump, struct orr_analysis **ret_answer,
                                 struct orr_error *err)
{
    const struct orr_query query = {.settings = e->cluster->settings, .hosts = 2, .plan = true};
    struct orr_error refused;
    return orr_trials_analyze(&e->trials, e->cluster->analysis, dump, &query, ret_answer, &refused, err);
}

/* The fault with these words, or a new one; NULL if there are too many. */
static struct orr_fault *fault_of(struct orr_examining *e, const struct orr_finding *finding, const char *what)
{
    for (uint32_t f = 0; f < e->fault_count; f++)
        if (e->faults[f].row.finding && !strcmp(e->faults[f].row.what, what))
            return &e->faults[f];
    if (e->fault_count == ORR_MOST_FAULTS) {
        e->left_out++;
        return NULL;
    }
    struct orr_fault *made = &e->faults[e->fault_count++];
    made->row = (struct orr_cluster_fault){
        .finding = finding,
        .what = what,
        .device = finding && finding->place_count ? finding->places[0].name : "",
        .remedy = finding ? finding->advice : "Compare the host with one of the others: `orrery compare`."};
    return made;
}

/* A finding that only the repaired machine shows gains nothing alone. */
static enum orr_code repair_alone(struct orr_examining *e, const struct orr_patient *patient,
                                  const struct orr_diagnosed *row, const struct orr_dump **ret_dump,
                                  struct orr_error *err)
{
    struct orr_variant variant;
    ORR_TRY(orr_patient_copy(patient, e->arena, &variant, err));
    if (!row->stage)
        orr_repair_find(row->finding->row->id)->apply(&variant);
    return orr_variant_dump(&variant, ret_dump, err);
}

/* A row of the specimen's diagnosis: a loss of bandwidth, or of GPUs, which no repair of the dump can bring back. */
static enum orr_code add_fault(struct orr_examining *e, uint32_t s, const struct orr_patient *patient,
                               const struct orr_diagnosis *diagnosis, uint32_t i, struct orr_error *err)
{
    const struct orr_diagnosed *row = &diagnosis->rows[i];
    const struct orr_finding *finding = row->finding;
    const bool of_gpus = row->has_cost && row->cost.figure == ORR_COST_GPUS;
    const bool of_bandwidth = row->repairs && orr_diagnosed_adds(row) && row->cost.figure == ORR_COST_BUS_BW;
    struct orr_variant variant;
    ORR_LOCAL_TEXT(clause, 1024);
    if (row->follows != UINT32_MAX || !(of_gpus || of_bandwidth))
        return ORR_OK;
    orr_text_printf(&clause, "%s: %s", finding->title, finding->detail);
    const char *what = orr_arena_strndup(e->arena, orr_text_data(&clause), clause.length);
    ORR_NEED(what, err);
    struct orr_fault *fault = fault_of(e, finding, what);
    if (!fault)
        return ORR_OK;
    fault->row.of_gpus = of_gpus;
    fault->repaired[s] = fault->rest[s] = e->specimens[s].dump;
    if (of_gpus)
        return ORR_OK;
    ORR_TRY(repair_alone(e, patient, row, &fault->repaired[s], err));
    ORR_TRY(orr_repair_chosen(patient, diagnosis, (struct orr_chosen){UINT32_MAX, i, 0}, e->arena, &variant, err));
    e->specimens[s].has_fault = true;
    return orr_variant_dump(&variant, &fault->rest[s], err);
}

/* Hosts that are right as they are, or else those of a type with better NICs. One such question is asked. */
static enum orr_code add_question(struct orr_examining *e, uint32_t s, const struct orr_patient *patient,
                                  const struct orr_diagnosed *row, struct orr_error *err)
{
    const char **asked = &e->question.row.what;
    if (!row->asks || !orr_diagnosed_costs(row))
        return ORR_OK;
    *asked = *asked ? *asked : row->finding->detail;
    return strcmp(*asked, row->finding->detail) ? ORR_OK : repair_alone(e, patient, row, &e->question.repaired[s], err);
}

/* Diagnoses the dump like a single machine, with the same repairs. */
static enum orr_code diagnose(struct orr_examining *e, uint32_t s, const struct orr_analysis *analysis,
                              struct orr_error *err)
{
    struct orr_specimen *own = &e->specimens[s];
    struct orr_patient patient;
    struct orr_diagnosis diagnosis;
    struct orr_variant all;
    struct orr_analysis *answer;
    ORR_TRY(orr_patient_read(&patient, analysis, e->arena, err));
    ORR_TRY(orr_diagnose(analysis, e->arena, &diagnosis, err));
    own->board = patient.machine.board;
    own->bw = own->best = orr_bandwidth_of(analysis);
    for (uint32_t i = 0; i < diagnosis.count; i++) {
        ORR_TRY(add_fault(e, s, &patient, &diagnosis, i, err));
        ORR_TRY(add_question(e, s, &patient, &diagnosis.rows[i], err));
    }
    if (!own->has_fault)
        return ORR_OK;
    ORR_TRY(
        orr_repair_chosen(&patient, &diagnosis, (struct orr_chosen){UINT32_MAX, UINT32_MAX, 0}, e->arena, &all, err));
    ORR_TRY(orr_variant_dump(&all, &own->repaired, err));
    ORR_TRY(analyze_two(e, own->repaired, &answer, err));
    own->best = answer ? orr_bandwidth_of(answer) : own->bw;
    orr_analysis_free(answer);
    return ORR_OK;
}

static enum orr_code examine(struct orr_examining *e, uint32_t s, struct orr_error *err)
{
    struct orr_analysis *analysis;
    ORR_TRY(analyze_two(e, e->specimens[s].dump, &analysis, err));
    e->specimens[s].examined = analysis != NULL;
    enum orr_code code = analysis ? diagnose(e, s, analysis, err) : ORR_OK;
    orr_analysis_free(analysis);
    return code;
}

/* A fault without a finding, tried by putting the hosts that these are compared with in their place. Faults of their
 * own hide it. */
static void replace_hosts(struct orr_examining *e, uint32_t s, const struct orr_dump *with, const char *what)
{
    struct orr_specimen *own = &e->specimens[s];
    struct orr_fault *fault = fault_of(e, NULL, what);
    if (!fault)
        return;
    fault->repaired[s] = own->has_fault ? own->dump : with;
    fault->rest[s] = own->repaired;
    own->repaired = with;
    own->replaced = true;
}

/* Hosts that differ from most, unless they are faster, or their own faults are all that slows them down. */
static void compare_with_most(struct orr_examining *e)
{
    const struct orr_specimen *most = &e->specimens[0];
    for (uint32_t s = 1; s < e->specimen_count; s++)
        if (e->specimens[s].hosts > most->hosts)
            most = &e->specimens[s];
    if (2 * most->hosts <= e->cluster->host_count)
        return;
    for (uint32_t s = 0; s < e->specimen_count; s++) {
        const struct orr_specimen *own = &e->specimens[s];
        if (own != most &&
            (own->has_fault ? own->best * ORR_LEAST_GAIN < most->best : own->bw <= most->bw * ORR_LEAST_GAIN))
            replace_hosts(e, s, most->repaired, "The hosts differ from most");
    }
}

/* Hosts that are equally slow: half of all or more, so that none of them differs from most. */
static void compare_with_fastest(struct orr_examining *e)
{
    for (uint32_t s = 0; s < e->specimen_count; s++) {
        const struct orr_specimen *own = &e->specimens[s], *best = NULL;
        if (!own->board || own->replaced)
            continue;
        for (uint32_t o = 0; o < e->specimen_count; o++)
            if (e->specimens[o].board == own->board &&
                e->specimens[o].bw > (best ? best->bw : own->best) * ORR_LEAST_GAIN)
                best = &e->specimens[o];
        if (best)
            replace_hosts(e, s, best->repaired, "The hosts are slower than others with the same GPUs");
    }
}

enum orr_code orr_cluster_examine(struct orr_examining *e, struct orr_error *err)
{
    e->trials = (struct orr_trials){.left = unlimited};
    ORR_NEED(e->faults = ORR_NEW(e->arena, struct orr_fault, ORR_MOST_FAULTS), err);
    if (orr_analysis_steps(e->cluster->analysis) > ORR_CLUSTER_AGAIN_STEPS)
        return ORR_OK;
    list_specimens(e);
    for (uint32_t s = 0; s < e->specimen_count; s++)
        ORR_TRY(examine(e, s, err));
    if (e->specimen_count) {
        compare_with_most(e);
        compare_with_fastest(e);
    }
    return ORR_OK;
}
