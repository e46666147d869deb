/* SPDX-License-Identifier: Apache-2.0 */
/* All ranks must use the same number of channels at the same assumed rates: every field of a graph becomes the worst
 * of all members'. The channels themselves stay each member's own. docs/nccl/connect.md, "Alignment of graphs". */
#include "engine/connect/connecting.h"
#include "engine/topology/system.h"

#define ORR_LESS(a, b) ((a) < (b) ? (a) : (b))
#define ORR_MORE(a, b) ((a) > (b) ? (a) : (b))

/* The worse of two path types, or the better. */
static enum orr_path_type one_type(const struct orr_release *release, enum orr_path_type a, enum orr_path_type b)
{
    bool farther = orr_path_farness(release, b) > orr_path_farness(release, a);
    return farther != release->connect->aligns_to_nearest ? b : a;
}

static void align_graph(struct orr_graph *aligned, const struct orr_graph *graph, const struct orr_release *release)
{
    const struct orr_connect_rules *rules = release->connect;
    aligned->channels = ORR_LESS(aligned->channels, graph->channels);
    aligned->same_channels = ORR_LESS(aligned->same_channels, graph->same_channels);
    aligned->bw_intra = ORR_LESS(aligned->bw_intra, graph->bw_intra);
    aligned->bw_inter = ORR_LESS(aligned->bw_inter, graph->bw_inter);
    aligned->type_intra = one_type(release, aligned->type_intra, graph->type_intra);
    if (rules->aligns_type_inter)
        aligned->type_inter = one_type(release, aligned->type_inter, graph->type_inter);
    if (rules->aligns_cross_nic)
        aligned->cross_nic = ORR_MORE(aligned->cross_nic, graph->cross_nic);
}

static void align_machine(struct orr_communicator *out, const struct orr_contribution *contribution, bool mixes_cpu,
                          bool own_capability)
{
    if (!own_capability) {
        out->sm_min = ORR_LESS(out->sm_min, contribution->sm_min);
        out->sm_max = ORR_MORE(out->sm_max, contribution->sm_max);
    }
    if (mixes_cpu && contribution->cpu_arch != out->cpu_arch)
        out->cpu_arch = ORR_ARCH_MIXED;
    if (mixes_cpu && contribution->cpu_vendor != out->cpu_vendor)
        out->cpu_vendor = ORR_VENDOR_MIXED;
    out->max_tree_pattern = ORR_MORE(out->max_tree_pattern, (int32_t)contribution->graphs[ORR_GRAPH_TREE].pattern);
}

/* Ranks of the largest node, or host. */
static uint32_t most_together(const struct orr_connecting *c)
{
    const struct orr_communicator *out = c->out;
    uint32_t most = 0, ranks = 0;
    if (!c->rules->collnet_counts_hosts)
        return out->max_local_ranks;
    for (uint32_t n = 0; n < out->node_count; n++) {
        ranks = n && c->members[n].host == c->members[n - 1].host ? ranks : 0;
        ranks += c->members[n].contribution->rank_count;
        most = ORR_MORE(most, ranks);
    }
    return most;
}

enum orr_code orr_align(struct orr_connecting *c, struct orr_error *err)
{
    struct orr_communicator *out = c->out;
    const struct orr_contribution *own = c->members[0].contribution;
    out->cpu_arch = own->cpu_arch;
    out->cpu_vendor = own->cpu_vendor;
    out->sm_min = own->sm_min;
    out->sm_max = own->sm_max;
    for (int kind = 0; kind < ORR_GRAPH_COUNT; kind++) {
        out->aligned[kind] = own->graphs[kind];
        out->aligned[kind].kind = (enum orr_graph_kind)kind;
        out->own_latency_inter[kind] = own->graphs[kind].latency_inter;
    }
    for (uint32_t n = 0; n < out->node_count; n++) {
        const struct orr_contribution *contribution = c->members[n].contribution;
        for (int kind = 0; kind < ORR_GRAPH_COUNT; kind++)
            align_graph(&out->aligned[kind], &contribution->graphs[kind], c->settings->release);
        align_machine(out, contribution, c->rules->mixes_cpu, c->rules->own_capability);
    }

    struct orr_graph *ring = &out->aligned[ORR_GRAPH_RING], *tree = &out->aligned[ORR_GRAPH_TREE];
    c->out->ring_channels = ring->channels;
    c->out->base_channels = ORR_LESS(ring->channels, tree->channels);
    ring->channels = tree->channels = c->out->base_channels;
    if (c->out->base_channels < 1)
        return orr_fail(err, ORR_INTERNAL, "a system has no ring or no tree channel");

    int64_t threshold = orr_setting_int(c->settings, ORR_SET_COLLNET_NODE_THRESHOLD);
    int32_t most_local = c->rules->collnet_max_local_ranks;
    bool plugins = true;
    for (uint32_t n = 0; n < out->node_count; n++)
        plugins &= c->members[n].contribution->has_collnet;
    out->collnet = plugins && out->aligned[ORR_GRAPH_COLLNET_CHAIN].channels > 0 &&
                   (out->node_count > 1 || c->rules->collnet_on_one_node) && out->node_count >= threshold &&
                   (!most_local || most_together(c) <= (uint32_t)most_local);
    if (c->rules->nvls_one_node)
        out->nvls = out->node_count == 1 && own->nvls_on && own->has_nvswitch;
    else
        out->nvls = c->rules->nvls_channels && out->aligned[ORR_GRAPH_NVLS].channels > 0;
    return ORR_OK;
}
