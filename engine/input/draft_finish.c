/* A draft becomes a dump. */
#include <string.h>

#include "engine/input/draft.h"

struct making {
    const struct orr_draft *draft;
    struct orr_dump *dump;
    unsigned element_capacity, attribute_capacity;
};

static void add_attributes(struct making *making, const struct orr_draft_node *node, struct orr_element *element)
{
    struct orr_dump *dump = making->dump;
    element->first_attribute = dump->attribute_count;
    for (const struct orr_draft_attr *at = node->attributes; at; at = at->next) {
        if (!ORR_RESERVE(dump->arena, dump->attributes, dump->attribute_count, making->attribute_capacity))
            return;
        dump->attributes[dump->attribute_count++] =
            (struct orr_attribute){.id = at->id, .name = at->name, .value = at->value};
        element->attribute_count++;
        if (at->assumed && at->id < ORR_ATTR_OTHER)
            dump->assumed[node->kind] |= UINT64_C(1) << at->id;
    }
}

/* The next node in document order behind `node`, not below it where `skip`; ORR_NO_ELEMENT: the end. */
static uint32_t step(const struct orr_draft *draft, uint32_t node, bool skip)
{
    if (!skip && draft->nodes[node].first != ORR_NO_ELEMENT)
        return draft->nodes[node].first;
    while (node != ORR_NO_ELEMENT && draft->nodes[node].next == ORR_NO_ELEMENT)
        node = draft->nodes[node].parent;
    return node == ORR_NO_ELEMENT ? node : draft->nodes[node].next;
}

static void add_elements(struct making *making)
{
    const struct orr_draft *draft = making->draft;
    struct orr_dump *dump = making->dump;
    uint32_t *element_of = ORR_NEW(dump->arena, uint32_t, draft->count);
    uint32_t *last_child = ORR_NEW(dump->arena, uint32_t, draft->count); /* of the element */
    for (uint32_t node = 0; !orr_arena_starved(making->draft->arena) && node != ORR_NO_ELEMENT;) {
        const struct orr_draft_node *from = &draft->nodes[node];
        if (from->removed) {
            node = step(draft, node, true);
            continue;
        }
        if (!ORR_RESERVE(dump->arena, dump->elements, dump->element_count, making->element_capacity))
            return;
        uint32_t index = dump->element_count++;
        struct orr_element *element = &dump->elements[index];
        *element = (struct orr_element){.kind = from->kind,
                                        .parent = index ? element_of[from->parent] : ORR_NO_ELEMENT,
                                        .first_child = ORR_NO_ELEMENT,
                                        .next_sibling = ORR_NO_ELEMENT,
                                        .line = from->line,
                                        .column = from->column};
        element_of[node] = index;
        last_child[index] = ORR_NO_ELEMENT;
        add_attributes(making, from, element);
        if (index) {
            uint32_t *last = &last_child[element->parent];
            if (*last == ORR_NO_ELEMENT)
                dump->elements[element->parent].first_child = index;
            else
                dump->elements[*last].next_sibling = index;
            *last = index;
        }
        node = step(draft, node, false);
    }
}

const struct orr_dump_notes *orr_draft_notes(struct orr_draft *draft, const struct orr_input_kind *kind)
{
    struct orr_dump_notes *notes = ORR_NEW(draft->arena, struct orr_dump_notes, 1);
    struct orr_assumed *assumed = ORR_NEW(draft->arena, struct orr_assumed, draft->notes.assumed_count);
    struct orr_missing *missing = ORR_NEW(draft->arena, struct orr_missing, draft->notes.missing_count);
    if (!notes || !assumed || !missing || orr_arena_starved(draft->arena))
        return NULL;
    memcpy(assumed, draft->assumed, draft->notes.assumed_count * sizeof *assumed);
    memcpy(missing, draft->missing, draft->notes.missing_count * sizeof *missing);
    *notes = draft->notes;
    notes->kind = kind->name;
    notes->title = kind->title;
    notes->recognised = notes->recognised ? notes->recognised : "";
    notes->assumed = assumed;
    notes->missing = missing;
    return notes;
}

enum orr_code orr_draft_finish(struct orr_draft *draft, const struct orr_input *input,
                               const struct orr_input_kind *kind, struct orr_dump **ret_dump, struct orr_error *err)
{
    if (input->options.assumed && !orr_arena_starved(draft->arena) && !draft->too_many)
        orr_draft_assume_type(draft, input->options.assumed);
    if (!orr_arena_starved(draft->arena) && !draft->too_many)
        orr_draft_assume_nics(draft, input->options.assumed_nics);
    if (draft->too_many) {
        enum orr_code code = orr_fail(err, ORR_LIMIT, "more than %u elements", draft->limit);
        orr_draft_release(draft);
        return code;
    }
    struct orr_dump *dump = ORR_NEW(draft->arena, struct orr_dump, 1);
    const struct orr_dump_notes *notes = dump ? orr_draft_notes(draft, kind) : NULL;
    struct making making = {.draft = draft, .dump = dump};
    if (notes) {
        dump->arena = draft->arena;
        dump->byte_count = input->length;
        dump->notes = notes;
        add_elements(&making);
        if (draft->no_nvlinks)
            dump->assumed[ORR_ELEMENT_NVLINK] |= UINT64_C(1) << ORR_ATTR_COUNT_ | UINT64_C(1) << ORR_ATTR_TCLASS;
    }
    if (orr_arena_starved(draft->arena)) {
        orr_draft_release(draft);
        return orr_fail_nomem(err);
    }
    *draft = (struct orr_draft){0};
    *ret_dump = dump;
    return ORR_OK;
}
