/* SPDX-License-Identifier: Apache-2.0 */
/* Finds dumps whose machines look the same to NCCL's search. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/sorting.h"
#include "engine/cluster/dump_shape.h"

#include "engine/nics/combine.h"

struct numbered {
    const char *text;
    uint32_t element;
};

ORR_COMPARATOR(compare_numbered, struct numbered, strcmp(a->text, b->text), ORR_ORDER(a->element, b->element))

/* The attribute whose value only says which elements are the same; NULL if the element has none. */
static const char *number_of(const struct orr_dump *dump, uint32_t element)
{
    switch (dump->elements[element].kind) {
    case ORR_ELEMENT_NET:
        return orr_element_text(dump, element, ORR_ATTR_GUID);
    case ORR_ELEMENT_CPU:
        return orr_element_text(dump, element, ORR_ATTR_HOST_HASH);
    default:
        return NULL;
    }
}

enum orr_code orr_dump_shape(const struct orr_dump *dump, struct orr_arena *arena, struct orr_dump_shape *ret_shape,
                             struct orr_error *err)
{
    struct numbered *numbers = ORR_NEW(arena, struct numbered, dump->element_count);
    uint32_t *first = ORR_NEW(arena, uint32_t, dump->element_count), count = 0;
    ORR_NEED(numbers && first, err);
    for (uint32_t e = 0; e < dump->element_count; e++)
        if (number_of(dump, e))
            numbers[count++] = (struct numbered){.text = number_of(dump, e), .element = e};
    qsort(numbers, count, sizeof *numbers, compare_numbered);
    for (uint32_t i = 0; i < count; i++) {
        bool again = i && !strcmp(numbers[i].text, numbers[i - 1].text);
        first[numbers[i].element] = again ? first[numbers[i - 1].element] : numbers[i].element;
    }
    *ret_shape = (struct orr_dump_shape){.dump = dump, .first = first};
    return ORR_OK;
}

/* An attribute that numbers something. The only thing that matters about its value is whether it is written in hex. */
static bool is_number(const struct orr_attribute *attribute)
{
    return attribute->id == ORR_ATTR_GUID || attribute->id == ORR_ATTR_HOST_HASH;
}

static bool elements_alike(const struct orr_dump_shape *a, const struct orr_dump_shape *b, uint32_t element)
{
    const struct orr_element *x = &a->dump->elements[element], *y = &b->dump->elements[element];
    if (x->kind != y->kind || x->parent != y->parent || x->attribute_count != y->attribute_count ||
        a->first[element] != b->first[element])
        return false;
    if (x->kind == ORR_ELEMENT_NET &&
        orr_card_is_port_number(a->dump, element) != orr_card_is_port_number(b->dump, element))
        return false;
    for (uint32_t i = 0; i < x->attribute_count; i++) {
        const struct orr_attribute *p = &a->dump->attributes[x->first_attribute + i];
        const struct orr_attribute *q = &b->dump->attributes[y->first_attribute + i];
        if (p->id != q->id)
            return false;
        if (is_number(p) && !strncmp(p->value, "0x", 2) == !strncmp(q->value, "0x", 2))
            continue;
        if (p->id != ORR_ATTR_NAME && p->id != ORR_ATTR_OTHER && strcmp(p->value, q->value) != 0)
            return false;
    }
    return true;
}

bool orr_dumps_alike(const struct orr_dump_shape *a, const struct orr_dump_shape *b)
{
    if (a->dump == b->dump)
        return true;
    if (a->dump->element_count != b->dump->element_count || a->dump->attribute_count != b->dump->attribute_count)
        return false;
    for (uint32_t e = 0; e < a->dump->element_count; e++)
        if (!elements_alike(a, b, e))
            return false;
    return true;
}

void orr_dump_shape_write(const struct orr_dump_shape *shape, struct orr_text *text)
{
    const struct orr_dump *dump = shape->dump;
    orr_text_printf(text, "%s %d\n", dump->notes ? dump->notes->kind : "", dump->refusal.line > 0);
    for (uint32_t e = 0; e < dump->element_count && !orr_text_failed(text); e++) {
        const struct orr_element *element = &dump->elements[e];
        const bool port = element->kind == ORR_ELEMENT_NET && orr_card_is_port_number(dump, e);
        orr_text_printf(text, "%d %u %u %d\n", (int)element->kind, element->parent, shape->first[e], port);
        for (uint32_t i = 0; i < element->attribute_count; i++) {
            const struct orr_attribute *attribute = &dump->attributes[element->first_attribute + i];
            const char *value = attribute->id == ORR_ATTR_OTHER ? "" : attribute->value;
            const size_t length = is_number(attribute) ? (size_t)2 * !strncmp(value, "0x", 2) : strlen(value);
            orr_text_printf(text, "%d %d %zu:", (int)attribute->id, (int)attribute->origin, length);
            orr_text_add(text, value, length);
        }
    }
}
