/* SPDX-License-Identifier: Apache-2.0 */
/* The devices of a dump for comparisons: the kind and figures of each, the device above it, and its NVLinks. Names (bus
 * ids, numbers of NICs, host hashes) are left out, because they do not show a device's role.
 *
 * Device 0 is the whole, then come the hosts, then the elements <cpu>, <pci>, <gpu>, <nic>, <net> in document order, so
 * that what surrounds a device comes before it.
 */
#ifndef ORR_COMPARE_DEVICES_H
#define ORR_COMPARE_DEVICES_H

#include "engine/base/arena.h"
#include "engine/hardware/hardware.h"

#define ORR_NO_DEVICE UINT32_MAX

enum orr_device_kind {
    ORR_DEVICE_WHOLE,
    ORR_DEVICE_HOST, /* the <cpu> with one host_hash */
    ORR_DEVICE_CPU,
    ORR_DEVICE_BRIDGE, /* a <pci> with neither GPU nor NIC right inside */
    ORR_DEVICE_GPU_CARD,
    ORR_DEVICE_NIC_CARD,
    ORR_DEVICE_GPU,
    ORR_DEVICE_NIC,
    ORR_DEVICE_NET,
    ORR_DEVICE_KIND_COUNT
};

struct orr_device {
    enum orr_device_kind kind;
    uint32_t element;                     /* of the dump, ORR_NO_ELEMENT if there is none */
    uint32_t parent;                      /* device, ORR_NO_DEVICE if there is none */
    uint32_t first_child, child_count;    /* into devices->children */
    int32_t rank;                         /* for a GPU: its position among all ranks by value, -1 if it has none */
    int64_t role;                         /* for a GPU with a rank: distance from the lowest rank, otherwise -1 */
    uint32_t switches, switch_links;      /* for a GPU: number of NVSwitches that it lists, and of its links to them */
    uint32_t hidden_links;                /* NVLinks to devices that are not in the dump */
    uint32_t guid_shared;                 /* for a port: number of the host's ports with its guid, including itself */
    uint64_t shape, hardware;             /* digests of the device alone: of its kind, and of kind and figures */
    uint64_t shape_below, hardware_below; /* the same, including its contents */
    uint64_t ranks_below;                 /* which ranks are inside it, 0 if there is none */
    int64_t order;                        /* order among equal devices: rank, or number of the port */
};

/* The names of a dump: its id or file, and a name that may be empty. */
struct orr_called {
    const char *topology, *name;
};

/* NVLinks between two GPUs of the dump, from one end. */
struct orr_lane {
    uint32_t from, to; /* devices */
    uint32_t count;
};

struct orr_devices {
    const struct orr_dump *dump;
    struct orr_hardware_facts hw; /* of the dump */
    struct orr_device *rows;
    uint32_t count;
    uint32_t *children;
    uint32_t *of_element; /* [element]: device, ORR_NO_DEVICE if there is none */
    struct orr_lane *lanes;
    uint32_t lane_count;
    uint32_t *gpu_of_rank; /* [rank]: device */
    uint32_t rank_count;
};

enum orr_code orr_devices_read(const struct orr_dump *dump, struct orr_arena *arena, struct orr_devices *ret_devices,
                               struct orr_error *err) ORR_NO_DISCARD;

/* The figures of a device in comparisons, one row for each attribute (figures.c). */
enum { ORR_FIGURE_SIZE = 64 };
struct orr_figure {
    const char *name; /* stable word: "link_speed" */
    const char *text; /* for people: "PCIe speed" */
    bool numbering;   /* it only identifies devices, and does not affect what they can do */
};
/* Figure i, NULL if there are no more. */
const struct orr_figure *orr_figure(size_t i);
/* Its value for a device, in one form for all dumps; false if devices of this kind have none. */
bool orr_figure_of(const struct orr_devices *devices, uint32_t device, size_t figure, char text[ORR_FIGURE_SIZE]);

/* Its name for people: "GPU 3 at 0000:1b:00.0", "port mlx5_0", "bridge 0000:15:00.0" (names.c). Returns buffer. */
enum { ORR_DEVICE_NAME_SIZE = 96 };
char *orr_device_text(const struct orr_devices *devices, uint32_t device, char buffer[ORR_DEVICE_NAME_SIZE]);
/* "gpu", "net", "bridge" ... */
const char *orr_device_kind_name(enum orr_device_kind kind);

/* Mixes a value into a digest; the order matters. */
static inline uint64_t orr_mix(uint64_t digest, uint64_t value)
{
    digest ^= value + 0x9e3779b97f4a7c15u + (digest << 6) + (digest >> 2);
    digest *= 0xff51afd7ed558ccdu;
    return digest ^ digest >> 33;
}

#endif
