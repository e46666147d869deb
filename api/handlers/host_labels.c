/* SPDX-License-Identifier: Apache-2.0 */
/* What labels of a stored dump say about a host. */
#include <stdlib.h>
#include <string.h>

#include "api/handlers/handlers.h"

const char *orr_label_text(struct orr_call *call, const char *labels, const char *name)
{
    char value[ORR_MAX_LABEL_VALUE + 1];
    orr_json_member(labels, strlen(labels), name, value, sizeof value);
    return value[0] ? orr_arena_strndup(call->arena, value, strlen(value)) : NULL;
}

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct orr_record *)a)->id, ((const struct orr_record *)b)->id);
}

enum orr_code orr_cluster_topologies_read(struct orr_call *call, const struct orr_cluster_file *file,
                                          struct orr_cluster_topologies *ret_topologies, struct orr_error *err)
{
    struct orr_cluster_topologies read = {.call = call};
    ORR_TRY(
        orr_store_cluster_topologies(call->app->store, call->id, file->topology_count, &read.items, &read.count, err));
    if (read.count)
        qsort(read.items, read.count, sizeof *read.items, by_id);
    *ret_topologies = read;
    return ORR_OK;
}

void orr_cluster_topologies_release(struct orr_cluster_topologies *topologies)
{
    for (uint32_t i = 0; i < topologies->count; i++)
        orr_record_release(&topologies->items[i]);
    free(topologies->items);
    *topologies = (struct orr_cluster_topologies){0};
}

const struct orr_record *orr_cluster_topology(const struct orr_cluster_topologies *topologies, const char *id)
{
    uint32_t first = 0, end = topologies->count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        const int order = strcmp(topologies->items[middle].id, id);
        if (!order)
            return &topologies->items[middle];
        if (order < 0)
            first = middle + 1;
        else
            end = middle;
    }
    return NULL;
}

const char *orr_label_of_topology(void *context, const char *topology, enum orr_topology_fact fact)
{
    static const char *const labels[] = {
        [ORR_TOPOLOGY_NAME] = "host", [ORR_TOPOLOGY_LEAF] = "switch", [ORR_TOPOLOGY_DOMAIN] = "domain"};
    const struct orr_cluster_topologies *topologies = context;
    const struct orr_record *record = orr_cluster_topology(topologies, topology);
    return record ? orr_label_text(topologies->call, record->labels, labels[fact]) : NULL;
}
