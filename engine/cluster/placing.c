/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/cluster/placing.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/sorting.h"

const char *orr_rank_order_name(enum orr_rank_order order)
{
    static const char *const names[] = {
        [ORR_ORDER_BLOCK] = "block",   [ORR_ORDER_CYCLIC] = "cyclic", [ORR_ORDER_NAME] = "name",
        [ORR_ORDER_SWITCH] = "switch", [ORR_ORDER_DOMAIN] = "domain", [ORR_ORDER_LIST] = "list"};
    return names[order];
}

const char *orr_rank_order_text(enum orr_rank_order order)
{
    static const char *const texts[] = {
        [ORR_ORDER_BLOCK] = "The ranks fill host after host, as the hosts are listed.",
        [ORR_ORDER_CYCLIC] = "The ranks alternate between the hosts, one on each in turn.",
        [ORR_ORDER_NAME] = "The ranks fill host after host, in the order of the hosts' names.",
        [ORR_ORDER_SWITCH] = "The ranks fill host after host, sorted by leaf switch.",
        [ORR_ORDER_DOMAIN] = "The ranks fill host after host, sorted by NVLink domain.",
        [ORR_ORDER_LIST] = "The description lists the host of every rank."};
    return texts[order];
}

/* GPUs of a line's dump that take part, as the release sees them. */
static enum orr_code count_gpus(const struct orr_cluster *cluster, uint32_t line, uint32_t *ret_count,
                                struct orr_error *err)
{
    const struct orr_cluster_line *from = &cluster->lines[line];
    if (from->gpus) {
        *ret_count = from->gpu_count;
        return from->gpu_count ? ORR_OK : orr_fail(err, ORR_NO_RANKS, "hosts[%u] uses none of its GPUs", line);
    }
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_system system;
    enum orr_code code = orr_system_build(from->dump, &cluster->settings, arena, &system, err);
    if (code == ORR_OK)
        *ret_count = orr_system_count(&system, ORR_GPU);
    else
        orr_error_host(err, line);
    return code;
}

static enum orr_code make_hosts(struct orr_cluster *c, struct orr_error *err)
{
    uint64_t hosts = 0, ranks = 0;
    uint32_t *counts = ORR_NEW(c->arena, uint32_t, c->line_count);
    ORR_NEED(counts, err);
    for (uint32_t l = 0; l < c->line_count; l++) {
        uint32_t same = 0;
        while (same < l && (c->lines[l].gpus || c->lines[same].gpus || c->lines[same].dump != c->lines[l].dump))
            same++;
        if (same < l)
            counts[l] = counts[same];
        else
            ORR_TRY(count_gpus(c, l, &counts[l], err));
        hosts += c->lines[l].count;
        ranks += (uint64_t)c->lines[l].count * counts[l];
    }
    if (!hosts)
        return orr_fail(err, ORR_NO_RANKS, "a cluster without hosts");
    if (hosts > ORR_MAX_CLUSTER_HOSTS || ranks > orr_max_ranks)
        return orr_fail(err, ORR_LIMIT, "%llu hosts with %llu ranks are more than %d hosts or %u ranks",
                        (unsigned long long)hosts, (unsigned long long)ranks, (int)ORR_MAX_CLUSTER_HOSTS,
                        orr_max_ranks);
    c->host_count = (uint32_t)hosts;
    c->rank_count = (uint32_t)ranks;
    c->hosts = ORR_NEW(c->arena, struct orr_cluster_host, c->host_count);
    int32_t *room = ORR_NEW(c->arena, int32_t, c->rank_count);
    ORR_NEED(c->hosts && room, err);
    uint32_t h = 0;
    for (uint32_t l = 0; l < c->line_count; l++)
        for (uint32_t i = 0; i < c->lines[l].count; i++) {
            c->hosts[h++] = (struct orr_cluster_host){.line = l, .at = i, .rank_count = counts[l], .ranks = room};
            room += counts[l];
        }
    return ORR_OK;
}

static void place(struct orr_cluster *c, uint32_t host, uint32_t gpu, uint32_t rank)
{
    ((int32_t *)(uintptr_t)c->hosts[host].ranks)[gpu] = (int32_t)rank;
}

static void place_cyclic(struct orr_cluster *c)
{
    uint32_t rank = 0;
    for (uint32_t gpu = 0; rank < c->rank_count; gpu++)
        for (uint32_t h = 0; h < c->host_count; h++)
            if (gpu < c->hosts[h].rank_count)
                place(c, h, gpu, rank++);
}

/* A host with the texts that decide its place. */
struct sorted_host {
    const char *by, *name; /* name is "" if it has none */
    uint32_t host;
};

ORR_COMPARATOR(compare_sorted, struct sorted_host, orr_order_naturally(a->by, b->by),
               orr_order_naturally(a->name, b->name), ORR_ORDER(a->host, b->host))

/* Places the ranks host by host, sorted by the key of the order. */
static enum orr_code place_sorted(struct orr_cluster *c, enum orr_rank_order order, struct orr_error *err)
{
    static const char *const missing[][2] = {
        [ORR_ORDER_NAME] = {"name", "\"names\""},
        [ORR_ORDER_SWITCH] = {"leaf switch", "\"switch\", or upload the dumps with the label switch"},
        [ORR_ORDER_DOMAIN] = {"NVLink domain", "\"domain\", or upload the dumps with the label domain"}};
    struct sorted_host *sorted = ORR_NEW(c->arena, struct sorted_host, c->host_count);
    uint32_t rank = 0;
    ORR_NEED(sorted, err);
    for (uint32_t h = 0; h < c->host_count; h++) {
        const struct orr_cluster_line *line = &c->lines[c->hosts[h].line];
        const char *name = line->names ? line->names[c->hosts[h].at] : NULL;
        const char *by = order == ORR_ORDER_NAME ? name : order == ORR_ORDER_SWITCH ? line->leaf : line->rack;
        if (!by) {
            orr_fail(err, ORR_INVALID, "the ranks are sorted by the %s of each host, but host %u has none",
                     missing[order][0], h);
            orr_error_where(err, "hosts[%u]", c->hosts[h].line);
            orr_error_advice(err, "describe the hosts with %s", missing[order][1]);
            return ORR_INVALID;
        }
        sorted[h] = (struct sorted_host){.by = by, .name = name ? name : "", .host = h};
    }
    qsort(sorted, c->host_count, sizeof *sorted, compare_sorted);
    for (uint32_t i = 0; i < c->host_count; i++)
        for (uint32_t gpu = 0; gpu < c->hosts[sorted[i].host].rank_count; gpu++)
            place(c, sorted[i].host, gpu, rank++);
    return ORR_OK;
}

static enum orr_code place_list(struct orr_cluster *c, const struct orr_cluster_request *request, struct orr_error *err)
{
    uint32_t *taken = ORR_NEW(c->arena, uint32_t, c->host_count);
    uint32_t *host_of_rank = ORR_NEW(c->arena, uint32_t, c->rank_count);
    ORR_NEED(taken && host_of_rank, err);
    if (request->listed_ranks != c->rank_count)
        return orr_fail_with(err, ORR_INVALID, "ranks",
                             "list the host of every rank: each host once for every GPU that takes part",
                             "the list places %u ranks, but the hosts have %u GPUs that take part",
                             request->listed_ranks, c->rank_count);
    for (uint32_t r = 0; r < c->rank_count; r++) {
        uint32_t host = request->host_of_rank[r];
        if (host >= c->host_count)
            orr_fail(err, ORR_INVALID, "rank %u is placed on host %u, but the cluster has %u, numbered from 0", r, host,
                     c->host_count);
        else if (taken[host] == c->hosts[host].rank_count)
            orr_fail(err, ORR_INVALID, "rank %u is placed on host %u, but its %u GPUs already have ranks", r, host,
                     taken[host]);
        if (host >= c->host_count || taken[host] == c->hosts[host].rank_count) {
            orr_error_where(err, "ranks[%u]", r);
            return ORR_INVALID;
        }
        place(c, host, taken[host]++, r);
        host_of_rank[r] = host;
    }
    c->host_of_rank = host_of_rank;
    return ORR_OK;
}

enum orr_code orr_place_ranks(struct orr_cluster *cluster, const struct orr_cluster_request *request,
                              struct orr_error *err)
{
    uint32_t rank = 0;
    ORR_TRY(make_hosts(cluster, err));
    switch (request->order) {
    case ORR_ORDER_BLOCK:
        for (uint32_t h = 0; h < cluster->host_count; h++)
            for (uint32_t gpu = 0; gpu < cluster->hosts[h].rank_count; gpu++)
                place(cluster, h, gpu, rank++);
        return ORR_OK;
    case ORR_ORDER_CYCLIC:
        place_cyclic(cluster);
        return ORR_OK;
    case ORR_ORDER_NAME:
    case ORR_ORDER_SWITCH:
    case ORR_ORDER_DOMAIN:
        return place_sorted(cluster, request->order, err);
    case ORR_ORDER_LIST:
        return place_list(cluster, request, err);
    }
    return orr_fail(err, ORR_INTERNAL, "unknown order of ranks");
}

struct ordered_host {
    int32_t rank;
    uint32_t host;
};

/* Lists the hosts and ranks of each system, once its hosts are known. */
static enum orr_code fill_systems(struct orr_cluster *c, const struct ordered_host *order, struct orr_error *err)
{
    uint32_t *hosts = ORR_NEW(c->arena, uint32_t, c->host_count);
    int32_t *ranks = ORR_NEW(c->arena, int32_t, c->rank_count);
    ORR_NEED(hosts && ranks, err);
    for (uint32_t s = 0; s < c->system_count; s++) {
        struct orr_cluster_system *system = &c->systems[s];
        system->hosts = hosts;
        system->ranks = ranks;
        hosts += system->host_count;
        ranks += system->rank_count;
        system->host_count = system->rank_count = 0;
    }
    for (uint32_t i = 0; i < c->host_count; i++) {
        const struct orr_cluster_host *host = &c->hosts[order[i].host];
        struct orr_cluster_system *system = &c->systems[host->system];
        ((uint32_t *)(uintptr_t)system->hosts)[system->host_count++] = order[i].host;
        memcpy((int32_t *)(uintptr_t)system->ranks + system->rank_count, host->ranks,
               host->rank_count * sizeof *host->ranks);
        system->rank_count += host->rank_count;
    }
    for (uint32_t s = 0; s < c->system_count; s++)
        if (c->systems[s].host_count > 1)
            qsort((int32_t *)(uintptr_t)c->systems[s].ranks, c->systems[s].rank_count, sizeof(int32_t), orr_by_number);
    return ORR_OK;
}

enum orr_code orr_place_systems(struct orr_cluster *c, struct orr_error *err)
{
    struct ordered_host *order = ORR_NEW(c->arena, struct ordered_host, c->host_count);
    uint32_t *system_of_clique = ORR_NEW(c->arena, uint32_t, c->fabrics.clique_count);
    c->systems = ORR_NEW(c->arena, struct orr_cluster_system, c->host_count);
    ORR_NEED(order && system_of_clique && c->systems, err);
    for (uint32_t q = 0; q < c->fabrics.clique_count; q++)
        system_of_clique[q] = UINT32_MAX;
    for (uint32_t h = 0; h < c->host_count; h++)
        order[h] = (struct ordered_host){.rank = c->hosts[h].ranks[0], .host = h};
    qsort(order, c->host_count, sizeof *order, orr_by_number); /* begins with the rank */
    for (uint32_t i = 0; i < c->host_count; i++) {
        struct orr_cluster_host *host = &c->hosts[order[i].host];
        uint32_t *shared =
            c->fabrics.rule == ORR_MNNVL_RULE_ON ? &system_of_clique[c->fabrics.clique_of_line[host->line]] : NULL;
        host->system = shared && *shared != UINT32_MAX ? *shared : c->system_count++;
        if (shared)
            *shared = host->system;
        c->systems[host->system].host_count++;
        c->systems[host->system].rank_count += host->rank_count;
    }
    return fill_systems(c, order, err);
}
