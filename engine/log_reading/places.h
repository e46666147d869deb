/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/log_reading: the hosts and processes of ranks. */
#ifndef ORR_LOG_PLACES_H
#define ORR_LOG_PLACES_H

#include "engine/log_reading/building.h"

/* A rank and where it ran. */
struct orr_log_place {
    const char *host;
    int64_t pid;
    int32_t dev, rank;
    uint32_t order; /* number of ranks in its communicator: the largest first */
};

/* All places, by host, process and communicator, in the log's arena. Sets b->starved if memory ran out. */
const struct orr_log_place *orr_log_places(struct orr_log_building *b, uint32_t *ret_count);

/* The rank of a writer and GPU: the only rank of the process, or its rank on that GPU; -1 if unknown. */
int32_t orr_log_rank_at(const struct orr_log_place *places, uint32_t count, const struct orr_log_writer *writer,
                        int32_t dev);

#endif
