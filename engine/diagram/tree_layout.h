/* SPDX-License-Identifier: Apache-2.0 */
/* Places a tree of boxes: NUMA nodes in rows, and inside each the PCIe switches, GPUs and NICs below one another, so
 * that equal siblings have equal heights. README.md has a sketch. */
#ifndef ORR_DIAGRAM_TREE_LAYOUT_H
#define ORR_DIAGRAM_TREE_LAYOUT_H

#include "engine/diagram/scene.h"

struct orr_spot {               /* of a node */
    uint32_t first_child, next; /* siblings: those with GPUs first, then by bus id; ORR_NO_NODE if there is none */
    uint32_t child_count;
    bool has_gpu;         /* it is a GPU or contains one */
    bool by_cpu;          /* a GPU (or what contains one) with a further link to its CPU, C2C or NVLink */
    uint32_t columns;     /* of the children */
    uint32_t column;      /* its column in the parent */
    bool alone;           /* alone in its column */
    float w, h;           /* least size */
    struct orr_frame box; /* a container's; its y counts from the top of the row */
    struct orr_frame tile;
    uint32_t row; /* of a root */
    float lane;   /* x of the wire from the parent */
};

struct orr_tree_layout {
    const struct orr_labels *labels;
    struct orr_spot *spots; /* [node] */
    uint32_t *roots;        /* in order of host and NUMA number */
    uint32_t root_count;
    uint32_t row_count;
    float *row_height; /* [row] */
    float width;       /* of the widest row */
    float *tops;       /* [row]: y of its upper edge, which the caller sets once it knows the space between rows */
};

/* Sets labels->drawing->failed if memory ran out. */
void orr_tree_layout(struct orr_tree_layout *layout, const struct orr_labels *labels);
/* The row of any node. */
uint32_t orr_tree_row(const struct orr_tree_layout *layout, uint32_t node);
/* A container is drawn as a box with its tile inside. */
bool orr_tree_is_box(const struct orr_tree_layout *layout, uint32_t node);

#endif
