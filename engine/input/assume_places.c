/* SPDX-License-Identifier: Apache-2.0 */
/* Hand-written files of providers may lack classes, widths and even the places of devices, because NCCL finds these on
 * the machine. Before a machine type fills in devices, this file decides by counting which place is for which
 * device. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/sorting.h"
#include "engine/input/draft.h"
#include "engine/machines/machine_types.h"

static bool is_pci(const struct orr_doc_node *node)
{
    return node->kind == ORR_ELEMENT_PCI;
}

static bool is_leaf(const struct orr_doc_node *node)
{
    return !node->first;
}

static bool has_class(const struct orr_doc_node *node)
{
    return *orr_doc_word(node, ORR_ATTR_CLASS) != 0;
}

static bool is_gpu_place(const struct orr_doc_node *node)
{
    const char *class = orr_doc_word(node, ORR_ATTR_CLASS);
    return orr_doc_child(node, ORR_ELEMENT_GPU) ||
           (class[0] == '0' && class[1] == 'x' && class[2] == '0' && class[3] == '3');
}

/* A switch right above devices. */
static bool is_last_switch(const struct orr_doc_node *node)
{
    bool any = false;
    if (!is_pci(node))
        return false;
    for (struct orr_doc_node *child = node->first; child; child = child->after) {
        any |= is_pci(child);
        if (is_pci(child) && orr_doc_child(child, ORR_ELEMENT_PCI))
            return false;
    }
    return any;
}

static bool is_open(const struct orr_doc_node *node)
{
    return is_pci(node) && is_leaf(node) && !has_class(node);
}

struct place {
    const char *bus;
    struct orr_doc_node *node;
    uint32_t index; /* in document order */
};

ORR_COMPARATOR(by_bus, struct place, strcmp(a->bus, b->bus), ORR_ORDER(a->index, b->index))

/* Decides the kind of devices without a class: the kind of which the type has this many. If the type's GPUs and NICs
 * together are this many, those with the higher bus ids are the GPUs, as clouds number them. */
static void classify(struct orr_draft *draft, const struct orr_machine_type *type)
{
    struct place *open = ORR_NEW(draft->doc.arena, struct place, draft->doc.count);
    uint32_t count = 0, gpus = 0, nics;
    for (struct orr_doc_node *i = draft->doc.system; open && i; i = orr_doc_next(i, draft->doc.system)) {
        gpus += is_pci(i) && is_gpu_place(i);
        if (is_open(i)) {
            open[count] = (struct place){orr_doc_word(i, ORR_ATTR_BUSID), i, count};
            count++;
        } else if (is_pci(i) && !has_class(i) && orr_doc_child(i, ORR_ELEMENT_PCI))
            orr_doc_suppose(&draft->doc, i, ORR_ATTR_CLASS, "0x060400");
    }
    if (!count)
        return;
    nics = count;
    if (!gpus && (count == type->gpus || count == type->gpus + type->nets))
        nics = count - type->gpus;
    qsort(open, count, sizeof *open, by_bus);
    for (uint32_t i = 0; i < count; i++)
        orr_doc_suppose(&draft->doc, open[i].node, ORR_ATTR_CLASS, i < nics ? "0x020000" : "0x030200");
    orr_note_assumed(draft, ORR_TOUCHES_ALL,
                     "of %u PCI devices without a class %u are assumed to be NICs and %u to be GPUs, by their number",
                     count, nics, count - nics);
}

/* If a file has no place for GPUs, spreads them over its switches, provided that the number of GPUs is a multiple of
 * that of the switches. */
static void place_gpus(struct orr_draft *draft, const struct orr_machine_type *type)
{
    uint32_t switches = 0, gpus = 0, number = 0;
    for (struct orr_doc_node *node = draft->doc.system; node; node = orr_doc_next(node, draft->doc.system)) {
        gpus += is_pci(node) && is_gpu_place(node);
        switches += is_last_switch(node);
    }
    if (gpus || !switches || type->gpus % switches)
        return;
    for (struct orr_doc_node *node = draft->doc.system; node; node = orr_doc_next(node, draft->doc.system))
        for (uint32_t k = 0; is_last_switch(node) && k < type->gpus / switches; k++) {
            struct orr_doc_node *pci = orr_doc_add(&draft->doc, node, ORR_ELEMENT_PCI, NULL);
            pci->line = node->line;
            pci->column = node->column;
            orr_doc_suppose(&draft->doc, pci, ORR_ATTR_BUSID, "fffe:%02x:00.0", ++number);
            orr_doc_suppose(&draft->doc, pci, ORR_ATTR_CLASS, "0x030200");
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
    for (struct orr_doc_node *node = draft->doc.system; node; node = orr_doc_next(node, draft->doc.system)) {
        if (node->kind == ORR_ELEMENT_CPU && !*orr_doc_word(node, ORR_ATTR_NUMAID))
            orr_doc_suppose(&draft->doc, node, ORR_ATTR_NUMAID, "%u", cpus);
        cpus += node->kind == ORR_ELEMENT_CPU;
        if (is_pci(node) && !*orr_doc_word(node, ORR_ATTR_LINK_SPEED))
            orr_doc_suppose(&draft->doc, node, ORR_ATTR_LINK_SPEED, "%s", type->board->link_speed);
        if (is_pci(node) && !*orr_doc_word(node, ORR_ATTR_LINK_WIDTH))
            orr_doc_suppose(&draft->doc, node, ORR_ATTR_LINK_WIDTH, "16");
    }
}
