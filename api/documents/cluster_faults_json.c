/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict on a cluster, as JSON. */
#include <stdlib.h>

#include "api/documents/sections.h"
#include "engine/cluster/standing.h"
#include "engine/diagnosis/cluster_faults.h"

static json_t *hosts_json(struct orr_json *json, const struct orr_cluster *cluster, const struct orr_cluster_fault *row)
{
    json_t *hosts = orr_json_array(json);
    uint32_t *sorted = calloc(row->host_count + 1u, sizeof *sorted);
    json->failed |= !sorted || !orr_hosts_sort(cluster, row->hosts, row->host_count, sorted);
    for (uint32_t i = 0; i < row->host_count && !json->failed; i++)
        orr_json_add(
            json, hosts,
            ORR_OBJECT(json, ORR_INT("host", sorted[i]), ORR_STRING("name", orr_host_name(cluster, sorted[i]))));
    free(sorted);
    return hosts;
}

static json_t *fault_json(struct orr_json *json, const struct orr_cluster *cluster, const struct orr_cluster_fault *row)
{
    char text[ORR_HOSTS_TEXT];
    orr_host_list_text(cluster, row->hosts, row->host_count, text);
    return ORR_OBJECT(json, ORR_STRING("finding", row->finding ? row->finding->row->id : NULL),
                      ORR_STRING("what", row->what), ORR_STRING("device", row->device[0] ? row->device : NULL),
                      ORR_STRING("remedy", row->remedy), ORR_STRING("hosts_text", text),
                      ORR_VALUE("hosts", hosts_json(json, cluster, row)), ORR_BOOL("only_together", row->together),
                      ORR_VALUE("fixed", row->has_fixed ? orr_json_number(json, row->fixed) : json_null()),
                      ORR_VALUE("drained", row->has_drained ? orr_json_number(json, row->drained) : json_null()));
}

json_t *orr_cluster_faults_json(struct orr_json *json, const struct orr_cluster *cluster,
                                const struct orr_cluster_faults *faults)
{
    json_t *rows = orr_json_array(json);
    for (uint32_t i = 0; i < faults->count; i++)
        orr_json_add(json, rows, fault_json(json, cluster, &faults->rows[i]));
    return ORR_OBJECT(json, ORR_STRING("sentence", faults->sentence), ORR_INT("hosts", cluster->host_count),
                      ORR_STRING("order", orr_rank_order_name(cluster->order)),
                      ORR_INT("hosts_at_fault", faults->hosts_at_fault), ORR_NUMBER("now", faults->now),
                      ORR_NUMBER("all_repaired", faults->repaired), ORR_STRING("unit", "GB/s"),
                      ORR_STRING("for", "bus bandwidth of AllReduce at 1 GiB"), ORR_VALUE("faults", rows),
                      ORR_INT("left_out", faults->left_out),
                      ORR_VALUE("assumed", orr_json_texts(json, faults->assumed, faults->assumed_count)));
}
