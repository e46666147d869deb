/* SPDX-License-Identifier: Apache-2.0 */
/* The place of an hwloc object in NCCL's tree: the CPU and the switches above it, whose ports are folded in pairs as
 * NCCL does from sysfs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/hardware/pcie.h"
#include "engine/input/hwloc_builder.h"
#include "engine/input/names.h"

/* GB/s of a negotiated link as speed and lanes: the widest that fits. */
static void set_link(struct orr_hwloc_builder *b, struct orr_doc_node *pci, const char *text)
{
    double gbs = strtod(text, NULL), best = 0;
    const char *speed = NULL;
    for (unsigned generation = 1; generation <= ORR_PCIE_GENERATIONS && gbs > 0; generation++) {
        double lanes = gbs / (double)orr_pcie_gbs(orr_pcie_rate(generation), 1);
        double whole = (double)(int)(lanes + 0.5);
        double off = lanes > whole ? lanes - whole : whole - lanes;
        if (whole >= 1 && whole <= 16 && off < 0.002 * whole && whole > best) {
            best = whole;
            speed = orr_pcie_speed_text(generation);
        }
    }
    if (!speed)
        return;
    orr_doc_set(&b->draft->doc, pci, ORR_ATTR_LINK_SPEED, "%s", speed);
    orr_doc_set(&b->draft->doc, pci, ORR_ATTR_LINK_WIDTH, "%d", (int)best);
}

/* "0xffffffff,,0x1" with empty words for zero becomes words of eight digits. */
static void set_affinity(struct orr_hwloc_builder *b, struct orr_doc_node *cpu, const char *cpuset)
{
    enum { MOST_WORDS = 128, WORD_TEXT = 9 };
    char text[MOST_WORDS * WORD_TEXT + 1] = "";
    size_t used = 0;
    for (int words = 0; *cpuset && words < MOST_WORDS; words++) {
        size_t length = strcspn(cpuset, ",");
        unsigned long word = strtoul(cpuset, NULL, 16);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%08lx", used ? "," : "",
                                 length ? word & 0xffffffffUL : 0UL);
        cpuset += length + (cpuset[length] == ',');
    }
    orr_doc_set(&b->draft->doc, cpu, ORR_ATTR_AFFINITY, "%s", text);
}

uint32_t orr_hwloc_first(const struct orr_hwloc_builder *b, enum orr_hwloc_kind kind)
{
    for (uint32_t i = 0; i < b->hwloc->count; i++)
        if (orr_hwloc_at(b, i)->kind == kind)
            return i;
    return 0;
}

/* The kind of a CPU in NCCL's numbers: NCCL shifts AMD's extended family, while the kernel adds it. */
static void set_cpu_kind(struct orr_hwloc_builder *b, struct orr_doc_node *cpu)
{
    enum { EXTENDED = 15, SHIFT = 16 };
    const struct orr_hwloc_object *whole = orr_hwloc_at(b, orr_hwloc_first(b, ORR_HWLOC_MACHINE));
    uint32_t found = orr_hwloc_first(b, ORR_HWLOC_PACKAGE);
    const struct orr_hwloc_object *package = orr_hwloc_at(b, found ? found : orr_hwloc_first(b, ORR_HWLOC_SOCKET));
    const char *arch = orr_hwloc_info(whole, "Architecture"), *vendor = orr_hwloc_info(package, "CPUVendor");
    const char *family = orr_hwloc_info(package, "CPUFamilyNumber"), *model = orr_hwloc_info(package, "CPUModelNumber");
    const char *arches[][2] = {{"aarch64", "arm64"}, {"arm64", "arm64"}, {"ppc64le", "ppc64"}, {"ppc64", "ppc64"}};
    for (size_t i = 0; i < sizeof arches / sizeof arches[0]; i++)
        if (!strcmp(arch, arches[i][0])) {
            orr_doc_set(&b->draft->doc, cpu, ORR_ATTR_ARCH, "%s", arches[i][1]);
            return;
        }
    long number = strtol(family, NULL, 10);
    if (!strcmp(arch, "x86_64"))
        orr_doc_set(&b->draft->doc, cpu, ORR_ATTR_ARCH, "x86_64");
    if (*vendor && *family && *model) {
        orr_doc_set(&b->draft->doc, cpu, ORR_ATTR_VENDOR, "%s", vendor);
        orr_doc_set(&b->draft->doc, cpu, ORR_ATTR_FAMILYID, "%ld",
                    number > EXTENDED ? EXTENDED + SHIFT * (number - EXTENDED) : number);
        orr_doc_set(&b->draft->doc, cpu, ORR_ATTR_MODELID, "%s", model);
    }
    orr_draft_suppose_cpu(b->draft, cpu);
}

/* The lowest node of a nodeset, -1 if there is none. */
static long lowest_node(const char *nodeset)
{
    enum { BITS = 32 };
    long words = 1, lowest = -1;
    for (const char *at = nodeset; *at; at++)
        words += *at == ',';
    for (long word = words - 1; *nodeset; word--) {
        unsigned long bits = strtoul(nodeset, NULL, 16);
        for (long bit = 0; bit < BITS; bit++)
            if (bits >> bit & 1) {
                lowest = word * BITS + bit;
                break;
            }
        nodeset += strcspn(nodeset, ",");
        nodeset += *nodeset == ',';
    }
    return lowest;
}

/* The <cpu> that a device under a host bridge belongs to: the NUMA node of the bridge's parent. */
static struct orr_doc_node *cpu_of(struct orr_hwloc_builder *b, uint32_t object)
{
    uint32_t at = orr_hwloc_at(b, object)->parent;
    while (at != ORR_NO_ELEMENT && (orr_hwloc_at(b, at)->kind == ORR_HWLOC_BRIDGE || !*orr_hwloc_at(b, at)->nodeset))
        at = orr_hwloc_at(b, at)->parent;
    long numa = at == ORR_NO_ELEMENT ? -1 : lowest_node(orr_hwloc_at(b, at)->nodeset);
    numa = numa < 0 ? 0 : numa;
    char text[24];
    snprintf(text, sizeof text, "%ld", numa);
    for (struct orr_doc_node *cpu = b->draft->doc.system->first; cpu; cpu = cpu->after)
        if (!strcmp(orr_doc_word(cpu, ORR_ATTR_NUMAID), text))
            return cpu;
    struct orr_doc_node *cpu = orr_doc_add(&b->draft->doc, b->draft->doc.system, ORR_ELEMENT_CPU, NULL);
    uint32_t node = ORR_NO_ELEMENT;
    for (uint32_t i = 0; i < b->hwloc->count && node == ORR_NO_ELEMENT; i++)
        if (orr_hwloc_at(b, i)->kind == ORR_HWLOC_NUMA && strtol(orr_hwloc_at(b, i)->os_index, NULL, 10) == numa)
            node = i;
    orr_doc_set(&b->draft->doc, cpu, ORR_ATTR_NUMAID, "%ld", numa);
    set_affinity(b, cpu,
                 node != ORR_NO_ELEMENT ? orr_hwloc_at(b, node)->cpuset
                 : at != ORR_NO_ELEMENT ? orr_hwloc_at(b, at)->cpuset
                                        : "");
    set_cpu_kind(b, cpu);
    cpu->line = node != ORR_NO_ELEMENT ? orr_hwloc_at(b, node)->line : 0;
    return cpu;
}

/* The PCI bridge above an object; ORR_NO_ELEMENT if the host bridge or the CPU is above it. */
static uint32_t bridge_above(const struct orr_hwloc_builder *b, uint32_t object)
{
    uint32_t parent = orr_hwloc_at(b, object)->parent;
    bool bridge = parent != ORR_NO_ELEMENT && orr_hwloc_at(b, parent)->kind == ORR_HWLOC_BRIDGE &&
                  !orr_hwloc_at(b, parent)->is_host_bridge;
    return bridge ? parent : ORR_NO_ELEMENT;
}

struct orr_doc_node *orr_hwloc_pci_of(struct orr_hwloc_builder *b, uint32_t object)
{
    uint32_t chain[64], depth = 0, at = object, port;
    while (!b->node_of[at] && depth < sizeof chain / sizeof chain[0]) {
        chain[depth++] = at;
        port = bridge_above(b, at);
        uint32_t above = port == ORR_NO_ELEMENT ? port : bridge_above(b, port);
        if (above == ORR_NO_ELEMENT)
            break;
        at = above;
    }
    struct orr_doc_node *parent = b->node_of[at] ? b->node_of[at] : cpu_of(b, at);
    while (depth) {
        const struct orr_hwloc_object *made = orr_hwloc_at(b, chain[--depth]);
        unsigned class = 0, vendor = 0, device = 0, subvendor = 0, subdevice = 0;
        struct orr_doc_node *pci = orr_doc_add(&b->draft->doc, parent, ORR_ELEMENT_PCI, NULL);
        pci->line = made->line;
        int got = sscanf(made->pci_type, "%4x [%4x:%4x] [%4x:%4x]", &class, &vendor, &device, &subvendor, &subdevice);
        char bus[ORR_BUS_ID_SIZE];
        orr_doc_set(&b->draft->doc, pci, ORR_ATTR_BUSID, "%s", orr_bus_id_short(made->busid, bus) ? bus : made->busid);
        orr_doc_sort_in(pci);
        orr_doc_set(&b->draft->doc, pci, ORR_ATTR_CLASS, "0x%04x00", class);
        if (got >= 3) {
            orr_doc_set(&b->draft->doc, pci, ORR_ATTR_VENDOR, "0x%04x", vendor);
            orr_doc_set(&b->draft->doc, pci, ORR_ATTR_DEVICE, "0x%04x", device);
            orr_doc_set(&b->draft->doc, pci, ORR_ATTR_SUBSYSTEM_VENDOR, "0x%04x", subvendor);
            orr_doc_set(&b->draft->doc, pci, ORR_ATTR_SUBSYSTEM_DEVICE, "0x%04x", subdevice);
        }
        set_link(b, pci, made->link_speed);
        b->node_of[chain[depth]] = parent = pci;
    }
    return parent;
}
