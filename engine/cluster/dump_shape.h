/* SPDX-License-Identifier: Apache-2.0 */
/* Tells dumps whose machines look the same to NCCL's search. */
#ifndef ORR_CLUSTER_DUMP_SHAPE_H
#define ORR_CLUSTER_DUMP_SHAPE_H

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/dump/dump.h"

/* Whether two dumps are of machines that look the same to NCCL's search: which ports share a card has to be the same.
 * Names of ports, hashes of hosts and numbers of cards may differ, as they do between any two hosts. */
struct orr_dump_shape {
    const struct orr_dump *dump;
    const uint32_t *first; /* [element]: of a port or CPU, the first one with the same number; 0 of others */
};
enum orr_code orr_dump_shape(const struct orr_dump *dump, struct orr_arena *arena, struct orr_dump_shape *ret_shape,
                             struct orr_error *err) ORR_NO_DISCARD;
bool orr_dumps_alike(const struct orr_dump_shape *a, const struct orr_dump_shape *b);
/* All that orr_dumps_alike() compares, and the names of ports, as a text to hash: dumps with the same text are alike,
 * whatever their GUIDs and host hashes. */
void orr_dump_shape_write(const struct orr_dump_shape *shape, struct orr_text *text);

#endif
