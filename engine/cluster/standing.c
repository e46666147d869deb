/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/cluster/standing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sorting.h"

static uint32_t commonest_kind(const struct orr_cluster *cluster)
{
    uint32_t most = 0;
    for (uint32_t k = 1; k < cluster->kind_count; k++)
        if (cluster->kinds[k].host_count > cluster->kinds[most].host_count)
            most = k;
    return most;
}

bool orr_kind_partial(const struct orr_cluster *cluster, uint32_t kind)
{
    const uint32_t most = commonest_kind(cluster);
    const struct orr_cluster_line *line = &cluster->lines[cluster->kinds[most].line];
    const struct orr_cluster_system *system = cluster->systems;
    while (system->kind != kind)
        system++;
    for (uint32_t i = 0; i < system->host_count; i++) {
        const struct orr_cluster_line *own = &cluster->lines[cluster->hosts[system->hosts[i]].line];
        if (own->dump != line->dump || own->gpus || line->gpus)
            return false;
    }
    return kind != most;
}

bool orr_kind_odd(const struct orr_cluster *cluster, uint32_t kind)
{
    return 2 * cluster->kinds[commonest_kind(cluster)].host_count > cluster->host_count &&
           4 * cluster->kinds[kind].host_count <= cluster->host_count && !orr_kind_partial(cluster, kind);
}

uint32_t orr_kind_fastest(const struct orr_cluster *cluster)
{
    uint32_t best = 0;
    for (uint32_t k = 1; k < cluster->kind_count; k++)
        if (orr_kind_ring_bw(cluster, &cluster->kinds[k]) > orr_kind_ring_bw(cluster, &cluster->kinds[best]))
            best = k;
    return best;
}

bool orr_kind_slowest(const struct orr_cluster *cluster, uint32_t kind)
{
    double own = orr_kind_ring_bw(cluster, &cluster->kinds[kind]);
    for (uint32_t k = 0; k < cluster->kind_count; k++)
        if (orr_kind_ring_bw(cluster, &cluster->kinds[k]) < own)
            return false;
    return own < orr_kind_ring_bw(cluster, &cluster->kinds[orr_kind_fastest(cluster)]);
}

uint32_t orr_kind_reasons(const struct orr_cluster *cluster, uint32_t kind, uint32_t than,
                          struct orr_reason reasons[ORR_MOST_REASONS])
{
    static const struct {
        enum orr_graph_kind graph;
        enum orr_graph_field field;
        bool less; /* is worse */
    } rows[] = {
        {ORR_GRAPH_RING, ORR_FIELD_CHANNELS, true},    {ORR_GRAPH_TREE, ORR_FIELD_CHANNELS, true},
        {ORR_GRAPH_RING, ORR_FIELD_BW_INTRA, true},    {ORR_GRAPH_RING, ORR_FIELD_BW_INTER, true},
        {ORR_GRAPH_RING, ORR_FIELD_TYPE_INTRA, false}, {ORR_GRAPH_RING, ORR_FIELD_TYPE_INTER, false},
    };
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && count < ORR_MOST_REASONS; i++) {
        double own = 0, best = 0;
        if (!orr_kind_field(&cluster->kinds[kind], rows[i].graph, rows[i].field, &own) ||
            !orr_kind_field(&cluster->kinds[than], rows[i].graph, rows[i].field, &best))
            continue;
        if (rows[i].less ? own < best : orr_field_exceeds(cluster->settings.release, rows[i].field, own, best))
            reasons[count++] = (struct orr_reason){rows[i].graph, rows[i].field, own, best};
    }
    return count;
}

const char *orr_host_name(const struct orr_cluster *cluster, uint32_t host)
{
    const struct orr_cluster_line *line = &cluster->lines[cluster->hosts[host].line];
    return line->names ? line->names[cluster->hosts[host].at] : NULL;
}

struct named_host {
    const char *name; /* "" if it has none */
    uint32_t host;
};

ORR_COMPARATOR(compare_named, struct named_host, orr_order_naturally(a->name, b->name), ORR_ORDER(a->host, b->host))

bool orr_hosts_sort(const struct orr_cluster *cluster, const uint32_t *hosts, uint32_t count, uint32_t *ret_hosts)
{
    struct named_host *named = calloc(count + 1u, sizeof *named);
    if (!named)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const char *name = orr_host_name(cluster, hosts[i]);
        named[i] = (struct named_host){.name = name ? name : "", .host = hosts[i]};
    }
    qsort(named, count, sizeof *named, compare_named);
    for (uint32_t i = 0; i < count; i++)
        ret_hosts[i] = named[i].host;
    free(named);
    return true;
}

void orr_host_text(const struct orr_cluster *cluster, uint32_t host, char text[ORR_HOST_NAME])
{
    const char *name = orr_host_name(cluster, host);
    if (!name)
        snprintf(text, ORR_HOST_NAME, "host %u", host);
    else if (snprintf(text, ORR_HOST_NAME, "%s", name) >= ORR_HOST_NAME)
        memcpy(text + ORR_HOST_NAME - 4, "...", 4);
}

/* Writes the hosts from first to last, which are consecutive. Hosts with numbers alone share one word "hosts". */
static void write_run(const struct orr_cluster *cluster, uint32_t first, uint32_t last, bool named, char *run,
                      size_t size)
{
    char from[ORR_HOST_NAME], to[ORR_HOST_NAME];
    if (!named) {
        snprintf(run, size, last > first ? "%u-%u" : "%u", first, last);
        return;
    }
    orr_host_text(cluster, first, from);
    orr_host_text(cluster, last, to);
    snprintf(run, size, last > first ? "%s to %s" : "%s", from, to);
}

/* Whether the second host directly follows the first, by name if they have names. */
static bool follows(const struct orr_cluster *cluster, uint32_t first, uint32_t second)
{
    const char *a = orr_host_name(cluster, first), *b = orr_host_name(cluster, second);
    return a && b ? orr_follows_naturally(a, b) : !a && !b && second == first + 1;
}

/* Consecutive hosts are one run; the first MOST_RUNS runs are named. */
static void write_list(const struct orr_cluster *cluster, const uint32_t *hosts, uint32_t count,
                       char text[ORR_HOSTS_TEXT])
{
    enum { MOST_RUNS = 4 };
    char run[2 * ORR_HOST_NAME + 8];
    const bool named = count && orr_host_name(cluster, hosts[0]);
    const char *unnamed = count == 1 ? "host " : "hosts ";
    uint32_t runs = 0;
    size_t length = 0;
    snprintf(text, ORR_HOSTS_TEXT, "%s", named ? "" : unnamed);
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && follows(cluster, hosts[end - 1], hosts[end]); end++)
            ;
        end = named && end == i + 2 ? i + 1 : end;
        write_run(cluster, hosts[i], hosts[end - 1], named, run, sizeof run);
        length = strlen(text);
        const bool fits = length + strlen(run) + sizeof " and others" + 2 <= ORR_HOSTS_TEXT;
        if (runs++ == MOST_RUNS || !fits) {
            snprintf(text + length, ORR_HOSTS_TEXT - length, " and others");
            return;
        }
        const char *join = end < count ? ", " : " and ";
        snprintf(text + length, ORR_HOSTS_TEXT - length, "%s%s", i ? join : "", run);
    }
}

void orr_host_list_text(const struct orr_cluster *cluster, const uint32_t *hosts, uint32_t count,
                        char text[ORR_HOSTS_TEXT])
{
    uint32_t *sorted = calloc(count + 1u, sizeof *sorted);
    if (sorted && orr_hosts_sort(cluster, hosts, count, sorted))
        write_list(cluster, sorted, count, text);
    else
        snprintf(text, ORR_HOSTS_TEXT, "some hosts");
    free(sorted);
}

/* The hosts to name: those of the kinds in `wanted`, else those of one kind, else those of one line of the
 * description. */
struct meant {
    bool (*wanted)(const struct orr_cluster *cluster, uint32_t kind);
    uint32_t kind, line; /* UINT32_MAX if not chosen by it */
};

static bool is_meant(const struct orr_cluster *cluster, const struct meant *meant, uint32_t host)
{
    uint32_t own = cluster->systems[cluster->hosts[host].system].kind;
    if (meant->wanted)
        return meant->wanted(cluster, own);
    return meant->kind != UINT32_MAX ? own == meant->kind : cluster->hosts[host].line == meant->line;
}

static void write_hosts(const struct orr_cluster *cluster, const struct meant *meant, char text[ORR_HOSTS_TEXT])
{
    uint32_t *hosts = calloc(cluster->host_count, sizeof *hosts), count = 0;
    for (uint32_t h = 0; hosts && h < cluster->host_count; h++)
        if (is_meant(cluster, meant, h))
            hosts[count++] = h;
    if (hosts)
        orr_host_list_text(cluster, hosts, count, text);
    else
        snprintf(text, ORR_HOSTS_TEXT, "some hosts");
    free(hosts);
}

void orr_hosts_text(const struct orr_cluster *cluster, bool (*wanted)(const struct orr_cluster *cluster, uint32_t kind),
                    char text[ORR_HOSTS_TEXT])
{
    write_hosts(cluster, &(struct meant){.wanted = wanted}, text);
}

void orr_kind_hosts_text(const struct orr_cluster *cluster, uint32_t kind, char text[ORR_HOSTS_TEXT])
{
    write_hosts(cluster, &(struct meant){.kind = kind}, text);
}

void orr_line_hosts_text(const struct orr_cluster *cluster, uint32_t line, char text[ORR_HOSTS_TEXT])
{
    write_hosts(cluster, &(struct meant){.kind = UINT32_MAX, .line = line}, text);
}
