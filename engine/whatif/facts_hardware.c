/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, links and paths. If a release has nodes for physical GPUs and for ranks, both are the rank's device. */
#include "engine/base/hash.h"
#include "engine/whatif/facts.h"

static uint32_t subject_of(const struct orr_system *system, uint32_t node)
{
    const struct orr_node *n = &system->nodes[node];
    if (n->type == ORR_GPU)
        return orr_subject(ORR_GPU, (uint32_t)n->gpu.rank);
    return orr_subject(n->type, n->element != ORR_NO_ELEMENT ? n->element : node - system->first[n->type]);
}

uint32_t orr_fact_subject(const struct orr_fact_list *list, const struct orr_system *system, uint32_t node)
{
    return orr_subject_named(list->names, subject_of(system, node));
}

bool orr_subject_find(const struct orr_analysis *analysis, uint32_t subject, const struct orr_system **ret_system,
                      uint32_t *ret_node)
{
    enum orr_node_type type = (enum orr_node_type)(subject >> 27);
    for (uint32_t p = 0; p < analysis->part_count; p++) {
        const struct orr_system *system = &analysis->parts[p].system;
        for (uint32_t node = system->first[type]; node < system->first[type + 1]; node++)
            if (subject_of(system, node) == subject) {
                *ret_system = system;
                *ret_node = node;
                return true;
            }
    }
    return false;
}

static bool is_end(enum orr_node_type type)
{
    return type == ORR_GPU || type == ORR_NET || type == ORR_CPU;
}

static void add_path(const struct orr_paths *paths, uint32_t from, uint32_t to, const uint32_t *folded_into,
                     struct orr_fact_list *list)
{
    const struct orr_path *path = orr_path(paths, from, to);
    uint32_t a = orr_fact_subject(list, paths->system, from), b = orr_fact_subject(list, paths->system, to),
             last = from;
    if (path->type == ORR_PATH_DIS)
        return;
    uint64_t route = ORR_HASH_START;
    for (uint32_t i = 0; i < path->hops; i++) {
        uint32_t node = folded_into[orr_path_node(paths, path, i)];
        if (node != last)
            route = orr_hash_number(route, orr_fact_subject(list, paths->system, node));
        last = node;
    }
    orr_fact_add(list, ORR_FACT_PATH_TYPE, 0, a, b, path->type);
    orr_fact_add(list, ORR_FACT_PATH_BW, 0, a, b, orr_fact_of_float(path->bw));
    orr_fact_add(list, ORR_FACT_PATH_ROUTE, 0, a, b, (int64_t)(route >> 1));
}

void orr_facts_of_hardware(const struct orr_analysis *analysis, struct orr_fact_list *list)
{
    for (uint32_t p = 0; p < analysis->part_count; p++) {
        const struct orr_part *part = &analysis->parts[p];
        const struct orr_system *system = &part->system;
        struct orr_system folded;
        uint32_t *folded_into;
        if (!orr_system_fold(system, list->arena, &folded, &folded_into))
            return;
        for (uint32_t node = 0; node < system->node_count; node++)
            if (folded_into[node] == node)
                orr_fact_add(list, ORR_FACT_DEVICE, 0, orr_fact_subject(list, system, node), 0, 1);
        for (uint32_t l = 0; l < folded.link_count; l++) {
            const struct orr_link *link = &folded.links[l];
            if (link->from != link->to)
                orr_fact_add(list, ORR_FACT_LINK, link->type, orr_fact_subject(list, system, link->from),
                             orr_fact_subject(list, system, link->to), orr_fact_of_float(link->bw));
        }
        for (uint32_t from = 0; from < system->node_count; from++)
            for (uint32_t to = 0; is_end(system->nodes[from].type) && to < system->node_count; to++)
                if (from != to && is_end(system->nodes[to].type) && orr_paths_has(&part->paths, from) &&
                    orr_paths_has(&part->paths, to))
                    add_path(&part->paths, from, to, folded_into, list);
    }
    orr_fact_add(list, ORR_FACT_MAX_BW, 0, 0, 0, orr_fact_of_float(analysis->parts[0].system.max_bw));
    orr_fact_add(list, ORR_FACT_TOTAL_BW, 0, 0, 0, orr_fact_of_float(analysis->parts[0].system.total_bw));
}
