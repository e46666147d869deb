/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/diagnosis/cluster_faults.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/sorting.h"
#include "engine/cluster/again.h"
#include "engine/diagnosis/diagnosis.h"
#include "engine/diagnosis/measure.h"
#include "engine/trials/repair.h"
#include "engine/trials/suppositions.h"

enum {
    MOST_DUMPS = 32, /* that are examined: the first of the description */
    MOST_FAULTS = 24 /* that are tried */
};

/* The constants above bound the trials, as each finding of a dump is tried once. */
static const struct orr_effort unlimited = {.analyses = UINT32_MAX, .steps = UINT64_MAX};

/* A dump of the cluster, and its repaired copies. */
struct specimen {
    const struct orr_dump *dump, *repaired; /* repaired: of everything; the same if it has no fault */
    uint32_t hosts;
    bool examined, has_fault;
    const struct orr_gpu_board *board; /* of its GPUs */
    double bw;                         /* what two such hosts get, as they are */
};

struct fault {
    struct orr_cluster_fault row;
    const struct orr_dump *repaired[MOST_DUMPS]; /* [specimen]: with this fault alone repaired; NULL if it has none */
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

/* Repairs one finding in a copy, and in the copy that has all repairs, if that gains anything for hosts of this kind.
 */
static enum orr_code try_finding(struct examining *e, uint32_t s, const struct orr_patient *patient,
                                 struct orr_variant *all, const struct orr_finding *finding, struct orr_error *err)
{
    const struct orr_repair *repair = orr_repair_find(finding->row->id);
    struct orr_variant one;
    const struct orr_dump *repaired;
    struct orr_analysis *answer;
    if (!repair || repair->kind & (ORR_REPAIR_OF_FILE | ORR_REPAIR_ASKS))
        return ORR_OK;
    ORR_TRY(orr_patient_copy(patient, e->arena, &one, err));
    repair->apply(&one);
    if (!one.machine_changed)
        return ORR_OK;
    ORR_TRY(orr_variant_dump(&one, &repaired, err));
    ORR_TRY(analyze_two(e, repaired, &answer, err));
    const bool gains = answer && bandwidth_of(answer) >= bandwidth_of(patient->analysis) * 1.01;
    orr_analysis_free(answer);
    if (!gains)
        return ORR_OK;
    ORR_LOCAL_TEXT(clause, 1024);
    orr_text_printf(&clause, "%s: %s", finding->title, finding->detail);
    const char *what = orr_arena_strndup(e->arena, orr_text_data(&clause), clause.length);
    ORR_NEED(what, err);
    struct fault *fault = fault_of(e, finding, what);
    if (!fault)
        return ORR_OK;
    fault->repaired[s] = repaired;
    e->specimens[s].has_fault = true;
    repair->apply(all);
    return ORR_OK;
}

/* Whether another finding of the machine explains this one. */
static bool is_explained(const struct orr_findings *found, const struct orr_finding_row *row)
{
    for (size_t c = 0; c < ORR_MOST_CAUSES && row->follows_from[c]; c++)
        for (uint32_t i = 0; i < found->count; i++)
            if (!strcmp(found->rows[i].row->id, row->follows_from[c]))
                return true;
    return false;
}

static enum orr_code try_findings(struct examining *e, uint32_t s, const struct orr_analysis *analysis,
                                  struct orr_error *err)
{
    struct orr_patient patient;
    struct orr_findings found;
    struct orr_variant all;
    ORR_TRY(orr_patient_read(&patient, analysis, e->arena, err));
    ORR_TRY(orr_find(analysis->dump, analysis, e->arena, &found, err));
    ORR_TRY(orr_patient_copy(&patient, e->arena, &all, err));
    e->specimens[s].board = patient.machine.board;
    e->specimens[s].bw = bandwidth_of(analysis);
    for (uint32_t i = 0; i < found.count; i++)
        if (!is_explained(&found, found.rows[i].row))
            ORR_TRY(try_finding(e, s, &patient, &all, &found.rows[i], err));
    return e->specimens[s].has_fault ? orr_variant_dump(&all, &e->specimens[s].repaired, err) : ORR_OK;
}

static enum orr_code examine(struct examining *e, uint32_t s, struct orr_error *err)
{
    struct orr_analysis *analysis;
    ORR_TRY(analyze_two(e, e->specimens[s].dump, &analysis, err));
    e->specimens[s].examined = analysis != NULL;
    enum orr_code code = analysis ? try_findings(e, s, analysis, err) : ORR_OK;
    orr_analysis_free(analysis);
    return code;
}

/* A fault without a finding: in place of these hosts, those that they are compared with. */
static void replace_hosts(struct examining *e, uint32_t s, const struct orr_dump *with, const char *what)
{
    struct fault *fault = fault_of(e, NULL, what);
    if (fault)
        fault->repaired[s] = e->specimens[s].repaired = with;
}

/* Hosts without a fault of their own that differ from most, unless they are faster. */
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
        if (!own->has_fault && own->dump != most->dump && !(own->bw > most->bw * 1.01))
            replace_hosts(e, s, most->repaired, "The hosts differ from most");
    }
}

/* Hosts that are slow alike: half of them or most, so that none of them differs from most. */
static void compare_with_fastest(struct examining *e)
{
    for (uint32_t s = 0; s < e->specimen_count; s++) {
        const struct specimen *own = &e->specimens[s], *best = own;
        if (own->has_fault || !own->board || own->repaired != own->dump)
            continue;
        for (uint32_t o = 0; o < e->specimen_count; o++)
            if (e->specimens[o].board == own->board && e->specimens[o].bw > best->bw * 1.01)
                best = &e->specimens[o];
        if (best != own)
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

/* What each kind of host does not show. Without NVLink between hosts, the NICs count from two hosts on. */
static enum orr_code list_assumed(const struct examining *e, struct orr_cluster_faults *out, struct orr_error *err)
{
    const struct orr_cluster *c = e->cluster;
    const unsigned kinds = c->host_count > 1 ? UINT_MAX : UINT_MAX & ~(1u << ORR_LINKS_NICS);
    const char **assumed = ORR_NEW(e->arena, const char *, c->line_count);
    ORR_NEED(assumed, err);
    for (uint32_t l = 0; l < c->line_count; l++) {
        ORR_LOCAL_TEXT(text, 512);
        bool known = false;
        for (uint32_t k = 0; k < l && !known && l < MOST_DUMPS; k++)
            known = c->lines[k].dump == c->lines[l].dump;
        if (known || l >= MOST_DUMPS || !orr_supposed_list(c->lines[l].dump, kinds, &text))
            continue;
        const char *what = orr_arena_strndup(e->arena, orr_text_data(&text), text.length);
        ORR_NEED(assumed[out->assumed_count++] = what, err);
    }
    out->assumed = assumed;
    return ORR_OK;
}

static enum orr_code write_answer(struct examining *e, struct orr_cluster_faults *out, struct orr_error *err)
{
    struct orr_cluster_fault *rows = ORR_NEW(e->arena, struct orr_cluster_fault, e->fault_count + 1);
    bool *at_fault = ORR_NEW(e->arena, bool, e->cluster->host_count);
    ORR_LOCAL_TEXT(text, 1024);
    ORR_NEED(rows && at_fault, err);
    out->left_out = e->left_out;
    for (uint32_t f = 0; f < e->fault_count; f++) {
        const struct orr_cluster_fault *row = &e->faults[f].row;
        if (!row->finding && row->fixed < out->now * 1.01 && row->drained < out->now * 1.01)
            continue; /* another machine, as good as most */
        rows[out->count++] = *row;
        for (uint32_t i = 0; i < row->host_count; i++) {
            out->hosts_at_fault += !at_fault[row->hosts[i]];
            at_fault[row->hosts[i]] = true;
        }
    }
    qsort(rows, out->count, sizeof *rows, compare_faults);
    out->rows = rows;
    const uint32_t hosts = e->cluster->host_count, bad = out->hosts_at_fault, unexamined = count_unexamined(e);
    if (out->repaired >= out->now * 1.005) {
        orr_text_printf(&text, "%u host%s: AllReduce %.0f of %.0f GB/s, because of ", hosts, orr_plural(hosts),
                        out->now, out->repaired);
        orr_text_printf(&text, bad == hosts ? "faults that every host has." : "%u host%s.", bad, orr_plural(bad));
    } else if (!unexamined && !out->left_out)
        orr_text_printf(&text, "%u host%s: AllReduce %.0f GB/s. No repair of a host would raise it.", hosts,
                        orr_plural(hosts), out->now);
    else
        orr_text_printf(&text, "%u host%s: AllReduce %.0f GB/s. Orrery did not try repairs for %u of them.", hosts,
                        orr_plural(hosts), out->now, unexamined ? unexamined : hosts);
    ORR_TRY(list_assumed(e, out, err));
    if (out->assumed_count)
        orr_text_printf(&text, " The inputs do not show %s, so the figures rest on assumed values.", out->assumed[0]);
    return (out->sentence = orr_text_copy(&text, e->arena)) ? ORR_OK : orr_fail_nomem(err);
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
    return write_answer(&e, ret_faults, err);
}
