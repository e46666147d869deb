/* Groups of ranks on a cluster, as JSON. */
#include "api/sections.h"

#include "engine/cluster/groups.h"
#include "engine/cluster/setters.h"

enum { MOST_RANKS = 64, MEASURED = 1 << 28 }; /* ranks of a group that are named; bytes of the predicted AllReduce */

static json_t *layout_json(struct orr_json *json, const struct orr_layout *layout)
{
    json_t *object = orr_json_object(json), *order = orr_json_array(json);
    for (int d = 0; d < ORR_DIMENSION_COUNT; d++)
        orr_json_set(json, object, orr_dimension_name((enum orr_dimension)d), orr_json_int(json, layout->size[d]));
    for (int d = 0; d < ORR_DIMENSION_COUNT; d++)
        orr_json_add(json, order, orr_json_text(json, orr_dimension_name(layout->order[d])));
    orr_json_set(json, object, "ep", orr_json_int(json, layout->expert));
    orr_json_set(json, object, "order", order);
    return object;
}

/* What NCCL would choose for an AllReduce of 256 MiB in the group. */
static json_t *choice_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    struct orr_choice choice;
    if (!orr_tuning_choose(&analysis->tuning, &analysis->communicator, &analysis->query.settings, ORR_ALLREDUCE,
                           MEASURED, &choice))
        return json_null();
    json_t *object = orr_json_object(json);
    const struct orr_release *release = analysis->query.settings.release;
    orr_json_set(json, object, "bytes", orr_json_int(json, MEASURED));
    orr_json_set(json, object, "algorithm", orr_json_text(json, orr_algorithm_name(release, choice.algorithm)));
    orr_json_set(json, object, "protocol", orr_json_text(json, orr_protocol_name(choice.protocol)));
    orr_json_set(json, object, "time", orr_json_number(json, (double)choice.time));
    orr_json_set(json, object, "bus_bw", orr_json_number(json, (double)choice.bus_bw));
    return object;
}

static json_t *shape_json(struct orr_json *json, const struct orr_group_shape *shape, uint32_t size)
{
    const struct orr_cluster *c = shape->cluster;
    const struct orr_communicator *comm = &c->analysis->communicator;
    const struct orr_graph *ring = &comm->aligned[ORR_GRAPH_RING];
    json_t *object = orr_json_object(json), *ranks = orr_json_array(json), *rails = orr_json_object(json);
    for (uint32_t r = 0; r < size && r < MOST_RANKS; r++)
        orr_json_add(json, ranks, orr_json_int(json, shape->ranks[r]));
    orr_json_set(json, rails, "hops", orr_json_int(json, (int64_t)shape->hops));
    orr_json_set(json, rails, "crossing", orr_json_int(json, (int64_t)shape->crossing));
    orr_json_set(json, object, "groups", orr_json_int(json, shape->groups));
    orr_json_set(json, object, "first", orr_json_int(json, shape->first));
    orr_json_set(json, object, "ranks", ranks);
    orr_json_set(json, object, "hosts", orr_json_int(json, c->host_count));
    orr_json_set(json, object, "nodes", orr_json_int(json, comm->node_count));
    orr_json_set(json, object, "channels", orr_json_int(json, comm->channel_count));
    orr_json_set(json, object, "bw_intra", orr_json_number(json, (double)ring->bw_intra));
    orr_json_set(json, object, "bw_inter", orr_json_number(json, (double)ring->bw_inter));
    orr_json_set(json, object, "type_intra", orr_json_text(json, orr_path_type_name(ring->type_intra)));
    orr_json_set(json, object, "type_inter", orr_json_text(json, orr_path_type_name(ring->type_inter)));
    orr_json_set(json, object, "nvls", orr_json_bool(json, comm->nvls));
    orr_json_set(json, object, "rails", rails);
    orr_json_set(json, object, "all_reduce", choice_json(json, c->analysis));
    return object;
}

static json_t *kind_json(struct orr_json *json, const struct orr_cluster *cluster,
                         const struct orr_groups_of_kind *kind)
{
    json_t *object = orr_json_object(json), *shapes = orr_json_array(json), *nics = orr_json_array(json);
    for (uint32_t s = 0; s < kind->shape_count; s++)
        orr_json_add(json, shapes, shape_json(json, &kind->shapes[s], kind->size));
    for (uint32_t i = 0; i < kind->load_count; i++) {
        const struct orr_group_load *load = &kind->loads[i];
        const struct orr_system *built = &cluster->kinds[load->kind].analysis->built;
        json_t *row = orr_json_object(json);
        orr_json_set(json, row, "kind", orr_json_int(json, load->kind));
        orr_json_set(json, row, "net", orr_json_node_of(json, built, built->first[ORR_NET] + load->net));
        orr_json_set(json, row, "mean", orr_json_number(json, load->mean));
        orr_json_set(json, row, "most", orr_json_number(json, load->most));
        orr_json_add(json, nics, row);
    }
    orr_json_set(json, object, "name", orr_json_text(json, orr_group_kind_name(kind->kind)));
    orr_json_set(json, object, "size", orr_json_int(json, kind->size));
    orr_json_set(json, object, "groups", orr_json_int(json, kind->count));
    orr_json_set(json, object, "shapes", shapes);
    orr_json_set(json, object, "nics", nics);
    return object;
}

enum orr_code orr_groups_json(struct orr_json *json, const struct orr_cluster *cluster, const char *layout,
                              json_t **ret_object, struct orr_error *err)
{
    struct orr_layout read;
    struct orr_groups *groups;
    ORR_TRY(orr_layout_read(layout, cluster->rank_count, &read, err));
    ORR_TRY(orr_groups_analyze(cluster, &read, &groups, err));
    json_t *object = orr_json_object(json), *kinds = orr_json_array(json);
    for (uint32_t k = 0; k < groups->kind_count; k++)
        orr_json_add(json, kinds, kind_json(json, cluster, &groups->kinds[k]));
    orr_json_set(json, object, "nccl", orr_json_text(json, cluster->settings.release->name));
    orr_json_set(json, object, "ranks", orr_json_int(json, cluster->rank_count));
    orr_json_set(json, object, "layout", layout_json(json, &groups->layout));
    orr_json_set(json, object, "kinds", kinds);
    orr_groups_free(groups);
    *ret_object = object;
    return ORR_OK;
}
