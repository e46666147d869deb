/* SPDX-License-Identifier: Apache-2.0 */
/* Source: the grouping of NICs in aws-ofi-nccl (nccl_ofi_topo), as its documentation and its topology files show it. */
#include "engine/nics/efa.h"

#include <stdlib.h>
#include <string.h>

bool orr_net_is_efa(const struct orr_doc_node *net)
{
    const struct orr_doc_node *card = net->parent ? net->parent->parent : NULL;
    const char *vendor = card && card->kind == ORR_ELEMENT_PCI ? orr_doc_get(card, ORR_ATTR_VENDOR) : NULL;
    const char *name = orr_doc_get(net, ORR_ATTR_NAME);
    if (vendor && *vendor)
        return !strcmp(vendor, "0x1d0f");
    return name && !strncmp(name, "rdmap", 5);
}

/* The nearest PCIe switch that has a GPU below it as well; NULL if there is none. */
static struct orr_doc_node *switch_of(const struct orr_doc_node *net)
{
    for (struct orr_doc_node *at = net->parent; at; at = at->parent)
        if (at->kind == ORR_ELEMENT_PCI && at->gpus)
            return at;
    return NULL;
}

static long number(const struct orr_doc_node *node, enum orr_attr attr)
{
    const char *text = orr_doc_get(node, attr);
    return text ? strtol(text, NULL, 0) : 0;
}

static void join(struct orr_doc *tree, const struct orr_fusable *nics, const uint32_t *members, uint32_t count)
{
    struct orr_doc_node *leader = nics[members[0]].net, *card = leader->parent->parent;
    long speed = 0, width = 0;
    for (uint32_t i = 0; i < count; i++) {
        speed += nics[members[i]].speed;
        width += number(nics[members[i]].net->parent->parent, ORR_ATTR_LINK_WIDTH);
        nics[members[i]].net->claimed = i == 0;
    }
    orr_doc_set(tree, leader, ORR_ATTR_SPEED, "%ld", speed);
    if (width)
        orr_doc_set(tree, card, ORR_ATTR_LINK_WIDTH, "%ld", width);
}

uint32_t orr_nics_group_efa(struct orr_doc *tree, const struct orr_fusable *nics, uint32_t count)
{
    struct orr_doc_node *below[ORR_MAX_NETS];
    bool done[ORR_MAX_NETS] = {false};
    uint32_t made = 0;
    for (uint32_t i = 0; i < count; i++)
        below[i] = orr_net_is_efa(nics[i].net) ? switch_of(nics[i].net) : NULL;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t members[ORR_MAX_NETS] = {0}, found = 0, at = 0;
        if (!below[i] || done[i])
            continue;
        for (uint32_t k = i; k < count; k++)
            if (below[k] == below[i]) {
                members[found++] = k;
                done[k] = true;
            }
        uint32_t groups = below[i]->gpus;
        groups = groups < found ? groups : found;
        for (uint32_t g = 0; g < groups; g++) {
            uint32_t size = found / groups + (g < found % groups);
            if (size > 1) {
                join(tree, nics, members + at, size);
                made++;
            }
            at += size;
        }
    }
    return made;
}
