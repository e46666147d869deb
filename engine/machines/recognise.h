/* SPDX-License-Identifier: Apache-2.0 */
/* Recognises the machine of a dump: its GPU by PCI device ids, its type among well-known machines, and the NVLinks,
 * PCIe links and devices that such a machine has. Every value is 0 or NULL if the dump does not prove it. */
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

enum { ORR_MOST_NEARLY = 3 }; /* the most types that are named */

struct orr_nearly {
    enum orr_differs differs;
    const struct orr_machine_type *types[ORR_MOST_NEARLY]; /* types that fit equally well, in the order of the table */
    uint32_t count;                                        /* number of all such types */
    bool chosen;          /* for one of these types, the maker of the server chooses number and speed of the NICs */
    bool cpu;             /* the CPU model fits, too */
    uint32_t here, there; /* the figure in the dump, and the least that such a machine has */
    bool slower;          /* the ports are fewer and also slower */
};

struct orr_machine {
    const struct orr_gpu_board *board;   /* board of the GPUs, also for several hosts; NULL if GPUs are mixed, or not in
                                          * the table */
    const struct orr_machine_type *type; /* the type that fits best, of one host; NULL if none fits */
    uint32_t fitting;                    /* how many types fit as well as this one, itself included */
    bool proven_board;      /* by PCI device ids, or by NICs that only one cloud provider has; otherwise by compute
                               capability alone */
    int32_t nvlinks;        /* number that every GPU of such a machine has */
    int32_t generation;     /* PCIe generation that the GPUs and the CPU can both run at, or that the type has */
    int32_t gpu_generation; /* PCIe generation that the GPUs can run at */
    bool type_links;        /* the generation is that of the type */
    bool shown_links;       /* the CPU is unknown, and links of other devices show it */
    uint32_t gpus, nics;    /* of one such machine; nics: ports that are as fast as the type's. For several hosts, each
                             * is assumed to have as many as most have; 0 if there is no majority */
    uint32_t gpus_here, nics_here; /* of the dump */
    struct orr_nearly nearly;      /* if no type fits */
    /* The machine may be right, as another type or with NICs that the server's maker chose. But it may also be one of
     * these types with fewer or slower NICs, which becomes a question. */
    struct orr_nearly fewer, slower;
};

/* Recognises the machine from its hardware. If several types fit equally well, a value is set only if all of them
 * agree. */
void orr_machine_recognise(const struct orr_hardware_facts *hardware, struct orr_machine *ret_machine);

/* Whether a port's name fits the type's: for "mlx5_#", any name of mlx5_ and a digit. */
bool orr_has_name_of(const struct orr_machine_type *type, const char *name);
/* The ports that jobs use if the machine is of that type: those with such a name that are as fast as the fastest of
 * them. Writes their elements to ret_nets, [hardware->net_count] or NULL, and returns how many there are. */
uint32_t orr_job_ports(const struct orr_hardware_facts *hardware, const struct orr_machine_type *type,
                       uint32_t *ret_nets);

/* The type with the least bandwidth for these GPUs, if the NICs together have less than a quarter of that; NULL if they
 * have more, there are no NICs, or a speed is unknown. If no type has the GPU, NICs of 1 Gb/s or less are too slow. */
const struct orr_machine_type *orr_machine_of_faster_nics(const struct orr_hardware_facts *hardware,
                                                          const struct orr_machine *machine);

/* PCIe generation of a CPU as NCCL's XML names it; 0 if not in the table. */
int32_t orr_cpu_pcie_generation(const char *vendor, int32_t family, int32_t model);

#endif
