/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of a system and the paths in it. */
#include "api/documents/sections.h"
#include "engine/release/release.h"

static json_t *links_json(struct orr_json *json, const struct orr_system *system, json_t **ids)
{
    json_t *types[ORR_LINK_TYPE_COUNT];
    for (int i = 0; i < ORR_LINK_TYPE_COUNT; i++)
        types[i] = orr_json_text(json, orr_link_type_name((enum orr_link_type)i));
    json_t *links = orr_json_array(json);
    for (uint32_t n = 0; ids && n < system->node_count; n++) {
        const struct orr_node *node = &system->nodes[n];
        for (uint32_t i = 0; i < node->link_count; i++) {
            const struct orr_link *link = &system->links[node->first_link + i];
            json_t *row = orr_json_array(json);
            orr_json_add(json, row, orr_json_again(ids[link->from]));
            orr_json_add(json, row, orr_json_again(ids[link->to]));
            orr_json_add(json, row, orr_json_again(types[link->type]));
            orr_json_add(json, row, orr_json_number(json, link->bw));
            orr_json_add(json, links, row);
        }
    }
    for (int i = 0; i < ORR_LINK_TYPE_COUNT; i++)
        json_decref(types[i]);
    return links;
}

json_t *orr_built_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    json_t **ids = orr_json_nodes(json, &analysis->built);
    json_t *object = ORR_OBJECT(json, ORR_VALUE("links", links_json(json, &analysis->built, ids)));
    orr_json_nodes_free(ids, &analysis->built);
    return object;
}

static void set_gpu(struct orr_json *json, json_t *row, const struct orr_node *node)
{
    ORR_SET(json, row, ORR_INT("rank", node->gpu.rank), ORR_INT("dev", node->gpu.dev), ORR_INT("sm", node->gpu.sm),
            ORR_INT("gdr", node->gpu.gdr));
}

static void set_cpu(struct orr_json *json, json_t *row, const struct orr_node *node)
{
    ORR_SET(json, row, ORR_INT("arch", node->cpu.arch), ORR_INT("vendor", node->cpu.vendor),
            ORR_INT("model", node->cpu.model));
}

static void set_net(struct orr_json *json, json_t *row, const struct orr_node *node)
{
    ORR_SET(json, row, ORR_INT("dev", node->net.dev), ORR_INT("port", node->net.port), ORR_NUMBER("bw", node->net.bw),
            ORR_NUMBER("latency", node->net.latency), ORR_INT("gdr", node->net.gdr), ORR_INT("coll", node->net.coll),
            ORR_INT("max_channels", node->net.max_channels),
            ORR_VALUE("asic", orr_json_format(json, "0x%llx", (unsigned long long)node->net.asic)));
}

/* The facts of a node besides its id and type. */
static void (*const setters[ORR_NODE_TYPE_COUNT])(struct orr_json *, json_t *, const struct orr_node *) = {
    [ORR_GPU] = set_gpu,
    [ORR_CPU] = set_cpu,
    [ORR_NET] = set_net,
};

json_t *orr_system_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    const struct orr_system *system = &analysis->parts[0].system;
    json_t **ids = orr_json_nodes(json, system);
    json_t *object = orr_json_object(json), *nodes = orr_json_array(json);
    for (uint32_t i = 0; ids && i < system->node_count; i++) {
        const struct orr_node *node = &system->nodes[i];
        json_t *row = ORR_OBJECT(json, ORR_VALUE("id", orr_json_again(ids[i])),
                                 ORR_STRING("type", orr_node_type_name(node->type)));
        if (setters[node->type])
            setters[node->type](json, row, node);
        if (orr_node_id_made_up(system, i))
            ORR_SET(json, row, ORR_BOOL("id_assumed", true));
        orr_json_add(json, nodes, row);
    }
    ORR_SET(json, object, ORR_NUMBER("max_bw", system->max_bw), ORR_NUMBER("total_bw", system->total_bw),
            ORR_VALUE("nodes", nodes), ORR_VALUE("links", links_json(json, system, ids)));
    orr_json_nodes_free(ids, system);
    return object;
}

json_t *orr_paths_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    static const enum orr_node_type ends[] = {ORR_GPU, ORR_CPU, ORR_NET};
    enum { END_COUNT = sizeof ends / sizeof ends[0] };
    const struct orr_part *part = &analysis->parts[0];
    const struct orr_system *system = &part->system;
    json_t **ids = orr_json_nodes(json, system);
    json_t *types[ORR_PATH_TYPE_COUNT];
    for (int i = 0; i < ORR_PATH_TYPE_COUNT; i++)
        types[i] = orr_json_text(json, orr_path_type_shown(system->release, (enum orr_path_type)i));
    json_t *rows = orr_json_array(json);
    for (int a = 0; ids && a < END_COUNT; a++)
        for (uint32_t from = system->first[ends[a]]; from < system->first[ends[a] + 1]; from++)
            for (int b = 0; b < END_COUNT; b++) {
                if (!(part->paths.known_types[from] >> ends[b] & 1))
                    continue;
                for (uint32_t to = system->first[ends[b]]; to < system->first[ends[b] + 1]; to++) {
                    const struct orr_path *path = orr_path(&part->paths, from, to);
                    json_t *hops = orr_json_array(json);
                    for (uint32_t i = 0; i < path->hops; i++)
                        orr_json_add(json, hops, orr_json_again(ids[orr_path_node(&part->paths, path, i)]));
                    orr_json_add(json, rows,
                                 ORR_OBJECT(json, ORR_VALUE("from", orr_json_again(ids[from])),
                                            ORR_VALUE("to", orr_json_again(ids[to])),
                                            ORR_VALUE("type", orr_json_again(types[path->type])),
                                            ORR_NUMBER("bw", path->bw), ORR_VALUE("hops", hops)));
                }
            }
    for (int i = 0; i < ORR_PATH_TYPE_COUNT; i++)
        json_decref(types[i]);
    orr_json_nodes_free(ids, system);
    return rows;
}
