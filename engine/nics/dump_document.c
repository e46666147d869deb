#include "engine/nics/dump_document.h"

#include <string.h>

static void copy_attributes(struct orr_doc *tree, struct orr_doc_node *node, const struct orr_dump *dump,
                            uint32_t element)
{
    const struct orr_element *from = &dump->elements[element];
    node->line = from->line;
    node->column = from->column;
    for (uint32_t i = 0; i < from->attribute_count && node->attribute_count < ORR_DOC_ATTRIBUTES; i++) {
        const struct orr_attribute *attribute = &dump->attributes[from->first_attribute + i];
        const char *key = orr_arena_strndup(tree->arena, attribute->name, strlen(attribute->name));
        if (key && attribute->id != ORR_ATTR_KEEP)
            orr_doc_set_once(tree, node, key, "%s", attribute->value);
    }
}

void orr_doc_copy_element(struct orr_doc *tree, struct orr_doc_node *node, const struct orr_dump *dump,
                          uint32_t element)
{
    copy_attributes(tree, node, dump, element);
    for (uint32_t child = dump->elements[element].first_child;
         child != ORR_NO_ELEMENT && !orr_arena_starved(tree->arena); child = dump->elements[child].next_sibling)
        orr_doc_copy_element(tree, orr_doc_add(tree, node, orr_element_name(dump->elements[child].kind), NULL), dump,
                             child);
}

static enum orr_element_kind kind_of(const struct orr_doc_node *node)
{
    int kind = 0;
    while (kind < ORR_ELEMENT_COUNT - 1 && !orr_doc_is(node, orr_element_name((enum orr_element_kind)kind)))
        kind++;
    return (enum orr_element_kind)kind;
}

/* Adds a node with all below it; returns its index. */
static uint32_t add(struct orr_dump *dump, const struct orr_doc_node *node, uint32_t parent)
{
    uint32_t index = dump->element_count++, last = ORR_NO_ELEMENT;
    struct orr_element *element = &dump->elements[index];
    *element = (struct orr_element){.kind = kind_of(node),
                                    .parent = parent,
                                    .first_child = ORR_NO_ELEMENT,
                                    .next_sibling = ORR_NO_ELEMENT,
                                    .first_attribute = dump->attribute_count,
                                    .attribute_count = node->attribute_count,
                                    .line = node->line,
                                    .column = node->column};
    for (unsigned i = 0; i < node->attribute_count; i++)
        dump->attributes[dump->attribute_count++] =
            (struct orr_attribute){.id = orr_attr_find(node->keys[i]), .name = node->keys[i], .value = node->values[i]};
    for (const struct orr_doc_node *child = node->first; child; child = child->after) {
        uint32_t added = add(dump, child, index);
        *(last == ORR_NO_ELEMENT ? &dump->elements[index].first_child : &dump->elements[last].next_sibling) = added;
        last = added;
    }
    return index;
}

struct orr_dump *orr_doc_to_dump(const struct orr_doc *tree, const struct orr_dump *from)
{
    size_t elements = 0, attributes = 0;
    for (const struct orr_doc_node *node = tree->system; node; node = orr_doc_next(node, tree->system)) {
        elements++;
        attributes += node->attribute_count;
    }
    struct orr_dump *dump =
        orr_arena_starved(tree->arena) || !elements ? NULL : ORR_NEW(tree->arena, struct orr_dump, 1);
    if (!dump)
        return NULL;
    *dump = *from;
    dump->arena = NULL;
    dump->element_count = dump->attribute_count = 0;
    dump->elements = ORR_NEW(tree->arena, struct orr_element, elements);
    dump->attributes = ORR_NEW(tree->arena, struct orr_attribute, attributes);
    if (!dump->elements || !dump->attributes)
        return NULL;
    add(dump, tree->system, ORR_NO_ELEMENT);
    return dump;
}
