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

struct orr_graph {
    enum orr_graph_kind kind;
    enum orr_pattern pattern; /* NONE: not asked for, all else is 0 */
    int32_t channels;
    float bw_intra, bw_inter; /* GB/s of one channel inside the system, to and from NICs */
    float latency_inter;      /* microseconds, of the last entry NIC taken */
    enum orr_path_type type_intra, type_inter;
    int32_t cross_nic;
    int32_t same_channels;
    int32_t hops;
    uint64_t steps;           /* of the search that were taken to find it */
    bool steps_spent;         /* the search ended for want of steps, with something left to try */
    uint32_t gpu_count;       /* width of a row of `gpus` */
    uint32_t row_count;       /* GPUs that a channel names: gpu_count, 1 for NVLS */
    const int32_t *gpus;      /* [channel * gpu_count + position]: host rank */
    const int64_t (*nets)[2]; /* [channel]: ids of entry and exit NET; NULL where the system has no NICs */
};

/* "ring", "tree", "collnet_chain", "collnet_direct", "nvls"; "collnet" for the only one of releases that know one
 * CollNet algorithm. */
const char *orr_graph_name(const struct orr_release *release, enum orr_graph_kind kind);

#endif
