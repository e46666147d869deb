/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the names of a cluster's hosts, and their leaf switches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/documents/cluster_file.h"
#include "engine/base/sorting.h"

/* Whether all given names differ. */
static bool all_differ(const char *const *names, uint32_t count)
{
    if (count < 2)
        return true;
    const char **sorted = calloc(count, sizeof *sorted);
    uint32_t known = 0;
    bool differ = sorted != NULL;
    for (uint32_t i = 0; differ && i < count; i++)
        if (names[i])
            sorted[known++] = names[i];
    if (known)
        qsort(sorted, known, sizeof *sorted, orr_by_text);
    for (uint32_t i = 1; i < known; i++)
        differ = differ && strcmp(sorted[i - 1], sorted[i]) != 0;
    free(sorted);
    return differ;
}

/* Hosts whose fabrics report the same UUID and clique share an NVLink domain: "UUID.CLIQUE". */
static enum orr_code domain_of_fabric(const struct orr_fabric *fabric, struct orr_arena *arena, const char **ret_domain,
                                      struct orr_error *err)
{
    char text[ORR_UUID_SIZE + 16], uuid[ORR_UUID_SIZE];
    *ret_domain = NULL;
    if (!fabric || fabric->state != ORR_FABRIC_COMPLETED || !fabric->has_uuid)
        return ORR_OK;
    snprintf(text, sizeof text, "%s.%u", orr_uuid_format(fabric->uuid, uuid), fabric->clique);
    *ret_domain = orr_arena_strndup(arena, text, strlen(text));
    return *ret_domain ? ORR_OK : orr_fail_nomem(err);
}

enum orr_code orr_cluster_file_names(const struct orr_cluster_file *file, orr_topology_gives *gives, void *context,
                                     struct orr_arena *arena, struct orr_cluster_names *ret_names,
                                     struct orr_error *err)
{
    enum { NAME = 16 };
    struct orr_cluster_names out = {0};
    uint32_t count = 0, host = 0;
    bool known = false;
    for (uint32_t l = 0; l < file->host_count; l++)
        count += file->hosts[l].count;
    out.hosts = ORR_NEW(arena, const char *, count);
    out.leaves = ORR_NEW(arena, const char *, file->host_count);
    out.domains = ORR_NEW(arena, const char *, file->host_count);
    ORR_NEED(out.hosts && out.leaves && out.domains, err);
    for (uint32_t l = 0; l < file->host_count; l++) {
        const struct orr_cluster_file_host *line = &file->hosts[l];
        const bool is_one = gives && line->count == 1 && !file->machines[line->topology];
        const char *topology = is_one ? file->topologies[line->topology] : NULL;
        out.leaves[l] = line->leaf || !topology ? line->leaf : gives(context, topology, ORR_TOPOLOGY_LEAF);
        ORR_TRY(domain_of_fabric(line->fabric, arena, &out.domains[l], err));
        if (line->domain || (!out.domains[l] && topology))
            out.domains[l] = line->domain ? line->domain : gives(context, topology, ORR_TOPOLOGY_DOMAIN);
        known = known || out.leaves[l];
        for (uint32_t i = 0; i < line->count; i++)
            out.hosts[host++] = line->names ? line->names[i]
                                : topology  ? gives(context, topology, ORR_TOPOLOGY_NAME)
                                            : NULL;
    }
    out.leaves = known ? out.leaves : NULL;
    const bool differ = all_differ(out.hosts, count);
    for (uint32_t h = 0; h < count; h++) {
        char *made = differ && out.hosts[h] ? NULL : orr_arena_alloc(arena, NAME, 1);
        if (!made && !(differ && out.hosts[h]))
            return orr_fail_nomem(err);
        if (made)
            snprintf(made, NAME, "host-%u", h);
        out.made_up += made != NULL;
        out.hosts[h] = made ? made : out.hosts[h];
    }
    *ret_names = out;
    return ORR_OK;
}

enum orr_code orr_cluster_file_facts(const struct orr_cluster_file *file, orr_topology_gives *gives, void *context,
                                     struct orr_arena *arena, struct orr_export_request *request, struct orr_error *err)
{
    struct orr_cluster_names names;
    uint32_t count = 0;
    ORR_TRY(orr_cluster_file_names(file, gives, context, arena, &names, err));
    for (uint32_t l = 0; l < file->host_count; l++)
        count += file->hosts[l].count;
    struct orr_export_host *hosts = ORR_NEW(arena, struct orr_export_host, count);
    ORR_NEED(hosts, err);
    if (names.made_up) {
        return orr_fail_with(err, ORR_INVALID, NULL,
                             "give \"names\" in the description of the cluster, a different one for each host",
                             "names are missing for %u of the %u hosts", names.made_up, count);
    }
    for (uint32_t l = 0; l < file->host_count; l++)
        for (uint32_t i = 0; i < file->hosts[l].count; i++, request->count++)
            hosts[request->count] = (struct orr_export_host){.name = names.hosts[request->count],
                                                             .domain = names.domains[l],
                                                             .leaf = names.leaves ? names.leaves[l] : NULL};
    request->hosts = hosts;
    return ORR_OK;
}
