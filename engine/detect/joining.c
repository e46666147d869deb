/* SPDX-License-Identifier: Apache-2.0 */
/* Trims a document to the devices in use, and fuses the documents of several ranks. docs/nccl/sequence.md, "Fusing the
 * XML of several ranks". */
#include <string.h>

#include "engine/detect/detecting.h"

/* Whether a node or anything below it was claimed; removes unclaimed nodes on the way back. */
static bool trim(struct orr_doc_node *node, enum orr_trim_rule rule)
{
    bool claimed = false;
    if (node->claimed)
        return true;
    for (struct orr_doc_node *child = node->first, *next; child; child = next) {
        next = child->after;
        claimed = trim(child, rule) || claimed;
    }
    bool nic = node->kind == ORR_ELEMENT_NIC || node->kind == ORR_ELEMENT_NET;
    bool place = node->kind == ORR_ELEMENT_PCI || node->kind == ORR_ELEMENT_CPU || (nic && rule == ORR_TRIM_UNCLAIMED);
    if (node->parent && (rule == ORR_TRIM_CHILDLESS ? !node->first : !claimed && place))
        orr_doc_remove(node);
    return claimed;
}

void orr_detect_trim(struct orr_doc *tree, enum orr_trim_rule rule)
{
    trim(tree->system, rule);
}

static bool equal(const struct orr_doc_node *a, const struct orr_doc_node *b)
{
    if (a->kind != b->kind || a->attribute_count != b->attribute_count)
        return false;
    for (uint32_t i = 0; i < a->attribute_count; i++) {
        const char *other = orr_doc_get(b, a->attributes[i].id);
        if (!other || strcmp(other, a->attributes[i].value) != 0)
            return false;
    }
    return true;
}

static void fuse(struct orr_doc_node *into, struct orr_doc_node *from)
{
    for (struct orr_doc_node *child = from->first, *next; child; child = next) {
        next = child->after;
        struct orr_doc_node *same = into->first;
        while (same && !equal(same, child))
            same = same->after;
        if (same)
            fuse(same, child);
        else
            orr_doc_move(child, into, NULL);
    }
}

void orr_detect_fuse(struct orr_doc *into, struct orr_doc *from)
{
    fuse(into->system, from->system);
}
