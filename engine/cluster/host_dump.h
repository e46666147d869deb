/* Inside cluster/ only: the dump that NCCL would have for some of a machine's GPUs, or for several hosts of one NVLink
 * domain. Unused branches are removed, ranks are new, and elements are ordered by the lowest rank that sees them. */
#ifndef ORR_CLUSTER_HOST_DUMP_H
#define ORR_CLUSTER_HOST_DUMP_H

#include "engine/base/arena.h"
#include "engine/release/release.h"
#include "engine/topology/dump.h"

/* One host of the new dump. */
struct orr_dump_piece {
    const struct orr_dump *dump;
    const int32_t *ranks; /* [GPU that takes part]: its rank in the new dump */
    const uint32_t *gpus; /* [GPU that takes part]: its number in the old one (by `rank`, from 0); NULL: 0, 1, ... */
    uint32_t count;       /* GPUs that take part */
};

/* Makes the dump of all pieces, in the order that the release gives it: orr_dump_free(). It borrows text of the old
 * dumps, which must live as long. INVALID where a piece names a GPU that its dump lacks, or one twice; LIMIT where
 * NCCL's tables are too small. */
enum orr_code orr_dump_combine(const struct orr_dump_piece *pieces, uint32_t count, const struct orr_release *release,
                               struct orr_dump **ret_dump, struct orr_error *err) ORR_NO_DISCARD;

/* Whether a port's guid is its own number. Plugins that know of no cards, sockets among them, write that: it is the
 * same on every host, and so the ports of different hosts count as one card's. */
bool orr_card_is_port_number(const struct orr_dump *dump, uint32_t port);

/* Whether two dumps are of machines that look the same to NCCL's search: names of ports, hashes of hosts and numbers of
 * cards may differ, as they do between any two hosts, but not which ports share a card. */
struct orr_dump_shape {
    const struct orr_dump *dump;
    const uint32_t *first; /* [element]: of a port or CPU, the first one with the same number; 0 of others */
};
enum orr_code orr_dump_shape(const struct orr_dump *dump, struct orr_arena *arena, struct orr_dump_shape *ret_shape,
                             struct orr_error *err) ORR_NO_DISCARD;
bool orr_dumps_alike(const struct orr_dump_shape *a, const struct orr_dump_shape *b);

#endif
