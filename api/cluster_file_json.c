/* A description of a cluster as JSON. */
#include "api/cluster_file.h"
#include "api/json.h"

static json_t *fabric_json(struct orr_json *json, const struct orr_fabric *fabric)
{
    char text[ORR_UUID_SIZE];
    json_t *object = orr_json_object(json);
    if (fabric->has_uuid)
        orr_json_set(json, object, "uuid", orr_json_text(json, orr_uuid_format(fabric->uuid, text)));
    orr_json_set(json, object, "clique", orr_json_int(json, fabric->clique));
    orr_json_set(json, object, "state", orr_json_text(json, orr_fabric_state_name(fabric->state)));
    return object;
}

static json_t *host_json(struct orr_json *json, const struct orr_cluster_file *file,
                         const struct orr_cluster_file_host *host)
{
    json_t *object = orr_json_object(json);
    orr_json_set(json, object, file->machines[host->topology] ? "machine" : "topology",
                 orr_json_text(json, file->topologies[host->topology]));
    orr_json_set(json, object, "count", orr_json_int(json, host->count));
    if (host->gpus) {
        json_t *gpus = orr_json_array(json);
        for (uint32_t i = 0; i < host->gpu_count; i++)
            orr_json_add(json, gpus,
                         host->gpus[i].bus_id ? orr_json_text(json, host->gpus[i].bus_id)
                                              : orr_json_int(json, host->gpus[i].number));
        orr_json_set(json, object, "gpus", gpus);
    }
    if (host->domain)
        orr_json_set(json, object, "domain", orr_json_text(json, host->domain));
    if (host->fabric)
        orr_json_set(json, object, "fabric", fabric_json(json, host->fabric));
    if (host->names) {
        json_t *names = orr_json_array(json);
        for (uint32_t i = 0; i < host->count; i++)
            orr_json_add(json, names, orr_json_text(json, host->names[i]));
        orr_json_set(json, object, "names", names);
    }
    if (host->leaf)
        orr_json_set(json, object, "switch", orr_json_text(json, host->leaf));
    return object;
}

json_t *orr_cluster_file_json(struct orr_json *json, const struct orr_cluster_file *file)
{
    json_t *object = orr_json_object(json), *hosts = orr_json_array(json), *ranks;
    for (uint32_t i = 0; i < file->host_count; i++)
        orr_json_add(json, hosts, host_json(json, file, &file->hosts[i]));
    if (file->order == ORR_ORDER_LIST) {
        ranks = orr_json_array(json);
        for (uint32_t r = 0; r < file->listed_ranks; r++)
            orr_json_add(json, ranks, orr_json_int(json, file->host_of_rank[r]));
    } else {
        ranks = orr_json_text(json, orr_rank_order_name(file->order));
    }
    orr_json_set(json, object, "hosts", hosts);
    orr_json_set(json, object, "ranks", ranks);
    return object;
}
