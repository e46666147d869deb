/* SPDX-License-Identifier: Apache-2.0 */
/* The share of its links' bandwidth that a transfer of Send and Recv reaches, by the kind of links that it crosses.
 * The table is calibrated on published results: README.md. */
#ifndef ORR_EXPECT_SHARES_H
#define ORR_EXPECT_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/release/path_type.h"

enum orr_crossing {
    ORR_CROSS_NVLINK,   /* GPU to GPU by NVLink, also through another GPU */
    ORR_CROSS_C2C,      /* with C2C among the links */
    ORR_CROSS_SWITCH,   /* GPU to GPU by PCIe switches */
    ORR_CROSS_CPU,      /* GPU to GPU by PCIe and one CPU or two */
    ORR_CROSS_HOST,     /* GPU to GPU through host memory */
    ORR_CROSS_NIC_NEAR, /* GPU to NIC or back by PCIe switches */
    ORR_CROSS_NIC_CPU,  /* GPU to NIC or back by a CPU */
    ORR_CROSS_COUNT
};

struct orr_share {
    const char *what;
    double share;     /* of the bandwidth that NCCL gives the links, 0 to 1 */
    uint32_t results; /* number of published results that support it; 0 if assumed */
    const char *source;
};
extern const struct orr_share orr_shares[ORR_CROSS_COUNT];

/* The kind of crossing of a path between two GPUs, or between a GPU and a NIC. */
enum orr_crossing orr_crossing_of(enum orr_path_type path, bool nic);
/* GB/s that one channel moves between GPUs, by compute capability. */
double orr_channel_bw(int32_t sm);

#endif
