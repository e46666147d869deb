/* Files that a provider made by hand may lack classes, widths and whole places of devices, since NCCL finds them on the
 * machine. Before a machine type fills devices in, what the file leaves open is settled by counting. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/sorting.h"
#include "engine/input/draft.h"
#include "engine/machines/machine_types.h"

static bool is_pci(const struct orr_draft *draft, uint32_t node)
{
    return draft->nodes[node].kind == ORR_ELEMENT_PCI && !draft->nodes[node].removed;
}

static bool is_leaf(const struct orr_draft *draft, uint32_t node)
{
    return draft->nodes[node].first == ORR_NO_ELEMENT;
}

static bool has_class(const struct orr_draft *draft, uint32_t node)
{
    return *orr_draft_get(draft, node, ORR_ATTR_CLASS) != 0;
}

static bool is_gpu_place(const struct orr_draft *draft, uint32_t node)
{
    const char *class = orr_draft_get(draft, node, ORR_ATTR_CLASS);
    return orr_draft_child(draft, node, ORR_ELEMENT_GPU) != ORR_NO_ELEMENT ||
           (class[0] == '0' && class[1] == 'x' && class[2] == '0' && class[3] == '3');
}

/* A switch right above devices. */
static bool is_last_switch(const struct orr_draft *draft, uint32_t node)
{
    bool any = false;
    if (!is_pci(draft, node))
        return false;
    for (uint32_t child = draft->nodes[node].first; child != ORR_NO_ELEMENT; child = draft->nodes[child].next) {
        any |= is_pci(draft, child);
        if (is_pci(draft, child) && orr_draft_child(draft, child, ORR_ELEMENT_PCI) != ORR_NO_ELEMENT)
            return false;
    }
    return any;
}

static bool is_open(const struct orr_draft *draft, uint32_t node)
{
    return is_pci(draft, node) && is_leaf(draft, node) && !has_class(draft, node);
}

struct place {
    const char *bus;
    uint32_t node;
};

static int by_bus(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    ORR_BY(strcmp(a->bus, b->bus));
    return ORR_ORDER(a->node, b->node);
}

/* Devices without a class are what the type has as many of; where both together are as many, GPUs are those with the
 * higher bus ids, as clouds number them. */
static void classify(struct orr_draft *draft, const struct orr_machine_type *type)
{
    struct place *open = ORR_NEW(draft->arena, struct place, draft->count);
    uint32_t count = 0, gpus = 0, nics;
    for (uint32_t i = 1; open && i < draft->count; i++) {
        gpus += is_pci(draft, i) && is_gpu_place(draft, i);
        if (is_open(draft, i))
            open[count++] = (struct place){orr_draft_get(draft, i, ORR_ATTR_BUSID), i};
        else if (is_pci(draft, i) && !has_class(draft, i) &&
                 orr_draft_child(draft, i, ORR_ELEMENT_PCI) != ORR_NO_ELEMENT)
            orr_draft_suppose(draft, i, ORR_ATTR_CLASS, "0x060400");
    }
    if (!count)
        return;
    nics = gpus ? count : count == type->gpus ? 0 : count == type->gpus + type->nets ? type->nets : count;
    qsort(open, count, sizeof *open, by_bus);
    for (uint32_t i = 0; i < count; i++)
        orr_draft_suppose(draft, open[i].node, ORR_ATTR_CLASS, i < nics ? "0x020000" : "0x030200");
    orr_note_assumed(draft, ORR_TOUCHES_ALL,
                     "of %u PCI devices without a class %u are taken for NICs and %u for GPUs, by their number", count,
                     nics, count - nics);
}

/* A file without any place for GPUs gets them spread over its switches, where their number goes into that of the GPUs.
 */
static void place_gpus(struct orr_draft *draft, const struct orr_machine_type *type)
{
    uint32_t switches = 0, gpus = 0, number = 0;
    for (uint32_t i = 1; i < draft->count; i++) {
        gpus += is_pci(draft, i) && is_gpu_place(draft, i);
        switches += is_last_switch(draft, i);
    }
    if (gpus || !switches || type->gpus % switches)
        return;
    for (uint32_t i = 1, end = draft->count; i < end; i++)
        for (uint32_t k = 0; is_last_switch(draft, i) && k < type->gpus / switches; k++) {
            uint32_t pci = orr_draft_add(draft, i, ORR_ELEMENT_PCI);
            draft->nodes[pci].line = draft->nodes[i].line;
            draft->nodes[pci].column = draft->nodes[i].column;
            orr_draft_suppose(draft, pci, ORR_ATTR_BUSID, "fffe:%02x:00.0", ++number);
            orr_draft_suppose(draft, pci, ORR_ATTR_CLASS, "0x030200");
        }
    orr_note_assumed(draft, ORR_TOUCHES_ALL,
                     "the file has no places for GPUs: %u are placed below each of its %u switches",
                     type->gpus / switches, switches);
}

void orr_draft_find_places(struct orr_draft *draft, const struct orr_machine_type *type)
{
    uint32_t cpus = 0;
    classify(draft, type);
    place_gpus(draft, type);
    for (uint32_t i = 1; i < draft->count; i++) {
        if (draft->nodes[i].kind == ORR_ELEMENT_CPU && !*orr_draft_get(draft, i, ORR_ATTR_NUMAID))
            orr_draft_suppose(draft, i, ORR_ATTR_NUMAID, "%u", cpus);
        cpus += draft->nodes[i].kind == ORR_ELEMENT_CPU;
        if (is_pci(draft, i) && !*orr_draft_get(draft, i, ORR_ATTR_LINK_SPEED))
            orr_draft_suppose(draft, i, ORR_ATTR_LINK_SPEED, "%s", type->board->link_speed);
        if (is_pci(draft, i) && !*orr_draft_get(draft, i, ORR_ATTR_LINK_WIDTH))
            orr_draft_suppose(draft, i, ORR_ATTR_LINK_WIDTH, "16");
    }
}
