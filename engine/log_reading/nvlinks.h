/* SPDX-License-Identifier: Apache-2.0 */
/* The NVLinks between the GPUs of a host, by the matrix of `nvidia-smi topo -m`, or else by the tree that NCCL prints.
 */
#ifndef ORR_LOG_NVLINKS_H
#define ORR_LOG_NVLINKS_H

#include "engine/log_reading/log.h"

enum { ORR_NVLINK_GPUS = 16 }; /* most GPUs of a host */

struct orr_log_nvlinks {
    uint32_t gpus, line;                                 /* line: of the first row */
    bool counts;                                         /* a matrix: numbers of NVLinks; else a tree: GB/s */
    double between[ORR_NVLINK_GPUS][ORR_NVLINK_GPUS];    /* 0: none */
    const char *cells[ORR_NVLINK_GPUS][ORR_NVLINK_GPUS]; /* of a matrix: "SYS" if there is none; NULL */
    uint32_t lines[ORR_NVLINK_GPUS];                     /* of the rows of a matrix */
    const char *names[ORR_NVLINK_GPUS];                  /* "GPU1"; of a tree "GPU/44000" */
};

/* The matrix of the text, or else its first tree; false if neither shows two GPUs. */
bool orr_log_nvlinks_of(const struct orr_log *log, struct orr_log_nvlinks *ret_links);

#endif
