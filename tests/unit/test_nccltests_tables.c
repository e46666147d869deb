/* SPDX-License-Identifier: Apache-2.0 */
/* Results of nccl-tests as tables of other kinds: CSV, Markdown, JSON, and those of RCCL. */
#include "tests/support/results.h"

TEST(csv)
{
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

TEST(markdown)
{
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
    assert_true(has_note(results, "nearest power of two") && has_note(results, "read as bus bandwidth") &&
                has_note(results, "1 further column with bandwidths is not read") &&
                has_note(results, "says that the program is reduce_scatter_perf"));
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

TEST(json)
{
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

TEST(rccl_is_recognised)
{
    struct orr_results *results =
        read("# Collective test starting: all_reduce_perf\n# rccl-tests: Version develop:1234567\n"
             "#  Rank  0 Group  0 Pid   10 on  amd1 device  0 [0000:0c:00] AMD Instinct MI300X\n" NAMES ROW1 "\n");
    assert_true(results->rccl);
    assert_true(strstr(results->form, "rccl-tests") != NULL);
    orr_results_free(results);
}
