#include "engine/detect/tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { VALUE_SIZE = 1024 };

void orr_tree_init(struct orr_tree *tree, struct orr_arena *arena)
{
    *tree = (struct orr_tree){.arena = arena};
    tree->system = ORR_NEW(arena, struct orr_tree_node, 1);
    if (!tree->system) {
        tree->starved = true;
        tree->system = &tree->spare;
    }
    tree->system->name = "system";
    orr_tree_set(tree, tree->system, "version", "1");
}

static void take_out(struct orr_tree_node *node)
{
    struct orr_tree_node *parent = node->parent;
    if (!parent)
        return;
    *(node->before ? &node->before->after : &parent->first) = node->after;
    *(node->after ? &node->after->before : &parent->last) = node->before;
    node->parent = node->before = node->after = NULL;
}

void orr_tree_move(struct orr_tree_node *node, struct orr_tree_node *parent, struct orr_tree_node *before)
{
    take_out(node);
    node->parent = parent;
    node->after = before;
    node->before = before ? before->before : parent->last;
    *(node->before ? &node->before->after : &parent->first) = node;
    *(before ? &before->before : &parent->last) = node;
}

struct orr_tree_node *orr_tree_add(struct orr_tree *tree, struct orr_tree_node *parent, const char *name,
                                   struct orr_tree_node *before)
{
    struct orr_tree_node *node = tree->starved ? NULL : ORR_NEW(tree->arena, struct orr_tree_node, 1);
    if (!node) {
        tree->starved = true;
        return &tree->spare;
    }
    node->name = name;
    if (parent)
        orr_tree_move(node, parent, before);
    return node;
}

void orr_tree_remove(struct orr_tree_node *node)
{
    take_out(node);
}

static int attribute(const struct orr_tree_node *node, const char *key)
{
    for (unsigned i = 0; i < node->attribute_count; i++)
        if (!strcmp(node->keys[i], key))
            return (int)i;
    return -1;
}

const char *orr_tree_get(const struct orr_tree_node *node, const char *key)
{
    int at = attribute(node, key);
    return at < 0 ? NULL : node->values[at];
}

static void set(struct orr_tree *tree, struct orr_tree_node *node, const char *key, const char *format, va_list args)
{
    char value[VALUE_SIZE];
    int length = vsnprintf(value, sizeof value, format, args);
    const char *kept = tree->starved ? NULL
                                     : orr_arena_strndup(tree->arena, value,
                                                         length < 0            ? 0
                                                         : length < VALUE_SIZE ? (size_t)length
                                                                               : VALUE_SIZE - 1);
    if (!kept) {
        tree->starved = true;
        return;
    }
    int at = attribute(node, key);
    if (at < 0) {
        if (node->attribute_count == ORR_TREE_ATTRIBUTES)
            return;
        at = (int)node->attribute_count++;
        node->keys[at] = key;
    }
    node->values[at] = kept;
}

void orr_tree_set(struct orr_tree *tree, struct orr_tree_node *node, const char *key, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set(tree, node, key, format, args);
    va_end(args);
}

void orr_tree_set_once(struct orr_tree *tree, struct orr_tree_node *node, const char *key, const char *format, ...)
{
    va_list args;
    if (attribute(node, key) >= 0)
        return;
    va_start(args, format);
    set(tree, node, key, format, args);
    va_end(args);
}

bool orr_tree_is(const struct orr_tree_node *node, const char *name)
{
    return node->name && !strcmp(node->name, name);
}

static bool matches(const struct orr_tree_node *node, const char *name, const char *key, const char *value)
{
    if (!orr_tree_is(node, name))
        return false;
    const char *has = key ? orr_tree_get(node, key) : NULL;
    return !key || (has && !strcmp(has, value));
}

struct orr_tree_node *orr_tree_child(const struct orr_tree_node *parent, const char *name, const char *key,
                                     const char *value)
{
    for (struct orr_tree_node *child = parent->first; child; child = child->after)
        if (matches(child, name, key, value))
            return child;
    return NULL;
}

struct orr_tree_node *orr_tree_next(const struct orr_tree_node *node, const struct orr_tree_node *top)
{
    if (node->first)
        return node->first;
    while (node && node != top && !node->after)
        node = node->parent;
    return !node || node == top ? NULL : node->after;
}

struct orr_tree_node *orr_tree_find(const struct orr_tree_node *top, const char *name, const char *key,
                                    const char *value)
{
    for (struct orr_tree_node *node = top->first; node; node = orr_tree_next(node, top))
        if (matches(node, name, key, value))
            return node;
    return NULL;
}

unsigned orr_tree_count(const struct orr_tree *tree)
{
    unsigned count = 1;
    for (struct orr_tree_node *node = tree->system->first; node; node = orr_tree_next(node, tree->system))
        count++;
    return count;
}

/* NCCL escapes nothing, and nothing that it writes needs it; what a hostile copy of /sys says must stay inside its
 * quotes all the same. */
static void write_value(const char *value, struct orr_text *text)
{
    for (; *value; value++) {
        unsigned char c = (unsigned char)*value;
        if (c == '"' || c == '<' || c == '&')
            orr_text_printf(text, "&#%d;", c);
        else
            orr_text_add(text, c < ' ' || c >= 0x7f ? "?" : value, 1);
    }
}

static void write_node(const struct orr_tree_node *node, int depth, struct orr_text *text)
{
    orr_text_printf(text, "%*s<%s", 2 * depth, "", node->name);
    for (unsigned i = 0; i < node->attribute_count; i++) {
        orr_text_printf(text, " %s=\"", node->keys[i]);
        write_value(node->values[i], text);
        orr_text_puts(text, "\"");
    }
    if (!node->first) {
        orr_text_puts(text, "/>\n");
        return;
    }
    orr_text_puts(text, ">\n");
    for (const struct orr_tree_node *child = node->first; child; child = child->after)
        write_node(child, depth + 1, text);
    orr_text_printf(text, "%*s</%s>\n", 2 * depth, "", node->name);
}

void orr_tree_write(const struct orr_tree *tree, struct orr_text *text)
{
    write_node(tree->system, 0, text);
}
