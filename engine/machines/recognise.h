/* SPDX-License-Identifier: Apache-2.0 */
/* What a dump's machine should be: which GPU it has by PCI device ids, which well-known machine type it is, and what
 * follows from that for its NVLinks, PCIe links and devices. Every value is 0 or NULL if the dump does not prove it.
 */
#ifndef ORR_MACHINES_RECOGNISE_H
#define ORR_MACHINES_RECOGNISE_H

#include "engine/hardware/hardware.h"
#include "engine/machines/machine_types.h"

/* The one figure in which all equal devices of a host differ from a type that fits in everything else. */
enum orr_differs {
    ORR_DIFFERS_NOTHING,
    ORR_DIFFERS_PORT_SPEED, /* Mb/s of its ports */
    ORR_DIFFERS_PORTS,      /* half of its ports, or fewer */
    ORR_DIFFERS_GPUS        /* half of its GPUs, or fewer */
};

enum { ORR_MOST_NEARLY = 3 }; /* types that are named */

struct orr_nearly {
    enum orr_differs differs;
    const struct orr_machine_type *types[ORR_MOST_NEARLY]; /* that fit equally well, in the order of the table */
    uint32_t count;                                        /* of all that do */
    bool chosen;          /* for one of these types, the maker of the server chooses number and speed of the NICs */
    bool cpu;             /* the CPU model fits, too */
    uint32_t here, there; /* the figure in the dump, and the least that such a machine has */
    bool slower;          /* ports are fewer, and slower as well */
};

struct orr_machine {
    const struct orr_gpu_board *board;   /* of the GPUs, of several hosts too; NULL if mixed, or not in the table */
    const struct orr_machine_type *type; /* the type that fits best, of one host; NULL if none fits */
    uint32_t fitting;                    /* how many types fit as well as this one, itself included */
    bool proven_board;   /* by PCI device ids, or by NICs that only one cloud provider has; otherwise by compute
                            capability alone */
    int32_t nvlinks;     /* that every GPU of such a machine has */
    int32_t generation;  /* PCIe generation that the GPUs and the CPU can both run at, or that the type has */
    bool type_links;     /* it is that of the type */
    uint32_t gpus, nics; /* of one such machine; nics: ports that are as fast as the type's. gpus of several hosts: if
                          * each had as many as most have; 0 if they differ */
    uint32_t gpus_here, nics_here; /* of the dump */
    struct orr_nearly nearly;      /* if no type fits */
    /* The machine is right as it is, as another type or with NICs that the maker of the server chose. But it may be one
     * of these types with fewer NICs or slower ones: a question. */
    struct orr_nearly fewer, slower;
};

/* Reads what hardware says. If several types fit equally well, a value is given only if all of them agree. */
void orr_machine_recognise(const struct orr_hardware_facts *hardware, struct orr_machine *ret_machine);

/* Whether a port's name is one of the type's: for "mlx5_#", any that starts with mlx5_ and goes on with a digit. */
bool orr_has_name_of(const struct orr_machine_type *type, const char *name);
/* The ports that jobs use if the machine is of that type: with such a name, and as fast as the fastest of these. Writes
 * their elements to ret_nets, [hardware->net_count] or NULL, and returns how many there are. */
uint32_t orr_job_ports(const struct orr_hardware_facts *hardware, const struct orr_machine_type *type,
                       uint32_t *ret_nets);

/* The type that shows how much bandwidth machines with these GPUs have at least, if the NICs together have less than
 * a quarter of it; NULL if they have enough, there are none, or a speed is unknown. If no type has the GPU, NICs of 1
 * Gb/s or less are too slow. */
const struct orr_machine_type *orr_machine_of_faster_nics(const struct orr_hardware_facts *hardware,
                                                          const struct orr_machine *machine);

/* PCIe generation of a CPU as NCCL's XML names it; 0 if not in the table. */
int32_t orr_cpu_pcie_generation(const char *vendor, int32_t family, int32_t model);

#endif
