/* SPDX-License-Identifier: Apache-2.0 */
/* hwloc's objects become NCCL's tree: ports of switches are folded in pairs as NCCL does from sysfs. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/hardware/gpu_models.h"
#include "engine/hardware/pcie.h"
#include "engine/input/hwloc_builder.h"
#include "engine/input/names.h"
#include "engine/machines/machine_types.h"

enum { NVIDIA = 0x10de, AMD = 0x1002, GPU_CLASS = 0x03, NIC_CLASS = 0x02, NVSWITCH_CLASS = 0x0680 };

static const struct orr_hwloc_object *object_at(const struct orr_hwloc_builder *b, uint32_t i)
{
    return &b->hwloc->objects[i];
}

/* "0302 [10de:20b0] [10de:134f] a1": class and ids as numbers. */
static bool read_type(const struct orr_hwloc_object *object, struct orr_hwloc_device *device)
{
    unsigned class, vendor, id;
    if (sscanf(object->pci_type, "%4x [%4x:%4x]", &class, &vendor, &id) != 3)
        return false;
    device->class = (uint16_t) class;
    device->vendor = (uint16_t)vendor;
    device->id = (uint16_t)id;
    return true;
}

static void collect(struct orr_hwloc_builder *b)
{
    for (uint32_t i = 0; i < b->hwloc->count; i++) {
        const struct orr_hwloc_object *object = object_at(b, i);
        struct orr_hwloc_device device = {.object = i};
        b->has_rdma |= orr_hwloc_is_rdma(b->hwloc, object);
        b->pci_objects += object->kind == ORR_HWLOC_PCI;
        if (object->kind != ORR_HWLOC_PCI || !read_type(object, &device))
            continue;
        bool gpu = device.class >> 8 == GPU_CLASS && (device.vendor == NVIDIA || device.vendor == AMD);
        b->nvswitches += device.vendor == NVIDIA && device.class == NVSWITCH_CLASS;
        if (gpu && b->gpu_count < ORR_HWLOC_MOST_DEVICES)
            b->gpus[b->gpu_count++] = device;
        else if (device.class >> 8 == NIC_CLASS && b->nic_count < ORR_HWLOC_MOST_DEVICES)
            b->nics[b->nic_count++] = device;
    }
    for (uint32_t i = 0; i < b->gpu_count; i++)
        b->amd |= b->gpus[i].vendor == AMD;
}

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

/* Links that the export does not describe are as fast as those of the GPUs' generation. */
static void suppose_links(struct orr_hwloc_builder *b)
{
    struct orr_draft *draft = b->draft;
    const char *sm = b->gpu_count ? orr_doc_word(b->gpu_of[0].element, ORR_ATTR_SM) : "";
    const char *speed = orr_link_speed_of_sm((int32_t)strtol(sm, NULL, 10));
    for (struct orr_doc_node *node = draft->doc.system; node; node = orr_doc_next(node, draft->doc.system)) {
        if (node->kind != ORR_ELEMENT_PCI || orr_doc_attribute(node, ORR_ATTR_LINK_SPEED))
            continue;
        orr_doc_suppose(&draft->doc, node, ORR_ATTR_LINK_SPEED, "%s", speed);
        orr_doc_suppose(&draft->doc, node, ORR_ATTR_LINK_WIDTH, "16");
        b->supposed_speed = speed;
    }
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

static uint32_t machine(const struct orr_hwloc_builder *b, enum orr_hwloc_kind kind)
{
    for (uint32_t i = 0; i < b->hwloc->count; i++)
        if (object_at(b, i)->kind == kind)
            return i;
    return 0;
}

/* What kind of CPU it is, by NCCL's numbers: it shifts AMD's extended family where the kernel adds it. */
static void set_cpu_kind(struct orr_hwloc_builder *b, struct orr_doc_node *cpu)
{
    enum { EXTENDED = 15, SHIFT = 16 };
    const struct orr_hwloc_object *whole = object_at(b, machine(b, ORR_HWLOC_MACHINE));
    uint32_t found = machine(b, ORR_HWLOC_PACKAGE);
    const struct orr_hwloc_object *package = object_at(b, found ? found : machine(b, ORR_HWLOC_SOCKET));
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

/* The lowest node of a nodeset, -1: none. */
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

/* The <cpu> that a device under a host bridge belongs to: the NUMA node of what the bridge hangs on. */
static struct orr_doc_node *cpu_of(struct orr_hwloc_builder *b, uint32_t object)
{
    uint32_t at = object_at(b, object)->parent;
    while (at != ORR_NO_ELEMENT && (object_at(b, at)->kind == ORR_HWLOC_BRIDGE || !*object_at(b, at)->nodeset))
        at = object_at(b, at)->parent;
    long numa = at == ORR_NO_ELEMENT ? -1 : lowest_node(object_at(b, at)->nodeset);
    numa = numa < 0 ? 0 : numa;
    char text[24];
    snprintf(text, sizeof text, "%ld", numa);
    for (struct orr_doc_node *cpu = b->draft->doc.system->first; cpu; cpu = cpu->after)
        if (!strcmp(orr_doc_word(cpu, ORR_ATTR_NUMAID), text))
            return cpu;
    struct orr_doc_node *cpu = orr_doc_add(&b->draft->doc, b->draft->doc.system, ORR_ELEMENT_CPU, NULL);
    uint32_t node = ORR_NO_ELEMENT;
    for (uint32_t i = 0; i < b->hwloc->count && node == ORR_NO_ELEMENT; i++)
        if (object_at(b, i)->kind == ORR_HWLOC_NUMA && strtol(object_at(b, i)->os_index, NULL, 10) == numa)
            node = i;
    orr_doc_set(&b->draft->doc, cpu, ORR_ATTR_NUMAID, "%ld", numa);
    set_affinity(b, cpu,
                 node != ORR_NO_ELEMENT ? object_at(b, node)->cpuset
                 : at != ORR_NO_ELEMENT ? object_at(b, at)->cpuset
                                        : "");
    set_cpu_kind(b, cpu);
    cpu->line = node != ORR_NO_ELEMENT ? object_at(b, node)->line : 0;
    return cpu;
}

/* A bridge of PCI above an object, ORR_NO_ELEMENT: the host bridge or the CPU is. */
static uint32_t bridge_above(const struct orr_hwloc_builder *b, uint32_t object)
{
    uint32_t parent = object_at(b, object)->parent;
    bool bridge = parent != ORR_NO_ELEMENT && object_at(b, parent)->kind == ORR_HWLOC_BRIDGE &&
                  !object_at(b, parent)->is_host_bridge;
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
        const struct orr_hwloc_object *made = object_at(b, chain[--depth]);
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

static struct orr_doc_node *add_below(struct orr_hwloc_builder *b, struct orr_doc_node *parent,
                                      enum orr_element_kind kind, uint32_t line)
{
    struct orr_doc_node *node = orr_doc_add(&b->draft->doc, parent, kind, NULL);
    node->line = line;
    return node;
}

static uint32_t find_os(const struct orr_hwloc_builder *b, uint32_t device, const char *prefix)
{
    for (uint32_t i = device + 1; i < b->hwloc->count; i++) { /* what is inside it comes right after it */
        const struct orr_hwloc_object *object = object_at(b, i);
        if (object->parent == ORR_NO_ELEMENT || object->parent < device)
            break;
        if (object->kind == ORR_HWLOC_OS && object->parent == device &&
            !strncmp(object->name, prefix, strlen(prefix)) && isdigit((unsigned char)object->name[strlen(prefix)]))
            return i;
    }
    return ORR_NO_ELEMENT;
}

/* NCCL has only the GPUs that NVML shows: where the export names some, others are hidden (cgroups, another driver). */
static void keep_visible(struct orr_hwloc_builder *b)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->gpu_count; i++)
        kept += find_os(b, b->gpus[i].object, "nvml") != ORR_NO_ELEMENT;
    if (!kept || kept == b->gpu_count)
        return;
    b->hidden = b->gpu_count - kept;
    kept = 0;
    for (uint32_t i = 0; i < b->gpu_count; i++)
        if (find_os(b, b->gpus[i].object, "nvml") != ORR_NO_ELEMENT)
            b->gpus[kept++] = b->gpus[i];
    b->gpu_count = kept;
}

static void add_gpu(struct orr_hwloc_builder *b, uint32_t index)
{
    const struct orr_hwloc_device *device = &b->gpus[index];
    const struct orr_hwloc_object *object = object_at(b, device->object);
    uint32_t nvml = find_os(b, device->object, "nvml");
    struct orr_doc_node *pci = orr_hwloc_pci_of(b, device->object);
    struct orr_doc_node *gpu = add_below(b, pci, ORR_ELEMENT_GPU, object->line);
    long dev = nvml == ORR_NO_ELEMENT ? (long)index : strtol(object_at(b, nvml)->name + strlen("nvml"), NULL, 10);
    int32_t sm = nvml == ORR_NO_ELEMENT ? 0 : orr_gpu_sm_of_name(orr_hwloc_info(object_at(b, nvml), "GPUModel"));
    if (!sm && device->vendor == NVIDIA)
        sm = orr_gpu_sm_of_device(device->id);
    orr_doc_set(&b->draft->doc, gpu, ORR_ATTR_DEV, "%ld", dev);
    if (sm) {
        orr_doc_set(&b->draft->doc, gpu, ORR_ATTR_SM, "%d", sm);
    } else {
        orr_doc_suppose(&b->draft->doc, gpu, ORR_ATTR_SM, "80");
        b->sm_supposed = true;
    }
    orr_doc_set(&b->draft->doc, gpu, ORR_ATTR_RANK, "%ld", dev);
    orr_doc_suppose(&b->draft->doc, gpu, ORR_ATTR_GDR, "1");
    b->gpu_of[index] = (struct orr_hwloc_gpu){.object = device->object, .element = gpu};
}

static void say(struct orr_hwloc_builder *b, uint32_t links)
{
    struct orr_draft *draft = b->draft;
    uint32_t cpus = 0;
    for (struct orr_doc_node *cpu = b->draft->doc.system->first; cpu; cpu = cpu->after)
        cpus++;
    const struct orr_hwloc_object *whole = object_at(b, machine(b, ORR_HWLOC_MACHINE));
    const char *product = orr_hwloc_info(whole, "DMIProductName");
    orr_note_recognised(draft, "%.60s%s%u GPU%s of %s and %u NIC port%s on %u NUMA node%s, %s%s", product,
                        *product ? ": " : "", b->gpu_count, orr_plural(b->gpu_count), b->amd ? "AMD" : "NVIDIA",
                        b->net_count, orr_plural(b->net_count), cpus, orr_plural(cpus),
                        links ? orr_draft_format(draft, "NVLinks in %u rows", links) : "no NVLinks",
                        b->nvswitches ? ", with NVSwitches" : "");
    if (b->amd)
        orr_note_assumed(
            draft, ORR_TOUCHES_ALL,
            "the GPUs are AMD's, which NCCL does not drive: they are read as NVIDIA GPUs of sm 80, without "
            "the xGMI links that the export does not hold");
    else if (b->sm_supposed)
        orr_note_assumed(draft, ORR_TOUCHES_ALL, "the model of a GPU is not known: compute capability 8.0");
    if (b->gpu_count > 1)
        orr_note_assumed(draft, ORR_TOUCHES_ALL, "ranks are the numbers of the GPUs");
    if (b->net_count)
        orr_note_assumed(draft, ORR_TOUCHES_GRAPHS | ORR_TOUCHES_CHANNELS,
                         "NICs are numbered in the order of their names");
    orr_note_assumed(
        draft, ORR_TOUCHES_BANDWIDTH,
        "PCI links have the speed that they had during the export: an idle GPU may show less than it can%s",
        b->supposed_speed ? orr_draft_format(draft, "; those without one are assumed to be %s x16", b->supposed_speed)
                          : "");
    if (!links && !b->nvswitches && !b->amd && b->gpu_count > 1) {
        draft->no_nvlinks = true;
        orr_note_assumed(draft, ORR_TOUCHES_ALL, "the export holds no NVLinks: none are assumed");
        orr_note_missing(draft, "nvidia-smi topo -m; nvidia-smi nvlink -s",
                         "NVLinks: lstopo reports them only if it was built with NVML");
    }
    if (b->hidden)
        orr_note_assumed(draft, ORR_TOUCHES_ALL, "%u GPU%s that NVML does not show beside the others: left out",
                         b->hidden, orr_plural(b->hidden));
    if (b->dropped)
        orr_note_missing(draft, "ibstat", "%u RDMA device%s without an active port, left out", b->dropped,
                         orr_plural(b->dropped));
    if (!b->net_count)
        orr_note_missing(draft, "lstopo --whole-io --of xml machine.xml; ls /sys/class/infiniband /sys/class/net",
                         "NICs: the export lists none, so nothing can be said about several hosts");
    orr_note_missing(
        draft,
        orr_draft_format(draft, "NCCL_TOPO_DUMP_FILE=topo.xml NCCL_DEBUG=INFO ./all_reduce_perf -g %u", b->gpu_count),
        "NIC speeds, GPUDirect RDMA, C2C links");
}

static enum orr_code check(const struct orr_hwloc_builder *b, struct orr_error *err)
{
    if (!b->pci_objects) {
        orr_fail(err, ORR_INVALID, "the hwloc export holds no PCI devices, so neither GPUs nor NICs");
        orr_error_advice(
            err, "export it again with PCI devices: lstopo --whole-io --of xml machine.xml, with hwloc's PCI support");
        return ORR_INVALID;
    }
    if (!b->gpu_count && !b->type) {
        orr_fail(err, ORR_NO_RANKS, "the hwloc export holds %u PCI devices, but no GPU of NVIDIA or AMD among them",
                 b->pci_objects);
        orr_error_advice(err,
                         "export it on a machine where lstopo sees the GPUs: lstopo --whole-io --of xml machine.xml");
        return ORR_NO_RANKS;
    }
    return ORR_OK;
}

enum orr_code orr_hwloc_build(const struct orr_hwloc *hwloc, const struct orr_machine_type *type,
                              struct orr_draft *draft, struct orr_error *err)
{
    struct orr_hwloc_builder *b = ORR_NEW(draft->doc.arena, struct orr_hwloc_builder, 1);
    struct orr_doc_node **node_of = ORR_NEW(draft->doc.arena, struct orr_doc_node *, hwloc->count);
    ORR_NEED(b && node_of, err);
    b->hwloc = hwloc;
    b->type = type;
    b->draft = draft;
    b->node_of = node_of;
    collect(b);
    ORR_TRY(check(b, err));
    keep_visible(b);
    for (uint32_t i = 0; i < b->gpu_count; i++)
        add_gpu(b, i);
    orr_hwloc_add_nics(b);
    suppose_links(b);
    uint32_t links = orr_hwloc_add_nvlinks(b);
    if (!links && b->nvswitches && !type)
        orr_hwloc_suppose_nvlinks(b);
    say(b, links);
    return ORR_OK;
}
