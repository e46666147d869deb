/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the dump that NCCL would have for some of a machine's GPUs, or for several hosts of one NVLink domain. Unused
 * branches are removed, ranks are new, and elements are ordered by the lowest rank that sees them. */
#ifndef ORR_NICS_COMBINE_H
#define ORR_NICS_COMBINE_H

#include "engine/base/arena.h"
#include "engine/dump/dump.h"
#include "engine/release/release.h"

/* One host of the new dump. */
struct orr_dump_piece {
    const struct orr_dump *dump;
    const int32_t *ranks; /* [GPU that takes part]: its rank in the new dump */
    /* [GPU that takes part]: its number in the old one (by `rank`, from 0); NULL means 0, 1,... */
    const uint32_t *gpus;
    uint32_t count; /* GPUs that take part */
};

/* Makes the dump of all pieces, in the release's order. It is in arena and freed with it; if arena is NULL, it has its
 * own, and the caller calls orr_dump_free(). It borrows text from the old dumps, which must outlive it. INVALID if a
 * piece names a GPU that its dump lacks, or one twice; LIMIT if NCCL's tables are too small. */
enum orr_code orr_dump_combine(const struct orr_dump_piece *pieces, uint32_t count, const struct orr_release *release,
                               struct orr_arena *arena, struct orr_dump **ret_dump,
                               struct orr_error *err) ORR_NO_DISCARD;

/* Whether a port's guid is just its own number. Plugins without a notion of cards, such as sockets, write that. It is
 * the same on every host, so NCCL treats the ports of different hosts as ports of one card. */
bool orr_card_is_port_number(const struct orr_dump *dump, uint32_t port);
/* The number of the GPU with this bus id among those of the dump that have a rank, by `rank` from 0; -1 if there is
 * none. */
int32_t orr_dump_gpu_number(const struct orr_dump *dump, const char *bus_id);

#endif
