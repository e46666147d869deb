/* SPDX-License-Identifier: Apache-2.0 */
/* In-network reduction: in every node a chain of GPUs to the network (CollNetChain), and heads that each gather a part
 * of the data for it (CollNetDirect). docs/nccl/connect.md, "CollNet". */
#include "engine/connect/connecting.h"

int32_t orr_graph_heads(const struct orr_graph *graph, bool distinct, int32_t heads[ORR_MAX_CHANNELS])
{
    int32_t count = 0;
    for (int32_t c = 0; c < graph->channels && c < ORR_MAX_CHANNELS; c++) {
        int32_t head = graph->gpus[(size_t)c * graph->gpu_count];
        bool known = false;
        for (int32_t i = 0; i < count; i++)
            known |= heads[i] == head;
        if (!known || !distinct)
            heads[count++] = head;
    }
    return count;
}

static void connect_chain(const struct orr_connecting *c, int32_t channel, struct orr_chain *chain)
{
    for (uint32_t n = 0; n < c->out->node_count; n++) {
        const struct orr_member *member = &c->members[n];
        if (channel >= member->contribution->graphs[ORR_GRAPH_COLLNET_CHAIN].channels)
            continue;
        enum orr_graph_kind kind = c->rules->chains_by_tree ? ORR_GRAPH_TREE : ORR_GRAPH_COLLNET_CHAIN;
        const int32_t *row = orr_graph_row(member, kind, channel);
        uint32_t count = member->contribution->rank_count;
        for (uint32_t i = 0; i < count; i++) {
            int32_t rank = orr_member_rank(member, row[i]);
            chain->up[rank] = i ? orr_member_rank(member, row[i - 1]) : (int32_t)c->out->rank_count;
            chain->down[rank] = i + 1 < count ? orr_member_rank(member, row[i + 1]) : -1;
        }
    }
}

/* The heads that the network knows are those of NVLS if it is on, otherwise those of CollNetDirect: rank 0's own heads,
 * one for each channel of the aligned graph. */
static bool chain_heads_fit(const struct orr_communicator *out)
{
    int32_t known[ORR_MAX_CHANNELS], chain[ORR_MAX_CHANNELS];
    int32_t known_count =
        orr_graph_heads(&out->aligned[out->nvls ? ORR_GRAPH_NVLS : ORR_GRAPH_COLLNET_DIRECT], true, known);
    int32_t chain_count = orr_graph_heads(&out->aligned[ORR_GRAPH_COLLNET_CHAIN], true, chain);
    for (int32_t i = 0; i < chain_count; i++) {
        bool found = false;
        for (int32_t j = 0; j < known_count; j++)
            found |= known[j] == chain[i];
        if (!found)
            return false;
    }
    return true;
}

enum orr_code orr_connect_collnet(struct orr_connecting *c, bool lists, struct orr_error *err)
{
    struct orr_communicator *out = c->out;
    if (!out->collnet)
        return ORR_OK;
    const struct orr_graph *graphs = out->aligned;
    const struct orr_graph *direct = &graphs[ORR_GRAPH_COLLNET_DIRECT];
    int32_t heads[ORR_MAX_CHANNELS];
    const struct orr_graph *headed = direct->pattern == ORR_PATTERN_NONE ? &graphs[ORR_GRAPH_COLLNET_CHAIN] : direct;
    if (c->rules->heads_of_nvls && out->nvls)
        headed = &graphs[ORR_GRAPH_NVLS];
    out->collnet_heads = orr_graph_heads(headed, c->rules->collnet_heads_distinct, heads);
    out->chain_heads_fit = chain_heads_fit(out);
    if (!c->rules->collnet_chains || !lists)
        return ORR_OK;
    struct orr_chain *chains = ORR_NEW(c->arena, struct orr_chain, (size_t)out->distinct_count);
    ORR_NEED(chains, err);
    for (int32_t d = 0; d < out->distinct_count; d++) {
        if (d >= c->out->base_channels) {
            chains[d] = chains[d - c->out->base_channels];
            continue;
        }
        chains[d].up = orr_ranks_new(c->arena, out->rank_count);
        chains[d].down = orr_ranks_new(c->arena, out->rank_count);
        ORR_NEED(chains[d].up && chains[d].down, err);
        connect_chain(c, d, &chains[d]);
        chains[d].depth = (int32_t)(out->rank_count / out->node_count);
    }
    out->collnet_chains = chains;
    return ORR_OK;
}
