/* SPDX-License-Identifier: Apache-2.0 */
/* Tells dumps whose machines look the same to NCCL's search. */
#ifndef ORR_CLUSTER_DUMP_SHAPE_H
#define ORR_CLUSTER_DUMP_SHAPE_H

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/dump/dump.h"

/* Whether the machines of two dumps look the same to NCCL's search. The same ports must share cards. Names of ports,
 * hashes of hosts and numbers of cards may differ, because they differ between any two hosts. */
struct orr_dump_shape {
    const struct orr_dump *dump;
    const uint32_t *first; /* [element]: for a port or CPU, the first element with the same number; 0 for others */
};
enum orr_code orr_dump_shape(const struct orr_dump *dump, struct orr_arena *arena, struct orr_dump_shape *ret_shape,
                             struct orr_error *err) ORR_NO_DISCARD;
bool orr_dumps_alike(const struct orr_dump_shape *a, const struct orr_dump_shape *b);
/* Everything that orr_dumps_alike() compares, and the names of ports, as a text to hash. Dumps with the same text are
 * alike, whatever their GUIDs and host hashes. */
void orr_dump_shape_write(const struct orr_dump_shape *shape, struct orr_text *text);

#endif
