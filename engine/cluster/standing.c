#include "engine/cluster/standing.h"

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
