/* SPDX-License-Identifier: Apache-2.0 */
/* Reading results of nccl-tests: the output of old and new versions, and what headers and rows prove. */
#include <stdlib.h>

#include "engine/base/budget.h"
#include "engine/nccltests/results.h"
#include "tests/support/orr_test.h"

#define OPTIONS                                                                                                        \
    "# nThread 1 nGpus 2 minBytes 1048576 maxBytes 2097152 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 "    \
    "validation: 1 graph: 0\n"
#define DEVICES                                                                                                        \
    "# Using devices\n"                                                                                                \
    "#  Rank  0 Group  0 Pid   4242 on      node1 device  0 [0000:1b:00] NVIDIA H100 80GB HBM3\n"                      \
    "#  Rank  1 Group  0 Pid   4242 on      node1 device  1 [0000:43:00] NVIDIA H100 80GB HBM3\n"                      \
    "#  Rank  2 Group  0 Pid   4300 on      node2 device  0 [0000:1b:00] NVIDIA H100 80GB HBM3\n"                      \
    "#  Rank  3 Group  0 Pid   4300 on      node2 device  1 [0000:43:00] NVIDIA H100 80GB HBM3\n"
#define NAMES                                                                                                          \
    "#\n#                                                              out-of-place                       in-place\n"  \
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "   \
    "#wrong\n"                                                                                                         \
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"
#define ROW1                                                                                                           \
    "     1048576        262144     float     sum      -1    50.00   20.97   31.46      0    40.00   26.21   39.32   " \
    "   0\n"
#define ROW2                                                                                                           \
    "     2097152        524288     float     sum      -1    80.00   26.21   39.32      0    80.00   26.21   39.32   " \
    "   3\n"
#define CLOSING "# Out of bounds values : 3 FAILED\n# Avg bus bandwidth    : 37.355 \n#\n"

static struct orr_results *read(const char *text)
{
    struct orr_error err = {0};
    struct orr_results *results = NULL;
    assert_ok(orr_results_read(text, strlen(text), NULL, &results, &err), &err);
    return results;
}

static bool has_note(const struct orr_results *results, const char *words)
{
    for (uint32_t i = 0; i < results->note_count; i++)
        if (strstr(results->notes[i], words))
            return true;
    return false;
}

TEST(a_whole_output)
{
    struct orr_results *results =
        read("# nccl-tests version 2.17.1 nccl-headers=22707 nccl-library=22707\n"
             "# Collective test starting: all_reduce_perf\n" OPTIONS DEVICES NAMES ROW1 ROW2 CLOSING
             "# Collective test concluded: all_reduce_perf\n");
    assert_int_equal(results->table_count, 1);
    assert_string_equal(results->form, "output of nccl-tests");
    assert_string_equal(results->tests_version, "2.17.1");
    assert_string_equal(results->library, "2.27.7");
    assert_int_equal(results->torn + results->left_out + results->refused + results->note_count, 0);
    const struct orr_result_table *table = results->tables;
    assert_int_equal(table->test, ORR_TEST_ALL_REDUCE);
    assert_true(table->test_certain && table->ranks_certain && table->complete);
    assert_int_equal(table->tests_possible, 1 << ORR_TEST_ALL_REDUCE);
    assert_int_equal(table->ranks, 4);
    assert_int_equal(table->hosts, 2);
    assert_int_equal(table->threads, 1);
    assert_int_equal(table->gpus_per_thread, 2);
    assert_int_equal(table->device_count, 4);
    assert_string_equal(table->model, "NVIDIA H100 80GB HBM3");
    assert_string_equal(table->devices[3].host, "node2");
    assert_string_equal(table->devices[3].bus_id, "0000:43:00");
    assert_int_equal(table->devices[3].device, 1);
    assert_int_equal(table->devices[3].group, 0);
    assert_string_equal(table->type, "float");
    assert_string_equal(table->op, "sum");
    assert_int_equal(table->iterations, 20);
    assert_int_equal(table->warmup, 5);
    assert_int_equal(table->min_bytes, 1048576);
    assert_int_equal(table->max_bytes, 2097152);
    assert_int_equal(table->out_of_bounds, 3);
    assert_true(table->average == 37.355);
    assert_int_equal(table->row_count, 2);
    const struct orr_result_row *row = &table->rows[1];
    assert_int_equal(row->size, 2097152);
    assert_int_equal(row->count, 524288);
    assert_int_equal(row->root, -1);
    assert_int_equal(row->line, 14);
    assert_true(row->out.time == 80 && row->out.alg_bw == 26.21 && row->out.bus_bw == 39.32 && row->out.wrong == 0);
    assert_true(row->in.time == 80 && row->in.wrong == 3);
    orr_results_free(results);
}

/* Old versions print neither root nor #wrong if the program has none. */
TEST(old_versions)
{
    struct orr_results *results = read(
        "# nThread 1 nGpus 8 minBytes 8 maxBytes 8 step: 2(factor) warmup iters: 5 iters: 20 validation: 1\n#\n"
        "# Using devices\n"
        "#   Rank  0 Pid   77 on  box device  0 [0x07] Tesla V100-SXM2-32GB\n"
        "#   Rank  1 Pid   77 on  box device  1 [0x0b] Tesla V100-SXM2-32GB\n"
        "#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error\n"
        "     8388608       2097152   float     sum    100.0   83.89   83.89  2e-07    100.0   83.89   83.89    N/A\n");
    const struct orr_result_table *table = results->tables;
    assert_int_equal(table->test, ORR_TEST_ALL_REDUCE); /* of two ranks: a reduction without root, of the whole size */
    assert_int_equal(table->ranks, 2);
    assert_int_equal(results->log->nccl_count, 0); /* lines about devices alone */
    assert_string_equal(table->devices[1].bus_id, "0x0b");
    assert_int_equal(table->devices[1].group, -1);
    assert_int_equal(table->rows[0].out.wrong, -1); /* a difference, no count */
    assert_int_equal(table->rows[0].in.wrong, -1);
    orr_results_free(results);

    results = read("# size count type root time algbw busbw error time algbw busbw error\n"
                   "  0  0  float  0  34.61  0.00  0.00  N/A  34.33  0.00  0.00  N/A\n"
                   "  4294967296  1073741824  float  0  18487  232.33  232.33  N/A  1.8e+04  233.66  233.66  N/A\n");
    table = results->tables;
    assert_int_equal(table->test, ORR_TEST_BROADCAST);
    assert_true(table->test_certain);
    assert_int_equal(table->row_count, 2);
    assert_int_equal(table->rows[1].root, 0);
    assert_true(table->rows[1].in.time == 18000);
    assert_int_equal(table->ranks, 0); /* its factor is 1, whatever the number */
    orr_results_free(results);
}

/* What a bare row proves: the factor, and how the count goes with the size. */
TEST(rows_name_their_program)
{
    static const struct {
        const char *row;
        enum orr_test test;
        bool certain;
        uint32_t ranks;
    } rows[] = {
        {"8589934592 2147483648 float sum -1 48940.2 175.52 329.10", ORR_TEST_ALL_REDUCE, true, 16},
        {"8589934592 2147483648 float sum -1 48940.2 175.52 329.10 0 48940.2 175.52 329.10 0", ORR_TEST_ALL_REDUCE,
         true, 16},
        {"8589934592 2147483648 float sum 48940.2 175.52 329.10", ORR_TEST_ALL_REDUCE, true, 16},
        {"8589934592 2147483648 float sum 48940.2 175.52 329.10 0", ORR_TEST_ALL_REDUCE, true, 16},
        {"8589934592 268435456 float none -1 24000.0 357.91 313.17 0 24000.0 357.91 313.17 0", ORR_TEST_ALL_GATHER,
         true, 8},
        {"8589934592 268435456 float none -1 24000.0 357.91 313.17 0 24000.0 357.91 313.17 N/A", ORR_TEST_ALLTOALL,
         false, 8},
        {"8589934592 268435456 float sum -1 24000.0 357.91 313.17 0 24000.0 357.91 313.17 0", ORR_TEST_REDUCE_SCATTER,
         true, 8},
        {"8589934592 2147483648 float sum 0 24000.0 357.91 357.91 0 24000.0 357.91 357.91 0", ORR_TEST_REDUCE, true, 0},
        {"8589934592 2147483648 float none 3 24000.0 357.91 357.91 0 24000.0 357.91 357.91 0", ORR_TEST_BROADCAST, true,
         0},
        {"8589934592 2147483648 float sum -1 24000.0 357.91 357.91 0 24000.0 357.91 357.91 N/A", ORR_TEST_SENDRECV,
         true, 0},
        {"8589934592 268435456 float none -1 21000.0 357.91 357.91 0 21000.0 357.91 357.91 0", ORR_TEST_HYPERCUBE, true,
         8},
        {"8589934592 2147483648 float sum -1 24000.0 357.91 357.91", ORR_TEST_ALL_REDUCE, false, 2}, /* or sendrecv */
        {"8589934592 268435456 float none 0 24000.0 357.91 313.17 0 24000.0 357.91 313.17 0", ORR_TEST_COUNT, false, 8},
        {"8589934592 268435456 float none -1 24000.0 357.91 313.17", ORR_TEST_COUNT, false, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ORR_OWNED(orr_results) *results = read(rows[i].row);
        const struct orr_result_table *table = results->tables;
        if (table->test != rows[i].test || table->test_certain != rows[i].certain || table->ranks != rows[i].ranks)
            fail_msg("%s: program %d (certain: %d), possible %x, %u ranks", rows[i].row, table->test,
                     table->test_certain, table->tests_possible, table->ranks);
        assert_true(!table->ranks_certain || table->ranks != 2); /* sendrecv of any number of ranks prints the same */
        assert_string_equal(results->form, "rows of nccl-tests without a header");
    }
}

/* Each program by the header's name, in columns that would fit others, too. */
TEST(a_header_names_the_program)
{
    for (unsigned test = 0; test < ORR_TEST_COUNT; test++) {
        char text[512];
        snprintf(text, sizeof text,
                 "# Collective test starting: %s_perf\n0 0 float none 0 14.0 0.00 0.00 0 14.0 0.00 0.00 0\n",
                 orr_test_programs[test].name);
        ORR_OWNED(orr_results) *results = read(text);
        assert_int_equal(results->tables[0].test, test);
        assert_int_equal(results->tables[0].tests_possible, 1U << test);
        assert_true(results->tables[0].test_certain && results->tables[0].ranks == 0);
    }
}

/* Rows that no program prints, and a header of fewer ranks than the rows prove. */
TEST(contradictions_are_said)
{
    struct orr_results *results = read("8589934592 2147483648 float none -1 10308 833.31 624.98\n");
    assert_int_equal(results->tables[0].test, ORR_TEST_COUNT);
    assert_true(has_note(results, "contradict one another"));
    orr_results_free(results);
    results =
        read(DEVICES NAMES "8589934592 2147483648 float sum -1 48940.2 175.52 329.10 0 48940.2 175.52 329.10 0\n");
    assert_int_equal(results->tables[0].ranks, 16);
    assert_int_equal(results->tables[0].hosts, 0);
    assert_true(has_note(results, "has 4 ranks, but"));
    orr_results_free(results);
}

/* NCCL's own lines say what the header does not. */
TEST(the_log_counts)
{
    ORR_OWNED(orr_results) *results = read(
        "NCCL version 2.21.5+cuda12.4\n"
        "n1:10:110 [0] NCCL INFO comm 0x5 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 21000 commId 0xa - Init START\n"
        "n1:10:10 [0] NCCL INFO AllReduce: 8589934592 Bytes -> Algo 1 proto 2 time 5.0\n"
        "8589934592 2147483648 float sum -1 24000.0 357.91 357.91\n");
    assert_string_equal(results->library, "2.21.5");
    assert_int_equal(results->tables[0].ranks, 2);
    assert_true(results->tables[0].ranks_certain && results->tables[0].test_certain);
    assert_int_equal(results->tables[0].test, ORR_TEST_ALL_REDUCE);
}

TEST(a_small_budget_ends_the_work)
{
    struct orr_budget budget = {.memory = 100000};
    struct orr_error err = {0};
    struct orr_results *results;
    orr_budget_begin(&budget);
    enum orr_code code = orr_results_read(ROW1, strlen(ROW1), NULL, &results, &err);
    code = orr_budget_verdict(&budget, code, &err);
    orr_budget_end();
    assert_int_equal(code, ORR_SPENT);
}

TEST(ranks_are_those_that_the_digits_allow)
{
    struct orr_results *results = read("8388608 2097152 float sum -1 3000.0 2.80 5.25\n");
    const struct orr_result_table *table = results->tables; /* 1.868 to 1.882 */
    assert_int_equal(table->ranks_least, 16);
    assert_int_equal(table->ranks_most, 16);
    orr_results_free(results);
    results = read("8388608 2097152 float sum -1 3000.0 2.80 5.52\n");
    table = results->tables; /* 1.966 to 1.977: a power of two is taken, but not as certain */
    assert_true(table->ranks_least > 2 && table->ranks_least <= 64 && table->ranks_most >= 64);
    assert_int_equal(table->ranks, 64);
    assert_false(table->ranks_certain);
    orr_results_free(results);
}
