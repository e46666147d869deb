/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about graphs with longer paths than the machine requires, and about searches that ended early. */
#include "engine/findings/finder.h"

/* A path of the ring that a setting made longer than the direct one. */
struct detour {
    uint32_t from, to;                   /* nodes of the part */
    const struct orr_decision *decision; /* NULL if none found */
    const struct orr_path *taken, *direct;
};

/* Notes the path if it goes through a CPU that the direct one avoids, because of the user's settings. */
static void note(const struct orr_part *part, const struct orr_paths *physical, uint32_t from, uint32_t to,
                 const struct orr_decision *decision, struct detour *detour)
{
    const struct orr_path *taken = orr_path(&part->paths, from, to), *direct = orr_path(physical, from, to);
    bool through_cpu = taken->origin == ORR_ROUTE_VIA_CPU_NO_P2P || taken->origin == ORR_ROUTE_VIA_CPU_NO_GDR;
    if (!detour->decision && through_cpu && direct->type < ORR_PATH_PHB && !decision->verdict && decision->by_user)
        *detour = (struct detour){from, to, decision, taken, direct};
}

static void note_ends(const struct orr_part *part, const struct orr_paths *physical, const struct orr_graph *ring,
                      int32_t channel, struct detour *detour)
{
    const struct orr_system *system = &part->system;
    uint32_t nets = orr_system_count(system, ORR_NET);
    const int32_t *ranks = ring->gpus + (size_t)channel * ring->gpu_count;
    for (int end = 0; end < 2 && ring->nets && part->gdr; end++) {
        uint32_t gpu = orr_gpu_of_rank(system, ranks[end ? ring->gpu_count - 1 : 0]);
        for (uint32_t n = 0; n < nets && gpu != ORR_NO_NODE; n++) {
            uint32_t net = system->first[ORR_NET] + n;
            const struct orr_gdr *gdr = &part->gdr[(size_t)(gpu - system->first[ORR_GPU]) * nets + n];
            if (system->nodes[net].id == ring->nets[channel][end])
                note(part, physical, gpu, net, end ? &gdr->send : &gdr->recv, detour);
        }
    }
}

static void farther_than_built(struct orr_finder *f)
{
    const struct orr_part *part = &f->analysis->parts[0];
    const struct orr_graph *ring = &part->contribution.graphs[ORR_GRAPH_RING];
    struct orr_paths physical;
    struct detour detour = {.decision = NULL};
    if (!ring->pattern || orr_system_count(&part->system, ORR_GPU) < 2 ||
        orr_paths_route(&part->system, &f->analysis->query.settings, f->arena, &physical, NULL) != ORR_OK)
        return;
    for (int32_t c = 0; c < ring->channels && !detour.decision; c++) {
        const int32_t *ranks = ring->gpus + (size_t)c * ring->gpu_count;
        for (uint32_t i = 0; i + 1 < ring->gpu_count; i++) {
            uint32_t from = orr_gpu_of_rank(&part->system, ranks[i]), to = orr_gpu_of_rank(&part->system, ranks[i + 1]);
            if (from != ORR_NO_NODE && to != ORR_NO_NODE)
                note(part, &physical, from, to,
                     &f->analysis->p2p[(size_t)ranks[i] * f->analysis->local_ranks + (size_t)ranks[i + 1]].decision,
                     &detour);
        }
        note_ends(part, &physical, ring, c, &detour);
    }
    if (!detour.decision)
        return;
    char from[ORR_FOUND_NAME_SIZE], to[ORR_FOUND_NAME_SIZE];
    orr_name_node(f, &part->system, detour.from, from);
    orr_name_node(f, &part->system, detour.to, to);
    const int setting = detour.decision->setting;
    orr_say(f, "%s reaches %s over %s instead of %s, because of %s", from, to,
            orr_path_type_name((enum orr_path_type)detour.taken->type),
            orr_path_type_name((enum orr_path_type)detour.direct->type),
            setting >= 0 ? orr_setting_name((enum orr_setting)setting) : "a setting");
    orr_point_node(f, &part->system, detour.from);
    orr_point_node(f, &part->system, detour.to);
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
    {ORR_FINDING("farther-than-built", "L72", WARNING, ANALYSIS, farther_than_built),
     .title = "A setting makes the ring take a longer path than this machine needs",
     .why = "Data goes through host memory, because the setting turns off P2P or GPUDirect RDMA where a shorter path "
            "exists.",
     .advice = "Remove the setting that the detail names (environment, launcher, /etc/nccl.conf, ~/.nccl.conf).",
     .commands = {"env | grep NCCL_", "cat /etc/nccl.conf ~/.nccl.conf"},
     .references = {"NVIDIA/nccl#489", "NVIDIA/nccl-tests#228"}, .follows_from = {"setting-hinders"}},
    {ORR_FINDING("steps-spent", "L75", INFO, ANALYSIS, steps_spent), .title = "NCCL's search reached its step limit",
     .why = "NCCL uses the best graph found so far. A better one may exist.",
     .advice =
         "Fewer NICs (NCCL_IB_HCA) may give another graph. You can also supply your own graph with NCCL_GRAPH_FILE.",
     .references = {"NVIDIA/nccl#1946"},
     .follows_from = {"nvlink-count", "nvlink-one-sided", "nvlink-zero", "slow-link", "port-slow"}},
    {0},
};
