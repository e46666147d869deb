/* SPDX-License-Identifier: Apache-2.0 */
/* Adds nodes and links to the graph, and looks them up. */
#include "engine/topology/system_builder.h"

#include "engine/release/release.h"

int64_t orr_builder_id(const struct orr_builder *builder, uint32_t system, uint64_t local)
{
    uint64_t high = (uint64_t)system << 56;
    switch (builder->release->id_layout) {
    case ORR_ID_PLAIN:
        return (int64_t)local;
    case ORR_ID_ADDED:
        return (int64_t)(high + local);
    case ORR_ID_MASKED:
        break;
    }
    return (int64_t)(high + orr_id_local((int64_t)local));
}

uint32_t orr_builder_find(const struct orr_builder *builder, enum orr_node_type type, int64_t id)
{
    for (uint32_t i = 0; i < builder->type_count[type]; i++) {
        uint32_t node = builder->of_type[type][i];
        if (builder->nodes[node].node.id == id)
            return node;
    }
    return ORR_NO_NODE;
}

enum orr_code orr_builder_add(struct orr_builder *builder, enum orr_node_type type, int64_t id, uint32_t element,
                              uint32_t *ret_node)
{
    if (builder->type_count[type] >= builder->release->max_nodes) {
        if (element != ORR_NO_ELEMENT)
            return orr_fail_element(builder->dump, element, builder->err, ORR_LIMIT,
                                    "more than %u nodes of type %s: NCCL %s has no room for them",
                                    builder->release->max_nodes, orr_node_type_name(type), builder->release->name);
        return orr_fail(builder->err, ORR_LIMIT, "too many nodes of type %s", orr_node_type_name(type));
    }
    ORR_NEED(ORR_RESERVE(builder->arena, builder->nodes, builder->count, builder->capacity) &&
                 ORR_RESERVE(builder->arena, builder->of_type[type], builder->type_count[type],
                             builder->type_capacity[type]),
             builder->err);
    uint32_t index = builder->count++;
    builder->nodes[index] = (struct orr_growing_node){.node = {.type = type, .id = id, .element = element}};
    builder->of_type[type][builder->type_count[type]++] = index;
    *ret_node = index;
    return ORR_OK;
}

enum orr_code orr_builder_append(struct orr_builder *builder, uint32_t from, struct orr_growing_link link)
{
    struct orr_growing_node *node = &builder->nodes[from];
    if (node->count >= builder->release->max_links)
        return orr_fail(builder->err, ORR_LIMIT, "more than %u links at one %s: NCCL %s has no room for them",
                        builder->release->max_links, orr_node_type_name(node->node.type), builder->release->name);
    ORR_NEED(ORR_RESERVE(builder->arena, node->links, node->count, node->capacity), builder->err);
    node->links[node->count++] = link;
    return ORR_OK;
}

enum orr_code orr_builder_link(struct orr_builder *builder, uint32_t from, uint32_t to, enum orr_link_type type,
                               float bw)
{
    struct orr_growing_node *node = &builder->nodes[from];
    uint32_t i = 0;
    if (builder->widened >> orr_link_kind(type, node->node.type, builder->nodes[to].node.type) & 1)
        bw *= 2;
    while (i < node->count && !(node->links[i].to == to && node->links[i].type == type))
        i++;
    if (i == node->count)
        ORR_TRY(orr_builder_append(builder, from, (struct orr_growing_link){.type = type, .to = to, .bw = bw}));
    else
        node->links[i].bw += bw;
    struct orr_growing_link link = node->links[i];
    for (; i > 0 && node->links[i - 1].bw < link.bw; i--)
        node->links[i] = node->links[i - 1];
    node->links[i] = link;
    return ORR_OK;
}

enum orr_code orr_builder_link_both(struct orr_builder *builder, uint32_t a, uint32_t b, enum orr_link_type type,
                                    float bw)
{
    ORR_TRY(orr_builder_link(builder, a, b, type, bw));
    return orr_builder_link(builder, b, a, type, bw);
}

void orr_builder_remove(struct orr_builder *builder, uint32_t node)
{
    enum orr_node_type type = builder->nodes[node].node.type;
    builder->nodes[node].removed = true;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < builder->type_count[type]; i++)
        if (builder->of_type[type][i] != node)
            builder->of_type[type][kept++] = builder->of_type[type][i];
    builder->type_count[type] = kept;
    for (uint32_t n = 0; n < builder->count; n++) {
        struct orr_growing_node *other = &builder->nodes[n];
        kept = 0;
        for (uint32_t i = 0; i < other->count; i++)
            if (other->links[i].to != node)
                other->links[kept++] = other->links[i];
        other->count = kept;
    }
}
