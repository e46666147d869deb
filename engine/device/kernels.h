/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses what runs a collective whose buffers are in windows: a symmetric kernel, a copy engine, or the classic choice
 * of the tuning model. The rates come from NCCL's own model, which estimates a kernel's time; they are not
 * measurements. */
#ifndef ORR_DEVICE_KERNELS_H
#define ORR_DEVICE_KERNELS_H

#include "engine/device/device.h"

/* X(symbol, name, bytes, class) */
#define ORR_DATA_TYPE_MAP(X)                                                                                           \
    X(FLOAT32, "float32", 4, REDUCED)                                                                                  \
    X(FLOAT16, "float16", 2, REDUCED)                                                                                  \
    X(BFLOAT16, "bfloat16", 2, REDUCED)                                                                                \
    X(FLOAT8E4M3, "float8e4m3", 1, FLOAT8)                                                                             \
    X(FLOAT8E5M2, "float8e5m2", 1, FLOAT8)                                                                             \
    X(FLOAT64, "float64", 8, COPIED)                                                                                   \
    X(INT8, "int8", 1, COPIED)                                                                                         \
    X(UINT8, "uint8", 1, COPIED)                                                                                       \
    X(INT32, "int32", 4, COPIED)                                                                                       \
    X(UINT32, "uint32", 4, COPIED)                                                                                     \
    X(INT64, "int64", 8, COPIED)                                                                                       \
    X(UINT64, "uint64", 8, COPIED)

enum orr_data_type {
#define X(symbol, ...) ORR_TYPE_##symbol,
    ORR_DATA_TYPE_MAP(X)
#undef X
        ORR_DATA_TYPE_COUNT
};
/* A list of words (engine/base/words.h). */
const char *orr_data_type_name(size_t type);
uint32_t orr_data_type_bytes(enum orr_data_type type);

/* A call with the operation sum. bytes: the whole buffer, like for the tuning model: for AllGather the bytes that a
 * rank receives, for ReduceScatter those that it sends. */
struct orr_device_call {
    enum orr_function function;
    enum orr_data_type type;
    uint64_t bytes;
    unsigned windows; /* enum orr_windows */
};

enum orr_runs_by { ORR_BY_CLASSIC, ORR_BY_SYMMETRIC, ORR_BY_COPY_ENGINE };

struct orr_device_choice {
    enum orr_runs_by by;
    const char *kernel;   /* name of a symmetric kernel, "AllReduce_AGxLLMC_R"; NULL if none was a candidate */
    int32_t blocks;       /* of it */
    float time;           /* of it, microseconds by NCCL's model */
    const char *rule;     /* stable word */
    const char *sentence; /* why; static or in the device's arena */
    bool assumed;         /* the rates are known from NCCL's source, but a plugin or driver also decides */
};

enum { ORR_DEVICE_THREADS = 512, ORR_MOST_KERNELS = 8 };

/* A candidate with its time in the model. */
struct orr_device_candidate {
    const char *kernel;
    int32_t blocks;
    float time;  /* microseconds */
    float score; /* by which they are compared */
};

/* Chooses what runs one call. candidates (may be NULL) gets the *ret_count kernels that NCCL compares, in NCCL's
 * order. */
void orr_device_choose(const struct orr_device_side *device, const struct orr_device_call *call,
                       struct orr_device_choice *ret_choice, struct orr_device_candidate candidates[ORR_MOST_KERNELS],
                       uint32_t *ret_count);

#endif
