/* SPDX-License-Identifier: Apache-2.0 */
/* Upper bounds of predictions, whatever channels NCCL may find: the bandwidths of links, in GB/s. */
#ifndef ORR_EXPECT_CEILING_H
#define ORR_EXPECT_CEILING_H

#include "engine/topology/system.h"

/* NCCL's model counts a graph up to twice: NVLink SHARP adds in the switch, and on two hosts trees count the rate
 * between GPUs. That rate is raised to twice the one between hosts. So the bus bandwidth of a collective operation is
 * at most this many times what the links below carry. */
enum { ORR_CEILING_COUNTED = 2 };

/* Each channel of a graph leaves every GPU but the last by one of its links, so the links of the second weakest GPU
 * carry all channels. Returns the most that they can carry for any `wanted` (2 or more) GPUs of the system; if these
 * are all GPUs, the exact value; 0 if there are no GPUs. */
enum orr_code orr_ceiling_gpus(const struct orr_system *system, uint32_t wanted, struct orr_arena *arena,
                               double *ret_bw, struct orr_error *err) ORR_NO_DISCARD;
/* The bandwidth of the links of a GPU, and of all its NICs together. */
double orr_ceiling_gpu(const struct orr_system *system, uint32_t gpu);
double orr_ceiling_nics(const struct orr_system *system);

#endif
