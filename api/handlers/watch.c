/* SPDX-License-Identifier: Apache-2.0 */
/* Counts hosts by verdict for Prometheus, whose requests must not start analyses: once a minute a thread asks for the
 * groups of all hosts (GET /v1/fleet), and that answer sets the metrics.
 *
 * A pass has a budget: at most 17 analyses, one for each group that gets a verdict and one for the reference, in 10 s
 * and 512 MiB. Analyses stay in the cache, so a pass goes on where the one before it ran out of time, and a fleet that
 * does not change costs no more than reading its hosts. */
#include "api/handlers/watch.h"

#include <pthread.h>
#include <stdlib.h>

#include "engine/base/budget.h"
#include "engine/base/clock.h"

struct orr_watch {
    struct orr_app *app;
    struct orr_budget budget;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool ending;
    pthread_t thread;
};

static void look(struct orr_watch *watch)
{
    static const char target[] = "/v1/fleet?limit=200";
    const struct orr_request request = {.method = "GET",
                                        .route = orr_route_find(watch->app, "GET", target),
                                        .target = target,
                                        .id = "watch",
                                        .budget = &watch->budget};
    struct orr_response response;
    orr_api_handle(watch->app, &request, &response);
    orr_response_release(&response);
}

static void *keep_looking(void *context)
{
    enum { MINUTE_MS = 60000 };
    struct orr_watch *watch = context;
    pthread_mutex_lock(&watch->lock);
    while (!watch->ending) {
        orr_budget_reset(&watch->budget);
        pthread_mutex_unlock(&watch->lock);
        look(watch);
        pthread_mutex_lock(&watch->lock);
        for (const int64_t next = orr_clock_ms() + MINUTE_MS;
             !watch->ending && orr_clock_wait(&watch->changed, &watch->lock, next);)
            ;
    }
    pthread_mutex_unlock(&watch->lock);
    return NULL;
}

enum orr_code orr_watch_start(struct orr_app *app, struct orr_watch **ret_watch, struct orr_error *err)
{
    enum { SECONDS = 10, MEMORY = 512 << 20 };
    struct orr_watch *watch = calloc(1, sizeof *watch);
    ORR_NEED(watch, err);
    watch->app = app;
    watch->budget =
        (struct orr_budget){.by = ORR_LIMITED_BY_SERVICE, .time_ns = SECONDS * UINT64_C(1000000000), .memory = MEMORY};
    pthread_mutex_init(&watch->lock, NULL);
    pthread_cond_init(&watch->changed, NULL);
    if (pthread_create(&watch->thread, NULL, keep_looking, watch)) {
        pthread_cond_destroy(&watch->changed);
        pthread_mutex_destroy(&watch->lock);
        free(watch);
        return orr_fail(err, ORR_IO, "the thread that counts hosts could not be started");
    }
    *ret_watch = watch;
    return ORR_OK;
}

void orr_watch_stop(struct orr_watch *watch)
{
    if (!watch)
        return;
    pthread_mutex_lock(&watch->lock);
    watch->ending = true;
    orr_budget_stop(&watch->budget, ORR_SPENT_SHUTDOWN);
    pthread_cond_broadcast(&watch->changed);
    pthread_mutex_unlock(&watch->lock);
    pthread_join(watch->thread, NULL);
    pthread_cond_destroy(&watch->changed);
    pthread_mutex_destroy(&watch->lock);
    free(watch);
}
