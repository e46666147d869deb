/* SPDX-License-Identifier: Apache-2.0 */
/* A graph file: what NCCL_GRAPH_DUMP_FILE writes and NCCL_GRAPH_FILE reads. NCCL takes a graph from the file instead of
 * searching for it. Nothing here depends on a release: numbers and words are kept as they are in the file. */
#ifndef ORR_TOPOLOGY_GRAPH_FILE_H
#define ORR_TOPOLOGY_GRAPH_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/error.h"

/* A <net> or <gpu> of a channel. */
struct orr_file_member {
    bool gpu;
    const char *dev, *rank; /* as written; rank NULL if the file gives none */
};

struct orr_file_channel {
    uint32_t line; /* 1-based */
    const struct orr_file_member *members;
    uint32_t member_count;
};

struct orr_file_graph {
    uint32_t line;
    const char *lacks; /* the first attribute that NCCL requires and the graph lacks; NULL if none is missing */
    int32_t id, pattern, cross_nic, channel_count, same_channels; /* channel_count: as the file says */
    float bw_intra, bw_inter;                                     /* GB/s of one channel */
    float latency_inter;                                          /* microseconds */
    const char *type_intra, *type_inter;                          /* path types: "NVL" */
    const struct orr_file_channel *channels;                      /* the channels that it contains */
    uint32_t held;
};

struct orr_graph_file {
    const struct orr_file_graph *graphs;
    uint32_t count;
    uint32_t line_count; /* of the bytes */
};

/* Whether the first element of the bytes is <graphs>. */
bool orr_is_graph_file(const char *bytes, size_t length);
/* Reads a file, whose first byte is in first_line of the user's bytes, into arena. UNRECOGNISED: it does not begin with
 * <graphs>; INVALID: <graphs> has another version than "1"; LIMIT: more than 65536 graphs and channels, or a channel
 * with more than 4096 members. A file without a <graph> is valid: NCCL then searches for every graph. */
enum orr_code orr_graph_file_read(const char *bytes, size_t length, uint32_t first_line, struct orr_arena *arena,
                                  const struct orr_graph_file **ret_file, struct orr_error *err) ORR_NO_DISCARD;
/* The graph with an id; NULL if the file has none. */
const struct orr_file_graph *orr_graph_file_find(const struct orr_graph_file *file, int32_t id);

#endif
