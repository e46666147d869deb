/* SPDX-License-Identifier: Apache-2.0 */
/* Results of nccl-tests in what people paste: launchers' prefixes, torn rows, several tables, limits, and what is
 * refused.
 */
#include "engine/base/budget.h"
#include "tests/support/results.h"

TEST(prefixes_and_colours_are_passed_over)
{
    static const char *const prefixes[] = {
        "[1,0]<stdout>:",
        "   [1,0]<stdout>:",
        "0: ",
        "12: ",
        "\x1b[32m",
        "nccl-test-launcher-x7k2p nccl | ",
        "2026-01-02T03:04:05.678Z stdout F ",
        "[2026-01-02 03:04:05] ",
        "launcher-0 2026-01-02 03:04:05,678 INFO ",
        "TimeTest(), common.cu:610, ",
        "\xef\xbb\xbf",
    };
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        char text[2048];
        const char *p = prefixes[i];
        snprintf(text, sizeof text,
                 "%s# Collective test starting: all_reduce_perf\r\n%s" NAMES "%s" ROW1 "\x1b[0m\r\n%s" ROW2
                 "\r\n%s# Avg bus bandwidth    : 37.355\r\n",
                 p, p, p, p, p);
        ORR_OWNED(orr_results) *results = read(text);
        two_rows(results);
        assert_true(results->tables[0].test_certain && results->tables[0].complete);
    }
}

/* NCCL's own lines between rows, in the middle of one, and glued to its end. */
TEST(torn_rows_are_put_together)
{
    static const char *const texts[] = {
        NAMES INFO ROW1 "\n" INFO INFO ROW2 "\n" INFO,
        NAMES "     1048576        262144     float     sum      -1gpu7:10:11 [0] " SPEECH INFO
              "    50.00   20.97   31.46      0    40.00   26.21   39.32      0\n" ROW2 "\n",
        NAMES "     1048576        262144     float     sum      -1gpu7:10:11 [0] " SPEECH
              "    50.00   20.97   31.46      0gpu7:10:11 [0] " SPEECH INFO "    40.00   26.21   39.32      0\n" ROW2
              "\n",
        NAMES ROW1 INFO ROW2 "gpu7:10:11 [0] " SPEECH,
        NAMES "0:      1048576        262144     float     sum      -1gpu7:10:11 [0] " SPEECH
              "0:     50.00   20.97   31.46      0    40.00   26.21   39.32      0\n0: " ROW2 "\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[4096];
        snprintf(text, sizeof text, "%s%s",
                 "#  Rank  0 Group  0 Pid   10 on  gpu7 device  0 [0000:1b:00] NVIDIA H100\n", texts[i]);
        ORR_OWNED(orr_results) *results = read(text);
        assert_int_equal(results->tables[0].test, ORR_TEST_ALL_REDUCE);
        assert_non_null(results->log);
        assert_true(results->log->choice_count > 0);
        assert_int_equal(results->torn, 0);
        assert_int_equal(results->tables[0].row_count, 2);
        assert_true(results->tables[0].rows[0].out.bus_bw == 31.46 && results->tables[0].rows[0].in.bus_bw == 39.32);
        assert_int_equal(results->tables[0].rows[0].root, -1);
    }
}

/* Prefixes without a blank after them. */
TEST(a_prefix_may_touch_the_size)
{
    static const char *const rows[] = {"0:1048576 262144 float sum -1 50.00 20.97 31.46",
                                       ("\xef\xbb\xbf"
                                        "1048576 262144 float sum -1 50.00 20.97 31.46"),
                                       "[1,0]<stdout>:1048576 262144 float sum -1 50.00 20.97 31.46"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ORR_OWNED(orr_results) *results = read(rows[i]);
        assert_int_equal(results->tables[0].rows[0].size, 1048576);
    }
}

TEST(what_cannot_be_put_together_is_counted)
{
    ORR_OWNED(orr_results) *results = read(
        NAMES
        "     1048576        262144     float     sum      -1gpu7:10:11 [0] " SPEECH "    50.0\n" ROW2 "\n"
        "     4194304       1048576     float     sum      -1gpu7:10:11 [0] " SPEECH
        "    9.00   20.97   31.46      0    40.00   26.21   39.32      0\n"
        "     8388608       2097152     float     sum      -1   160.00   52.43   78.64      0gpu7:10:11 [0] " SPEECH);
    assert_int_equal(results->torn, 2);
    assert_int_equal(results->tables[0].row_count, 2);
    assert_true(results->tables[0].rows[1].out.bus_bw == 78.64 && results->tables[0].rows[1].in.bus_bw == -1);
    assert_true(has_note(results, "2 rows could not be read"));
    refuse(NAMES "     1048576        262144     float     sum      -1gpu7:10:11 [0] " SPEECH,
           "other output is mixed into");
}

TEST(several_tables_in_one_text)
{
    ORR_OWNED(orr_results) *results =
        read("# Collective test starting: all_reduce_perf\n" NAMES ROW1 "\n" ROW2 "\n"
             "     1048576        524288      half     sum      -1    50.00   20.97   31.46  "
             "    0    40.00   26.21   39.32      0\n"
             "     1048576        524288      half     max      -1    50.00   20.97   31.46  "
             "    0    40.00   26.21   39.32      0\n"
             "# Avg bus bandwidth    : 35.5\n"
             "# Collective test starting: broadcast_perf\n" NAMES
             "     1048576        262144     float    none       0    50.00   20.97   20.97  "
             "    0    40.00   26.21   26.21      0\n"
             "     2097152        524288     float    none       0    50.00   41.94   41.94  "
             "    0    40.00   52.43   52.43      0\n"
             "     1048576        262144     float    none       1    50.00   20.97   20.97  "
             "    0    40.00   26.21   26.21      0\n"
             "     2097152        524288     float    none       2    50.00   41.94   41.94  "
             "    0    40.00   52.43   52.43      0\n");
    assert_int_equal(results->table_count, 6);
    static const struct {
        enum orr_test test;
        uint32_t rows;
        int32_t root;
    } tables[] = {{ORR_TEST_ALL_REDUCE, 2, -1}, {ORR_TEST_ALL_REDUCE, 1, -1}, {ORR_TEST_ALL_REDUCE, 1, -1},
                  {ORR_TEST_BROADCAST, 2, 0},   {ORR_TEST_BROADCAST, 1, 1},   {ORR_TEST_BROADCAST, 1, 2}};
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(results->tables[i].test, tables[i].test);
        assert_int_equal(results->tables[i].row_count, tables[i].rows);
        assert_int_equal(results->tables[i].rows[0].root, tables[i].root);
    }
    assert_true(results->tables[2].complete && !results->tables[0].complete && !results->tables[5].complete);
    assert_string_equal(results->tables[2].op, "max");
}

/* Rows with the times of each iteration, of -J and --report of newer versions. */
TEST(rows_of_each_iteration)
{
    struct orr_results *results =
        read("#       size         count      type   redop    root     time   algbw   busbw  #wrong    i_min    i_max  "
             "  i_p99    "
             "i_cv%     time   algbw   busbw  #wrong    i_min    i_max    i_p99    i_cv%           timestamp\n"
             "     1048576        262144     float     sum      -1    50.00   20.97   31.46       0    49.00    52.00  "
             "  52.00     "
             "1.00    40.00   26.21   39.32       0    39.00    42.00    42.00     1.00  2026-01-02 03:04:05\n");
    const struct orr_result_row *row = results->tables[0].rows;
    assert_true(row->out.bus_bw == 31.46 && row->in.time == 40 && row->in.bus_bw == 39.32 && row->in.wrong == 0);
    orr_results_free(results);
}

TEST(other_texts_are_refused)
{
    refuse("", "does not look like output of nccl-tests");
    refuse("All is well.\n", "no line has a size");
    refuse(NAMES, "has a header, but no rows");
    refuse("# OSU MPI-CUDA Allreduce Latency Test v7.3\n# Size       Avg Latency(us)\n8             10.11\n",
           "OSU Micro-Benchmarks");
    refuse(" #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n 65536      5000         "
           "    "
           "23500.00            23499.91\t\t   0.375999\n",
           "perftest");
    refuse("     -8             2     float     sum      -1    12.90    0.00    0.00      0\n",
           "its size or count is negative");
    refuse("18446744073709551616  2     float     sum      -1    12.90    0.00    0.00      0\n",
           "not a number of up to 64 bits");
    refuse("      8             2     float     sum      -1    -12.90    0.00    0.00      0\n",
           "a time or bandwidth is negative");
    refuse("      8             2     float     sum      -1    12.90    0.00    0.00      0 1\n", "number of columns");
    struct orr_results *results =
        read(ROW1 "\n      8             2     float     sum      -1    -12.90    0.00    0.00      0\n");
    assert_int_equal(results->refused, 1);
    assert_true(has_note(results, "1 row was not read; the first is in line 2"));
    orr_results_free(results);
}

/* However a text is cut into pieces, the same is read. */
TEST(pieces)
{
    static const char text[] =
        "# Collective test starting: all_reduce_perf\n" NAMES ROW1 "\n"
        "     2097152        524288     float     sum      -1gpu7:10:11 [0] " SPEECH
        "    80.00   26.21   39.32      0    80.00   26.21   39.32      0\n# Avg bus bandwidth : 37.3";
    for (size_t piece = 1; piece < sizeof text; piece += 1 + piece / 8) {
        struct orr_error err = {0};
        struct orr_results_reader *reader;
        struct orr_results *results;
        assert_ok(orr_results_reader_new(NULL, &reader, &err), &err);
        for (size_t at = 0; at < sizeof text - 1; at += piece) {
            size_t left = sizeof text - 1 - at;
            assert_ok(orr_results_reader_feed(reader, text + at, piece < left ? piece : left, &err), &err);
        }
        assert_ok(orr_results_reader_finish(reader, &results, &err), &err);
        two_rows(results);
        assert_true(results->tables[0].average == 37.3);
        assert_int_equal(results->line_count, 6);
        orr_results_free(results);
    }
}

TEST(limits)
{
    struct orr_results_limits limits = orr_results_default_limits;
    struct orr_error err = {0};
    ORR_LOCAL(orr_results, results);
    static const char text[] = ROW1 "\n" ROW2 "\n" ROW2 "\n" ROW1 "\n" ROW1 "\n" ROW1 "\n" ROW2 "\n" ROW1 "\n";
    limits.rows = 2;
    limits.tables = 2;
    assert_ok(orr_results_read(text, sizeof text - 1, &limits, &results, &err), &err);
    assert_int_equal(results->table_count, 2);
    assert_int_equal(results->tables[0].row_count, 2);
    assert_int_equal(results->tables[1].row_count, 2);
    assert_int_equal(results->left_out, 4);
    assert_true(has_note(results, "4 rows were left out"));
    limits.bytes = sizeof text - 2;
    assert_error(orr_results_read(text, sizeof text - 1, &limits, &results, &err), ORR_LIMIT, &err, "the results have");
}

/* A stream of 50 MB within 32 MiB, NCCL's lines among the rows. */
TEST(a_long_text_needs_little_memory)
{
    enum { MANY = 50000000, PIECE = 1 << 16 };
    static char block[2 * PIECE];
    size_t length = 0;
    while (length < PIECE)
        length += (size_t)snprintf(block + length, sizeof block - length, "%s", length % 3 ? INFO : ROW1 "\n");
    struct orr_budget budget = {.memory = (size_t)32 << 20};
    struct orr_error err = {0};
    struct orr_results_reader *reader;
    ORR_LOCAL(orr_results, results);
    orr_budget_begin(&budget);
    assert_ok(orr_results_reader_new(&orr_results_stream_limits, &reader, &err), &err);
    assert_ok(orr_results_reader_feed(reader, NAMES, sizeof NAMES - 1, &err), &err);
    for (size_t fed = 0; fed < MANY; fed += length)
        assert_ok(orr_results_reader_feed(reader, block, length, &err), &err);
    assert_ok(orr_results_reader_finish(reader, &results, &err), &err);
    assert_int_equal(results->table_count, 1);
    assert_int_equal(results->tables[0].row_count, orr_results_stream_limits.rows);
    assert_true(results->left_out > 1000);
    orr_budget_end();
    assert_int_equal(budget.spent, ORR_SPENT_NOT);
    /* One line without an end. */
    memset(block, '7', sizeof block);
    orr_budget_begin(&budget);
    assert_ok(orr_results_reader_new(&orr_results_stream_limits, &reader, &err), &err);
    for (size_t fed = 0; fed < MANY / 2; fed += sizeof block)
        assert_ok(orr_results_reader_feed(reader, block, sizeof block, &err), &err);
    assert_error(orr_results_reader_finish(reader, &results, &err), ORR_UNRECOGNISED, &err, "no line has a size");
    orr_budget_end();
}
