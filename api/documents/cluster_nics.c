/* SPDX-License-Identifier: Apache-2.0 */
/* Rails, leaf switches and subnets of NICs in the description of a cluster. An entry with "name" is about the NIC of
 * that name; without it, about the NIC whose number is the entry's place in the list. */
#include <stdio.h>
#include <string.h>

#include "api/documents/cluster_reading.h"
#include "engine/base/budget.h"
#include "engine/cluster/rails.h"

enum { MOST_NICS = 128, MOST_FACT = 64 };

/* A rail may be written as a number. */
static enum orr_code read_fact(struct orr_cluster_file *file, json_t *object, enum orr_nic_fact fact,
                               struct orr_cluster_nic *nic, const char *where, struct orr_error *err)
{
    const char *key = orr_nic_fact_key(fact);
    const json_t *value = json_object_get(object, key);
    char text[24];
    if (!json_is_integer(value))
        return orr_cluster_read_text(file, object, key, MOST_FACT, where, &nic->facts[fact], err);
    snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
    ORR_NEED(nic->facts[fact] = orr_arena_strndup(file->arena, text, strlen(text)), err);
    return ORR_OK;
}

enum orr_code orr_cluster_read_nics(struct orr_cluster_file *file, json_t *nics, struct orr_cluster_file_host *host,
                                    const char *where, struct orr_error *err)
{
    static const char *const known[] = {"name", "rail", "leaf", "subnet", NULL};
    size_t i;
    json_t *object;
    if (!nics)
        return ORR_OK;
    if (!json_array_size(nics) || json_array_size(nics) > MOST_NICS)
        return orr_cluster_wrong(err, where, "nics must be an array of 1 to 128 objects");
    host->nics = ORR_NEW(file->arena, struct orr_cluster_nic, json_array_size(nics));
    ORR_NEED(host->nics, err);
    json_array_foreach (nics, i, object) {
        struct orr_cluster_nic *nic = &host->nics[host->nic_count++];
        char place[48];
        snprintf(place, sizeof place, "%s.nics[%zu]", where, i);
        if (!json_is_object(object))
            return orr_cluster_wrong(err, place, "each NIC must be an object: {\"name\": \"mlx5_0\", \"rail\": \"0\"}");
        ORR_TRY(orr_cluster_check_keys(object, known, place, err));
        ORR_TRY(orr_cluster_read_text(file, object, "name", MOST_FACT, place, &nic->name, err));
        nic->dev = (int32_t)i;
        for (unsigned fact = 0; fact < ORR_NIC_FACT_COUNT; fact++)
            ORR_TRY(read_fact(file, object, fact, nic, place, err));
    }
    return ORR_OK;
}

enum orr_code orr_cluster_read_rails(struct orr_cluster_file *file, json_t *rails, struct orr_error *err)
{
    const char *text = json_string_value(rails);
    file->isolated = text && !strcmp(text, "isolated");
    if (rails && !file->isolated && (!text || strcmp(text, "joined") != 0))
        return orr_cluster_wrong(err, "rails", "rails must be \"joined\", or \"isolated\" if no switch connects them");
    return ORR_OK;
}

static bool is_named(const struct orr_dump *dump, uint32_t element, const char *name)
{
    const char *own = orr_element_text(dump, element, ORR_ATTR_NAME);
    return dump->elements[element].kind == ORR_ELEMENT_NET && own && !strcmp(own, name);
}

enum orr_code orr_cluster_check_nics(const struct orr_cluster_file *file, const struct orr_cluster_file_host *host,
                                     const struct orr_dump *dump, struct orr_error *err)
{
    for (uint32_t i = 0; i < host->nic_count; i++) {
        uint32_t e = 0;
        if (orr_budget_spent(dump->element_count))
            return orr_budget_check(err);
        while (host->nics[i].name && e < dump->element_count && !is_named(dump, e, host->nics[i].name))
            e++;
        if (e < dump->element_count)
            continue;
        orr_fail(err, ORR_INVALID, "the topology has no NIC named %.64s", host->nics[i].name);
        orr_error_where(err, "hosts[%zu].nics[%u]", (size_t)(host - file->hosts), i);
        return ORR_INVALID;
    }
    return ORR_OK;
}
