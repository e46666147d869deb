/* SPDX-License-Identifier: Apache-2.0 */
/* Turns hwloc's objects into NCCL's tree. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/hardware/gpu_models.h"
#include "engine/input/hwloc_builder.h"
#include "engine/input/names.h"
#include "engine/machines/machine_types.h"

enum { NVIDIA = 0x10de, AMD = 0x1002, GPU_CLASS = 0x03, NIC_CLASS = 0x02, NVSWITCH_CLASS = 0x0680 };

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

static enum orr_code collect(struct orr_hwloc_builder *b, struct orr_error *err)
{
    for (uint32_t i = 0; i < b->hwloc->count; i++) {
        const struct orr_hwloc_object *object = orr_hwloc_at(b, i);
        struct orr_hwloc_device device = {.object = i};
        b->has_rdma |= orr_hwloc_is_rdma(b->hwloc, object);
        b->pci_objects += object->kind == ORR_HWLOC_PCI;
        if (object->kind != ORR_HWLOC_PCI || !read_type(object, &device))
            continue;
        bool gpu = device.class >> 8 == GPU_CLASS && (device.vendor == NVIDIA || device.vendor == AMD);
        b->nvswitches += device.vendor == NVIDIA && device.class == NVSWITCH_CLASS;
        const bool nic = device.class >> 8 == NIC_CLASS;
        if ((gpu && b->gpu_count == ORR_HWLOC_MOST_DEVICES) || (nic && b->nic_count == ORR_HWLOC_MOST_DEVICES))
            return orr_fail(err, ORR_LIMIT, "more than %d %s", (int)ORR_HWLOC_MOST_DEVICES, gpu ? "GPUs" : "NICs");
        if (gpu)
            b->gpus[b->gpu_count++] = device;
        else if (nic)
            b->nics[b->nic_count++] = device;
    }
    for (uint32_t i = 0; i < b->gpu_count; i++)
        b->amd |= b->gpus[i].vendor == AMD;
    return ORR_OK;
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

static struct orr_doc_node *add_below(struct orr_hwloc_builder *b, struct orr_doc_node *parent,
                                      enum orr_element_kind kind, uint32_t line)
{
    struct orr_doc_node *node = orr_doc_add(&b->draft->doc, parent, kind, NULL);
    node->line = line;
    return node;
}

static uint32_t find_os(const struct orr_hwloc_builder *b, uint32_t device, const char *prefix)
{
    for (uint32_t i = device + 1; i < b->hwloc->count; i++) { /* its contents come right after it */
        const struct orr_hwloc_object *object = orr_hwloc_at(b, i);
        if (object->parent == ORR_NO_ELEMENT || object->parent < device)
            break;
        if (object->kind == ORR_HWLOC_OS && object->parent == device &&
            !strncmp(object->name, prefix, strlen(prefix)) && isdigit((unsigned char)object->name[strlen(prefix)]))
            return i;
    }
    return ORR_NO_ELEMENT;
}

/* NCCL uses only GPUs that NVML lists: if the export names some of these, the others are hidden (by cgroups or another
 * driver). */
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
    const struct orr_hwloc_object *object = orr_hwloc_at(b, device->object);
    uint32_t nvml = find_os(b, device->object, "nvml");
    struct orr_doc_node *pci = orr_hwloc_pci_of(b, device->object);
    struct orr_doc_node *gpu = add_below(b, pci, ORR_ELEMENT_GPU, object->line);
    long dev = nvml == ORR_NO_ELEMENT ? (long)index : strtol(orr_hwloc_at(b, nvml)->name + strlen("nvml"), NULL, 10);
    int32_t sm = nvml == ORR_NO_ELEMENT ? 0 : orr_gpu_sm_of_name(orr_hwloc_info(orr_hwloc_at(b, nvml), "GPUModel"));
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
    const struct orr_hwloc_object *whole = orr_hwloc_at(b, orr_hwloc_first(b, ORR_HWLOC_MACHINE));
    const char *product = orr_hwloc_info(whole, "DMIProductName");
    orr_note_recognised(draft, "%.60s%s%u GPU%s of %s and %u NIC port%s on %u NUMA node%s, %s%s", product,
                        *product ? ": " : "", b->gpu_count, orr_plural(b->gpu_count), b->amd ? "AMD" : "NVIDIA",
                        b->net_count, orr_plural(b->net_count), cpus, orr_plural(cpus),
                        links ? orr_draft_format(draft, "NVLinks in %u rows", links) : "no NVLinks",
                        b->nvswitches ? ", with NVSwitches" : "");
    if (b->amd)
        orr_note_assumed(draft, ORR_TOUCHES_ALL,
                         "the GPUs are AMD's, which NCCL does not drive: they are read as NVIDIA GPUs of sm 80, "
                         "without the xGMI links, which the export does not contain");
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
        orr_note_assumed(draft, ORR_TOUCHES_ALL, "the export lists no NVLinks, so none are assumed");
        orr_note_missing(draft, "nvidia-smi topo -m; nvidia-smi nvlink -s",
                         "NVLinks: lstopo reports them only if it was built with NVML");
    }
    if (b->hidden)
        orr_note_assumed(draft, ORR_TOUCHES_ALL, "%u GPU%s that NVML does not show, unlike the others: left out",
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
    if (!b->pci_objects)
        return orr_fail_with(
            err, ORR_INVALID, NULL,
            "export it again with PCI devices: lstopo --whole-io --of xml machine.xml, with hwloc's PCI support",
            "the hwloc export contains no PCI devices, and so neither GPUs nor NICs");
    if (!b->gpu_count && !b->type)
        return orr_fail_with(
            err, ORR_NO_RANKS, NULL,
            "export it on a machine where lstopo sees the GPUs: lstopo --whole-io --of xml machine.xml",
            "the hwloc export contains %u PCI devices, but no GPU of NVIDIA or AMD among them", b->pci_objects);
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
    ORR_TRY(collect(b, err));
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
