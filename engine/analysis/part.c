/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/analysis/part.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/sorting.h"
#include "engine/decide/verdicts.h"
#include "engine/release/release.h"
#include "engine/search/search.h"

/* The figures of a system with which the search starts. */
static void summarise_rates(struct orr_system *system, const struct orr_paths *paths)
{
    bool has_devs = system->release->has_devs;
    bool any_nets = orr_system_count(system, ORR_NET) > 0 || system->release->keeps_nets;
    bool has_nets = any_nets && system->leaves_host;
    enum orr_node_type source = has_devs ? ORR_DEV : ORR_GPU; /* whose links and paths count */
    enum orr_node_type target = has_nets ? ORR_NET : source;
    system->max_bw = system->total_bw = 0;
    if (!has_nets && orr_system_count(system, ORR_GPU) == 1) {
        system->max_bw = ORR_LOC_BW;
        system->total_bw = system->release->single_gpu_total;
        return;
    }
    for (uint32_t g = system->first[source]; g < system->first[source + 1]; g++) {
        const struct orr_node *gpu = &system->nodes[g];
        float nvlink = 0, pci = 0;
        for (uint32_t t = system->first[target]; t < system->first[target + 1]; t++) {
            const struct orr_path *path = orr_path(paths, g, t);
            if (path->hops && path->bw > system->max_bw)
                system->max_bw = path->bw;
        }
        for (uint32_t l = gpu->first_link; l < gpu->first_link + gpu->link_count; l++) {
            if (system->links[l].type == ORR_LINK_NVL)
                nvlink += system->links[l].bw;
            if (system->links[l].type == ORR_LINK_PCI)
                pci = system->links[l].bw;
        }
        float sum = pci > nvlink ? pci : nvlink;
        if (sum > system->total_bw)
            system->total_bw = sum;
    }
}

static bool reaches(const struct orr_path *path, bool by_type)
{
    return by_type ? path->type < ORR_PATH_NET : path->hops > 0;
}

/* domain[g]: the smallest of g and the domains of earlier GPUs that g reaches without the network.
 * docs/nccl/p2p-and-gdr.md, "Separated parts of a host". */
static uint32_t find_domains(const struct orr_system *system, const struct orr_paths *paths, uint32_t *domain)
{
    uint32_t first = system->first[ORR_GPU], count = orr_system_count(system, ORR_GPU), distinct = 0;
    bool by_type = system->release->apart_by_type;
    for (uint32_t g = 0; g < count; g++) {
        domain[g] = g;
        for (uint32_t p = 0; p < g; p++)
            if (reaches(orr_path(paths, first + g, first + p), by_type) && domain[p] < domain[g])
                domain[g] = domain[p];
        distinct += domain[g] == g;
    }
    return distinct;
}

/* Marks the nodes that stay for a domain. Returns whether these are all nodes. */
static bool choose_nodes(const struct orr_analysis *a, const uint32_t *domain, uint32_t own, unsigned char *keep)
{
    const struct orr_system *system = &a->built;
    uint32_t gpus = 0;
    memset(keep, 1, system->node_count);
    for (uint32_t g = 0; g < a->local_ranks; g++) {
        keep[system->first[ORR_GPU] + g] = domain[g] == own;
        gpus += domain[g] == own;
    }
    if (gpus < a->ranks || system->release->keeps_nets)
        return gpus == a->local_ranks;
    memset(keep + system->first[ORR_NET], 0, orr_system_count(system, ORR_NET));
    return orr_system_count(system, ORR_NET) == 0;
}

/* The data from which the parts of a host are made. */
struct whole {
    struct orr_paths paths;         /* effective */
    struct orr_whole_routes routes; /* direct routes, computed once for all parts if there are several */
    uint32_t *domain;               /* [GPU] */
    unsigned char *keep;            /* [node]: whether it is in the present part */
    struct orr_kept kept;           /* positions of nodes and links in the present part */
    struct orr_arena *arena;        /* for temporary values */
};

static enum orr_code make_part(struct orr_analysis *a, struct orr_part *part, struct whole *whole, uint32_t own,
                               struct orr_error *err)
{
    const struct orr_settings *settings = &a->query.settings;
    if (choose_nodes(a, whole->domain, own, whole->keep)) { /* the second computation would repeat the first */
        part->system = a->built;
        part->paths = whole->paths;
        part->paths.system = &part->system;
    } else {
        ORR_TRY(orr_system_without(&a->built, whole->keep, a->arena, &part->system, &whole->kept, err));
        ORR_TRY(whole->routes.paths.table ? orr_paths_route_part(&part->system, settings, &whole->routes, &whole->kept,
                                                                 a->arena, &part->paths, err)
                                          : orr_paths_route(&part->system, settings, a->arena, &part->paths, err));
        ORR_TRY(orr_effective_paths(settings, &part->paths, err));
    }
    uint32_t count = orr_system_count(&part->system, ORR_GPU);
    int32_t *ranks = ORR_NEW(a->arena, int32_t, count);
    ORR_NEED(ranks, err);
    if (part->system.release->keeps_nets)
        part->system.leaves_host = count < a->ranks;
    summarise_rates(&part->system, &part->paths);
    for (uint32_t g = 0; g < count; g++)
        ranks[g] = orr_system_node(&part->system, ORR_GPU, g)->gpu.rank;
    qsort(ranks, count, sizeof *ranks, orr_by_number);
    part->contribution.ranks = ranks;
    part->contribution.rank_count = count;
    return ORR_OK;
}

/* Orders parts by their lowest ranks, as the members of a communicator must be. */
ORR_COMPARATOR(compare_parts, struct orr_part, ORR_ORDER(a->contribution.ranks[0], b->contribution.ranks[0]))

static enum orr_code make_parts(struct orr_analysis *a, struct whole *whole, struct orr_error *err)
{
    const struct orr_settings *settings = &a->query.settings;
    uint32_t *part_of_rank = ORR_NEW(a->arena, uint32_t, a->local_ranks);
    whole->domain = ORR_NEW(whole->arena, uint32_t, a->local_ranks);
    whole->keep = ORR_NEW(whole->arena, unsigned char, a->built.node_count);
    ORR_NEED(whole->domain && part_of_rank && whole->keep, err);
    if (!orr_system_count(&a->built, ORR_CPU))
        return orr_fail(err, ORR_INVALID, "the file has no <cpu>");
    ORR_TRY(orr_paths_route(&a->built, settings, a->arena, &whole->paths, err));
    ORR_TRY(orr_effective_paths(settings, &whole->paths, err));
    summarise_rates(&a->built, &whole->paths);
    uint32_t count = find_domains(&a->built, &whole->paths, whole->domain), made = 0;
    a->parts = ORR_NEW(a->arena, struct orr_part, count);
    ORR_NEED(a->parts, err);
    whole->kept.node = ORR_NEW(whole->arena, uint32_t, a->built.node_count);
    whole->kept.link = ORR_NEW(whole->arena, uint32_t, a->built.link_count);
    ORR_NEED(whole->kept.node && whole->kept.link, err);
    if (count > 1)
        ORR_TRY(orr_paths_route_whole(&a->built, settings, whole->arena, &whole->routes, err));
    for (uint32_t g = 0; g < a->local_ranks; g++)
        if (whole->domain[g] == g)
            ORR_TRY(make_part(a, &a->parts[made++], whole, g, err));
    a->part_count = count;
    qsort(a->parts, count, sizeof *a->parts, compare_parts);
    for (uint32_t i = 0; i < count; i++) {
        struct orr_part *part = &a->parts[i];
        part->paths.system = &part->system; /* it moved while sorting */
        for (uint32_t r = 0; r < part->contribution.rank_count; r++)
            part_of_rank[part->contribution.ranks[r]] = i;
    }
    a->part_of_rank = part_of_rank;
    return ORR_OK;
}

enum orr_code orr_parts_make(struct orr_analysis *a, struct orr_error *err)
{
    ORR_LOCAL_ARENA(arena, 0);
    struct whole whole = {.arena = arena};
    return make_parts(a, &whole, err);
}

enum orr_code orr_part_decide(const struct orr_analysis *a, struct orr_part *part, struct orr_error *err)
{
    const struct orr_system *system = &part->system;
    uint32_t gpus = orr_system_count(system, ORR_GPU), nets = orr_system_count(system, ORR_NET);
    struct orr_gdr *gdr = ORR_NEW(a->arena, struct orr_gdr, (size_t)gpus * nets);
    ORR_NEED(gdr, err);
    for (uint32_t g = 0; g < gpus; g++) {
        if (orr_budget_spent(2 * nets))
            return orr_budget_check(err);
        for (uint32_t n = 0; n < nets; n++) {
            uint32_t gpu = system->first[ORR_GPU] + g, net = system->first[ORR_NET] + n;
            struct orr_gdr *pair = &gdr[(size_t)g * nets + n];
            ORR_TRY(orr_decide_gdr(&part->paths, &a->query.settings, gpu, net, true, &pair->send, err));
            ORR_TRY(orr_decide_gdr(&part->paths, &a->query.settings, gpu, net, false, &pair->recv, err));
        }
    }
    part->gdr = gdr;
    return ORR_OK;
}

/* Finds the NIC that each GPU uses for each channel of the ring graph. */
static enum orr_code place_nets(const struct orr_analysis *a, struct orr_part *part, int32_t channels,
                                struct orr_error *err)
{
    const struct orr_graph *ring = &part->contribution.graphs[ORR_GRAPH_RING];
    const struct orr_system *system = &part->system;
    uint32_t gpus = orr_system_count(system, ORR_GPU);
    bool leaves = system->release->keeps_nets ? system->leaves_host : a->query.hosts > 1;
    if (!leaves || !ring->nets || !orr_system_count(system, ORR_NET))
        return ORR_OK;
    part->net_dev_channels = channels;
    struct orr_net_dev *devs = ORR_NEW(a->arena, struct orr_net_dev, (size_t)gpus * (size_t)channels);
    ORR_NEED(devs, err);
    for (uint32_t g = 0; g < gpus; g++)
        for (int32_t c = 0; c < channels; c++) {
            uint32_t node = system->first[ORR_GPU] + g, relay = ORR_NO_NODE;
            int32_t rank = system->nodes[node].gpu.rank;
            struct orr_net_dev *dev = &devs[(size_t)g * (size_t)channels + (size_t)c];
            dev->net = ring->nets[c][ring->gpus[(size_t)c * ring->gpu_count] == rank ? 0 : 1];
            dev->proxy_rank = rank;
            uint32_t net = orr_net_of_id(system, dev->net);
            if (net == ORR_NO_NODE || orr_path(&part->paths, node, net)->type != ORR_PATH_PXN)
                continue;
            ORR_TRY(orr_pxn_relay(&part->paths, node, net, &relay, err));
            dev->proxy_rank = system->nodes[relay].gpu.rank;
        }
    part->net_devs = devs;
    return ORR_OK;
}

enum orr_code orr_part_search(const struct orr_analysis *a, struct orr_part *part, struct orr_error *err)
{
    struct orr_contribution *c = &part->contribution;
    ORR_TRY(orr_part_measure(a, part, err));
    struct orr_search_request request = {.hosts = a->query.hosts,
                                         .collnet = c->has_collnet,
                                         .nvls = orr_searches_nvls(a, c, c->sm_max),
                                         .file = a->dump->graphs,
                                         .memo = a->query.memo};
    ORR_TRY(orr_search(&part->paths, &a->query.settings, &request, a->arena, c->graphs, err));
    int32_t own_sm = orr_system_node(&part->system, ORR_GPU, 0)->gpu.sm;
    if (!c->graphs[ORR_GRAPH_NVLS].channels && !orr_searches_nvls(a, c, own_sm))
        c->graphs[ORR_GRAPH_NVLS].pattern = ORR_PATTERN_NONE; /* only other ranks of the host have it */
    int32_t ring = c->graphs[ORR_GRAPH_RING].channels, tree = c->graphs[ORR_GRAPH_TREE].channels;
    bool fewer = part->system.release->ring_follows_tree && tree < ring;
    return place_nets(a, part, fewer ? tree : ring, err);
}

enum orr_code orr_part_align_nets(const struct orr_analysis *a, struct orr_part *part, struct orr_error *err)
{
    const struct orr_communicator *c = &a->communicator;
    const struct orr_release *release = a->query.settings.release;
    int32_t channels = release->ring_follows_tree ? c->base_channels : c->ring_channels;
    bool fewer = release->nets_as_aligned && part->net_devs && channels < part->net_dev_channels;
    return fewer ? place_nets(a, part, channels, err) : ORR_OK;
}
