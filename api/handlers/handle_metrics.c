/* SPDX-License-Identifier: Apache-2.0 */
/* GET /metrics: values of the api itself, of the process, and the counters of the table. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "api/handlers/handlers.h"

static void collect_app(struct orr_app *app)
{
    struct orr_cache_figures cache;
    struct orr_renderer_figures renderer;
    orr_cache_figures(app->cache, &cache);
    orr_renderer_figures(app->renderer, &renderer);
    const struct {
        enum orr_metric metric;
        unsigned series;
        uint64_t value;
    } figures[] = {
        {ORR_METRIC_CACHE_BYTES, 0, cache.bytes},
        {ORR_METRIC_CACHE_LIMIT, 0, cache.limit},
        {ORR_METRIC_CACHE_ENTRIES, 0, cache.entries},
        {ORR_METRIC_CACHE_HITS, 0, cache.hits},
        {ORR_METRIC_CACHE_MISSES, 0, cache.misses},
        {ORR_METRIC_CACHE_EVICTIONS, 0, cache.evictions},
        {ORR_METRIC_HOST_CHANGES, 0, orr_store_event_count(app->store)},
        {ORR_METRIC_RENDER_WORKERS, 0, renderer.running},
        {ORR_METRIC_RENDER_WORKERS, 1, renderer.busy},
        {ORR_METRIC_RENDER_STARTED, 0, renderer.started},
        {ORR_METRIC_RENDER_ENDED, 0, renderer.ended},
        {ORR_METRIC_RENDER_DRAWINGS, 0, renderer.drawn},
        {ORR_METRIC_RENDER_DRAWINGS, 1, renderer.failed},
        {ORR_METRIC_DRAINING, 0, atomic_load(&app->draining)},
        {ORR_METRIC_BUILD, 0, 1},
    };
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        orr_metric_set(app->metrics, figures[i].metric, figures[i].series, figures[i].value);
}

static uint64_t count_descriptors(void)
{
    uint64_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder)
        return 0;
    for (const struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count - 1; /* that of the folder */
}

/* Seconds since 1970 when the system was started, from /proc/stat. */
static uint64_t boot_time(void)
{
    char line[256];
    unsigned long long time = 0;
    FILE *file = fopen("/proc/stat", "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "btime %llu", &time) == 1)
            break;
    if (file)
        fclose(file);
    return time;
}

static void collect_process(struct orr_metrics *metrics)
{
    char line[2048] = "";
    FILE *file = fopen("/proc/self/stat", "re");
    size_t got = file ? fread(line, 1, sizeof line - 1, file) : 0;
    if (file)
        fclose(file);
    line[got] = 0;
    const char *after_name = strrchr(line, ')');
    unsigned long user, system, size;
    long threads, pages;
    unsigned long long start;
    struct rlimit limit;
    if (after_name &&
        sscanf(after_name + 1,
               " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %ld %*d %llu %lu %ld", &user,
               &system, &threads, &start, &size, &pages) == 6) {
        uint64_t ticks = (uint64_t)sysconf(_SC_CLK_TCK);
        orr_metric_set(metrics, ORR_METRIC_PROCESS_CPU, 0, (uint64_t)(user + system) * (1000000000 / ticks));
        orr_metric_set(metrics, ORR_METRIC_PROCESS_START, 0, boot_time() + start / ticks);
        orr_metric_set(metrics, ORR_METRIC_PROCESS_THREADS, 0, (uint64_t)threads);
        orr_metric_set(metrics, ORR_METRIC_PROCESS_VIRTUAL, 0, size);
        orr_metric_set(metrics, ORR_METRIC_PROCESS_RESIDENT, 0, (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE));
    }
    orr_metric_set(metrics, ORR_METRIC_PROCESS_FDS, 0, count_descriptors());
    if (!getrlimit(RLIMIT_NOFILE, &limit))
        orr_metric_set(metrics, ORR_METRIC_PROCESS_FDS_MOST, 0, limit.rlim_cur);
}

enum orr_code orr_handle_metrics(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    enum { MOST = 16 << 20 };
    ORR_LOCAL_TEXT(text, MOST);
    collect_app(call->app);
    collect_process(call->app->metrics);
    orr_metrics_write(call->app->metrics, &text);
    enum orr_code code = orr_answer_of_text(200, "text/plain; version=0.0.4; charset=utf-8", &text, ret_answer, err);
    ORR_TRY(code);
    (*ret_answer)->keeping = ORR_KEEP_NOT;
    (*ret_answer)->etag[0] = 0;
    return ORR_OK;
}
