/* SPDX-License-Identifier: Apache-2.0 */
/* An hwloc export (`lstopo --of xml`) of version 1, 2 or 3, as objects and as a machine. */
#ifndef ORR_INPUT_HWLOC_H
#define ORR_INPUT_HWLOC_H

#include "engine/input/draft.h"

#define ORR_HWLOC_MAP(X)                                                                                               \
    X(MACHINE, "Machine")                                                                                              \
    X(PACKAGE, "Package")                                                                                              \
    X(SOCKET, "Socket") /* version 1's name for a package */                                                           \
    X(NUMA, "NUMANode")                                                                                                \
    X(BRIDGE, "Bridge")                                                                                                \
    X(PCI, "PCIDev")                                                                                                   \
    X(OS, "OSDev")

enum orr_hwloc_kind {
#define X(name, text) ORR_HWLOC_##name,
    ORR_HWLOC_MAP(X)
#undef X
        ORR_HWLOC_OTHER
};

struct orr_hwloc_info {
    const char *name, *value;
    struct orr_hwloc_info *next;
};

/* Attributes as text, "" if they are absent. */
struct orr_hwloc_object {
    enum orr_hwloc_kind kind;
    uint32_t parent; /* ORR_NO_ELEMENT if there is none */
    uint32_t line;
    bool is_host_bridge; /* a bridge between CPU and PCI, which is not a device */
    const char *name, *os_index, *cpuset, *nodeset, *gp_index, *busid, *pci_type, *link_speed, *osdev_type;
    struct orr_hwloc_info *infos;
};

struct orr_hwloc {
    struct orr_hwloc_object *objects; /* parents before children */
    unsigned count, capacity;
    bool version_3;
    uint32_t link_count;         /* objects of the NVLink matrix */
    const uint32_t *link_object; /* [link_count], ORR_NO_ELEMENT if not found */
    const uint64_t *link_mbps;   /* [link_count * row + column]: from row to column */
};

/* Reads the objects; memory from arena. SYNTAX with a line if the text is not XML, LIMIT. */
enum orr_code orr_hwloc_read(const char *bytes, size_t length, uint32_t line_before, struct orr_arena *arena,
                             struct orr_hwloc *ret_hwloc, struct orr_error *err) ORR_NO_DISCARD;
/* Builds the machine; INVALID if the export has no usable PCI devices. */
enum orr_code orr_hwloc_build(const struct orr_hwloc *hwloc, const struct orr_machine_type *type,
                              struct orr_draft *draft, struct orr_error *err) ORR_NO_DISCARD;
/* The value of an info of an object, "" if there is none. */
const char *orr_hwloc_info(const struct orr_hwloc_object *object, const char *name);

#endif
