/* SPDX-License-Identifier: Apache-2.0 */
/* The metrics of the service: one table with a row for each (metrics_table.c), written for Prometheus. Counting costs
 * an atomic addition or two; callable from many threads. */
#ifndef ORR_API_METRICS_H
#define ORR_API_METRICS_H

#include <stdint.h>

#include "api/metrics/denial.h"
#include "engine/base/text.h"

enum orr_metric {
    ORR_METRIC_HTTP_DURATION,
    ORR_METRIC_HTTP_IN_FLIGHT,
    ORR_METRIC_HTTP_RECEIVED,
    ORR_METRIC_HTTP_SENT,
    ORR_METRIC_HTTP_BROKEN,
    ORR_METRIC_HTTP_BODIES,
    ORR_METRIC_REJECTED,
    ORR_METRIC_CONNECTIONS,
    ORR_METRIC_CONNECTIONS_MOST,
    ORR_METRIC_QUEUE,
    ORR_METRIC_QUEUE_MOST,
    ORR_METRIC_QUEUE_TIME,
    ORR_METRIC_EXCEEDED,
    ORR_METRIC_CANCELLED,
    ORR_METRIC_DRAINING,
    ORR_METRIC_STAGE_DURATION,
    ORR_METRIC_CACHE_BYTES,
    ORR_METRIC_CACHE_LIMIT,
    ORR_METRIC_CACHE_ENTRIES,
    ORR_METRIC_CACHE_HITS,
    ORR_METRIC_CACHE_MISSES,
    ORR_METRIC_CACHE_EVICTIONS,
    ORR_METRIC_STORE_DURATION,
    ORR_METRIC_STORE_FAILURES,
    ORR_METRIC_HOSTS,
    ORR_METRIC_HOST_GROUPS,
    ORR_METRIC_HOST_CHANGES,
    ORR_METRIC_RENDER_WORKERS,
    ORR_METRIC_RENDER_STARTED,
    ORR_METRIC_RENDER_ENDED,
    ORR_METRIC_RENDER_DRAWINGS,
    ORR_METRIC_TOKENS,
    ORR_METRIC_TLS_EXPIRY,
    ORR_METRIC_RELOADS,
    ORR_METRIC_BUILD,
    ORR_METRIC_PROCESS_CPU,
    ORR_METRIC_PROCESS_START,
    ORR_METRIC_PROCESS_RESIDENT,
    ORR_METRIC_PROCESS_VIRTUAL,
    ORR_METRIC_PROCESS_THREADS,
    ORR_METRIC_PROCESS_FDS,
    ORR_METRIC_PROCESS_FDS_MOST,
    ORR_METRIC_COUNT
};

/* Values of labels. */
enum orr_timed_stage {
    ORR_TIMED_PARSE,
    ORR_TIMED_GRAPH,
    ORR_TIMED_PATHS,
    ORR_TIMED_SEARCH,
    ORR_TIMED_CONNECT,
    ORR_TIMED_TUNING,
    ORR_TIMED_WRITE,  /* writing the answer to a computed request */
    ORR_TIMED_LAYOUT, /* layout by a drawing process */
    ORR_TIMED_COUNT
};
enum orr_work_class { ORR_WORK_SHORT, ORR_WORK_LONG, ORR_WORK_CLASS_COUNT };
enum orr_reload { ORR_RELOAD_TOKENS, ORR_RELOAD_CERTIFICATE, ORR_RELOAD_COUNT };

struct orr_metrics;

enum { ORR_LABELS_SIZE = 128 };
/* The routes of the service; requests are counted for each. */
struct orr_metric_routes {
    unsigned count;
    void (*write)(const void *context, unsigned route, char labels[ORR_LABELS_SIZE]); /* method="GET",route="/v1/..." */
    const void *context;
};

/* NULL if memory runs out. */
struct orr_metrics *orr_metrics_new(const struct orr_metric_routes *routes);
void orr_metrics_free(struct orr_metrics *metrics);

/* series: the place in the row's first dimension (second for rows that have two: first * count of second + second); 0
 * if it has none. The row gives the unit; times are in nanoseconds. */
void orr_metric_add(struct orr_metrics *metrics, enum orr_metric metric, unsigned series, uint64_t value);
void orr_metric_set(struct orr_metrics *metrics, enum orr_metric metric, unsigned series, uint64_t value);
void orr_metric_observe(struct orr_metrics *metrics, enum orr_metric metric, unsigned series, uint64_t nanoseconds);
uint64_t orr_metric_value(const struct orr_metrics *metrics, enum orr_metric metric, unsigned series);

/* Counts a finished request. route: index of its route, or the number of routes if none matched. */
void orr_metrics_request(struct orr_metrics *metrics, unsigned route, unsigned status, uint64_t nanoseconds);
/* Sets the function that is called before each writing, to set values that the server counts; NULL if there is none. */
void orr_metrics_on_collect(struct orr_metrics *metrics, void (*collect)(void *context, struct orr_metrics *metrics),
                            void *context);
/* Appends all metrics, in Prometheus' text format 0.0.4. */
void orr_metrics_write(struct orr_metrics *metrics, struct orr_text *text);

#endif
