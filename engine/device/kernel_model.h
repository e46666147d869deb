/* SPDX-License-Identifier: Apache-2.0 */
/* Inside device/: the symmetric kernels and NCCL's model of their times. */
#ifndef ORR_DEVICE_KERNEL_MODEL_H
#define ORR_DEVICE_KERNEL_MODEL_H

#include "engine/device/kernels.h"

enum orr_kernel_class { /* bits */
                        ORR_KERNEL_LL = 1,
                        ORR_KERNEL_MC = 2,       /* multimem */
                        ORR_KERNEL_REDUCING = 4, /* multimem with load-reduce, which not every type has */
                        ORR_KERNEL_TMA = 8,
                        ORR_KERNEL_GIN_GATHER = 16, /* of the first release with such kernels only */
                        ORR_KERNEL_GIN = 32
};

/* The bytes that cross the busiest link. */
enum orr_kernel_traffic {
    ORR_TRAFFIC_LL,        /* 9 bytes of each rank for 8 of data */
    ORR_TRAFFIC_BOTH_WAYS, /* all but the rank's own share, there and back */
    ORR_TRAFFIC_SWITCHED,  /* the rank's own share, and the sum from the switch */
    ORR_TRAFFIC_OTHERS     /* the data of other ranks */
};

struct orr_kernel {
    const char *name;
    enum orr_function function;
    unsigned is; /* enum orr_kernel_class */
    enum orr_kernel_traffic traffic;
};
extern const struct orr_kernel orr_kernels[]; /* in the order of NCCL's numbers; ends with a row without a name */

/* Input of the model for a call. */
struct orr_kernel_load {
    const struct orr_device_side *device;
    uint32_t ranks;
    uint64_t bytes;      /* bytes of a rank, or of the whole buffer for AllReduce */
    int32_t arch;        /* 100 * major + 10 * minor of the rank's GPU */
    int32_t least, most; /* blocks */
    int32_t fixed;       /* blocks that the user asks for; 0 means the model chooses */
};

/* Fills blocks and time. */
void orr_kernel_estimate(const struct orr_kernel *kernel, const struct orr_kernel_load *load,
                         struct orr_device_candidate *ret_candidate);

#endif
