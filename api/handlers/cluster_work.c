/* SPDX-License-Identifier: Apache-2.0 */
#include "api/handlers/cluster_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handlers/handlers.h"
#include "engine/base/budget.h"
#include "engine/base/index.h"
#include "engine/compare/majority.h"
#include "engine/input/input.h"

static void free_parts(struct orr_shared *shared)
{
    struct orr_cluster_parts *parts = (struct orr_cluster_parts *)shared;
    for (uint32_t i = 0; parts->dumps && i < parts->file.topology_count; i++)
        if (parts->owned[i])
            orr_dump_free(parts->dumps[i]);
    orr_cluster_file_release(&parts->file);
    free(parts);
}

/* Which shapes were read, by the topology that had each first. */
struct shapes {
    struct orr_index index;
    const char **of; /* [topology] */
    uint32_t count;
};

/* The first topology with the shape of topology i; i itself if there is none before it. */
static enum orr_code find_alike(const struct orr_cluster_topologies *topologies, struct orr_cluster_parts *parts,
                                struct shapes *shapes, uint32_t i, uint32_t *ret_first, struct orr_error *err)
{
    const char *id = parts->file.topologies[i];
    const struct orr_record *record = orr_cluster_topology(topologies, id);
    const char *shape = record && *record->shape ? record->shape : id;
    const uint64_t hash = orr_hash_key(orr_hash_seeded(), shape, strlen(shape));
    uintptr_t row;
    for (struct orr_probe probe = {0}; orr_index_next(&shapes->index, hash, &probe, &row);)
        if (!strcmp(shapes->of[row], shape)) {
            *ret_first = (uint32_t)row;
            return ORR_OK;
        }
    if (shapes->count++ == ORR_MAX_SET) {
        return orr_fail_with(err, ORR_LIMIT, NULL, "use one topology with a count for identical hosts",
                             "the cluster has more than %d topologies that differ in more than GUIDs and host hashes",
                             (int)ORR_MAX_SET);
    }
    shapes->of[i] = orr_arena_strndup(parts->file.arena, shape, strlen(shape));
    ORR_NEED(shapes->of[i] && orr_index_add(&shapes->index, hash, i), err);
    *ret_first = i;
    return ORR_OK;
}

static enum orr_code read_dump(struct orr_call *call, const struct orr_release *reading,
                               struct orr_cluster_parts *parts, uint32_t i, size_t *total, struct orr_error *err)
{
    struct orr_dump_limits limits = orr_dump_default_limits;
    limits.bytes = call->app->max_body;
    const struct orr_input_options input = {.limits = &limits, .release = reading};
    char *bytes;
    size_t length;
    ORR_TRY(orr_store_read(call->app->store, parts->file.topologies[i], &bytes, &length, err));
    *total += length;
    if (*total > ORR_SET_BYTES) {
        orr_budget_free(bytes, length + 1);
        return orr_fail_with(err, ORR_LIMIT, NULL, "use one topology with a count for identical hosts",
                             "the dumps of the cluster have more than %d MiB together", ORR_SET_BYTES >> 20);
    }
    enum orr_code code = orr_input_read(bytes, length, &input, &parts->dumps[i], err);
    orr_budget_free(bytes, length + 1);
    if (code != ORR_OK)
        orr_error_where(err, "topology %s", parts->file.topologies[i]);
    return code;
}

static enum orr_code read_dumps(struct orr_call *call, const struct orr_cluster_topologies *topologies,
                                const struct orr_release *reading, struct orr_cluster_parts *parts,
                                struct orr_error *err)
{
    const struct orr_cluster_file *file = &parts->file;
    struct shapes shapes = {.index = {.arena = file->arena}};
    size_t total = 0;
    parts->owned = ORR_NEW(file->arena, bool, file->topology_count);
    shapes.of = ORR_NEW(file->arena, const char *, file->topology_count);
    ORR_NEED(parts->owned && shapes.of &&
                 (parts->dumps = ORR_NEW(file->arena, struct orr_dump *, file->topology_count)),
             err);
    for (uint32_t i = 0; i < file->topology_count; i++) {
        uint32_t first = i;
        if (file->machines[i]) {
            ORR_TRY(orr_input_machine(file->machines[i], &parts->dumps[i], err));
        } else {
            ORR_TRY(find_alike(topologies, parts, &shapes, i, &first, err));
            if (first == i)
                ORR_TRY(read_dump(call, reading, parts, i, &total, err));
        }
        parts->owned[i] = first == i;
        parts->dumps[i] = parts->dumps[first];
        const struct orr_dump *dump = parts->dumps[i];
        parts->by_release |= !file->machines[i] && dump->notes && dump->notes->release;
        parts->shared.cost += parts->owned[i] ? orr_arena_bytes(dump->arena) : 0;
    }
    parts->shared.cost += sizeof *parts + orr_arena_bytes(file->arena);
    return ORR_OK;
}

static bool copy_texts(struct orr_arena *arena, const char **texts, uint32_t count)
{
    for (uint32_t i = 0; texts && i < count; i++)
        if (texts[i] && !(texts[i] = orr_arena_strndup(arena, texts[i], strlen(texts[i]))))
            return false;
    return true;
}

/* What labels give is copied, as it lives no longer than the call. */
static enum orr_code read_names(struct orr_cluster_topologies *topologies, struct orr_cluster_parts *parts,
                                struct orr_error *err)
{
    struct orr_cluster_file *file = &parts->file;
    struct orr_cluster_names *names = &parts->names;
    uint32_t hosts = 0;
    ORR_TRY(orr_cluster_file_names(file, orr_label_of_topology, topologies, file->arena, names, err));
    for (uint32_t l = 0; l < file->host_count; l++)
        hosts += file->hosts[l].count;
    ORR_NEED(copy_texts(file->arena, names->hosts, hosts) && copy_texts(file->arena, names->leaves, file->host_count) &&
                 copy_texts(file->arena, names->domains, file->host_count),
             err);
    return ORR_OK;
}

static enum orr_code make_parts(struct orr_call *call, const struct orr_release *reading,
                                struct orr_cluster_parts **ret_parts, struct orr_error *err)
{
    ORR_LOCAL_STRUCT(orr_cluster_topologies, topologies);
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
        code = orr_cluster_topologies_read(call, &parts->file, &topologies, err);
    if (code == ORR_OK)
        code = read_dumps(call, &topologies, reading, parts, err);
    if (code == ORR_OK)
        code = read_names(&topologies, parts, err);
    if (code == ORR_OK)
        *ret_parts = parts;
    else
        orr_shared_give(&parts->shared);
    return code;
}

/* From the cache if they exist: as read by this release, or by any where all releases read the same. */
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
    ORR_TRY(orr_cluster_file_request(file, work->parts->dumps, &work->parts->names, call->params.rank_order,
                                     &query->settings, work->arena, &request, err));
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
