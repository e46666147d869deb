/* SPDX-License-Identifier: Apache-2.0 */
/* NVLinks of an hwloc export: the matrix of bandwidths that an hwloc built with NVML writes. Its objects are the GPUs
 * in NVML's order, then the far ends that are not GPUs, in order of appearance: NVSwitches as PCI devices and, for
 * ports of POWER processors, the object nearest to the GPU on the side of the CPU. A far end without a PCI device on
 * this machine (an NVSwitch that a virtual machine or a tray does not see) has no column. */
#include <stdlib.h>
#include <string.h>

#include "engine/input/hwloc_builder.h"
#include "engine/input/names.h"

enum { MOST_COUNT = 64, UNKNOWN = UINT32_MAX };

/* MB/s of one link in one direction, as hwloc counts them. */
static uint64_t rate_of_sm(long sm)
{
    return sm < 70 ? 20000 : sm >= 100 ? 50000 : 25000;
}

/* The GPU that an object of the matrix represents: the object itself, or the device that contains NVML's object. */
static uint32_t gpu_of(const struct orr_hwloc_builder *b, uint32_t object)
{
    for (uint32_t i = 0; object != ORR_NO_ELEMENT && i < b->gpu_count; i++)
        if (b->gpu_of[i].object == object || b->hwloc->objects[object].parent == b->gpu_of[i].object)
            return i;
    return UNKNOWN;
}

static bool is_device(const struct orr_hwloc_object *object)
{
    return object->kind == ORR_HWLOC_PCI || object->kind == ORR_HWLOC_OS || object->kind == ORR_HWLOC_BRIDGE;
}

static void add_link(const struct orr_hwloc *hwloc, uint32_t far, bool far_is_gpu, unsigned count,
                     struct orr_doc_node *gpu, struct orr_draft *draft)
{
    const struct orr_hwloc_object *end = &hwloc->objects[far];
    struct orr_doc_node *link = orr_doc_add(&draft->doc, gpu, ORR_ELEMENT_NVLINK, NULL);
    char bus[ORR_BUS_ID_SIZE] = "";
    link->line = gpu->line;
    if (is_device(end) && orr_bus_id_short(end->busid, bus))
        orr_doc_set(&draft->doc, link, ORR_ATTR_TARGET, "%s", bus);
    else /* NCCL's text for an unknown bus id */
        orr_doc_suppose(&draft->doc, link, ORR_ATTR_TARGET, "fffffff:ffff:ff");
    orr_doc_set(&draft->doc, link, ORR_ATTR_COUNT_, "%u", count);
    orr_doc_set(&draft->doc, link, ORR_ATTR_TCLASS, "%s",
                far_is_gpu       ? "0x030200"
                : is_device(end) ? "0x068000"
                                 : "0x068001");
}

uint32_t orr_hwloc_add_nvlinks(struct orr_hwloc_builder *b)
{
    const struct orr_hwloc *hwloc = b->hwloc;
    uint32_t links = 0, size = hwloc->link_count;
    for (uint32_t row = 0; row < size; row++) {
        uint32_t gpu = gpu_of(b, hwloc->link_object[row]);
        if (gpu == UNKNOWN)
            continue;
        struct orr_doc_node *element = b->gpu_of[gpu].element;
        uint64_t rate = rate_of_sm(strtol(orr_doc_word(element, ORR_ATTR_SM), NULL, 10));
        for (uint32_t column = 0; column < size; column++) {
            uint32_t far = hwloc->link_object[column], peer = gpu_of(b, far);
            /* hwloc writes both directions; if an edited export lacks one of them, the other is used */
            uint64_t there = hwloc->link_mbps[(size_t)row * size + column];
            uint64_t back = hwloc->link_mbps[(size_t)column * size + row];
            uint64_t mbps = there > back ? there : back, count = mbps / rate + (mbps % rate >= rate / 2);
            if (!count || count > MOST_COUNT || far == ORR_NO_ELEMENT || peer == gpu)
                continue;
            add_link(hwloc, peer == UNKNOWN ? far : b->gpu_of[peer].object, peer != UNKNOWN, (unsigned)count, element,
                     b->draft);
            links++;
        }
    }
    return links;
}

void orr_hwloc_suppose_nvlinks(struct orr_hwloc_builder *b)
{
    for (uint32_t i = 0; i < b->gpu_count; i++) {
        struct orr_doc_node *gpu = b->gpu_of[i].element;
        long sm = strtol(orr_doc_word(gpu, ORR_ATTR_SM), NULL, 10);
        struct orr_doc_node *link = orr_doc_add(&b->draft->doc, gpu, ORR_ELEMENT_NVLINK, NULL);
        link->line = gpu->line;
        orr_draft_nvswitch(b->draft, link, sm >= 90 ? 18 : sm >= 80 ? 12 : 6);
    }
    orr_note_assumed(
        b->draft, ORR_TOUCHES_ALL,
        "%u NVSwitches are among the PCI devices, but no NVLinks: each GPU is given as many as its generation has",
        b->nvswitches);
}
