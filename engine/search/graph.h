/* SPDX-License-Identifier: Apache-2.0 */
/* A graph in NCCL's sense: the channels that one system uses for one algorithm family, as the search found them or as
 * alignment over hosts left them. GPUs are host ranks (0..local_ranks-1), NICs node ids. */
#ifndef ORR_SEARCH_GRAPH_H
#define ORR_SEARCH_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/release/path_type.h"

struct orr_release;

enum orr_graph_kind { /* ORDER: as the analysis document lists them */
                      ORR_GRAPH_RING,
                      ORR_GRAPH_TREE,
                      ORR_GRAPH_COLLNET_CHAIN,
                      ORR_GRAPH_COLLNET_DIRECT,
                      ORR_GRAPH_NVLS,
                      ORR_GRAPH_COUNT
};

/* NCCL's numbers. */
enum orr_pattern {
    ORR_PATTERN_NONE = 0, /* the graph was not asked for */
    ORR_PATTERN_BALANCED_TREE = 1,
    ORR_PATTERN_SPLIT_TREE = 2,
    ORR_PATTERN_TREE = 3,
    ORR_PATTERN_RING = 4,
    ORR_PATTERN_NVLS = 5,
    ORR_PATTERN_COLLNET_DIRECT = 6
};

enum { ORR_MAX_CHANNELS = 64 };

/* Requirements of the first attempt that were relaxed in the result: bits. */
enum orr_relaxation {
    ORR_RELAXED_SAME = 1,       /* channels may differ */
    ORR_RELAXED_PATTERN = 2,    /* another pattern than the one asked for */
    ORR_RELAXED_INTRA = 4,      /* farther paths between GPUs */
    ORR_RELAXED_INTER = 8,      /* farther paths to NICs */
    ORR_RELAXED_CROSS_NIC = 16, /* a channel may leave by another NIC than it entered */
    ORR_RELAXED_RATE = 32,      /* a lower rate */
    ORR_RELAXED_RAISED = 64,    /* afterwards a higher rate was found for the same channels */
    ORR_RELAXED_DOUBLED = 128,  /* afterwards every channel became two of half the rate */
    ORR_RELAXED_ORDER = 256     /* no channel was found, so NCCL lists all GPUs in order, at a rate too low to be
                                 * chosen */
};

/* Why the search ended. */
enum orr_search_end {
    ORR_END_ALL_CHANNELS, /* it found the allowed number of channels, and none can be better */
    ORR_END_ALL_RATE,     /* the channels carry as much as the GPU with the most link bandwidth */
    ORR_END_STEPS,        /* the budget of steps ran out with something left to try */
    ORR_END_NOTHING_LEFT, /* no relaxation was left */
    ORR_END_FILE          /* there was no search: the graph is NCCL_GRAPH_FILE's */
};

/* How the search found a graph; kept for explanations. */
struct orr_graph_story {
    uint16_t relaxed;                                /* enum orr_relaxation */
    uint8_t end;                                     /* enum orr_search_end */
    uint8_t asked_pattern, first_intra, first_inter; /* enum orr_pattern, enum orr_path_type: of the first attempt */
    float first_rate;                                /* GB/s, of the first attempt */
    int32_t most_channels;                           /* channels that the search may find */
    uint32_t attempts;
};

struct orr_graph {
    enum orr_graph_kind kind;
    enum orr_pattern pattern; /* NONE if the graph was not asked for; all other fields are then 0 */
    int32_t channels;
    float bw_intra, bw_inter; /* GB/s of one channel inside the system, to and from NICs */
    float latency_inter;      /* microseconds, of the last entry NIC taken */
    enum orr_path_type type_intra, type_inter;
    int32_t cross_nic;
    int32_t same_channels;
    int32_t hops;
    uint64_t steps; /* steps that the search took for it */
    struct orr_graph_story story;
    uint32_t gpu_count;       /* width of a row of `gpus` */
    uint32_t row_count;       /* number of GPUs that a channel names: gpu_count, or 1 for NVLS */
    const int32_t *gpus;      /* [channel * gpu_count + position]: host rank */
    const int64_t (*nets)[2]; /* [channel]: ids of entry and exit NET; NULL if the system has no NICs */
};

/* "ring", "tree", "collnet_chain", "collnet_direct", "nvls"; "collnet" for the only one of releases that know one
 * CollNet algorithm. */
const char *orr_graph_name(const struct orr_release *release, enum orr_graph_kind kind);
/* "balanced tree"; "none" for a graph that was not requested. */
const char *orr_pattern_name(enum orr_pattern pattern);

#endif
