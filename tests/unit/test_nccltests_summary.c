/* SPDX-License-Identifier: Apache-2.0 */
/* Results that people sum up without sizes: tables, lists and sentences; and numbers that say something else. */
#include "tests/support/results.h"

/* The figures of one summary: a table for each. */
struct expected {
    enum orr_test test;
    uint32_t hosts; /* 0 if not named */
    double bus_bw;  /* GB/s */
};

static void assert_sums_up(const char *text, const struct expected *expected, uint32_t count)
{
    ORR_OWNED(orr_results) *results = read(text);
    assert_true(results->summary);
    assert_string_equal(results->form, "summary without sizes");
    assert_true(has_note(results, "bus bandwidth of large messages (8 GiB)"));
    assert_int_equal(results->table_count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(results->tables[i].test, expected[i].test);
        assert_int_equal(results->tables[i].hosts, expected[i].hosts);
        assert_int_equal(results->tables[i].rows[0].size, (uint64_t)8 << 30);
        assert_float_equal(results->tables[i].rows[0].out.bus_bw, expected[i].bus_bw, 1e-9);
    }
}

TEST(tables_name_tests_or_hosts)
{
    static const struct expected tests[] = {{ORR_TEST_ALL_REDUCE, 0, 480}, {ORR_TEST_ALL_GATHER, 0, 360}};
    static const struct expected hosts[] = {{ORR_TEST_ALL_REDUCE, 1, 478}, {ORR_TEST_ALL_REDUCE, 2, 190}};
    static const struct expected both[] = {{ORR_TEST_ALL_REDUCE, 2, 190}, {ORR_TEST_ALL_GATHER, 2, 185}};
    assert_sums_up(
        "| Test | Result |\n|---|---|\n| all_reduce_perf | **480 GB/s** |\n| all_gather_perf | 2880 Gb/s |\n", tests,
        2);
    assert_sums_up("| Nodes | all_reduce busbw |\n|---|---|\n| 1 | **478 GB/s** |\n| 2 | 190 |\n", hosts, 2);
    assert_sums_up("Nodes;all_reduce (GB/s);all_gather (GB/s)\n2;190;185\n", both, 2);
}

TEST(units_are_those_of_the_cell_else_of_the_column)
{
    static const struct expected gib[] = {{ORR_TEST_ALL_REDUCE, 0, 107.3741824}};
    static const struct expected bits[] = {{ORR_TEST_ALL_REDUCE, 0, 45}};
    static const struct expected millions[] = {{ORR_TEST_ALL_REDUCE, 0, 0.5}};
    assert_sums_up("| Test | Result |\n| all_reduce | 100 GiB/s |\n", gib, 1);
    assert_sums_up("| Test | Result (Gbps) |\n| all_reduce | 360 |\n", bits, 1);
    assert_sums_up("| Test | Result (Gbps) |\n| all_reduce | 45 GB/s |\n", bits, 1);
    assert_sums_up("| Test | Result |\n| all_reduce | 500 MB/s |\n", millions, 1);
}

TEST(columns_of_expectations_and_times_are_left_out)
{
    static const struct expected one[] = {{ORR_TEST_ALL_REDUCE, 0, 41}};
    assert_sums_up("| Test | Expected | busbw | time (us) |\n| all_reduce | 48 GB/s | 41 GB/s | 9000 |\n", one, 1);
}

TEST(lists_and_sentences_name_hosts)
{
    static const struct expected list[] = {
        {ORR_TEST_ALL_REDUCE, 2, 100}, {ORR_TEST_ALL_REDUCE, 3, 70}, {ORR_TEST_ALL_REDUCE, 5, 58}};
    static const struct expected sentence[] = {{ORR_TEST_ALL_GATHER, 2, 44}};
    assert_sums_up("all_reduce_perf, busbw: 2 nodes: ~100 GB/s, 3 nodes: 70, 4-5 nodes: 58\n", list, 3);
    assert_sums_up("all_gather reaches 44 GB/s on 2 nodes.\n", sentence, 1);
}

/* Each of these has a number and a unit, but says nothing about a result. */
TEST(other_numbers_are_not_results)
{
    static const char *const texts[] = {
        "Each node has 8 NICs of 400 Gb/s, and all_reduce should reach 370 GB/s.\n",
        "ib_write_bw gives 392 Gb/s between 2 nodes.\n",
        "We restarted 2 nodes: 480 jobs were lost.\n",
        "all_reduce on 2 nodes is slow.\n",
        "| Nodes | Memory |\n| 2 | 512 |\n",
        "We gather 3 logs and reduce 40 GB of them.\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        refuse(texts[i], "does not look like output of nccl-tests");
}

TEST(rows_come_before_a_summary)
{
    ORR_OWNED(orr_results) *results = read("all_reduce_perf reached 480 GB/s on 2 nodes\n" NAMES ROW1 "\n" ROW2 "\n");
    assert_false(results->summary);
    assert_int_equal(results->table_count, 1);
    assert_int_equal(results->tables[0].row_count, 2);
}
