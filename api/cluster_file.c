#include "api/cluster_file.h"

#include "api/json.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_HOSTS = 4096 };

static char *place_beside(const char *cluster, const char *path)
{
    const char *slash = path[0] == '/' ? NULL : strrchr(cluster, '/');
    char *full = NULL;
    if (asprintf(&full, "%.*s%s", slash ? (int)(slash - cluster) + 1 : 0, cluster, path) < 0)
        return NULL;
    return full;
}

static enum orr_code read_hosts(json_t *hosts, const char *path, struct orr_cluster *cluster, struct orr_error *err)
{
    size_t i;
    json_t *host;
    json_array_foreach (hosts, i, host) {
        json_t *topology = json_object_get(host, "topology"), *count = json_object_get(host, "count");
        json_int_t number = count ? json_integer_value(count) : 1;
        if (!json_is_string(topology) || number < 1 || number > MOST_HOSTS) {
            orr_fail(err, ORR_INVALID, "hosts[%zu] must be {\"topology\": PATH, \"count\": N} with N from 1", i);
            return ORR_INVALID;
        }
        char *full = place_beside(path, json_string_value(topology));
        if (!full)
            return orr_fail_nomem(err);
        cluster->hosts[cluster->count++] = (struct orr_cluster_host){.path = full, .count = (uint32_t)number};
    }
    return ORR_OK;
}

enum orr_code orr_cluster_read(const char *text, size_t length, const char *path, struct orr_cluster *ret_cluster,
                               struct orr_error *err)
{
    struct orr_cluster cluster = {0};
    json_error_t where;
    json_t *root = orr_json_read(text, length, &where);
    if (!root && orr_json_starved(&where))
        return orr_fail_nomem(err);
    if (!root)
        return orr_fail_at(err, ORR_INVALID, where.line > 0 ? (uint32_t)where.line : 1,
                           where.column > 0 ? (uint32_t)where.column : 1, "%.150s", where.text);
    json_t *hosts = json_object_get(root, "hosts");
    size_t count = json_array_size(hosts);
    enum orr_code code = ORR_OK;
    if (!count || count > MOST_HOSTS) {
        code = orr_fail(err, ORR_INVALID, "\"hosts\" must be an array of 1 to %d hosts", (int)MOST_HOSTS);
        orr_error_advice(err, "write {\"hosts\": [{\"topology\": PATH, \"count\": N}, ...]}");
    } else if (!(cluster.hosts = calloc(count, sizeof *cluster.hosts))) {
        code = orr_fail_nomem(err);
    } else {
        code = read_hosts(hosts, path, &cluster, err);
    }
    json_decref(root);
    if (code != ORR_OK) {
        orr_cluster_release(&cluster);
        return code;
    }
    *ret_cluster = cluster;
    return ORR_OK;
}

void orr_cluster_release(struct orr_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->count; i++)
        free(cluster->hosts[i].path);
    free(cluster->hosts);
    *cluster = (struct orr_cluster){0};
}
