/* Trimming a document to what is used, and fusing those of several ranks. */
#include <string.h>

#include "engine/detect/tree.h"

/* Whether something at or below was claimed; drops what goes on the way back. */
static bool trim(struct orr_tree_node *node, bool childless)
{
    bool claimed = false;
    if (node->claimed)
        return true;
    for (struct orr_tree_node *child = node->first, *next; child; child = next) {
        next = child->after;
        claimed = trim(child, childless) || claimed;
    }
    bool place =
        orr_tree_is(node, "pci") || orr_tree_is(node, "cpu") || orr_tree_is(node, "nic") || orr_tree_is(node, "net");
    if (node->parent && (childless ? !node->first : !claimed && place))
        orr_tree_remove(node);
    return claimed;
}

void orr_tree_trim(struct orr_tree *tree, bool childless)
{
    trim(tree->system, childless);
}

static bool equal(const struct orr_tree_node *a, const struct orr_tree_node *b)
{
    if (strcmp(a->name, b->name) || a->attribute_count != b->attribute_count)
        return false;
    for (unsigned i = 0; i < a->attribute_count; i++) {
        const char *other = orr_tree_get(b, a->keys[i]);
        if (!other || strcmp(other, a->values[i]))
            return false;
    }
    return true;
}

static void fuse(struct orr_tree_node *into, struct orr_tree_node *from)
{
    for (struct orr_tree_node *child = from->first, *next; child; child = next) {
        next = child->after;
        struct orr_tree_node *same = into->first;
        while (same && !equal(same, child))
            same = same->after;
        if (same)
            fuse(same, child);
        else
            orr_tree_move(child, into, NULL);
    }
}

void orr_tree_fuse(struct orr_tree *into, struct orr_tree *from)
{
    into->starved |= from->starved;
    fuse(into->system, from->system);
}
