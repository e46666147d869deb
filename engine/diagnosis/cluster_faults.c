/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/diagnosis/cluster_faults.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/sorting.h"
#include "engine/cluster/again.h"
#include "engine/diagnosis/cluster_examining.h"
#include "engine/diagnosis/verdict.h"

/* The cluster with other dumps for its specimens, without the hosts of those whose dump is NULL. */
static enum orr_code bandwidth_with(const struct orr_examining *e,
                                    const struct orr_dump *const dumps[ORR_MOST_SPECIMENS], double *ret_bw,
                                    bool *ret_known, struct orr_error *err)
{
    const struct orr_cluster *c = e->cluster;
    ORR_LOCAL_ARENA(scratch, 0);
    struct orr_cluster_line *lines = ORR_NEW(scratch, struct orr_cluster_line, c->line_count);
    uint32_t count = 0;
    *ret_known = false;
    ORR_NEED(lines, err);
    for (uint32_t l = 0; l < c->line_count; l++) {
        const uint32_t s = orr_specimen_of(e, l);
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
    *ret_bw = orr_bandwidth_of(answer->analysis);
    *ret_known = true;
    orr_cluster_free(answer);
    return ORR_OK;
}

/* The hosts that have the fault: all of the lines with its dumps. */
static enum orr_code list_hosts(struct orr_examining *e, struct orr_fault *fault, struct orr_error *err)
{
    const struct orr_cluster *c = e->cluster;
    uint32_t *hosts = ORR_NEW(e->arena, uint32_t, c->host_count);
    ORR_NEED(hosts, err);
    for (uint32_t h = 0; h < c->host_count; h++) {
        const uint32_t s = orr_specimen_of(e, c->hosts[h].line);
        if (s != UINT32_MAX && fault->repaired[s])
            hosts[fault->row.host_count++] = h;
    }
    fault->row.hosts = hosts;
    return ORR_OK;
}

static enum orr_code measure_fault(struct orr_examining *e, struct orr_fault *fault, struct orr_error *err)
{
    const struct orr_dump *fixed[ORR_MOST_SPECIMENS] = {0}, *drained[ORR_MOST_SPECIMENS] = {0};
    for (uint32_t s = 0; s < e->specimen_count; s++) {
        fixed[s] = fault->repaired[s] ? fault->repaired[s] : e->specimens[s].dump;
        drained[s] = fault->repaired[s] ? NULL : e->specimens[s].dump;
    }
    ORR_TRY(list_hosts(e, fault, err));
    if (!fault->row.of_gpus)
        ORR_TRY(bandwidth_with(e, fixed, &fault->row.fixed, &fault->row.has_fixed, err));
    if (fault->row.host_count + 1 >= e->cluster->host_count) /* a job on one host is another question */
        return ORR_OK;
    return bandwidth_with(e, drained, &fault->row.drained, &fault->row.has_drained, err);
}

/* Another fault, of the same host or of another one, may limit as well: what do all other repairs gain without it? */
static enum orr_code measure_rest(struct orr_examining *e, struct orr_fault *fault,
                                  const struct orr_cluster_faults *out, struct orr_error *err)
{
    const struct orr_dump *rest[ORR_MOST_SPECIMENS] = {0};
    double without = 0;
    bool known = false;
    if (!fault->row.has_fixed || fault->row.fixed >= out->now * ORR_LEAST_GAIN ||
        out->repaired < out->now * ORR_LEAST_GAIN)
        return ORR_OK;
    for (uint32_t s = 0; s < e->specimen_count; s++)
        rest[s] = fault->rest[s] ? fault->rest[s] : e->specimens[s].repaired;
    ORR_TRY(bandwidth_with(e, rest, &without, &known, err));
    fault->row.together = known && without * ORR_LEAST_GAIN <= out->repaired;
    return ORR_OK;
}

/* Whether it costs this cluster something, as far as Orrery could try it. */
static bool costs(const struct orr_cluster_fault *row, double now)
{
    if (row->of_gpus)
        return false;
    return !row->has_fixed || row->together || row->fixed >= now * ORR_LEAST_GAIN ||
           row->drained >= now * ORR_LEAST_GAIN;
}

/* The fault whose repair gains most comes first, then the one whose hosts gain most by being drained. */
ORR_COMPARATOR(compare_faults, struct orr_cluster_fault, ORR_ORDER(b->fixed, a->fixed),
               ORR_ORDER(b->drained, a->drained), strcmp(a->what, b->what))

/* Hosts whose dump could not be analysed alone, of which only some GPUs take part, or that are beyond the limit. */
static uint32_t count_unexamined(const struct orr_examining *e)
{
    uint32_t count = e->cluster->host_count;
    for (uint32_t s = 0; s < e->specimen_count; s++)
        count -= e->specimens[s].examined ? e->specimens[s].hosts : 0;
    return count;
}

static enum orr_code write_answer(struct orr_examining *e, struct orr_cluster_faults *out, struct orr_error *err)
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
            continue; /* another machine, but as good as most */
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
    out->unexamined = count_unexamined(e);
    return orr_verdict_of_cluster(e->cluster, e->arena, out, err);
}

enum orr_code orr_cluster_faults_find(const struct orr_cluster *cluster, struct orr_arena *arena,
                                      struct orr_cluster_faults *ret_faults, struct orr_error *err)
{
    struct orr_examining e = {.cluster = cluster, .arena = arena};
    const struct orr_dump *repaired[ORR_MOST_SPECIMENS];
    bool known = false;
    *ret_faults = (struct orr_cluster_faults){0};
    orr_budget_stage("faults of the cluster's hosts");
    ret_faults->now = ret_faults->repaired = orr_bandwidth_of(cluster->analysis);
    ORR_TRY(orr_cluster_examine(&e, err));
    for (uint32_t f = 0; f < e.fault_count; f++)
        ORR_TRY(measure_fault(&e, &e.faults[f], err));
    if (e.question.row.what) {
        ORR_TRY(measure_fault(&e, &e.question, err));
        ret_faults->question = e.question.row;
    }
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
