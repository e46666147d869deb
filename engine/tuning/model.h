/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/tuning only: one communicator under one release's model, and the steps that fill a tuning. */
#ifndef ORR_TUNING_MODEL_H
#define ORR_TUNING_MODEL_H

#include "engine/tuning/tuning.h"

struct orr_model {
    const struct orr_tuning_model *tables;
    const struct orr_communicator *comm;
    const struct orr_settings *settings;
    int32_t ranks, nodes;
    float ranks_per_node;
    int32_t row, column; /* of the tables of limits */
    double ll_max;
    int32_t cpu_arch; /* the architecture that decides about PCI latencies */
    bool uniform_80;  /* all GPUs are of capability 80 */
};

/* Which of NCCL_ALGO and NCCL_PROTO are on, by function: 0 off, 1 on, 2 on if it is safe. */
struct orr_switches {
    int8_t algorithm[ORR_FUNCTION_COUNT][ORR_ALGORITHM_COUNT];
    int8_t protocol[ORR_FUNCTION_COUNT][ORR_PROTOCOL_COUNT];
};

static inline bool orr_gathers(enum orr_function function)
{
    return function == ORR_ALLGATHER || function == ORR_REDUCESCATTER;
}

/* Steps that a ring takes for a function. */
static inline int32_t orr_ring_step_count(enum orr_function function, int32_t ranks)
{
    return function == ORR_ALLREDUCE ? 2 * (ranks - 1) : orr_gathers(function) ? ranks - 1 : ranks;
}

static inline int32_t orr_floor_log2(uint64_t value) /* -1 for 0 */
{
    int32_t result = -1;
    for (; value; value >>= 1)
        result++;
    return result;
}

/* bandwidth.c: before anything is switched off. */
float orr_model_bandwidth(const struct orr_model *model, enum orr_function function, enum orr_algorithm algorithm,
                          enum orr_protocol protocol);
/* latency.c */
float orr_model_latency(const struct orr_model *model, enum orr_function function, enum orr_algorithm algorithm,
                        enum orr_protocol protocol);
/* enabling.c: reads NCCL_ALGO and NCCL_PROTO; then switches off the algorithms that the machine does not support. */
enum orr_code orr_switches_read(const struct orr_model *model, struct orr_switches *ret_switches,
                                struct orr_error *err) ORR_NO_DISCARD;
void orr_switches_restrict(const struct orr_model *model, struct orr_switches *switches);
/* Sets disabled combinations to 0, and LL128 if it is not safe. */
void orr_switches_apply(const struct orr_model *model, const struct orr_switches *switches, struct orr_tuning *tuning);
/* threads.c: limits and thresholds. */
void orr_model_threads(const struct orr_model *model, struct orr_tuning *tuning);
void orr_model_thresholds(const struct orr_model *model, struct orr_tuning *tuning);

#endif
