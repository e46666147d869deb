/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/dump/edit.h"

#include <stdarg.h>
#include <string.h>

#include "engine/base/budget.h"

void orr_doc_init(struct orr_doc *doc, struct orr_arena *arena)
{
    *doc = (struct orr_doc){.arena = arena};
    doc->system = orr_doc_add(doc, NULL, ORR_ELEMENT_SYSTEM, NULL);
    orr_doc_set(doc, doc->system, ORR_ATTR_VERSION, "1");
}

void orr_doc_remove(struct orr_doc_node *node)
{
    struct orr_doc_node *parent = node->parent;
    if (!parent)
        return;
    *(node->before ? &node->before->after : &parent->first) = node->after;
    *(node->after ? &node->after->before : &parent->last) = node->before;
    node->parent = node->before = node->after = NULL;
}

void orr_doc_prune(struct orr_doc_node *node)
{
    while (node->parent) {
        struct orr_doc_node *parent = node->parent;
        orr_doc_remove(node);
        if (parent->first || !(parent->kind == ORR_ELEMENT_NIC || parent->kind == ORR_ELEMENT_PCI))
            return;
        node = parent;
    }
}

void orr_doc_move(struct orr_doc_node *node, struct orr_doc_node *parent, struct orr_doc_node *before)
{
    orr_doc_remove(node);
    node->parent = parent;
    node->after = before;
    node->before = before ? before->before : parent->last;
    *(node->before ? &node->before->after : &parent->first) = node;
    *(before ? &before->before : &parent->last) = node;
}

void orr_doc_sort_in(struct orr_doc_node *node)
{
    struct orr_doc_node *before = node->parent ? node->parent->first : NULL;
    while (before && strcmp(orr_doc_word(before, ORR_ATTR_BUSID), orr_doc_word(node, ORR_ATTR_BUSID)) <= 0)
        before = before->after;
    if (before)
        orr_doc_move(node, node->parent, before);
}

struct orr_doc_node *orr_doc_add(struct orr_doc *doc, struct orr_doc_node *parent, enum orr_element_kind kind,
                                 struct orr_doc_node *before)
{
    if (orr_budget_spent(4))
        orr_arena_starve(doc->arena);
    doc->too_many |= doc->limit && doc->count >= doc->limit;
    struct orr_doc_node *node = doc->too_many ? NULL : ORR_NEW(doc->arena, struct orr_doc_node, 1);
    if (!node)
        return &doc->spare;
    doc->count++;
    node->kind = kind;
    if (parent)
        orr_doc_move(node, parent, before);
    return node;
}

const struct orr_attribute *orr_doc_attribute(const struct orr_doc_node *node, enum orr_attr attr)
{
    for (uint32_t i = 0; i < node->attribute_count; i++)
        if (node->attributes[i].id == attr)
            return &node->attributes[i];
    return NULL;
}

const char *orr_doc_get(const struct orr_doc_node *node, enum orr_attr attr)
{
    const struct orr_attribute *found = orr_doc_attribute(node, attr);
    return found ? found->value : NULL;
}

const char *orr_doc_word(const struct orr_doc_node *node, enum orr_attr attr)
{
    const char *value = orr_doc_get(node, attr);
    return value ? value : "";
}

/* Makes the attributes the node's own, with room for one more. */
static bool own(struct orr_doc *doc, struct orr_doc_node *node)
{
    enum { MORE = 8 };
    if (node->attribute_count < node->attribute_capacity)
        return true;
    struct orr_attribute *copy = ORR_NEW(doc->arena, struct orr_attribute, (size_t)node->attribute_count + MORE);
    if (!copy)
        return false;
    if (node->attribute_count)
        memcpy(copy, node->attributes, node->attribute_count * sizeof *copy);
    node->attributes = copy;
    node->attribute_capacity = node->attribute_count + MORE;
    return true;
}

static void put_attribute(struct orr_doc *doc, struct orr_doc_node *node, struct orr_attribute attribute)
{
    uint32_t at = 0;
    if (!attribute.value || !own(doc, node))
        return;
    while (at < node->attribute_count &&
           (node->attributes[at].id != attribute.id || strcmp(node->attributes[at].name, attribute.name) != 0))
        at++;
    node->attribute_count += at == node->attribute_count;
    node->attributes[at] = attribute;
}

static void put_text(struct orr_doc *doc, struct orr_doc_node *node, enum orr_attr attr, enum orr_value_origin origin,
                     const char *format, va_list args)
{
    const char *value = orr_arena_vprintf(doc->arena, SIZE_MAX, format, args);
    put_attribute(doc, node,
                  (struct orr_attribute){.id = attr, .origin = origin, .name = orr_attr_name(attr), .value = value});
}

void orr_doc_set(struct orr_doc *doc, struct orr_doc_node *node, enum orr_attr attr, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_text(doc, node, attr, doc->origin, format, args);
    va_end(args);
}

void orr_doc_set_once(struct orr_doc *doc, struct orr_doc_node *node, enum orr_attr attr, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!orr_doc_attribute(node, attr))
        put_text(doc, node, attr, doc->origin, format, args);
    va_end(args);
}

void orr_doc_suppose(struct orr_doc *doc, struct orr_doc_node *node, enum orr_attr attr, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_text(doc, node, attr, ORR_VALUE_ASSUMED, format, args);
    va_end(args);
}

void orr_doc_set_all(struct orr_doc *doc, struct orr_doc_node *node, const struct orr_doc_node *from)
{
    for (uint32_t i = 0; i < from->attribute_count; i++)
        put_attribute(doc, node, from->attributes[i]);
}

void orr_doc_drop(struct orr_doc *doc, struct orr_doc_node *node, enum orr_attr attr)
{
    const struct orr_attribute *found = orr_doc_attribute(node, attr);
    size_t at = found ? (size_t)(found - node->attributes) : 0;
    if (!found || !own(doc, node))
        return;
    node->attribute_count--;
    memmove(node->attributes + at, node->attributes + at + 1, (node->attribute_count - at) * sizeof *found);
}

struct orr_doc_node *orr_doc_child(const struct orr_doc_node *parent, enum orr_element_kind kind)
{
    struct orr_doc_node *child = parent->first;
    while (child && child->kind != kind)
        child = child->after;
    return child;
}

static bool has_attribute(const struct orr_doc_node *node, enum orr_element_kind kind, enum orr_attr attr,
                          const char *value)
{
    const char *text = node->kind == kind ? orr_doc_get(node, attr) : NULL;
    return text && !strcmp(text, value);
}

struct orr_doc_node *orr_doc_child_with(const struct orr_doc_node *parent, enum orr_element_kind kind,
                                        enum orr_attr attr, const char *value)
{
    struct orr_doc_node *child = parent->first;
    while (child && !has_attribute(child, kind, attr, value))
        child = child->after;
    return child;
}

struct orr_doc_node *orr_doc_next(const struct orr_doc_node *node, const struct orr_doc_node *top)
{
    if (node->first)
        return node->first;
    while (node && node != top && !node->after)
        node = node->parent;
    return !node || node == top ? NULL : node->after;
}

struct orr_doc_node *orr_doc_find(const struct orr_doc_node *top, enum orr_element_kind kind, enum orr_attr attr,
                                  const char *value)
{
    struct orr_doc_node *node = top->first;
    while (node && !has_attribute(node, kind, attr, value))
        node = orr_doc_next(node, top);
    return node;
}

void orr_doc_count_gpus(struct orr_doc *doc)
{
    for (struct orr_doc_node *node = doc->system->first; node; node = orr_doc_next(node, doc->system))
        for (struct orr_doc_node *at = node->kind == ORR_ELEMENT_GPU ? node->parent : NULL; at; at = at->parent)
            at->gpus++;
}
