/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of ranks on a cluster, as JSON. */
#include "api/documents/sections.h"

#include "engine/cluster/groups.h"
#include "engine/cluster/setters.h"

enum {
    MOST_RANKS = 64,
    MEASURED = 1 << 28
}; /* most ranks of a group that are named; size in bytes of the predicted
    * AllReduce */

static json_t *layout_json(struct orr_json *json, const struct orr_layout *layout)
{
    json_t *object = orr_json_object(json), *order = orr_json_array(json);
    for (int d = 0; d < ORR_DIMENSION_COUNT; d++)
        orr_json_set(json, object, orr_dimension_name((enum orr_dimension)d), orr_json_int(json, layout->size[d]));
    for (int d = 0; d < ORR_DIMENSION_COUNT; d++)
        orr_json_add(json, order, orr_json_text(json, orr_dimension_name(layout->order[d])));
    ORR_SET(json, object, ORR_INT("ep", layout->expert), ORR_VALUE("order", order));
    return object;
}

/* What NCCL would choose for an AllReduce of 256 MiB in the group. */
static json_t *choice_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    struct orr_choice choice;
    if (!orr_tuning_choose(&analysis->tuning, &analysis->communicator, &analysis->query.settings, ORR_ALLREDUCE,
                           MEASURED, &choice))
        return json_null();
    const struct orr_release *release = analysis->query.settings.release;
    return ORR_OBJECT(json, ORR_INT("bytes", MEASURED),
                      ORR_STRING("algorithm", orr_algorithm_name(release, choice.algorithm)),
                      ORR_STRING("protocol", orr_protocol_name(choice.protocol)),
                      ORR_NUMBER("time", (double)choice.time), ORR_NUMBER("bus_bw", (double)choice.bus_bw));
}

static json_t *shape_json(struct orr_json *json, const struct orr_group_shape *shape, uint32_t size)
{
    const struct orr_cluster *c = shape->cluster;
    const struct orr_communicator *comm = &c->analysis->communicator;
    const struct orr_graph *ring = &comm->aligned[ORR_GRAPH_RING];
    json_t *ranks = orr_json_array(json), *rails = orr_json_object(json);
    for (uint32_t r = 0; r < size && r < MOST_RANKS; r++)
        orr_json_add(json, ranks, orr_json_int(json, shape->ranks[r]));
    ORR_SET(json, rails, ORR_INT("hops", (int64_t)shape->hops), ORR_INT("crossing", (int64_t)shape->crossing));
    return ORR_OBJECT(json, ORR_INT("groups", shape->groups), ORR_INT("first", shape->first), ORR_VALUE("ranks", ranks),
                      ORR_INT("hosts", c->host_count), ORR_INT("nodes", comm->node_count),
                      ORR_INT("channels", comm->channel_count), ORR_NUMBER("bw_intra", (double)ring->bw_intra),
                      ORR_NUMBER("bw_inter", (double)ring->bw_inter),
                      ORR_STRING("type_intra", orr_path_type_name(ring->type_intra)),
                      ORR_STRING("type_inter", orr_path_type_name(ring->type_inter)), ORR_BOOL("nvls", comm->nvls),
                      ORR_VALUE("rails", rails), ORR_VALUE("all_reduce", choice_json(json, c->analysis)));
}

static json_t *kind_json(struct orr_json *json, const struct orr_cluster *cluster,
                         const struct orr_groups_of_kind *kind)
{
    json_t *shapes = orr_json_array(json), *nics = orr_json_array(json);
    for (uint32_t s = 0; s < kind->shape_count; s++)
        orr_json_add(json, shapes, shape_json(json, &kind->shapes[s], kind->size));
    for (uint32_t i = 0; i < kind->load_count; i++) {
        const struct orr_group_load *load = &kind->loads[i];
        const struct orr_system *built = &cluster->kinds[load->kind].analysis->built;
        orr_json_add(json, nics,
                     ORR_OBJECT(json, ORR_INT("kind", load->kind),
                                ORR_VALUE("net", orr_json_node_of(json, built, built->first[ORR_NET] + load->net)),
                                ORR_NUMBER("mean", load->mean), ORR_NUMBER("most", load->most)));
    }
    return ORR_OBJECT(json, ORR_STRING("name", orr_group_kind_name(kind->kind)), ORR_INT("size", kind->size),
                      ORR_INT("groups", kind->count), ORR_VALUE("shapes", shapes), ORR_VALUE("nics", nics));
}

enum orr_code orr_groups_json(struct orr_json *json, const struct orr_cluster *cluster, const char *layout,
                              json_t **ret_object, struct orr_error *err)
{
    struct orr_layout read;
    ORR_LOCAL(orr_groups, groups);
    ORR_TRY(orr_layout_read(layout, cluster->rank_count, &read, err));
    ORR_TRY(orr_groups_analyze(cluster, &read, &groups, err));
    json_t *object = orr_json_object(json), *kinds = orr_json_array(json);
    for (uint32_t k = 0; k < groups->kind_count; k++)
        orr_json_add(json, kinds, kind_json(json, cluster, &groups->kinds[k]));
    ORR_SET(json, object, ORR_STRING("nccl", cluster->settings.release->name), ORR_INT("ranks", cluster->rank_count),
            ORR_VALUE("layout", layout_json(json, &groups->layout)), ORR_VALUE("kinds", kinds));
    *ret_object = object;
    return ORR_OK;
}
