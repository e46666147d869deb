/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of the searched graphs and the connected channels. Orders of ranks are facts by their digest. */
#include "engine/base/hash.h"
#include "engine/whatif/facts.h"

static void add_graph(const struct orr_graph *graph, const struct orr_system *system, struct orr_fact_list *list)
{
    unsigned kind = (unsigned)graph->kind;
    const struct {
        enum orr_fact_kind fact;
        int64_t value;
    } figures[] = {
        {ORR_FACT_GRAPH_PATTERN, graph->pattern},
        {ORR_FACT_GRAPH_CHANNELS, graph->channels},
        {ORR_FACT_GRAPH_BW_INTRA, orr_fact_of_float(graph->bw_intra)},
        {ORR_FACT_GRAPH_BW_INTER, orr_fact_of_float(graph->bw_inter)},
        {ORR_FACT_GRAPH_LATENCY, orr_fact_of_float(graph->latency_inter)},
        {ORR_FACT_GRAPH_TYPE_INTRA, graph->type_intra},
        {ORR_FACT_GRAPH_TYPE_INTER, graph->type_inter},
        {ORR_FACT_GRAPH_CROSS_NIC, graph->cross_nic},
        {ORR_FACT_GRAPH_SAME, graph->same_channels},
    };
    for (unsigned i = 0; i < sizeof figures / sizeof figures[0]; i++)
        orr_fact_add(list, figures[i].fact, kind, 0, 0, figures[i].value);
    for (int32_t c = 0; c < graph->channels; c++) {
        uint64_t order = ORR_HASH_START;
        for (uint32_t i = 0; i < graph->row_count; i++)
            order =
                orr_hash_number(order, (uint64_t)orr_fact_member(list, graph->gpus[(size_t)c * graph->gpu_count + i]));
        orr_fact_add(list, ORR_FACT_GRAPH_ORDER, kind, (uint32_t)c, 0, (int64_t)(order >> 1));
        uint64_t nets = ORR_HASH_START;
        for (int end = 0; graph->nets && end < 2; end++)
            for (uint32_t n = system->first[ORR_NET]; n < system->first[ORR_NET + 1]; n++)
                if (system->nodes[n].id == graph->nets[c][end])
                    nets = orr_hash_number(nets, orr_fact_subject(list, system, n));
        if (graph->nets)
            orr_fact_add(list, ORR_FACT_GRAPH_NETS, kind, (uint32_t)c, 0, (int64_t)(nets >> 1));
    }
}

/* A ring's ranks, beginning with the rank that has the lowest name. */
static uint64_t ring_digest(const struct orr_fact_list *list, const int32_t *ring, uint32_t ranks)
{
    uint64_t digest = ORR_HASH_START;
    uint32_t first = 0;
    for (uint32_t i = 1; list->names && i < ranks; i++)
        if (orr_fact_member(list, ring[i]) < orr_fact_member(list, ring[first]))
            first = i;
    for (uint32_t i = 0; i < ranks; i++)
        digest = orr_hash_number(digest, (uint64_t)orr_fact_member(list, ring[(first + i) % ranks]));
    return digest;
}

/* Parents and children, as a sum over the ranks, which does not depend on their numbers. */
static uint64_t tree_digest(const struct orr_fact_list *list, const int32_t *up, const int32_t *down, uint32_t width,
                            uint32_t ranks)
{
    uint64_t sum = ORR_HASH_START;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        uint64_t digest = orr_hash_number(ORR_HASH_START, (uint64_t)orr_fact_member(list, (int32_t)rank));
        /* the communicator's rank count means the network's root in chains: no rank's name */
        digest = orr_hash_number(
            digest, (uint64_t)((uint32_t)up[rank] < ranks ? orr_fact_member(list, up[rank]) : -1 - (up[rank] > 0)));
        for (uint32_t i = 0; i < width; i++) {
            int32_t below = down[(size_t)rank * width + i];
            digest = orr_hash_number(
                digest, (uint64_t)((uint32_t)below < ranks ? orr_fact_member(list, below) : -1 - (below > 0)));
        }
        sum += digest * digest;
    }
    return sum;
}

/* Digests of the distinct channels are made once, then used for every copy. */
static void add_copies(const struct orr_communicator *c, enum orr_fact_kind kind, const uint64_t *digests,
                       struct orr_fact_list *list)
{
    for (int32_t channel = 0; channel < c->channel_count; channel++)
        orr_fact_add(list, kind, 0, (uint32_t)channel, 0, (int64_t)(digests[c->source[channel]] >> 1));
}

static void add_channels(const struct orr_communicator *c, struct orr_fact_list *list)
{
    uint32_t ranks = c->rank_count;
    uint64_t *digests = ORR_NEW(list->arena, uint64_t, (size_t)c->distinct_count + 1);
    if (!digests)
        return;
    for (int32_t i = 0; i < c->distinct_count; i++)
        digests[i] = ring_digest(list, c->rings[i], ranks);
    add_copies(c, ORR_FACT_RING, digests, list);
    for (int32_t i = 0; i < c->distinct_count; i++) {
        digests[i] = tree_digest(list, c->trees[i].up, c->trees[i].down[0], 3, ranks);
        if (c->down_trees)
            digests[i] ^= 3 * tree_digest(list, c->down_trees[i].up, c->down_trees[i].down[0], 3, ranks);
    }
    add_copies(c, ORR_FACT_TREE, digests, list);
    for (int32_t i = 0; c->collnet_chains && i < c->distinct_count; i++)
        digests[i] = tree_digest(list, c->collnet_chains[i].up, c->collnet_chains[i].down, 1, ranks);
    if (c->collnet_chains)
        add_copies(c, ORR_FACT_CHAIN, digests, list);
}

void orr_facts_of_channels(const struct orr_analysis *analysis, struct orr_fact_list *list)
{
    const struct orr_communicator *c = &analysis->communicator;
    for (int kind = 0; kind < ORR_GRAPH_COUNT; kind++) {
        const struct orr_graph *graph = &analysis->parts[0].contribution.graphs[kind];
        if (graph->pattern != ORR_PATTERN_NONE)
            add_graph(graph, &analysis->parts[0].system, list);
    }
    orr_fact_add(list, ORR_FACT_CHANNELS, 0, 0, 0, c->channel_count);
    orr_fact_add(list, ORR_FACT_P2P_CHANNELS, 0, 0, 0, c->p2p_channels);
    orr_fact_add(list, ORR_FACT_P2P_PER_PEER, 0, 0, 0, c->p2p_channels_per_peer);
    if (c->rings) /* a plan has none */
        add_channels(c, list);
    bool nvls = c->nvls && c->nvls_channels > 0;
    orr_fact_add(list, ORR_FACT_NVLS_CHANNELS, 0, 0, 0, nvls ? c->nvls_channels : 0);
    if (!nvls)
        return;
    uint64_t heads = ORR_HASH_START;
    for (int32_t i = 0; i < c->nvls_head_count; i++)
        heads = orr_hash_number(heads, (uint64_t)orr_fact_member(list, c->nvls_heads[i]));
    orr_fact_add(list, ORR_FACT_NVLS_HEADS, 0, 0, 0, (int64_t)(heads >> 1));
    uint64_t digests[ORR_NVLS_TREES] = {0};
    for (int i = 0; c->nvls_trees && i < ORR_NVLS_TREES && c->nvls_trees[i].up; i++)
        digests[i] = tree_digest(list, c->nvls_trees[i].up, c->nvls_trees[i].down[0], 3, c->rank_count);
    for (int32_t channel = 0; c->nvls_trees && channel < c->nvls_tree_channels; channel++)
        orr_fact_add(list, ORR_FACT_NVLS_TREE, 0, (uint32_t)channel, 0,
                     (int64_t)(digests[orr_nvls_tree_of(c, channel) - c->nvls_trees] >> 1));
}
