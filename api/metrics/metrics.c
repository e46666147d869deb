/* SPDX-License-Identifier: Apache-2.0 */
#include "api/metrics/metrics.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/metrics/metrics_table.h"
#include "engine/base/thread_slot.h"

struct histogram {
    _Atomic uint64_t buckets[ORR_BUCKET_COUNT + 1]; /* not cumulative */
    _Atomic uint64_t sum;                           /* nanoseconds */
};

/* Few combinations of route and code occur, so each histogram is made when it is first needed. Threads count
 * separately, [orr_thread_slot()][stride]; gauges are in the first slot. */
struct series {
    unsigned count, stride;                  /* the latter fills cache lines */
    _Atomic uint64_t *values;                /* counters and gauges */
    _Atomic(struct histogram *) *histograms; /* histograms */
};

struct orr_metrics {
    struct orr_metric_routes routes;
    struct series series[ORR_METRIC_COUNT];
    pthread_mutex_t lock; /* protects the collector, which is removed only when no thread is in it */
    void (*collect)(void *context, struct orr_metrics *metrics);
    void *context;
};

/* The routes, and after the last one the requests that matched none. */
static unsigned values_of(const struct orr_metrics *metrics, const struct orr_metric_dimension *dimension)
{
    return !dimension ? 1 : dimension->count ? dimension->count() : metrics->routes.count + 1;
}

static void write_dimension(const struct orr_metrics *metrics, const struct orr_metric_dimension *dimension,
                            unsigned value, char labels[ORR_LABELS_SIZE])
{
    if (dimension->count)
        dimension->write(value, labels);
    else if (value < metrics->routes.count)
        metrics->routes.write(metrics->routes.context, value, labels);
    else
        snprintf(labels, ORR_LABELS_SIZE, "method=\"other\",route=\"none\"");
}

/* Lines of 64 bytes. */
static void *zeroed_lines(size_t count)
{
    void *lines = aligned_alloc(ORR_CACHE_LINE, count * ORR_CACHE_LINE);
    return lines ? memset(lines, 0, count * ORR_CACHE_LINE) : NULL;
}

struct orr_metrics *orr_metrics_new(const struct orr_metric_routes *routes)
{
    enum { LINE = ORR_CACHE_LINE / sizeof(uint64_t) };
    struct orr_metrics *metrics = calloc(1, sizeof *metrics);
    if (metrics) {
        metrics->routes = *routes;
        pthread_mutex_init(&metrics->lock, NULL);
    }
    for (int i = 0; metrics && i < ORR_METRIC_COUNT; i++) {
        struct series *series = &metrics->series[i];
        series->count =
            values_of(metrics, orr_metric_rows[i].dimensions[0]) * values_of(metrics, orr_metric_rows[i].dimensions[1]);
        series->stride = (series->count + LINE - 1) / LINE * LINE;
        void *places = zeroed_lines(ORR_THREAD_SLOTS * series->stride / LINE);
        if (orr_metric_rows[i].type == ORR_HISTOGRAM)
            series->histograms = places;
        else
            series->values = places;
        if (!places) {
            orr_metrics_free(metrics);
            return NULL;
        }
    }
    return metrics;
}

void orr_metrics_free(struct orr_metrics *metrics)
{
    if (!metrics)
        return;
    for (int i = 0; i < ORR_METRIC_COUNT; i++) {
        struct series *series = &metrics->series[i];
        for (unsigned k = 0; series->histograms && k < ORR_THREAD_SLOTS * series->stride; k++)
            free(atomic_load(&series->histograms[k]));
        free(series->histograms);
        free(series->values);
    }
    pthread_mutex_destroy(&metrics->lock);
    free(metrics);
}

void orr_metric_add(struct orr_metrics *metrics, enum orr_metric metric, unsigned series, uint64_t value)
{
    const struct series *row = &metrics->series[metric];
    atomic_fetch_add_explicit(&row->values[orr_thread_slot() * row->stride + series], value, memory_order_relaxed);
}

void orr_metric_set(struct orr_metrics *metrics, enum orr_metric metric, unsigned series, uint64_t value)
{
    atomic_store_explicit(&metrics->series[metric].values[series], value, memory_order_relaxed);
}

uint64_t orr_metric_value(const struct orr_metrics *metrics, enum orr_metric metric, unsigned series)
{
    const struct series *row = &metrics->series[metric];
    uint64_t sum = 0;
    for (unsigned slot = 0; slot < ORR_THREAD_SLOTS; slot++)
        sum += atomic_load_explicit(&row->values[slot * row->stride + series], memory_order_relaxed);
    return sum;
}

void orr_metric_observe(struct orr_metrics *metrics, enum orr_metric metric, unsigned series, uint64_t nanoseconds)
{
    const struct series *row = &metrics->series[metric];
    _Atomic(struct histogram *) *place = &row->histograms[orr_thread_slot() * row->stride + series];
    struct histogram *histogram = atomic_load_explicit(place, memory_order_acquire);
    if (!histogram) {
        struct histogram *fresh = calloc(1, sizeof *fresh);
        if (!fresh)
            return; /* a missing figure is not a reason to fail a request */
        if (atomic_compare_exchange_strong(place, &histogram, fresh))
            histogram = fresh;
        else
            free(fresh); /* another thread was first */
    }
    unsigned bucket = 0;
    while (bucket < ORR_BUCKET_COUNT && nanoseconds > orr_buckets[bucket])
        bucket++;
    atomic_fetch_add_explicit(&histogram->buckets[bucket], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&histogram->sum, nanoseconds, memory_order_relaxed);
}

void orr_metrics_request(struct orr_metrics *metrics, unsigned route, unsigned status, uint64_t nanoseconds)
{
    orr_metric_observe(metrics, ORR_METRIC_HTTP_DURATION,
                       route * orr_metric_code_count() + orr_metric_code_index(status), nanoseconds);
}

void orr_metrics_on_collect(struct orr_metrics *metrics, void (*collect)(void *context, struct orr_metrics *metrics),
                            void *context)
{
    pthread_mutex_lock(&metrics->lock);
    metrics->collect = collect;
    metrics->context = context;
    pthread_mutex_unlock(&metrics->lock);
}

/* Nanoseconds as seconds, without the rounding of a double. */
static void write_value(struct orr_text *text, enum orr_metric_unit unit, uint64_t value)
{
    const unsigned long long billion = 1000000000;
    if (unit == ORR_UNIT_NANOSECONDS)
        orr_text_printf(text, " %llu.%09llu\n", value / billion, value % billion);
    else
        orr_text_printf(text, " %llu\n", (unsigned long long)value);
}

static void write_labels(const struct orr_metrics *metrics, const struct orr_metric_row *row, unsigned series,
                         char labels[2 * ORR_LABELS_SIZE + 2])
{
    char first[ORR_LABELS_SIZE] = "", second[ORR_LABELS_SIZE] = "";
    unsigned inner = values_of(metrics, row->dimensions[1]);
    if (row->dimensions[0])
        write_dimension(metrics, row->dimensions[0], series / inner, first);
    if (row->dimensions[1])
        write_dimension(metrics, row->dimensions[1], series % inner, second);
    snprintf(labels, 2 * ORR_LABELS_SIZE + 2, "%s%s%s", first, *second ? "," : "", second);
}

/* The sum of all threads; false if nothing was measured yet. */
static bool add_up(const struct series *row, unsigned series, struct histogram *ret_sum)
{
    bool any = false;
    memset(ret_sum, 0, sizeof *ret_sum);
    for (unsigned slot = 0; slot < ORR_THREAD_SLOTS; slot++) {
        struct histogram *histogram = atomic_load(&row->histograms[slot * row->stride + series]);
        for (unsigned i = 0; histogram && i <= ORR_BUCKET_COUNT; i++)
            ret_sum->buckets[i] += atomic_load_explicit(&histogram->buckets[i], memory_order_relaxed);
        ret_sum->sum += histogram ? atomic_load_explicit(&histogram->sum, memory_order_relaxed) : 0;
        any = any || histogram;
    }
    return any;
}

static void write_histogram(struct orr_text *text, const struct orr_metric_row *row, const char *labels,
                            const struct histogram *histogram)
{
    const char *comma = *labels ? "," : "";
    unsigned long long seen = 0;
    for (unsigned i = 0; i <= ORR_BUCKET_COUNT; i++) {
        char bound[32] = "+Inf";
        seen += atomic_load_explicit(&histogram->buckets[i], memory_order_relaxed);
        if (i < ORR_BUCKET_COUNT)
            snprintf(bound, sizeof bound, "%g", (double)orr_buckets[i] / 1e9);
        orr_text_printf(text, "%s_bucket{%s%sle=\"%s\"} %llu\n", row->name, labels, comma, bound, seen);
    }
    orr_text_printf(text, *labels ? "%s_sum{%s}" : "%s_sum%s", row->name, labels);
    write_value(text, row->unit, atomic_load_explicit(&histogram->sum, memory_order_relaxed));
    orr_text_printf(text, *labels ? "%s_count{%s} %llu\n" : "%s_count%s %llu\n", row->name, labels, seen);
}

void orr_metrics_write(struct orr_metrics *metrics, struct orr_text *text)
{
    static const char *const types[] = {
        [ORR_COUNTER] = "counter", [ORR_GAUGE] = "gauge", [ORR_HISTOGRAM] = "histogram"};
    pthread_mutex_lock(&metrics->lock);
    if (metrics->collect)
        metrics->collect(metrics->context, metrics);
    pthread_mutex_unlock(&metrics->lock);
    for (int i = 0; i < ORR_METRIC_COUNT; i++) {
        const struct orr_metric_row *row = &orr_metric_rows[i];
        const struct series *series = &metrics->series[i];
        orr_text_printf(text, "# HELP %s %s\n# TYPE %s %s\n", row->name, row->help, row->name, types[row->type]);
        for (unsigned k = 0; k < series->count; k++) {
            char labels[2 * ORR_LABELS_SIZE + 2];
            struct histogram histogram;
            if (series->histograms && !add_up(series, k, &histogram))
                continue;
            write_labels(metrics, row, k, labels);
            if (series->histograms) {
                write_histogram(text, row, labels, &histogram);
            } else {
                orr_text_printf(text, *labels ? "%s{%s}" : "%s%s", row->name, labels);
                write_value(text, row->unit, orr_metric_value(metrics, (enum orr_metric)i, k));
            }
        }
    }
}
