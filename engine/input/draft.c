/* Building a dump by hand: see draft.h. */
#include "engine/input/draft.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"

enum orr_code orr_draft_init(struct orr_draft *draft, const struct orr_input *input, struct orr_error *err)
{
    *draft = (struct orr_draft){.arena = orr_arena_new(0)};
    draft->limit = (input->options.limits ? input->options.limits : &orr_dump_default_limits)->elements;
    ORR_NEED(draft->arena, err);
    uint32_t root = orr_draft_add(draft, ORR_NO_ELEMENT, ORR_ELEMENT_SYSTEM);
    if (!orr_arena_starved(draft->arena))
        orr_draft_set(draft, root, ORR_ATTR_VERSION, "1");
    if (orr_arena_starved(draft->arena)) {
        orr_draft_release(draft);
        return orr_fail_nomem(err);
    }
    return ORR_OK;
}

void orr_draft_release(struct orr_draft *draft)
{
    orr_arena_free(draft->arena);
    *draft = (struct orr_draft){0};
}

uint32_t orr_draft_add(struct orr_draft *draft, uint32_t parent, enum orr_element_kind kind)
{
    if (orr_budget_spent(4))
        orr_arena_starve(draft->arena);
    draft->too_many |= draft->count >= draft->limit;
    if (draft->too_many || !ORR_RESERVE(draft->arena, draft->nodes, draft->count, draft->capacity))
        return 0;
    uint32_t index = draft->count++;
    draft->nodes[index] = (struct orr_draft_node){
        .kind = kind, .parent = parent, .first = ORR_NO_ELEMENT, .last = ORR_NO_ELEMENT, .next = ORR_NO_ELEMENT};
    if (parent == ORR_NO_ELEMENT)
        return index;
    struct orr_draft_node *above = &draft->nodes[parent];
    if (above->last == ORR_NO_ELEMENT)
        above->first = index;
    else
        draft->nodes[above->last].next = index;
    above->last = index;
    return index;
}

void orr_draft_order_pci(struct orr_draft *draft, uint32_t node)
{
    if (draft->nodes[node].parent == ORR_NO_ELEMENT) /* what could not be added */
        return;
    struct orr_draft_node *above = &draft->nodes[draft->nodes[node].parent];
    const char *bus = orr_draft_get(draft, node, ORR_ATTR_BUSID);
    uint32_t *at = &above->first, before = ORR_NO_ELEMENT;
    while (*at != node && strcmp(orr_draft_get(draft, *at, ORR_ATTR_BUSID), bus) <= 0) {
        before = *at;
        at = &draft->nodes[*at].next;
    }
    if (*at == node)
        return;
    uint32_t behind = *at, last = behind; /* the node is last: the one before it becomes last */
    while (draft->nodes[last].next != node)
        last = draft->nodes[last].next;
    draft->nodes[last].next = ORR_NO_ELEMENT;
    above->last = last;
    draft->nodes[node].next = behind;
    if (before == ORR_NO_ELEMENT)
        above->first = node;
    else
        draft->nodes[before].next = node;
}

static const char *format_in(struct orr_draft *draft, const char *format, va_list args)
{
    const char *text = orr_arena_vprintf(draft->arena, SIZE_MAX, format, args);
    return text ? text : "";
}

const char *orr_draft_format(struct orr_draft *draft, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = format_in(draft, format, args);
    va_end(args);
    return text;
}

static void put(struct orr_draft *draft, uint32_t node, enum orr_attr id, const char *name, const char *value,
                bool assumed)
{
    struct orr_draft_attr **at = &draft->nodes[node].attributes;
    while (*at && ((*at)->id != id || (id == ORR_ATTR_OTHER && strcmp((*at)->name, name) != 0)))
        at = &(*at)->next;
    if (!*at && !(*at = ORR_NEW(draft->arena, struct orr_draft_attr, 1)))
        return;
    (*at)->id = id;
    (*at)->name = name;
    (*at)->value = value;
    (*at)->assumed = assumed;
}

void orr_draft_set(struct orr_draft *draft, uint32_t node, enum orr_attr attr, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put(draft, node, attr, orr_attr_name(attr), format_in(draft, format, args), false);
    va_end(args);
}

void orr_draft_suppose(struct orr_draft *draft, uint32_t node, enum orr_attr attr, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put(draft, node, attr, orr_attr_name(attr), format_in(draft, format, args), true);
    va_end(args);
}

const struct orr_draft_attr *orr_draft_attr(const struct orr_draft *draft, uint32_t node, enum orr_attr attr)
{
    const struct orr_draft_attr *at = draft->nodes[node].attributes;
    while (at && at->id != attr)
        at = at->next;
    return at;
}

const char *orr_draft_get(const struct orr_draft *draft, uint32_t node, enum orr_attr attr)
{
    const struct orr_draft_attr *found = orr_draft_attr(draft, node, attr);
    return found ? found->value : "";
}

uint32_t orr_draft_child(const struct orr_draft *draft, uint32_t node, enum orr_element_kind kind)
{
    uint32_t child = draft->nodes[node].first;
    while (child != ORR_NO_ELEMENT && (draft->nodes[child].removed || draft->nodes[child].kind != kind))
        child = draft->nodes[child].next;
    return child;
}

void orr_draft_remove(struct orr_draft *draft, uint32_t node)
{
    draft->nodes[node].removed = true;
}

void orr_draft_drop_attr(struct orr_draft *draft, uint32_t node, enum orr_attr attr)
{
    struct orr_draft_attr **at = &draft->nodes[node].attributes;
    while (*at && (*at)->id != attr)
        at = &(*at)->next;
    if (*at)
        *at = (*at)->next;
}

/* An element becomes node `index` again, as a draft numbers in the order of adding: parents come first. */
void orr_draft_copy(struct orr_draft *draft, const struct orr_dump *dump)
{
    draft->nodes[0].attributes = NULL;
    for (uint32_t i = 0; i < dump->element_count && !orr_arena_starved(draft->arena) && !draft->too_many; i++) {
        const struct orr_element *element = &dump->elements[i];
        uint32_t node = i ? orr_draft_add(draft, element->parent, element->kind) : 0;
        if (i && !node)
            return;
        draft->nodes[node].line = element->line;
        draft->nodes[node].column = element->column;
        struct orr_draft_attr **end = &draft->nodes[node].attributes;
        for (uint32_t a = 0; a < element->attribute_count; a++) {
            const struct orr_attribute *attribute = &dump->attributes[element->first_attribute + a];
            struct orr_draft_attr *copy = ORR_NEW(draft->arena, struct orr_draft_attr, 1);
            if (!copy)
                return;
            copy->id = attribute->id;
            copy->name = attribute->id < ORR_ATTR_OTHER ? orr_attr_name(attribute->id)
                                                        : orr_draft_format(draft, "%s", attribute->name);
            copy->value = orr_arena_strndup(draft->arena, attribute->value, strlen(attribute->value));
            *end = copy;
            end = &copy->next;
        }
    }
}

void orr_note_recognised(struct orr_draft *draft, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    draft->notes.recognised = format_in(draft, format, args);
    va_end(args);
}

void orr_note_assumed(struct orr_draft *draft, unsigned touches, const char *format, ...)
{
    if (draft->notes.assumed_count == ORR_MAX_NOTES)
        return;
    va_list args;
    va_start(args, format);
    const char *what = format_in(draft, format, args);
    va_end(args);
    draft->assumed[draft->notes.assumed_count++] = (struct orr_assumed){
        .what = what, .sentence = orr_draft_format(draft, "Assumed about the input: %s.", what), .touches = touches};
}

void orr_note_missing(struct orr_draft *draft, const char *command, const char *format, ...)
{
    if (draft->notes.missing_count == ORR_MAX_NOTES)
        return;
    va_list args;
    va_start(args, format);
    draft->missing[draft->notes.missing_count++] =
        (struct orr_missing){.what = format_in(draft, format, args), .command = command};
    va_end(args);
}

const char *orr_cpu_list_mask(struct orr_draft *draft, const char *list)
{
    enum { MOST = 4096, WORD = 32, WORDS = MOST / WORD, WORD_TEXT = 9 };
    uint32_t words[WORDS] = {0};
    int highest = -1;
    while (*list) {
        char *end;
        unsigned long first = strtoul(list, &end, 10), last = first;
        if (end == list)
            return "";
        if (*end == '-') {
            list = end + 1;
            last = strtoul(list, &end, 10);
            if (end == list)
                return "";
        }
        if (first > last || last >= MOST)
            return "";
        for (unsigned long cpu = first; cpu <= last; cpu++)
            words[cpu / WORD] |= 1u << cpu % WORD;
        highest = (int)(last / WORD) > highest ? (int)(last / WORD) : highest;
        if (*end && *end != ',')
            return "";
        list = end + (*end == ',');
    }
    char text[WORDS * WORD_TEXT + 1] = "";
    size_t used = 0;
    for (int i = highest; i >= 0; i--)
        used += (size_t)snprintf(text + used, sizeof text - used, "%08x%s", words[i], i ? "," : "");
    return highest < 0 ? "" : orr_draft_format(draft, "%s", text);
}
