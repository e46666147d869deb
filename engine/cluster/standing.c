/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/cluster/standing.h"

#include <stdio.h>

bool orr_kind_odd(const struct orr_cluster *cluster, uint32_t kind)
{
    uint32_t most = 0;
    for (uint32_t k = 0; k < cluster->kind_count; k++)
        if (cluster->kinds[k].host_count > most)
            most = cluster->kinds[k].host_count;
    return 2 * most > cluster->host_count && 4 * cluster->kinds[kind].host_count <= cluster->host_count;
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

/* Which hosts are meant: of the kinds that `wanted` names, else of one kind, else of one line of the description. */
struct meant {
    bool (*wanted)(const struct orr_cluster *cluster, uint32_t kind);
    uint32_t kind, line; /* UINT32_MAX: not by it */
};

static bool is_meant(const struct orr_cluster *cluster, const struct meant *meant, uint32_t host)
{
    uint32_t own = cluster->systems[cluster->hosts[host].system].kind;
    if (meant->wanted)
        return meant->wanted(cluster, own);
    return meant->kind != UINT32_MAX ? own == meant->kind : cluster->hosts[host].line == meant->line;
}

/* Neighbouring hosts as one run; named are the first MOST_RUNS. */
static void write_hosts(const struct orr_cluster *cluster, const struct meant *meant, char text[ORR_HOSTS_TEXT])
{
    enum { MOST_RUNS = 4 };
    char runs[MOST_RUNS + 1][24];
    uint32_t count = 0, hosts = 0;
    for (uint32_t h = 0, end; h < cluster->host_count; h = end) {
        for (end = h; end < cluster->host_count && is_meant(cluster, meant, end); end++)
            ;
        if (end == h) {
            end++;
            continue;
        }
        hosts += end - h;
        if (count <= MOST_RUNS)
            snprintf(runs[count++], sizeof runs[0], end - h > 1 ? "%u-%u" : "%u", h, end - 1);
    }
    int length = snprintf(text, ORR_HOSTS_TEXT, "host%s ", orr_plural(hosts));
    uint32_t named = count > MOST_RUNS ? MOST_RUNS : count;
    for (uint32_t i = 0; i < named; i++)
        length += snprintf(text + length, ORR_HOSTS_TEXT - (size_t)length, "%s%s",
                           !i                                 ? ""
                           : i + 1 == named && count == named ? " and "
                                                              : ", ",
                           runs[i]);
    if (count > named)
        snprintf(text + length, ORR_HOSTS_TEXT - (size_t)length, " and others");
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
