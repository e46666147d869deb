/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/cluster/rails.h"

#include <string.h>

#include "engine/base/budget.h"

const char *orr_nic_fact_key(enum orr_nic_fact fact)
{
#define X(symbol, key, words) [ORR_NIC_##symbol] = key,
    static const char *const keys[] = {ORR_NIC_FACT_MAP(X)};
#undef X
    return keys[fact];
}

const char *orr_nic_fact_words(enum orr_nic_fact fact)
{
#define X(symbol, key, words) [ORR_NIC_##symbol] = words,
    static const char *const words[] = {ORR_NIC_FACT_MAP(X)};
#undef X
    return words[fact];
}

/* Ports that NCCL fuses are called "mlx5_0+mlx5_1"; the first name stands for all of them. */
static bool same_nic(const char *known, const char *name)
{
    const size_t length = strlen(known);
    return !strncmp(known, name, length) && (!name[length] || name[length] == '+');
}

const struct orr_cluster_nic *orr_cluster_nic_of(const struct orr_cluster *cluster, uint32_t host,
                                                 const struct orr_dump *dump, const struct orr_node *net)
{
    const struct orr_cluster_line *line = &cluster->lines[cluster->hosts[host].line];
    const char *name = net->element == ORR_NO_ELEMENT ? NULL : orr_element_text(dump, net->element, ORR_ATTR_NAME);
    for (uint32_t i = 0; i < line->nic_count; i++)
        if (line->nics[i].name ? name && same_nic(line->nics[i].name, name) : line->nics[i].dev == net->net.dev)
            return &line->nics[i];
    return NULL;
}

/* One node of the communicator, while the hops to the next node are counted. */
struct side {
    const struct orr_cluster_system *system;
    const struct orr_part *part;
    const struct orr_analysis *analysis;
    const struct orr_graph *ring;
};

/* A NIC by which a ring enters or leaves a node; known is NULL if nothing is known about it. */
struct end {
    uint32_t host;
    const struct orr_node *net;
    const struct orr_cluster_nic *known;
};

static bool side_of(const struct orr_cluster *c, uint32_t node, struct side *ret_side)
{
    const struct orr_member *member = &c->analysis->communicator.members[node];
    const struct orr_cluster_system *system = &c->systems[member->host];
    const struct orr_analysis *analysis = c->kinds[system->kind].analysis;
    uint32_t part = 0;
    while (part < analysis->part_count && &analysis->parts[part].contribution != member->contribution)
        part++;
    if (part == analysis->part_count)
        return false;
    *ret_side = (struct side){system, &analysis->parts[part], analysis,
                              &analysis->parts[part].contribution.graphs[ORR_GRAPH_RING]};
    return ret_side->ring->nets != NULL;
}

static struct end end_of(const struct orr_cluster *c, const struct side *side, uint32_t net)
{
    struct end end = {.host = side->system->hosts[0]};
    if (net == ORR_NO_NODE)
        return end;
    end.net = &side->part->system.nodes[net];
    const uint32_t at = (uint32_t)orr_id_system(end.net->id); /* which of the fused hosts */
    if (side->system->host_count > 1 && at < side->system->host_count)
        end.host = side->system->hosts[at];
    end.known = orr_cluster_nic_of(c, end.host, side->analysis->dump, end.net);
    return end;
}

static bool share(const struct orr_cluster_line *a, const struct orr_cluster_line *b, enum orr_nic_fact fact)
{
    for (uint32_t i = 0; i < a->nic_count; i++)
        for (uint32_t j = 0; a->nics[i].facts[fact] && j < b->nic_count; j++)
            if (b->nics[j].facts[fact] && !strcmp(a->nics[i].facts[fact], b->nics[j].facts[fact]))
                return true;
    return false;
}

/* The first fact that is known about both NICs. */
static enum orr_nic_fact common_fact(const struct orr_cluster_nic *a, const struct orr_cluster_nic *b)
{
    unsigned fact = 0;
    while (fact < ORR_NIC_FACT_COUNT && (!a->facts[fact] || !b->facts[fact]))
        fact++;
    return (enum orr_nic_fact)fact;
}

/* Large networks have leaf switches and subnets that two hosts do not share, so NCCL could not stay on one of them. */
static bool could_stay(const struct orr_cluster *c, const struct end *from, const struct end *to,
                       enum orr_nic_fact fact)
{
    const struct orr_cluster_line *a = &c->lines[c->hosts[from->host].line], *b = &c->lines[c->hosts[to->host].line];
    return fact == ORR_NIC_RAIL || a->isolated || share(a, b, fact);
}

/* Whether the hop would have stayed in its network through the next host's NIC of the same number. */
static bool turns(const struct orr_cluster *c, const struct side *next, const struct end *from, const struct end *to,
                  enum orr_nic_fact fact)
{
    const struct orr_system *system = &next->part->system;
    for (uint32_t n = system->first[ORR_NET]; n < system->first[ORR_NET + 1]; n++) {
        const struct end same = end_of(c, next, n);
        if (same.host == to->host && same.net->net.dev == from->net->net.dev && same.known && same.known->facts[fact] &&
            from->net->net.dev != to->net->net.dev)
            return !strcmp(same.known->facts[fact], from->known->facts[fact]);
    }
    return false;
}

static void count_hop(const struct orr_cluster *c, const struct side *here, const struct side *next, int32_t row,
                      int32_t next_row, struct orr_rails *rails)
{
    const struct end from = end_of(c, here, orr_net_of_id(&here->part->system, here->ring->nets[row][1]));
    const struct end to = end_of(c, next, orr_net_of_id(&next->part->system, next->ring->nets[next_row][0]));
    if (!from.known || !to.known)
        return;
    const enum orr_nic_fact fact = common_fact(from.known, to.known);
    if (fact == ORR_NIC_FACT_COUNT)
        return;
    rails->hops++;
    if (!strcmp(from.known->facts[fact], to.known->facts[fact]) || !could_stay(c, &from, &to, fact))
        return;
    if (!rails->crossing++)
        rails->first = (struct orr_rail_hop){from.host,
                                             to.host,
                                             from.net,
                                             to.net,
                                             here->analysis,
                                             next->analysis,
                                             fact,
                                             from.known->facts[fact],
                                             to.known->facts[fact]};
    rails->turning += turns(c, next, &from, &to, fact);
    rails->isolated |= c->lines[c->hosts[from.host].line].isolated;
}

enum orr_code orr_cluster_rails(const struct orr_cluster *cluster, struct orr_rails *ret_rails, struct orr_error *err)
{
    const struct orr_communicator *comm = &cluster->analysis->communicator;
    struct orr_rails rails = {.hops = 0};
    uint32_t most = 0;
    for (uint32_t l = 0; l < cluster->line_count; l++)
        most = cluster->lines[l].nic_count > most ? cluster->lines[l].nic_count : most;
    for (uint32_t n = 0; most && comm->node_count > 1 && n < comm->node_count; n++) {
        const uint32_t after = (n + 1) % comm->node_count;
        struct side here, next;
        if (orr_budget_spent(64 + most * 4))
            return orr_budget_check(err);
        if (!side_of(cluster, n, &here) || !side_of(cluster, after, &next) ||
            orr_systems_share_nvlink(cluster, comm->members[n].host, comm->members[after].host))
            continue;
        for (int32_t channel = 0; channel < comm->base_channels; channel++)
            count_hop(cluster, &here, &next, orr_ring_channel(comm, n, channel), orr_ring_channel(comm, after, channel),
                      &rails);
    }
    *ret_rails = rails;
    return ORR_OK;
}
