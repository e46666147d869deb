/* SPDX-License-Identifier: Apache-2.0 */
/* Channels of the communicator: rings are permutations, trees span without cycles, parents and children agree.
 *
 * Exceptions: NVLS trees join heads only, and not all of them if a release lets a GPU head several channels; a
 * CollNet chain is missing on nodes whose graph has fewer channels (NCCL leaves those roles empty); and where users say
 * that there are no peers (NCCL_P2P_MAX_PEERS), 2.30.7 divides no channels between them, so that one peer may get more
 * than there are. */
#include <stdlib.h>
#include <string.h>

#include "engine/cluster/cluster.h"
#include "engine/release/connect_rules.h"
#include "engine/release/release.h"
#include "tests/property/checks.h"

static bool check_counts(const struct orr_analysis *a, struct orr_error *err)
{
    const struct orr_communicator *c = &a->communicator;
    int32_t most = a->query.settings.release->max_channels;
    uint32_t nodes = a->cluster ? a->cluster->member_count : a->part_count * a->query.hosts;
    if (c->rank_count != a->ranks || c->node_count != nodes)
        return WRONG(err, "%u ranks on %u nodes, not %u on %u", c->rank_count, c->node_count, a->ranks, nodes);
    if (c->channel_count < 1 || c->channel_count > most || c->coll_channels < 1 || c->coll_channels > c->channel_count)
        return WRONG(err, "%d channels, %d of them for collectives, at most %d", c->channel_count, c->coll_channels,
                     most);
    if (c->distinct_count < 1 || c->distinct_count > c->channel_count)
        return WRONG(err, "%d distinct channels of %d", c->distinct_count, c->channel_count);
    for (int32_t i = 0; i < c->channel_count; i++)
        if (c->source[i] < 0 || c->source[i] >= c->distinct_count || c->source[i] > i)
            return WRONG(err, "channel %d is a copy of %d", i, c->source[i]);
    if (c->nvls_channels < 0 || c->nvls_channels > most || c->nvls_tree_channels > most)
        return WRONG(err, "%d NVLS channels, %d with trees, at most %d", c->nvls_channels, c->nvls_tree_channels, most);
    int32_t p2p = c->p2p_channels, per = c->p2p_channels_per_peer;
    int64_t peers = orr_setting_int(&a->query.settings, ORR_SET_P2P_MAX_PEERS);
    bool unbounded =
        a->query.settings.release->exchanges_net_rates && peers != ORR_SETTING_UNSET && peers != -2 && peers <= 0;
    if (p2p < 1 || p2p > most || (p2p & (p2p - 1)) || per < 1 || (per > p2p && !unbounded) || (per & (per - 1)))
        return WRONG(err, "%d point-to-point channels, %d for a peer", p2p, per);
    return true;
}

/* Each rank once, from rank 0 on; each node's ranks in one piece. */
static bool check_ring(const struct orr_communicator *c, int32_t channel, uint8_t *seen, struct orr_error *err)
{
    const int32_t *ring = c->rings[channel];
    uint32_t crossings = 0, n = c->rank_count;
    memset(seen, 0, n);
    for (uint32_t i = 0; i < n; i++) {
        if (ring[i] < 0 || (uint32_t)ring[i] >= n || seen[ring[i]])
            return WRONG(err, "ring %d is not a permutation: rank %d at position %u", channel, ring[i], i);
        seen[ring[i]] = 1;
        crossings += c->node_of_rank[ring[i]] != c->node_of_rank[ring[(i + 1) % n]];
    }
    if (ring[0] != 0)
        return WRONG(err, "ring %d starts at rank %d", channel, ring[0]);
    if (crossings != (c->node_count > 1 ? c->node_count : 0))
        return WRONG(err, "ring %d crosses between nodes %u times, %u nodes", channel, crossings, c->node_count);
    return true;
}

/* The graph of a node's system, and the ranks of its GPUs: of equal hosts the rank that the host starts with, NULL. */
struct node_graph {
    const struct orr_graph *graph;
    int32_t base;
    const int32_t *ranks;
};

static struct node_graph graph_of(const struct orr_analysis *a, uint32_t node, enum orr_graph_kind kind)
{
    if (a->cluster) {
        const struct orr_member *member = &a->cluster->members[node];
        return (struct node_graph){.graph = &member->contribution->graphs[kind],
                                   .ranks = a->cluster->systems[member->host].ranks};
    }
    return (struct node_graph){.graph = &a->parts[node % a->part_count].contribution.graphs[kind],
                               .base = (int32_t)(node / a->part_count * a->local_ranks)};
}

static int32_t rank_of(const struct node_graph *node, int32_t host_rank)
{
    return node->ranks ? node->ranks[host_rank] : node->base + host_rank;
}

static bool has_row(const int32_t *ring, uint32_t n, const struct node_graph *node, int32_t channel)
{
    const struct orr_graph *graph = node->graph;
    const int32_t *row = graph->gpus + (size_t)channel * graph->gpu_count;
    uint32_t at = 0, i = 0;
    while (at < n && ring[at] != rank_of(node, row[0]))
        at++;
    while (i < graph->gpu_count && ring[(at + i) % n] == rank_of(node, row[i]))
        i++;
    return i == graph->gpu_count;
}

/* A ring passes a node's GPUs as the search ordered them, in this channel or in the other of a pair that keeps rails.
 */
static bool check_ring_rows(const struct orr_analysis *a, int32_t channel, struct orr_error *err)
{
    const struct orr_communicator *c = &a->communicator;
    int32_t row = channel % c->aligned[ORR_GRAPH_RING].channels;
    for (uint32_t node = 0; node < c->node_count; node++) {
        struct node_graph own = graph_of(a, node, ORR_GRAPH_RING);
        if (!has_row(c->rings[channel], c->rank_count, &own, row) &&
            !((row ^ 1) < own.graph->channels && has_row(c->rings[channel], c->rank_count, &own, row ^ 1)))
            return WRONG(err, "ring %d does not pass node %u as its graph says", channel, node);
    }
    return true;
}

/* Inside a node a tree is a chain in the order of the graph. */
static bool check_tree_rows(const struct orr_analysis *a, int32_t channel, struct orr_error *err)
{
    const struct orr_communicator *c = &a->communicator;
    int32_t row = channel % c->aligned[ORR_GRAPH_RING].channels;
    for (uint32_t node = 0; node < c->node_count && !c->down_trees; node++) { /* 2.7.8 opens a loop somewhere */
        struct node_graph own = graph_of(a, node, ORR_GRAPH_TREE);
        const int32_t *gpus = own.graph->gpus + (size_t)row * own.graph->gpu_count;
        for (uint32_t i = 1; i < own.graph->gpu_count; i++)
            if (c->trees[channel].up[rank_of(&own, gpus[i])] != rank_of(&own, gpus[i - 1]))
                return WRONG(err, "tree %d does not pass node %u as its graph says", channel, node);
    }
    return true;
}

/* One root, and from it every rank once by the children; every child knows its parent. */
static bool check_tree(const struct orr_tree *tree, uint32_t n, const char *name, int32_t channel, int32_t *stack,
                       uint8_t *seen, int32_t *ret_root, struct orr_error *err)
{
    int32_t root = -1;
    for (uint32_t r = 0; r < n; r++) {
        if (tree->up[r] < -1 || tree->up[r] >= (int32_t)n || tree->up[r] == (int32_t)r)
            return WRONG(err, "%s %d: the parent of rank %u is %d", name, channel, r, tree->up[r]);
        if (tree->up[r] < 0 && root >= 0)
            return WRONG(err, "%s %d: ranks %d and %u are both roots", name, channel, root, r);
        root = tree->up[r] < 0 ? (int32_t)r : root;
    }
    if (root < 0)
        return WRONG(err, "%s %d: no root", name, channel);
    uint32_t top = 0, reached = 0;
    memset(seen, 0, n);
    stack[top++] = root;
    seen[root] = 1;
    while (top > 0) {
        int32_t rank = stack[--top];
        bool ended = false;
        reached++;
        for (int slot = 0; slot < 3; slot++) {
            int32_t child = tree->down[rank][slot];
            if (child < -1 || child >= (int32_t)n || (child >= 0 && ended))
                return WRONG(err, "%s %d: child %d of rank %d in slot %d", name, channel, child, rank, slot);
            ended |= child < 0;
            if (child < 0)
                continue;
            if (tree->up[child] != rank)
                return WRONG(err, "%s %d: rank %d has child %d, whose parent is %d", name, channel, rank, child,
                             tree->up[child]);
            if (seen[child])
                return WRONG(err, "%s %d: rank %d is reached twice", name, channel, child);
            seen[child] = 1;
            stack[top++] = child;
        }
    }
    *ret_root = root;
    return reached == n ? true : WRONG(err, "%s %d reaches %u ranks of %u", name, channel, reached, n);
}

/* 2.7.8 has a tree up and a tree down: data goes up to one rank and comes down from it. */
static bool check_trees(const struct orr_communicator *c, int32_t channel, int32_t *stack, uint8_t *seen,
                        struct orr_error *err)
{
    int32_t root, other;
    if (!check_tree(&c->trees[channel], c->rank_count, "tree", channel, stack, seen, &root, err))
        return false;
    if (!c->down_trees)
        return true;
    if (!check_tree(&c->down_trees[channel], c->rank_count, "down tree", channel, stack, seen, &other, err))
        return false;
    return root == other ? true : WRONG(err, "tree %d: up to rank %d, down from rank %d", channel, root, other);
}

/* The heads of one share, one on each node, form a tree; all others are outside. */
static bool check_nvls_tree(const struct orr_communicator *c, int which, struct orr_error *err)
{
    const struct orr_nvls_tree *tree = &c->nvls_trees[which];
    const int32_t n = (int32_t)c->rank_count;
    for (int32_t head = 0; head < c->nvls_tree_heads && !c->rules->nvls_heads_repeat; head++) {
        uint32_t members = 0, roots = 0, children = 0;
        for (int32_t r = 0; r < n; r++) {
            if (tree->down[r][0] != n + 1 + head)
                continue;
            members++;
            roots += tree->up[r] < 0;
            if (tree->up[r] >= n || (tree->up[r] >= 0 && tree->down[tree->up[r]][0] != n + 1 + head))
                return WRONG(err, "NVLS tree %d: head %d of share %d has parent %d", which, r, head, tree->up[r]);
            for (int slot = 1; slot < 3; slot++) {
                int32_t child = tree->down[r][slot];
                children += child >= 0;
                if (child >= n ||
                    (child >= 0 && (tree->up[child] != r || c->node_of_rank[child] == c->node_of_rank[r])))
                    return WRONG(err, "NVLS tree %d: head %d has child %d", which, r, child);
            }
            int32_t climbed = 0, at = r;
            while (tree->up[at] >= 0 && climbed++ <= n)
                at = tree->up[at];
            if (climbed > n)
                return WRONG(err, "NVLS tree %d: head %d is on a cycle", which, r);
        }
        if (members != c->node_count || roots != 1 || children != members - 1)
            return WRONG(err, "NVLS tree %d, share %d: %u heads, %u roots, %u children on %u nodes", which, head,
                         members, roots, children, c->node_count);
    }
    return true;
}

/* On each node a chain from the network's root (rank_count) over every rank, or none at all. */
static bool check_chain(const struct orr_communicator *c, int32_t channel, struct orr_error *err)
{
    const struct orr_chain *chain = &c->collnet_chains[channel];
    const int32_t n = (int32_t)c->rank_count;
    for (int32_t node = 0; node < (int32_t)c->node_count; node++) {
        int32_t ranks = 0, empty = 0, first = -1, heads = 0, length = 0;
        for (int32_t r = 0; r < n; r++) {
            if (c->node_of_rank[r] != node)
                continue;
            ranks++;
            empty += chain->up[r] < 0 && chain->down[r] < 0;
            heads += chain->up[r] == n;
            first = chain->up[r] == n ? r : first;
        }
        if (empty == ranks)
            continue;
        for (int32_t at = first; at >= 0 && length <= ranks; at = chain->down[at], length++) {
            int32_t next = chain->down[at];
            if (next >= n || (next >= 0 && (chain->up[next] != at || c->node_of_rank[next] != node)))
                return WRONG(err, "CollNet chain %d: %d comes after %d", channel, next, at);
        }
        if (heads != 1 || length != ranks)
            return WRONG(err, "CollNet chain %d: %d heads and %d of %d ranks on node %d", channel, heads, length, ranks,
                         node);
    }
    return true;
}

static bool check_all(const struct orr_analysis *a, int32_t *stack, uint8_t *seen, struct tally *tally,
                      struct orr_error *err)
{
    const struct orr_communicator *c = &a->communicator;
    for (int32_t d = 0; d < c->distinct_count; d++) {
        if (!check_ring(c, d, seen, err) || !check_ring_rows(a, d, err) || !check_trees(c, d, stack, seen, err) ||
            !check_tree_rows(a, d, err))
            return false;
        tally->rings++;
        tally->trees++;
        tally->several += c->node_count > 1;
        if (c->collnet_chains && !check_chain(c, d, err))
            return false;
        tally->chains += c->collnet_chains != NULL;
    }
    for (int which = 0; c->nvls && c->nvls_trees && which < 2; which++) {
        if (!check_nvls_tree(c, which, err))
            return false;
        tally->nvls_trees++;
    }
    for (uint32_t r = 0; r < c->rank_count; r++)
        if (c->node_of_rank[r] < 0 || c->node_of_rank[r] >= (int32_t)c->node_count)
            return WRONG(err, "rank %u is on node %d", r, c->node_of_rank[r]);
    return true;
}

bool check_channels(const struct orr_analysis *a, struct tally *tally, struct orr_error *err)
{
    const struct orr_communicator *c = &a->communicator;
    if (!check_counts(a, err))
        return false;
    int32_t *stack = calloc(c->rank_count, sizeof *stack);
    uint8_t *seen = calloc(c->rank_count, 1);
    bool good = stack && seen ? check_all(a, stack, seen, tally, err) : WRONG(err, "out of memory");
    free(stack);
    free(seen);
    return good;
}
