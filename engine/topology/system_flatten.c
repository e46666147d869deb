/* SPDX-License-Identifier: Apache-2.0 */
/* Broadcom's big PCIe switches appear as two levels; NCCL removes the lower one. The table has the identities by which
 * releases recognise such switches. Rules: docs/nccl/graph.md, "Broadcom switches of two levels". */
#include "engine/release/release.h"
#include "engine/topology/system_builder.h"

enum { NOT_FLATTENED = 0 };

struct pattern {
    uint64_t upper, lower; /* identity under mask */
    int generation;
};
static const struct pattern patterns[] = {
    {0x1000c0101000a000u, 0x1000c0101000a000u, 4},
    {0x1000c03010000000u, 0x1000c03010001000u, 5},
};
static const uint64_t identity_mask = 0xfffffffffffff000u;

static const struct pattern *upper_pattern(enum orr_flattening flattening, uint64_t identity)
{
    unsigned count = flattening == ORR_FLATTEN_NONE ? 0 : flattening == ORR_FLATTEN_GEN4_EQUAL ? 1 : 2;
    for (unsigned i = 0; i < count; i++)
        if ((identity & identity_mask) == patterns[i].upper)
            return &patterns[i];
    return NULL;
}

static bool is_lower(const struct orr_builder *b, uint32_t upper, uint32_t node, const struct pattern *pattern)
{
    const struct orr_node *n = &b->nodes[node].node;
    if (b->release->flattening == ORR_FLATTEN_GEN4_EQUAL)
        return n->type == ORR_PCI && n->pci.identity == b->nodes[upper].node.pci.identity;
    return n->type == ORR_PCI && (n->pci.identity & identity_mask) == pattern->lower;
}

/* Moves the links of a lower switch to the upper one, and removes the lower one. */
static enum orr_code absorb(struct orr_builder *b, uint32_t upper, uint32_t lower)
{
    for (uint32_t i = 0; i < b->nodes[lower].count; i++) {
        struct orr_growing_link link = b->nodes[lower].links[i];
        if (link.to == upper)
            continue;
        ORR_TRY(orr_builder_append(b, upper, link));
        struct orr_growing_node *far = &b->nodes[link.to];
        for (uint32_t j = 0; j < far->count; j++)
            if (far->links[j].to == lower) {
                far->links[j].to = upper;
                break;
            }
    }
    orr_builder_remove(b, lower);
    return ORR_OK;
}

/* Flattens one upper switch with all its lower ones. NCCL refers to the upper switch by its index u, so removing a
 * lower switch that comes before it makes u mean the next switch. */
static enum orr_code flatten_at(struct orr_builder *b, uint32_t u, const struct pattern *pattern)
{
    uint32_t upper = b->of_type[ORR_PCI][u];
    struct orr_growing_node *node = &b->nodes[upper];
    uint32_t *lower = ORR_NEW(b->arena, uint32_t, node->count);
    uint32_t count = 0, kept = 0;
    ORR_NEED(lower, b->err);
    for (uint32_t i = 0; i < node->count; i++) {
        if (is_lower(b, upper, node->links[i].to, pattern))
            lower[count++] = node->links[i].to;
        else
            node->links[kept++] = node->links[i];
    }
    node->count = kept;
    for (uint32_t i = 0; i < count; i++) {
        if (b->nodes[lower[i]].removed || lower[i] == b->of_type[ORR_PCI][u])
            continue;
        ORR_TRY(absorb(b, b->of_type[ORR_PCI][u], lower[i]));
        if (u >= b->type_count[ORR_PCI])
            return ORR_OK;
    }
    b->nodes[b->of_type[ORR_PCI][u]].node.pci.identity = NOT_FLATTENED;
    return ORR_OK;
}

enum orr_code orr_builder_flatten(struct orr_builder *b)
{
    for (uint32_t u = 0; u < b->type_count[ORR_PCI];) {
        const struct pattern *pattern =
            upper_pattern(b->release->flattening, b->nodes[b->of_type[ORR_PCI][u]].node.pci.identity);
        if (!pattern) {
            u++;
            continue;
        }
        ORR_TRY(flatten_at(b, u, pattern));
        u = 0;
    }
    return ORR_OK;
}
