/* SPDX-License-Identifier: Apache-2.0 */
/* Times the stages of the engine for files of one release: a line a file with the least of several runs, for bench.py.
 *
 *     bench_engine RELEASE HOSTS RUNS FILE...
 *
 * prints NAME RANKS PARSE GRAPH PATHS SEARCH CONNECT TUNING (nanoseconds), or NAME and "refused:" with the reason. With
 * RUNS 1 it is what callgrind counts: orr_dump_read() and orr_analyze() once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/clock.h"
#include "engine/orrery.h"

enum { STAGES = 6 };

/* The whole file, NULL if it cannot be read. */
static char *load(const char *path, size_t *ret_length)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        rewind(file);
        if (size >= 0 && (bytes = malloc((size_t)size + 1)) != NULL)
            *ret_length = fread(bytes, 1, (size_t)size, file);
    }
    if (file)
        fclose(file);
    return bytes;
}

/* One run; times[0] is the parsing. */
static enum orr_code measure(const char *bytes, size_t length, const struct orr_query *query, uint64_t times[STAGES],
                             uint32_t *ret_ranks, struct orr_error *err)
{
    struct orr_dump *dump = NULL;
    struct orr_analysis *analysis = NULL;
    struct orr_stage_times stages = {0};
    uint64_t start = orr_clock_ns();
    enum orr_code code = orr_dump_read(bytes, length, NULL, &dump, err);
    times[0] = orr_clock_ns() - start;
    if (code == ORR_OK)
        code = orr_analyze(dump, query, &stages, &analysis, err);
    if (code == ORR_OK) {
        *ret_ranks = analysis->ranks;
        times[1] = stages.graph;
        times[2] = stages.paths;
        times[3] = stages.search;
        times[4] = stages.connect;
        times[5] = stages.tuning;
        orr_analysis_free(analysis);
    }
    if (dump)
        orr_dump_free(dump);
    return code;
}

static int bench(const char *path, const struct orr_query *query, int runs)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    size_t length = 0;
    char *bytes = load(path, &length);
    if (!bytes) {
        fprintf(stderr, "bench_engine: cannot read %s\n", path);
        return 1;
    }
    uint64_t best[STAGES] = {0}, best_total = UINT64_MAX;
    uint32_t ranks = 0;
    for (int run = 0; run < runs; run++) {
        uint64_t times[STAGES] = {0}, total = 0;
        struct orr_error err = {0};
        if (measure(bytes, length, query, times, &ranks, &err) != ORR_OK) {
            printf("%s refused: %s\n", name, err.text);
            best_total = 0;
            break;
        }
        for (int i = 0; i < STAGES; i++)
            total += times[i];
        if (total < best_total) {
            best_total = total;
            memcpy(best, times, sizeof best);
        }
    }
    if (best_total) {
        printf("%s %u", name, ranks);
        for (int i = 0; i < STAGES; i++)
            printf(" %llu", (unsigned long long)best[i]);
        putchar('\n');
    }
    free(bytes);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fputs("usage: bench_engine RELEASE HOSTS RUNS FILE...\n", stderr);
        return 2;
    }
    const struct orr_release *release = orr_release_find(argv[1]);
    if (!release) {
        fprintf(stderr, "bench_engine: no release %s\n", argv[1]);
        return 2;
    }
    static struct orr_query query;
    orr_settings_init(&query.settings, release);
    query.hosts = (uint32_t)strtoul(argv[2], NULL, 10);
    int runs = (int)strtol(argv[3], NULL, 10), status = 0;
    static struct orr_budget budget = {.time_ns = UINT64_MAX, .memory = SIZE_MAX}; /* its checks belong to the cost */
    orr_budget_begin(&budget);
    for (int i = 4; i < argc; i++)
        status |= bench(argv[i], &query, runs);
    return status;
}
