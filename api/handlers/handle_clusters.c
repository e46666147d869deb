/* SPDX-License-Identifier: Apache-2.0 */
/* Stored clusters: store, list, read, delete; and their findings. Their analyses are made by
 * handle_analysis.c, as for one topology. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/documents/cluster_file.h"
#include "api/documents/documents.h"
#include "api/documents/sections.h"
#include "api/handlers/cluster_work.h"
#include "api/handlers/handlers.h"
#include "engine/compare/majority.h"
#include "engine/diagnosis/cluster_faults.h"

static json_t *links_json(struct orr_json *json, const char *id)
{
    static const char *const names[] = {"analysis", "findings", "diagram"};
    json_t *links = ORR_OBJECT(json, ORR_VALUE("self", orr_json_format(json, "/v1/clusters/%s", id)));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        orr_json_set(json, links, names[i],
                     orr_json_format(json, "/v1/clusters/%s/%s%s", id, names[i], i == 2 ? ".svg" : ""));
    return links;
}

/* A cluster as users see it. description: owned from now on; NULL means the record's, which lists omit. */
static json_t *record_json(struct orr_json *json, const struct orr_cluster_record *record, json_t *description)
{
    if (!description && record->body[0])
        description = json_loads(record->body, 0, NULL); /* our own text: only memory can be short */
    return ORR_OBJECT(json, ORR_STRING("id", record->id), ORR_STRING("name", record->name),
                      ORR_VALUE("created", orr_time_json(json, record->created)), ORR_STRING("sha256", record->digest),
                      ORR_INT("hosts", record->hosts),
                      ORR_WHEN(description || record->body[0], ORR_VALUE("description", description)),
                      ORR_VALUE("links", links_json(json, record->id)));
}

/* Reads the body; its errors are about JSON, not about a topology. */
static enum orr_code read_body(struct orr_call *call, struct orr_cluster_file *file, struct orr_error *err)
{
    enum { MOST = 4 << 20 };
    if (call->request->body_length > MOST) {
        call->problem = ORR_PROBLEM_BODY_SIZE;
        return orr_fail(err, ORR_LIMIT, "the description of a cluster may have at most %d bytes", (int)MOST);
    }
    if (!call->request->body_length) {
        call->problem = ORR_PROBLEM_BODY_EMPTY;
        return orr_fail(err, ORR_INVALID, "the request needs the description of a cluster as its body");
    }
    ORR_TRY(orr_as_problem(call, ORR_PROBLEM_BODY_JSON,
                           orr_cluster_file_read(call->request->body, call->request->body_length, file, err)));
    return ORR_OK;
}

/* The topologies that the store must have: all but machine types. */
static enum orr_code stored_ids(const struct orr_cluster_file *file, const char ***ret_ids, uint32_t *ret_count,
                                struct orr_error *err)
{
    const char **ids = ORR_NEW(file->arena, const char *, file->topology_count);
    uint32_t count = 0;
    ORR_NEED(ids, err);
    for (uint32_t i = 0; i < file->topology_count; i++)
        if (!file->machines[i])
            ids[count++] = file->topologies[i];
    *ret_ids = ids;
    *ret_count = count;
    return ORR_OK;
}

static enum orr_code check_ids(struct orr_call *call, const struct orr_cluster_file *file, int64_t *ret_hosts,
                               struct orr_error *err)
{
    *ret_hosts = 0;
    for (uint32_t i = 0; i < file->topology_count; i++)
        if (!file->machines[i] && !orr_is_id(file->topologies[i])) {
            call->problem = ORR_PROBLEM_BODY_JSON;
            return orr_fail_with(err, ORR_INVALID, NULL,
                                 "upload each dump with POST /v1/topologies and name it by its id, or name a machine "
                                 "type with \"machine\"",
                                 "\"%.60s\" is not the id of a topology", file->topologies[i]);
        }
    for (uint32_t i = 0; i < file->host_count; i++)
        *ret_hosts += file->hosts[i].count;
    if (*ret_hosts <= ORR_MAX_CLUSTER_HOSTS)
        return ORR_OK;
    return orr_fail(err, ORR_LIMIT, "%lld hosts, more than %d", (long long)*ret_hosts, (int)ORR_MAX_CLUSTER_HOSTS);
}

static enum orr_code keep(struct orr_call *call, struct orr_cluster_file *file, struct orr_answer **ret_answer,
                          struct orr_error *err)
{
    struct orr_json json = {0};
    struct orr_cluster_record record = {.created = orr_time_of_arrival(call->app)};
    ORR_LOCAL_TEXT(body, ORR_MAX_ANSWER);
    bool existed = false;
    const char **ids = NULL;
    uint32_t id_count = 0;
    ORR_TRY(check_ids(call, file, &record.hosts, err));
    ORR_TRY(stored_ids(file, &ids, &id_count, err));
    json_t *description = orr_cluster_file_json(&json, file);
    enum orr_code code = orr_json_write(&json, orr_json_again(description), false, &body, err);
    if (code == ORR_OK) {
        orr_sha256(body.data, body.length, record.digest);
        snprintf(record.id, sizeof record.id, "%.*s", (int)ORR_ID_LENGTH, record.digest);
        record.name = (char *)(uintptr_t)file->name;
        record.body = body.data;
        code = orr_store_cluster_put(call->app->store, &record, ids, id_count, &existed, err);
    }
    if (code == ORR_OK)
        code = orr_store_cluster_get(call->app->store, record.id, &record, err);
    if (code != ORR_OK) {
        json_decref(description);
        return code;
    }
    orr_response_header(call->response, "Location", "/v1/clusters/%s", record.id);
    json_t *object = record_json(&json, &record, description);
    orr_cluster_record_release(&record);
    return orr_answer_of_json(existed ? 200 : 201, &json, object, ret_answer, err);
}

enum orr_code orr_handle_cluster_put(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    struct orr_cluster_file file;
    ORR_TRY(read_body(call, &file, err));
    enum orr_code code = keep(call, &file, ret_answer, err);
    orr_cluster_file_release(&file);
    return code;
}

enum orr_code orr_handle_cluster_list(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    struct orr_cluster_record *records;
    const char *before_id;
    int64_t before;
    uint32_t count;
    struct orr_json json = {0};
    ORR_TRY(orr_read_cursor(call, &before, &before_id, err));
    ORR_TRY(orr_store_clusters(call->app->store, before, before_id, call->params.limit + 1, &records, &count, err));
    json_t *object = orr_json_object(&json), *items = orr_json_array(&json), *next = json_null();
    for (uint32_t i = 0; i < count && i < call->params.limit; i++)
        orr_json_add(&json, items, record_json(&json, &records[i], NULL));
    if (count > call->params.limit) { /* one more was asked for, to know */
        const struct orr_cluster_record *last = &records[call->params.limit - 1];
        char cursor[ORR_CURSOR_SIZE];
        orr_write_cursor(cursor, last->created, last->id);
        next = orr_json_text(&json, cursor);
        orr_response_header(call->response, "Link", "</v1/clusters?limit=%u&cursor=%s>; rel=\"next\"",
                            call->params.limit, cursor);
    }
    for (uint32_t i = 0; i < count; i++)
        orr_cluster_record_release(&records[i]);
    free(records);
    ORR_SET(&json, object, ORR_VALUE("items", items), ORR_VALUE("next", next));
    return orr_answer_of_json(200, &json, object, ret_answer, err);
}

enum orr_code orr_handle_cluster(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    ORR_LOCAL_STRUCT(orr_cluster_record, record);
    struct orr_json json = {0};
    ORR_TRY(orr_store_cluster_get(call->app->store, call->id, &record, err));
    json_t *object = record_json(&json, &record, NULL);
    return orr_answer_of_json(200, &json, object, ret_answer, err);
}

enum orr_code orr_handle_cluster_delete(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    if (orr_call_header(call, "If-Match") || orr_call_header(call, "If-None-Match")) {
        struct orr_answer *seen;
        ORR_TRY(orr_handle_cluster(call, &seen, err)); /* it never changes while it is stored, so it has no revision */
        enum orr_code code = orr_call_conditions(call, seen, err);
        orr_shared_give(&seen->shared);
        ORR_TRY(code);
    }
    ORR_TRY(orr_store_cluster_delete(call->app->store, call->id, err));
    orr_cache_forget(call->app->cache, call->id);
    *ret_answer = orr_answer_new(204, NULL, NULL, 0);
    return *ret_answer ? ORR_OK : orr_fail_nomem(err);
}

enum orr_code orr_handle_cluster_findings(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    ORR_LOCAL(orr_work, work);
    struct orr_json json = {0};
    call->params.query.plan = true;
    ORR_TRY(orr_call_work(call, &work, err));
    const struct orr_analysis *analysis = work->analysis;
    json_t *object = ORR_OBJECT(&json, ORR_VALUE("counts", orr_finding_counts_json(&json, analysis->dump, analysis)),
                                ORR_VALUE("findings", orr_findings_json(&json, analysis->dump, analysis)),
                                ORR_VALUE("not_decidable", orr_undecided_json(&json)));
    return orr_answer_of_json(200, &json, object, ret_answer, err);
}

enum orr_code orr_handle_cluster_verdict(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    ORR_LOCAL(orr_work, work);
    struct orr_json json = {0};
    struct orr_cluster_faults faults;
    ORR_LOCAL_ARENA(arena, 0);
    call->params.query.plan = true;
    ORR_TRY(orr_call_work(call, &work, err));
    ORR_TRY(orr_cluster_faults_find(work->cluster->cluster, arena, &faults, err));
    json_t *object = orr_cluster_faults_json(&json, work->cluster->cluster, &faults);
    return orr_answer_of_json(200, &json, object, ret_answer, err);
}

enum orr_code orr_handle_groups(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    ORR_LOCAL(orr_work, work);
    struct orr_json json = {0};
    json_t *object;
    if (!call->params.layout) {
        call->problem = ORR_PROBLEM_PARAMETER;
        return orr_fail_with(err, ORR_SETTING, "layout", "such as layout=tp=8,pp=4,dp=16", "groups need a layout");
    }
    call->params.query.plan = true;
    ORR_TRY(orr_call_work(call, &work, err));
    enum orr_code code = orr_groups_json(&json, work->cluster->cluster, call->params.layout, &object, err);
    if (code == ORR_SETTING)
        call->problem = ORR_PROBLEM_PARAMETER;
    ORR_TRY(code);
    return orr_answer_of_json(200, &json, object, ret_answer, err);
}
