/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the differences in hardware between two dumps, device by device. */
#ifndef ORR_COMPARE_UNLIKE_H
#define ORR_COMPARE_UNLIKE_H

#include "engine/compare/match.h"

/* ORDER: in the order of output. */
enum orr_unlike_kind {
    ORR_UNLIKE_MISSING, /* a device that only the first dump has, with its contents */
    ORR_UNLIKE_ADDED,   /* a device that only the second has */
    ORR_UNLIKE_MOVED,   /* a device that is inside another one on the second side */
    ORR_UNLIKE_NVLINKS, /* NVLinks from one GPU to another */
    ORR_UNLIKE_FIGURE,  /* a figure of a device */
    ORR_UNLIKE_KIND_COUNT
};

struct orr_unlike {
    enum orr_unlike_kind kind;
    size_t figure;           /* of FIGURE: orr_figure() */
    uint32_t a, b;           /* the device on either side, ORR_NO_DEVICE if it has none */
    uint32_t peer_a, peer_b; /* for NVLINKS: the other GPU; for MOVED: the device around it */
    uint32_t gpus, nets;     /* of MISSING and ADDED: GPUs and ports inside */
    char value_a[ORR_FIGURE_SIZE], value_b[ORR_FIGURE_SIZE]; /* "" if this side has none */
};

struct orr_unlikes {
    const struct orr_match *match; /* borrowed */
    struct orr_unlike *rows;       /* differences of hardware, by kind and figure; then those of numbering alone */
    uint32_t count;                /* number of all rows */
    uint32_t numbering;            /* number of rows at the end that are only about names and numbers */
};

/* "missing", "added", "moved", "nvlinks", or the name of the figure. */
const char *orr_unlike_name(const struct orr_unlike *row);
/* For people: "is missing", "PCIe speed". */
const char *orr_unlike_text(const struct orr_unlike *row);

enum orr_code orr_unlikes_find(const struct orr_match *match, struct orr_arena *arena, struct orr_unlikes *ret_unlikes,
                               struct orr_error *err) ORR_NO_DISCARD;

#endif
