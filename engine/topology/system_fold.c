/* SPDX-License-Identifier: Apache-2.0 */
/* Releases with physical GPUs (DEV) and ranks on them have two nodes where users know one device. Pictures and
 * differences show one: the rank's, with the links of its DEV. A DEV with several ranks stays and contains them.
 */
#include <string.h>

#include "engine/topology/system.h"

/* The only rank on a device, ORR_NO_NODE if there are several. */
static uint32_t only_rank(const struct orr_system *system, uint32_t dev)
{
    const struct orr_node *node = &system->nodes[dev];
    uint32_t rank = ORR_NO_NODE;
    for (uint32_t l = node->first_link; l < node->first_link + node->link_count; l++) {
        uint32_t to = system->links[l].to;
        if (system->nodes[to].type != ORR_GPU)
            continue;
        if (rank != ORR_NO_NODE)
            return ORR_NO_NODE;
        rank = to;
    }
    return rank;
}

bool orr_system_fold(const struct orr_system *system, struct orr_arena *arena, struct orr_system *ret_system,
                     uint32_t **ret_folded_into)
{
    uint32_t *folded_into = ORR_NEW(arena, uint32_t, system->node_count);
    struct orr_node *nodes = ORR_NEW(arena, struct orr_node, system->node_count);
    struct orr_link *links = ORR_NEW(arena, struct orr_link, system->link_count);
    if (!folded_into || !nodes || !links)
        return false;
    memcpy(nodes, system->nodes, system->node_count * sizeof *nodes);
    memcpy(links, system->links, system->link_count * sizeof *links);
    for (uint32_t i = 0; i < system->node_count; i++)
        folded_into[i] = i;
    for (uint32_t dev = system->first[ORR_DEV]; dev < system->first[ORR_DEV + 1]; dev++) {
        uint32_t gpu = only_rank(system, dev);
        if (gpu == ORR_NO_NODE)
            continue;
        folded_into[dev] = gpu;
        nodes[gpu].first_link = nodes[dev].first_link; /* the rank's own links lead nowhere but to its device */
        nodes[gpu].link_count = nodes[dev].link_count;
        nodes[dev].link_count = 0;
    }
    for (uint32_t l = 0; l < system->link_count; l++) {
        links[l].from = folded_into[links[l].from];
        links[l].to = folded_into[links[l].to];
    }
    *ret_system = *system;
    ret_system->nodes = nodes;
    ret_system->links = links;
    *ret_folded_into = folded_into;
    return true;
}
