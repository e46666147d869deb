/* SPDX-License-Identifier: Apache-2.0 */
/* Judges two sides with the values of their inputs: reasons, bandwidths, the state. */
#include "engine/gate/judging.h"

#include <stdio.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/text.h"
#include "engine/cluster/again.h"
#include "engine/diagnosis/measure.h"
#include "engine/trials/limit.h"

static bool is_allowed(const struct orr_gate_request *request, const char *id)
{
    for (uint32_t i = 0; i < request->allowed_count; i++)
        if (!strcmp(request->allowed[i], id))
            return true;
    return false;
}

/* *ret_analysis is NULL if NCCL cannot use the machine on this number of hosts; *own says why. */
static enum orr_code analyse(const struct orr_dump *dump, const struct orr_query *query, uint32_t hosts,
                             struct orr_analysis **ret_analysis, struct orr_error *own, struct orr_error *err)
{
    struct orr_query asked = {
        .settings = query->settings, .hosts = hosts, .domain = query->domain, .apart = true, .plan = true};
    ORR_TRY(orr_budget_check(err));
    enum orr_code code = orr_analyze_hosts(dump, &asked, NULL, ret_analysis, own), spent = orr_budget_check(err);
    if (code == ORR_OK && spent == ORR_OK)
        return ORR_OK;
    if (code == ORR_OK)
        orr_analysis_again_free(*ret_analysis);
    *ret_analysis = NULL;
    return spent != ORR_OK ? spent : code == ORR_NOMEM ? orr_fail_nomem(err) : ORR_OK;
}

enum orr_code orr_gate_read(const struct orr_dump *dump, const struct orr_query *query, struct orr_arena *arena,
                            struct orr_gate_side *side, struct orr_error *own, struct orr_error *err)
{
    struct orr_error unused = {0};
    /* By default some inputs have NICs as in NCCL's dumps and others as in a job; both sides use the job's. */
    struct orr_query job = *query;
    if (job.settings.fuse_nics == ORR_FUSE_AUTO)
        job.settings.fuse_nics = ORR_FUSE_ALWAYS;
    side->dump = dump;
    ORR_NEED(orr_hardware_read(dump, arena, &side->hw), err);
    ORR_TRY(analyse(dump, &job, 1, &side->one, own, err));
    if (side->one && job.hosts > 1)
        ORR_TRY(analyse(dump, &job, job.hosts, &side->many, &unused, err));
    return ORR_OK;
}

void orr_gate_side_release(struct orr_gate_side *side)
{
    orr_analysis_free(side->one);
    orr_analysis_again_free(side->many);
}

/* GB/s of a large AllReduce, as `orrery predict` prints it; 0 if it cannot be predicted. */
static enum orr_code find_bus_bw(const struct orr_analysis *analysis, double *ret_bw,
                                 struct orr_expect_limit *ret_limit, struct orr_error *err)
{
    struct orr_expectation *expectation;
    struct orr_expected expected = {0};
    *ret_bw = 0;
    if (!analysis || orr_expectation_new(analysis, ORR_TEST_ALL_REDUCE, &expectation, NULL) != ORR_OK)
        return ORR_OK;
    if (orr_expect(expectation, UINT64_C(1) << 30, &expected))
        *ret_bw = expected.bus_bw;
    enum orr_code code = orr_find_limit(NULL, analysis, ORR_TEST_ALL_REDUCE, expectation, ret_limit, err);
    orr_expectation_free(expectation);
    return code;
}

static bool is_same(const struct orr_finding *node, const struct orr_finding *expected)
{
    return !strcmp(node->detail, expected->detail) &&
           node->place_count + node->more_places <= expected->place_count + expected->more_places;
}

/* Whether the expectation has the same finding, with the same values in as many places, or the node is no worse in the
 * figure that the finding costs: then the node is in order. */
static enum orr_code is_expected(const struct orr_gate_request *request, const struct orr_diagnosed *row,
                                 bool *ret_expected, struct orr_error *err)
{
    ORR_LOCAL_ARENA(scratch, 0);
    struct orr_findings found;
    struct orr_analysis *made = NULL;
    struct orr_error own = {0};
    bool there = false, same = false;
    const uint32_t hosts = row->has_cost ? row->cost.hosts : request->query.hosts;
    *ret_expected = false;
    enum orr_code code = analyse(request->expected, &request->query, hosts, &made, &own, err);
    if (code == ORR_OK && made)
        code = orr_find(made->dump, made, scratch, &found, err);
    for (uint32_t i = 0; code == ORR_OK && made && i < found.count && !there; i++) {
        there = found.rows[i].row == row->finding->row;
        same = there && is_same(row->finding, &found.rows[i]);
    }
    if (there && !same && row->has_cost && row->cost.figure != ORR_COST_GPUS) {
        struct orr_measured normal = {.hosts = {hosts}, .count = 1}, now;
        orr_measure(made, &normal.figures[0]);
        now = normal;
        now.figures[0].value[row->cost.figure] = row->cost.now;
        there = orr_cost_between(&now, &normal).none;
    }
    orr_analysis_again_free(made);
    *ret_expected = code == ORR_OK && there;
    return code;
}

/* Whether a finding can make a node degraded. A finding that follows from another is attributed to that one. */
static bool matters(const struct orr_diagnosed *row)
{
    return row->follows == UINT32_MAX && !row->of_file && !row->asks &&
           (row->severity == ORR_SEVERITY_ERROR || (row->has_cost && !row->cost.none));
}

static enum orr_code take_finding(const struct orr_gate_request *request, const struct orr_diagnosed *row,
                                  struct orr_arena *arena, struct orr_gate *gate, struct orr_error *err)
{
    const struct orr_finding *finding = row->finding;
    struct orr_gate_reason *reason = &gate->reasons[gate->count];
    const char **devices = ORR_NEW(arena, const char *, ORR_GATE_DEVICES);
    ORR_LOCAL_TEXT(text, 4096);
    *reason = (struct orr_gate_reason){.id = finding->row->id,
                                       .devices = devices,
                                       .cost = row->has_cost && !row->cost.none ? &row->cost : NULL,
                                       .repair = row->repair,
                                       .allowed = is_allowed(request, finding->row->id)};
    orr_finding_clause(finding, &text);
    reason->text = orr_text_copy(&text, arena);
    ORR_NEED(devices && reason->text, err);
    for (uint32_t i = 0; i < finding->place_count && i < ORR_GATE_DEVICES; i++) {
        const struct orr_finding_place *place = &finding->places[i];
        const char *name = place->device[0] ? place->device : place->node;
        if (name[0])
            devices[reason->device_count++] = name;
    }
    gate->count++;
    return ORR_OK;
}

static enum orr_code take_findings(const struct orr_gate_request *request, const struct orr_diagnosis *diagnosis,
                                   struct orr_arena *arena, struct orr_gate *gate, struct orr_error *err)
{
    for (uint32_t i = 0; i < diagnosis->count; i++) {
        bool normal;
        if (!matters(&diagnosis->rows[i]))
            continue;
        ORR_TRY(is_expected(request, &diagnosis->rows[i], &normal, err));
        if (!normal)
            ORR_TRY(take_finding(request, &diagnosis->rows[i], arena, gate, err));
    }
    return ORR_OK;
}

/* Whether made-up PCIe switches and sockets of a machine type limit the expected bandwidth. */
static bool rests_on_tree(const struct orr_gate_request *request, const struct orr_expect_limit *limit)
{
    return request->of_type && (limit->what == ORR_BOUND_PCIE || limit->what == ORR_BOUND_CPU);
}

/* Every cost in bandwidth is relative to the expected node, not to the node's own repair. */
static enum orr_code refer_costs(struct orr_gate *gate, uint32_t hosts, double wants, struct orr_arena *arena,
                                 struct orr_error *err)
{
    for (uint32_t i = 0; i < gate->count; i++) {
        const struct orr_cost *cost = gate->reasons[i].cost;
        if (!cost || cost->figure != ORR_COST_BUS_BW || cost->hosts != hosts || cost->now >= wants)
            continue;
        struct orr_cost *referred = ORR_NEW(arena, struct orr_cost, 1);
        ORR_NEED(referred, err);
        *referred = *cost;
        referred->all_repaired = wants;
        gate->reasons[i].cost = referred;
    }
    return ORR_OK;
}

/* The answer shows the bandwidth of the larger job; the smaller one is also compared. */
static enum orr_code take_bandwidths(const struct orr_gate_request *request, const struct orr_gate_side *node,
                                     const struct orr_gate_side *expected, struct orr_arena *arena,
                                     struct orr_gate *gate, unsigned *ret_limits, struct orr_error *err)
{
    enum { TEXT = 400 };
    const struct orr_analysis *const pairs[][2] = {{node->one, expected->one}, {node->many, expected->many}};
    const uint32_t hosts[] = {1, request->query.hosts};
    double least = request->min_bus_bw;
    struct orr_cost *worst = NULL;
    char *text = NULL;
    *ret_limits = 0;
    for (int i = 0; i < 2; i++) {
        struct orr_expect_limit limit = {0}, normal = {0};
        double has, wants;
        ORR_TRY(find_bus_bw(pairs[i][0], &has, &limit, err));
        ORR_TRY(find_bus_bw(pairs[i][1], &wants, &normal, err));
        if (wants <= 0 || rests_on_tree(request, &normal))
            *ret_limits |= limit.kinds;
        if (wants <= 0)
            continue;
        gate->hosts = hosts[i];
        gate->bus_bw = has;
        gate->expected = wants;
        if (!rests_on_tree(request, &normal))
            ORR_TRY(refer_costs(gate, hosts[i], wants, arena, err));
        if (has >= least * wants || rests_on_tree(request, &normal))
            continue;
        least = has / wants;
        worst = worst ? worst : ORR_NEW(arena, struct orr_cost, 1);
        text = text ? text : ORR_NEW(arena, char, TEXT);
        ORR_NEED(worst && text, err);
        if (has <= 0)
            snprintf(text, TEXT, "NCCL cannot run this job on the node");
        else if (!strcmp(limit.text, normal.text))
            snprintf(text, TEXT, "limited by %s", limit.text);
        else
            snprintf(text, TEXT, "limited by %s, and the expectation by %s", limit.text, normal.text);
        const uint32_t domain = node->one->built.host_count;
        *worst = (struct orr_cost){.figure = ORR_COST_BUS_BW,
                                   .now = has,
                                   .repaired = wants,
                                   .all_repaired = wants,
                                   .hosts = hosts[i],
                                   .fused = domain > 1 ? domain : 1};
    }
    if (worst)
        gate->reasons[gate->count++] = (struct orr_gate_reason){.id = "busbw-low",
                                                                .compared = true,
                                                                .cost = worst,
                                                                .repair = "what the node should be",
                                                                .text = text,
                                                                .allowed = is_allowed(request, "busbw-low")};
    return ORR_OK;
}

/* Puts the counted reasons first, in the order in which they were found. */
static void put_in_order(struct orr_gate *gate)
{
    for (uint32_t i = 0; i < gate->count; i++)
        if (!gate->reasons[i].allowed) {
            struct orr_gate_reason reason = gate->reasons[i];
            memmove(&gate->reasons[gate->counted + 1], &gate->reasons[gate->counted],
                    (i - gate->counted) * sizeof reason);
            gate->reasons[gate->counted++] = reason;
        }
}

/* NULL if the node's file is complete, otherwise the reason why it cannot be judged. */
static const char *incomplete(const struct orr_diagnosis *diagnosis, struct orr_arena *arena)
{
    for (uint32_t i = 0; i < diagnosis->count; i++) {
        const struct orr_diagnosed *row = &diagnosis->rows[i];
        if (row->follows != UINT32_MAX || !row->of_file || !row->has_cost || row->cost.none)
            continue;
        ORR_LOCAL_TEXT(text, 2048);
        orr_text_puts(&text, "its file is incomplete: ");
        orr_finding_clause(row->finding, &text);
        return orr_text_failed(&text) ? "" : orr_text_copy(&text, arena);
    }
    return NULL;
}

/* Like `orrery analyze`, uses the NICs as the file lists them, because repairs of findings look for them there, too. */
static enum orr_code diagnose(const struct orr_gate_request *request, struct orr_arena *arena,
                              struct orr_diagnosis *ret_diagnosis, struct orr_error *err)
{
    struct orr_analysis *analysis = NULL;
    struct orr_error own = {0};
    ORR_TRY(analyse(request->node, &request->query, request->query.hosts, &analysis, &own, err));
    if (!analysis) /* it cannot be used on several hosts: without a network */
        ORR_TRY(analyse(request->node, &request->query, 1, &analysis, &own, err));
    if (!analysis)
        return orr_fail(err, own.code, "%s", own.text);
    enum orr_code code = orr_diagnose(analysis, arena, ret_diagnosis, err);
    orr_analysis_again_free(analysis);
    return code;
}

enum orr_code orr_gate_judge_as_is(const struct orr_gate_request *request, const struct orr_gate_side *node,
                                   const struct orr_gate_side *expected, struct orr_arena *arena, struct orr_gate *gate,
                                   unsigned *ret_limits, const char **ret_why, struct orr_error *err)
{
    enum { COMPARED = 3 };
    struct orr_diagnosis *diagnosis = ORR_NEW(arena, struct orr_diagnosis, 1);
    ORR_NEED(diagnosis, err);
    if ((*ret_why = orr_gate_other_kind(request, node, expected, arena)))
        return ORR_OK;
    ORR_TRY(diagnose(request, arena, diagnosis, err));
    if ((*ret_why = incomplete(diagnosis, arena)))
        return ORR_OK;
    gate->reasons = ORR_NEW(arena, struct orr_gate_reason, (size_t)diagnosis->count + COMPARED);
    ORR_NEED(gate->reasons, err);
    ORR_TRY(take_findings(request, diagnosis, arena, gate, err));
    ORR_TRY(orr_gate_compare(request, node, expected, arena, gate, err));
    for (uint32_t i = 0; i < gate->count; i++)
        gate->reasons[i].allowed = is_allowed(request, gate->reasons[i].id);
    ORR_TRY(take_bandwidths(request, node, expected, arena, gate, ret_limits, err));
    put_in_order(gate);
    gate->state = gate->counted ? ORR_GATE_DEGRADED : ORR_GATE_FIT;
    return ORR_OK;
}
