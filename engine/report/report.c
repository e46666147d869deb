/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/report/report.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/cluster/again.h"
#include "engine/cluster/cluster.h"
#include "engine/decide/nearest.h"
#include "engine/explain/assumptions.h"
#include "engine/trials/limit.h"

static const uint64_t report_sizes[ORR_REPORT_SIZES] = {UINT64_C(1) << 20, UINT64_C(1) << 26, UINT64_C(1) << 30};

static enum orr_code add_job(struct orr_report *report, const struct orr_analysis *analysis, struct orr_error *err)
{
    struct orr_report_job *job = &report->jobs[report->job_count++];
    struct orr_expectation *expectation;
    struct orr_error own = {0}; /* if the job cannot be predicted, the report says so */
    job->analysis = analysis;
    enum orr_code code = orr_expectation_new(analysis, ORR_TEST_ALL_REDUCE, &expectation, &own);
    if (code == ORR_NOMEM || code == ORR_SPENT) {
        *err = own;
        return code;
    }
    if (code != ORR_OK)
        return ORR_OK;
    job->predicted = true;
    for (int i = 0; i < ORR_REPORT_SIZES; i++)
        job->known[i] = orr_expect(expectation, report_sizes[i], &job->expected[i]);
    code = orr_find_limit(NULL, analysis, ORR_TEST_ALL_REDUCE, expectation, &job->limit, err);
    orr_expectation_free(expectation);
    return code;
}

/* Adds the same machine with another number of hosts, unless NCCL cannot use it like that. */
static enum orr_code add_other_job(struct orr_report *report, uint32_t hosts, struct orr_error *err)
{
    struct orr_query query = report->analysis->query;
    struct orr_error own = {0};
    query.hosts = hosts;
    query.plan = true;
    const char *task = orr_budget_task("the same machine on another number of hosts");
    enum orr_code code = orr_analyze_again(report->analysis, &query, &report->made, &own);
    (void)orr_budget_task(task);
    if (code == ORR_NOMEM || code == ORR_SPENT) {
        *err = own;
        return code;
    }
    return code == ORR_OK ? add_job(report, report->made, err) : ORR_OK;
}

/* Adds one host and two, or one host and the number in the question; for a cluster of different hosts only the
 * cluster. */
static enum orr_code add_jobs(struct orr_report *report, struct orr_error *err)
{
    const bool has_nics = orr_system_count(&report->analysis->built, ORR_NET) > 0;
    const struct orr_analysis *analysis = report->analysis;
    const uint32_t hosts = analysis->query.hosts;
    if (!analysis->cluster && hosts > 1)
        ORR_TRY(add_other_job(report, 1, err));
    ORR_TRY(add_job(report, analysis, err));
    if (!analysis->cluster && hosts == 1 && has_nics)
        ORR_TRY(add_other_job(report, 2, err));
    return ORR_OK;
}

/* The NICs that NCCL assigns to a GPU for its channels, each NIC once. */
static bool find_nets(struct orr_report_nics *row, struct orr_arena *arena)
{
    const struct orr_system *system = &row->part->system;
    const uint32_t nets = orr_system_count(system, ORR_NET);
    uint32_t *scratch = ORR_NEW(arena, uint32_t, 2 * (nets + orr_system_count(system, ORR_GPU)));
    uint32_t *found = ORR_NEW(arena, uint32_t, nets);
    if (!scratch || !found)
        return false;
    for (uint32_t channel = 0; channel < nets; channel++) {
        uint32_t net = orr_local_net(&row->part->paths, row->gpu, (int32_t)channel, scratch), i = 0;
        while (i < row->net_count && found[i] != net)
            i++;
        if (i == row->net_count && net != ORR_NO_NODE)
            found[row->net_count++] = net;
    }
    row->nets = found;
    return true;
}

static bool is_own(const struct orr_report_nics *row, uint32_t net)
{
    for (uint32_t i = 0; i < row->net_count; i++)
        if (row->nets[i] == net)
            return true;
    return false;
}

static void count_pxn(struct orr_report_nics *row)
{
    const struct orr_system *system = &row->part->system;
    for (uint32_t n = system->first[ORR_NET]; n < system->first[ORR_NET + 1]; n++)
        row->pxn += !is_own(row, n) && orr_path(&row->part->paths, row->gpu, n)->origin == ORR_ROUTE_PXN;
}

static enum orr_code find_nics(struct orr_report *report, struct orr_error *err)
{
    const struct orr_analysis *analysis = report->networked;
    if (!orr_system_count(&analysis->parts[0].system, ORR_NET))
        return ORR_OK;
    report->nics = ORR_NEW(report->arena, struct orr_report_nics, analysis->local_ranks);
    ORR_NEED(report->nics, err);
    for (uint32_t rank = 0; rank < analysis->local_ranks; rank++) {
        struct orr_report_nics *row = &report->nics[rank];
        row->part = orr_analysis_part(analysis, (int32_t)rank);
        row->gpu = row->part->system.first[ORR_GPU];
        while (row->part->system.nodes[row->gpu].gpu.rank != (int32_t)rank)
            row->gpu++;
        row->host = orr_id_system(row->part->system.nodes[row->gpu].id);
        ORR_NEED(find_nets(row, report->arena), err);
        count_pxn(row);
    }
    return ORR_OK;
}

static enum orr_code list_assumed(struct orr_report *report, struct orr_error *err)
{
    const struct orr_assumption *row;
    uint32_t most = 0;
    while (orr_assumption(most))
        most++;
    const char **list = ORR_NEW(report->arena, const char *, most);
    ORR_NEED(list, err);
    for (unsigned i = 0; (row = orr_assumption(i)); i++)
        if (row->applies(report->networked))
            list[report->assumed_count++] = row->text;
    report->assumed = list;
    return ORR_OK;
}

static enum orr_code recognise(struct orr_report *report, struct orr_error *err)
{
    struct orr_hardware_facts *hardware = ORR_NEW(report->arena, struct orr_hardware_facts, 1);
    struct orr_machine_summary machine;
    ORR_LOCAL_TEXT(text, 1024);
    ORR_NEED(hardware && orr_hardware_read(report->analysis->dump, report->arena, hardware), err);
    orr_machine_recognise(hardware, &report->machine);
    orr_machine_summarise(report->analysis->dump, &machine);
    orr_machine_sentence(&machine, &text);
    report->sentence = orr_text_copy(&text, report->arena);
    return report->sentence ? ORR_OK : orr_fail_nomem(err);
}

static bool gains_nothing(const struct orr_cluster_faults *faults, const struct orr_cluster_fault *fault)
{
    return fault->has_fixed && !fault->together && fault->fixed < faults->now * ORR_LEAST_GAIN;
}

/* The fault of the hosts that a finding of the cluster is about, in the same words. In an NVLink domain the words name
 * the host, too; then it is one of the faults of its kind if none of them costs anything. NULL if there is none. */
static const struct orr_cluster_fault *fault_of(const struct orr_cluster_faults *faults,
                                                const struct orr_finding *finding)
{
    const struct orr_cluster_fault *harmless = NULL;
    bool all = !faults->left_out && !faults->unexamined;
    for (uint32_t f = 0; f < faults->count; f++) {
        const struct orr_cluster_fault *fault = &faults->rows[f];
        if (!fault->finding || fault->finding->row != finding->row)
            continue;
        if (fault->has_fixed && !strcmp(fault->finding->detail, finding->detail))
            return fault;
        harmless = fault;
        all &= gains_nothing(faults, fault);
    }
    return all ? harmless : NULL;
}

/* What the cluster gains by a repair of its hosts is the cost of the same finding. */
static void take_costs(struct orr_report *report)
{
    const struct orr_cluster_faults *faults = &report->faults;
    for (uint32_t i = 0; i < report->diagnosis.count; i++) {
        struct orr_diagnosed *row = &report->diagnosis.rows[i];
        const struct orr_cluster_fault *fault = row->has_cost ? NULL : fault_of(faults, row->finding);
        if (!fault)
            continue;
        row->has_cost = true;
        row->cost = (struct orr_cost){.figure = ORR_COST_BUS_BW,
                                      .now = faults->now,
                                      .repaired = fault->fixed,
                                      .all_repaired = faults->repaired,
                                      .hosts = report->analysis->cluster->host_count,
                                      .fused = 1,
                                      .together = fault->together,
                                      .none = gains_nothing(faults, fault)};
        if (row->cost.none && row->severity != ORR_SEVERITY_ERROR)
            row->severity = ORR_SEVERITY_INFO; /* as on one machine */
    }
}

enum orr_code orr_report_make(const struct orr_analysis *analysis, const char *name, struct orr_arena *arena,
                              struct orr_report *ret_report, struct orr_error *err)
{
    struct orr_report *report = ret_report;
    *report = (struct orr_report){.analysis = analysis, .name = name, .arena = arena};
    ORR_TRY(recognise(report, err));
    ORR_TRY(add_jobs(report, err));
    report->networked = report->jobs[report->job_count - 1].analysis;
    ORR_TRY(find_nics(report, err));
    ORR_TRY(list_assumed(report, err));
    if (analysis->cluster && analysis->cluster->host_count > 1)
        ORR_TRY(orr_cluster_faults_find(analysis->cluster, arena, &report->faults, err));
    ORR_TRY(orr_diagnose(analysis, arena, &report->diagnosis, err));
    take_costs(report);
    return ORR_OK;
}

void orr_report_release(struct orr_report *report)
{
    if (report->made)
        orr_analysis_again_free(report->made);
    report->made = NULL;
}

const char *orr_report_extent(const struct orr_analysis *analysis, char text[ORR_REPORT_EXTENT_SIZE])
{
    const uint32_t hosts = analysis->query.hosts;
    const char *plural = orr_plural(hosts);
    if (analysis->cluster)
        snprintf(text, ORR_REPORT_EXTENT_SIZE, "the cluster of %u host%s", analysis->cluster->host_count,
                 orr_plural(analysis->cluster->host_count));
    else
        snprintf(text, ORR_REPORT_EXTENT_SIZE, "%u %s%s", hosts,
                 analysis->built.host_count > 1 ? "NVLink domain" : "host", plural);
    return text;
}

char *orr_report_nic_name(const struct orr_system *system, uint32_t net, char name[ORR_NIC_NAME_SIZE])
{
    const struct orr_node *node = &system->nodes[net];
    const char *given =
        node->element == ORR_NO_ELEMENT ? NULL : orr_element_text(system->dump, node->element, ORR_ATTR_NAME);
    if (given && *given)
        snprintf(name, ORR_NIC_NAME_SIZE, "%.40s", given);
    else
        snprintf(name, ORR_NIC_NAME_SIZE, "NIC %d", node->net.dev);
    return name;
}

bool orr_report_is_next_name(const char *a, const char *b)
{
    static const char digits[] = "0123456789";
    size_t stem = 0;
    while (a[stem] && a[stem] == b[stem])
        stem++;
    while (stem && isdigit((unsigned char)a[stem - 1]))
        stem--;
    a += stem;
    b += stem;
    return isdigit((unsigned char)*a) && isdigit((unsigned char)*b) &&
           strtoul(b, NULL, 10) == strtoul(a, NULL, 10) + 1 && !strcmp(a + strspn(a, digits), b + strspn(b, digits));
}

void orr_report_numbers(const uint32_t *numbers, uint32_t count, struct orr_text *text)
{
    for (uint32_t i = 0; i < count;) {
        uint32_t last = i;
        while (last + 1 < count && numbers[last + 1] == numbers[last] + 1)
            last++;
        orr_text_printf(text, "%s%u", i ? ", " : "", numbers[i]);
        if (last > i)
            orr_text_printf(text, last > i + 1 ? "-%u" : ", %u", numbers[last]);
        i = last + 1;
    }
}
