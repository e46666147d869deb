/* hwloc's objects become NCCL's tree: ports of switches are folded in pairs as NCCL does from sysfs. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/input/hwloc.h"
#include "engine/input/machine_types.h"
#include "engine/input/names.h"

enum {
    NVIDIA = 0x10de,
    AMD = 0x1002,
    MOST_DEVICES = 1024,
    GPU_CLASS = 0x03,
    NIC_CLASS = 0x02,
    NVSWITCH_CLASS = 0x0680
};

struct device {
    uint32_t object;
    uint16_t class, vendor, id;
};

struct builder {
    const struct orr_hwloc *hwloc;
    const struct orr_machine_type *type;
    struct orr_draft *draft;
    struct device gpus[MOST_DEVICES], nics[MOST_DEVICES];
    struct orr_hwloc_gpu gpu_of[MOST_DEVICES]; /* for their NVLinks */
    uint32_t gpu_count, nic_count, net_count, nvswitches, pci_objects, dropped;
    uint32_t *node_of; /* [object]: its <pci> or <cpu>, 0: none yet */
    bool has_rdma, amd, sm_supposed;
    const char *supposed_speed; /* of links that the export does not tell, NULL: it tells all */
};

static const struct orr_hwloc_object *object_at(const struct builder *b, uint32_t i)
{
    return &b->hwloc->objects[i];
}

/* "0302 [10de:20b0] [10de:134f] a1": class and ids as numbers. */
static bool read_type(const struct orr_hwloc_object *object, struct device *device)
{
    unsigned class, vendor, id;
    if (sscanf(object->pci_type, "%4x [%4x:%4x]", &class, &vendor, &id) != 3)
        return false;
    device->class = (uint16_t) class;
    device->vendor = (uint16_t)vendor;
    device->id = (uint16_t)id;
    return true;
}

/* What an OSDev is: numbers in versions 1 and 2, a mask in version 3. */
static bool is_rdma(const struct builder *b, const struct orr_hwloc_object *object)
{
    long type = strtol(object->osdev_type, NULL, 10);
    return object->kind == ORR_HWLOC_OS && (b->hwloc->version_3 ? (type & 32) != 0 : type == 3);
}

static bool is_network(const struct builder *b, const struct orr_hwloc_object *object)
{
    long type = strtol(object->osdev_type, NULL, 10);
    return object->kind == ORR_HWLOC_OS && (b->hwloc->version_3 ? (type & 16) != 0 : type == 2);
}

static void collect(struct builder *b)
{
    for (uint32_t i = 0; i < b->hwloc->count; i++) {
        const struct orr_hwloc_object *object = object_at(b, i);
        struct device device = {.object = i};
        b->has_rdma |= is_rdma(b, object);
        b->pci_objects += object->kind == ORR_HWLOC_PCI;
        if (object->kind != ORR_HWLOC_PCI || !read_type(object, &device))
            continue;
        bool gpu = device.class >> 8 == GPU_CLASS && (device.vendor == NVIDIA || device.vendor == AMD);
        b->nvswitches += device.vendor == NVIDIA && device.class == NVSWITCH_CLASS;
        if (gpu && b->gpu_count < MOST_DEVICES)
            b->gpus[b->gpu_count++] = device;
        else if (device.class >> 8 == NIC_CLASS && b->nic_count < MOST_DEVICES)
            b->nics[b->nic_count++] = device;
    }
    for (uint32_t i = 0; i < b->gpu_count; i++)
        b->amd |= b->gpus[i].vendor == AMD;
}

/* GB/s of a negotiated link as speed and lanes: the widest that fits. */
static void set_link(struct builder *b, uint32_t pci, const char *text)
{
    static const struct {
        const char *name;
        double lane;
    } speeds[] = {{"2.5 GT/s PCIe", 0.25},      {"5.0 GT/s PCIe", 0.5},       {"8.0 GT/s PCIe", 0.984615},
                  {"16.0 GT/s PCIe", 1.969231}, {"32.0 GT/s PCIe", 3.938462}, {"64.0 GT/s PCIe", 7.876923}};
    double gbs = strtod(text, NULL), best = 0;
    const char *speed = NULL;
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0] && gbs > 0; i++) {
        double lanes = gbs / speeds[i].lane;
        double whole = (double)(int)(lanes + 0.5);
        double off = lanes > whole ? lanes - whole : whole - lanes;
        if (whole >= 1 && whole <= 16 && off < 0.02 * whole && whole > best) {
            best = whole;
            speed = speeds[i].name;
        }
    }
    if (!speed)
        return;
    orr_draft_set(b->draft, pci, ORR_ATTR_LINK_SPEED, "%s", speed);
    orr_draft_set(b->draft, pci, ORR_ATTR_LINK_WIDTH, "%d", (int)best);
}

/* Links of which the export tells nothing are as fast as those of the GPUs' generation. */
static void suppose_links(struct builder *b)
{
    struct orr_draft *draft = b->draft;
    const char *sm = b->gpu_count ? orr_draft_get(draft, b->gpu_of[0].element, ORR_ATTR_SM) : "";
    const char *speed = orr_link_speed_of_sm((int32_t)strtol(sm, NULL, 10));
    for (uint32_t node = 0; node < draft->count; node++) {
        if (draft->nodes[node].kind != ORR_ELEMENT_PCI || orr_draft_attr(draft, node, ORR_ATTR_LINK_SPEED))
            continue;
        orr_draft_suppose(draft, node, ORR_ATTR_LINK_SPEED, "%s", speed);
        orr_draft_suppose(draft, node, ORR_ATTR_LINK_WIDTH, "16");
        b->supposed_speed = speed;
    }
}

/* "0xffffffff,,0x1" with empty words for zero becomes words of eight digits. */
static void set_affinity(struct builder *b, uint32_t cpu, const char *cpuset)
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
    orr_draft_set(b->draft, cpu, ORR_ATTR_AFFINITY, "%s", text);
}

static uint32_t machine(const struct builder *b, enum orr_hwloc_kind kind)
{
    for (uint32_t i = 0; i < b->hwloc->count; i++)
        if (object_at(b, i)->kind == kind)
            return i;
    return 0;
}

/* What kind of CPU it is, by NCCL's numbers: it shifts AMD's extended family where the kernel adds it. */
static void set_cpu_kind(struct builder *b, uint32_t cpu)
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
            orr_draft_set(b->draft, cpu, ORR_ATTR_ARCH, "%s", arches[i][1]);
            return;
        }
    long number = strtol(family, NULL, 10);
    if (!strcmp(arch, "x86_64"))
        orr_draft_set(b->draft, cpu, ORR_ATTR_ARCH, "x86_64");
    if (*vendor && *family && *model) {
        orr_draft_set(b->draft, cpu, ORR_ATTR_VENDOR, "%s", vendor);
        orr_draft_set(b->draft, cpu, ORR_ATTR_FAMILYID, "%ld",
                      number > EXTENDED ? EXTENDED + SHIFT * (number - EXTENDED) : number);
        orr_draft_set(b->draft, cpu, ORR_ATTR_MODELID, "%s", model);
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
static uint32_t cpu_of(struct builder *b, uint32_t object)
{
    uint32_t at = object_at(b, object)->parent;
    while (at != ORR_NO_ELEMENT && (object_at(b, at)->kind == ORR_HWLOC_BRIDGE || !*object_at(b, at)->nodeset))
        at = object_at(b, at)->parent;
    long numa = at == ORR_NO_ELEMENT ? -1 : lowest_node(object_at(b, at)->nodeset);
    numa = numa < 0 ? 0 : numa;
    char text[24];
    snprintf(text, sizeof text, "%ld", numa);
    for (uint32_t cpu = b->draft->nodes[0].first; cpu != ORR_NO_ELEMENT; cpu = b->draft->nodes[cpu].next)
        if (!strcmp(orr_draft_get(b->draft, cpu, ORR_ATTR_NUMAID), text))
            return cpu;
    uint32_t cpu = orr_draft_add(b->draft, 0, ORR_ELEMENT_CPU), node = ORR_NO_ELEMENT;
    for (uint32_t i = 0; i < b->hwloc->count && node == ORR_NO_ELEMENT; i++)
        if (object_at(b, i)->kind == ORR_HWLOC_NUMA && strtol(object_at(b, i)->os_index, NULL, 10) == numa)
            node = i;
    orr_draft_set(b->draft, cpu, ORR_ATTR_NUMAID, "%ld", numa);
    set_affinity(b, cpu,
                 node != ORR_NO_ELEMENT ? object_at(b, node)->cpuset
                 : at != ORR_NO_ELEMENT ? object_at(b, at)->cpuset
                                        : "");
    set_cpu_kind(b, cpu);
    b->draft->nodes[cpu].line = node != ORR_NO_ELEMENT ? object_at(b, node)->line : 0;
    return cpu;
}

/* A bridge of PCI above an object, ORR_NO_ELEMENT: the host bridge or the CPU is. */
static uint32_t bridge_above(const struct builder *b, uint32_t object)
{
    uint32_t parent = object_at(b, object)->parent;
    bool bridge = parent != ORR_NO_ELEMENT && object_at(b, parent)->kind == ORR_HWLOC_BRIDGE &&
                  !object_at(b, parent)->is_host_bridge;
    return bridge ? parent : ORR_NO_ELEMENT;
}

/* The <pci> of an object, with all above it: NCCL passes over the port right above a device and takes the next one,
 * which stands for the switch; a root port is dropped. */
static uint32_t pci_of(struct builder *b, uint32_t object)
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
    uint32_t parent = b->node_of[at] ? b->node_of[at] : cpu_of(b, at);
    while (depth) {
        const struct orr_hwloc_object *made = object_at(b, chain[--depth]);
        unsigned class = 0, vendor = 0, device = 0, subvendor = 0, subdevice = 0;
        uint32_t pci = orr_draft_add(b->draft, parent, ORR_ELEMENT_PCI);
        b->draft->nodes[pci].line = made->line;
        int got = sscanf(made->pci_type, "%4x [%4x:%4x] [%4x:%4x]", &class, &vendor, &device, &subvendor, &subdevice);
        char bus[ORR_BUS_ID_SIZE];
        orr_draft_set(b->draft, pci, ORR_ATTR_BUSID, "%s", orr_bus_id_short(made->busid, bus) ? bus : made->busid);
        orr_draft_set(b->draft, pci, ORR_ATTR_CLASS, "0x%04x00", class);
        if (got >= 3) {
            orr_draft_set(b->draft, pci, ORR_ATTR_VENDOR, "0x%04x", vendor);
            orr_draft_set(b->draft, pci, ORR_ATTR_DEVICE, "0x%04x", device);
            orr_draft_set(b->draft, pci, ORR_ATTR_SUBSYSTEM_VENDOR, "0x%04x", subvendor);
            orr_draft_set(b->draft, pci, ORR_ATTR_SUBSYSTEM_DEVICE, "0x%04x", subdevice);
        }
        set_link(b, pci, made->link_speed);
        b->node_of[chain[depth]] = parent = pci;
    }
    return parent;
}

static uint32_t add_below(struct builder *b, uint32_t parent, enum orr_element_kind kind, uint32_t line)
{
    uint32_t node = orr_draft_add(b->draft, parent, kind);
    b->draft->nodes[node].line = line;
    return node;
}

static uint32_t find_os(const struct builder *b, uint32_t device, const char *prefix)
{
    for (uint32_t i = device + 1; i < b->hwloc->count; i++) { /* what is inside it stands right behind it */
        const struct orr_hwloc_object *object = object_at(b, i);
        if (object->parent == ORR_NO_ELEMENT || object->parent < device)
            break;
        if (object->kind == ORR_HWLOC_OS && object->parent == device &&
            !strncmp(object->name, prefix, strlen(prefix)) && isdigit((unsigned char)object->name[strlen(prefix)]))
            return i;
    }
    return ORR_NO_ELEMENT;
}

static void add_gpu(struct builder *b, uint32_t index)
{
    const struct device *device = &b->gpus[index];
    const struct orr_hwloc_object *object = object_at(b, device->object);
    uint32_t nvml = find_os(b, device->object, "nvml"), pci = pci_of(b, device->object);
    uint32_t gpu = add_below(b, pci, ORR_ELEMENT_GPU, object->line);
    long dev = nvml == ORR_NO_ELEMENT ? (long)index : strtol(object_at(b, nvml)->name + strlen("nvml"), NULL, 10);
    int32_t sm = nvml == ORR_NO_ELEMENT ? 0 : orr_sm_of_name(orr_hwloc_info(object_at(b, nvml), "GPUModel"));
    if (!sm && device->vendor == NVIDIA)
        sm = orr_sm_of_device(device->id);
    orr_draft_set(b->draft, gpu, ORR_ATTR_DEV, "%ld", dev);
    if (sm) {
        orr_draft_set(b->draft, gpu, ORR_ATTR_SM, "%d", sm);
    } else {
        orr_draft_suppose(b->draft, gpu, ORR_ATTR_SM, "80");
        b->sm_supposed = true;
    }
    orr_draft_set(b->draft, gpu, ORR_ATTR_RANK, "%ld", dev);
    orr_draft_suppose(b->draft, gpu, ORR_ATTR_GDR, "1");
    b->gpu_of[index] = (struct orr_hwloc_gpu){.object = device->object, .element = gpu};
}

/* The number that NCCL makes of a GUID: its bytes the other way round. */
static void set_guid(struct builder *b, uint32_t net, const struct orr_hwloc_object *object)
{
    unsigned words[4];
    uint64_t guid = 0;
    const char *text = orr_hwloc_info(object, "SysImageGUID");
    text = *text ? text : orr_hwloc_info(object, "NodeGUID");
    if (sscanf(text, "%4x:%4x:%4x:%4x", &words[0], &words[1], &words[2], &words[3]) != 4)
        return;
    for (int i = 3; i >= 0; i--)
        guid = guid << 16 | (words[i] & 0xffu) << 8 | words[i] >> 8;
    orr_draft_set(b->draft, net, ORR_ATTR_GUID, "0x%llx", (unsigned long long)guid);
}

/* Ports that are active; where the export does not tell, the first one. */
static void add_ports(struct builder *b, uint32_t nic, const struct orr_hwloc_object *object)
{
    enum { MOST_PORTS = 4 };
    bool told = false, any = false;
    for (int port = 1; port <= MOST_PORTS; port++) {
        char name[24];
        snprintf(name, sizeof name, "Port%dState", port);
        const char *state = orr_hwloc_info(object, name);
        told |= *state != 0;
        if (strcmp(state, "4") != 0 && (port < MOST_PORTS || told || any))
            continue;
        uint32_t net = add_below(b, nic, ORR_ELEMENT_NET, object->line);
        orr_draft_net(b->draft, net, object->name, b->net_count++);
        set_guid(b, net, object);
        if (told)
            orr_draft_set(b->draft, net, ORR_ATTR_PORT, "%d", port);
        any = true;
    }
}

static void add_nic(struct builder *b, uint32_t index)
{
    const struct device *device = &b->nics[index];
    uint32_t nic = 0;
    for (uint32_t i = device->object + 1; i < b->hwloc->count && object_at(b, i)->parent >= device->object; i++) {
        const struct orr_hwloc_object *object = object_at(b, i);
        bool wanted = object->parent == device->object && (b->has_rdma ? is_rdma(b, object) : is_network(b, object));
        if (object->parent == ORR_NO_ELEMENT || !wanted)
            continue;
        uint32_t pci = pci_of(b, device->object);
        if (!nic)
            nic = add_below(b, pci, ORR_ELEMENT_NIC, object->line);
        add_ports(b, nic, object);
    }
    if (nic && b->draft->nodes[nic].first == ORR_NO_ELEMENT) { /* all ports are down */
        orr_draft_remove(b->draft, b->draft->nodes[nic].parent);
        b->dropped++;
    }
}

static void say(struct builder *b, uint32_t links)
{
    struct orr_draft *draft = b->draft;
    uint32_t cpus = 0;
    for (uint32_t cpu = draft->nodes[0].first; cpu != ORR_NO_ELEMENT; cpu = draft->nodes[cpu].next)
        cpus++;
    const struct orr_hwloc_object *whole = object_at(b, machine(b, ORR_HWLOC_MACHINE));
    const char *product = orr_hwloc_info(whole, "DMIProductName");
    orr_note_recognised(draft, "%.60s%s%u GPU%s of %s and %u NIC port%s on %u NUMA node%s, %s%s", product,
                        *product ? ": " : "", b->gpu_count, b->gpu_count == 1 ? "" : "s", b->amd ? "AMD" : "NVIDIA",
                        b->net_count, b->net_count == 1 ? "" : "s", cpus, cpus == 1 ? "" : "s",
                        links ? orr_draft_format(draft, "NVLinks in %u rows", links) : "no NVLinks",
                        b->nvswitches ? ", with NVSwitches" : "");
    if (b->amd)
        orr_note_assumed(
            draft, ORR_TOUCHES_ALL,
            "the GPUs are AMD's, which NCCL does not drive: they are read as NVIDIA GPUs of sm 80, without "
            "the xGMI links that the export does not hold");
    else if (b->sm_supposed)
        orr_note_assumed(draft, ORR_TOUCHES_ALL, "the model of a GPU is not known: compute capability 8.0");
    if (b->net_count)
        orr_note_assumed(
            draft, ORR_TOUCHES_BANDWIDTH | ORR_TOUCHES_GDR,
            "hwloc has no NIC speeds: RDMA ports are taken for 100 Gb/s, others for 10; GPU Direct RDMA is "
            "taken to work with RDMA NICs");
    orr_note_assumed(
        draft, ORR_TOUCHES_BANDWIDTH,
        "PCI links have the speed that they had during the export: an idle GPU may show less than it can%s",
        b->supposed_speed ? orr_draft_format(draft, "; those without one are taken for %s x16", b->supposed_speed) : "");
    if (!links && !b->nvswitches && !b->amd && b->gpu_count > 1) {
        orr_note_assumed(draft, ORR_TOUCHES_ALL, "the export holds no NVLinks: none are assumed");
        orr_note_missing(draft, "nvidia-smi topo -m; nvidia-smi nvlink -s",
                         "NVLinks: lstopo tells them only where it was built with NVML");
    }
    if (b->dropped)
        orr_note_missing(draft, "ibstat", "%u RDMA device%s without an active port, left out", b->dropped,
                         b->dropped == 1 ? "" : "s");
    orr_note_missing(
        draft,
        orr_draft_format(draft, "NCCL_TOPO_DUMP_FILE=topo.xml NCCL_DEBUG=INFO ./all_reduce_perf -g %u", b->gpu_count),
        "NIC speeds, GPU Direct RDMA, C2C links");
}

static enum orr_code check(const struct builder *b, struct orr_error *err)
{
    if (!b->pci_objects) {
        orr_fail(err, ORR_INVALID, "the hwloc export holds no PCI devices, so neither GPUs nor NICs");
        orr_error_advice(err, "export it with them: lstopo --whole-io --of xml machine.xml, with hwloc's PCI support");
        return ORR_INVALID;
    }
    if (!b->gpu_count && !b->type) {
        orr_fail(err, ORR_NO_RANKS, "the hwloc export holds %u PCI devices, but no GPU of NVIDIA or AMD among them",
                 b->pci_objects);
        orr_error_advice(err,
                         "export it on a machine whose GPUs are not hidden: lstopo --whole-io --of xml machine.xml");
        return ORR_NO_RANKS;
    }
    return ORR_OK;
}

enum orr_code orr_hwloc_build(const struct orr_hwloc *hwloc, const struct orr_machine_type *type,
                              struct orr_draft *draft, struct orr_error *err)
{
    struct builder *b = ORR_NEW(draft->arena, struct builder, 1);
    uint32_t *node_of = ORR_NEW(draft->arena, uint32_t, hwloc->count);
    if (!b || !node_of)
        return orr_fail_nomem(err);
    b->hwloc = hwloc;
    b->type = type;
    b->draft = draft;
    b->node_of = node_of;
    collect(b);
    ORR_TRY(check(b, err));
    for (uint32_t i = 0; i < b->gpu_count; i++)
        add_gpu(b, i);
    for (uint32_t i = 0; i < b->nic_count; i++)
        add_nic(b, i);
    suppose_links(b);
    uint32_t links = orr_hwloc_add_nvlinks(hwloc, b->gpu_of, b->gpu_count, draft);
    if (!links && b->nvswitches && !type)
        orr_hwloc_suppose_nvlinks(b->gpu_of, b->gpu_count, b->nvswitches, draft);
    say(b, links);
    return ORR_OK;
}
