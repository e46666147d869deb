/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a dump into a document that can be changed, and back. */
#include "engine/dump/edit.h"

void orr_doc_share(struct orr_doc_node *node, const struct orr_dump *dump, uint32_t element)
{
    const struct orr_element *from = &dump->elements[element];
    node->kind = from->kind;
    node->line = from->line;
    node->column = from->column;
    node->attributes = from->attribute_count ? dump->attributes + from->first_attribute : NULL;
    node->attribute_count = from->attribute_count;
    node->attribute_capacity = 0;
}

void orr_doc_copy_element(struct orr_doc *doc, struct orr_doc_node *node, const struct orr_dump *dump, uint32_t element)
{
    orr_doc_share(node, dump, element);
    for (uint32_t child = dump->elements[element].first_child;
         child != ORR_NO_ELEMENT && !orr_arena_starved(doc->arena) && !doc->too_many;
         child = dump->elements[child].next_sibling)
        orr_doc_copy_element(doc, orr_doc_add(doc, node, dump->elements[child].kind, NULL), dump, child);
}

/* Adds a node and everything below it; returns its index. */
static uint32_t add_element(struct orr_dump *dump, const struct orr_doc_node *node, uint32_t parent)
{
    uint32_t index = dump->element_count++, last = ORR_NO_ELEMENT;
    struct orr_element *element = &dump->elements[index];
    *element = (struct orr_element){.kind = node->kind,
                                    .parent = parent,
                                    .first_child = ORR_NO_ELEMENT,
                                    .next_sibling = ORR_NO_ELEMENT,
                                    .first_attribute = dump->attribute_count,
                                    .attribute_count = node->attribute_count,
                                    .line = node->line,
                                    .column = node->column};
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        const struct orr_attribute *attribute = &node->attributes[i];
        dump->attributes[dump->attribute_count++] = *attribute;
        if (attribute->origin == ORR_VALUE_ASSUMED && attribute->id < ORR_ATTR_OTHER)
            dump->assumed[node->kind] |= UINT64_C(1) << attribute->id;
    }
    for (const struct orr_doc_node *child = node->first; child; child = child->after) {
        uint32_t added = add_element(dump, child, index);
        *(last == ORR_NO_ELEMENT ? &dump->elements[index].first_child : &dump->elements[last].next_sibling) = added;
        last = added;
    }
    return index;
}

struct orr_dump *orr_doc_to_dump(const struct orr_doc *doc, const struct orr_dump *from)
{
    size_t elements = 0, attributes = 0;
    if (orr_arena_starved(doc->arena) || !doc->system)
        return NULL;
    for (const struct orr_doc_node *node = doc->system; node; node = orr_doc_next(node, doc->system)) {
        elements++;
        attributes += node->attribute_count;
    }
    struct orr_dump *dump = ORR_NEW(doc->arena, struct orr_dump, 1);
    if (!dump)
        return NULL;
    if (from)
        *dump = *from;
    dump->arena = NULL;
    dump->element_count = dump->attribute_count = 0;
    dump->elements = ORR_NEW(doc->arena, struct orr_element, elements);
    dump->attributes = ORR_NEW(doc->arena, struct orr_attribute, attributes);
    if (!dump->elements || !dump->attributes)
        return NULL;
    add_element(dump, doc->system, ORR_NO_ELEMENT);
    return dump;
}

void orr_doc_open(struct orr_doc *doc, const struct orr_dump *dump, struct orr_arena *arena)
{
    *doc = (struct orr_doc){.arena = arena, .origin = ORR_VALUE_EDITED};
    doc->system = orr_doc_add(doc, NULL, ORR_ELEMENT_SYSTEM, NULL);
    orr_doc_copy_element(doc, doc->system, dump, 0);
}
