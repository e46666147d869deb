/* SPDX-License-Identifier: Apache-2.0 */
/* The table that `nvidia-smi topo -m` prints, as text and as a machine. */
#ifndef ORR_INPUT_MATRIX_H
#define ORR_INPUT_MATRIX_H

#include "engine/input/draft.h"

/* The relation of two devices by a cell, nearest first. */
enum orr_relation {
    ORR_REL_NONE, /* no cell */
    ORR_REL_SELF,
    ORR_REL_PIX,
    ORR_REL_PXB,
    ORR_REL_PHB,
    ORR_REL_NODE,
    ORR_REL_SYS,
    ORR_REL_NVLINK, /* does not show how PCI joins the two */
    ORR_REL_OTHER   /* a cell that says nothing about places, such as OK of `topo -p2p` */
};

/* Facts in the same text outside the table; NULL and 0 if not given. */
struct orr_beside {
    const char *arch, *vendor, *family, *model, *cpu_name; /* from lscpu; vendor also from other lines */
    const char *said_vendor;                               /* from a CPU's name or the kernel's messages; NULL if not
                                                            * given */
    bool vendors_differ;                                   /* lines name more than one */
    bool pcie_only;                                        /* the table is of `topo -mp`, which hides NVLink */
    bool whole;                                            /* it is of `topo -m`, which shows NVLink */
    uint32_t nic_mbps,
        nic_line; /* the speed of NICs that lines say, and the first of them; 0 if none, or they differ */
    bool nics_differ;
    uint32_t p2p_pairs, p2p_refused; /* cells of `topo -p2p`, and those in which the driver refuses P2P */
};
enum orr_code orr_beside_read(const char *bytes, size_t length, struct orr_arena *arena, struct orr_beside *ret_beside,
                              struct orr_error *err) ORR_NO_DISCARD;

enum { ORR_MATRIX_MOST = 320 }; /* devices */

struct orr_matrix_device {
    const char *name;        /* heading of the column */
    const char *real_name;   /* of a NIC, by the legend; NULL if the column is the name */
    const char *model;       /* of a GPU, from `nvidia-smi -L` if that is in the same text; NULL */
    const char *bus_id;      /* of a GPU, from `nvidia-smi --query-gpu`; NULL */
    const char *cpus, *numa; /* from the last columns; NULL if empty */
    bool is_gpu, has_row;
    uint32_t number; /* of GPU<number>, NIC<number>, or its place among the NICs */
    uint32_t line, column;
};

struct orr_matrix {
    struct orr_matrix_device *devices; /* in the order of the columns */
    uint32_t count, gpu_count;
    uint8_t *relations; /* [count * row + column], enum orr_relation */
    uint8_t *nvlinks;   /* the same: the number after NV */
    bool has_more;      /* another table follows, which is not read */
    bool tells_places;  /* some cell has a relation other than X, NV and OK */
    struct orr_beside beside;
    uint32_t model_line;     /* the line of another kind that names the GPUs, 0 if none does */
    uint32_t contradictions; /* number of cells that differ from their mirror images */
};

/* matrix_names.c: the models of the GPUs, as other lines of the text name them. */
enum orr_code orr_matrix_read_names(struct orr_matrix *matrix, const char *bytes, size_t length,
                                    struct orr_arena *arena, struct orr_error *err) ORR_NO_DISCARD;

/* The CPU, the outer and the inner switch of each device, named by their first device. */
struct orr_matrix_groups {
    uint32_t cpu_of[ORR_MATRIX_MOST], outer_of[ORR_MATRIX_MOST], inner_of[ORR_MATRIX_MOST];
    int32_t numa_of[ORR_MATRIX_MOST]; /* of a CPU */
    uint32_t widened;                 /* number of pairs that the switches join more closely than their cells say */
};
/* matrix_groups.c: fills them, which are zeroed. */
void orr_matrix_group(const struct orr_matrix *matrix, struct orr_matrix_groups *ret_groups);

/* Whether the text contains such a table. */
bool orr_matrix_found(const char *bytes, size_t length);
/* Reads it; memory from arena. INVALID with line and column if a row is missing or short. */
enum orr_code orr_matrix_read(const char *bytes, size_t length, struct orr_arena *arena, struct orr_matrix *ret_matrix,
                              struct orr_error *err) ORR_NO_DISCARD;
/* Builds the PCI tree and the NVLinks that the table implies. */
void orr_matrix_build(const struct orr_matrix *matrix, const struct orr_machine_type *type, struct orr_draft *draft);

#endif
