/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/cluster/setters.h"

#include "engine/release/connect_rules.h"
#include "engine/release/cpu.h"
#include "engine/release/release.h"
#include "engine/release/tuning_model.h"

const char *orr_graph_field_name(enum orr_graph_field field)
{
    static const char *const names[ORR_FIELD_COUNT] = {
        [ORR_FIELD_CHANNELS] = "channels",     [ORR_FIELD_SAME_CHANNELS] = "same_channels",
        [ORR_FIELD_BW_INTRA] = "bw_intra",     [ORR_FIELD_BW_INTER] = "bw_inter",
        [ORR_FIELD_TYPE_INTRA] = "type_intra", [ORR_FIELD_TYPE_INTER] = "type_inter",
        [ORR_FIELD_CROSS_NIC] = "cross_nic",   [ORR_FIELD_PATTERN] = "pattern"};
    return names[field];
}

static double value_of(const struct orr_graph *graph, enum orr_graph_field field)
{
    switch (field) {
    case ORR_FIELD_CHANNELS:
        return graph->channels;
    case ORR_FIELD_SAME_CHANNELS:
        return graph->same_channels;
    case ORR_FIELD_BW_INTRA:
        return (double)graph->bw_intra;
    case ORR_FIELD_BW_INTER:
        return (double)graph->bw_inter;
    case ORR_FIELD_TYPE_INTRA:
        return graph->type_intra;
    case ORR_FIELD_TYPE_INTER:
        return graph->type_inter;
    case ORR_FIELD_CROSS_NIC:
        return graph->cross_nic;
    case ORR_FIELD_PATTERN:
        return graph->pattern;
    case ORR_FIELD_COUNT:
        break;
    }
    return 0;
}

bool orr_field_exceeds(const struct orr_release *release, enum orr_graph_field field, double a, double b)
{
    if (field == ORR_FIELD_TYPE_INTRA || field == ORR_FIELD_TYPE_INTER)
        return orr_path_farness(release, (uint32_t)a) > orr_path_farness(release, (uint32_t)b);
    return a > b;
}

/* Whether the greatest value counts, and not the least. */
static bool greatest_counts(const struct orr_connect_rules *rules, enum orr_graph_field field)
{
    if (field == ORR_FIELD_TYPE_INTRA || field == ORR_FIELD_TYPE_INTER)
        return !rules->aligns_to_nearest;
    return field == ORR_FIELD_CROSS_NIC || field == ORR_FIELD_PATTERN;
}

bool orr_field_is_shared(const struct orr_release *release, enum orr_graph_kind graph, enum orr_graph_field field)
{
    switch (field) {
    case ORR_FIELD_TYPE_INTER:
        return release->connect->aligns_type_inter;
    case ORR_FIELD_CROSS_NIC:
        return release->connect->aligns_cross_nic;
    case ORR_FIELD_PATTERN:
        return graph == ORR_GRAPH_TREE && release->tuning->tree_pattern_cost == ORR_TREE_COST_ANY;
    default:
        return true;
    }
}

bool orr_kind_field(const struct orr_cluster_kind *kind, enum orr_graph_kind graph, enum orr_graph_field field,
                    double *ret_value)
{
    const struct orr_analysis *analysis = kind->analysis;
    const struct orr_release *release = analysis->query.settings.release;
    bool greatest = greatest_counts(release->connect, field);
    for (uint32_t p = 0; p < analysis->part_count; p++) {
        const struct orr_graph *own = &analysis->parts[p].contribution.graphs[graph];
        if (own->pattern == ORR_PATTERN_NONE)
            return false;
        double value = value_of(own, field);
        if (p == 0 || (greatest ? orr_field_exceeds(release, field, value, *ret_value)
                                : orr_field_exceeds(release, field, *ret_value, value)))
            *ret_value = value;
    }
    return true;
}

double orr_aligned_field(const struct orr_cluster *cluster, enum orr_graph_kind graph, enum orr_graph_field field)
{
    const struct orr_communicator *communicator = &cluster->analysis->communicator;
    return field == ORR_FIELD_PATTERN ? communicator->max_tree_pattern : value_of(&communicator->aligned[graph], field);
}

bool orr_kind_sets(const struct orr_cluster *cluster, const struct orr_cluster_kind *kind, enum orr_graph_kind graph,
                   enum orr_graph_field field)
{
    double aligned = orr_aligned_field(cluster, graph, field), own = 0;
    if (field == ORR_FIELD_CHANNELS && (graph == ORR_GRAPH_RING || graph == ORR_GRAPH_TREE))
        return orr_kind_channels(kind) <= (int32_t)aligned;
    if (!orr_kind_field(kind, graph, field, &own))
        return field == ORR_FIELD_CHANNELS;
    return !(own < aligned || own > aligned);
}

const char *orr_machine_field_name(enum orr_machine_field field)
{
    static const char *const names[ORR_MACHINE_FIELD_COUNT] = {[ORR_MACHINE_SM_MIN] = "sm_min",
                                                               [ORR_MACHINE_SM_MAX] = "sm_max",
                                                               [ORR_MACHINE_CPU_ARCH] = "cpu_arch",
                                                               [ORR_MACHINE_CPU_VENDOR] = "cpu_vendor"};
    return names[field];
}

int32_t orr_kind_machine(const struct orr_cluster_kind *kind, enum orr_machine_field field)
{
    const struct orr_part *parts = kind->analysis->parts;
    int32_t value = 0;
    for (uint32_t p = 0; p < kind->analysis->part_count; p++) {
        const struct orr_contribution *own = &parts[p].contribution;
        switch (field) {
        case ORR_MACHINE_SM_MIN:
            value = p == 0 || own->sm_min < value ? own->sm_min : value;
            break;
        case ORR_MACHINE_SM_MAX:
            value = p == 0 || own->sm_max > value ? own->sm_max : value;
            break;
        case ORR_MACHINE_CPU_ARCH:
            value = p == 0 || own->cpu_arch == value ? own->cpu_arch : ORR_ARCH_MIXED;
            break;
        case ORR_MACHINE_CPU_VENDOR:
            value = p == 0 || own->cpu_vendor == value ? own->cpu_vendor : ORR_VENDOR_MIXED;
            break;
        case ORR_MACHINE_FIELD_COUNT:
            break;
        }
    }
    return value;
}

int32_t orr_shared_machine(const struct orr_cluster *cluster, enum orr_machine_field field)
{
    const struct orr_communicator *communicator = &cluster->analysis->communicator;
    const int32_t values[ORR_MACHINE_FIELD_COUNT] = {[ORR_MACHINE_SM_MIN] = communicator->sm_min,
                                                     [ORR_MACHINE_SM_MAX] = communicator->sm_max,
                                                     [ORR_MACHINE_CPU_ARCH] = communicator->cpu_arch,
                                                     [ORR_MACHINE_CPU_VENDOR] = communicator->cpu_vendor};
    return field < ORR_MACHINE_FIELD_COUNT ? values[field] : 0;
}

static bool is_cpu(enum orr_machine_field field)
{
    return field == ORR_MACHINE_CPU_ARCH || field == ORR_MACHINE_CPU_VENDOR;
}

bool orr_machine_is_shared(const struct orr_release *release, enum orr_machine_field field)
{
    return !is_cpu(field) || release->connect->mixes_cpu;
}

bool orr_kind_sets_machine(const struct orr_cluster *cluster, uint32_t kind, enum orr_machine_field field)
{
    int32_t own = orr_kind_machine(&cluster->kinds[kind], field);
    if (is_cpu(field)) /* any host that is unlike the host of rank 0 makes them mixed */
        return own != orr_kind_machine(&cluster->kinds[0], field);
    return own == orr_shared_machine(cluster, field);
}

int32_t orr_kind_channels(const struct orr_cluster_kind *kind)
{
    double ring = 0, tree = 0;
    orr_kind_field(kind, ORR_GRAPH_RING, ORR_FIELD_CHANNELS, &ring);
    orr_kind_field(kind, ORR_GRAPH_TREE, ORR_FIELD_CHANNELS, &tree);
    return (int32_t)(ring < tree ? ring : tree);
}

double orr_kind_ring_bw(const struct orr_cluster *cluster, const struct orr_cluster_kind *kind)
{
    double intra = 0, inter = 0;
    bool one_rank = kind->analysis->local_ranks == 1;
    orr_kind_field(kind, ORR_GRAPH_RING, ORR_FIELD_BW_INTRA, &intra);
    orr_kind_field(kind, ORR_GRAPH_RING, ORR_FIELD_BW_INTER, &inter);
    double narrowest = cluster->member_count > 1 && (inter < intra || one_rank) ? inter : intra;
    return orr_kind_channels(kind) * narrowest;
}
