/* SPDX-License-Identifier: Apache-2.0 */
/* Facts for other programs: about one topology, a stored cluster, or the hosts that uploaded dumps. */
#include <stdlib.h>
#include <string.h>

#include "api/documents/cluster_file.h"
#include "api/handlers/cluster_work.h"
#include "api/handlers/fleet.h"
#include "engine/base/budget.h"

static enum orr_code answer(struct orr_call *call, const struct orr_export_request *request,
                            struct orr_answer **ret_answer, struct orr_error *err)
{
    ORR_LOCAL_TEXT(text, ORR_MAX_ANSWER);
    ORR_TRY(orr_export_write(call->params.facts, request, &text, err));
    return orr_answer_of_text(200, orr_export_format(call->params.facts)->media_type, &text, ret_answer, err);
}

static enum orr_code wrong_format(struct orr_call *call, bool fleet, struct orr_error *err)
{
    const struct orr_export_format *format = orr_export_format(call->params.facts);
    call->problem = ORR_PROBLEM_PARAMETER;
    return orr_fail_with(err, ORR_SETTING, "format",
                         fleet ? "ask /v1/topologies/{id}/facts for it" : "ask /v1/clusters/{id}/facts or /v1/facts",
                         "the format %s describes %s", format->name, fleet ? "one host" : "several hosts");
}

enum orr_code orr_handle_topology_facts(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    ORR_LOCAL(orr_dump, dump);
    if (orr_export_format(call->params.facts)->fleet)
        return wrong_format(call, false, err);
    ORR_TRY(orr_call_dump(call, NULL, &dump, err));
    const struct orr_export_host host = {.name = "", .dump = dump};
    const struct orr_export_request request = {.hosts = &host, .count = 1, .settings = call->params.query.settings};
    return answer(call, &request, ret_answer, err);
}

/* Exports the faulty hosts of the analysed cluster. */
static enum orr_code facts_about_faults(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    ORR_LOCAL(orr_work, work);
    ORR_LOCAL_STRUCT(orr_cluster_record, record);
    call->params.query.plan = true;
    ORR_TRY(orr_store_cluster_get(call->app->store, call->id, &record, err));
    ORR_TRY(orr_call_work(call, &work, err));
    const struct orr_export_request request = {.settings = call->params.query.settings,
                                               .cluster = work->cluster->cluster,
                                               .title = record.name,
                                               .id = record.id};
    return answer(call, &request, ret_answer, err);
}

enum orr_code orr_handle_cluster_facts(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    ORR_LOCAL_STRUCT(orr_cluster_record, record);
    ORR_LOCAL_STRUCT(orr_cluster_topologies, topologies);
    struct orr_cluster_file file;
    struct orr_export_request request = {.settings = call->params.query.settings};
    if (orr_export_format(call->params.facts)->faults)
        return facts_about_faults(call, ret_answer, err);
    if (!orr_export_format(call->params.facts)->fleet)
        return wrong_format(call, true, err);
    ORR_TRY(orr_store_cluster_get(call->app->store, call->id, &record, err));
    enum orr_code code = orr_cluster_file_read(record.body, strlen(record.body), &file, err);
    ORR_TRY(code);
    code = orr_cluster_topologies_read(call, &file, &topologies, err);
    if (code == ORR_OK)
        code = orr_cluster_file_facts(&file, orr_label_of_topology, &topologies, call->arena, &request, err);
    if (code == ORR_OK)
        code = answer(call, &request, ret_answer, err);
    orr_cluster_file_release(&file);
    return code;
}

/* The hosts whose last uploads have the labels. */
static enum orr_code read_hosts(struct orr_call *call, const struct orr_export_host **ret_hosts, uint32_t *ret_count,
                                struct orr_error *err)
{
    struct orr_fleet_host *rows;
    uint32_t count, fitting = 0;
    ORR_TRY(orr_store_fleet(call->app->store, ORR_MAX_CLUSTER_HOSTS + 1, &rows, &count, err));
    struct orr_export_host *hosts = ORR_NEW(call->arena, struct orr_export_host, count + 1);
    enum orr_code code = hosts ? ORR_OK : orr_fail_nomem(err);
    if (code == ORR_OK && count > ORR_MAX_CLUSTER_HOSTS)
        code = orr_fail(err, ORR_LIMIT, "more than %d hosts are stored", (int)ORR_MAX_CLUSTER_HOSTS);
    for (uint32_t i = 0; i < count && code == ORR_OK; i++) {
        if (orr_fleet_labels_fit(call, rows[i].labels)) {
            hosts[fitting] =
                (struct orr_export_host){.name = orr_arena_strndup(call->arena, rows[i].name, strlen(rows[i].name)),
                                         .domain = orr_label_text(call, rows[i].labels, "domain"),
                                         .leaf = orr_label_text(call, rows[i].labels, "switch")};
            code = hosts[fitting++].name ? ORR_OK : orr_fail_nomem(err);
        }
        code = code == ORR_OK && orr_budget_spent(16) ? orr_budget_check(err) : code;
    }
    for (uint32_t i = 0; i < count; i++)
        orr_fleet_host_release(&rows[i]);
    free(rows);
    *ret_hosts = hosts;
    *ret_count = fitting;
    return code;
}

enum orr_code orr_handle_fleet_facts(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    struct orr_export_request request = {0};
    if (!orr_export_format(call->params.facts)->fleet)
        return wrong_format(call, true, err);
    ORR_TRY(read_hosts(call, &request.hosts, &request.count, err));
    if (!request.count) {
        return orr_fail_with(err, ORR_NOT_FOUND, NULL,
                             "GET /v1/hosts lists the hosts; POST /v1/topologies?label=host%3DNAME adds to one",
                             "no host is stored%s", call->params.label_count ? " with these labels" : "");
    }
    return answer(call, &request, ret_answer, err);
}
