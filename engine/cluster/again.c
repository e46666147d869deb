/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/cluster/again.h"

#include "engine/analysis/failing.h"
#include "engine/cluster/cluster.h"

/* Assigns hosts to one domain after the other; all are full except perhaps the last. */
enum orr_code orr_analyze_hosts(const struct orr_dump *dump, const struct orr_query *query,
                                struct orr_stage_times *times, struct orr_analysis **ret_answer, struct orr_error *err)
{
    const uint32_t noted = dump->notes && !query->apart ? dump->notes->joined : 0;
    const uint32_t stated = query->domain ? query->domain : noted;
    struct orr_cluster *cluster;
    ORR_LOCAL_ARENA(arena, 0);
    if (stated < 2 || query->hosts < 2)
        return orr_analyze(dump, query, times, ret_answer, err);
    const uint32_t count = (query->hosts + stated - 1) / stated;
    struct orr_cluster_line *lines = ORR_NEW(arena, struct orr_cluster_line, count);
    ORR_NEED(lines, err);
    for (uint32_t l = 0; l < count; l++) {
        const uint32_t left = query->hosts - l * stated;
        lines[l] = (struct orr_cluster_line){
            .dump = dump, .count = left < stated ? left : stated, .domain = orr_arena_printf(arena, "%u", l + 1)};
        ORR_NEED(lines[l].domain, err);
    }
    const struct orr_cluster_request request = {.lines = lines,
                                                .line_count = count,
                                                .settings = query->settings,
                                                .plan = query->plan,
                                                .by_kind = !query->domain,
                                                .arena = orr_arena_take(&arena)};
    ORR_TRY(orr_cluster_analyze(&request, &cluster, err));
    *ret_answer = cluster->analysis;
    return ORR_OK;
}

bool orr_joins_by_kind(const struct orr_analysis *analysis)
{
    const struct orr_cluster *cluster = analysis->cluster;
    return cluster && cluster->by_kind && cluster->fabrics.rule == ORR_MNNVL_RULE_ON;
}

void orr_joined_clause(const struct orr_cluster *cluster, struct orr_text *text)
{
    const uint32_t count = cluster->system_count, first = cluster->systems[0].host_count;
    const uint32_t last = cluster->systems[count - 1].host_count;
    if (count == 1)
        orr_text_printf(text, "NVLink joins the hosts (%u GPUs in 1 domain)", cluster->rank_count);
    else
        orr_text_printf(text, "NVLink joins every %u hosts (%u GPUs in %u domains", first, cluster->rank_count, count);
    if (last != first)
        orr_text_printf(text, ", the last with %u host%s", last, orr_plural(last));
    orr_text_puts(text, count == 1 ? "" : ")");
}

/* Chooses the first hosts of a cluster, and the ranks that they keep, in the same order. */
static enum orr_code first_hosts(const struct orr_cluster *cluster, uint32_t count, struct orr_arena *arena,
                                 struct orr_cluster_request *request, struct orr_error *err)
{
    uint32_t *host_of_rank = ORR_NEW(arena, uint32_t, cluster->rank_count);
    uint32_t *number = ORR_NEW(arena, uint32_t, cluster->host_count);
    struct orr_cluster_line *lines = ORR_NEW(arena, struct orr_cluster_line, cluster->line_count);
    uint32_t chosen = 0;
    ORR_NEED(host_of_rank && number && lines, err);
    for (uint32_t h = 0; h < cluster->host_count; h++)
        for (uint32_t g = 0; g < cluster->hosts[h].rank_count; g++)
            host_of_rank[cluster->hosts[h].ranks[g]] = h;
    for (uint32_t r = 0; r < cluster->rank_count && chosen < count; r++)
        if (!number[host_of_rank[r]]) {
            number[host_of_rank[r]] = 1;
            chosen++;
        }
    /* From here on number is a host's place among the chosen ones, from 1. */
    for (uint32_t h = 0, at = 0, line = UINT32_MAX; h < cluster->host_count; h++) {
        if (!number[h])
            continue;
        number[h] = ++at;
        if (cluster->hosts[h].line != line) {
            line = cluster->hosts[h].line;
            lines[request->line_count] = cluster->lines[line];
            lines[request->line_count].names = NULL;
            lines[request->line_count++].count = 0;
        }
        lines[request->line_count - 1].count++;
    }
    for (uint32_t r = 0; r < cluster->rank_count; r++)
        if (number[host_of_rank[r]])
            host_of_rank[request->listed_ranks++] = number[host_of_rank[r]] - 1;
    request->lines = lines;
    request->order = ORR_ORDER_LIST;
    request->host_of_rank = host_of_rank;
    return ORR_OK;
}

enum orr_code orr_cluster_analyze_again(const struct orr_cluster *cluster, const struct orr_dump *dump,
                                        const struct orr_query *query, struct orr_analysis **ret_answer,
                                        struct orr_error *err)
{
    struct orr_cluster *answer;
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_cluster_request request = {
        .settings = query->settings, .plan = cluster->plan, .by_kind = cluster->by_kind};
    if (query->first_hosts && query->first_hosts < cluster->host_count) {
        ORR_TRY(first_hosts(cluster, query->first_hosts, arena, &request, err));
    } else {
        request.lines = cluster->lines;
        request.line_count = cluster->line_count;
        request.order = cluster->order;
        request.host_of_rank = cluster->host_of_rank;
        request.listed_ranks = cluster->host_of_rank ? cluster->rank_count : 0;
    }
    if (dump) {
        struct orr_cluster_line *lines = ORR_NEW(arena, struct orr_cluster_line, request.line_count);
        ORR_NEED(lines, err);
        for (uint32_t l = 0; l < request.line_count; l++) {
            lines[l] = request.lines[l];
            lines[l].dump = dump;
        }
        request.lines = lines;
    }
    ORR_TRY(orr_cluster_analyze(&request, &answer, err));
    *ret_answer = answer->analysis;
    return ORR_OK;
}

enum orr_code orr_analyze_again(const struct orr_analysis *analysis, const struct orr_query *query,
                                struct orr_analysis **ret_answer, struct orr_error *err)
{
    if (analysis->cluster)
        return orr_cluster_analyze_again(analysis->cluster, NULL, query, ret_answer, err);
    return orr_analyze(analysis->given, query, NULL, ret_answer, err);
}

void orr_analysis_again_free(struct orr_analysis *answer)
{
    if (answer && answer->cluster)
        orr_cluster_free((struct orr_cluster *)(uintptr_t)answer->cluster); /* the cluster owns the analysis */
    else
        orr_analysis_free(answer);
}

size_t orr_analysis_bytes(const struct orr_analysis *analysis)
{
    return analysis->cluster ? orr_cluster_bytes(analysis->cluster) : orr_arena_bytes(analysis->arena);
}

static uint64_t steps_of(const struct orr_analysis *analysis)
{
    uint64_t steps = 0;
    for (uint32_t p = 0; p < analysis->part_count; p++)
        for (int kind = 0; kind < ORR_GRAPH_COUNT; kind++)
            steps += analysis->parts[p].contribution.graphs[kind].steps;
    return steps;
}

uint64_t orr_analysis_steps(const struct orr_analysis *analysis)
{
    uint64_t steps = 0;
    if (!analysis->cluster)
        return steps_of(analysis);
    for (uint32_t k = 0; k < analysis->cluster->kind_count; k++)
        steps += steps_of(analysis->cluster->kinds[k].analysis);
    return steps;
}

uint32_t orr_analysis_searches(const struct orr_analysis *analysis)
{
    return analysis->cluster ? analysis->cluster->kind_count : 1;
}

static enum orr_code check_strict(const struct orr_analysis *analysis, struct orr_error *err)
{
    struct orr_failure failure;
    if (!orr_analysis_fails(analysis, &failure))
        return ORR_OK;
    orr_fail(err, ORR_REFUSED, "NCCL would not start: %s", failure.text);
    orr_error_advice(err, "%swithout strict, Orrery analyses the input anyway and adds a finding",
                     failure.lacks_nets ? "add the NIC or socket interface that the job uses; " : "");
    return ORR_REFUSED;
}

enum orr_code orr_analysis_check_strict(const struct orr_analysis *analysis, struct orr_error *err)
{
    const struct orr_cluster *cluster = analysis->cluster;
    for (uint32_t k = 1; cluster && k < cluster->kind_count; k++)
        ORR_TRY(check_strict(cluster->kinds[k].analysis, err));
    return check_strict(analysis, err);
}
