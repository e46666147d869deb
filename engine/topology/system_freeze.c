/* SPDX-License-Identifier: Apache-2.0 */
/* The compact form of a graph, and copies of it without some nodes. */
#include <string.h>

#include "engine/release/release.h"
#include "engine/topology/system_builder.h"

/* Fills links[].from and .reverse: the first link back of the same type, or of any. */
static void find_reverses(struct orr_system *system)
{
    for (uint32_t n = 0; n < system->node_count; n++)
        for (uint32_t l = system->nodes[n].first_link, end = l + system->nodes[n].link_count; l < end; l++) {
            struct orr_link *link = &system->links[l];
            const struct orr_node *far = &system->nodes[link->to];
            link->from = n;
            link->reverse = ORR_NO_LINK;
            bool any_type = system->release->reverse_of_any_type;
            for (uint32_t r = far->first_link; r < far->first_link + far->link_count; r++)
                if (system->links[r].to == n && (any_type || system->links[r].type == link->type)) {
                    link->reverse = r;
                    break;
                }
        }
}

enum orr_code orr_builder_freeze(const struct orr_builder *b, struct orr_system *ret_system)
{
    struct orr_system system = {
        .release = b->release, .dump = b->dump, .host_count = b->host_count, .leaves_host = true};
    uint32_t *new_index = ORR_NEW(b->arena, uint32_t, b->count);
    uint32_t links = 0;
    for (int type = 0; type < ORR_NODE_TYPE_COUNT; type++) {
        system.first[type] = system.node_count;
        system.node_count += b->type_count[type];
    }
    system.first[ORR_NODE_TYPE_COUNT] = system.node_count;
    for (uint32_t n = 0; n < b->count; n++)
        links += b->nodes[n].removed ? 0 : b->nodes[n].count;
    system.nodes = ORR_NEW(b->arena, struct orr_node, system.node_count);
    system.links = ORR_NEW(b->arena, struct orr_link, links);
    ORR_NEED(new_index && system.nodes && system.links, b->err);
    for (int type = 0; type < ORR_NODE_TYPE_COUNT; type++)
        for (uint32_t i = 0; i < b->type_count[type]; i++)
            new_index[b->of_type[type][i]] = system.first[type] + i;
    for (int type = 0; type < ORR_NODE_TYPE_COUNT; type++)
        for (uint32_t i = 0; i < b->type_count[type]; i++) {
            const struct orr_growing_node *from = &b->nodes[b->of_type[type][i]];
            struct orr_node *node = &system.nodes[system.first[type] + i];
            *node = from->node;
            node->first_link = system.link_count;
            node->link_count = from->count;
            for (uint32_t l = 0; l < from->count; l++)
                system.links[system.link_count++] = (struct orr_link){
                    .type = from->links[l].type, .to = new_index[from->links[l].to], .bw = from->links[l].bw};
        }
    find_reverses(&system);
    ORR_TRY(orr_system_verify(&system, b->err));
    *ret_system = system;
    return ORR_OK;
}

enum orr_code orr_system_without(const struct orr_system *system, const unsigned char *keep, struct orr_arena *arena,
                                 struct orr_system *ret_system, struct orr_kept *kept, struct orr_error *err)
{
    struct orr_system copy = *system;
    copy.nodes = ORR_NEW(arena, struct orr_node, system->node_count);
    copy.links = ORR_NEW(arena, struct orr_link, system->link_count);
    ORR_NEED(copy.nodes && copy.links, err);
    copy.node_count = copy.link_count = 0;
    for (int type = 0; type < ORR_NODE_TYPE_COUNT; type++) {
        copy.first[type] = copy.node_count;
        for (uint32_t n = system->first[type]; n < system->first[type + 1]; n++)
            kept->node[n] = keep[n] ? copy.node_count++ : ORR_NO_NODE;
    }
    copy.first[ORR_NODE_TYPE_COUNT] = copy.node_count;
    for (uint32_t n = 0; n < system->node_count; n++) {
        uint32_t first = system->nodes[n].first_link, start = copy.link_count;
        for (uint32_t l = first; l < first + system->nodes[n].link_count; l++) {
            kept->link[l] = ORR_NO_LINK;
            if (!keep[n] || !keep[system->links[l].to])
                continue;
            kept->link[l] = copy.link_count;
            copy.links[copy.link_count++] = system->links[l];
        }
        if (!keep[n])
            continue;
        struct orr_node *node = &copy.nodes[kept->node[n]];
        *node = system->nodes[n];
        node->first_link = start;
        node->link_count = copy.link_count - start;
    }
    for (uint32_t l = 0; l < copy.link_count; l++) { /* the reverse link joins the same two nodes, so it was kept,
                                                      * too */
        struct orr_link *link = &copy.links[l];
        link->from = kept->node[link->from];
        link->to = kept->node[link->to];
        link->reverse = link->reverse == ORR_NO_LINK ? ORR_NO_LINK : kept->link[link->reverse];
    }
    ORR_TRY(orr_system_verify(&copy, err));
    *ret_system = copy;
    return ORR_OK;
}
