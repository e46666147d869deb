/* SPDX-License-Identifier: Apache-2.0 */
/* Dump -> graph: the nodes of the PCI tree and of the NICs (the first pass of NCCL), then the passes of
 * system_links.c and system_flatten.c in NCCL's order. Rules: docs/nccl/graph.md, "Order of nodes". */
#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "engine/release/settings.h"
#include "engine/topology/pci.h"
#include "engine/topology/system_builder.h"

/* One node of a <net>: a NET, or a GIN or RMA of releases that know them. */
static enum orr_code add_port(struct orr_builder *b, uint32_t element, uint32_t system, uint32_t nic,
                              enum orr_node_type type)
{
    const struct orr_dump *dump = b->dump;
    int32_t dev = orr_element_int(dump, element, ORR_ATTR_DEV, -1);
    uint32_t net;
    ORR_TRY(orr_builder_add(b, type, orr_builder_id(b, system, (uint64_t)(int64_t)dev), element, &net));
    struct orr_node *node = &b->nodes[net].node;
    const char *guid = orr_element_text(dump, element, ORR_ATTR_GUID);
    const char *latency = orr_element_text(dump, element, ORR_ATTR_LATENCY);
    int32_t mbps = orr_element_int(dump, element, ORR_ATTR_SPEED, 0);
    if (mbps <= 0)
        mbps = 10000;
    node->net.dev = dev;
    node->net.port = orr_element_int(dump, element, ORR_ATTR_PORT, 0);
    node->net.asic = b->release->reads_bare_guids ? (uint64_t)node->id : (uint64_t)(int64_t)dev;
    if (guid && b->release->reads_bare_guids)
        node->net.asic = strtoull(guid, NULL, 16);
    else if (guid)
        node->net.asic = strncmp(guid, "0x", 2) ? 0 : strtoull(guid + 2, NULL, 16);
    node->net.bw = (float)(mbps / 8000.0);
    node->net.latency = latency && b->release->knows_latency ? strtof(latency, NULL) : 0;
    node->net.gdr = orr_element_int(dump, element, ORR_ATTR_GDR, 0);
    node->net.coll = orr_element_int(dump, element, ORR_ATTR_COLL, 0);
    node->net.max_channels = orr_element_int(dump, element, ORR_ATTR_MAXCONN, b->release->max_channels);
    node->net.rail = orr_element_int(dump, element, ORR_ATTR_RAIL, -1);
    node->net.plane = orr_element_int(dump, element, ORR_ATTR_PLANE, -1);
    ORR_TRY(orr_builder_link_both(b, nic, net, ORR_LINK_NET, node->net.bw));
    if (b->widened >> ORR_LINKS_NICS & 1) /* the node may have moved */
        b->nodes[net].node.net.bw *= 2;
    return ORR_OK;
}

static enum orr_code add_net(struct orr_builder *b, uint32_t element, uint32_t system, uint32_t nic)
{
    const struct {
        enum orr_node_type type;
        enum orr_attr attr;
        int32_t fallback;
        bool known;
    } kinds[] = {{ORR_NET, ORR_ATTR_NET_, 1, true},
                 {ORR_GIN, ORR_ATTR_GIN, 0, b->release->has_gin},
                 {ORR_RMA, ORR_ATTR_RMA, 0, b->release->has_rma}};
    if (!orr_element_text(b->dump, element, ORR_ATTR_DEV))
        return ORR_OK; /* the plugin does not list this port */
    if (!b->release->has_gin)
        return add_port(b, element, system, nic, ORR_NET);
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].known && orr_element_int(b->dump, element, kinds[i].attr, kinds[i].fallback))
            ORR_TRY(add_port(b, element, system, nic, kinds[i].type));
    return ORR_OK;
}

static enum orr_code add_nets(struct orr_builder *b, uint32_t element, uint32_t system, uint32_t nic)
{
    for (uint32_t c = b->dump->elements[element].first_child; c != ORR_NO_ELEMENT;
         c = b->dump->elements[c].next_sibling)
        if (b->dump->elements[c].kind == ORR_ELEMENT_NET)
            ORR_TRY(add_net(b, c, system, nic));
    return ORR_OK;
}

static enum orr_code add_gpu(struct orr_builder *b, uint32_t pci, uint32_t gpu, uint32_t system, uint64_t bus_id,
                             uint32_t *ret_node)
{
    int64_t id = orr_builder_id(b, system, bus_id);
    int32_t dev, sm, gdr;
    ORR_TRY(orr_element_need_int(b->dump, gpu, ORR_ATTR_DEV, &dev, b->err));
    ORR_TRY(orr_element_need_int(b->dump, gpu, ORR_ATTR_SM, &sm, b->err));
    ORR_TRY(orr_element_need_int(b->dump, gpu, ORR_ATTR_GDR, &gdr, b->err));
    if (orr_builder_find(b, ORR_GPU, id) != ORR_NO_NODE)
        return orr_fail_element(b->dump, pci, b->err, ORR_INVALID, "two GPUs of one host have the bus id %s",
                                orr_element_text(b->dump, pci, ORR_ATTR_BUSID));
    ORR_TRY(orr_builder_add(b, ORR_GPU, id, pci, ret_node));
    struct orr_node *node = &b->nodes[*ret_node].node;
    node->gpu.rank = orr_element_int(b->dump, gpu, ORR_ATTR_RANK, 0); /* renumbered at the end */
    node->gpu.dev = dev;
    node->gpu.sm = sm;
    node->gpu.gdr = gdr;
    node->gpu.mlopart = -1;
    if (b->release->gpu_links_itself)
        return orr_builder_link(b, *ret_node, *ret_node, ORR_LINK_LOC, ORR_LOC_BW);
    return ORR_OK;
}

static uint32_t first_child_of_kind(const struct orr_dump *dump, uint32_t element, enum orr_element_kind kind)
{
    uint32_t child = dump->elements[element].first_child;
    while (child != ORR_NO_ELEMENT && dump->elements[child].kind != kind)
        child = dump->elements[child].next_sibling;
    return child;
}

/* Adds a <pci>. Its children decide what it is; without any, its class does. parent: node of the switch or CPU above.
 * docs/nccl/topology-xml.md, "What makes a GPU and a NIC". */
static enum orr_code add_pci(struct orr_builder *b, uint32_t element, uint32_t system, uint32_t parent)
{
    const struct orr_dump *dump = b->dump;
    const char *class_text, *bus_text, *speed;
    int32_t width;
    ORR_TRY(orr_element_need_text(dump, element, ORR_ATTR_CLASS, &class_text, b->err));
    ORR_TRY(orr_element_need_text(dump, element, ORR_ATTR_BUSID, &bus_text, b->err));
    uint64_t bus_id = orr_bus_id_parse(bus_text);
    int64_t id = orr_builder_id(b, system, bus_id);
    uint32_t node = ORR_NO_NODE;
    bool link = false;

    uint32_t gpu = first_child_of_kind(dump, element, ORR_ELEMENT_GPU);
    uint32_t nic = first_child_of_kind(dump, element, ORR_ELEMENT_NIC);
    enum orr_pci_class class = orr_pci_class_parse(class_text);
    if (b->release->pci_kind == ORR_KIND_EVERY_GPU && gpu != ORR_NO_ELEMENT) {
        if (b->release->refuses_gpu_bridges && nic == ORR_NO_ELEMENT && class == ORR_CLASS_PCI)
            return orr_fail_element(dump, element, b->err, ORR_INVALID,
                                    "a <pci> with the class of a bridge contains a GPU: NCCL %s fails on it",
                                    b->release->name);
        return orr_builder_devices(b, element, system, parent);
    }
    if (b->release->pci_kind == ORR_KIND_BY_CLASS) {
        if (class == ORR_CLASS_PCI && (gpu != ORR_NO_ELEMENT || nic != ORR_NO_ELEMENT))
            return orr_fail_element(dump, element, b->err, ORR_INVALID,
                                    "a <pci> with the class of a bridge contains a device: NCCL %s fails on it",
                                    b->release->name);
        gpu = class == ORR_CLASS_GPU ? gpu : ORR_NO_ELEMENT;
        nic = class == ORR_CLASS_NIC ? nic : ORR_NO_ELEMENT;
    }
    if (gpu != ORR_NO_ELEMENT) {
        if (!orr_element_text(dump, gpu, ORR_ATTR_RANK))
            return ORR_OK; /* the GPU is not used, and neither is a NIC in the same <pci> */
        if (nic != ORR_NO_ELEMENT)
            return orr_fail_element(dump, element, b->err, ORR_INVALID, "a <pci> contains both a <gpu> and a <nic>");
        ORR_TRY(add_gpu(b, element, gpu, system, bus_id, &node));
        link = true;
    } else if (nic != ORR_NO_ELEMENT) {
        int64_t card = b->release->merges_nic_functions ? orr_builder_id(b, system, bus_id & ~(uint64_t)0xf) : id;
        node = orr_builder_find(b, ORR_NIC, card);
        if (node == ORR_NO_NODE) {
            ORR_TRY(orr_builder_add(b, ORR_NIC, card, element, &node));
            link = true;
        }
        ORR_TRY(add_nets(b, nic, system, node));
    } else if (class == ORR_CLASS_PCI) {
        ORR_TRY(orr_builder_add(b, ORR_PCI, id, element, &node));
        b->nodes[node].node.pci.identity = orr_pci_identity(dump, element);
        for (uint32_t c = dump->elements[element].first_child; c != ORR_NO_ELEMENT; c = dump->elements[c].next_sibling)
            if (dump->elements[c].kind == ORR_ELEMENT_PCI)
                ORR_TRY(add_pci(b, c, system, node));
        link = true;
    }
    if (!link)
        return ORR_OK;
    ORR_TRY(orr_element_need_int(dump, element, ORR_ATTR_LINK_WIDTH, &width, b->err));
    ORR_TRY(orr_element_need_text(dump, element, ORR_ATTR_LINK_SPEED, &speed, b->err));
    return orr_builder_link_both(b, node, parent, ORR_LINK_PCI, orr_pci_bw(b->release, width, speed));
}

/* A <nic> directly below a CPU is not a PCI device: all of them are one NIC of the system. */
static enum orr_code add_cpu_nic(struct orr_builder *b, uint32_t element, uint32_t system, uint32_t cpu)
{
    int64_t id = orr_builder_id(b, system, 0);
    uint32_t nic = orr_builder_find(b, ORR_NIC, b->release->cpu_nics_of_first_system ? 0 : id);
    if (nic == ORR_NO_NODE) {
        ORR_TRY(orr_builder_add(b, ORR_NIC, id, element, &nic));
        ORR_TRY(orr_builder_link_both(b, cpu, nic, ORR_LINK_PCI, ORR_LOC_BW));
    }
    return add_nets(b, element, system, nic);
}

static int32_t intel_model(const struct orr_release *release, int32_t family, int32_t model)
{
    if (family != 6)
        return ORR_INTEL_BDW;
    int32_t known = model >= 0x8f ? ORR_INTEL_SRP : model >= 0x55 ? ORR_INTEL_SKL : ORR_INTEL_BDW;
    if (model >= 0xcf)
        known = ORR_INTEL_ERP;
    return known < release->newest_intel ? known : release->newest_intel;
}

static enum orr_code read_cpu(struct orr_builder *b, uint32_t element, struct orr_node *node)
{
    static const struct {
        const char *prefix;
        int32_t value;
    } archs[] = {{"x86_64", ORR_ARCH_X86}, {"ppc64", ORR_ARCH_POWER}, {"arm64", ORR_ARCH_ARM}},
      vendors[] = {{"GenuineIntel", ORR_VENDOR_INTEL},
                   {"AuthenticAMD", ORR_VENDOR_AMD},
                   {"CentaurHauls", ORR_VENDOR_ZHAOXIN},
                   {"  Shanghai  ", ORR_VENDOR_ZHAOXIN}};
    const char *arch, *vendor;
    int32_t family, model;
    ORR_TRY(orr_element_need_text(b->dump, element, ORR_ATTR_ARCH, &arch, b->err));
    node->cpu.arch = 0;
    node->cpu.vendor = node->cpu.model = -1;
    for (unsigned i = 0; i < sizeof archs / sizeof archs[0] && !node->cpu.arch; i++)
        if (!strncmp(arch, archs[i].prefix, strlen(archs[i].prefix)))
            node->cpu.arch = archs[i].value;
    if (node->cpu.arch != ORR_ARCH_X86)
        return ORR_OK;
    ORR_TRY(orr_element_need_text(b->dump, element, ORR_ATTR_VENDOR, &vendor, b->err));
    node->cpu.vendor = 0;
    for (unsigned i = 0; i < sizeof vendors / sizeof vendors[0] && !node->cpu.vendor; i++)
        if (!strncmp(vendor, vendors[i].prefix, strlen(vendors[i].prefix)))
            node->cpu.vendor = vendors[i].value;
    if (node->cpu.vendor == ORR_VENDOR_ZHAOXIN && !b->release->knows_zhaoxin)
        node->cpu.vendor = 0;
    if (node->cpu.vendor != ORR_VENDOR_INTEL && node->cpu.vendor != ORR_VENDOR_ZHAOXIN)
        return ORR_OK;
    ORR_TRY(orr_element_need_int(b->dump, element, ORR_ATTR_FAMILYID, &family, b->err));
    ORR_TRY(orr_element_need_int(b->dump, element, ORR_ATTR_MODELID, &model, b->err));
    if (node->cpu.vendor == ORR_VENDOR_INTEL)
        node->cpu.model = intel_model(b->release, family, model);
    else if (family == 7 && model == 0x5b)
        node->cpu.model = ORR_ZHAOXIN_YONGFENG;
    return ORR_OK;
}

static enum orr_code add_cpu(struct orr_builder *b, uint32_t element)
{
    const struct orr_dump *dump = b->dump;
    int32_t numa;
    uint32_t cpu, system = b->element_system[element];
    ORR_TRY(orr_element_need_int(dump, element, ORR_ATTR_NUMAID, &numa, b->err));
    ORR_TRY(orr_builder_add(b, ORR_CPU, orr_builder_id(b, system, (uint64_t)(int64_t)numa), element, &cpu));
    ORR_TRY(read_cpu(b, element, &b->nodes[cpu].node));
    for (uint32_t c = dump->elements[element].first_child; c != ORR_NO_ELEMENT; c = dump->elements[c].next_sibling) {
        if (dump->elements[c].kind == ORR_ELEMENT_PCI)
            ORR_TRY(add_pci(b, c, system, cpu));
        else if (dump->elements[c].kind == ORR_ELEMENT_NIC)
            ORR_TRY(add_cpu_nic(b, c, system, cpu));
    }
    return ORR_OK;
}

/* A host's identity: a hexadecimal number; anything else, such as the text in an anonymised dump, is distinguished by
 * its text (FNV-1a). */
static uint64_t host_hash(const char *text)
{
    char *end;
    uint64_t hash = strtoull(text, &end, 16);
    if (end != text && !*end)
        return hash;
    return orr_hash_text(ORR_HASH_START, text);
}

/* Which host each element belongs to: equal host_hash values are one system, numbered as they appear. */
static enum orr_code number_systems(struct orr_builder *b)
{
    const struct orr_dump *dump = b->dump;
    for (uint32_t e = 0; e < dump->element_count; e++) {
        const struct orr_element *element = &dump->elements[e];
        if (element->kind != ORR_ELEMENT_CPU) {
            b->element_system[e] = element->parent == ORR_NO_ELEMENT ? 0 : b->element_system[element->parent];
            continue;
        }
        bool has_systems = b->release->id_layout != ORR_ID_PLAIN;
        const char *text = has_systems ? orr_element_text(dump, e, ORR_ATTR_HOST_HASH) : NULL;
        uint64_t hash = text ? host_hash(text) : 0;
        uint32_t system = 0;
        while (system < b->host_count && b->host_hashes[system] != hash)
            system++;
        if (system == b->host_count) {
            ORR_NEED(ORR_RESERVE(b->arena, b->host_hashes, b->host_count, b->host_capacity), b->err);
            if (system > 127)
                return orr_fail_element(dump, e, b->err, ORR_LIMIT, "more than 128 hosts in one dump");
            b->host_hashes[b->host_count++] = hash;
        }
        b->element_system[e] = system;
    }
    return ORR_OK;
}

/* Ranks are renumbered from 0 in the order of their values. */
static enum orr_code number_ranks(struct orr_builder *b)
{
    uint32_t count = b->type_count[ORR_GPU];
    int32_t *numbers = ORR_NEW(b->arena, int32_t, count);
    ORR_NEED(numbers, b->err);
    if (!count)
        return orr_fail_with(b->err, ORR_NO_RANKS, NULL,
                             b->type_count[ORR_CPU] == 1
                                 ? ORR_ONE_CPU_ADVICE
                                 : "provider files list PCI devices only: dump the topology from a job there "
                                   "(NCCL_TOPO_DUMP_FILE), or name the machine type: --assume, assume= (`orrery "
                                   "machines`)",
                             "no GPU in this file has a rank, so there is nothing to analyse");
    for (uint32_t i = 0; i < count; i++) {
        int32_t own = b->nodes[b->of_type[ORR_GPU][i]].node.gpu.rank;
        for (uint32_t j = 0; j < count; j++) {
            int32_t other = b->nodes[b->of_type[ORR_GPU][j]].node.gpu.rank;
            numbers[i] += other < own || (other == own && j < i);
        }
    }
    for (uint32_t i = 0; i < count; i++)
        b->nodes[b->of_type[ORR_GPU][i]].node.gpu.rank = numbers[i];
    return ORR_OK;
}

enum orr_code orr_system_build(const struct orr_dump *dump, const struct orr_settings *settings,
                               struct orr_arena *arena, struct orr_system *ret_system, struct orr_error *err)
{
    struct orr_builder b = {
        .dump = dump, .release = settings->release, .widened = settings->widened, .arena = arena, .err = err};
    b.splits_partitions =
        settings->release->has_partitions && orr_setting_int(settings, ORR_SET_TOPO_SPLIT_MLOPART) != 0;
    b.element_system = ORR_NEW(arena, uint32_t, dump->element_count);
    ORR_NEED(b.element_system, err);
    ORR_TRY(number_systems(&b));
    for (uint32_t c = dump->elements[0].first_child; c != ORR_NO_ELEMENT; c = dump->elements[c].next_sibling)
        ORR_TRY(add_cpu(&b, c));
    ORR_TRY(number_ranks(&b));
    ORR_TRY(orr_builder_nvlinks(&b));
    ORR_TRY(orr_builder_c2c(&b));
    ORR_TRY(orr_builder_pcilinks(&b));
    ORR_TRY(orr_builder_flatten(&b));
    ORR_TRY(orr_builder_connect_cpus(&b));
    ORR_TRY(orr_builder_order_links(&b));
    return orr_builder_freeze(&b, ret_system);
}
