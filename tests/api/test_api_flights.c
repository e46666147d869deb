/* SPDX-License-Identifier: Apache-2.0 */
/* The cache's promises: one analysis for a hundred clients, nothing beyond the ceiling, and keys that contain
 * everything that an answer depends on. */
#include <pthread.h>

#include "api/handlers/app.h"
#include "api/http/call.h"
#include "tests/support/asking.h"

enum { CLIENTS = 100 };

struct client {
    pthread_t thread;
    pthread_barrier_t *start;
    const char *method, *target, *body;
    unsigned status;
    char tag[64];
};

static void *ask_as_client(void *context)
{
    struct client *client = context;
    struct orr_response own = {0};
    const struct orr_request request = {
        .method = client->method,
        .target = client->target,
        .body = client->body,
        .body_length = client->body ? strlen(client->body) : 0,
        .id = "flight",
    };
    pthread_barrier_wait(client->start);
    orr_api_handle(app, &request, &own);
    client->status = own.status;
    struct orr_header headers[ORR_MAX_HEADERS];
    unsigned count = orr_response_headers(&own, headers);
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(headers[i].name, "ETag"))
            snprintf(client->tag, sizeof client->tag, "%s", headers[i].value);
    orr_response_release(&own);
    return NULL;
}

/* A hundred at once; gives the analyses that were made for them. */
static unsigned long fly(struct client *clients)
{
    pthread_barrier_t start;
    unsigned long before = atomic_load(&app->analyses);
    pthread_barrier_init(&start, NULL, CLIENTS);
    for (int i = 0; i < CLIENTS; i++) {
        clients[i].start = &start;
        assert_int_equal(pthread_create(&clients[i].thread, NULL, ask_as_client, &clients[i]), 0);
    }
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(clients[i].thread, NULL);
    pthread_barrier_destroy(&start);
    return atomic_load(&app->analyses) - before;
}

TEST(a_hundred_clients_cost_one_analysis)
{
    static struct client clients[CLIENTS];
    char target[512];
    snprintf(target, sizeof target, "%s", stored(ORR_TEST_WORKSTATION, "/analysis?hosts=3"));
    for (int i = 0; i < CLIENTS; i++)
        clients[i] = (struct client){.method = "GET", .target = target};
    assert_int_equal(fly(clients), 1);
    for (int i = 0; i < CLIENTS; i++) {
        assert_int_equal(clients[i].status, 200);
        assert_string_equal(clients[i].tag, clients[0].tag);
    }
    assert_int_equal(fly(clients), 0);
}

TEST(different_sections_of_one_analysis_share_it)
{
    static const char *const sections[] = {"graphs", "paths", "p2p", "channels", "tuning"};
    static struct client clients[CLIENTS];
    static char targets[5][512];
    for (int i = 0; i < 5; i++) {
        char tail[64];
        snprintf(tail, sizeof tail, "/analysis/%s?hosts=4", sections[i]);
        snprintf(targets[i], sizeof targets[i], "%s", stored(ORR_TEST_WORKSTATION, tail));
    }
    for (int i = 0; i < CLIENTS; i++)
        clients[i] = (struct client){.method = "GET", .target = targets[i % 5]};
    assert_int_equal(fly(clients), 1);
    for (int i = 0; i < CLIENTS; i++)
        assert_int_equal(clients[i].status, 200);
}

TEST(a_hundred_posts_of_one_dump_cost_one_analysis)
{
    static struct client clients[CLIENTS];
    for (int i = 0; i < CLIENTS; i++)
        clients[i] = (struct client){
            .method = "POST", .target = "/v1/analyze?hosts=5", .body = ORR_TEST_WORKSTATION "<!-- flight -->"};
    assert_int_equal(fly(clients), 1);
    for (int i = 0; i < CLIENTS; i++)
        assert_int_equal(clients[i].status, 200);
}

static unsigned long analyses_for(const char *target)
{
    unsigned long before = atomic_load(&app->analyses);
    ask("GET", target, NULL);
    assert_int_equal(response.status, 200);
    return atomic_load(&app->analyses) - before;
}

TEST(each_thing_that_decides_an_answer_is_in_its_key)
{
    static const char *const queries[] = {"",
                                          "?hosts=2",
                                          "?release=2.21.5",
                                          "?release=2.21.5&hosts=2",
                                          "?NCCL_CROSS_NIC=1",
                                          "?NCCL_CROSS_NIC=0",
                                          "?NCCL_MIN_NCHANNELS=1&NCCL_CROSS_NIC=1"};
    char target[512];
    for (int twice = 0; twice < 2; twice++)
        for (size_t i = 0; i < sizeof queries / sizeof queries[0]; i++) {
            char tail[160];
            snprintf(tail, sizeof tail, "/analysis%s", queries[i]);
            snprintf(target, sizeof target, "%s", stored(ORR_TEST_WORKSTATION "<!-- keys -->", tail));
            assert_int_equal(analyses_for(target), !twice);
        }
    /* The order of parameters does not matter, but the content does. */
    snprintf(target, sizeof target, "%s",
             stored(ORR_TEST_WORKSTATION "<!-- keys -->", "/analysis?NCCL_CROSS_NIC=1&NCCL_MIN_NCHANNELS=1"));
    assert_int_equal(analyses_for(target), 0);
    snprintf(target, sizeof target, "%s", stored(ORR_TEST_WORKSTATION "<!-- other keys -->", "/analysis"));
    assert_int_equal(analyses_for(target), 1);
}

TEST(deleting_drops_what_was_cached)
{
    struct orr_cache_figures before, with, after;
    char target[640], base[512];
    orr_cache_figures(app->cache, &before);
    snprintf(base, sizeof base, "%s", stored(ORR_TEST_WORKSTATION "<!-- dropped -->", ""));
    snprintf(target, sizeof target, "%s/analysis", base);
    ask("GET", target, NULL);
    orr_cache_figures(app->cache, &with);
    assert_true(with.bytes > before.bytes + response.length && with.entries >= before.entries + 3);
    ask("DELETE", base, NULL);
    assert_int_equal(response.status, 204);
    orr_cache_figures(app->cache, &after);
    assert_true(after.bytes == before.bytes && after.entries == before.entries);
    ask("GET", target, NULL);
    assert_problem(404, "/problems/not-found");
    stored(ORR_TEST_WORKSTATION "<!-- dropped -->", "");
    assert_int_equal(analyses_for(target), 1);
}

/* A small cache under many different questions from many threads never holds more than it may. */
static struct orr_app *big;
static void *ask_many(void *context)
{
    unsigned seed = (unsigned)(uintptr_t)context;
    for (unsigned i = 0; i < 12; i++) {
        struct orr_response own = {0};
        struct orr_cache_figures figures;
        char target[96];
        snprintf(target, sizeof target, "/v1/analyze?hosts=%u&NCCL_MIN_NCHANNELS=%u", 1 + (seed + i) % 7, i % 5);
        const struct orr_request request = {.method = "POST",
                                            .target = target,
                                            .body = ORR_TEST_WORKSTATION,
                                            .body_length = strlen(ORR_TEST_WORKSTATION),
                                            .id = "many"};
        orr_api_handle(app, &request, &own);
        assert_int_equal(own.status, 200);
        orr_response_release(&own);
        orr_cache_figures(app->cache, &figures);
        assert_true(figures.bytes <= figures.limit);
    }
    return NULL;
}

TEST(the_ceiling_holds_under_many_threads)
{
    enum { THREADS = 6 };
    struct orr_cache_figures figures;
    struct orr_error err = {0};
    pthread_t threads[THREADS];
    const struct orr_app_options options = {.database = ":memory:", .cache_bytes = 1 << 20};
    big = app;
    assert_ok(orr_app_new(&options, &app, &err), &err);
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_many, (void *)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    orr_cache_figures(app->cache, &figures);
    assert_true(figures.evictions > 0);
    assert_true(figures.bytes <= figures.limit);
    orr_app_free(app);
    app = big;
}
