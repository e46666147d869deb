/* SPDX-License-Identifier: Apache-2.0 */
/* The app: its store, cache, metrics and pool of processes that draw. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handlers/app.h"
#include "api/handlers/handlers.h"
#include "api/handlers/shapes.h"
#include "api/handlers/watch.h"
#include "engine/base/clock.h"

/* Called when retention deleted a topology. */
static void forget(void *context, const char *id)
{
    struct orr_app *app = context;
    atomic_fetch_add(&app->changes, 1);
    orr_cache_forget(app->cache, id);
}

/* A missing topology, or one in another state than required, is not a failure of the database. */
static void count_operation(void *context, enum orr_store_operation operation, uint64_t nanoseconds, enum orr_code code)
{
    struct orr_metrics *metrics = ((struct orr_app *)context)->metrics;
    orr_metric_observe(metrics, ORR_METRIC_STORE_DURATION, operation, nanoseconds);
    if (code != ORR_OK && code != ORR_NOT_FOUND)
        orr_metric_add(metrics, ORR_METRIC_STORE_FAILURES, operation, 1);
}

static enum orr_code open_store(struct orr_app *app, const struct orr_app_options *options, struct orr_error *err)
{
    enum { DAY_S = 86400 };
    const struct orr_store_options store = {
        .location = options->database,
        .connections = options->database_connections,
        .timeout_ms = options->database_timeout_ms,
        .most_inside = options->database_calls,
        .keep_ms = (int64_t)options->keep_days * DAY_S * 1000,
        .keep_count = options->keep_count,
        .keep_dry = options->keep_dry,
        .shape = orr_shape_of_bytes,
        .on_expired = forget,
        .on_done = count_operation,
        .context = app,
    };
    return orr_store_open(&store, &app->store, err);
}

static void write_route(const void *context, unsigned value, char labels[ORR_LABELS_SIZE])
{
    const struct orr_route *route = &((const struct orr_app *)context)->routes[value];
    snprintf(labels, ORR_LABELS_SIZE, "method=\"%s\",route=\"%s\"", route->method, orr_route_template(route));
}

enum orr_code orr_app_new(const struct orr_app_options *options, struct orr_app **ret_app, struct orr_error *err)
{
    enum { MAX_BODY = 16 << 20, CACHE_BYTES = 256 << 20 };
    struct orr_app *app = calloc(1, sizeof *app);
    ORR_NEED(app, err);
    app->check_systems = options->check_systems;
    app->stream_most = options->stream_bytes;
    app->max_body = options->max_body ? options->max_body : MAX_BODY;
    app->routes = orr_route_table(&app->route_count);
    app->metrics = orr_metrics_new(&(struct orr_metric_routes){app->route_count, write_route, app});
    app->cache = orr_cache_new(options->cache_bytes ? options->cache_bytes : CACHE_BYTES);
    enum orr_code code = app->cache && app->metrics ? ORR_OK : orr_fail_nomem(err);
    if (code == ORR_OK && options->static_folder && !(app->static_folder = strdup(options->static_folder)))
        code = orr_fail_nomem(err);
    if (code == ORR_OK && options->docs_folder && !(app->docs_folder = strdup(options->docs_folder)))
        code = orr_fail_nomem(err);
    if (code == ORR_OK && options->program && !(app->program = strdup(options->program)))
        code = orr_fail_nomem(err);
    if (code == ORR_OK)
        code = open_store(app, options, err);
    if (code == ORR_OK)
        code = orr_renderer_new(NULL, options->program, &app->renderer, err);
    if (code == ORR_OK && options->counts_hosts)
        code = orr_watch_start(app, &app->watch, err);
    if (code != ORR_OK) {
        orr_app_free(app);
        return code;
    }
    *ret_app = app;
    return ORR_OK;
}

void orr_app_free(struct orr_app *app)
{
    if (!app)
        return;
    orr_watch_stop(app->watch);
    if (app->renderer)
        orr_renderer_free(app->renderer);
    orr_store_close(app->store);
    orr_cache_free(app->cache);
    orr_metrics_free(app->metrics);
    free(app->static_folder);
    free(app->docs_folder);
    free(app->program);
    free(app);
}

enum orr_code orr_app_due(struct orr_app *app, int64_t *ret_due, int64_t *ret_stored, struct orr_error *err)
{
    return orr_store_due(app->store, orr_wall_ms(), ret_due, ret_stored, err);
}
