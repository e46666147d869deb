/* SPDX-License-Identifier: Apache-2.0 */
/* Predicted rows as a table: in the layout of nccl-tests, and read back as results. */
#include "engine/expect/table.h"

#include <math.h>

#include "engine/nccltests/results.h"
#include "tests/support/expect_case.h"

TEST(tables_are_in_the_layout_of_nccl_tests)
{
    struct orr_expect_sizes sizes;
    static struct orr_expect_table table;
    static const char *const wrong[] = {"", "0", "8:4", "8:8G:1", "8:8G:x", "8:8G:2:2", "2T", "-8", "8:8Q", "1:2:1025"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(orr_expect_sizes_read(wrong[i], &sizes, &err), ORR_SETTING);
    err = (struct orr_error){0};
    make("hgx-h100", NULL, 1, ORR_TEST_ALL_REDUCE);
    assert_ok(orr_expect_sizes_read("100:8G:4", &sizes, &err), &err);
    assert_ok(orr_expect_table_make(analysis, ORR_TEST_ALL_GATHER, &sizes, &table, &err), &err);
    assert_int_equal(table.rows[0].size, 384); /* 100 bytes are less than 16 for each of 8 ranks */
    assert_int_equal(table.rows[0].count, 12);
    assert_int_equal(table.count, 13);
    assert_ok(orr_expect_sizes_read("4k", &sizes, &err), &err);
    assert_ok(orr_expect_table_make(analysis, ORR_TEST_ALL_REDUCE, &sizes, &table, &err), &err);
    ORR_LOCAL_TEXT(text, 1 << 16);
    orr_expect_table_write(&table, &text);
    assert_non_null(strstr(text.data, "\n        4096          1024     float     sum      -1    "));
    assert_non_null(strstr(text.data, "\n# Avg bus bandwidth    : "));
}

/* What we write is read back as results: program, ranks, hosts and figures, to the digits that are printed. */
TEST(our_tables_are_read_as_results)
{
    const struct orr_expect_sizes sizes = {.first = 1 << 20, .last = UINT64_C(8) << 30, .factor = 8};
    static struct orr_expect_table table;
    make("hgx-h100", NULL, 2, ORR_TEST_ALL_REDUCE);
    for (unsigned test = 0; test < ORR_TEST_COUNT; test++) {
        struct orr_results *results;
        struct orr_text text;
        orr_text_init(&text, 1 << 16);
        assert_ok(orr_expect_table_make(analysis, (enum orr_test)test, &sizes, &table, &err), &err);
        orr_expect_table_write(&table, &text);
        assert_ok(orr_results_read(text.data, text.length, NULL, &results, &err), &err);
        const struct orr_result_table *read = &results->tables[0];
        assert_int_equal(results->table_count, 1);
        assert_int_equal(results->refused + results->torn + results->left_out, 0);
        assert_int_equal(read->test, test);
        assert_true(read->test_certain && read->complete);
        assert_int_equal(read->ranks, 16);
        assert_int_equal(read->hosts, 2);
        assert_string_equal(read->op, orr_test_programs[test].reduces ? "sum" : "none");
        assert_int_equal(read->row_count, table.count);
        for (uint32_t i = 0; i < table.count; i++) {
            const struct orr_result_row *row = &read->rows[i];
            assert_int_equal(row->size, table.rows[i].size);
            assert_int_equal(row->count, table.rows[i].count);
            assert_int_equal(row->root, orr_test_programs[test].rooted ? 0 : -1);
            assert_true(fabs(row->out.bus_bw - table.rows[i].expected.bus_bw) <= 0.0051);
            assert_true(fabs(row->in.time - table.rows[i].expected.time) <= 0.51);
            assert_int_equal(row->out.wrong, -1);
        }
        assert_true(fabs(read->average - table.average) <= 1e-4 * table.average);
        orr_results_free(results);
        orr_text_release(&text);
    }
}
