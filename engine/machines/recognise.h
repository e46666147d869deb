/* SPDX-License-Identifier: Apache-2.0 */
/* What a dump's machine should be: which GPU it has by PCI device ids, which well-known machine type it is, and what
 * follows from that for its NVLinks, PCIe links and devices. Every value is 0 or NULL if the dump does not prove it.
 */
#ifndef ORR_MACHINES_RECOGNISE_H
#define ORR_MACHINES_RECOGNISE_H

#include "engine/hardware/hardware.h"
#include "engine/machines/machine_types.h"

struct orr_machine {
    const struct orr_gpu_board *board;   /* of the GPUs, of several hosts too; NULL: mixed, or not in the table */
    const struct orr_machine_type *type; /* the type that fits best, of one host; NULL: none fits */
    uint32_t fitting;                    /* how many types fit as well as this one, itself included */
    bool proven_board;   /* by PCI device ids, or by NICs that only one cloud provider has; otherwise by compute
                            capability alone */
    int32_t nvlinks;     /* that every GPU of such a machine has */
    int32_t generation;  /* PCIe generation that the GPUs and the CPU can both run at */
    uint32_t gpus, nics; /* of one such machine; nics: ports that are as fast as the type's */
    uint32_t gpus_here, nics_here; /* of the dump */
};

/* Reads what hardware says. If several types fit equally well, a value is given only if all of them agree. */
void orr_machine_recognise(const struct orr_hardware_facts *hardware, struct orr_machine *ret_machine);

/* PCIe generation of a CPU as NCCL's XML names it; 0: not in the table. */
int32_t orr_cpu_pcie_generation(const char *vendor, int32_t family, int32_t model);

#endif
