/* SPDX-License-Identifier: Apache-2.0 */
/* Results of nccl-tests: whatever the bytes, they are read or refused with a reason, what is read keeps its promises,
 * and pieces give the same as the whole. */
#include "engine/nccltests/results.h"
#include "tests/fuzz/fuzz.h"

static void look_through_way(const struct orr_result_way *way)
{
    FUZZ_REQUIRE(way->time >= 0 || way->time == -1, "time %g", way->time);
    FUZZ_REQUIRE(way->alg_bw >= 0 || way->alg_bw == -1, "algbw %g", way->alg_bw);
    FUZZ_REQUIRE(way->bus_bw >= 0 || way->bus_bw == -1, "busbw %g", way->bus_bw);
    FUZZ_REQUIRE(way->wrong >= -1, "wrong %lld", (long long)way->wrong);
}

static void look_through(const struct orr_results *results)
{
    FUZZ_REQUIRE(results->form && results->form[0], "no form");
    FUZZ_REQUIRE(results->table_count, "no table");
    for (uint32_t i = 0; i < results->table_count; i++) {
        const struct orr_result_table *table = &results->tables[i];
        FUZZ_REQUIRE(table->row_count, "table %u has no row", i);
        FUZZ_REQUIRE(table->test <= ORR_TEST_COUNT && table->tests_possible, "program %d", (int)table->test);
        FUZZ_REQUIRE(table->test == ORR_TEST_COUNT || table->tests_possible >> table->test & 1,
                     "program %d is not possible", (int)table->test);
        FUZZ_REQUIRE(!table->test_certain || table->test < ORR_TEST_COUNT, "certain of no program");
        FUZZ_REQUIRE(!table->ranks_certain || table->ranks, "certain of no ranks");
        FUZZ_REQUIRE(table->ranks_least <= table->ranks_most, "ranks %u to %u", table->ranks_least, table->ranks_most);
        for (uint32_t k = 0; k < table->device_count; k++)
            FUZZ_REQUIRE(table->devices[k].host && table->devices[k].model && table->devices[k].bus_id, "device %u", k);
        for (uint32_t k = 0; k < table->row_count; k++) {
            FUZZ_REQUIRE(table->rows[k].root >= -1, "root %d", table->rows[k].root);
            look_through_way(&table->rows[k].out);
            look_through_way(&table->rows[k].in);
        }
    }
}

static enum orr_code read_pieces(const char *bytes, size_t size, struct orr_results **ret_results,
                                 struct orr_error *err)
{
    enum { PIECE = 37 };
    struct orr_results_reader *reader;
    enum orr_code code = orr_results_reader_new(NULL, &reader, err);
    for (size_t at = 0; code == ORR_OK && at < size; at += PIECE) {
        code = orr_results_reader_feed(reader, bytes + at, size - at < PIECE ? size - at : PIECE, err);
        if (code != ORR_OK) {
            orr_results_reader_free(reader);
            return code;
        }
    }
    return code == ORR_OK ? orr_results_reader_finish(reader, ret_results, err) : code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orr_error err = {0}, again = {0};
    struct orr_results *results = NULL, *pieces = NULL;
    const char *bytes = size ? (const char *)data : "";
    enum orr_code code = orr_results_read(bytes, size, NULL, &results, &err);
    enum orr_code other = read_pieces(bytes, size, &pieces, &again);
    FUZZ_REQUIRE(code == other, "whole: %s, in pieces: %s", err.text, again.text);
    if (code != ORR_OK) {
        FUZZ_REQUIRE(err.text[0], "no reason is given");
        return 0;
    }
    look_through(results);
    FUZZ_REQUIRE(results->table_count == pieces->table_count && results->torn == pieces->torn &&
                     results->refused == pieces->refused && results->line_count == pieces->line_count,
                 "pieces: %u tables, not %u", pieces->table_count, results->table_count);
    for (uint32_t i = 0; i < results->table_count; i++)
        FUZZ_REQUIRE(results->tables[i].row_count == pieces->tables[i].row_count &&
                         results->tables[i].tests_possible == pieces->tables[i].tests_possible,
                     "table %u", i);
    orr_results_free(results);
    orr_results_free(pieces);
    return 0;
}
