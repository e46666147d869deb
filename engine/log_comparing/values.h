/* SPDX-License-Identifier: Apache-2.0 */
/* The value of a fact in a log or a prediction, and its words for people. A value has one of several shapes. Code
 * computes with the value and never parses the words. */
#ifndef ORR_LOG_VALUES_H
#define ORR_LOG_VALUES_H

#include "engine/log_reading/statements.h"
#include "engine/release/path_type.h"

enum orr_log_shape {
    ORR_SHAPE_WORDS,     /* no code computes with it, or there is no value and the words say why */
    ORR_SHAPE_COUNT,     /* of channels, ranks and others */
    ORR_SHAPE_RATE,      /* GB/s */
    ORR_SHAPE_LINK,      /* of a system */
    ORR_SHAPE_PATH,      /* between two nodes */
    ORR_SHAPE_TRANSPORT, /* between two ranks */
    ORR_SHAPE_P2P,       /* whether two GPUs can do P2P */
    ORR_SHAPE_NIC,       /* NIC that a rank uses for a channel */
    ORR_SHAPE_GDR,       /* GPUDirect RDMA of a GPU and a NIC */
    ORR_SHAPE_TUNING     /* latency and bandwidth */
};

struct orr_log_value {
    enum orr_log_shape shape;
    const char *text; /* never NULL in a fact */
    union {
        int64_t count;
        double rate;
        struct {
            const char *type; /* "NVL" */
            double bw;
        } link;
        struct {
            const char *type; /* as printed: a name, or a number of 2.5 */
            double bw;
            int32_t hops;
        } path;
        enum orr_log_transport transport;
        struct {
            bool possible;
            const char *distance; /* a path type; NULL if the driver decides, regardless of distance */
        } p2p;
        struct {
            int32_t number;
            bool by_other_gpu, gdr; /* PXN, GPUDirect RDMA */
        } nic;
        struct {
            bool on;
            const char *distance; /* a path type; NULL if `rule` decides, regardless of distance */
            const char *rule;
        } gdr;
        struct {
            double latency, bw; /* us, GB/s */
        } tuning;
    };
};

enum { ORR_LOG_FACT_TEXT = 600 };
/* Writes a value's words. */
void orr_log_value_write(const struct orr_log_value *value, char text[ORR_LOG_FACT_TEXT]);
/* Whether a prediction agrees with the logged value: rates to the printed digit, words exactly. */
bool orr_log_value_agrees(const struct orr_log_value *logged, const struct orr_log_value *predicted);

#endif
