/* SPDX-License-Identifier: Apache-2.0 */
/* NVLink SHARP: the NVSwitch reduces. Each head gathers one share of the data on its node; with several nodes the
 * heads of a share form a tree over the nodes, even channels the first of the double tree, odd channels the second.
 * docs/nccl/connect.md, "NVLS". */
#include <string.h>

#include "engine/connect/connecting.h"

/* From capability 100 on, with several nodes, fast NICs need more channels; 0 if this rule does not apply. */
static int32_t channels_by_net_rate(const struct orr_communicator *out, float rate)
{
    if (out->node_count == 2 && rate >= 48)
        return 32;
    if (rate >= 96)
        return out->min_local_ranks <= 8 ? 24 : 32;
    return rate >= 48 ? 24 : 0;
}

void orr_count_nvls(struct orr_connecting *c)
{
    const struct orr_communicator *out = c->out;
    if (!out->nvls && !(c->rules->nvls_channels_stay && c->members[0].contribution->nvls_on)) {
        c->nvls_channels = 0;
        return;
    }
    bool several_hosts = false;
    float rate = c->members[0].contribution->net_bw_min;
    for (uint32_t n = 0; n < out->node_count; n++) {
        several_hosts |= c->members[n].host != c->members[0].host;
        if (c->members[n].contribution->net_bw_min < rate)
            rate = c->members[n].contribution->net_bw_min;
    }
    int32_t wanted;
    if (!orr_setting_as_int(c->settings, ORR_SET_NVLS_NCHANNELS, &wanted) || wanted <= 0) {
        wanted = c->rules->nvls_channels;
        if (c->members[0].contribution->sm_min >= 100)
            wanted = several_hosts ? c->rules->nvls_channels_sm100_hosts : c->rules->nvls_channels_sm100;
        if (c->rules->nvls_by_net_rate && out->sm_min >= 100 && out->node_count > 1) {
            int32_t by_rate = channels_by_net_rate(out, rate);
            wanted = by_rate ? by_rate : wanted;
        }
    }
    c->nvls_channels = orr_clamp(wanted, c->min_ctas, c->max_ctas);
}

/* Adds the links of share h between nodes to a rank; down[rank][0] is set already. */
static void join_nodes(struct orr_nvls_tree *tree, const struct orr_tree_place *place, const int32_t *heads,
                       int32_t head_count, int32_t h, int32_t rank)
{
    int slot = 1;
    tree->up[rank] = place->up < 0 ? -1 : heads[(size_t)place->up * (size_t)head_count + (size_t)h];
    for (int i = 0; i < 2; i++)
        if (place->down[i] >= 0)
            tree->down[rank][slot++] = heads[(size_t)place->down[i] * (size_t)head_count + (size_t)h];
}

/* For releases in which a rank heads at most one share. */
static void connect_tree(const struct orr_connecting *c, const struct orr_tree_place *places, const int32_t *heads,
                         int32_t head_count, struct orr_nvls_tree *tree)
{
    const struct orr_communicator *out = c->out;
    for (uint32_t rank = 0; rank < out->rank_count; rank++)
        tree->down[rank][0] = (int32_t)out->rank_count;
    for (int32_t n = 0; n < (int32_t)out->node_count; n++)
        for (int32_t h = 0; h < head_count; h++) {
            int32_t rank = heads[(size_t)n * (size_t)head_count + (size_t)h];
            if (out->node_of_rank[rank] != n)
                continue;
            tree->down[rank][0] = (int32_t)out->rank_count + 1 + h; /* the switch's share h */
            join_nodes(tree, &places[n], heads, head_count, h, rank);
        }
}

/* For releases whose heads may repeat. A rank gets the switch's share of the last channel that it heads in its own
 * graph, but the tree of the first share for which the list of all nodes' heads names it. */
static void connect_repeated(const struct orr_connecting *c, const struct orr_tree_place *places, const int32_t *heads,
                             int32_t head_count, struct orr_nvls_tree *tree)
{
    const struct orr_communicator *out = c->out;
    const struct orr_graph *graph;
    for (uint32_t rank = 0; rank < out->rank_count; rank++)
        tree->down[rank][0] = (int32_t)out->rank_count;
    for (int32_t n = 0; n < (int32_t)out->node_count; n++) {
        graph = &c->members[n].contribution->graphs[ORR_GRAPH_NVLS];
        for (int32_t h = 0; h < head_count; h++) {
            int32_t headed = orr_member_rank(&c->members[n], graph->gpus[(size_t)h * graph->gpu_count]);
            tree->down[headed][0] = (int32_t)out->rank_count + 1 + h;
        }
        for (int32_t h = head_count; h-- > 0;) { /* in descending order, so that the first share wins */
            int32_t rank = heads[(size_t)n * (size_t)head_count + (size_t)h];
            if (out->node_of_rank[rank] != n)
                continue;
            join_nodes(tree, &places[n], heads, head_count, h, rank);
        }
    }
}

/* The heads of a node, as ranks of the communicator, and how many there are. NCCL reads the head of channel k at k
 * times the length of a row, and some releases use the number of GPUs in the whole NVLink domain as that length. If
 * trimming left a node fewer GPUs, NCCL reads later channels or, between and after the heads, zeroes. So of four
 * channels with heads 4, 5, 6 and 7 (4 GPUs a row, 12 in the domain) it reads 4, 7, 0, 0. */
static int32_t heads_of(const struct orr_connecting *c, uint32_t node, int32_t heads[ORR_MAX_CHANNELS])
{
    const struct orr_member *member = &c->members[node];
    const struct orr_contribution *own = member->contribution;
    const struct orr_graph *graph = &own->graphs[ORR_GRAPH_NVLS];
    int32_t count = 0;
    for (int32_t k = 0; k < graph->channels && k < ORR_MAX_CHANNELS; k++) {
        const size_t at = (size_t)k * (own->nvls_row ? own->nvls_row : graph->gpu_count);
        const bool is_head = at % graph->gpu_count == 0 && at / graph->gpu_count < (size_t)graph->channels;
        int32_t head = is_head ? orr_member_rank(member, graph->gpus[at]) : 0;
        bool known = false;
        for (int32_t i = 0; i < count; i++)
            known |= heads[i] == head;
        if (!known || c->rules->nvls_heads_repeat)
            heads[count++] = head;
    }
    return count;
}

/* The number of heads that a node contributes, at most as many as are needed. */
static void list_heads(const struct orr_connecting *c, uint32_t node, int32_t count, int32_t *heads)
{
    int32_t own[ORR_MAX_CHANNELS];
    heads_of(c, node, own);
    for (int32_t h = 0; h < count; h++)
        heads[h] = c->rules->nvls_heads_repeat && h >= c->out->base_channels ? 0 : own[h];
}

/* The heads of node 0. The trees may use fewer, because another node may have fewer heads. */
static enum orr_code list_own_heads(struct orr_connecting *c, struct orr_error *err)
{
    int32_t own[ORR_MAX_CHANNELS];
    int32_t count = orr_graph_heads(&c->members[0].contribution->graphs[ORR_GRAPH_NVLS], true, own);
    int32_t *heads = ORR_NEW(c->arena, int32_t, (size_t)count);
    ORR_NEED(heads, err);
    for (int32_t h = 0; h < count; h++)
        heads[h] = orr_member_rank(&c->members[0], own[h]);
    c->out->nvls_heads = heads;
    c->out->nvls_head_count = count;
    return ORR_OK;
}

const struct orr_nvls_tree *orr_nvls_tree_of(const struct orr_communicator *c, int32_t channel)
{
    int32_t source = c->rules->nvls_heads_repeat ? c->source[channel] : channel;
    bool blank = c->rules->nvls_heads_repeat && source >= c->nvls_channels;
    return &c->nvls_trees[blank ? ORR_NVLS_BLANK : source & 1];
}

/* NCCL leaves zeroes in channels that get no roles. */
static enum orr_code make_blank(struct orr_connecting *c, struct orr_nvls_tree *tree, struct orr_error *err)
{
    struct orr_tree blank;
    uint32_t ranks = c->out->rank_count;
    ORR_TRY(orr_tree_new(c->arena, ranks, &blank, err));
    memset(blank.up, 0, ranks * sizeof *blank.up);
    memset(blank.down, 0, ranks * sizeof *blank.down);
    *tree = (struct orr_nvls_tree){.up = blank.up, .down = blank.down};
    return ORR_OK;
}

enum orr_code orr_connect_nvls(struct orr_connecting *c, struct orr_error *err)
{
    struct orr_communicator *out = c->out;
    if (!out->nvls)
        return ORR_OK;
    if (c->rules->nvls_one_node) { /* a node without a graph has no heads */
        out->nvls_channels = c->nvls_channels;
        return ORR_OK;
    }
    int32_t own[ORR_MAX_CHANNELS], head_count = ORR_MAX_CHANNELS;
    for (uint32_t n = 0; n < out->node_count; n++) {
        int32_t count = heads_of(c, n, own);
        head_count = count < head_count ? count : head_count;
    }
    out->nvls = head_count > 0;
    if (!out->nvls)
        return ORR_OK;
    int32_t *heads = ORR_NEW(c->arena, int32_t, (size_t)out->node_count * (size_t)head_count);
    struct orr_tree_place *places = ORR_NEW(c->arena, struct orr_tree_place, out->node_count);
    struct orr_nvls_tree *trees = ORR_NEW(c->arena, struct orr_nvls_tree, ORR_NVLS_TREES);
    ORR_NEED(heads && places && trees, err);
    for (uint32_t n = 0; n < out->node_count; n++)
        list_heads(c, n, head_count, heads + (size_t)n * (size_t)head_count);
    out->nvls_channels = c->nvls_channels;
    out->nvls_tree_heads = head_count;
    ORR_TRY(list_own_heads(c, err));
    if (out->node_count == 1)
        return ORR_OK;
    for (int which = 0; which < 2; which++) {
        struct orr_tree tree;
        ORR_TRY(orr_tree_new(c->arena, out->rank_count, &tree, err));
        trees[which] = (struct orr_nvls_tree){.up = tree.up, .down = tree.down};
        orr_double_tree(c->rules, (int32_t)out->node_count, which, places);
        (c->rules->nvls_heads_repeat ? connect_repeated : connect_tree)(c, places, heads, head_count, &trees[which]);
    }
    if (c->rules->nvls_heads_repeat)
        ORR_TRY(make_blank(c, &trees[ORR_NVLS_BLANK], err));
    out->nvls_trees = trees;
    out->nvls_tree_channels = c->rules->nvls_trees_for_all ? out->channel_count : out->nvls_channels;
    return ORR_OK;
}
