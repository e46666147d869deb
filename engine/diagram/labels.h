/* SPDX-License-Identifier: Apache-2.0 */
/* Labels and titles of devices and links in pictures, and the links that are slower than those of their equals. Made
 * once for each system, then looked up by node index. */
#ifndef ORR_DIAGRAM_LABELS_H
#define ORR_DIAGRAM_LABELS_H

#include "engine/diagram/drawing.h"
#include "engine/hardware/hardware.h"

/* A node's link towards the CPU, and the respects in which the node is slower than its equals. */
struct orr_uplink {
    uint32_t link;               /* link to the node's container, ORR_NO_LINK if there is none */
    const struct orr_card *card; /* of a PCIe link as the dump states it, NULL if there is none */
    const struct orr_slower *slower[ORR_SLOWER_KIND_COUNT]; /* NULL if it is not */
    bool degraded;                                          /* any of these */
};

struct orr_labels {
    const struct orr_system *system; /* the system to draw, with the link and node indices of the original system */
    const uint32_t *drawn_as;        /* [node]: the node whose tile represents it; if that is another node, it is not
                                      * drawn */
    struct orr_drawing *drawing;     /* texts live in its arena */
    const uint32_t *parent;          /* [node]: its container, ORR_NO_NODE if there is none */
    const uint32_t *depth;           /* [node]: containers around it */
    struct orr_uplink *uplinks;      /* [node] */
    struct orr_hardware_facts hw;    /* of the dump; empty if there is none */
    uint32_t *node_of;               /* [element]: node */
    uint32_t *copy;                  /* [node]: 0, or counts nodes before it with the same type and id (faulty dumps) */
    float usual[ORR_LINK_TYPE_COUNT]; /* the bandwidth that most links of a type have; 0 if there are fewer than two */
    bool several_systems;             /* node ids differ in their system part: several hosts in one dump */
};

/* Finds the container of each node: PCI links lead from a CPU to everything below it; GPUs without PCI are below the
 * CPU by C2C or NVLink, NETs below their NIC. Gives parent and depth arrays in the arena, NULL if memory ran out. */
bool orr_containment(const struct orr_system *system, const uint32_t *drawn_as, struct orr_arena *arena,
                     uint32_t **ret_parent, uint32_t **ret_depth);

/* A GPU, or a physical GPU with several ranks. */
static inline bool orr_is_gpu(enum orr_node_type type)
{
    return type == ORR_GPU || type == ORR_DEV;
}

/* Fills in everything above for one system. Sets drawing->failed if memory ran out. */
void orr_labels_init(struct orr_labels *labels, const struct orr_system *system, struct orr_drawing *drawing);

/* Whether a link has the bandwidth that most links of its type have, as shown. */
bool orr_label_is_usual(const struct orr_labels *labels, const struct orr_link *link);

/* "GPU/0-1b000"; "PCI/0-c1000:2" for a second one of that id. */
const char *orr_label_id(const struct orr_labels *labels, uint32_t node);
/* Lines in a tile `width` points wide: "GPU 0 · rank 0\n1b:00.0 · sm_90". */
const char *orr_label_tile(const struct orr_labels *labels, uint32_t node, float font, float width);
/* "GPU 0, rank 0, bus id 0000:1b:00.0, NUMA node 0, compute capability 9.0, ...". */
const char *orr_label_title(const struct orr_labels *labels, uint32_t node);
/* Whether more than the bus id of the device was assumed: a switch that the distances imply, a CPU of unknown model, a
 * port of unknown speed. Never true for a machine type, whose facts are known. */
bool orr_label_assumed(const struct orr_labels *labels, uint32_t node);
/* The class of a device's elements ("gpu") and its role. */
const char *orr_label_class(enum orr_node_type type);
enum orr_role orr_label_role(enum orr_node_type type);

/* "Gen5 x16", NULL if the dump does not say. */
const char *orr_label_pcie(struct orr_drawing *drawing, const struct orr_card *card);
/* "; slower than its equals, which have Gen5 x16 (GPU/0-1b000)". */
const char *orr_label_slower(const struct orr_labels *labels, const struct orr_slower *row);

/* "48", "12.5", "722" GB/s. */
const char *orr_label_bw(struct orr_drawing *drawing, float bw);
/* The longest wording of a link that fits: "Gen5 x16 · 48 GB/s", "G5 x16 · 48", "48". A degraded one is marked. */
const char *orr_label_link(const struct orr_labels *labels, uint32_t link, float font, float width);
/* The same for a picture that gives the usual bandwidth elsewhere: NULL for a link that has it. */
const char *orr_label_exception(const struct orr_labels *labels, uint32_t link, float font, float width);
/* "PCIe 48, NVLink 371": the usual bandwidths in GB/s; "" if every link has its own label. */
const char *orr_label_usual(const struct orr_labels *labels);
const char *orr_label_link_title(const struct orr_labels *labels, uint32_t link);
/* The respect in which a link is slower than those of equal devices, NULL if it is not. */
const struct orr_slower *orr_label_degraded(const struct orr_labels *labels, uint32_t link);
/* "link pci", "link nvl degraded" ... */
const char *orr_label_link_class(const struct orr_labels *labels, uint32_t link);

#endif
