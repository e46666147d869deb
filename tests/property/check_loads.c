/* SPDX-License-Identifier: Apache-2.0 */
/* What the channels of a graph take together from each link is not more than the link has.
 *
 * A channel is a walk: from its entry NIC to its first GPU, from GPU to GPU, to its exit NIC; or a star of NVLS and
 * CollNetDirect. Every move loads each link of its path with the channel's rate, and three things more: PCI links of a
 * PHB path from a GPU through an Intel CPU pay for short packets; what comes from elsewhere to a GPU below capability
 * 80 loads an eighth of the path back; NVLink into a CPU (from 2.21 on: a POWER CPU) loads all of the path back. NCCL
 * rounds what is left of a link to thousandths at each use, hence the tolerance. Graphs in simple order load nothing,
 * and where two NICs have one id, a channel's NICs cannot be distinguished: NCCL keeps ids. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/release/release.h"
#include "tests/property/checks.h"

struct load {
    double used;
    uint32_t uses;
};

struct walk {
    const struct orr_part *part;
    const struct orr_system *system;
    const struct orr_release *release;
    const struct orr_graph *graph;
    struct load *loads; /* [link] */
    struct tally *tally;
    struct orr_error *err;
};

static bool complain(const struct walk *w, const char *what, double figure, double limit)
{
    return WRONG(w->err, "%s graph, pattern %d, %d channels of %g and %g GB/s: %s %g, at most %g",
                 orr_graph_name(w->release, w->graph->kind), (int)w->graph->pattern, w->graph->channels,
                 (double)w->graph->bw_intra, (double)w->graph->bw_inter, what, figure, limit);
}

static void add(struct walk *w, uint32_t link, double rate)
{
    w->loads[link].used += rate;
    w->loads[link].uses++;
}

static bool is_intel(const struct orr_node *node)
{
    return node->type == ORR_CPU && node->cpu.arch == ORR_ARCH_X86 && node->cpu.vendor == ORR_VENDOR_INTEL;
}

/* Is the way back loaded too, and by which part? */
static double share_of_way_back(const struct walk *w, const struct orr_link *link, bool from_gpu)
{
    const struct orr_node *to = &w->system->nodes[link->to];
    enum orr_node_type device = w->release->has_devs ? ORR_DEV : ORR_GPU;
    double share = 0;
    if (to->type == device && to->gpu.sm < 80 && !from_gpu)
        share += 1.0 / 8;
    if (link->type == ORR_LINK_NVL && to->type == ORR_CPU &&
        (to->cpu.arch == ORR_ARCH_POWER || !w->release->power_cpu_only))
        share += 1;
    return share;
}

static void load_path(struct walk *w, uint32_t from, const struct orr_path *path, double rate)
{
    bool from_gpu = w->system->nodes[from].type == ORR_GPU, pays = false;
    for (uint32_t i = 0; i < path->hops && from_gpu && path->type == ORR_PATH_PHB; i++)
        pays |= is_intel(&w->system->nodes[orr_path_node(&w->part->paths, path, i)]);
    for (uint32_t i = 0; i < path->hops; i++) {
        uint32_t l = w->part->paths.links[path->first + i];
        const struct orr_link *link = &w->system->links[l];
        double overhead = (double)w->release->intel_overhead_up / (double)w->release->intel_overhead_down;
        double taken = pays && link->type == ORR_LINK_PCI ? rate * overhead : rate;
        double back = share_of_way_back(w, link, from_gpu);
        add(w, l, taken);
        if (back > 0 && link->reverse != ORR_NO_LINK)
            add(w, link->reverse, taken * back);
    }
}

/* A move by a path within the graph's limit. */
static bool move(struct walk *w, uint32_t from, uint32_t to, bool inter, double part)
{
    const struct orr_graph *graph = w->graph;
    const struct orr_path *path = orr_path(&w->part->paths, from, to), *back = orr_path(&w->part->paths, to, from);
    int limit = orr_path_type_number(w->release, inter ? graph->type_inter : graph->type_intra);
    bool tree = graph->pattern == ORR_PATTERN_BALANCED_TREE || graph->pattern == ORR_PATTERN_TREE ||
                graph->pattern == ORR_PATTERN_SPLIT_TREE;
    int there_type = orr_path_type_number(w->release, (enum orr_path_type)path->type);
    int back_type = orr_path_type_number(w->release, (enum orr_path_type)back->type);
    w->tally->moves++;
    if (w->release->empty_paths_are_free && !path->hops)
        return true;
    if (there_type > limit)
        return complain(w, "a move has the type", there_type, limit);
    if (tree && w->release->checks_way_back && back_type > limit)
        return complain(w, "a move's way back has the type", back_type, limit);
    load_path(w, from, path, (double)(inter ? graph->bw_inter : graph->bw_intra) * part);
    return true;
}

static uint32_t gpu_of(const struct walk *w, int32_t rank)
{
    uint32_t g = w->system->first[ORR_GPU];
    while (w->system->nodes[g].gpu.rank != rank)
        g++;
    return g;
}

static uint32_t net_of(const struct walk *w, int64_t id)
{
    for (uint32_t n = w->system->first[ORR_NET]; n < w->system->first[ORR_NET + 1]; n++)
        if (w->system->nodes[n].id == id)
            return n;
    return ORR_NO_NODE;
}

/* Stars: every GPU out and back. The switch's head takes part twice; a CollNet head gives each an equal share. */
static void load_star(struct walk *w, uint32_t head)
{
    const struct orr_system *system = w->system;
    bool nvls = w->graph->pattern == ORR_PATTERN_NVLS;
    uint32_t count = orr_system_count(system, ORR_GPU), centre = nvls ? system->first[ORR_NVS] : head;
    for (uint32_t g = system->first[ORR_GPU]; g < system->first[ORR_GPU + 1]; g++) {
        double part = nvls ? (g == head ? 2 : 1) : 1.0 / (count - 1);
        load_path(w, centre, orr_path(&w->part->paths, centre, g), (double)w->graph->bw_intra * part);
        load_path(w, g, orr_path(&w->part->paths, g, centre), (double)w->graph->bw_intra * part);
        w->tally->moves += 2;
    }
}

static bool walk_channel(struct walk *w, int32_t channel)
{
    const struct orr_graph *graph = w->graph;
    const int32_t *row = graph->gpus + (size_t)channel * graph->gpu_count;
    uint32_t first = gpu_of(w, row[0]), last = gpu_of(w, row[graph->row_count - 1]);
    bool star = graph->pattern == ORR_PATTERN_NVLS || graph->pattern == ORR_PATTERN_COLLNET_DIRECT;
    bool good = true;
    if (graph->nets) {
        uint32_t entry = net_of(w, graph->nets[channel][0]), exit = net_of(w, graph->nets[channel][1]);
        if (entry == ORR_NO_NODE || exit == ORR_NO_NODE)
            return complain(w, "no such NIC in channel", channel, graph->channels);
        enum orr_start_heads heads = w->release->start_heads;
        bool from_nothing =
            w->graph->pattern == ORR_PATTERN_NVLS && (heads == ORR_HEADS_BY_NET_INDEX || heads == ORR_HEADS_OF_LIST);
        good = from_nothing || move(w, entry, first, true, 1);
        if (graph->pattern == ORR_PATTERN_BALANCED_TREE)
            good = good && move(w, first, exit, true, 0.5) && move(w, gpu_of(w, row[1]), exit, true, 0.5);
        else if (graph->pattern == ORR_PATTERN_SPLIT_TREE)
            good = good && move(w, gpu_of(w, row[1]), exit, true, 1);
        else
            good = good && move(w, graph->pattern == ORR_PATTERN_RING ? last : first, exit, true, 1);
    }
    if (star) {
        load_star(w, first);
        return good;
    }
    for (uint32_t i = 0; i + 1 < graph->row_count && good; i++)
        good = move(w, gpu_of(w, row[i]), gpu_of(w, row[i + 1]), false, 1);
    if (graph->pattern == ORR_PATTERN_RING && !graph->nets)
        good = good && move(w, last, first, false, 1);
    return good;
}

static bool check_links(struct walk *w)
{
    for (uint32_t l = 0; l < w->system->link_count; l++) {
        double capacity = (double)w->system->links[l].bw, used = w->loads[l].used;
        double slack = 0.001 * (w->loads[l].uses + 1) + 2e-6 * capacity * w->loads[l].uses;
        if (!w->loads[l].uses)
            continue;
        w->tally->loads++;
        if (used > capacity + slack) {
            char a[ORR_NODE_ID_SIZE], b[ORR_NODE_ID_SIZE], what[120];
            snprintf(what, sizeof what, "link %s -> %s carries",
                     orr_system_node_id(w->system, w->system->links[l].from, a),
                     orr_system_node_id(w->system, w->system->links[l].to, b));
            return complain(w, what, used, capacity);
        }
    }
    return true;
}

/* The NICs of one card and port share a budget, of which every channel takes whole GB/s where it enters. */
static bool check_ports(struct walk *w)
{
    const struct orr_graph *graph = w->graph;
    for (int32_t c = 0; graph->nets && c < graph->channels; c++) {
        const struct orr_node *port = &w->system->nodes[net_of(w, graph->nets[c][0])];
        float most = 0, taken = 0;
        for (int32_t other = 0; other < graph->channels; other++) {
            const struct orr_node *net = &w->system->nodes[net_of(w, graph->nets[other][0])];
            if (net->net.asic != port->net.asic || net->net.port != port->net.port)
                continue;
            taken += truncf(graph->bw_inter);
            most = fmaxf(most, net->net.bw);
        }
        if (taken > most)
            return complain(w, "a NIC's port gives whole GB/s", (double)taken, (double)most);
    }
    return true;
}

static bool check_graph(struct walk *w)
{
    if (is_simple_order(w->graph)) {
        w->tally->fallbacks++;
        return true;
    }
    if (w->graph->nets && !have_own_ids(w->system, ORR_NET))
        return true;
    for (uint32_t l = 0; l < w->system->link_count; l++)
        w->loads[l] = (struct load){0};
    for (int32_t c = 0; c < w->graph->channels; c++)
        if (!walk_channel(w, c))
            return false;
    return check_links(w) && check_ports(w);
}

bool check_loads(const struct orr_analysis *a, struct tally *tally, struct orr_error *err)
{
    bool good = true;
    for (uint32_t i = 0; i < a->part_count && good; i++) {
        const struct orr_part *part = &a->parts[i];
        struct walk w = {
            .part = part, .system = &part->system, .release = part->system.release, .tally = tally, .err = err};
        w.loads = calloc((size_t)part->system.link_count + 1, sizeof *w.loads);
        if (!w.loads)
            return WRONG(err, "out of memory");
        for (int kind = 0; kind < ORR_GRAPH_COUNT && good; kind++) {
            w.graph = &part->contribution.graphs[kind];
            good = w.graph->pattern == ORR_PATTERN_NONE || check_graph(&w);
        }
        free(w.loads);
    }
    return good;
}
