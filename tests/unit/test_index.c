/* SPDX-License-Identifier: Apache-2.0 */
/* The hash table: rows by hash, growth, removal, and keys that somebody chose to fall together. */
#include "engine/base/index.h"
#include "tests/support/orr_test.h"

enum { MANY = 20000 };

static bool has(const struct orr_index *index, uint64_t hash, uintptr_t wanted)
{
    uintptr_t row;
    for (struct orr_probe probe = {0}; orr_index_next(index, hash, &probe, &row);)
        if (row == wanted)
            return true;
    return false;
}

TEST(rows_are_found_by_their_hash_and_no_other)
{
    struct orr_index index = {0};
    assert_false(has(&index, 1, 0));
    for (uintptr_t i = 0; i < MANY; i++)
        assert_true(orr_index_add(&index, i / 2, i)); /* two rows a hash */
    for (uintptr_t i = 0; i < MANY; i++) {
        assert_true(has(&index, i / 2, i));
        assert_false(has(&index, i / 2 + 1, i));
    }
    assert_true(index.slot_count >= 2 * index.count);
    orr_index_release(&index);
}

/* Whatever falls together, a row that goes takes no other with it, and rows come and go without growing the index. */
TEST(a_row_that_is_removed_takes_no_other_with_it)
{
    for (uint64_t hashes = 1; hashes < MANY; hashes = 7 * hashes + 1) { /* from one hash for all rows to one each */
        struct orr_index index = {0};
        for (uintptr_t i = 0; i < MANY / 8; i++)
            assert_true(orr_index_add(&index, i % hashes, i));
        const size_t slots = index.slot_count;
        for (uintptr_t i = 0; i < MANY / 8; i += 3)
            orr_index_remove(&index, i % hashes, i);
        orr_index_remove(&index, 0, MANY); /* never added */
        for (uintptr_t i = 0; i < MANY / 8; i++)
            assert_true(has(&index, i % hashes, i) == (i % 3 != 0));
        for (uintptr_t i = 0; i < MANY / 8; i += 3)
            assert_true(orr_index_add(&index, i % hashes, i));
        assert_int_equal(index.slot_count, slots);
        assert_int_equal(index.count, (MANY / 8));
        orr_index_release(&index);
    }
}

TEST(all_rows_come_also_where_each_is_removed)
{
    struct orr_index index = {0};
    bool seen[MANY / 8] = {false};
    uintptr_t row = 0, count = 0;
    for (uintptr_t i = 0; i < MANY / 8; i++)
        assert_true(orr_index_add(&index, i / 5, i));
    for (size_t at = 0; orr_index_each(&index, &at, &row); count++) {
        assert_false(seen[row]);
        seen[row] = true;
    }
    assert_int_equal(count, MANY / 8);
    row = 0;
    for (size_t at = 0; orr_index_each(&index, &at, &row);)
        if (row % 2)
            orr_index_remove(&index, row / 5, row);
    for (uintptr_t i = 0; i < MANY / 8; i++)
        assert_true(has(&index, i / 5, i) == (i % 2 == 0));
    row = 0;
    for (size_t at = 0; orr_index_each(&index, &at, &row);)
        orr_index_remove(&index, row / 5, row);
    assert_int_equal(index.count, 0);
    orr_index_release(&index);
}

/* Runs of occupied slots are short, also with hashes that differ in high bits only or by a step. */
TEST(searches_stay_short_whatever_the_hashes_have_in_common)
{
    static const uint64_t steps[] = {1, 64, UINT64_C(1) << 20, UINT64_C(1) << 40};
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
        struct orr_index index = {0};
        size_t longest = 0, run = 0;
        for (uint64_t i = 0; i < MANY; i++)
            assert_true(orr_index_add(&index, i * steps[s], (uintptr_t)i));
        for (size_t i = 0; i < 2 * index.slot_count; i++) {
            run = index.slots[i % index.slot_count].value ? run + 1 : 0;
            longest = run > longest ? run : longest;
        }
        assert_in_range(longest, 1, 200);
        orr_index_release(&index);
    }
}

/* A seed alone is not enough: these two keys are one for FNV-1a with every seed. */
TEST(keys_that_fnv_takes_for_one_are_told_apart)
{
    static const uint64_t top = UINT64_C(1) << 63, one[] = {4711, 4712}, other[] = {4711 ^ top, 4712 ^ top};
    for (uint64_t seed = 1; seed < 1000; seed++) {
        assert_true(orr_hash_number(orr_hash_number(seed, one[0]), one[1]) ==
                    orr_hash_number(orr_hash_number(seed, other[0]), other[1]));
        assert_true(orr_hash_key(seed, one, sizeof one) != orr_hash_key(seed, other, sizeof other));
    }
    assert_true(orr_hash_key(1, "a", 1) != orr_hash_key(1, "a\0", 2));
    assert_true(orr_hash_key(1, "", 0) != orr_hash_key(2, "", 0));
}

TEST(keys_from_outside_begin_with_a_seed_of_the_process)
{
    assert_true(orr_hash_seeded() == orr_hash_seeded());
    assert_true(orr_hash_seeded() != ORR_HASH_START && orr_hash_seeded() != 0);
}

TEST(memory_that_runs_out_is_an_answer)
{
    struct orr_arena *arena = orr_arena_new(1 << 17);
    assert_non_null(arena);
    struct orr_index index = {.arena = arena};
    uintptr_t added = 0;
    while (added < MANY && orr_index_add(&index, added, added))
        added++;
    assert_in_range(added, 1, MANY - 1);
    for (uintptr_t i = 0; i < added; i++)
        assert_true(has(&index, i, i));
    orr_arena_free(arena);
}
