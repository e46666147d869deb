#include "engine/nics/document.h"

#include <stdarg.h>
#include <string.h>

enum { VALUE_SIZE = 1024 };

void orr_doc_init(struct orr_doc *tree, struct orr_arena *arena)
{
    *tree = (struct orr_doc){.arena = arena};
    tree->system = ORR_NEW(arena, struct orr_doc_node, 1);
    if (!tree->system)
        tree->system = &tree->spare;
    tree->system->name = "system";
    orr_doc_set(tree, tree->system, "version", "1");
}

static void take_out(struct orr_doc_node *node)
{
    struct orr_doc_node *parent = node->parent;
    if (!parent)
        return;
    *(node->before ? &node->before->after : &parent->first) = node->after;
    *(node->after ? &node->after->before : &parent->last) = node->before;
    node->parent = node->before = node->after = NULL;
}

void orr_doc_move(struct orr_doc_node *node, struct orr_doc_node *parent, struct orr_doc_node *before)
{
    take_out(node);
    node->parent = parent;
    node->after = before;
    node->before = before ? before->before : parent->last;
    *(node->before ? &node->before->after : &parent->first) = node;
    *(before ? &before->before : &parent->last) = node;
}

struct orr_doc_node *orr_doc_add(struct orr_doc *tree, struct orr_doc_node *parent, const char *name,
                                 struct orr_doc_node *before)
{
    struct orr_doc_node *node = ORR_NEW(tree->arena, struct orr_doc_node, 1);
    if (!node)
        return &tree->spare;
    node->name = name;
    if (parent)
        orr_doc_move(node, parent, before);
    return node;
}

void orr_doc_remove(struct orr_doc_node *node)
{
    take_out(node);
}

static int attribute(const struct orr_doc_node *node, const char *key)
{
    for (unsigned i = 0; i < node->attribute_count; i++)
        if (!strcmp(node->keys[i], key))
            return (int)i;
    return -1;
}

const char *orr_doc_get(const struct orr_doc_node *node, const char *key)
{
    int at = attribute(node, key);
    return at < 0 ? NULL : node->values[at];
}

static void set(struct orr_doc *tree, struct orr_doc_node *node, const char *key, const char *format, va_list args)
{
    const char *kept = orr_arena_vprintf(tree->arena, VALUE_SIZE, format, args);
    if (!kept)
        return;
    int at = attribute(node, key);
    if (at < 0) {
        if (node->attribute_count == ORR_DOC_ATTRIBUTES)
            return;
        at = (int)node->attribute_count++;
        node->keys[at] = key;
    }
    node->values[at] = kept;
}

void orr_doc_set(struct orr_doc *tree, struct orr_doc_node *node, const char *key, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    set(tree, node, key, format, args);
    va_end(args);
}

void orr_doc_set_once(struct orr_doc *tree, struct orr_doc_node *node, const char *key, const char *format, ...)
{
    va_list args;
    if (attribute(node, key) >= 0)
        return;
    va_start(args, format);
    set(tree, node, key, format, args);
    va_end(args);
}

bool orr_doc_is(const struct orr_doc_node *node, const char *name)
{
    return node->name && !strcmp(node->name, name);
}

static bool matches(const struct orr_doc_node *node, const char *name, const char *key, const char *value)
{
    if (!orr_doc_is(node, name))
        return false;
    const char *has = key ? orr_doc_get(node, key) : NULL;
    return !key || (has && !strcmp(has, value));
}

struct orr_doc_node *orr_doc_child(const struct orr_doc_node *parent, const char *name, const char *key,
                                   const char *value)
{
    for (struct orr_doc_node *child = parent->first; child; child = child->after)
        if (matches(child, name, key, value))
            return child;
    return NULL;
}

struct orr_doc_node *orr_doc_next(const struct orr_doc_node *node, const struct orr_doc_node *top)
{
    if (node->first)
        return node->first;
    while (node && node != top && !node->after)
        node = node->parent;
    return !node || node == top ? NULL : node->after;
}

struct orr_doc_node *orr_doc_find(const struct orr_doc_node *top, const char *name, const char *key, const char *value)
{
    for (struct orr_doc_node *node = top->first; node; node = orr_doc_next(node, top))
        if (matches(node, name, key, value))
            return node;
    return NULL;
}

void orr_doc_count_gpus(struct orr_doc *tree)
{
    for (struct orr_doc_node *node = tree->system->first; node; node = orr_doc_next(node, tree->system))
        for (struct orr_doc_node *at = orr_doc_is(node, "gpu") ? node->parent : NULL; at; at = at->parent)
            at->gpus++;
}

unsigned orr_doc_count(const struct orr_doc *tree)
{
    unsigned count = 1;
    for (struct orr_doc_node *node = tree->system->first; node; node = orr_doc_next(node, tree->system))
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

static void write_node(const struct orr_doc_node *node, int depth, struct orr_text *text)
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
    for (const struct orr_doc_node *child = node->first; child; child = child->after)
        write_node(child, depth + 1, text);
    orr_text_printf(text, "%*s</%s>\n", 2 * depth, "", node->name);
}

void orr_doc_write(const struct orr_doc *tree, struct orr_text *text)
{
    write_node(tree->system, 0, text);
}
