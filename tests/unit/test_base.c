/* SPDX-License-Identifier: Apache-2.0 */
/* The small helpers that every room uses: clocks, hashes, hexadecimal digits. */
#include "engine/base/clock.h"
#include "engine/base/hash.h"
#include "engine/base/hex.h"
#include "engine/base/sorting.h"
#include "tests/support/orr_test.h"

TEST(a_wait_ends_at_its_deadline)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    int64_t deadline = orr_clock_ms() + 30;
    assert_int_equal(pthread_mutex_lock(&lock), 0);
    while (orr_clock_wait(&never, &lock, deadline))
        continue; /* woken for no reason */
    assert_true(orr_clock_ms() >= deadline);
    assert_false(orr_clock_wait(&never, &lock, deadline)); /* a past deadline does not wait */
    assert_int_equal(pthread_mutex_unlock(&lock), 0);
}

TEST(names_are_ordered_as_people_do)
{
    static const char *const ascending[] = {"",       "a",        "node",   "node1",    "node2",    "node2b",
                                            "node10", "node10-1", "node20", "node0021", "rack2-10", "rack10-2"};
    enum { COUNT = sizeof ascending / sizeof ascending[0] };
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < COUNT; k++)
            assert_int_equal(orr_order_naturally(ascending[i], ascending[k]) > 0, i > k);
    assert_true(orr_order_naturally("node01", "node1") != 0);
    assert_true(orr_order_naturally("n99999999999999999999999", "n100000000000000000000000") < 0);
}

TEST(a_name_follows_another_if_one_number_grows_by_one)
{
    assert_true(orr_follows_naturally("node9", "node10"));
    assert_true(orr_follows_naturally("rack2-node9-ib", "rack2-node10-ib"));
    assert_true(orr_follows_naturally("node09", "node10"));
    static const char *const strangers[][2] = {{"node9", "node11"},  {"node9", "node9"},      {"node10", "node9"},
                                               {"a9", "b10"},        {"r1-n9", "r2-n10"},     {"node9", "node10-ib"},
                                               {"node9", "node010"}, {"node09", "node010"},   {"node", "node1"},
                                               {"node1", "node1a"},  {"node1-2", "node2-2x"}, {"", ""}};
    for (size_t i = 0; i < sizeof strangers / sizeof strangers[0]; i++)
        assert_false(orr_follows_naturally(strangers[i][0], strangers[i][1]));
}

TEST(time_left_is_never_negative_and_at_most_an_hour)
{
    int64_t now = orr_clock_ms();
    assert_int_equal(orr_clock_left(now - 1), 0);
    assert_int_equal(orr_clock_left(now + (int64_t)100 * 3600 * 1000), 3600 * 1000);
    int left = orr_clock_left(now + 600000);
    assert_in_range(left, 1, 600000);
}

TEST(a_pause_takes_at_least_its_time)
{
    uint64_t before = orr_clock_ns();
    orr_clock_sleep(20);
    assert_true(orr_clock_ns() - before >= 20 * 1000000u);
    assert_true(orr_wall_ms() > INT64_C(1700000000000)); /* milliseconds since 1970, not another unit */
}

TEST(hashes_are_those_of_the_published_fnv_1a)
{
    assert_true(orr_hash_text(ORR_HASH_START, "") == UINT64_C(0xcbf29ce484222325));
    assert_true(orr_hash_text(ORR_HASH_START, "a") == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(orr_hash_text(ORR_HASH_START, "foobar") == UINT64_C(0x85944171f73967e8));
    assert_true(orr_hash_bytes(ORR_HASH_START, "foobarbaz", 6) == UINT64_C(0x85944171f73967e8));
}

TEST(hexadecimal_digits_are_read_and_written)
{
    const uint8_t bytes[] = {0x00, 0x9a, 0xff};
    uint8_t again[3] = {0};
    char text[7];
    orr_hex_write(bytes, sizeof bytes, text);
    assert_string_equal(text, "009aff");
    assert_true(orr_hex_read("009aFF", sizeof again, again));
    assert_memory_equal(again, bytes, sizeof bytes);
    assert_false(orr_hex_read("009aF", sizeof again, again));
    assert_false(orr_hex_read("009aFg", sizeof again, again));
    assert_false(orr_hex_read("", 1, again));
    assert_int_equal(orr_hex_digit('/'), -1);
    assert_int_equal(orr_hex_digit(':'), -1);
    assert_int_equal(orr_hex_digit('G'), -1);
    assert_int_equal(orr_hex_digit('g'), -1);
    assert_int_equal(orr_hex_digit('\0'), -1);
    assert_int_equal(orr_hex_digit('F'), 15);
    assert_int_equal(orr_hex_span("12aFx", 5), 4);
    assert_int_equal(orr_hex_span("12aF", 2), 2);
    assert_int_equal(orr_hex_span("12", 9), 2);
    assert_true(orr_hex_is_lower("0af-", 3));
    assert_false(orr_hex_is_lower("0af-", 4));
    assert_false(orr_hex_is_lower("0AF", 3));
}
