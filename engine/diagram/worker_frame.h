/* SPDX-License-Identifier: Apache-2.0 */
/* The protocol between a renderer and its worker over a socket pair: frames with a fixed head, which gives the number
 * of bytes that follow. They have the machine's own byte order, because both ends are one program. */
#ifndef ORR_DIAGRAM_WORKER_FRAME_H
#define ORR_DIAGRAM_WORKER_FRAME_H

#include <stdint.h>

enum orr_frame_kind {
    ORR_FRAME_LIMITS = 0x4f525201, /* to the worker, first: struct orr_worker_limits */
    ORR_FRAME_DRAW,                /* to the worker: DOT text, `detail` is the format */
    ORR_FRAME_PICTURE,             /* from the worker */
    ORR_FRAME_FAILURE,             /* from the worker: the reason why it could not draw, as text */
};

struct orr_worker_frame {
    uint32_t kind, detail;
    uint64_t length;
};

struct orr_worker_limits {
    uint64_t memory;      /* bytes of address space */
    uint64_t cpu_seconds; /* CPU time in its life */
    uint64_t output;      /* bytes of one picture */
};

#endif
