/* SPDX-License-Identifier: Apache-2.0 */
#include "api/handlers/cluster_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handlers/handlers.h"
#include "engine/base/budget.h"
#include "engine/compare/majority.h"
#include "engine/input/input.h"

static void free_parts(struct orr_shared *shared)
{
    struct orr_cluster_parts *parts = (struct orr_cluster_parts *)shared;
    for (uint32_t i = 0; parts->dumps && i < parts->file.topology_count; i++)
        orr_dump_free(parts->dumps[i]);
    orr_cluster_file_release(&parts->file);
    free(parts);
}

static enum orr_code read_dumps(struct orr_call *call, const struct orr_release *reading,
                                struct orr_cluster_parts *parts, struct orr_error *err)
{
    struct orr_dump_limits limits = orr_dump_default_limits;
    limits.bytes = call->app->max_body;
    const struct orr_input_options input = {.limits = &limits, .release = reading};
    parts->dumps = ORR_NEW(parts->file.arena, struct orr_dump *, parts->file.topology_count);
    ORR_NEED(parts->dumps, err);
    parts->shared.cost = sizeof *parts + orr_arena_bytes(parts->file.arena);
    size_t total = 0;
    for (uint32_t i = 0; i < parts->file.topology_count; i++) {
        if (parts->file.machines[i]) {
            ORR_TRY(orr_input_machine(parts->file.machines[i], &parts->dumps[i], err));
            parts->shared.cost += orr_arena_bytes(parts->dumps[i]->arena);
            continue;
        }
        char *bytes;
        size_t length;
        ORR_TRY(orr_store_read(call->app->store, parts->file.topologies[i], &bytes, &length, err));
        total += length;
        if (total > ORR_SET_BYTES) {
            orr_budget_free(bytes, length + 1);
            return orr_fail_with(err, ORR_LIMIT, NULL, "give hosts that are equal one topology with a count",
                                 "the dumps of the cluster have more than %d MiB together", ORR_SET_BYTES >> 20);
        }
        enum orr_code code = orr_input_read(bytes, length, &input, &parts->dumps[i], err);
        orr_budget_free(bytes, length + 1);
        if (code != ORR_OK)
            orr_error_where(err, "topology %s", parts->file.topologies[i]);
        ORR_TRY(code);
        const struct orr_dump *dump = parts->dumps[i];
        parts->by_release |= dump->notes && dump->notes->release;
        parts->shared.cost += orr_arena_bytes(dump->arena);
    }
    return ORR_OK;
}

static enum orr_code make_parts(struct orr_call *call, const struct orr_release *reading,
                                struct orr_cluster_parts **ret_parts, struct orr_error *err)
{
    struct orr_cluster_record record;
    struct orr_cluster_parts *parts = calloc(1, sizeof *parts);
    ORR_NEED(parts, err);
    orr_shared_init(&parts->shared, 0, free_parts);
    enum orr_code code = orr_store_cluster_get(call->app->store, call->id, &record, err);
    if (code == ORR_OK) {
        code = orr_cluster_file_read(record.body, strlen(record.body), &parts->file, err);
        orr_cluster_record_release(&record);
    }
    if (code == ORR_OK)
        code = read_dumps(call, reading, parts, err);
    if (code == ORR_OK)
        *ret_parts = parts;
    else
        orr_shared_give(&parts->shared);
    return code;
}

/* From the cache where they are there: as read by this release, or by any where all releases read the same. */
static enum orr_code take_parts(struct orr_call *call, const struct orr_release *reading,
                                struct orr_cluster_parts **ret_parts, struct orr_error *err)
{
    char by_any[ORR_ID_LENGTH + 4], by_this[ORR_ID_LENGTH + 40];
    snprintf(by_any, sizeof by_any, "%.*s|c", (int)ORR_ID_LENGTH, call->id);
    snprintf(by_this, sizeof by_this, "%.*s|c|%.30s", (int)ORR_ID_LENGTH, call->id, reading->name);
    if ((*ret_parts = (struct orr_cluster_parts *)orr_cache_peek(call->app->cache, by_any)) ||
        (*ret_parts = (struct orr_cluster_parts *)orr_cache_begin(call->app->cache, by_this)))
        return ORR_OK;
    enum orr_code code = make_parts(call, reading, ret_parts, err);
    orr_cache_end(call->app->cache, by_this, code == ORR_OK ? &(*ret_parts)->shared : NULL);
    if (code == ORR_OK && !(*ret_parts)->by_release)
        orr_cache_also(call->app->cache, by_this, by_any, &(*ret_parts)->shared);
    return code;
}

static enum orr_code analyse(struct orr_call *call, const struct orr_query *query, const struct orr_release *reading,
                             struct orr_cluster_work *work, struct orr_error *err)
{
    struct orr_cluster_request request;
    ORR_NEED(work->arena = orr_arena_new(0), err);
    ORR_TRY(take_parts(call, reading, &work->parts, err));
    const struct orr_cluster_file *file = &work->parts->file;
    ORR_TRY(orr_cluster_file_request(file, work->parts->dumps, &query->settings, work->arena, &request, err));
    request.plan = query->plan;
    enum orr_code code = orr_cluster_analyze(&request, &work->cluster, err);
    if (code != ORR_OK && err->line && err->host) { /* the place is in a topology */
        char inside[sizeof err->where];
        memcpy(inside, err->where, sizeof inside);
        snprintf(err->where, sizeof err->where, "topology %s, %.50s",
                 file->topologies[file->hosts[err->host - 1].topology], inside);
    }
    return code;
}

enum orr_code orr_cluster_work(struct orr_call *call, const struct orr_query *query, const struct orr_release *reading,
                               struct orr_work *work, struct orr_error *err)
{
    work->cluster = calloc(1, sizeof *work->cluster);
    enum orr_code code = work->cluster ? analyse(call, query, reading, work->cluster, err) : orr_fail_nomem(err);
    if (code != ORR_OK) {
        orr_cluster_work_free(work->cluster);
        return code;
    }
    work->analysis = work->cluster->cluster->analysis;
    return ORR_OK;
}

enum orr_code orr_cluster_work_strict(const struct orr_cluster_work *cluster, struct orr_error *err)
{
    const struct orr_cluster_parts *parts = cluster->parts;
    for (uint32_t i = 0; i < parts->file.topology_count; i++) {
        enum orr_code code = orr_dump_check_strict(parts->dumps[i], err);
        if (code != ORR_OK)
            orr_error_where(err, "topology %s", parts->file.topologies[i]);
        ORR_TRY(code);
    }
    return ORR_OK;
}

void orr_cluster_work_free(struct orr_cluster_work *cluster)
{
    if (!cluster)
        return;
    orr_cluster_free(cluster->cluster);
    orr_arena_free(cluster->arena);
    if (cluster->parts)
        orr_shared_give(&cluster->parts->shared);
    free(cluster);
}

size_t orr_cluster_work_bytes(const struct orr_cluster_work *cluster)
{
    return sizeof *cluster + orr_arena_bytes(cluster->arena) + orr_cluster_bytes(cluster->cluster);
}
