/* SPDX-License-Identifier: Apache-2.0 */
/* The devices of a dump and what it says about their hardware: PCI identity, links, NVLinks, ports; which devices are
 * equal, and which of them are slower than their equals. It depends on no NCCL release. Findings, drawings and
 * comparisons read it, so that none of them calls a device slow that the others do not.
 */
#ifndef ORR_HARDWARE_HARDWARE_H
#define ORR_HARDWARE_HARDWARE_H

#include "engine/base/arena.h"
#include "engine/hardware/pcie.h"
#include "engine/topology/system.h"

#define ORR_NO_CARD UINT32_MAX

enum orr_card_kind {
    ORR_CARD_BRIDGE, /* a <pci> with neither GPU nor NIC directly inside */
    ORR_CARD_GPU,
    ORR_CARD_NIC
};

/* A <pci> of the dump with what is at or below it. */
struct orr_card {
    uint32_t element;
    enum orr_card_kind kind;
    uint32_t gpu, net;      /* the <gpu> right inside, the first <net> inside; ORR_NO_ELEMENT if there is none */
    uint32_t above;         /* index of the card around it, ORR_NO_CARD if there is none */
    uint32_t depth;         /* cards around it */
    uint32_t gpus_at, gpus; /* GPUs right inside; and at any depth */
    uint32_t nets_at, nets; /* ports likewise */
    bool bridge_class;      /* it has a bridge's class: in the real machine, ports right inside are elsewhere */
    float gbps_at, gbps;    /* their speed, Gb/s */
    uint64_t identity;      /* vendor, device, subsystem vendor and device, 16 bits each; 0 if unknown */
    uint64_t model; /* equal for cards that should be equal: from the identity, or else from what the file shows; 0 if
                     * unknown */
    int32_t width;  /* lanes of the link towards the CPU, 0 if unknown */
    float rate;     /* GT/s of a lane, 0 if unknown */
    float gbs;      /* GB/s that the link carries in one direction, 0 if unknown */
};

/* How a device is slower than its equals. */
enum orr_slower_kind {
    ORR_SLOWER_PCIE,   /* the link of a GPU, NIC or switch towards the CPU, GB/s, of 16 lanes if no width is known;
                          element: the <pci> */
    ORR_SLOWER_C2C,    /* C2C of a GPU to its CPU, GB/s; element: the <gpu> */
    ORR_SLOWER_NVLINK, /* number of a GPU's NVLinks; element: the <gpu> */
    ORR_SLOWER_PORT,   /* speed of a port, Gb/s; element: the <net> */
    ORR_SLOWER_KIND_COUNT
};

struct orr_slower {
    enum orr_slower_kind kind;
    uint32_t element,
        best; /* best: an equal device with the standard value; the port itself if it has no known equal */
    float has, best_has;
};

struct orr_hardware_facts {
    const struct orr_dump *dump;
    struct orr_card *cards;       /* in document order, so what is around a card comes before it */
    uint32_t *gpus, *nets, *cpus; /* elements in document order */
    uint32_t card_count, gpu_count, net_count, cpu_count;
    uint32_t *card_of; /* [element]: the card it is or is inside of, at any depth; ORR_NO_CARD if there is none */
    struct orr_slower *slower; /* by kind, then in document order */
    uint32_t slower_count;
};

/* Reads a dump in one pass. The result borrows the dump; memory comes from arena; false if memory runs out. */
bool orr_hardware_read(const struct orr_dump *dump, struct orr_arena *arena, struct orr_hardware_facts *ret_hardware);

/* The first row of a kind, NULL if no device is slower in that respect. */
const struct orr_slower *orr_slower_first(const struct orr_hardware_facts *hardware, enum orr_slower_kind kind);

/* [element]: the node that represents it in a system of the dump: the node made of it, or else the NIC that its card
 * was merged into, or else the first node of its card; ORR_NO_NODE if there is none. NULL if memory runs out. */
uint32_t *orr_hardware_nodes(const struct orr_hardware_facts *hardware, const struct orr_system *system,
                             struct orr_arena *arena);

/* The value of an attribute, "" if there is none or the element is ORR_NO_ELEMENT. */
static inline const char *orr_element_word(const struct orr_dump *dump, uint32_t element, enum orr_attr attr)
{
    const char *text = element == ORR_NO_ELEMENT ? NULL : orr_element_text(dump, element, attr);
    return text ? text : "";
}
/* The number of a <gpu>'s NVLinks. */
int32_t orr_gpu_nvlinks(const struct orr_dump *dump, uint32_t gpu);
/* GB/s of a <gpu>'s C2C links to its CPU together, 0 if there is none. */
double orr_gpu_c2c(const struct orr_dump *dump, uint32_t gpu);
/* Whether GPUs of a compute capability (10 * major + minor) share the memory of their CPU, such as GB10: they have no
 * memory of their own that a NIC could reach. */
bool orr_gpu_is_integrated(int32_t sm);
/* Whether a NIC is an RDMA device, by its name: "mlx5_0", "bnxt_re1", "rdmap16s27" ... */
bool orr_name_is_rdma(const char *name);
/* Whether a NIC is a bridge, tunnel or pair of interfaces that software makes, by its name: "docker0", "veth12ab" ...
 */
bool orr_name_is_virtual(const char *name);
/* Whether it is one of those that exist only inside a host: the loopback, and those of containers and machines in it.
 */
bool orr_name_is_inside(const char *name);

struct orr_gpu_model;
/* The model of the machine's GPUs, by the name that the input gives or else by PCI id, if NVIDIA's driver offers no P2P
 * over PCIe between two of them; NULL if it does, or it is unknown, or `topo -p2p` in the same text says that it does.
 */
const struct orr_gpu_model *orr_gpu_model_without_p2p(const struct orr_dump *dump);

#endif
