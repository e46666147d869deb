/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files that build a machine from an hwloc export: hwloc_tree.c (PCI, CPUs, GPUs), hwloc_nics.c,
 * hwloc_links.c. */
#ifndef ORR_INPUT_HWLOC_BUILDER_H
#define ORR_INPUT_HWLOC_BUILDER_H

#include "engine/input/hwloc.h"

enum { ORR_HWLOC_MOST_DEVICES = 1024 }; /* of a kind */

/* A PCIDev, its type as numbers. */
struct orr_hwloc_device {
    uint32_t object;
    uint16_t class, vendor, id;
};

/* A GPU: its PCIDev and its <gpu>. */
struct orr_hwloc_gpu {
    uint32_t object;
    struct orr_doc_node *element;
};

struct orr_hwloc_builder {
    const struct orr_hwloc *hwloc;
    const struct orr_machine_type *type;
    struct orr_draft *draft;
    struct orr_hwloc_device gpus[ORR_HWLOC_MOST_DEVICES], nics[ORR_HWLOC_MOST_DEVICES];
    struct orr_hwloc_gpu gpu_of[ORR_HWLOC_MOST_DEVICES]; /* [gpu_count] */
    uint32_t gpu_count, nic_count, net_count, nvswitches, pci_objects;
    uint32_t dropped;              /* RDMA devices without an active port */
    uint32_t hidden;               /* GPUs that NVML did not see although it saw others */
    struct orr_doc_node **node_of; /* [object]: its <pci>, NULL if there is none yet */
    bool has_rdma, amd, sm_supposed;
    const char *supposed_speed; /* assumed speed of links that the export does not contain, NULL if it contains all */
};

static inline const struct orr_hwloc_object *orr_hwloc_at(const struct orr_hwloc_builder *b, uint32_t object)
{
    return &b->hwloc->objects[object];
}
/* The first object of a kind, 0 (the root) if there is none. */
uint32_t orr_hwloc_first(const struct orr_hwloc_builder *b, enum orr_hwloc_kind kind);
/* The <pci> of an object, made together with everything above it. NCCL skips the port right above a device and uses the
 * next one, which represents the switch; root ports are dropped. */
struct orr_doc_node *orr_hwloc_pci_of(struct orr_hwloc_builder *b, uint32_t object);
/* Whether an object is an RDMA device. */
bool orr_hwloc_is_rdma(const struct orr_hwloc *hwloc, const struct orr_hwloc_object *object);
/* Adds NICs with their ports: RDMA devices if there are any, else network interfaces. */
void orr_hwloc_add_nics(struct orr_hwloc_builder *b);
/* Adds the NVLinks of the matrix; the number of <nvlink> elements. */
uint32_t orr_hwloc_add_nvlinks(struct orr_hwloc_builder *b);
/* If the export has no matrix but NVSwitches among its PCI devices, assumes NVLinks to them, and says so. */
void orr_hwloc_suppose_nvlinks(struct orr_hwloc_builder *b);

#endif
