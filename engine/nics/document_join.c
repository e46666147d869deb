/* Trimming a document to what is used, and fusing those of several ranks. docs/nccl/sequence.md, "Fusing the XML of
 * several ranks". */
#include <string.h>

#include "engine/nics/document.h"

/* Whether something at or below was claimed; drops what goes on the way back. */
static bool trim(struct orr_doc_node *node, enum orr_trim_rule rule)
{
    bool claimed = false;
    if (node->claimed)
        return true;
    for (struct orr_doc_node *child = node->first, *next; child; child = next) {
        next = child->after;
        claimed = trim(child, rule) || claimed;
    }
    bool nic = orr_doc_is(node, "nic") || orr_doc_is(node, "net");
    bool place = orr_doc_is(node, "pci") || orr_doc_is(node, "cpu") || (nic && rule == ORR_TRIM_UNCLAIMED);
    if (node->parent && (rule == ORR_TRIM_CHILDLESS ? !node->first : !claimed && place))
        orr_doc_remove(node);
    return claimed;
}

void orr_doc_trim(struct orr_doc *tree, enum orr_trim_rule rule)
{
    trim(tree->system, rule);
}

void orr_doc_prune(struct orr_doc_node *node)
{
    while (node->parent) {
        struct orr_doc_node *parent = node->parent;
        orr_doc_remove(node);
        if (parent->first || !(orr_doc_is(parent, "nic") || orr_doc_is(parent, "pci")))
            return;
        node = parent;
    }
}

static bool equal(const struct orr_doc_node *a, const struct orr_doc_node *b)
{
    if (strcmp(a->name, b->name) || a->attribute_count != b->attribute_count)
        return false;
    for (unsigned i = 0; i < a->attribute_count; i++) {
        const char *other = orr_doc_get(b, a->keys[i]);
        if (!other || strcmp(other, a->values[i]))
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

void orr_doc_fuse(struct orr_doc *into, struct orr_doc *from)
{
    fuse(into->system, from->system);
}
