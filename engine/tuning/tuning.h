/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's tuning model: bandwidth and latency of every (function, algorithm, protocol), and the choice for a size.
 * docs/nccl/tuning.md describes the rules. */
#ifndef ORR_TUNING_TUNING_H
#define ORR_TUNING_TUNING_H

#include "engine/connect/communicator.h"
#include "engine/release/tuning_model.h"
#include "engine/tuning/tuner.h"

struct orr_tuning {
    uint32_t algorithm_count;                                                     /* of the release */
    float bandwidth[ORR_FUNCTION_COUNT][ORR_ALGORITHM_COUNT][ORR_PROTOCOL_COUNT]; /* GB/s, 0 if not available */
    float latency[ORR_FUNCTION_COUNT][ORR_ALGORITHM_COUNT][ORR_PROTOCOL_COUNT];   /* microseconds */
    int32_t max_threads[ORR_ALGORITHM_COUNT][ORR_PROTOCOL_COUNT];
    int64_t thread_threshold[ORR_ALGORITHM_COUNT][ORR_PROTOCOL_COUNT]; /* bytes per thread */
    const struct orr_tuner *tuner; /* a tuner plugin's file, borrowed; NULL if there is none */
    bool has_thresholds;           /* false with one rank: NCCL does not set them */
};

/* The prediction for one call. */
struct orr_choice {
    enum orr_algorithm algorithm;
    enum orr_protocol protocol;
    float time;   /* microseconds */
    float alg_bw; /* GB/s: bytes / time */
    float bus_bw; /* GB/s, as nccl-tests reports it */
    int32_t channels, threads;
    uint32_t tuner_line; /* line of the tuner file's row that decided; 0 if NCCL itself did */
};

/* The aligned graph that an algorithm uses. */
static inline enum orr_graph_kind orr_algorithm_graph(const struct orr_tuning_model *tables,
                                                      enum orr_algorithm algorithm)
{
    switch (algorithm) {
    case ORR_ALGO_RING:
        return ORR_GRAPH_RING;
    case ORR_ALGO_COLLNET_DIRECT:
        return tables->one_collnet_graph ? ORR_GRAPH_COLLNET_CHAIN : ORR_GRAPH_COLLNET_DIRECT;
    case ORR_ALGO_COLLNET_CHAIN:
        return ORR_GRAPH_COLLNET_CHAIN;
    case ORR_ALGO_NVLS:
        return tables->nvls_by_ring ? ORR_GRAPH_RING : ORR_GRAPH_NVLS;
    case ORR_ALGO_NVLS_TREE:
        return ORR_GRAPH_NVLS;
    default:
        return ORR_GRAPH_TREE;
    }
}

/* Computes the model. SETTING for an NCCL_ALGO or NCCL_PROTO that NCCL refuses. */
enum orr_code orr_tune(const struct orr_communicator *communicator, const struct orr_settings *settings,
                       struct orr_tuning *ret_tuning, struct orr_error *err) ORR_NO_DISCARD;

/* Predicted time in microseconds of one algorithm and protocol for `bytes` (the whole buffer); negative: unusable. */
float orr_tuning_time(const struct orr_tuning *tuning, const struct orr_communicator *communicator,
                      const struct orr_settings *settings, enum orr_function function, enum orr_algorithm algorithm,
                      enum orr_protocol protocol, uint64_t bytes);

/* NCCL's choice for a sum of 32-bit floats; false if no algorithm is available. */
bool orr_tuning_choose(const struct orr_tuning *tuning, const struct orr_communicator *communicator,
                       const struct orr_settings *settings, enum orr_function function, uint64_t bytes,
                       struct orr_choice *ret_choice);
/* The same for a given algorithm and protocol, without the tuner file. False: NCCL cannot use them here. */
bool orr_tuning_way(const struct orr_tuning *tuning, const struct orr_communicator *communicator,
                    const struct orr_settings *settings, enum orr_function function, enum orr_algorithm algorithm,
                    enum orr_protocol protocol, uint64_t bytes, struct orr_choice *ret_choice);

/* The channels on which NCCL starts such a call if nothing else is queued, at most choice->channels; -1 if
 * they are not known for this release. The log prints them. */
int32_t orr_tuning_channels_started(const struct orr_communicator *communicator, const struct orr_settings *settings,
                                    enum orr_function function, uint64_t bytes, const struct orr_choice *choice);

const char *orr_function_name(size_t function); /* a list of words: "AllReduce" ..., NULL beyond the last */
/* "Ring"; the same number has another name in releases before 2.14 ("CollNet"). */
const char *orr_algorithm_name(const struct orr_release *release, enum orr_algorithm algorithm);
const char *orr_protocol_name(enum orr_protocol protocol); /* "LL128" */

#endif
