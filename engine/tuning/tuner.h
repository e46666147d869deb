/* SPDX-License-Identifier: Apache-2.0 */
/* The file of NCCL's example tuner plugin (NCCL_TUNER_CONFIG_FILE): the algorithm and protocol that the plugin makes
 * NCCL prefer for each collective and size.
 *
 * A row is "collective,min_bytes,max_bytes,algorithm,protocol,channels,nodes,ranks[,pipe_ops[,registered]]"; -1 matches
 * anything. The first row that matches and names a usable combination decides. The plugin asks for one channel unless
 * the row gives another number, so also if no row matches or the row says -1. (Its documentation says that -1 keeps
 * NCCL's own number; its code does not do that.) */
#ifndef ORR_TUNING_TUNER_H
#define ORR_TUNING_TUNER_H

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/release/tuning_model.h"

struct orr_tuner_row {
    uint32_t line; /* 1-based */
    enum orr_function function;
    uint64_t least, most; /* bytes */
    enum orr_algorithm algorithm;
    enum orr_protocol protocol;
    int32_t channels, nodes, ranks, pipe_ops, registered; /* -1 means any */
};

struct orr_tuner {
    const struct orr_tuner_row *rows;
    uint32_t count;
};

enum { ORR_MOST_TUNER_ROWS = 1024 };

/* Reads such a file into arena; rows end with a line end or a semicolon. SYNTAX with the line if a row has too few or
 * too many fields, or a word that the plugin does not know. (The plugin itself would read it as AllReduce, Ring or
 * Simple.) LIMIT if there are more than 1024 rows. */
enum orr_code orr_tuner_read(const char *text, size_t length, struct orr_arena *arena,
                             const struct orr_tuner **ret_tuner, struct orr_error *err) ORR_NO_DISCARD;

/* Whether a row matches a call: one operation at a time (pipe_ops 1) of buffers that are not registered. */
bool orr_tuner_matches(const struct orr_tuner_row *row, enum orr_function function, uint64_t bytes, uint32_t nodes,
                       uint32_t ranks);

#endif
