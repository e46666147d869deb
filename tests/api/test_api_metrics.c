/* SPDX-License-Identifier: Apache-2.0 */
/* The table of metrics in process: rows are sound, threads lose nothing, what is written is what was counted. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/handlers/handlers.h"
#include "api/metrics/metrics_table.h"
#include "tests/support/orr_test.h"

TEST(every_row_is_sound)
{
    for (int i = 0; i < ORR_METRIC_COUNT; i++) {
        const struct orr_metric_row *row = &orr_metric_rows[i];
        assert_non_null(row->name);
        size_t length = strlen(row->name);
        assert_int_equal(strspn(row->name, "abcdefghijklmnopqrstuvwxyz_"), length);
        assert_true(row->help[0] && !strpbrk(row->help, "\\\n"));
        bool total = length > 6 && !strcmp(row->name + length - 6, "_total");
        assert_int_equal(total, row->type == ORR_COUNTER);
        if (row->type == ORR_HISTOGRAM)
            assert_string_equal(row->name + length - 8, "_seconds");
        for (int k = 0; k < i; k++)
            assert_string_not_equal(orr_metric_rows[k].name, row->name);
        for (int d = 0; d < 2 && row->dimensions[d]; d++) /* labels are distinguished; routes below */
            for (unsigned a = 0; row->dimensions[d]->count && a < row->dimensions[d]->count(); a++)
                for (unsigned b = 0; b < a; b++) {
                    char one[ORR_LABELS_SIZE], other[ORR_LABELS_SIZE];
                    row->dimensions[d]->write(a, one);
                    row->dimensions[d]->write(b, other);
                    assert_string_not_equal(one, other);
                }
    }
}

TEST(every_route_is_counted_apart)
{
    unsigned count;
    const struct orr_route *routes = orr_route_table(&count);
    for (unsigned a = 0; a < count; a++)
        for (unsigned b = 0; b < a; b++)
            if (!strcmp(routes[a].method, routes[b].method))
                assert_string_not_equal(orr_route_template(&routes[a]), orr_route_template(&routes[b]));
}

enum { THREADS = 4, TIMES = 20000 };
static struct orr_metrics *metrics;

static void *count(void *context)
{
    (void)context;
    for (int i = 0; i < TIMES; i++) {
        orr_metric_add(metrics, ORR_METRIC_REJECTED, 1, 1);
        orr_metric_observe(metrics, ORR_METRIC_STAGE_DURATION, ORR_TIMED_PARSE, 200000);
        orr_metrics_request(metrics, 0, i % 2 ? 404 : 299, 3000000000);
    }
    return NULL;
}

TEST(threads_lose_nothing)
{
    pthread_t threads[THREADS];
    ORR_LOCAL_TEXT(text, 1 << 20);
    metrics = orr_metrics_new(&(struct orr_metric_routes){0});
    assert_non_null(metrics);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(orr_metric_value(metrics, ORR_METRIC_REJECTED, 1), THREADS * TIMES);
    orr_metrics_write(metrics, &text);
    assert_false(orr_text_failed(&text));
    static const char *const lines[] = {
        "\n# TYPE orrery_rejected_total counter\n",
        "\norrery_rejected_total{reason=\"header_size\"} 80000\n",
        "\norrery_rejected_total{reason=\"rate\"} 0\n",
        "\norrery_stage_duration_seconds_bucket{stage=\"parse\",le=\"0.0001\"} 0\n",
        "\norrery_stage_duration_seconds_bucket{stage=\"parse\",le=\"0.00025\"} 80000\n",
        "\norrery_stage_duration_seconds_sum{stage=\"parse\"} 16.000000000\n",
        "\norrery_stage_duration_seconds_count{stage=\"parse\"} 80000\n",
        "\norrery_http_request_duration_seconds_bucket{method=\"other\",route=\"none\",code=\"404\",le=\"2.5\"} 0\n",
        "\norrery_http_request_duration_seconds_bucket{method=\"other\",route=\"none\",code=\"404\",le=\"5\"} 40000\n",
        "\norrery_http_request_duration_seconds_count{method=\"other\",route=\"none\",code=\"other\"} 40000\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (!strstr(text.data, lines[i]))
            fail_msg("missing: %s", lines[i]);
    assert_null(strstr(text.data, "stage=\"search\"")); /* nothing was observed there */
    orr_metrics_free(metrics);
}

static atomic_int entered, left;

static void collect_slowly(void *context, struct orr_metrics *all)
{
    (void)context, (void)all;
    atomic_store(&entered, 1);
    usleep(200000);
    atomic_store(&left, 1);
}

static void *scrape(void *context)
{
    ORR_LOCAL_TEXT(text, 1 << 20);
    orr_metrics_write(context, &text);
    return NULL;
}

/* Removing the collecting function waits for it, because the server then frees the data that the function reads. */
TEST(collecting_ends_before_it_is_taken_away)
{
    pthread_t thread;
    metrics = orr_metrics_new(&(struct orr_metric_routes){0});
    assert_non_null(metrics);
    orr_metrics_on_collect(metrics, collect_slowly, NULL);
    assert_int_equal(pthread_create(&thread, NULL, scrape, metrics), 0);
    while (!atomic_load(&entered))
        usleep(1000);
    orr_metrics_on_collect(metrics, NULL, NULL);
    assert_int_equal(atomic_load(&left), 1);
    pthread_join(thread, NULL);
    orr_metrics_free(metrics);
}
