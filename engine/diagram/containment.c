/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/diagram/labels.h"

struct search {
    const struct orr_system *system;
    uint32_t *parent, *depth, *queue;
    uint32_t tail;
    unsigned char *seen;
};

static void reach(struct search *search, uint32_t node, uint32_t parent)
{
    search->seen[node] = 1;
    search->parent[node] = parent;
    search->depth[node] = parent == ORR_NO_NODE ? 0 : search->depth[parent] + 1;
    search->queue[search->tail++] = node;
}

/* Goes on from the nodes reached since `head` over the link types in the mask, never into a CPU or an NVSwitch. */
static void spread(struct search *search, uint32_t head, unsigned link_types)
{
    const struct orr_system *system = search->system;
    for (; head < search->tail; head++) {
        uint32_t at = search->queue[head];
        const struct orr_node *node = &system->nodes[at];
        for (uint32_t i = 0; i < node->link_count; i++) {
            const struct orr_link *link = &system->links[node->first_link + i];
            enum orr_node_type type = system->nodes[link->to].type;
            if (link_types >> link->type & 1 && !search->seen[link->to] && type != ORR_NVS && type != ORR_CPU)
                reach(search, link->to, at);
        }
    }
}

bool orr_containment(const struct orr_system *system, const uint32_t *drawn_as, struct orr_arena *arena,
                     uint32_t **ret_parent, uint32_t **ret_depth)
{
    uint32_t count = system->node_count;
    struct search search = {
        .system = system,
        .parent = ORR_NEW(arena, uint32_t, count),
        .depth = ORR_NEW(arena, uint32_t, count),
        .queue = ORR_NEW(arena, uint32_t, count),
        .seen = ORR_NEW(arena, unsigned char, count),
    };
    if (!search.parent || !search.depth || !search.queue || !search.seen)
        return false;
    for (uint32_t i = 0; i < count; i++)
        search.parent[i] = ORR_NO_NODE;
    for (uint32_t i = 0; i < orr_system_count(system, ORR_CPU); i++)
        reach(&search, system->first[ORR_CPU] + i, ORR_NO_NODE);
    spread(&search, 0, 1u << ORR_LINK_PCI);
    spread(&search, 0, 1u << ORR_LINK_C2C);
    /* Continues with nodes that PCI does not reach: a GPU on the CPU's NVLink, the ports of NICs. NVLink between GPUs
     * is not containment, so only a CPU's own NVLinks are followed. */
    for (uint32_t i = 0; i < orr_system_count(system, ORR_CPU); i++) {
        uint32_t cpu = system->first[ORR_CPU] + i;
        const struct orr_node *node = &system->nodes[cpu];
        for (uint32_t k = 0; k < node->link_count; k++) {
            const struct orr_link *link = &system->links[node->first_link + k];
            if (link->type == ORR_LINK_NVL && orr_is_gpu(system->nodes[link->to].type) && !search.seen[link->to])
                reach(&search, link->to, cpu);
        }
    }
    const unsigned inside = 1u << ORR_LINK_PCI | 1u << ORR_LINK_NET | 1u << ORR_LINK_LOC | 1u << ORR_LINK_C2C;
    spread(&search, 0, inside);
    /* In an island that no CPU leads to, the first device is the root. */
    for (uint32_t i = 0; i < count; i++)
        if (!search.seen[i] && drawn_as[i] == i && system->nodes[i].type != ORR_NVS) {
            uint32_t head = search.tail;
            reach(&search, i, ORR_NO_NODE);
            spread(&search, head, inside);
        }
    *ret_parent = search.parent;
    *ret_depth = search.depth;
    return true;
}
