/* SPDX-License-Identifier: Apache-2.0 */
/* A description of a cluster as JSON. */
#include "api/documents/cluster_file.h"
#include "api/documents/json.h"
#include "engine/cluster/rails.h"

static json_t *fabric_json(struct orr_json *json, const struct orr_fabric *fabric)
{
    char text[ORR_UUID_SIZE];
    return ORR_OBJECT(json, ORR_WHEN(fabric->has_uuid, ORR_STRING("uuid", orr_uuid_format(fabric->uuid, text))),
                      ORR_INT("clique", fabric->clique), ORR_STRING("state", orr_fabric_state_name(fabric->state)),
                      ORR_WHEN(fabric->health, ORR_INT("health", fabric->health)));
}

static json_t *nics_json(struct orr_json *json, const struct orr_cluster_file_host *host)
{
    json_t *nics = orr_json_array(json);
    for (uint32_t i = 0; i < host->nic_count; i++) {
        const struct orr_cluster_nic *nic = &host->nics[i];
        json_t *object = ORR_OBJECT(json, ORR_WHEN(nic->name, ORR_STRING("name", nic->name)));
        for (unsigned fact = 0; fact < ORR_NIC_FACT_COUNT; fact++)
            if (nic->facts[fact])
                orr_json_set(json, object, orr_nic_fact_key(fact), orr_json_text(json, nic->facts[fact]));
        orr_json_add(json, nics, object);
    }
    return nics;
}

static json_t *host_json(struct orr_json *json, const struct orr_cluster_file *file,
                         const struct orr_cluster_file_host *host)
{
    json_t *object = ORR_OBJECT(
        json, ORR_STRING(file->machines[host->topology] ? "machine" : "topology", file->topologies[host->topology]),
        ORR_INT("count", host->count));
    if (host->gpus) {
        json_t *gpus = orr_json_array(json);
        for (uint32_t i = 0; i < host->gpu_count; i++)
            orr_json_add(json, gpus,
                         host->gpus[i].bus_id ? orr_json_text(json, host->gpus[i].bus_id)
                                              : orr_json_int(json, host->gpus[i].number));
        orr_json_set(json, object, "gpus", gpus);
    }
    ORR_SET(
        json, object, ORR_WHEN(host->domain, ORR_STRING("domain", host->domain)),
        ORR_WHEN(host->fabric, ORR_VALUE("fabric", fabric_json(json, host->fabric))),
        ORR_WHEN(host->names, ORR_VALUE("names", orr_json_texts(json, (const char *const *)host->names, host->count))),
        ORR_WHEN(host->leaf, ORR_STRING("switch", host->leaf)),
        ORR_WHEN(host->nic_count, ORR_VALUE("nics", nics_json(json, host))));
    return object;
}

json_t *orr_cluster_file_json(struct orr_json *json, const struct orr_cluster_file *file)
{
    json_t *hosts = orr_json_array(json), *ranks;
    for (uint32_t i = 0; i < file->host_count; i++)
        orr_json_add(json, hosts, host_json(json, file, &file->hosts[i]));
    if (file->order == ORR_ORDER_LIST) {
        ranks = orr_json_array(json);
        for (uint32_t r = 0; r < file->listed_ranks; r++)
            orr_json_add(json, ranks, orr_json_int(json, file->host_of_rank[r]));
    } else {
        ranks = orr_json_text(json, orr_rank_order_name(file->order));
    }
    return ORR_OBJECT(json, ORR_VALUE("hosts", hosts), ORR_VALUE("ranks", ranks),
                      ORR_WHEN(file->isolated, ORR_STRING("rails", "isolated")));
}
