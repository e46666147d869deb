/* SPDX-License-Identifier: Apache-2.0 */
/* NICs of an hwloc export, as NCCL finds them: RDMA devices in the order of their names, those on one PCI bus as ports
 * of one card; network interfaces only if there is no RDMA device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sorting.h"
#include "engine/input/hwloc_builder.h"
#include "engine/input/names.h"

enum { MOST_PORTS = 4 };

/* A software device that represents a NIC. */
struct interface {
    const struct orr_hwloc_object *object;
    uint32_t pci; /* the PCIDev that it is in */
    uint32_t index;
};

/* Types of an OSDev: numbers in versions 1 and 2, a mask in version 3. */
static bool has_type(const struct orr_hwloc *hwloc, const struct orr_hwloc_object *object, long number, long bit)
{
    long type = strtol(object->osdev_type, NULL, 10);
    return object->kind == ORR_HWLOC_OS && (hwloc->version_3 ? (type & bit) != 0 : type == number);
}

bool orr_hwloc_is_rdma(const struct orr_hwloc *hwloc, const struct orr_hwloc_object *object)
{
    return has_type(hwloc, object, 3, 32);
}

static bool is_network(const struct orr_hwloc *hwloc, const struct orr_hwloc_object *object)
{
    return has_type(hwloc, object, 2, 16);
}

/* mlx5_2 before mlx5_10: runs of digits compare as numbers. */
ORR_COMPARATOR(by_name, struct interface, orr_order_naturally(a->object->name, b->object->name),
               ORR_ORDER(a->index, b->index))

/* NCCL's number of a GUID: its bytes in reverse order. */
static void set_guid(struct orr_draft *draft, struct orr_doc_node *net, const struct orr_hwloc_object *object)
{
    unsigned words[4];
    uint64_t guid = 0;
    const char *text = orr_hwloc_info(object, "SysImageGUID");
    text = *text ? text : orr_hwloc_info(object, "NodeGUID");
    if (sscanf(text, "%4x:%4x:%4x:%4x", &words[0], &words[1], &words[2], &words[3]) != 4)
        return;
    for (int i = 3; i >= 0; i--)
        guid = guid << 16 | (words[i] & 0xffu) << 8 | words[i] >> 8;
    orr_doc_set(&draft->doc, net, ORR_ATTR_GUID, "0x%llx", (unsigned long long)guid);
}

/* Whether a port is active; if the export shows none, the first one is. */
static bool is_active(const struct orr_hwloc_object *object, int port, bool *ret_told)
{
    bool told = false, active = false;
    for (int i = 1; i <= MOST_PORTS; i++) {
        char name[24];
        snprintf(name, sizeof name, "Port%dState", i);
        const char *state = orr_hwloc_info(object, name);
        told |= *state != 0;
        active |= i == port && !strcmp(state, "4");
    }
    *ret_told = told;
    return told ? active : port == 1;
}

/* The PCIDev that represents a card: function 0 of device 0 on the same bus, if the export has it. */
static uint32_t card_of(const struct orr_hwloc_builder *b, uint32_t pci)
{
    char own[ORR_BUS_ID_SIZE], other[ORR_BUS_ID_SIZE];
    if (!b->has_rdma || !orr_bus_id_short(b->hwloc->objects[pci].busid, own))
        return pci;
    size_t bus = strlen(own) - strlen("00.0");
    memcpy(own + bus, "00.0", sizeof "00.0");
    for (uint32_t i = 0; i < b->nic_count; i++)
        if (orr_bus_id_short(b->hwloc->objects[b->nics[i].object].busid, other) && !strcmp(own, other))
            return b->nics[i].object;
    return pci;
}

static struct orr_doc_node *add_below(struct orr_draft *draft, struct orr_doc_node *parent, enum orr_element_kind kind,
                                      uint32_t line)
{
    struct orr_doc_node *node = orr_doc_add(&draft->doc, parent, kind, NULL);
    node->line = line;
    return node;
}

static void add_interface(struct orr_hwloc_builder *b, const struct interface *interface)
{
    const struct orr_hwloc_object *object = interface->object;
    struct orr_draft *draft = b->draft;
    uint32_t card = card_of(b, interface->pci);
    bool any = false, told;
    for (int port = 1; port <= MOST_PORTS; port++) {
        if (!is_active(object, port, &told))
            continue;
        struct orr_doc_node *pci = orr_hwloc_pci_of(b, card);
        uint32_t on_card = 0;
        struct orr_doc_node *nic = orr_doc_child(pci, ORR_ELEMENT_NIC);
        if (!nic)
            nic = add_below(draft, pci, ORR_ELEMENT_NIC, object->line);
        for (struct orr_doc_node *net = nic->first; net; net = net->after)
            on_card++;
        struct orr_doc_node *net = add_below(draft, nic, ORR_ELEMENT_NET, object->line);
        orr_draft_net(draft, net, object->name, b->net_count++);
        set_guid(draft, net, object);
        if (told)
            orr_doc_set(&draft->doc, net, ORR_ATTR_PORT, "%u", (unsigned)port + on_card);
        any = true;
    }
    b->dropped += !any;
}

void orr_hwloc_add_nics(struct orr_hwloc_builder *b)
{
    const struct orr_hwloc *hwloc = b->hwloc;
    struct interface *interfaces = ORR_NEW(b->draft->doc.arena, struct interface, ORR_HWLOC_MOST_DEVICES);
    uint32_t count = 0;
    if (!interfaces)
        return;
    for (uint32_t i = 0; i < hwloc->count && count < ORR_HWLOC_MOST_DEVICES; i++) {
        const struct orr_hwloc_object *object = &hwloc->objects[i];
        if (!(b->has_rdma ? orr_hwloc_is_rdma(hwloc, object) : is_network(hwloc, object)))
            continue;
        for (uint32_t nic = 0; nic < b->nic_count; nic++)
            if (b->nics[nic].object == object->parent)
                interfaces[count++] = (struct interface){.object = object, .pci = object->parent, .index = i};
    }
    if (b->has_rdma)
        qsort(interfaces, count, sizeof *interfaces, by_name);
    for (uint32_t i = 0; i < count; i++)
        add_interface(b, &interfaces[i]);
}
