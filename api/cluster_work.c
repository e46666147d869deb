#include "api/cluster_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/call.h"
#include "engine/compare/majority.h"
#include "engine/input/input.h"

static enum orr_code read_dumps(struct orr_call *call, const struct orr_release *release, struct orr_cluster_work *work,
                                struct orr_error *err)
{
    struct orr_dump_limits limits = orr_dump_default_limits;
    limits.bytes = call->app->max_body;
    const struct orr_input_options input = {.limits = &limits, .release = release};
    work->dumps = ORR_NEW(work->file.arena, struct orr_dump *, work->file.topology_count);
    if (!work->dumps)
        return orr_fail_nomem(err);
    size_t total = 0;
    for (uint32_t i = 0; i < work->file.topology_count; i++) {
        char *bytes;
        size_t length;
        ORR_TRY(orr_store_read(call->app->store, work->file.topologies[i], &bytes, &length, err));
        total += length;
        if (total > ORR_SET_BYTES) {
            free(bytes);
            orr_fail(err, ORR_LIMIT, "the dumps of the cluster have more than %d MiB together", ORR_SET_BYTES >> 20);
            orr_error_advice(err, "give hosts that are equal one topology with a count");
            return ORR_LIMIT;
        }
        enum orr_code code = orr_input_read(bytes, length, &input, &work->dumps[i], err);
        free(bytes);
        if (code != ORR_OK)
            orr_error_where(err, "topology %s", work->file.topologies[i]);
        ORR_TRY(code);
    }
    return ORR_OK;
}

static enum orr_code analyse(struct orr_call *call, const struct orr_query *query, struct orr_cluster_work *work,
                             struct orr_error *err)
{
    struct orr_cluster_record record;
    struct orr_cluster_request request;
    ORR_TRY(orr_store_cluster_get(call->app->store, call->id, &record, err));
    enum orr_code code = orr_cluster_file_read(record.body, strlen(record.body), &work->file, err);
    orr_cluster_record_release(&record);
    ORR_TRY(code);
    ORR_TRY(read_dumps(call, query->settings.release, work, err));
    ORR_TRY(orr_cluster_file_request(&work->file, work->dumps, &query->settings, &request, err));
    request.plan = query->plan;
    code = orr_cluster_analyze(&request, &work->cluster, err);
    if (code != ORR_OK && err->line && err->host) { /* the place is in a topology */
        char inside[sizeof err->where];
        memcpy(inside, err->where, sizeof inside);
        snprintf(err->where, sizeof err->where, "topology %s, %.50s",
                 work->file.topologies[work->file.hosts[err->host - 1].topology], inside);
    }
    return code;
}

enum orr_code orr_cluster_work(struct orr_call *call, const struct orr_query *query, struct orr_work *work,
                               struct orr_error *err)
{
    work->cluster = calloc(1, sizeof *work->cluster);
    enum orr_code code = work->cluster ? analyse(call, query, work->cluster, err) : orr_fail_nomem(err);
    if (code != ORR_OK) {
        orr_cluster_work_free(work->cluster);
        return code;
    }
    work->analysis = work->cluster->cluster->analysis;
    return ORR_OK;
}

enum orr_code orr_cluster_work_strict(const struct orr_cluster_work *cluster, struct orr_error *err)
{
    for (uint32_t i = 0; i < cluster->file.topology_count; i++) {
        enum orr_code code = orr_dump_check_strict(cluster->dumps[i], err);
        if (code != ORR_OK)
            orr_error_where(err, "topology %s", cluster->file.topologies[i]);
        ORR_TRY(code);
    }
    return ORR_OK;
}

void orr_cluster_work_free(struct orr_cluster_work *cluster)
{
    if (!cluster)
        return;
    orr_cluster_free(cluster->cluster);
    for (uint32_t i = 0; cluster->dumps && i < cluster->file.topology_count; i++)
        orr_dump_free(cluster->dumps[i]);
    orr_cluster_file_release(&cluster->file);
    free(cluster);
}

size_t orr_cluster_work_bytes(const struct orr_cluster_work *cluster)
{
    size_t bytes = sizeof *cluster + orr_arena_bytes(cluster->file.arena) + orr_cluster_bytes(cluster->cluster);
    for (uint32_t i = 0; i < cluster->file.topology_count; i++)
        bytes += orr_arena_bytes(cluster->dumps[i]->arena);
    return bytes;
}
