/* Results of nccl-tests in what people paste: launchers' prefixes, torn rows, CSV, Markdown, JSON, and what is refused.
 */
#include <stdlib.h>

#include "engine/base/budget.h"
#include "engine/nccltests/results.h"
#include "tests/support/orr_test.h"

#define NAMES                                                                                                          \
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "   \
    "#wrong\n"
#define ROW1                                                                                                           \
    "     1048576        262144     float     sum      -1    50.00   20.97   31.46      0    40.00   26.21   39.32   " \
    "   0"
#define ROW2                                                                                                           \
    "     2097152        524288     float     sum      -1    80.00   26.21   39.32      0    80.00   26.21   39.32   " \
    "   0"
#define SPEECH "NCCL INFO AllReduce: 1048576 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..15}\n"
#define INFO   "gpu7:10:11 [0] " SPEECH

static struct orr_results *read(const char *text)
{
    struct orr_error err = {0};
    struct orr_results *results = NULL;
    assert_true(orr_results_is_one(text, strlen(text)));
    assert_ok(orr_results_read(text, strlen(text), NULL, &results, &err), &err);
    return results;
}

static void refuse(const char *text, const char *words)
{
    struct orr_error err = {0};
    struct orr_results *results = NULL;
    enum orr_code code = orr_results_read(text, strlen(text), NULL, &results, &err);
    if (code == ORR_OK)
        orr_results_free(results);
    assert_error(code, ORR_UNRECOGNISED, &err, words);
    assert_true(err.advice[0] != 0);
}

static bool has_note(const struct orr_results *results, const char *words)
{
    for (uint32_t i = 0; i < results->note_count; i++)
        if (strstr(results->notes[i], words))
            return true;
    return false;
}

static void two_rows(const struct orr_results *results)
{
    assert_int_equal(results->table_count, 1);
    assert_int_equal(results->torn + results->refused + results->left_out, 0);
    const struct orr_result_table *table = results->tables;
    assert_int_equal(table->row_count, 2);
    assert_int_equal(table->rows[0].size, 1048576);
    assert_int_equal(table->rows[1].size, 2097152);
    assert_true(table->rows[0].out.bus_bw == 31.46 && table->rows[0].in.bus_bw == 39.32);
    assert_true(table->rows[1].out.time == 80 && table->rows[1].in.wrong == 0);
    assert_int_equal(table->test, ORR_TEST_ALL_REDUCE);
    assert_int_equal(table->ranks, 4);
}

static void prefixes_and_colours_are_passed_over(void **state)
{
    (void)state;
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
        struct orr_results *results = read(text);
        two_rows(results);
        assert_true(results->tables[0].test_certain && results->tables[0].complete);
        orr_results_free(results);
    }
}

/* NCCL's own lines between rows, in the middle of one, and glued to its end. */
static void torn_rows_are_put_together(void **state)
{
    (void)state;
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
        struct orr_results *results = read(text);
        assert_int_equal(results->tables[0].test, ORR_TEST_ALL_REDUCE);
        assert_non_null(results->log);
        assert_true(results->log->choice_count > 0);
        assert_int_equal(results->torn, 0);
        assert_int_equal(results->tables[0].row_count, 2);
        assert_true(results->tables[0].rows[0].out.bus_bw == 31.46 && results->tables[0].rows[0].in.bus_bw == 39.32);
        assert_int_equal(results->tables[0].rows[0].root, -1);
        orr_results_free(results);
    }
}

/* Prefixes without a blank behind them. */
static void a_prefix_may_touch_the_size(void **state)
{
    (void)state;
    static const char *const rows[] = {"0:1048576 262144 float sum -1 50.00 20.97 31.46",
                                       "\xef\xbb\xbf"
                                       "1048576 262144 float sum -1 50.00 20.97 31.46",
                                       "[1,0]<stdout>:1048576 262144 float sum -1 50.00 20.97 31.46"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct orr_results *results = read(rows[i]);
        assert_int_equal(results->tables[0].rows[0].size, 1048576);
        orr_results_free(results);
    }
}

static void what_cannot_be_put_together_is_counted(void **state)
{
    (void)state;
    struct orr_results *results = read(
        NAMES
        "     1048576        262144     float     sum      -1gpu7:10:11 [0] " SPEECH "    50.0\n" ROW2 "\n"
        "     4194304       1048576     float     sum      -1gpu7:10:11 [0] " SPEECH
        "    9.00   20.97   31.46      0    40.00   26.21   39.32      0\n"
        "     8388608       2097152     float     sum      -1   160.00   52.43   78.64      0gpu7:10:11 [0] " SPEECH);
    assert_int_equal(results->torn, 2);
    assert_int_equal(results->tables[0].row_count, 2);
    assert_true(results->tables[0].rows[1].out.bus_bw == 78.64 && results->tables[0].rows[1].in.bus_bw == -1);
    assert_true(has_note(results, "2 rows could not be read"));
    orr_results_free(results);
    refuse(NAMES "     1048576        262144     float     sum      -1gpu7:10:11 [0] " SPEECH,
           "Other output runs into");
}

static void several_tables_in_one_text(void **state)
{
    (void)state;
    struct orr_results *results = read("# Collective test starting: all_reduce_perf\n" NAMES ROW1 "\n" ROW2 "\n"
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
    orr_results_free(results);
}

/* Rows with the times of each iteration, of -J and --report of newer versions. */
static void rows_of_each_iteration(void **state)
{
    (void)state;
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

static void csv(void **state)
{
    (void)state;
    struct orr_results *results = read("size,count,type,redop,root,time,algbw,busbw,#wrong,time,algbw,busbw,#wrong\n"
                                       "1048576,262144,float,sum,-1,50.00,20.97,31.46,0,40.00,26.21,39.32,0\n"
                                       "2097152,524288,float,sum,-1,80.00,26.21,39.32,0,80.00,26.21,39.32,0\n");
    two_rows(results);
    orr_results_free(results);
    results = read("\"Size (MB)\";\"latency (ms)\";\"out-of-place busbw\";\"in-place busbw (GB/s)\"\n"
                   "\"2\";\"0.08\";\"39.32\";\"N/A\"\n\"1\";\"0.05\";\"31.46\";\"39.32\"\n");
    assert_string_equal(results->form, "CSV");
    const struct orr_result_table *table = results->tables;
    assert_int_equal(results->table_count, 1); /* sorted the other way round */
    assert_int_equal(table->rows[0].size, 2097152);
    assert_true(table->rows[0].out.time == 80 && table->rows[0].out.bus_bw == 39.32 && table->rows[0].in.bus_bw == -1);
    assert_true(table->rows[1].in.bus_bw == 39.32 && table->rows[1].out.alg_bw == -1);
    assert_false(table->test_certain || table->ranks_certain);
    assert_int_equal(table->ranks, 0);
    orr_results_free(results);
}

static void markdown(void **state)
{
    (void)state;
    struct orr_results *results = read(
        "## Results of reduce_scatter_perf\n\n| Message Size | **Fast box (GB/s)** | Slow box (GB/s) |\n| --- | ---: | "
        "--- |\n"
        "| 65K | 2.70 | 1 |\n| 256K | 10.11 | 2 |\n| 33M | **132.77** | 3 |\n| 1.5G | 200 GB/s | 4 |\n\nMore words.\n");
    assert_string_equal(results->form, "Markdown table");
    const struct orr_result_table *table = results->tables;
    static const uint64_t sizes[] = {65536, 262144, 33554432, 1610612736};
    assert_int_equal(table->row_count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(table->rows[i].size, sizes[i]);
    assert_true(table->rows[2].out.bus_bw == 132.77 && table->rows[3].out.bus_bw == 200);
    assert_int_equal(table->test, ORR_TEST_REDUCE_SCATTER);
    assert_false(table->test_certain);
    assert_true(has_note(results, "nearest power of two") && has_note(results, "taken as bus bandwidth") &&
                has_note(results, "1 further column with bandwidths is not read") &&
                has_note(results, "reduce_scatter_perf by the text around"));
    orr_results_free(results);
    results = read("| size | count | type | redop | root | time | algbw | busbw |\n|---|---|---|---|---|---|---|---|\n"
                   "| 1048576 | 262144 | float | sum | -1 | 50.00 | 20.97 | 31.46 |\n");
    assert_int_equal(results->tables[0].ranks, 4);
    assert_true(results->tables[0].rows[0].out.time == 50);
    orr_results_free(results);
}

#define JSON_HEAD                                                                                                      \
    "{\"version\":2,\"start_time\":\"2026-01-02 03:04:05\",\"args\":[\"./build/all_gather_perf\",\"-J\",\"a.json\"],"  \
    "\"env\":[\"NCCL_DEBUG=WARN\",\"A={\\\"size\\\":1}\"],\"nccl_version\":22809,\"config\":{\"nthreads\":1,"          \
    "\"ngpus\":4,\"minimum_bytes\":1048576,\"maximum_bytes\":2097152,\"step_factor\":2,\"warmup_iters\":1,"            \
    "\"iterations\":20,\"devices\":["                                                                                  \
    "{\"rank\":0,\"group\":0,\"pid\":1,\"hostname\":\"n1\",\"device\":0,\"device_hex\":\"0000:1b:00\",\"device_"       \
    "info\":"                                                                                                          \
    "\"NVIDIA "                                                                                                        \
    "H100\"},{\"rank\":4,\"group\":0,\"pid\":2,\"hostname\":\"n2\",\"device\":0,\"device_hex\":\"0000:1b:00\","        \
    "\"device_info\":\"NVIDIA H100\"}]},\"results\":["
#define JSON_ROW(size, count)                                                                                          \
    "{\"size\":" size ",\"count\":" count                                                                              \
    ",\"type\":\"float\",\"redop\":\"none\",\"root\":\"    -1\",\"out_of_place\":"                                     \
    "{\"time\":50.000000,\"alg_bw\":20.971520,\"bus_bw\":18.350080,\"nwrong\":0.000000},\"out_of_place_per_iter\":"    \
    "{\"min_us\":49.0,\"times_us\":[49.0,51.0]},\"in_place\":{\"time\":40.000000,\"alg_bw\":26.214400,\"bus_bw\":"     \
    "22.937600,\"nwrong\":null},\"actual_iterations\":20,\"experiment_name\":null}"

static void json(void **state)
{
    (void)state;
    static const char text[] = JSON_HEAD JSON_ROW("1048576", "32768") "," JSON_ROW(
        "2097152", "65536") "],\"out_of_bounds\":{\"count\":0,\"okay\":\"true\"},\"average_bus_bandwidth\":{"
                            "\"bandwidth\":20.643840,\"okay\":"
                            "\"unchecked\"},\"errors\":[],\"end_time\":\"2026-01-02 03:05:05\"}\n";
    struct orr_results *results = read(text);
    assert_string_equal(results->form, "JSON of nccl-tests (-J)");
    assert_string_equal(results->library, "2.28.9");
    const struct orr_result_table *table = results->tables;
    assert_int_equal(table->test, ORR_TEST_ALL_GATHER);
    assert_true(table->test_certain && table->ranks_certain && table->complete);
    assert_int_equal(table->ranks, 8); /* the file has the first rank of each process only */
    assert_int_equal(table->hosts, 2);
    assert_int_equal(table->gpus_per_thread, 4);
    assert_int_equal(table->iterations, 20);
    assert_int_equal(table->row_count, 2);
    assert_int_equal(table->rows[1].size, 2097152);
    assert_int_equal(table->rows[1].root, -1);
    assert_true(table->rows[1].out.time == 50 && table->rows[1].in.bus_bw == 22.9376);
    assert_int_equal(table->rows[1].out.wrong, 0);
    assert_int_equal(table->rows[1].in.wrong, -1);
    assert_true(table->average == 20.64384);
    orr_results_free(results);
    /* A job that was killed leaves the beginning of the file. */
    char half[sizeof text];
    snprintf(half, sizeof half, "%.*s", (int)(strstr(text, "2097152,\"count") - text), text);
    results = read(half);
    assert_int_equal(results->tables[0].row_count, 1);
    assert_false(results->tables[0].complete);
    orr_results_free(results);
    refuse("{\"size\": 5}", "does not look like JSON of nccl-tests");
    refuse("{\"results\":[{\"size\":-5,\"out_of_place\":{\"time\":1,\"alg_bw\":1,\"bus_bw\":1}}]}",
           "its size is missing or negative");
}

static void rccl_is_recognised(void **state)
{
    (void)state;
    struct orr_results *results =
        read("# Collective test starting: all_reduce_perf\n# rccl-tests: Version develop:1234567\n"
             "#  Rank  0 Group  0 Pid   10 on  amd1 device  0 [0000:0c:00] AMD Instinct MI300X\n" NAMES ROW1 "\n");
    assert_true(results->rccl);
    assert_true(strstr(results->form, "rccl-tests") != NULL);
    orr_results_free(results);
}

static void other_texts_are_refused(void **state)
{
    (void)state;
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
           "no number of up to 64 bits");
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
static void pieces(void **state)
{
    (void)state;
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

static void limits(void **state)
{
    (void)state;
    struct orr_results_limits limits = orr_results_default_limits;
    struct orr_error err = {0};
    struct orr_results *results;
    static const char text[] = ROW1 "\n" ROW2 "\n" ROW2 "\n" ROW1 "\n" ROW1 "\n" ROW1 "\n" ROW2 "\n" ROW1 "\n";
    limits.rows = 2;
    limits.tables = 2;
    assert_ok(orr_results_read(text, sizeof text - 1, &limits, &results, &err), &err);
    assert_int_equal(results->table_count, 2);
    assert_int_equal(results->tables[0].row_count, 2);
    assert_int_equal(results->tables[1].row_count, 2);
    assert_int_equal(results->left_out, 4);
    assert_true(has_note(results, "4 rows were left out"));
    orr_results_free(results);
    limits.bytes = sizeof text - 2;
    assert_error(orr_results_read(text, sizeof text - 1, &limits, &results, &err), ORR_LIMIT, &err,
                 "that are read of results");
}

/* A stream of 100 MB within 64 MiB, NCCL's lines among the rows. */
static void a_long_text_needs_little_memory(void **state)
{
    (void)state;
    enum { MANY = 100000000, PIECE = 1 << 16 };
    static char block[2 * PIECE];
    size_t length = 0;
    while (length < PIECE)
        length += (size_t)snprintf(block + length, sizeof block - length, "%s", length % 3 ? INFO : ROW1 "\n");
    struct orr_budget budget = {.memory = (size_t)64 << 20};
    struct orr_error err = {0};
    struct orr_results_reader *reader;
    struct orr_results *results;
    orr_budget_begin(&budget);
    assert_ok(orr_results_reader_new(&orr_results_stream_limits, &reader, &err), &err);
    assert_ok(orr_results_reader_feed(reader, NAMES, sizeof NAMES - 1, &err), &err);
    for (size_t fed = 0; fed < MANY; fed += length)
        assert_ok(orr_results_reader_feed(reader, block, length, &err), &err);
    assert_ok(orr_results_reader_finish(reader, &results, &err), &err);
    assert_int_equal(results->table_count, 1);
    assert_int_equal(results->tables[0].row_count, orr_results_stream_limits.rows);
    assert_true(results->left_out > 1000);
    orr_results_free(results);
    orr_budget_end();
    assert_int_equal(budget.spent, ORR_SPENT_NOT);
    /* One line without an end. */
    memset(block, '7', sizeof block);
    orr_budget_begin(&budget);
    assert_ok(orr_results_reader_new(&orr_results_stream_limits, &reader, &err), &err);
    for (size_t fed = 0; fed < MANY / 4; fed += sizeof block)
        assert_ok(orr_results_reader_feed(reader, block, sizeof block, &err), &err);
    assert_error(orr_results_reader_finish(reader, &results, &err), ORR_UNRECOGNISED, &err, "no line has a size");
    orr_budget_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefixes_and_colours_are_passed_over),
        cmocka_unit_test(torn_rows_are_put_together),
        cmocka_unit_test(a_prefix_may_touch_the_size),
        cmocka_unit_test(what_cannot_be_put_together_is_counted),
        cmocka_unit_test(several_tables_in_one_text),
        cmocka_unit_test(rows_of_each_iteration),
        cmocka_unit_test(csv),
        cmocka_unit_test(markdown),
        cmocka_unit_test(json),
        cmocka_unit_test(rccl_is_recognised),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(pieces),
        cmocka_unit_test(limits),
        cmocka_unit_test(a_long_text_needs_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
