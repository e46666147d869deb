/* SPDX-License-Identifier: Apache-2.0 */
/* Typed getters of a plan. */
#include "library/library.h"

#include <stdio.h>
#include <string.h>

static bool not_found(struct orr_report *report, const char *what, const char *which)
{
    struct orr_error err = {0};
    orr_fail(&err, ORR_NOT_FOUND, "%s %.60s", what, which);
    return orr_library_fail(report, &err);
}

uint32_t orr_plan_ranks(const struct orr_plan *plan)
{
    return plan->analysis->ranks;
}

uint32_t orr_plan_local_ranks(const struct orr_plan *plan)
{
    return plan->analysis->local_ranks;
}

bool orr_plan_device(const struct orr_plan *plan, size_t i, char ret_name[ORR_DEVICE_NAME_LENGTH])
{
    for (uint32_t p = 0; p < plan->analysis->part_count; p++) {
        const struct orr_system *system = &plan->analysis->parts[p].system;
        if (i < system->node_count) {
            orr_system_node_id(system, (uint32_t)i, ret_name);
            return true;
        }
        i -= system->node_count;
    }
    return false;
}

/* The part of the host that contains both ends, and the path; NULL with a report if there is none. */
static const struct orr_path *find_path(const struct orr_plan *plan, const char *from, const char *to,
                                        const struct orr_part **ret_part, struct orr_report *report)
{
    bool known[2] = {false, false};
    for (uint32_t p = 0; p < plan->analysis->part_count; p++) {
        const struct orr_part *part = &plan->analysis->parts[p];
        uint32_t a = orr_system_find(&part->system, from), b = orr_system_find(&part->system, to);
        known[0] |= a != ORR_NO_NODE;
        known[1] |= b != ORR_NO_NODE;
        if (a == ORR_NO_NODE || b == ORR_NO_NODE)
            continue;
        if (!orr_paths_has(&part->paths, a) || !orr_paths_has(&part->paths, b)) {
            not_found(report, "NCCL keeps no paths of", orr_paths_has(&part->paths, a) ? to : from);
            return NULL;
        }
        *ret_part = part;
        return orr_path(&part->paths, a, b);
    }
    if (known[0] && known[1])
        not_found(report, "only the network joins the two: trimming separated them from", to);
    else
        not_found(report, "there is no device", known[0] ? to : from);
    return NULL;
}

bool orr_plan_path(const struct orr_plan *plan, const char *from, const char *to, struct orr_plan_path *ret_path,
                   struct orr_report *report)
{
    const struct orr_part *part;
    const struct orr_path *path = find_path(plan, from, to, &part, report);
    if (!path)
        return false;
    const struct orr_plan_path full = {
        .type = orr_path_type_name((enum orr_path_type)path->type),
        .meaning = orr_path_type_meaning((enum orr_path_type)path->type),
        .origin = orr_path_origin_text((enum orr_path_origin)path->origin),
        .bw = (double)path->bw,
        .hops = path->hops,
        .narrowest = orr_path_narrowest(&part->paths, path),
    };
    return orr_library_fill(ret_path, &full, sizeof full, report);
}

bool orr_plan_hop(const struct orr_plan *plan, const char *from, const char *to, uint32_t hop,
                  struct orr_plan_hop *ret_hop, struct orr_report *report)
{
    const struct orr_part *part;
    const struct orr_path *path = find_path(plan, from, to, &part, report);
    if (!path)
        return false;
    if (hop >= path->hops)
        return not_found(report, "the path has no such hop to", to);
    const struct orr_link *link = &part->system.links[part->paths.links[path->first + hop]];
    struct orr_plan_hop full = {.link = orr_link_type_name(link->type), .bw = (double)link->bw};
    orr_system_node_id(&part->system, link->from, full.from);
    orr_system_node_id(&part->system, link->to, full.to);
    return orr_library_fill(ret_hop, &full, sizeof full, report);
}

static bool give_verdict(const struct orr_decision *decision, struct orr_plan_verdict *ret_verdict,
                         struct orr_report *report)
{
    bool compared = decision->rule == ORR_RULE_P2P_WITHIN_LEVEL || decision->rule == ORR_RULE_P2P_BEYOND_LEVEL ||
                    decision->rule == ORR_RULE_GDR_WITHIN_LEVEL || decision->rule == ORR_RULE_GDR_BEYOND_LEVEL ||
                    decision->rule == ORR_RULE_GDR_PCI_MODE;
    const struct orr_plan_verdict full = {
        .verdict = decision->verdict,
        .rule = orr_rule_text((enum orr_rule)decision->rule),
        .level = compared ? orr_path_type_name((enum orr_path_type)decision->level) : "",
        .actual = compared ? orr_path_type_name((enum orr_path_type)decision->distance) : "",
    };
    return orr_library_fill(ret_verdict, &full, sizeof full, report);
}

bool orr_plan_p2p(const struct orr_plan *plan, uint32_t a, uint32_t b, struct orr_plan_verdict *ret_verdict,
                  struct orr_report *report)
{
    const struct orr_analysis *analysis = plan->analysis;
    if (a >= analysis->local_ranks || b >= analysis->local_ranks)
        return not_found(report, "the host has no such rank for", "P2P");
    return give_verdict(&analysis->p2p[(size_t)a * analysis->local_ranks + b].decision, ret_verdict, report);
}

bool orr_plan_gdr(const struct orr_plan *plan, uint32_t rank, const char *net, bool sends,
                  struct orr_plan_verdict *ret_verdict, struct orr_report *report)
{
    const struct orr_analysis *analysis = plan->analysis;
    if (rank >= analysis->local_ranks)
        return not_found(report, "the host has no such rank for", net);
    const struct orr_part *part = orr_analysis_part(analysis, (int32_t)rank);
    const struct orr_system *system = &part->system;
    uint32_t node = orr_system_find(system, net), gpu = 0, gpus = orr_system_count(system, ORR_GPU);
    if (node == ORR_NO_NODE || system->nodes[node].type != ORR_NET || !part->gdr)
        return not_found(report, "the rank's system has no NET", net);
    while (gpu < gpus && orr_system_node(system, ORR_GPU, gpu)->gpu.rank != (int32_t)rank)
        gpu++;
    if (gpu == gpus)
        return not_found(report, "the host has no such rank for", net);
    const struct orr_gdr *gdr =
        &part->gdr[(size_t)gpu * orr_system_count(system, ORR_NET) + (node - system->first[ORR_NET])];
    return give_verdict(sends ? &gdr->send : &gdr->recv, ret_verdict, report);
}

bool orr_plan_graph(const struct orr_plan *plan, size_t i, struct orr_plan_graph *ret_graph)
{
    const struct orr_graph *graphs = plan->analysis->parts[0].contribution.graphs;
    for (int kind = 0; kind < ORR_GRAPH_COUNT; kind++)
        if (graphs[kind].pattern != ORR_PATTERN_NONE && i-- == 0) {
            const struct orr_graph *graph = &graphs[kind];
            const struct orr_plan_graph full = {
                .name = orr_graph_name(plan->analysis->query.settings.release, graph->kind),
                .pattern = graph->pattern,
                .channels = graph->channels,
                .bw_intra = (double)graph->bw_intra,
                .bw_inter = (double)graph->bw_inter,
                .type_intra = orr_path_type_name(graph->type_intra),
                .type_inter = orr_path_type_name(graph->type_inter),
            };
            return orr_library_fill(ret_graph, &full, sizeof full, NULL);
        }
    return false;
}

uint32_t orr_plan_channels(const struct orr_plan *plan)
{
    return (uint32_t)plan->analysis->communicator.channel_count;
}

const int32_t *orr_plan_ring(const struct orr_plan *plan, uint32_t channel)
{
    const struct orr_communicator *communicator = &plan->analysis->communicator;
    return channel < orr_plan_channels(plan) ? communicator->rings[communicator->source[channel]] : NULL;
}

bool orr_plan_tree(const struct orr_plan *plan, uint32_t channel, uint32_t rank, int32_t *ret_up,
                   int32_t ret_down[ORR_TREE_CHILDREN])
{
    const struct orr_communicator *communicator = &plan->analysis->communicator;
    if (channel >= orr_plan_channels(plan) || rank >= communicator->rank_count || !communicator->trees)
        return false;
    const struct orr_tree *tree = &communicator->trees[communicator->source[channel]];
    *ret_up = tree->up[rank];
    memcpy(ret_down, tree->down[rank], sizeof tree->down[rank]);
    return true;
}

bool orr_plan_choose(const struct orr_plan *plan, const char *function, uint64_t bytes,
                     struct orr_plan_choice *ret_choice, struct orr_report *report)
{
    const struct orr_analysis *analysis = plan->analysis;
    struct orr_choice choice;
    unsigned f;
    if (!orr_word_find(orr_function_name, function, &f))
        return not_found(report, "NCCL's tuning knows no function", function);
    if (!orr_tuning_choose(&analysis->tuning, &analysis->communicator, &analysis->query.settings, (enum orr_function)f,
                           bytes, &choice))
        return not_found(report, "no algorithm is available for", function);
    const struct orr_plan_choice full = {
        .algorithm = orr_algorithm_name(analysis->query.settings.release, choice.algorithm),
        .protocol = orr_protocol_name(choice.protocol),
        .time = (double)choice.time,
        .alg_bw = (double)choice.alg_bw,
        .bus_bw = (double)choice.bus_bw,
        .channels = choice.channels,
        .threads = choice.threads,
    };
    return orr_library_fill(ret_choice, &full, sizeof full, report);
}

bool orr_plan_nic(const struct orr_plan *plan, uint32_t rank, uint32_t channel, struct orr_plan_nic *ret_nic,
                  struct orr_report *report)
{
    const struct orr_analysis *analysis = plan->analysis;
    char number[16];
    snprintf(number, sizeof number, "%u", rank);
    if (rank >= analysis->local_ranks)
        return not_found(report, "the host has no rank", number);
    const struct orr_part *part = orr_analysis_part(analysis, (int32_t)rank);
    const uint32_t gpus = orr_system_count(&part->system, ORR_GPU), channels = (uint32_t)part->net_dev_channels;
    if (!part->net_devs || channel >= channels)
        return not_found(
            report, part->net_devs ? "there is no such channel for rank" : "one host needs no NIC for rank", number);
    for (uint32_t g = 0; g < gpus; g++)
        if (orr_system_node(&part->system, ORR_GPU, g)->gpu.rank == (int32_t)rank) {
            const struct orr_net_dev *dev = &part->net_devs[(size_t)g * channels + channel];
            struct orr_plan_nic full = {.proxy_rank = dev->proxy_rank};
            orr_node_id_format(ORR_NET, dev->net, full.net);
            return orr_library_fill(ret_nic, &full, sizeof full, report);
        }
    return not_found(report, "the host has no rank", number);
}

bool orr_plan_cost(const struct orr_plan *plan, const char *function, const char *algorithm, const char *protocol,
                   double *ret_bw, double *ret_latency, struct orr_report *report)
{
    const struct orr_tuning *tuning = &plan->analysis->tuning;
    const struct orr_release *release = plan->analysis->query.settings.release;
    unsigned f;
    uint32_t a = 0, p = 0;
    if (!orr_word_find(orr_function_name, function, &f))
        return not_found(report, "NCCL's tuning knows no function", function);
    while (a < tuning->algorithm_count && strcmp(orr_algorithm_name(release, (enum orr_algorithm)a), algorithm) != 0)
        a++;
    while (p < ORR_PROTOCOL_COUNT && strcmp(orr_protocol_name((enum orr_protocol)p), protocol) != 0)
        p++;
    if (a == tuning->algorithm_count)
        return not_found(report, "the release has no algorithm", algorithm);
    if (p == ORR_PROTOCOL_COUNT)
        return not_found(report, "NCCL has no protocol", protocol);
    *ret_bw = (double)tuning->bandwidth[f][a][p];
    *ret_latency = (double)tuning->latency[f][a][p];
    return true;
}
