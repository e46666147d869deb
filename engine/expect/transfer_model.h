/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/expect only: the time of programs that are made of Send and Recv, from the links that their transfers
 * share. README.md states the model. */
#ifndef ORR_EXPECT_TRANSFER_MODEL_H
#define ORR_EXPECT_TRANSFER_MODEL_H

#include "engine/expect/expect.h"

struct orr_transfer_model {
    double cost;        /* microseconds for 1000 bytes of the size: size * cost / 1000 */
    double latency[2];  /* microseconds, with LL and with Simple */
    double largest;     /* part of the size that the largest transfer moves */
    int32_t channels;   /* in use at once */
    uint32_t crossings; /* bits by enum orr_crossing */
    struct orr_expect_limit limit;
};

/* only: kinds of links to consider for the limit, as in struct orr_loads. UNSUPPORTED, LIMIT, SPENT. Memory from arena
 * while it works. */
enum orr_code orr_transfer_model_make(const struct orr_analysis *analysis, enum orr_test test,
                                      enum orr_peer_traffic peers, unsigned only, struct orr_arena *arena,
                                      struct orr_transfer_model *ret_model, struct orr_error *err) ORR_NO_DISCARD;
/* Time in microseconds of a size with a protocol: ORR_LL or ORR_SIMPLE. */
double orr_transfer_model_time(const struct orr_transfer_model *model, enum orr_protocol protocol, uint64_t size);
/* The protocol that NCCL uses for a size. */
enum orr_protocol orr_transfer_model_protocol(const struct orr_transfer_model *model, uint64_t size);

#endif
