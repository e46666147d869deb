/* SPDX-License-Identifier: Apache-2.0 */
/* Names, look-ups and the invariants of a system. */
#include "engine/topology/system.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/release/release.h"
#include "engine/topology/pci.h"

static const char *const node_names[ORR_NODE_TYPE_COUNT] = {"GPU", "PCI", "NVS", "CPU", "NIC",
                                                            "NET", "GIN", "RMA", "DEV", "CXB"};
static const char *const link_names[ORR_LINK_TYPE_COUNT] = {"LOC", "NVL", "C2C", "PCI", "SYS", "NET"};

const char *orr_node_type_name(enum orr_node_type type)
{
    return node_names[type];
}

enum orr_link_kind orr_link_kind(enum orr_link_type type, enum orr_node_type from, enum orr_node_type to)
{
    if (from == ORR_NET || from == ORR_NIC || to == ORR_NET || to == ORR_NIC)
        return ORR_LINKS_NICS;
    return type == ORR_LINK_NVL                           ? ORR_LINKS_NVLINK
           : type == ORR_LINK_SYS || type == ORR_LINK_C2C ? ORR_LINKS_CPU
                                                          : ORR_LINKS_PCIE;
}

const char *orr_link_type_name(enum orr_link_type type)
{
    return link_names[type];
}

bool orr_node_type_in(enum orr_node_type type, const struct orr_release *release)
{
    switch (type) {
    case ORR_GIN:
        return release->has_gin;
    case ORR_RMA:
        return release->has_rma;
    case ORR_DEV:
        return release->has_devs;
    case ORR_CXB:
        return release->has_partitions;
    default:
        return true;
    }
}

char *orr_node_id_format(enum orr_node_type type, int64_t id, char buffer[ORR_NODE_ID_SIZE])
{
    snprintf(buffer, ORR_NODE_ID_SIZE, "%s/%" PRIx32 "-%" PRIx64, node_names[type], orr_id_system(id),
             orr_id_local(id));
    return buffer;
}

char *orr_system_node_id(const struct orr_system *system, uint32_t node, char buffer[ORR_NODE_ID_SIZE])
{
    const struct orr_node *n = &system->nodes[node];
    if (n->id >= 0)
        return orr_node_id_format(n->type, n->id, buffer);
    if (system->release->id_layout == ORR_ID_PLAIN) /* no system ids */
        snprintf(buffer, ORR_NODE_ID_SIZE, "%s/0-%" PRIx64, node_names[n->type], (uint64_t)n->id);
    else /* the borrow of a negative NUMA id makes the system id negative */
        snprintf(buffer, ORR_NODE_ID_SIZE, "%s/%" PRIx64 "-%" PRIx64, node_names[n->type], (uint64_t)(n->id >> 56),
                 orr_id_local(n->id));
    return buffer;
}

static uint32_t find_in_type(const struct orr_system *system, enum orr_node_type type, int64_t id)
{
    for (uint32_t n = system->first[type]; n < system->first[type + 1]; n++)
        if (system->nodes[n].id == id)
            return n;
    return ORR_NO_NODE;
}

uint32_t orr_net_of_id(const struct orr_system *system, int64_t id)
{
    return find_in_type(system, ORR_NET, id);
}

uint32_t orr_gpu_of_rank(const struct orr_system *system, int32_t rank)
{
    for (uint32_t n = system->first[ORR_GPU]; n < system->first[ORR_GPU + 1]; n++)
        if (system->nodes[n].gpu.rank == rank)
            return n;
    return ORR_NO_NODE;
}

static uint32_t find_rank(const struct orr_system *system, const char *text)
{
    char *end;
    long rank = strtol(text, &end, 10);
    return end == text || *end || rank != (int32_t)rank ? ORR_NO_NODE : orr_gpu_of_rank(system, (int32_t)rank);
}

static uint32_t find_by_text(const struct orr_system *system, enum orr_node_type type, const char *text)
{
    char id[ORR_NODE_ID_SIZE];
    for (uint32_t n = system->first[type]; n < system->first[type + 1]; n++)
        if (!strcmp(orr_system_node_id(system, n, id), text))
            return n;
    return ORR_NO_NODE;
}

uint32_t orr_system_find(const struct orr_system *system, const char *text)
{
    static const enum orr_node_type with_bus_id[] = {ORR_GPU, ORR_NIC, ORR_PCI};
    if (!strncmp(text, "rank:", 5))
        return find_rank(system, text + 5);
    for (int type = 0; type < ORR_NODE_TYPE_COUNT; type++) {
        size_t length = strlen(node_names[type]);
        if (!strncmp(text, node_names[type], length) && text[length] == '/')
            return find_by_text(system, (enum orr_node_type)type, text);
    }
    if (!strchr(text, ':'))
        return ORR_NO_NODE;
    for (unsigned i = 0; i < sizeof with_bus_id / sizeof with_bus_id[0]; i++) {
        uint32_t node = find_in_type(system, with_bus_id[i], (int64_t)orr_bus_id_parse(text));
        if (node != ORR_NO_NODE)
            return node;
    }
    return ORR_NO_NODE;
}

static bool violated(struct orr_error *err, const char *invariant, const char *what, uint32_t which)
{
    orr_fail(err, ORR_INTERNAL, "the system graph breaks its invariant \"%s\" at %s %u", invariant, what, which);
    orr_error_advice(err, "please report this with the input: it is a defect in Orrery");
    return false;
}

static bool check_nodes(const struct orr_system *system, struct orr_error *err)
{
    uint32_t next_link = 0;
    if (system->first[0] != 0 || system->first[ORR_NODE_TYPE_COUNT] != system->node_count)
        return violated(err, "types-cover-nodes", "node", system->node_count);
    for (int type = 0; type < ORR_NODE_TYPE_COUNT; type++)
        for (uint32_t n = system->first[type]; n < system->first[type + 1]; n++) {
            const struct orr_node *node = &system->nodes[n];
            if (n >= system->node_count || node->type != (enum orr_node_type)type)
                return violated(err, "nodes-by-type", "node", n);
            if (node->first_link != next_link)
                return violated(err, "link-spans-adjoin", "node", n);
            next_link += node->link_count;
        }
    return next_link == system->link_count || violated(err, "spans-cover-links", "link", next_link);
}

bool orr_system_check(const struct orr_system *system, struct orr_error *err)
{
    if (!check_nodes(system, err))
        return false;
    for (uint32_t l = 0; l < system->link_count; l++) {
        const struct orr_link *link = &system->links[l];
        if (link->from >= system->node_count || link->to >= system->node_count)
            return violated(err, "link-ends-exist", "link", l);
        const struct orr_node *from = &system->nodes[link->from];
        if (l < from->first_link || l - from->first_link >= from->link_count)
            return violated(err, "links-at-their-node", "link", l);
        if (link->reverse == ORR_NO_LINK)
            continue;
        if (link->reverse >= system->link_count || system->links[link->reverse].to != link->from ||
            system->links[link->reverse].from != link->to)
            return violated(err, "reverse-leads-back", "link", l);
    }
    return true;
}

enum orr_code orr_system_verify(const struct orr_system *system, struct orr_error *err)
{
#ifdef ORR_CHECK_ALWAYS
    const bool wanted = true;
#else
    const struct orr_budget *budget = orr_budget_in_force();
    const bool wanted = budget && budget->check_systems;
#endif
    return !wanted || orr_system_check(system, err) ? ORR_OK : ORR_INTERNAL;
}

/* Orrery writes the whole dump of a machine type, but the type's facts are known; only the bus ids are invented. */
static bool is_machine_type(const struct orr_dump *dump)
{
    return dump && dump->notes && !strcmp(dump->notes->kind, "machine-type");
}

/* Whether the value was assumed in the element, or in the first one around it that has the attribute. */
static bool is_supposed(const struct orr_dump *dump, uint32_t at, enum orr_attr attr)
{
    for (; dump && at != ORR_NO_ELEMENT; at = dump->elements[at].parent) {
        const struct orr_element *element = &dump->elements[at];
        for (uint32_t i = 0; i < element->attribute_count; i++)
            if (dump->attributes[element->first_attribute + i].id == attr)
                return dump->attributes[element->first_attribute + i].origin == ORR_VALUE_ASSUMED;
    }
    return false;
}

bool orr_node_supposed(const struct orr_system *system, uint32_t node, enum orr_attr attr)
{
    return !is_machine_type(system->dump) && is_supposed(system->dump, system->nodes[node].element, attr);
}

bool orr_bus_id_made_up(const struct orr_dump *dump, uint32_t element)
{
    return is_machine_type(dump) || is_supposed(dump, element, ORR_ATTR_BUSID);
}

bool orr_node_id_made_up(const struct orr_system *system, uint32_t node)
{
    enum orr_node_type type = system->nodes[node].type;
    return (type == ORR_GPU || type == ORR_PCI || type == ORR_NIC || type == ORR_DEV) &&
           orr_bus_id_made_up(system->dump, system->nodes[node].element);
}
