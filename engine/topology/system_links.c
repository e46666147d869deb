/* SPDX-License-Identifier: Apache-2.0 */
/* The links outside the PCI tree: NVLink, C2C, PCI peer links, and links between CPUs; then the final order of all
 * links. Rules: docs/nccl/graph.md, "NVLink bandwidth per link", "C2C bandwidth", "Links between CPUs", "Order of
 * links". */
#include <string.h>

#include "engine/release/release.h"
#include "engine/topology/pci.h"
#include "engine/topology/system_builder.h"

/* The node of a type with the bus id of the nearest enclosing element that has one. */
static uint32_t owner_of(const struct orr_builder *b, uint32_t element, enum orr_node_type type)
{
    const struct orr_dump *dump = b->dump;
    const char *bus_id = NULL;
    uint32_t system = b->element_system[element];
    for (uint32_t e = dump->elements[element].parent; e != ORR_NO_ELEMENT && !bus_id; e = dump->elements[e].parent)
        bus_id = orr_element_text(dump, e, ORR_ATTR_BUSID);
    return bus_id ? orr_builder_find(b, type, orr_builder_id(b, system, orr_bus_id_parse(bus_id))) : ORR_NO_NODE;
}

enum { MAX_ASCENT = 256, MAX_VISITS = 1 << 20 }; /* more than the tree of any file can have */

/* Goes up by PCI links from a node to its CPU, depth first in link order. Older releases also follow the link that they
 * came by, so they never end if the first link does not lead up; then *ret_endless is set. `depth` limits both. */
static uint32_t cpu_above(const struct orr_builder *b, uint32_t node, uint32_t from, unsigned depth, bool *ret_endless)
{
    const struct orr_growing_node *n = &b->nodes[node];
    enum orr_ascent ascent = b->release->ascent;
    if (!depth)
        *ret_endless = ascent != ORR_ASCENT_ONWARD;
    for (uint32_t i = 0; depth && i < n->count; i++) {
        uint32_t to = n->links[i].to;
        if (n->links[i].type != ORR_LINK_PCI || (to == from && ascent == ORR_ASCENT_ONWARD))
            continue;
        if (b->nodes[to].node.type == ORR_CPU)
            return to;
        if (b->nodes[to].node.type != ORR_PCI && ascent != ORR_ASCENT_ANY)
            continue;
        uint32_t cpu = cpu_above(b, to, node, depth - 1, ret_endless);
        if (cpu != ORR_NO_NODE || *ret_endless)
            return cpu;
    }
    return ORR_NO_NODE;
}

static enum orr_code find_cpu(const struct orr_builder *b, uint32_t element, uint32_t gpu, uint32_t *ret_cpu)
{
    bool endless = false;
    *ret_cpu = cpu_above(b, gpu, ORR_NO_NODE, MAX_ASCENT, &endless);
    if (endless)
        return orr_fail_element(b->dump, element, b->err, ORR_INVALID,
                                "NCCL %s loops forever on a link to the CPU from a GPU below a switch",
                                b->release->name);
    return ORR_OK;
}

/* The nodes that carry the links of the GPU around an element: itself, or its devices. Returns how many. */
static uint32_t carriers_of(const struct orr_builder *b, uint32_t element, uint32_t ret_nodes[2])
{
    if (!b->release->has_devs) {
        ret_nodes[0] = owner_of(b, element, ORR_GPU);
        return ret_nodes[0] != ORR_NO_NODE;
    }
    const struct orr_dump *dump = b->dump;
    uint32_t gpu = dump->elements[element].parent, pci = dump->elements[gpu].parent;
    const char *bus_id = orr_element_text(dump, pci, ORR_ATTR_BUSID);
    if (!bus_id || !orr_element_text(dump, gpu, ORR_ATTR_RANK))
        return 0;
    int32_t partition = orr_builder_partition_of(b, gpu);
    for (uint32_t c = dump->elements[pci].first_child; c != gpu; c = dump->elements[c].next_sibling)
        if (dump->elements[c].kind == ORR_ELEMENT_GPU && orr_builder_partition_of(b, c) == partition)
            return 0; /* several ranks on one device: NCCL uses the elements of the first one */
    uint64_t local = orr_bus_id_parse(bus_id) | (partition < 0 ? 0 : (uint64_t)((2 * partition + 1) & 3));
    ret_nodes[0] = orr_builder_find(b, ORR_DEV, orr_builder_id(b, b->element_system[element], local));
    return ret_nodes[0] != ORR_NO_NODE;
}

static enum orr_code link_to_switch(struct orr_builder *b, uint32_t gpu, float bw)
{
    uint32_t nvs = b->type_count[ORR_NVS] ? b->of_type[ORR_NVS][0] : ORR_NO_NODE;
    if (nvs == ORR_NO_NODE)
        ORR_TRY(orr_builder_add(b, ORR_NVS, 0, ORR_NO_ELEMENT, &nvs));
    return orr_builder_link_both(b, gpu, nvs, ORR_LINK_NVL, bw);
}

/* With devices: a link to a partitioned GPU is shared out to its partitions, at both ends. */
static enum orr_code add_device_nvlink(struct orr_builder *b, uint32_t element, uint32_t dev, float bw)
{
    const struct orr_dump *dump = b->dump;
    const char *class_text, *target;
    uint32_t near[2], far[2], system = b->element_system[element];
    uint64_t own = orr_id_local(b->nodes[dev].node.id);
    uint32_t near_count =
        orr_builder_partitions(b, system, b->nodes[dev].node.gpu.mlopart < 0 ? own : own & ~(uint64_t)3, near);
    ORR_TRY(orr_element_need_text(dump, element, ORR_ATTR_TCLASS, &class_text, b->err));
    switch (orr_pci_class_parse(class_text)) {
    case ORR_CLASS_GPU:
        ORR_TRY(orr_element_need_text(dump, element, ORR_ATTR_TARGET, &target, b->err));
        uint32_t count = orr_builder_partitions(b, system, orr_bus_id_parse(target), far);
        for (uint32_t i = 0; i < count; i++)
            ORR_TRY(orr_builder_link(b, dev, far[i], ORR_LINK_NVL, bw / (float)count / (float)near_count));
        return ORR_OK;
    case ORR_CLASS_CPU: {
        uint32_t cpu = ORR_NO_NODE;
        ORR_TRY(find_cpu(b, element, dev, &cpu));
        return cpu == ORR_NO_NODE ? ORR_OK : orr_builder_link_both(b, dev, cpu, ORR_LINK_NVL, bw / (float)near_count);
    }
    default:
        return link_to_switch(b, dev, bw / (float)near_count);
    }
}

/* An NVLink whose own GPU has no node. NCCL leaves out a GPU without a rank. It treats a <pci> with a <nic> as a NIC
 * card and does not look at the GPUs below it, and then fails on their NVLinks. */
static enum orr_code without_gpu(const struct orr_builder *b, uint32_t element)
{
    const struct orr_dump *dump = b->dump;
    uint32_t gpu = dump->elements[element].parent, nodes[2];
    const char *bus_id = orr_element_text(dump, dump->elements[gpu].parent, ORR_ATTR_BUSID);
    if (!bus_id || !orr_element_text(dump, gpu, ORR_ATTR_RANK) ||
        (b->release->has_devs &&
         orr_builder_partitions(b, b->element_system[element], orr_bus_id_parse(bus_id), nodes)))
        return ORR_OK;
    return orr_fail_element(dump, element, b->err, ORR_INVALID,
                            "NCCL %s fails on an NVLink of GPU %.40s, because it does not find that GPU below a switch "
                            "that has a <nic> of its own",
                            b->release->name, bus_id);
}

static enum orr_code add_nvlink(struct orr_builder *b, uint32_t element)
{
    const struct orr_dump *dump = b->dump;
    uint32_t carriers[2];
    int32_t count;
    const char *class_text, *target;
    if (!carriers_of(b, element, carriers))
        return without_gpu(b, element);
    uint32_t gpu = carriers[0];
    ORR_TRY(orr_element_need_int(dump, element, ORR_ATTR_COUNT_, &count, b->err));
    ORR_TRY(orr_element_need_text(dump, element, ORR_ATTR_TCLASS, &class_text, b->err));
    float bw = (float)count * orr_nvlink_bw_of(b->release->nvlink_bw, b->nodes[gpu].node.gpu.sm);
    if (b->release->has_devs)
        return add_device_nvlink(b, element, gpu, bw);
    switch (orr_pci_class_parse(class_text)) {
    case ORR_CLASS_GPU: {
        ORR_TRY(orr_element_need_text(dump, element, ORR_ATTR_TARGET, &target, b->err));
        int64_t id = orr_builder_id(b, b->element_system[element], orr_bus_id_parse(target));
        uint32_t far = orr_builder_find(b, ORR_GPU, id);
        /* Adds one direction only: the other comes from the far GPU's own element. */
        return far == ORR_NO_NODE ? ORR_OK : orr_builder_link(b, gpu, far, ORR_LINK_NVL, bw);
    }
    case ORR_CLASS_CPU: {
        uint32_t cpu = ORR_NO_NODE;
        ORR_TRY(find_cpu(b, element, gpu, &cpu));
        return cpu == ORR_NO_NODE ? ORR_OK : orr_builder_link_both(b, gpu, cpu, ORR_LINK_NVL, bw);
    }
    default:
        break;
    }
    return link_to_switch(b, gpu, bw);
}

enum orr_code orr_builder_nvlinks(struct orr_builder *b)
{
    for (uint32_t e = 0; e < b->dump->element_count; e++)
        if (b->dump->elements[e].kind == ORR_ELEMENT_NVLINK)
            ORR_TRY(add_nvlink(b, e));
    return ORR_OK;
}

/* Two partitions of one GPU share its C2C by a bridge. */
static enum orr_code add_c2c(struct orr_builder *b, uint32_t gpu, uint32_t cpu, enum orr_link_type type, float bw)
{
    const struct orr_node *node = &b->nodes[gpu].node;
    uint32_t parts[2], system = orr_id_system(node->id), bridge;
    uint64_t bus_id = orr_id_local(node->id) & ~(uint64_t)3;
    if (node->type != ORR_DEV || node->gpu.mlopart < 0 || orr_builder_partitions(b, system, bus_id, parts) < 2)
        return orr_builder_link_both(b, gpu, cpu, type, bw);
    int64_t id = orr_builder_id(b, system, bus_id);
    if (orr_builder_find(b, ORR_CXB, id) != ORR_NO_NODE)
        return ORR_OK;
    ORR_TRY(orr_builder_add(b, ORR_CXB, id, ORR_NO_ELEMENT, &bridge));
    ORR_TRY(orr_builder_link_both(b, bridge, cpu, type, bw));
    for (int i = 0; i < 2; i++)
        ORR_TRY(orr_builder_link_both(b, parts[i], bridge, type, bw));
    return ORR_OK;
}

enum orr_code orr_builder_c2c(struct orr_builder *b)
{
    enum orr_link_type type = b->release->c2c == ORR_C2C_AS_NVLINK ? ORR_LINK_NVL : ORR_LINK_C2C;
    if (b->release->c2c == ORR_C2C_NONE)
        return ORR_OK;
    for (uint32_t e = 0; e < b->dump->element_count; e++) {
        if (b->dump->elements[e].kind != ORR_ELEMENT_C2C)
            continue;
        uint32_t carriers[2];
        if (!carriers_of(b, e, carriers))
            continue;
        uint32_t gpu = carriers[0];
        int32_t count, bw;
        ORR_TRY(orr_element_need_int(b->dump, e, ORR_ATTR_COUNT_, &count, b->err));
        ORR_TRY(orr_element_need_int(b->dump, e, ORR_ATTR_BW, &bw, b->err));
        uint32_t cpu = ORR_NO_NODE;
        ORR_TRY(find_cpu(b, e, gpu, &cpu));
        int32_t product = (int32_t)((uint32_t)bw * (uint32_t)count);
        if (cpu != ORR_NO_NODE)
            ORR_TRY(add_c2c(b, gpu, cpu, type, (float)(product / 1000.0)));
    }
    return ORR_OK;
}

enum orr_code orr_builder_pcilinks(struct orr_builder *b)
{
    for (uint32_t e = 0; b->release->pci_peer_links && e < b->dump->element_count; e++) {
        if (b->dump->elements[e].kind != ORR_ELEMENT_PCILINK)
            continue;
        const char *target;
        uint32_t from = owner_of(b, e, ORR_PCI);
        ORR_TRY(orr_element_need_text(b->dump, e, ORR_ATTR_TARGET, &target, b->err));
        if (from == ORR_NO_NODE)
            return orr_fail_element(b->dump, e, b->err, ORR_INVALID,
                                    "<pcilink> inside a <pci> that is not a PCIe switch");
        uint32_t to = orr_builder_find(b, ORR_PCI, orr_builder_id(b, b->element_system[e], orr_bus_id_parse(target)));
        if (to != ORR_NO_NODE)
            ORR_TRY(orr_builder_link(b, from, to, ORR_LINK_LOC, ORR_LOC_BW));
    }
    return ORR_OK;
}

static float interconnect_bw(const struct orr_release *release, const struct orr_node *cpu)
{
    switch (cpu->cpu.arch) {
    case ORR_ARCH_POWER:
        return release->qpi_power;
    case ORR_ARCH_ARM:
        return release->qpi_arm;
    case ORR_ARCH_X86:
        break;
    default:
        return ORR_LOC_BW;
    }
    switch (cpu->cpu.vendor) {
    case ORR_VENDOR_INTEL:
        return release->qpi_intel[cpu->cpu.model];
    case ORR_VENDOR_AMD:
        return release->qpi_amd;
    case ORR_VENDOR_ZHAOXIN:
        return cpu->cpu.model == ORR_ZHAOXIN_YONGFENG ? release->qpi_yongfeng : release->qpi_zhaoxin;
    default:
        return ORR_LOC_BW;
    }
}

enum orr_code orr_builder_connect_cpus(struct orr_builder *b)
{
    const uint32_t *cpus = b->of_type[ORR_CPU];
    uint32_t count = b->type_count[ORR_CPU];
    for (uint32_t n = 0; n < count; n++)
        for (uint32_t p = 0; p < count; p++) {
            const struct orr_node *cpu = &b->nodes[cpus[n]].node;
            if (n == p || orr_id_system(cpu->id) != orr_id_system(b->nodes[cpus[p]].node.id))
                continue;
            ORR_TRY(orr_builder_link(b, cpus[n], cpus[p], ORR_LINK_SYS, interconnect_bw(b->release, cpu)));
        }
    return ORR_OK;
}

/* Puts the first link that leads up to `parent` last, then does the same below. NCCL does not end if PCI links form a
 * circle; false if this function would not end either. */
static bool order_below(struct orr_builder *b, uint32_t node, uint32_t parent, unsigned depth, unsigned *visits)
{
    struct orr_growing_node *n = &b->nodes[node];
    if (!depth || !*visits)
        return false;
    --*visits;
    if (parent != ORR_NO_NODE) {
        uint32_t up = 0;
        while (up < n->count && n->links[up].to != parent)
            up++;
        if (up < n->count) {
            struct orr_growing_link link = n->links[up];
            memmove(&n->links[up], &n->links[up + 1], (n->count - 1 - up) * sizeof link);
            n->links[n->count - 1] = link;
        }
    }
    for (uint32_t i = 0; i < n->count; i++)
        if (n->links[i].type == ORR_LINK_PCI && n->links[i].to != parent &&
            !order_below(b, n->links[i].to, node, depth - 1, visits))
            return false;
    return true;
}

enum orr_code orr_builder_order_links(struct orr_builder *b)
{
    unsigned visits = MAX_VISITS;
    for (uint32_t i = 0; i < b->type_count[ORR_CPU]; i++)
        if (!order_below(b, b->of_type[ORR_CPU][i], ORR_NO_NODE, MAX_ASCENT, &visits))
            return orr_fail_with(
                b->err, ORR_INVALID, NULL,
                "the vendor and device of some <pci> name a lower switch above an upper one: "
                "correct them, or leave them out",
                "NCCL %s loops forever on this file: it joins two levels of Broadcom switches, and the PCI links "
                "then form a circle",
                b->release->name);
    return ORR_OK;
}
