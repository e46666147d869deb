/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/diagnosis/cluster_faults.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/sorting.h"
#include "engine/cluster/again.h"
#include "engine/diagnosis/arrange.h"
#include "engine/diagnosis/everything.h"
#include "engine/diagnosis/measure.h"
#include "engine/diagnosis/verdict.h"

enum {
    MOST_DUMPS = 32, /* that are examined: the first of the description */
    MOST_FAULTS = 24 /* that are tried */
};

static const double LEAST = 1.01; /* times the figure as it is: a smaller gain does not count */

/* The constants above bound the trials. */
static const struct orr_effort unlimited = {.analyses = UINT32_MAX, .steps = UINT64_MAX};

/* A dump of the cluster, and its repaired copies. */
struct specimen {
    const struct orr_dump *dump, *repaired; /* repaired: of everything; the same if it has no fault */
    uint32_t hosts;
    bool examined, has_fault, replaced;
    const struct orr_gpu_board *board; /* of its GPUs */
    double bw, best;                   /* what two such hosts get, as they are and with their own repairs */
};

struct fault {
    struct orr_cluster_fault row;
    /* [specimen]: with this fault alone repaired, and with all but this one; NULL if it does not have the fault */
    const struct orr_dump *repaired[MOST_DUMPS], *rest[MOST_DUMPS];
};

struct examining {
    const struct orr_cluster *cluster;
    struct orr_arena *arena;
    struct specimen specimens[MOST_DUMPS];
    uint32_t specimen_count;
    struct orr_trials trials;
    struct fault *faults; /* [MOST_FAULTS] */
    uint32_t fault_count, left_out;
};

static uint32_t specimen_of(const struct examining *e, uint32_t line)
{
    const struct orr_cluster_line *l = &e->cluster->lines[line];
    for (uint32_t s = 0; s < e->specimen_count && !l->gpus; s++)
        if (e->specimens[s].dump == l->dump)
            return s;
    return UINT32_MAX;
}

static void list_specimens(struct examining *e)
{
    for (uint32_t l = 0; l < e->cluster->line_count; l++) {
        const struct orr_cluster_line *line = &e->cluster->lines[l];
        uint32_t s = specimen_of(e, l);
        if (s == UINT32_MAX && !line->gpus && e->specimen_count < MOST_DUMPS) {
            s = e->specimen_count++;
            e->specimens[s] = (struct specimen){.dump = line->dump, .repaired = line->dump};
        }
        if (s != UINT32_MAX)
            e->specimens[s].hosts += line->count;
    }
}

/* The answer for two hosts with this dump; NULL if there is none. The caller frees it. */
static enum orr_code analyze_two(struct examining *e, const struct orr_dump *dump, struct orr_analysis **ret_answer,
                                 struct orr_error *err)
{
    const struct orr_query query = {.settings = e->cluster->settings, .hosts = 2, .plan = true};
    struct orr_error refused;
    return orr_trials_analyze(&e->trials, e->cluster->analysis, dump, &query, ret_answer, &refused, err);
}

static double bandwidth_of(const struct orr_analysis *analysis)
{
    struct orr_performance figures;
    orr_measure(analysis, &figures);
    return figures.value[ORR_COST_BUS_BW];
}

/* The cluster with other dumps for its specimens, without the hosts of those whose dump is NULL. */
static enum orr_code bandwidth_with(const struct examining *e, const struct orr_dump *const dumps[MOST_DUMPS],
                                    double *ret_bw, bool *ret_known, struct orr_error *err)
{
    const struct orr_cluster *c = e->cluster;
    ORR_LOCAL_ARENA(scratch, 0);
    struct orr_cluster_line *lines = ORR_NEW(scratch, struct orr_cluster_line, c->line_count);
    uint32_t count = 0;
    *ret_known = false;
    ORR_NEED(lines, err);
    for (uint32_t l = 0; l < c->line_count; l++) {
        const uint32_t s = specimen_of(e, l);
        lines[count] = c->lines[l];
        if (s != UINT32_MAX)
            lines[count].dump = dumps[s];
        count += lines[count].dump != NULL;
    }
    if (!count || (count < c->line_count && c->order == ORR_ORDER_LIST))
        return ORR_OK;
    const struct orr_cluster_request request = {.lines = lines,
                                                .line_count = count,
                                                .order = c->order,
                                                .host_of_rank = c->host_of_rank,
                                                .listed_ranks = c->host_of_rank ? c->rank_count : 0,
                                                .settings = c->settings,
                                                .plan = true};
    struct orr_cluster *answer;
    struct orr_error refused = {0};
    enum orr_code code = orr_cluster_analyze(&request, &answer, &refused);
    if (code == ORR_NOMEM || code == ORR_SPENT) {
        *err = refused;
        return code;
    }
    if (code != ORR_OK)
        return ORR_OK;
    *ret_bw = bandwidth_of(answer->analysis);
    *ret_known = true;
    orr_cluster_free(answer);
    return ORR_OK;
}

/* The fault with these words, a new one if there is none; NULL if there are too many. */
static struct fault *fault_of(struct examining *e, const struct orr_finding *finding, const char *what)
{
    for (uint32_t f = 0; f < e->fault_count; f++)
        if (e->faults[f].row.finding && !strcmp(e->faults[f].row.what, what))
            return &e->faults[f];
    if (e->fault_count == MOST_FAULTS) {
        e->left_out++;
        return NULL;
    }
    struct fault *made = &e->faults[e->fault_count++];
    made->row = (struct orr_cluster_fault){
        .finding = finding,
        .what = what,
        .device = finding && finding->place_count ? finding->places[0].name : "",
        .remedy = finding ? finding->advice : "Compare the host with one of the others: `orrery compare`."};
    return made;
}

/* A row of the specimen's diagnosis. What only the repaired machine shows gains nothing alone. */
static enum orr_code add_fault(struct examining *e, uint32_t s, const struct orr_patient *patient,
                               const struct orr_diagnosis *diagnosis, uint32_t i, struct orr_error *err)
{
    const struct orr_diagnosed *row = &diagnosis->rows[i];
    const struct orr_finding *finding = row->finding;
    struct orr_variant variant;
    ORR_LOCAL_TEXT(clause, 1024);
    if (!row->repairs || row->follows != UINT32_MAX || !orr_diagnosed_adds(row) || row->cost.figure != ORR_COST_BUS_BW)
        return ORR_OK;
    orr_text_printf(&clause, "%s: %s", finding->title, finding->detail);
    const char *what = orr_arena_strndup(e->arena, orr_text_data(&clause), clause.length);
    ORR_NEED(what, err);
    struct fault *fault = fault_of(e, finding, what);
    if (!fault)
        return ORR_OK;
    ORR_TRY(orr_patient_copy(patient, e->arena, &variant, err));
    if (!row->stage)
        orr_repair_find(finding->row->id)->apply(&variant);
    ORR_TRY(orr_variant_dump(&variant, &fault->repaired[s], err));
    ORR_TRY(orr_repair_chosen(patient, diagnosis, (struct orr_chosen){UINT32_MAX, i, 0}, e->arena, &variant, err));
    e->specimens[s].has_fault = true;
    return orr_variant_dump(&variant, &fault->rest[s], err);
}

/* The same diagnosis as that of a single machine, with the same repairs. */
static enum orr_code diagnose(struct examining *e, uint32_t s, const struct orr_analysis *analysis,
                              struct orr_error *err)
{
    struct specimen *own = &e->specimens[s];
    struct orr_patient patient;
    struct orr_diagnosis diagnosis;
    struct orr_variant all;
    struct orr_analysis *answer;
    ORR_TRY(orr_patient_read(&patient, analysis, e->arena, err));
    ORR_TRY(orr_diagnose(analysis, e->arena, &diagnosis, err));
    own->board = patient.machine.board;
    own->bw = own->best = bandwidth_of(analysis);
    for (uint32_t i = 0; i < diagnosis.count; i++)
        ORR_TRY(add_fault(e, s, &patient, &diagnosis, i, err));
    if (!own->has_fault)
        return ORR_OK;
    ORR_TRY(
        orr_repair_chosen(&patient, &diagnosis, (struct orr_chosen){UINT32_MAX, UINT32_MAX, 0}, e->arena, &all, err));
    ORR_TRY(orr_variant_dump(&all, &own->repaired, err));
    ORR_TRY(analyze_two(e, own->repaired, &answer, err));
    own->best = answer ? bandwidth_of(answer) : own->bw;
    orr_analysis_free(answer);
    return ORR_OK;
}

static enum orr_code examine(struct examining *e, uint32_t s, struct orr_error *err)
{
    struct orr_analysis *analysis;
    ORR_TRY(analyze_two(e, e->specimens[s].dump, &analysis, err));
    e->specimens[s].examined = analysis != NULL;
    enum orr_code code = analysis ? diagnose(e, s, analysis, err) : ORR_OK;
    orr_analysis_free(analysis);
    return code;
}

/* A fault without a finding: in place of these hosts, those that they are compared with. Faults of their own hide it.
 */
static void replace_hosts(struct examining *e, uint32_t s, const struct orr_dump *with, const char *what)
{
    struct specimen *own = &e->specimens[s];
    struct fault *fault = fault_of(e, NULL, what);
    if (!fault)
        return;
    fault->repaired[s] = own->has_fault ? own->dump : with;
    fault->rest[s] = own->repaired;
    own->repaired = with;
    own->replaced = true;
}

/* Hosts that differ from most, unless they are faster, or their own faults are all that slows them down. */
static void compare_with_most(struct examining *e)
{
    const struct specimen *most = &e->specimens[0];
    for (uint32_t s = 1; s < e->specimen_count; s++)
        if (e->specimens[s].hosts > most->hosts)
            most = &e->specimens[s];
    if (2 * most->hosts <= e->cluster->host_count)
        return;
    for (uint32_t s = 0; s < e->specimen_count; s++) {
        const struct specimen *own = &e->specimens[s];
        if (own != most && (own->has_fault ? own->best * LEAST < most->best : own->bw <= most->bw * LEAST))
            replace_hosts(e, s, most->repaired, "The hosts differ from most");
    }
}

/* Hosts that are slow alike: half of them or most, so that none of them differs from most. */
static void compare_with_fastest(struct examining *e)
{
    for (uint32_t s = 0; s < e->specimen_count; s++) {
        const struct specimen *own = &e->specimens[s], *best = NULL;
        if (!own->board || own->replaced)
            continue;
        for (uint32_t o = 0; o < e->specimen_count; o++)
            if (e->specimens[o].board == own->board && e->specimens[o].bw > (best ? best->bw : own->best) * LEAST)
                best = &e->specimens[o];
        if (best)
            replace_hosts(e, s, best->repaired, "The hosts are slower than others with the same GPUs");
    }
}

/* The hosts that have the fault: all of the lines with its dumps. */
static enum orr_code list_hosts(struct examining *e, struct fault *fault, struct orr_error *err)
{
    const struct orr_cluster *c = e->cluster;
    uint32_t *hosts = ORR_NEW(e->arena, uint32_t, c->host_count);
    ORR_NEED(hosts, err);
    for (uint32_t h = 0; h < c->host_count; h++) {
        const uint32_t s = specimen_of(e, c->hosts[h].line);
        if (s != UINT32_MAX && fault->repaired[s])
            hosts[fault->row.host_count++] = h;
    }
    fault->row.hosts = hosts;
    return ORR_OK;
}

static enum orr_code measure_fault(struct examining *e, struct fault *fault, struct orr_error *err)
{
    const struct orr_dump *fixed[MOST_DUMPS] = {0}, *drained[MOST_DUMPS] = {0};
    for (uint32_t s = 0; s < e->specimen_count; s++) {
        fixed[s] = fault->repaired[s] ? fault->repaired[s] : e->specimens[s].dump;
        drained[s] = fault->repaired[s] ? NULL : e->specimens[s].dump;
    }
    ORR_TRY(list_hosts(e, fault, err));
    ORR_TRY(bandwidth_with(e, fixed, &fault->row.fixed, &fault->row.has_fixed, err));
    if (fault->row.host_count + 1 >= e->cluster->host_count) /* a job on one host is another question */
        return ORR_OK;
    return bandwidth_with(e, drained, &fault->row.drained, &fault->row.has_drained, err);
}

/* Another fault, of the same host or of another one, may limit as well: what do all other repairs gain without it? */
static enum orr_code measure_rest(struct examining *e, struct fault *fault, const struct orr_cluster_faults *out,
                                  struct orr_error *err)
{
    const struct orr_dump *rest[MOST_DUMPS] = {0};
    double without = 0;
    bool known = false;
    if (!fault->row.has_fixed || fault->row.fixed >= out->now * LEAST || out->repaired < out->now * LEAST)
        return ORR_OK;
    for (uint32_t s = 0; s < e->specimen_count; s++)
        rest[s] = fault->rest[s] ? fault->rest[s] : e->specimens[s].repaired;
    ORR_TRY(bandwidth_with(e, rest, &without, &known, err));
    fault->row.together = known && without * LEAST <= out->repaired;
    return ORR_OK;
}

/* It costs this cluster something, as far as Orrery could try it. */
static bool costs(const struct orr_cluster_fault *row, double now)
{
    return !row->has_fixed || row->together || row->fixed >= now * LEAST || row->drained >= now * LEAST;
}

/* What gains most alone, then what gains most by being drained. */
ORR_COMPARATOR(compare_faults, struct orr_cluster_fault, ORR_ORDER(b->fixed, a->fixed),
               ORR_ORDER(b->drained, a->drained), strcmp(a->what, b->what))

/* Hosts of dumps that could not be analysed alone, of which only some GPUs take part, or that were too many. */
static uint32_t count_unexamined(const struct examining *e)
{
    uint32_t count = e->cluster->host_count;
    for (uint32_t s = 0; s < e->specimen_count; s++)
        count -= e->specimens[s].examined ? e->specimens[s].hosts : 0;
    return count;
}

static enum orr_code write_answer(struct examining *e, struct orr_cluster_faults *out, struct orr_error *err)
{
    struct orr_cluster_fault *rows = ORR_NEW(e->arena, struct orr_cluster_fault, e->fault_count + 1);
    enum { AT_FAULT = 1, COSTS };
    unsigned char *standing = ORR_NEW(e->arena, unsigned char, e->cluster->host_count);
    ORR_NEED(rows && standing, err);
    out->left_out = e->left_out;
    for (uint32_t f = 0; f < e->fault_count; f++) {
        const struct orr_cluster_fault *row = &e->faults[f].row;
        const bool costly = costs(row, out->now);
        if (!row->finding && !costly)
            continue; /* another machine, as good as most */
        rows[out->count++] = *row;
        for (uint32_t i = 0; i < row->host_count; i++) {
            const uint32_t host = row->hosts[i];
            out->hosts_at_fault += !standing[host];
            out->hosts_that_cost += costly && standing[host] != COSTS;
            standing[host] = costly ? COSTS : standing[host] ? standing[host] : AT_FAULT;
        }
    }
    qsort(rows, out->count, sizeof *rows, compare_faults);
    out->rows = rows;
    return orr_verdict_of_cluster(e->cluster, count_unexamined(e), e->arena, out, err);
}

enum orr_code orr_cluster_faults_find(const struct orr_cluster *cluster, struct orr_arena *arena,
                                      struct orr_cluster_faults *ret_faults, struct orr_error *err)
{
    struct examining e = {.cluster = cluster, .arena = arena, .trials = {.left = unlimited}};
    const struct orr_dump *repaired[MOST_DUMPS];
    bool known = false;
    *ret_faults = (struct orr_cluster_faults){0};
    ORR_NEED(e.faults = ORR_NEW(arena, struct fault, MOST_FAULTS), err);
    orr_budget_stage("faults of the cluster's hosts");
    ret_faults->now = ret_faults->repaired = bandwidth_of(cluster->analysis);
    if (orr_analysis_steps(cluster->analysis) <= ORR_CLUSTER_AGAIN_STEPS)
        list_specimens(&e);
    for (uint32_t s = 0; s < e.specimen_count; s++)
        ORR_TRY(examine(&e, s, err));
    if (e.specimen_count) {
        compare_with_most(&e);
        compare_with_fastest(&e);
    }
    for (uint32_t f = 0; f < e.fault_count; f++)
        ORR_TRY(measure_fault(&e, &e.faults[f], err));
    for (uint32_t s = 0; s < e.specimen_count; s++)
        repaired[s] = e.specimens[s].repaired;
    if (e.fault_count)
        ORR_TRY(bandwidth_with(&e, repaired, &ret_faults->repaired, &known, err));
    if (ret_faults->repaired < ret_faults->now)
        ret_faults->repaired = ret_faults->now;
    for (uint32_t f = 0; f < e.fault_count; f++)
        ORR_TRY(measure_rest(&e, &e.faults[f], ret_faults, err));
    return write_answer(&e, ret_faults, err);
}
