/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the limit of a collective operation's algorithm, by adding up the load of its graph on each link, at the rates
 * that the search gave each channel. */
#include "engine/cluster/cluster.h"
#include "engine/expect/loads.h"

/* If no link is used this much, no link limits: the search found no further channel, or NCCL allows no more. */
static const double full = 0.6;

/* NVLS: every GPU reads and writes the switch for every channel. */
static void lay_switch(struct orr_loads *loads, double rate)
{
    const struct orr_system *system = &loads->part->system;
    uint32_t nvs = orr_system_count(system, ORR_NVS) ? system->first[ORR_NVS] : ORR_NO_NODE;
    for (uint32_t gpu = system->first[ORR_GPU]; gpu < system->first[ORR_GPU + 1]; gpu++) {
        orr_loads_add(loads, gpu, nvs, rate);
        orr_loads_add(loads, nvs, gpu, rate);
    }
}

/* GPU to GPU in the order of a row; trees use each hop in both directions. */
static void lay_row(struct orr_loads *loads, const struct orr_graph *graph, const int32_t *row, double rate,
                    bool closed)
{
    const struct orr_system *system = &loads->part->system;
    uint32_t first = orr_gpu_of_rank(system, row[0]), at = first;
    for (uint32_t i = 1; i < graph->gpu_count; i++) {
        uint32_t next = orr_gpu_of_rank(system, row[i]);
        orr_loads_add(loads, at, next, rate);
        if (graph->pattern != ORR_PATTERN_RING)
            orr_loads_add(loads, next, at, rate);
        at = next;
    }
    if (closed)
        orr_loads_add(loads, at, first, rate);
}

static void lay_graph(struct orr_loads *loads, enum orr_graph_kind kind, const struct orr_graph *aligned, bool alone)
{
    const struct orr_graph *graph = &loads->part->contribution.graphs[kind];
    const struct orr_system *system = &loads->part->system;
    bool ring = graph->pattern == ORR_PATTERN_RING;
    for (int32_t c = 0; c < graph->channels && c < aligned->channels; c++) {
        const int32_t *row = graph->gpus + (size_t)c * graph->gpu_count;
        if (kind == ORR_GRAPH_NVLS)
            lay_switch(loads, (double)aligned->bw_intra);
        else
            lay_row(loads, graph, row, (double)aligned->bw_intra, ring && alone);
        if (alone || !graph->nets)
            continue;
        int32_t last = ring ? row[graph->gpu_count - 1] : row[0];
        orr_loads_add(loads, orr_net_of_id(system, graph->nets[c][0]), orr_gpu_of_rank(system, row[0]),
                      (double)aligned->bw_inter);
        orr_loads_add(loads, orr_gpu_of_rank(system, last), orr_net_of_id(system, graph->nets[c][1]),
                      (double)aligned->bw_inter);
    }
}

/* Keeps the limit of one system if it is tighter than the limit found so far. */
static enum orr_code limit_of_part(const struct orr_part *part, enum orr_graph_kind kind,
                                   const struct orr_communicator *comm, enum orr_peer_traffic peers, unsigned only,
                                   struct orr_arena *arena, double *most, double *pcie, struct orr_expect_limit *limit,
                                   struct orr_error *err)
{
    struct orr_loads loads;
    ORR_TRY(orr_loads_make(part, peers, arena, &loads, err));
    loads.only = only;
    lay_graph(&loads, kind, &comm->aligned[kind], comm->node_count == 1);
    struct orr_fullest fullest = orr_loads_fullest(&loads);
    double own_pcie = orr_loads_pcie(&loads);
    *pcie = own_pcie > *pcie ? own_pcie : *pcie;
    if (fullest.use <= *most || (!only && fullest.use < full))
        return ORR_OK;
    *most = fullest.use;
    if (fullest.what == ORR_BOUND_NVLINK && kind == ORR_GRAPH_NVLS)
        fullest.what = ORR_BOUND_NVLS;
    orr_limit_of(&loads, &fullest, limit);
    return ORR_OK;
}

enum orr_code orr_graph_limit(const struct orr_analysis *analysis, enum orr_algorithm algorithm,
                              enum orr_peer_traffic peers, unsigned only, struct orr_arena *arena, double *ret_pcie,
                              struct orr_expect_limit *ret_limit, struct orr_error *err)
{
    const struct orr_communicator *comm = &analysis->communicator;
    const struct orr_cluster *cluster = analysis->cluster;
    enum orr_graph_kind kind = orr_algorithm_graph(analysis->query.settings.release->tuning, algorithm);
    const struct orr_graph *aligned = &comm->aligned[kind];
    double most = 0;
    *ret_pcie = 0;
    orr_limit_by_channels(comm->channel_count, (double)(comm->node_count > 2 ? aligned->bw_inter : aligned->bw_intra),
                          ret_limit);
    for (uint32_t k = 0; k < (cluster ? cluster->kind_count : 1); k++) {
        const struct orr_analysis *of_kind = cluster ? cluster->kinds[k].analysis : analysis;
        for (uint32_t p = 0; p < of_kind->part_count; p++)
            ORR_TRY(limit_of_part(&of_kind->parts[p], kind, comm, peers, only, arena, &most, ret_pcie, ret_limit, err));
    }
    return ORR_OK;
}
