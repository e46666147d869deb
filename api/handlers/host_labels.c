/* SPDX-License-Identifier: Apache-2.0 */
/* What labels of a stored dump say about a host. */
#include <string.h>

#include "api/handlers/handlers.h"

const char *orr_label_text(struct orr_call *call, const char *labels, const char *name)
{
    char value[ORR_MAX_LABEL_VALUE + 1];
    orr_json_member(labels, strlen(labels), name, value, sizeof value);
    return value[0] ? orr_arena_strndup(call->arena, value, strlen(value)) : NULL;
}

const char *orr_label_of_topology(void *context, const char *topology, enum orr_topology_fact fact)
{
    static const char *const labels[] = {
        [ORR_TOPOLOGY_NAME] = "host", [ORR_TOPOLOGY_LEAF] = "switch", [ORR_TOPOLOGY_DOMAIN] = "domain"};
    struct orr_call *call = context;
    ORR_LOCAL_STRUCT(orr_record, record);
    struct orr_error ignored = {0};
    if (orr_store_get(call->app->store, topology, &record, &ignored) != ORR_OK)
        return NULL;
    const char *text = orr_label_text(call, record.labels, labels[fact]);
    return text;
}
