/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by tests of results of nccl-tests: two rows of all_reduce on four ranks, and reading texts. */
#ifndef ORR_TEST_RESULTS_H
#define ORR_TEST_RESULTS_H

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

static inline struct orr_results *read(const char *text)
{
    struct orr_error err = {0};
    struct orr_results *results = NULL;
    assert_ok(orr_results_read(text, strlen(text), NULL, &results, &err), &err);
    return results;
}

static inline void refuse(const char *text, const char *words)
{
    struct orr_error err = {0};
    struct orr_results *results = NULL;
    enum orr_code code = orr_results_read(text, strlen(text), NULL, &results, &err);
    if (code == ORR_OK)
        orr_results_free(results);
    assert_error(code, ORR_UNRECOGNISED, &err, words);
    assert_true(err.advice[0] != 0);
}

static inline bool has_note(const struct orr_results *results, const char *words)
{
    for (uint32_t i = 0; i < results->note_count; i++)
        if (strstr(results->notes[i], words))
            return true;
    return false;
}

static inline void two_rows(const struct orr_results *results)
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

#endif
