/* What the hosts of a cluster are called, and their leaf switches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/cluster_file.h"

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Whether all names that are there differ. */
static bool all_differ(const char *const *names, uint32_t count)
{
    const char **sorted = calloc(count, sizeof *sorted);
    uint32_t known = 0;
    bool differ = sorted != NULL;
    for (uint32_t i = 0; differ && i < count; i++)
        if (names[i])
            sorted[known++] = names[i];
    if (known)
        qsort(sorted, known, sizeof *sorted, compare_names);
    for (uint32_t i = 1; i < known; i++)
        differ = differ && strcmp(sorted[i - 1], sorted[i]) != 0;
    free(sorted);
    return differ;
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
    if (!out.hosts || !out.leaves)
        return orr_fail_nomem(err);
    for (uint32_t l = 0; l < file->host_count; l++) {
        const struct orr_cluster_file_host *line = &file->hosts[l];
        const bool is_one = gives && line->count == 1 && !file->machines[line->topology];
        const char *topology = is_one ? file->topologies[line->topology] : NULL;
        out.leaves[l] = line->leaf || !topology ? line->leaf : gives(context, topology, true);
        known = known || out.leaves[l];
        for (uint32_t i = 0; i < line->count; i++)
            out.hosts[host++] = line->names ? line->names[i] : topology ? gives(context, topology, false) : NULL;
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
