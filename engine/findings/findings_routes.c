/* Findings about graphs that go farther than the machine makes them go, and about how far the search came. */
#include "engine/findings/finder.h"

/* The GPU that represents all that are connected with it. */
static uint32_t set_of(uint32_t *sets, uint32_t gpu)
{
    while (sets[gpu] != gpu)
        gpu = sets[gpu] = sets[sets[gpu]];
    return gpu;
}

/* The least type of path that suffices to go from GPU to GPU over all of them, as the machine is built. */
static enum orr_path_type least_between(const struct orr_paths *physical, uint32_t *sets)
{
    const struct orr_system *system = physical->system;
    uint32_t first = system->first[ORR_GPU], count = orr_system_count(system, ORR_GPU), apart = count;
    for (uint32_t g = 0; g < count; g++)
        sets[g] = g;
    for (int type = ORR_PATH_LOC; type < ORR_PATH_DIS; type++)
        for (uint32_t a = 0; a < count; a++)
            for (uint32_t b = 0; b < count; b++) {
                if (a == b || orr_path(physical, first + a, first + b)->type != type)
                    continue;
                uint32_t of_a = set_of(sets, a), of_b = set_of(sets, b);
                apart -= of_a != of_b;
                sets[of_a] = of_b;
                if (apart == 1)
                    return (enum orr_path_type)type;
            }
    return ORR_PATH_DIS;
}

/* The farthest that a NIC of the graph is from the GPU nearest to it, as the machine is built. */
static enum orr_path_type farthest_net(const struct orr_paths *physical, const struct orr_graph *graph)
{
    const struct orr_system *system = physical->system;
    enum orr_path_type farthest = ORR_PATH_LOC;
    for (int32_t end = 0; end < 2 * graph->channels; end++) {
        enum orr_path_type nearest = ORR_PATH_DIS;
        for (uint32_t n = system->first[ORR_NET]; n < system->first[ORR_NET + 1]; n++)
            for (uint32_t g = system->first[ORR_GPU]; g < system->first[ORR_GPU + 1]; g++)
                if (system->nodes[n].id == graph->nets[end / 2][end % 2] && orr_path(physical, g, n)->type < nearest)
                    nearest = (enum orr_path_type)orr_path(physical, g, n)->type;
        farthest = nearest > farthest ? nearest : farthest;
    }
    return farthest;
}

static void farther_than_built(struct orr_finder *f)
{
    const struct orr_part *part = &f->analysis->parts[0];
    const struct orr_graph *ring = &part->contribution.graphs[ORR_GRAPH_RING];
    struct orr_paths physical;
    uint32_t count = orr_system_count(&part->system, ORR_GPU);
    uint32_t *sets = ORR_NEW(f->arena, uint32_t, count);
    /* A ring that was not found at all has a row of its own. */
    if (!ring->pattern || ring->channels < 1 || ring->bw_intra <= 0.1f || count < 2)
        return;
    if (ring->type_intra < ORR_PATH_PHB && !(ring->nets && ring->type_inter >= ORR_PATH_PHB))
        return;
    if (!sets || orr_paths_route(&part->system, &f->analysis->query.settings, f->arena, &physical, NULL) != ORR_OK) {
        f->starved |= !sets;
        return;
    }
    enum orr_path_type intra = least_between(&physical, sets);
    enum orr_path_type inter = ring->nets ? farthest_net(&physical, ring) : ORR_PATH_DIS;
    bool inside = ring->type_intra >= ORR_PATH_PHB && intra < ORR_PATH_PHB;
    bool outside = ring->nets && ring->type_inter >= ORR_PATH_PHB && inter < ORR_PATH_PHB;
    if (inside)
        orr_say(f, "the ring connects GPUs over %s, although %s is possible on this machine",
                orr_path_type_name(ring->type_intra), orr_path_type_name(intra));
    else if (outside)
        orr_say(f, "the ring reaches its NICs over %s, although they are at %s", orr_path_type_name(ring->type_inter),
                orr_path_type_name(inter));
}

static void steps_spent(struct orr_finder *f)
{
    uint32_t found = 0;
    const struct orr_graph *first = NULL;
    for (uint32_t p = 0; p < f->analysis->part_count; p++)
        for (int kind = 0; kind < ORR_GRAPH_COUNT; kind++) {
            const struct orr_graph *graph = &f->analysis->parts[p].contribution.graphs[kind];
            if (!graph->pattern || graph->story.end != ORR_END_STEPS)
                continue;
            first = first ? first : graph;
            found++;
        }
    if (found)
        orr_say(f, "the first is the %s graph, of %d channels at %g GB/s",
                orr_graph_name(f->analysis->query.settings.release, first->kind), first->channels,
                (double)first->bw_intra);
}

const struct orr_finding_row orr_findings_routes[] = {
    {
        .id = "farther-than-built",
        .catalogue = "L72",
        .severity = ORR_SEVERITY_WARNING,
        .of_analysis = true,
        .find = farther_than_built,
        .title = "The ring takes a longer path than this machine needs",
        .why = "Data goes through host memory, because P2P or GPU Direct RDMA is off where a shorter path exists.",
        .advice = "Check gdr of GPUs and NICs, and NCCL_P2P_LEVEL, NCCL_P2P_DISABLE and NCCL_NET_GDR_LEVEL.",
        .commands = {"nvidia-smi topo -m", "lsmod | grep nvidia_peermem", "env | grep NCCL_"},
        .references = {"NVIDIA/nccl#489", "NVIDIA/nccl-tests#228"},
        .follows_from = {"gdr-off", "gdr-too-far", "setting-hinders", "nvlink-count", "nvlink-islands"},
    },
    {
        .id = "steps-spent",
        .catalogue = "L75",
        .severity = ORR_SEVERITY_INFO,
        .of_analysis = true,
        .find = steps_spent,
        .title = "NCCL's search reached its step limit",
        .why = "NCCL uses the best graph found so far. A better one may exist.",
        .advice =
            "Fewer NICs (NCCL_IB_HCA) may give another graph. You can also supply your own graph with NCCL_GRAPH_FILE.",
        .references = {"NVIDIA/nccl#1946"},
        .follows_from = {"nvlink-count", "nvlink-one-sided", "slow-link", "port-slow"},
    },
    {0},
};
