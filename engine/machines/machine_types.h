/* SPDX-License-Identifier: Apache-2.0 */
/* Well-known machines: public facts that a provider's topology file, a matrix or an hwloc export does not contain. A
 * row says how the GPUs are joined and how fast the NICs are; the PCI tree is the input's own. */
#ifndef ORR_MACHINES_MACHINE_TYPES_H
#define ORR_MACHINES_MACHINE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/hardware/gpu_models.h"

enum orr_gpu_fabric {
    ORR_FABRIC_NONE,   /* PCI only */
    ORR_FABRIC_SWITCH, /* every NVLink goes to NVSwitches */
    ORR_FABRIC_MESH,   /* direct NVLinks: counts in `mesh` */
    ORR_FABRIC_PAIRS   /* a bridge joins GPUs 0 and 1, 2 and 3, ... */
};

/* A GPU on a board: its NVLinks, and where they lead. */
struct orr_gpu_board {
    const char *gpu; /* name of its model (engine/hardware/gpu_models.h): "H100 SXM5" */
    int32_t nvlinks; /* of one GPU on this board */
    enum orr_gpu_fabric fabric;
    const char *const *mesh; /* for ORR_FABRIC_MESH: a row of digits for each GPU, the number of NVLinks to each other
                              * GPU */
    const char *link_speed;  /* of its PCI link */
    int32_t c2c_links;       /* to its CPU, 0 if there is none */
    int32_t c2c_mbps;        /* of one of them */
    uint32_t switch_gpus;    /* number of GPUs that share a PCIe switch with their NICs; 0 means one, or as many as
                              * share a NIC */
};

/* A NUMA node with its GPU and NIC, each directly on the CPU. */
struct orr_numa_place {
    int8_t numa, gpu, net; /* net is -1 if there is no NIC */
};

struct orr_machine_type {
    const char *name;   /* "p5.48xlarge": compared without case */
    const char *also;   /* other names, separated by blanks */
    const char *family; /* heading of lists: "NVIDIA", "AWS" ... */
    const char *title;  /* for people */
    const struct orr_gpu_board *board;
    uint32_t gpus, nets; /* of one machine */
    uint32_t net_mbps;
    const char *net_name; /* the provider's name for them, with # for the number */
    bool net_gdr;
    const char *arch, *cpu_vendor; /* cpu_vendor is "" if the CPU has none, like ARM */
    int32_t cpu_family, cpu_model;
    /* NUMA nodes with GPUs, if the source gives them; 0 means one for each CPU, and most have two CPUs */
    uint32_t numa;
    /* one for each GPU, in the order of GPUs; NULL if not known: then devices are spread evenly */
    const struct orr_numa_place *places;
    const char *source; /* sources of its facts, for people; "" if the facts are common knowledge */
    const char *unsure; /* facts that are not certain, because they have no source or differ between machines; "" if
                         * there are none */
};

/* The model of a board's GPU: capability and PCI device ids. Never NULL for a board of the table. */
const struct orr_gpu_model *orr_board_model(const struct orr_gpu_board *board);
/* Row i of the types of one host, NULL if there are no more (machine_table.c). */
const struct orr_machine_type *orr_machine_type(size_t i);
/* All types that users may name: those of one host, then the racks. */
const struct orr_machine_type *orr_machine_listed(size_t i);
/* The number of hosts that make up a type, joined by NVLink: the trays of a rack, or 1. */
uint32_t orr_machine_trays(const struct orr_machine_type *type);
/* Hosts of a type that NVLink joins to a rack: 18 for a tray of NVL72, 1 if none. */
uint32_t orr_machine_joined(const struct orr_machine_type *type);
/* The same by the board of a tray: NVLink may join hosts with these GPUs. */
uint32_t orr_board_joined(const struct orr_gpu_board *board);
/* Whether the server's maker chooses the number and speed of the NICs, because the type is only a board. */
bool orr_machine_nics_chosen(const struct orr_machine_type *type);
/* The type with a name, or other name, ignoring case; NULL if unknown. */
const struct orr_machine_type *orr_machine_type_find(const char *name);
/* Among the types with a GPU (the model name of a board), or among all types if gpu is NULL, the type whose NICs give
 * each GPU the least bandwidth; NULL if no type has that GPU. */
const struct orr_machine_type *orr_machine_least_nics(const char *gpu);
/* Whether each GPU is below a PCIe switch with its NICs. A GPU with C2C is on its CPU, except a GB300: the dump of a
 * real tray shows the switch of a ConnectX-8 above each. */
bool orr_machine_type_has_switches(const struct orr_machine_type *type);
/* The made-up facts of a machine that only its type describes: a clause without a full stop. */
const char *orr_machine_type_made_up(const struct orr_machine_type *type);
/* Whether the GPUs of a type have that product name, as the driver gives it: "NVIDIA H100 80GB HBM3". */
bool orr_machine_type_has(const struct orr_machine_type *type, const char *product);
/* The error for an unknown name; names the nearest. Returns its code. */
enum orr_code orr_machine_type_unknown(const char *name, struct orr_error *err);

#endif
