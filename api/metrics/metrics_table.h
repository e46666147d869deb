/* SPDX-License-Identifier: Apache-2.0 */
/* The table of metrics that metrics.h declares. */
#ifndef ORR_API_METRICS_TABLE_H
#define ORR_API_METRICS_TABLE_H

#include "api/metrics/metrics.h"

enum orr_metric_type { ORR_COUNTER, ORR_GAUGE, ORR_HISTOGRAM };
enum orr_metric_unit { ORR_UNIT_NONE, ORR_UNIT_NANOSECONDS }; /* as stored; written in seconds */

/* A label, or labels that belong together, with a fixed number of values. */
struct orr_metric_dimension {
    unsigned (*count)(void);                                     /* NULL means the routes */
    void (*write)(unsigned value, char labels[ORR_LABELS_SIZE]); /* name="value" */
};

struct orr_metric_row {
    const char *name;
    enum orr_metric_type type;
    enum orr_metric_unit unit;
    const char *help;
    const struct orr_metric_dimension *dimensions[2]; /* NULL if there is none */
};
extern const struct orr_metric_row orr_metric_rows[ORR_METRIC_COUNT];

/* Upper bounds of the buckets of a histogram, in nanoseconds; +Inf comes in addition. */
enum { ORR_BUCKET_COUNT = 16 };
extern const uint64_t orr_buckets[ORR_BUCKET_COUNT];

unsigned orr_metric_code_index(unsigned status);
unsigned orr_metric_code_count(void);

#endif
