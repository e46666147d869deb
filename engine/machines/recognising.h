/* SPDX-License-Identifier: Apache-2.0 */
/* Inside machines/: the facts of a dump that recognise.c and nearly.c use. */
#ifndef ORR_MACHINES_RECOGNISING_H
#define ORR_MACHINES_RECOGNISING_H

#include "engine/machines/recognise.h"

struct orr_seen {                      /* facts that the GPUs of a dump have in common */
    uint16_t device;                   /* 0 if not in the dump */
    const struct orr_gpu_model *model; /* by the device; NULL if unknown */
    int32_t sm;
    bool mixed, c2c;
    bool listed; /* the device id names a GPU of the table with this compute capability */
};

/* Whether a type has the GPUs of the dump, and at least `gpus` of them. */
bool orr_machine_has_gpus(const struct orr_machine_type *type, const struct orr_seen *seen, uint32_t gpus);
/* The same, and the dump's architecture. */
bool orr_machine_could_be(const struct orr_hardware_facts *h, const struct orr_machine_type *type,
                          const struct orr_seen *seen, uint32_t gpus);
bool orr_machine_has_arch(const struct orr_hardware_facts *h, const struct orr_machine_type *type);
/* Whether the CPU model is the type's. */
bool orr_machine_has_cpu(const struct orr_hardware_facts *h, const struct orr_machine_type *type);
/* Mb/s of a port, 0 if unknown. */
int64_t orr_port_mbps(const struct orr_hardware_facts *h, uint32_t net);
/* Whether two speeds are equal within an eighth: some virtual machines report a little less. */
bool orr_port_is_as_fast(int64_t mbps, int64_t most);
bool orr_port_is_named(const struct orr_hardware_facts *h, uint32_t net, const struct orr_machine_type *type);
/* nearly.c: fills in *ret, or nothing if the dump resembles no type. asks: looks only for a type that differs in this
 * figure, even if the machine is right as another type. */
void orr_machine_find_nearly(const struct orr_hardware_facts *h, const struct orr_seen *seen, enum orr_differs asks,
                             struct orr_nearly *ret);

#endif
