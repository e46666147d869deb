/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs as searched, channels as connected, and the tuning model. */
#include <stdlib.h>
#include <string.h>

#include "api/documents/sections.h"

static json_t *graph_json(struct orr_json *json, const struct orr_release *release, const struct orr_graph *graph)
{
    json_t *intra = orr_json_array(json), *inter = orr_json_array(json);
    for (int32_t c = 0; c < graph->channels; c++) {
        json_t *gpus = orr_json_array(json);
        for (uint32_t i = 0; i < graph->row_count; i++)
            orr_json_add(json, gpus, orr_json_int(json, graph->gpus[(size_t)c * graph->gpu_count + i]));
        orr_json_add(json, intra, gpus);
        if (graph->nets) {
            json_t *nets = orr_json_array(json);
            for (int i = 0; i < 2; i++)
                orr_json_add(json, nets, orr_json_node(json, ORR_NET, graph->nets[c][i]));
            orr_json_add(json, inter, nets);
        }
    }
    return ORR_OBJECT(json, ORR_STRING("name", orr_graph_name(release, graph->kind)),
                      ORR_INT("pattern", graph->pattern), ORR_INT("channels", graph->channels),
                      ORR_NUMBER("bw_intra", graph->bw_intra), ORR_NUMBER("bw_inter", graph->bw_inter),
                      ORR_NUMBER("latency_inter", graph->latency_inter),
                      ORR_STRING("type_intra", orr_path_type_name(graph->type_intra)),
                      ORR_STRING("type_inter", orr_path_type_name(graph->type_inter)),
                      ORR_INT("cross_nic", graph->cross_nic), ORR_INT("same_channels", graph->same_channels),
                      ORR_INT("n_hops", graph->hops), ORR_VALUE("intra", intra), ORR_VALUE("inter", inter));
}

json_t *orr_graphs_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    json_t *rows = orr_json_array(json);
    for (int kind = 0; kind < ORR_GRAPH_COUNT; kind++) {
        const struct orr_graph *graph = &analysis->parts[0].contribution.graphs[kind];
        if (graph->pattern != ORR_PATTERN_NONE)
            orr_json_add(json, rows, graph_json(json, analysis->query.settings.release, graph));
    }
    return rows;
}

static json_t *ranks_json(struct orr_json *json, const int32_t *ranks, uint32_t count)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < count; i++)
        orr_json_add(json, array, orr_json_int(json, ranks[i]));
    return array;
}

static json_t *downs_json(struct orr_json *json, const int32_t (*down)[3], uint32_t count)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < count; i++)
        orr_json_add(json, array, ranks_json(json, down[i], 3));
    return array;
}

static json_t *tree_json(struct orr_json *json, const int32_t *up, const int32_t (*down)[3], uint32_t count)
{
    return ORR_OBJECT(json, ORR_VALUE("up", ranks_json(json, up, count)),
                      ORR_VALUE("down", downs_json(json, down, count)));
}

static json_t *nvls_json(struct orr_json *json, const struct orr_communicator *communicator)
{
    if (!communicator->nvls || communicator->nvls_channels <= 0)
        return json_null();
    json_t *object = ORR_OBJECT(
        json, ORR_INT("channels", communicator->nvls_channels),
        ORR_VALUE("heads", ranks_json(json, communicator->nvls_heads, (uint32_t)communicator->nvls_head_count)));
    if (!communicator->nvls_trees)
        return object;
    json_t *trees[ORR_NVLS_TREES] = {NULL}, *array = orr_json_array(json);
    for (int i = 0; i < ORR_NVLS_TREES && communicator->nvls_trees[i].up; i++)
        trees[i] = tree_json(json, communicator->nvls_trees[i].up,
                             (const int32_t(*)[3])communicator->nvls_trees[i].down, communicator->rank_count);
    for (int32_t c = 0; c < communicator->nvls_tree_channels; c++)
        orr_json_add(json, array, orr_json_again(trees[orr_nvls_tree_of(communicator, c) - communicator->nvls_trees]));
    for (int i = 0; i < ORR_NVLS_TREES; i++)
        json_decref(trees[i]);
    orr_json_set(json, object, "tree", array);
    return object;
}

/* Channels are copies of fewer distinct ones: each distinct one becomes a value once and is referred to. Those that
 * only some nodes copy are values of their own. */
static json_t *copies_json(struct orr_json *json, const struct orr_communicator *communicator,
                           json_t *(*distinct)(struct orr_json *, const struct orr_communicator *, int32_t),
                           json_t *(*uneven)(struct orr_json *, const struct orr_communicator *, int32_t))
{
    json_t *array = orr_json_array(json);
    json_t **values = calloc((size_t)communicator->distinct_count + 1, sizeof *values);
    if (!values)
        json->failed = true;
    for (int32_t c = 0; values && c < communicator->channel_count; c++) {
        int32_t source = communicator->source[c];
        if (uneven && c >= communicator->uneven_from) {
            orr_json_add(json, array, uneven(json, communicator, c));
            continue;
        }
        if (!values[source])
            values[source] = distinct(json, communicator, source);
        orr_json_add(json, array, orr_json_again(values[source]));
    }
    for (int32_t i = 0; values && i < communicator->distinct_count; i++)
        json_decref(values[i]);
    free(values);
    return array;
}

static json_t *ring(struct orr_json *json, const struct orr_communicator *communicator, int32_t i)
{
    return ranks_json(json, communicator->rings[i], communicator->rank_count);
}

static json_t *tree(struct orr_json *json, const struct orr_communicator *communicator, int32_t i)
{
    const struct orr_tree *from = &communicator->trees[i];
    json_t *object = tree_json(json, from->up, (const int32_t(*)[3])from->down, communicator->rank_count);
    orr_json_set(json, object, "depth", orr_json_int(json, from->depth));
    return object;
}

static json_t *uneven_ring(struct orr_json *json, const struct orr_communicator *communicator, int32_t channel)
{
    int32_t *ring = calloc(2 * (size_t)communicator->rank_count, sizeof *ring);
    if (!ring) {
        json->failed = true;
        return json_null();
    }
    uint32_t count = orr_uneven_ring(communicator, channel, ring + communicator->rank_count, ring);
    json_t *ranks = ranks_json(json, ring, count);
    free(ring);
    return ranks;
}

static json_t *uneven_tree(struct orr_json *json, const struct orr_communicator *communicator, int32_t channel)
{
    const struct orr_tree *from = &communicator->trees[communicator->source[channel]];
    uint32_t count = communicator->rank_count;
    struct orr_tree own = {.up = malloc(count * sizeof *own.up), .down = malloc(count * sizeof *own.down)};
    json_t *object = json_null();
    if (own.up && own.down) {
        memcpy(own.up, from->up, count * sizeof *own.up);
        memcpy(own.down, from->down, count * sizeof *own.down);
        orr_uneven_tree(communicator, channel, &own);
        object = tree_json(json, own.up, (const int32_t(*)[3])own.down, count);
        orr_json_set(json, object, "depth", orr_json_int(json, from->depth));
    } else {
        json->failed = true;
    }
    free(own.up);
    free(own.down);
    return object;
}

static json_t *chain(struct orr_json *json, const struct orr_communicator *communicator, int32_t i)
{
    const struct orr_chain *from = &communicator->collnet_chains[i];
    return ORR_OBJECT(json, ORR_VALUE("up", ranks_json(json, from->up, communicator->rank_count)),
                      ORR_VALUE("down", ranks_json(json, from->down, communicator->rank_count)),
                      ORR_INT("depth", from->depth));
}

json_t *orr_channels_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    const struct orr_communicator *communicator = &analysis->communicator;
    return ORR_OBJECT(json, ORR_INT("count", communicator->channel_count),
                      ORR_VALUE("rings", copies_json(json, communicator, ring, uneven_ring)),
                      ORR_VALUE("trees", copies_json(json, communicator, tree, uneven_tree)),
                      ORR_VALUE("nvls", nvls_json(json, communicator)),
                      ORR_WHEN(communicator->collnet_chains,
                               ORR_VALUE("collnet_chain", copies_json(json, communicator, chain, NULL))),
                      ORR_INT("p2p_channels", communicator->p2p_channels),
                      ORR_INT("p2p_channels_per_peer", communicator->p2p_channels_per_peer));
}

static json_t *costs_json(struct orr_json *json, const struct orr_analysis *analysis,
                          const float (*values)[ORR_ALGORITHM_COUNT][ORR_PROTOCOL_COUNT])
{
    json_t *functions = orr_json_object(json);
    for (int f = 0; f < ORR_FUNCTION_COUNT; f++) {
        json_t *algorithms = orr_json_object(json);
        for (uint32_t a = 0; a < analysis->tuning.algorithm_count; a++) {
            json_t *protocols = orr_json_object(json);
            for (int p = 0; p < ORR_PROTOCOL_COUNT; p++)
                orr_json_set(json, protocols, orr_protocol_name((enum orr_protocol)p),
                             orr_json_number(json, values[f][a][p]));
            orr_json_set(json, algorithms, orr_algorithm_name(analysis->query.settings.release, (enum orr_algorithm)a),
                         protocols);
        }
        orr_json_set(json, functions, orr_function_name((enum orr_function)f), algorithms);
    }
    return functions;
}

json_t *orr_tuning_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    const struct orr_tuning *tuning = &analysis->tuning;
    json_t *thresholds = orr_json_object(json);
    for (uint32_t a = 0; a < tuning->algorithm_count; a++) {
        json_t *protocols = orr_json_object(json);
        for (int p = 0; p < ORR_PROTOCOL_COUNT; p++)
            orr_json_set(json, protocols, orr_protocol_name((enum orr_protocol)p),
                         orr_json_int(json, tuning->has_thresholds ? tuning->thread_threshold[a][p] : 0));
        orr_json_set(json, thresholds, orr_algorithm_name(analysis->query.settings.release, (enum orr_algorithm)a),
                     protocols);
    }
    return ORR_OBJECT(json, ORR_VALUE("bandwidths", costs_json(json, analysis, tuning->bandwidth)),
                      ORR_VALUE("latencies", costs_json(json, analysis, tuning->latency)),
                      ORR_VALUE("thread_thresholds", thresholds));
}
