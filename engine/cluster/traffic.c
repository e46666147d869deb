/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/cluster/traffic.h"

/* One part of one kind while its members are counted. */
struct usage {
    const struct orr_part *part;
    /* [channel of its ring graph]: how often its members use that row, per system; and how often they enter and leave
     * by the row's NICs, and not by NVLink from or to another clique. */
    double *rows, *entries, *exits;
    double *links;               /* [link]: GB/s */
    double *in, *out, *crossing; /* [NET]: channels */
};

struct counting {
    const struct orr_cluster *cluster;
    const struct orr_communicator *comm;
    struct usage *usages; /* [kind][part], kinds one after the other */
    uint32_t *first;      /* [kind] */
    uint32_t count;
};

static enum orr_code make_usages(struct counting *c, struct orr_arena *arena, struct orr_error *err)
{
    const struct orr_cluster *cluster = c->cluster;
    c->first = ORR_NEW(arena, uint32_t, cluster->kind_count);
    ORR_NEED(c->first, err);
    for (uint32_t k = 0; k < cluster->kind_count; k++) {
        c->first[k] = c->count;
        c->count += cluster->kinds[k].analysis->part_count;
    }
    c->usages = ORR_NEW(arena, struct usage, c->count);
    ORR_NEED(c->usages, err);
    for (uint32_t k = 0; k < cluster->kind_count; k++)
        for (uint32_t p = 0; p < cluster->kinds[k].analysis->part_count; p++) {
            struct usage *u = &c->usages[c->first[k] + p];
            u->part = &cluster->kinds[k].analysis->parts[p];
            u->rows = ORR_NEW(arena, double, ORR_MAX_CHANNELS);
            u->entries = ORR_NEW(arena, double, ORR_MAX_CHANNELS);
            u->exits = ORR_NEW(arena, double, ORR_MAX_CHANNELS);
            u->links = ORR_NEW(arena, double, u->part->system.link_count);
            u->in = ORR_NEW(arena, double, orr_system_count(&u->part->system, ORR_NET));
            u->out = ORR_NEW(arena, double, orr_system_count(&u->part->system, ORR_NET));
            u->crossing = ORR_NEW(arena, double, orr_system_count(&u->part->system, ORR_NET));
            ORR_NEED(u->rows && u->entries && u->exits && u->links && u->in && u->out && u->crossing, err);
        }
    return ORR_OK;
}

static uint32_t find_net(const struct orr_system *system, int64_t id)
{
    uint32_t node = orr_net_of_id(system, id);
    return node == ORR_NO_NODE ? node : node - system->first[ORR_NET];
}

static void load_path(struct usage *u, uint32_t from, uint32_t to, double bw)
{
    if (from == ORR_NO_NODE || to == ORR_NO_NODE)
        return;
    const struct orr_path *path = orr_path(&u->part->paths, from, to);
    for (uint32_t i = 0; i < path->hops; i++)
        u->links[u->part->paths.links[path->first + i]] += bw;
}

/* Adds the rows of a part to its links and NICs, as often as they are used. */
static void place_rows(struct usage *u, const struct orr_graph *aligned, bool leaves)
{
    const struct orr_graph *ring = &u->part->contribution.graphs[ORR_GRAPH_RING];
    const struct orr_system *system = &u->part->system;
    double intra = (double)aligned->bw_intra, inter = (double)aligned->bw_inter;
    for (int32_t c = 0; c < ring->channels; c++) {
        if (u->rows[c] <= 0)
            continue;
        const int32_t *row = ring->gpus + (size_t)c * ring->gpu_count;
        uint32_t first = orr_gpu_of_rank(system, row[0]), at = first;
        for (uint32_t i = 1; i < ring->gpu_count; i++) {
            uint32_t next = orr_gpu_of_rank(system, row[i]);
            load_path(u, at, next, intra * u->rows[c]);
            at = next;
        }
        if (!leaves)
            load_path(u, at, first, intra * u->rows[c]);
        uint32_t nvs = system->first[ORR_NVS];
        if (leaves && orr_system_count(system, ORR_NVS) && orr_paths_has(&u->part->paths, nvs)) {
            load_path(u, nvs, first, inter * (u->rows[c] - u->entries[c]));
            load_path(u, at, nvs, inter * (u->rows[c] - u->exits[c]));
        }
        if (!leaves || !ring->nets)
            continue;
        uint32_t entry = find_net(system, ring->nets[c][0]), exit = find_net(system, ring->nets[c][1]);
        if (entry != ORR_NO_NODE) {
            u->in[entry] += u->entries[c];
            load_path(u, system->first[ORR_NET] + entry, first, inter * u->entries[c]);
        }
        if (exit != ORR_NO_NODE) {
            u->out[exit] += u->exits[c];
            load_path(u, at, system->first[ORR_NET] + exit, inter * u->exits[c]);
        }
    }
}

static int32_t rail_of(const struct orr_system *system, uint32_t net)
{
    if (net == ORR_NO_NODE)
        return -1;
    const struct orr_node *node = orr_system_node(system, ORR_NET, net);
    return node->net.rail >= 0 ? node->net.rail : node->net.dev;
}

/* The NICs by which a channel leaves one node and enters the next. */
static void count_hop(const struct counting *c, const uint32_t *usage_of, uint32_t node, int32_t channel,
                      struct orr_traffic *traffic)
{
    uint32_t next = (node + 1) % c->comm->node_count;
    const struct orr_part *from = c->usages[usage_of[node]].part, *to = c->usages[usage_of[next]].part;
    const struct orr_graph *a = &from->contribution.graphs[ORR_GRAPH_RING];
    const struct orr_graph *b = &to->contribution.graphs[ORR_GRAPH_RING];
    if (!a->nets || !b->nets)
        return;
    uint32_t exit = find_net(&from->system, a->nets[orr_ring_channel(c->comm, node, channel)][1]);
    uint32_t entry = find_net(&to->system, b->nets[orr_ring_channel(c->comm, next, channel)][0]);
    bool crosses = rail_of(&from->system, exit) != rail_of(&to->system, entry);
    traffic->hops++;
    traffic->crossing += crosses;
    if (crosses && exit != ORR_NO_NODE)
        c->usages[usage_of[node]].crossing[exit] +=
            1.0 / c->cluster->kinds[c->cluster->systems[c->comm->members[node].host].kind].system_count;
}

/* Whether a ring goes from one node to the next by NVLink. */
static bool by_nvlink(const struct counting *c, uint32_t node)
{
    uint32_t next = (node + 1) % c->comm->node_count;
    return orr_systems_share_nvlink(c->cluster, c->comm->members[node].host, c->comm->members[next].host);
}

static enum orr_code count_members(struct counting *c, struct orr_arena *arena, struct orr_traffic *traffic,
                                   struct orr_error *err)
{
    const struct orr_cluster *cluster = c->cluster;
    uint32_t *usage_of = ORR_NEW(arena, uint32_t, c->comm->node_count);
    ORR_NEED(usage_of, err);
    for (uint32_t n = 0; n < c->comm->node_count; n++) {
        const struct orr_member *member = &c->comm->members[n];
        uint32_t kind = cluster->systems[member->host].kind, u = c->first[kind];
        while (&c->usages[u].part->contribution != member->contribution)
            u++;
        usage_of[n] = u;
        double share = 1.0 / cluster->kinds[kind].system_count;
        bool enters = !by_nvlink(c, n ? n - 1 : c->comm->node_count - 1), leaves = !by_nvlink(c, n);
        for (int32_t channel = 0; channel < c->comm->base_channels; channel++) {
            int32_t row = orr_ring_channel(c->comm, n, channel);
            c->usages[u].rows[row] += share;
            c->usages[u].entries[row] += enters ? share : 0;
            c->usages[u].exits[row] += leaves ? share : 0;
        }
    }
    for (uint32_t n = 0; c->comm->node_count > 1 && n < c->comm->node_count; n++)
        for (int32_t channel = 0; channel < c->comm->base_channels && !by_nvlink(c, n); channel++)
            count_hop(c, usage_of, n, channel, traffic);
    return ORR_OK;
}

static enum orr_code list_loads(const struct counting *c, struct orr_arena *arena, struct orr_traffic *traffic,
                                struct orr_error *err)
{
    uint32_t nets = 0, links = 0;
    for (uint32_t u = 0; u < c->count; u++) {
        nets += orr_system_count(&c->usages[u].part->system, ORR_NET);
        links += c->usages[u].part->system.link_count;
    }
    traffic->nics = ORR_NEW(arena, struct orr_nic_load, nets);
    traffic->links = ORR_NEW(arena, struct orr_ring_link, links);
    ORR_NEED(traffic->nics && traffic->links, err);
    double inter = (double)c->comm->aligned[ORR_GRAPH_RING].bw_inter;
    for (uint32_t k = 0; k < c->cluster->kind_count; k++)
        for (uint32_t p = 0; p < c->cluster->kinds[k].analysis->part_count; p++) {
            const struct usage *u = &c->usages[c->first[k] + p];
            const struct orr_system *system = &u->part->system;
            for (uint32_t n = 0; n < orr_system_count(system, ORR_NET); n++)
                traffic->nics[traffic->nic_count++] = (struct orr_nic_load){
                    .kind = k,
                    .part = p,
                    .node = system->first[ORR_NET] + n,
                    .rail = rail_of(system, n),
                    .in = u->in[n],
                    .out = u->out[n],
                    .crossing = u->crossing[n],
                    .bw = inter * (u->in[n] > u->out[n] ? u->in[n] : u->out[n]),
                };
            for (uint32_t l = 0; l < system->link_count; l++)
                if (u->links[l] > 0)
                    traffic->links[traffic->link_count++] =
                        (struct orr_ring_link){.kind = k, .part = p, .link = l, .bw = u->links[l]};
        }
    return ORR_OK;
}

enum orr_code orr_ring_traffic(const struct orr_cluster *cluster, struct orr_arena *arena,
                               struct orr_traffic *ret_traffic, struct orr_error *err)
{
    struct counting c = {.cluster = cluster, .comm = &cluster->analysis->communicator};
    struct orr_traffic traffic = {.nics = NULL};
    ORR_TRY(make_usages(&c, arena, err));
    ORR_TRY(count_members(&c, arena, &traffic, err));
    for (uint32_t u = 0; u < c.count; u++)
        place_rows(&c.usages[u], &c.comm->aligned[ORR_GRAPH_RING], c.comm->node_count > 1);
    ORR_TRY(list_loads(&c, arena, &traffic, err));
    *ret_traffic = traffic;
    return ORR_OK;
}
