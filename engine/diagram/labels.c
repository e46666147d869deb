/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/diagram/labels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sorting.h"
#include "engine/topology/pci.h"

static const char *own_attribute(const struct orr_system *system, uint32_t node, enum orr_attr attr)
{
    return system->dump ? orr_element_word(system->dump, system->nodes[node].element, attr) : "";
}

/* Index of a node's link to what contains it, PCI before others, ORR_NO_LINK if there is none. */
static uint32_t uplink_of(const struct orr_labels *labels, uint32_t node)
{
    const struct orr_node *from = &labels->system->nodes[node];
    uint32_t found = ORR_NO_LINK;
    for (uint32_t i = 0; i < from->link_count && labels->parent[node] != ORR_NO_NODE; i++) {
        const struct orr_link *link = &labels->system->links[from->first_link + i];
        if (link->to == labels->parent[node] && (found == ORR_NO_LINK || link->type == ORR_LINK_PCI))
            found = from->first_link + i;
    }
    return found;
}

static void find_degraded(struct orr_labels *labels)
{
    const struct orr_system *system = labels->system;
    struct orr_arena *arena = labels->drawing->arena;
    labels->uplinks = ORR_NEW(arena, struct orr_uplink, system->node_count);
    bool made =
        labels->uplinks && (!system->dump || (orr_hardware_read(system->dump, arena, &labels->hw) &&
                                              (labels->node_of = orr_hardware_nodes(&labels->hw, system, arena))));
    if (!made) {
        labels->drawing->failed = true;
        return;
    }
    for (uint32_t i = 0; i < system->node_count; i++) {
        struct orr_uplink *uplink = &labels->uplinks[i];
        uint32_t element = system->nodes[i].element, link = uplink->link = uplink_of(labels, i);
        if (link != ORR_NO_LINK && system->links[link].type == ORR_LINK_PCI && element != ORR_NO_ELEMENT &&
            system->dump && system->dump->elements[element].kind == ORR_ELEMENT_PCI)
            uplink->card = &labels->hw.cards[labels->hw.card_of[element]];
    }
    for (uint32_t i = 0; i < labels->hw.slower_count; i++) {
        const struct orr_slower *row = &labels->hw.slower[i];
        uint32_t node = labels->node_of[row->element];
        if (node == ORR_NO_NODE)
            continue;
        labels->uplinks[labels->drawn_as[node]].slower[row->kind] = row;
        labels->uplinks[labels->drawn_as[node]].degraded = true;
    }
}

/* Sorted so that nodes of one type and id are together. */
struct copy {
    uint32_t node;
    enum orr_node_type type;
    int64_t id;
};

ORR_COMPARATOR(compare_copies, struct copy, ORR_ORDER(a->type, b->type), ORR_ORDER(a->id, b->id),
               ORR_ORDER(a->node, b->node))

/* Two nodes may have one id, but ids in the picture must be unique. */
static void number_copies(struct orr_labels *labels)
{
    const struct orr_system *system = labels->system;
    struct copy *copies = ORR_NEW(labels->drawing->arena, struct copy, system->node_count);
    labels->copy = ORR_NEW(labels->drawing->arena, uint32_t, system->node_count);
    if (!copies || !labels->copy) {
        labels->drawing->failed = true;
        return;
    }
    for (uint32_t i = 0; i < system->node_count; i++)
        copies[i] = (struct copy){i, system->nodes[i].type, system->nodes[i].id};
    qsort(copies, system->node_count, sizeof *copies, compare_copies);
    for (uint32_t i = 1; i < system->node_count; i++)
        if (copies[i].type == copies[i - 1].type && copies[i].id == copies[i - 1].id)
            labels->copy[copies[i].node] = labels->copy[copies[i - 1].node] + 1;
}

/* Compares bandwidths as they are shown, so that equal-looking ones are equal. */
static int shown_bw(float bw)
{
    return bw >= ORR_LOC_BW ? 0 : (int)lrintf(bw * (bw < 100 ? 10 : 1)) * (bw < 100 ? 1 : 10);
}

/* The bandwidth that more links of a type have than any other. */
static void find_usual(struct orr_labels *labels)
{
    const struct orr_system *system = labels->system;
    for (int type = 0; type < ORR_LINK_TYPE_COUNT; type++) {
        uint32_t most = 2; /* a link and its reverse are one */
        for (uint32_t i = 0; i < system->link_count; i++) {
            uint32_t alike = 0;
            if ((int)system->links[i].type != type || shown_bw(system->links[i].bw) == shown_bw(labels->usual[type]))
                continue;
            for (uint32_t k = 0; k < system->link_count; k++)
                alike += (int)system->links[k].type == type &&
                         shown_bw(system->links[k].bw) == shown_bw(system->links[i].bw);
            if (alike <= most)
                continue;
            most = alike;
            labels->usual[type] = system->links[i].bw;
        }
    }
}

void orr_labels_init(struct orr_labels *labels, const struct orr_system *system, struct orr_drawing *drawing)
{
    *labels = (struct orr_labels){.drawing = drawing};
    struct orr_system *drawn = ORR_NEW(drawing->arena, struct orr_system, 1);
    uint32_t *parent, *depth, *drawn_as;
    if (drawing->failed || !drawn || !orr_system_fold(system, drawing->arena, drawn, &drawn_as) ||
        !orr_containment(drawn, drawn_as, drawing->arena, &parent, &depth)) {
        drawing->failed = true;
        return;
    }
    labels->system = system = drawn;
    labels->drawn_as = drawn_as;
    labels->parent = parent;
    labels->depth = depth;
    for (uint32_t i = 1; i < system->node_count; i++)
        if (orr_id_system(system->nodes[i].id) != orr_id_system(system->nodes[0].id) &&
            system->nodes[i].type != ORR_NVS)
            labels->several_systems = true;
    find_degraded(labels);
    find_usual(labels);
    number_copies(labels);
}

bool orr_label_is_usual(const struct orr_labels *labels, const struct orr_link *link)
{
    return labels->usual[link->type] > 0 && shown_bw(link->bw) == shown_bw(labels->usual[link->type]);
}

static const struct {
    const char *class;
    enum orr_role role;
    const char *name;
} kinds[ORR_NODE_TYPE_COUNT] = {
    [ORR_GPU] = {"gpu", ORR_ROLE_GPU, "GPU"},
    [ORR_PCI] = {"pci", ORR_ROLE_PCI, "PCIe switch"},
    [ORR_NVS] = {"nvs", ORR_ROLE_NVS, "NVSwitch"},
    [ORR_CPU] = {"cpu", ORR_ROLE_CPU, "NUMA node"},
    [ORR_NIC] = {"nic", ORR_ROLE_NIC, "NIC"},
    [ORR_NET] = {"net", ORR_ROLE_NET, "NET"},
    [ORR_GIN] = {"net gin", ORR_ROLE_NET, "GIN"},
    [ORR_RMA] = {"net rma", ORR_ROLE_NET, "RMA"},
    [ORR_DEV] = {"gpu dev", ORR_ROLE_GPU, "GPU device"},
    [ORR_CXB] = {"pci cxb", ORR_ROLE_PCI, "C2C bridge"},
};

const char *orr_label_class(enum orr_node_type type)
{
    return (unsigned)type < ORR_NODE_TYPE_COUNT ? kinds[type].class : "other";
}

enum orr_role orr_label_role(enum orr_node_type type)
{
    return (unsigned)type < ORR_NODE_TYPE_COUNT ? kinds[type].role : ORR_ROLE_OTHER;
}

const char *orr_label_id(const struct orr_labels *labels, uint32_t node)
{
    char buffer[ORR_NODE_ID_SIZE];
    const struct orr_node *at = &labels->system->nodes[node];
    orr_node_id_format(at->type, at->id, buffer);
    if (labels->copy[node])
        return orr_drawing_text(labels->drawing, "%s:%u", buffer, labels->copy[node] + 1);
    return orr_drawing_text(labels->drawing, "%s", buffer);
}

bool orr_label_assumed(const struct orr_labels *labels, uint32_t node)
{
    static const enum orr_attr deciding[ORR_NODE_TYPE_COUNT] = {
        [ORR_PCI] = ORR_ATTR_BUSID, [ORR_CPU] = ORR_ATTR_ARCH, [ORR_NET] = ORR_ATTR_SPEED};
    enum orr_node_type type = labels->system->nodes[node].type;
    if (type != ORR_PCI && type != ORR_CPU && type != ORR_NET)
        return false;
    return orr_node_supposed(labels->system, node, deciding[type]) ||
           (type == ORR_CPU && orr_node_supposed(labels->system, node, ORR_ATTR_VENDOR));
}

/* Bus id after a blank, without a domain of 0, which says nothing: " 1b:00.0"; "" if it is made up. */
static const char *short_bus_id(const struct orr_labels *labels, uint32_t node)
{
    char buffer[ORR_BUS_ID_SIZE];
    if (orr_node_id_made_up(labels->system, node))
        return "";
    orr_bus_id_format(orr_id_local(labels->system->nodes[node].id), buffer);
    return orr_drawing_text(labels->drawing, " %s", strncmp(buffer, "0000:", 5) == 0 ? buffer + 5 : buffer);
}

static const char *cpu_name(const struct orr_node *node)
{
    static const char *const intel[] = {
        [ORR_INTEL_BDW] = "Intel Broadwell or older",
        [ORR_INTEL_SKL] = "Intel Skylake to Ice Lake",
        [ORR_INTEL_SRP] = "Intel Sapphire Rapids",
        [ORR_INTEL_ERP] = "Intel Emerald Rapids or newer",
    };
    switch (node->cpu.arch) {
    case ORR_ARCH_ARM:
        return "Arm";
    case ORR_ARCH_POWER:
        return "POWER";
    case ORR_ARCH_X86:
        if (node->cpu.vendor == ORR_VENDOR_AMD)
            return "AMD x86-64";
        if (node->cpu.vendor == ORR_VENDOR_ZHAOXIN)
            return "Zhaoxin x86-64";
        if (node->cpu.vendor == ORR_VENDOR_INTEL)
            return node->cpu.model >= ORR_INTEL_BDW && node->cpu.model <= ORR_INTEL_ERP ? intel[node->cpu.model]
                                                                                        : "Intel x86-64";
        return "x86-64";
    default:
        return "CPU";
    }
}

const char *orr_label_bw(struct orr_drawing *drawing, float bw)
{
    if (bw >= ORR_LOC_BW)
        return "unlimited";
    return orr_drawing_text(drawing, bw >= 100 ? "%.0f GB/s" : "%.3g GB/s", (double)bw);
}

const char *orr_label_tile(const struct orr_labels *labels, uint32_t node, float font, float width)
{
    const struct orr_system *system = labels->system;
    const struct orr_node *at = &system->nodes[node];
    struct orr_drawing *drawing = labels->drawing;
    const char *first = "", *second = NULL, *bus = short_bus_id(labels, node);
    unsigned long long local = orr_id_local(at->id);
    switch (at->type) {
    case ORR_GPU:
        first = at->gpu.rank < 0 ? orr_drawing_text(drawing, "GPU %d", at->gpu.dev)
                                 : orr_drawing_text(drawing, "GPU %d \xc2\xb7 rank %d", at->gpu.dev, at->gpu.rank);
        second = *bus ? bus + 1 : NULL;
        break;
    case ORR_DEV:
        first = orr_drawing_text(drawing, *bus ? "GPU %d \xc2\xb7%s" : "GPU %d%s", at->gpu.dev, bus);
        break;
    case ORR_PCI:
        first = orr_drawing_text(drawing, "PCIe switch%s", bus);
        if (orr_text_width(first, font) > width)
            first = orr_drawing_text(drawing, "PCIe%s", bus);
        if (orr_text_width(first, font) > width && *bus)
            first = bus + 1;
        break;
    case ORR_NIC:
        first = orr_drawing_text(drawing, "NIC%s", bus);
        break;
    case ORR_NVS:
        first = system->first[ORR_NVS] + 1 == system->first[ORR_NVS + 1]
                    ? "NVSwitch"
                    : orr_drawing_text(drawing, "NVSwitch %llx", local);
        break;
    case ORR_CPU:
        first = labels->several_systems
                    ? orr_drawing_text(drawing, "NUMA %llu \xc2\xb7 host %u", local, orr_id_system(at->id))
                    : orr_drawing_text(drawing, "NUMA node %llu", local);
        second = cpu_name(at);
        break;
    case ORR_NET: {
        const char *name = own_attribute(system, node, ORR_ATTR_NAME);
        first = orr_drawing_text(drawing, *name ? "NET %d \xc2\xb7 %s" : "NET %d", at->net.dev, name);
        second = orr_drawing_text(drawing, "%.4g Gb/s", (double)(at->net.bw * 8));
        if (labels->uplinks[node].slower[ORR_SLOWER_PORT])
            second = orr_drawing_text(drawing, "\xe2\x9a\xa0 %s", second);
        break;
    }
    default:
        first = orr_drawing_text(drawing, "%s %llx", kinds[at->type].name, local);
        break;
    }
    if (labels->uplinks[node].slower[ORR_SLOWER_NVLINK]) /* direct NVLinks are never marked */
        first = orr_drawing_text(drawing, "\xe2\x9a\xa0 %s", first);
    first = orr_drawing_fit(drawing, first, font, width);
    return second ? orr_drawing_text(drawing, "%s\n%s", first, orr_drawing_fit(drawing, second, font, width)) : first;
}

const char *orr_label_pcie(struct orr_drawing *drawing, const struct orr_card *card)
{
    int generation = card ? orr_pcie_generation(card->rate) : 0;
    return generation && card->width ? orr_drawing_text(drawing, "Gen%d x%d", generation, card->width) : NULL;
}

const char *orr_label_slower(const struct orr_labels *labels, const struct orr_slower *row)
{
    static const char *const units[ORR_SLOWER_KIND_COUNT] = {
        [ORR_SLOWER_C2C] = "GB/s", [ORR_SLOWER_NVLINK] = "NVLinks", [ORR_SLOWER_PORT] = "Gb/s"};
    struct orr_drawing *drawing = labels->drawing;
    uint32_t node = labels->node_of[row->best];
    if (row->element == row->best)
        return "; the dump gives no speed";
    const char *text = orr_label_pcie(drawing, &labels->hw.cards[labels->hw.card_of[row->best]]);
    if (row->kind != ORR_SLOWER_PCIE)
        text = orr_drawing_text(drawing, "%g %s", (double)row->best_has, units[row->kind]);
    else if (!text)
        text = orr_drawing_text(drawing, "%.3g GB/s", (double)row->best_has);
    if (node == ORR_NO_NODE)
        return orr_drawing_text(drawing, "; slower than its equals, which have %s", text);
    return orr_drawing_text(drawing, "; slower than its equals, which have %s (%s)", text,
                            orr_label_id(labels, labels->drawn_as[node]));
}

const char *orr_label_title(const struct orr_labels *labels, uint32_t node)
{
    const struct orr_system *system = labels->system;
    const struct orr_node *at = &system->nodes[node];
    struct orr_drawing *drawing = labels->drawing;
    char bus[ORR_BUS_ID_SIZE];
    uint32_t root = node;
    while (labels->parent[root] != ORR_NO_NODE)
        root = labels->parent[root];
    const char *numa = "";
    if (system->nodes[root].type == ORR_CPU)
        numa = orr_drawing_text(drawing, ", NUMA node %llu", (unsigned long long)orr_id_local(system->nodes[root].id));
    if (labels->several_systems && at->type != ORR_NVS)
        numa = orr_drawing_text(drawing, "%s of host %u", numa, orr_id_system(at->id));
    const char *place = orr_node_id_made_up(labels->system, node) ? NULL : orr_bus_id_format(orr_id_local(at->id), bus),
               *assumed = orr_label_assumed(labels, node) ? ", assumed" : "";
    const struct orr_uplink *uplink = &labels->uplinks[node];
    const char *pci = "";
    if (orr_label_pcie(drawing, uplink->card))
        pci = orr_drawing_text(drawing, ", PCIe %s", orr_label_pcie(drawing, uplink->card));
    const struct orr_slower *nvlinks = uplink->slower[ORR_SLOWER_NVLINK];
    switch (at->type) {
    case ORR_GPU:
        return orr_drawing_text(drawing, "GPU %d, rank %d%s%s%s, compute capability %d.%d%s%s%s", at->gpu.dev,
                                at->gpu.rank, place ? ", bus id " : "", place ? place : "", numa, at->gpu.sm / 10,
                                at->gpu.sm % 10, pci, at->gpu.gdr ? ", GPUDirect RDMA" : ", no GPUDirect RDMA",
                                nvlinks ? orr_label_slower(labels, nvlinks) : "");
    case ORR_NET: {
        const char *name = own_attribute(system, node, ORR_ATTR_NAME);
        return orr_drawing_text(
            drawing, "NET %d%s%.64s, port %d, %.4g Gb/s (%s%s)%s%s%s%s", at->net.dev, *name ? ", " : "", name,
            at->net.port, (double)(at->net.bw * 8), orr_label_bw(drawing, at->net.bw), assumed, numa,
            at->net.gdr ? ", GPUDirect RDMA" : ", no GPUDirect RDMA", at->net.coll ? ", CollNet" : "",
            uplink->slower[ORR_SLOWER_PORT] ? orr_label_slower(labels, uplink->slower[ORR_SLOWER_PORT]) : "");
    }
    case ORR_CPU:
        return orr_drawing_text(
            drawing, "NUMA node %llu, %s%s%s", (unsigned long long)orr_id_local(at->id), cpu_name(at), assumed,
            labels->several_systems ? orr_drawing_text(drawing, ", host %u", orr_id_system(at->id)) : "");
    case ORR_NVS:
        return "NVSwitch: all of them together, as NCCL sees them";
    default:
        return orr_drawing_text(drawing, "%s%s%s%s%s%s", kinds[at->type].name, place ? " " : "", place ? place : "",
                                numa, pci, assumed);
    }
}
