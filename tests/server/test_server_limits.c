/* SPDX-License-Identifier: Apache-2.0 */
/* Limits for a single client, in process: buckets, counts, bounded memory, many threads. */
#include <pthread.h>
#include <string.h>

#include "server/limits.h"
#include "tests/support/orr_test.h"

static struct orr_limits *make(uint64_t rate, uint64_t burst, uint64_t under_way)
{
    struct orr_error err = {0};
    struct orr_limits *limits;
    const struct orr_limits_options options = {rate, burst, under_way};
    assert_ok(orr_limits_new(&options, &limits, &err), &err);
    return limits;
}

static struct orr_client client_of(uint32_t number)
{
    struct orr_address address = {.bytes = {[10] = 0xff, [11] = 0xff}};
    memcpy(address.bytes + 12, &number, sizeof number);
    return orr_client_of(&address, NULL);
}

static enum orr_denial enter(struct orr_limits *limits, uint32_t number, uint64_t now)
{
    unsigned again = 0;
    const struct orr_client client = client_of(number);
    enum orr_denial denial = orr_limits_enter(limits, &client, now, &again);
    assert_true(!denial || again >= 1);
    return denial;
}

static void leave(struct orr_limits *limits, uint32_t number)
{
    const struct orr_client client = client_of(number);
    orr_limits_leave(limits, &client);
}

TEST(nothing_limited_costs_nothing)
{
    assert_null(make(0, 0, 0));
    assert_int_equal(enter(NULL, 1, 0), ORR_DENIED_NOT);
    leave(NULL, 1);
}

TEST(a_bucket_empties_and_fills_with_time)
{
    struct orr_limits *limits = make(10, 5, 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(enter(limits, 1, 1000), ORR_DENIED_NOT);
    assert_int_equal(enter(limits, 1, 1000), ORR_DENIED_RATE);
    assert_int_equal(enter(limits, 2, 1000), ORR_DENIED_NOT); /* another client */
    assert_int_equal(enter(limits, 1, 1099), ORR_DENIED_RATE);
    assert_int_equal(enter(limits, 1, 1101), ORR_DENIED_NOT); /* a tenth of a second is one request */
    assert_int_equal(enter(limits, 1, 1101), ORR_DENIED_RATE);
    assert_int_equal(enter(limits, 1, 500), ORR_DENIED_RATE); /* a clock of another thread that is behind */
    int passed = 0;
    for (int i = 0; i < 20; i++)
        passed += enter(limits, 1, 1000000) == ORR_DENIED_NOT;
    assert_int_equal(passed, 5); /* never more than the burst */
    orr_limits_free(limits);
}

TEST(requests_under_way_are_counted)
{
    struct orr_limits *limits = make(0, 0, 2);
    assert_int_equal(enter(limits, 7, 0), ORR_DENIED_NOT);
    assert_int_equal(enter(limits, 7, 0), ORR_DENIED_NOT);
    assert_int_equal(enter(limits, 7, 0), ORR_DENIED_CLIENT);
    leave(limits, 7);
    assert_int_equal(enter(limits, 7, 0), ORR_DENIED_NOT);
    orr_limits_free(limits);
}

TEST(clients_are_addresses_networks_and_tokens)
{
    const struct orr_address one = {.bytes = {0x20, 1, 0xd, 0xb8, [15] = 1}},
                             two = {.bytes = {0x20, 1, 0xd, 0xb8, [15] = 2}};
    const struct orr_address far = {.bytes = {0x20, 1, 0xd, 0xb9, [15] = 1}};
    const struct orr_client a = orr_client_of(&one, NULL), b = orr_client_of(&two, ""), c = orr_client_of(&far, NULL);
    assert_memory_equal(&a, &b, sizeof a); /* one /64 */
    assert_memory_not_equal(&a, &c, sizeof a);
    const struct orr_client token = orr_client_of(&one, "ci"), same = orr_client_of(&far, "ci");
    assert_memory_equal(&token, &same, sizeof token); /* a token is one client wherever it comes from */
    assert_memory_not_equal(&token, &a, sizeof token);
    const struct orr_client v4 = client_of(1), other = client_of(2);
    assert_memory_not_equal(&v4, &other, sizeof v4);
}

TEST(a_flood_of_addresses_stays_within_bounds)
{
    struct orr_limits *limits = make(1, 1, 0);
    unsigned refused = 0;
    for (uint32_t i = 0; i < 300000; i++) {
        enum orr_denial denial = enter(limits, i, 1000);
        refused += denial != ORR_DENIED_NOT;
        if (!denial)
            leave(limits, i);
    }
    assert_in_range(300000 - refused, 60000, 16 * 4096);
    /* Later those clients are dropped, and new ones are served again. */
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(enter(limits, 1000000 + i, 10000), ORR_DENIED_NOT);
    orr_limits_free(limits);
}

static struct orr_limits *shared;

static void *many(void *context)
{
    uintptr_t *passed = context;
    for (uint32_t i = 0; i < 20000; i++)
        if (enter(shared, i % 10, 1000) == ORR_DENIED_NOT) {
            ++*passed;
            leave(shared, i % 10);
        }
    return NULL;
}

TEST(threads_share_the_buckets)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    uintptr_t passed[THREADS] = {0}, all = 0;
    shared = make(1, 100, 3);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, many, &passed[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        all += passed[i];
    }
    assert_int_equal(all, 1000); /* ten clients, a hundred each */
    orr_limits_free(shared);
}
