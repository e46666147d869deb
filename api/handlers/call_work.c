/* SPDX-License-Identifier: Apache-2.0 */
/* The work that handlers share: reading a dump, analysing it, both through the cache. */
#include <stdlib.h>

#include "api/handlers/app.h"
#include "api/handlers/cluster_work.h"
#include "api/handlers/handlers.h"
#include "engine/base/budget.h"
#include "engine/base/clock.h"
#include "engine/cluster/again.h"
#include "engine/diagnosis/repaired.h"

enum orr_code orr_call_source(struct orr_call *call, char **ret_bytes, size_t *ret_length, bool *ret_owned,
                              struct orr_error *err)
{
    *ret_owned = !(call->route->flags & ORR_ROUTE_DUMP);
    if (*ret_owned)
        return orr_store_read(call->app->store, call->id, ret_bytes, ret_length, err);
    *ret_bytes = (char *)(uintptr_t)call->body;
    *ret_length = call->body_length;
    return ORR_OK;
}

enum orr_code orr_call_dump(struct orr_call *call, const struct orr_release *release, struct orr_dump **ret_dump,
                            struct orr_error *err)
{
    char *bytes;
    size_t length;
    bool owned;
    struct orr_dump_limits limits = orr_dump_default_limits;
    limits.bytes = call->app->max_body;
    if (call->params.machine)
        return orr_input_machine_with(call->params.machine, call->params.assumed_nics, ret_dump, err);
    ORR_TRY(orr_call_source(call, &bytes, &length, &owned, err));
    uint64_t since = orr_clock_ns();
    struct orr_input_options options = orr_params_input(&call->params);
    options.limits = &limits;
    options.release = release ? release : options.release;
    enum orr_code code = orr_input_read(bytes, length, &options, ret_dump, err);
    orr_metric_observe(call->app->metrics, ORR_METRIC_STAGE_DURATION, ORR_TIMED_PARSE, orr_clock_ns() - since);
    if (owned)
        orr_budget_free(bytes, length + 1);
    return code;
}

enum orr_code orr_call_beside(struct orr_call *call, struct orr_dump **ret_dump, struct orr_error *err)
{
    const struct orr_input_options options = {.assumed_nics = call->params.assumed_nics,
                                              .assumed_cpu = call->params.assumed_cpu,
                                              .release = call->params.query.settings.release};
    return orr_input_read_beside((const char *)call->request->body, call->request->body_length, &options, ret_dump,
                                 err);
}

static void free_work(struct orr_shared *shared)
{
    struct orr_work *work = (struct orr_work *)shared;
    if (work->cluster) {
        orr_cluster_work_free(work->cluster);
    } else {
        orr_analysis_again_free(work->analysis);
        orr_arena_free(work->repaired);
        orr_dump_free(work->dump);
    }
    free(work);
}

static enum orr_code analyse(struct orr_call *call, const struct orr_query *query, const struct orr_release *reading,
                             struct orr_work *work, struct orr_error *err)
{
    struct orr_stage_times times = {0};
    const struct orr_texts *repairs = &call->params.repairs;
    struct orr_query asked = *query;
    ORR_TRY(orr_call_dump(call, reading, &work->dump, err));
    const struct orr_dump *machine = work->dump;
    if (repairs->count) {
        work->repaired = orr_arena_new(0);
        ORR_TRY(orr_repaired(work->dump, query, repairs->items, repairs->count, work->repaired, &machine, &asked, err));
    }
    ORR_TRY(orr_analyze_hosts(machine, &asked, &times, &work->analysis, err));
    const uint64_t stages[][2] = {{ORR_TIMED_GRAPH, times.graph},
                                  {ORR_TIMED_PATHS, times.paths},
                                  {ORR_TIMED_SEARCH, times.search},
                                  {ORR_TIMED_CONNECT, times.connect},
                                  {ORR_TIMED_TUNING, times.tuning}};
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++)
        orr_metric_observe(call->app->metrics, ORR_METRIC_STAGE_DURATION, (unsigned)stages[i][0], stages[i][1]);
    return ORR_OK;
}

static enum orr_code make_work(struct orr_call *call, const struct orr_query *query, const struct orr_release *reading,
                               struct orr_work **ret_work, struct orr_error *err)
{
    struct orr_work *work = calloc(1, sizeof *work);
    ORR_NEED(work, err);
    orr_shared_init(&work->shared, 0, free_work);
    atomic_fetch_add(&call->app->analyses, 1);
    bool cluster = call->route->flags & ORR_ROUTE_CLUSTER;
    enum orr_code code =
        cluster ? orr_cluster_work(call, query, reading, work, err) : analyse(call, query, reading, work, err);
    if (code != ORR_OK) {
        orr_arena_free(work->repaired);
        if (work->dump && !cluster)
            orr_dump_free(work->dump);
        free(work);
        return code;
    }
    work->shared.cost =
        sizeof *work + (cluster ? orr_cluster_work_bytes(work->cluster)
                                : orr_arena_bytes(work->dump->arena) + orr_analysis_bytes(work->analysis) +
                                      (work->repaired ? orr_arena_bytes(work->repaired) : 0));
    *ret_work = work;
    return ORR_OK;
}

enum orr_code orr_call_work_of(struct orr_call *call, const struct orr_query *query, const struct orr_release *reading,
                               struct orr_work **ret_work, struct orr_error *err)
{
    enum { LONGEST = 65536 };
    ORR_LOCAL_TEXT(key, LONGEST);
    orr_text_printf(&key, "%s|w|%s", call->id, orr_version());
    orr_query_key(query, &key);
    orr_params_key(&call->params, ORR_TOPICS(ORR_TOPIC_READING, ORR_TOPIC_MACHINE, ORR_TOPIC_REPAIR, ORR_TOPIC_RANKS),
                   &key);
    if (reading && reading != query->settings.release)
        orr_text_printf(&key, "|r%s", reading->name);
    if (orr_text_failed(&key))
        return orr_fail_nomem(err);
    /* Posted and stored content may be equal, but only the store knows whether it is stored. */
    int64_t seen;
    enum orr_code code = call->route->flags & (ORR_ROUTE_TOPOLOGY | ORR_ROUTE_CLUSTER)
                             ? orr_call_exists(call, true, &seen, err)
                             : ORR_OK;
    ORR_TRY(code);
    struct orr_work *work = (struct orr_work *)orr_cache_begin(call->app->cache, key.data);
    if (!work) {
        code = make_work(call, query, reading ? reading : query->settings.release, &work, err);
        orr_cache_end(call->app->cache, key.data, code == ORR_OK ? &work->shared : NULL);
    }
    if (code == ORR_OK && call->params.strict) {
        code = work->cluster ? orr_cluster_work_strict(work->cluster, err) : orr_dump_check_strict(work->dump, err);
        if (code == ORR_OK)
            code = orr_analysis_check_strict(work->analysis, err);
        if (code != ORR_OK)
            orr_shared_give(&work->shared);
    }
    if (code == ORR_OK)
        *ret_work = work;
    return code;
}

enum orr_code orr_call_work(struct orr_call *call, struct orr_work **ret_work, struct orr_error *err)
{
    return orr_call_work_of(call, &call->params.query, NULL, ret_work, err);
}
