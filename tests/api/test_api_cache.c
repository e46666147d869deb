/* SPDX-License-Identifier: Apache-2.0 */
/* The cache: references, ceiling, forgetting, single flight. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/http/cache.h"
#include "tests/support/orr_test.h"

static atomic_int alive;

static void free_value(struct orr_shared *shared)
{
    atomic_fetch_sub(&alive, 1);
    free(shared);
}

static struct orr_shared *value_of(size_t cost)
{
    struct orr_shared *shared = calloc(1, sizeof *shared);
    assert_non_null(shared);
    orr_shared_init(shared, cost, free_value);
    atomic_fetch_add(&alive, 1);
    return shared;
}

static void put(struct orr_cache *cache, const char *key, size_t cost)
{
    assert_null(orr_cache_begin(cache, key));
    struct orr_shared *value = value_of(cost);
    orr_cache_end(cache, key, value);
    orr_shared_give(value);
}

static bool has(struct orr_cache *cache, const char *key)
{
    struct orr_shared *value = orr_cache_peek(cache, key);
    orr_shared_give(value);
    return value != NULL;
}

TEST(the_ceiling_drops_what_was_not_used_longest)
{
    struct orr_cache *cache = orr_cache_new(10000);
    struct orr_cache_figures figures;
    put(cache, "a|1", 2400);
    put(cache, "b|1", 2400);
    put(cache, "c|1", 2400);
    assert_true(has(cache, "a|1"));
    put(cache, "d|1", 2400);
    put(cache, "e|1", 2400);
    assert_true(has(cache, "a|1"));
    assert_false(has(cache, "b|1"));
    put(cache, "huge|1", 10000); /* no room even in an empty cache: the others stay */
    assert_false(has(cache, "huge|1"));
    assert_true(has(cache, "a|1"));
    put(cache, "dear|1", 9000);
    assert_true(has(cache, "dear|1"));
    assert_false(has(cache, "a|1"));
    orr_cache_figures(cache, &figures);
    assert_true(figures.bytes <= figures.limit);
    assert_int_equal(figures.entries, 1);
    orr_cache_free(cache);
    assert_int_equal(alive, 0);
}

static struct orr_cache *of_value;

/* Hangs where the cache's lock is held: freeing a large analysis takes long, and nobody should wait for it. */
static void ask_and_free(struct orr_shared *shared)
{
    struct orr_cache_figures figures;
    orr_cache_figures(of_value, &figures);
    free_value(shared);
}

TEST(values_are_freed_without_the_lock)
{
    of_value = orr_cache_new(10000);
    for (int i = 0; i < 8; i++) { /* the later ones push the earlier ones out */
        char key[] = {'a', '|', (char)('0' + i), 0};
        assert_null(orr_cache_begin(of_value, key));
        struct orr_shared *value = value_of(4000);
        value->free = ask_and_free;
        orr_cache_end(of_value, key, value);
        orr_shared_give(value);
    }
    assert_int_equal(alive, 2);
    orr_cache_forget(of_value, "a|");
    assert_int_equal(alive, 0);
    orr_cache_free(of_value);
}

TEST(a_value_lives_as_long_as_someone_holds_it)
{
    struct orr_cache *cache = orr_cache_new(10000);
    put(cache, "a|1", 10);
    put(cache, "a|2", 10);
    put(cache, "b|1", 10);
    struct orr_shared *held = orr_cache_peek(cache, "a|1");
    orr_cache_forget(cache, "a|");
    assert_false(has(cache, "a|1"));
    assert_false(has(cache, "a|2"));
    assert_true(has(cache, "b|1"));
    assert_int_equal(alive, 2);
    orr_shared_give(held);
    assert_int_equal(alive, 1);
    orr_cache_free(cache);
    assert_int_equal(alive, 0);
}

TEST(what_is_forgotten_while_it_is_made_is_not_kept)
{
    struct orr_cache *cache = orr_cache_new(10000);
    assert_null(orr_cache_begin(cache, "a|1"));
    orr_cache_forget(cache, "a|");
    struct orr_shared *value = value_of(1);
    orr_cache_end(cache, "a|1", value);
    orr_shared_give(value);
    assert_false(has(cache, "a|1"));
    orr_cache_free(cache);
    assert_int_equal(alive, 0);
}

struct flight {
    struct orr_cache *cache;
    atomic_int made;
};

static void *want(void *context)
{
    struct flight *flight = context;
    struct orr_shared *value = orr_cache_begin(flight->cache, "same|key");
    if (!value) {
        atomic_fetch_add(&flight->made, 1);
        usleep(20000);
        value = value_of(1);
        orr_cache_end(flight->cache, "same|key", value);
    }
    orr_shared_give(value);
    return NULL;
}

TEST(many_who_want_the_same_cost_one)
{
    enum { THREADS = 32 };
    struct flight flight = {.cache = orr_cache_new(10000)};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, want, &flight), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(flight.made, 1);
    orr_cache_free(flight.cache);
    assert_int_equal(alive, 0);
}

TEST(after_a_failure_the_next_one_tries)
{
    struct orr_cache *cache = orr_cache_new(10000);
    assert_null(orr_cache_begin(cache, "a|1"));
    orr_cache_end(cache, "a|1", NULL);
    put(cache, "a|1", 1);
    assert_true(has(cache, "a|1"));
    orr_cache_free(cache);
}
