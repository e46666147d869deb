/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a text piece by piece: lines go to text.c and to the reader of NCCL's log, JSON to json.c. */
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/bytes.h"
#include "engine/nccltests/reading.h"

const struct orr_results_limits orr_results_default_limits = {.bytes = (size_t)64 << 20,
                                                              .line = 1 << 16,
                                                              .tables = 64,
                                                              .rows = 4096,
                                                              .devices = 1 << 16,
                                                              .memory = (size_t)256 << 20};
const struct orr_results_limits orr_results_stream_limits = {
    .bytes = SIZE_MAX, .line = 1 << 16, .tables = 64, .rows = 4096, .devices = 1 << 16, .memory = (size_t)256 << 20};

struct orr_results_reader {
    struct orr_results_building b;
    struct orr_log_lines lines;
    struct orr_log_reader *log;
    struct orr_results_json *json;
    size_t taken; /* bytes so far */
    char *rest;   /* the beginning of a line */
    size_t rest_length;
    bool begun; /* a byte that is not a blank was read */
};

enum orr_code orr_results_reader_new(const struct orr_results_limits *limits, struct orr_results_reader **ret_reader,
                                     struct orr_error *err)
{
    if (!limits)
        limits = &orr_results_default_limits;
    ORR_LOCAL_ARENA(arena, limits->memory);
    struct orr_results_reader *reader = ORR_NEW(arena, struct orr_results_reader, 1);
    struct orr_results *results = ORR_NEW(arena, struct orr_results, 1);
    ORR_NEED(reader && results, err);
    struct orr_results_building *b = &reader->b;
    results->arena = arena;
    *b = (struct orr_results_building){.results = results, .limits = *limits, .mentioned = ORR_TEST_COUNT};
    orr_rows_run(b);
    b->tables = ORR_NEW(arena, struct orr_result_table, limits->tables);
    b->evidence = ORR_NEW(arena, struct orr_evidence, limits->tables);
    reader->lines.most = limits->line;
    reader->lines.line = orr_arena_alloc(arena, (size_t)limits->line + 1, 1);
    reader->rest = orr_arena_alloc(arena, limits->line, 1);
    ORR_NEED(b->tables && b->evidence && reader->lines.line && reader->rest, err);
    orr_arena_take(&arena);
    *ret_reader = reader;
    return ORR_OK;
}

void orr_results_reader_free(struct orr_results_reader *reader)
{
    if (reader->log)
        orr_log_reader_free(reader->log);
    orr_arena_free(reader->b.results->arena);
}

static void free_log(const struct orr_results *results)
{
    if (results->log)
        orr_log_free((struct orr_log *)(uintptr_t)results->log);
}

void orr_results_free(struct orr_results *results)
{
    if (!results)
        return;
    free_log(results);
    orr_arena_free(results->arena);
}

static enum orr_code read_line(struct orr_results_reader *reader, const char *line, size_t length,
                               struct orr_error *err)
{
    if (orr_budget_spent(32))
        return orr_budget_check(err);
    reader->lines.at = line;
    reader->lines.end = line + length;
    if (!length)
        reader->lines.number++;
    else if (orr_log_next_line(&reader->lines))
        orr_text_take_line(&reader->b, &reader->lines);
    return orr_arena_starved(reader->b.results->arena) ? orr_fail_nomem(err) : ORR_OK;
}

/* Cuts pieces into lines. Only the beginning of a line that is longer than the limit is read. */
static enum orr_code read_pieces(struct orr_results_reader *reader, const char *bytes, size_t length,
                                 struct orr_error *err)
{
    while (length) {
        const char *stop = memchr(bytes, '\n', length);
        size_t here = stop ? (size_t)(stop - bytes) : length;
        if (reader->rest_length || !stop) {
            size_t room = reader->b.limits.line - reader->rest_length, more = here < room ? here : room;
            memcpy(reader->rest + reader->rest_length, bytes, more);
            reader->rest_length += more;
            if (stop)
                ORR_TRY(read_line(reader, reader->rest, reader->rest_length, err));
            if (stop)
                reader->rest_length = 0;
        } else {
            ORR_TRY(read_line(reader, bytes, here, err));
        }
        bytes += here + (stop != NULL);
        length -= here + (stop != NULL);
    }
    return ORR_OK;
}

/* The first byte that is not a blank says whether it is JSON. */
static enum orr_code begin(struct orr_results_reader *reader, const char *bytes, size_t length, struct orr_error *err)
{
    size_t first = reader->taken ? 0 : orr_bytes_mark(bytes, length);
    first = orr_bytes_blanks(bytes, length, first);
    if (first == length)
        return ORR_OK;
    reader->begun = true;
    if (bytes[first] == '{') {
        reader->json = orr_results_json_new(&reader->b);
        return reader->json ? ORR_OK : orr_fail_nomem(err);
    }
    static const struct orr_log_limits limits = {
        .bytes = SIZE_MAX, .line = 1 << 16, .records = 200000, .memory = (size_t)256 << 20, .any_text = true};
    return reader->b.limits.without_log ? ORR_OK : orr_log_reader_new(&limits, &reader->log, err);
}

enum orr_code orr_results_reader_feed(struct orr_results_reader *reader, const char *bytes, size_t length,
                                      struct orr_error *err)
{
    if (length > reader->b.limits.bytes - reader->taken)
        return orr_fail(err, ORR_LIMIT, "the results have %zu bytes: the limit is %zu", reader->taken + length,
                        reader->b.limits.bytes);
    if (!reader->begun)
        ORR_TRY(begin(reader, bytes, length, err));
    reader->taken += length;
    if (reader->json)
        return orr_results_json_feed(reader->json, bytes, length, err);
    if (reader->log)
        ORR_TRY(orr_log_reader_feed(reader->log, bytes, length, err));
    return read_pieces(reader, bytes, length, err);
}

static enum orr_code end_log(struct orr_results_reader *reader, struct orr_error *err)
{
    struct orr_error reason = {0};
    struct orr_log *log;
    if (!reader->log)
        return ORR_OK;
    enum orr_code code = orr_log_reader_finish(reader->log, &log, &reason);
    reader->log = NULL;
    if (code == ORR_OK)
        reader->b.results->log = log;
    else if (code != ORR_UNRECOGNISED && err)
        *err = reason;
    return code == ORR_UNRECOGNISED ? ORR_OK : code;
}

static enum orr_code refuse(struct orr_results_reader *reader, struct orr_error *err)
{
    const struct orr_results_building *b = &reader->b;
    if (b->bad)
        (void)orr_fail_at(err, ORR_UNRECOGNISED, b->bad_line, 0,
                          "This does not look like output of nccl-tests: the first row is in line %u, but %s",
                          b->bad_line, b->bad);
    else if (b->other)
        (void)orr_fail(err, ORR_UNRECOGNISED, "This does not look like output of nccl-tests: it comes from %s",
                       b->other);
    else if (b->results->torn)
        (void)orr_fail(err, ORR_UNRECOGNISED, "In this text other output is mixed into every row of nccl-tests");
    else if (reader->json)
        (void)orr_fail(err, ORR_UNRECOGNISED,
                       "This does not look like JSON of nccl-tests: it has no \"results\" with \"size\" and "
                       "\"out_of_place\" or \"in_place\"");
    else if (b->columns.count)
        (void)orr_fail(err, ORR_UNRECOGNISED, "The table of nccl-tests in this text has a header, but no rows");
    else
        (void)orr_fail(
            err, ORR_UNRECOGNISED,
            "This does not look like output of nccl-tests: no line has a size, a count, a type, a time and bandwidths");
    orr_error_advice(
        err, "run a program of nccl-tests, such as all_reduce_perf -b 8 -e 8G -f 2 -g 8, and use its whole output");
    return ORR_UNRECOGNISED;
}

static enum orr_code finish(struct orr_results_reader *reader, struct orr_error *err)
{
    struct orr_results_building *b = &reader->b;
    if (reader->rest_length)
        ORR_TRY(read_line(reader, reader->rest, reader->rest_length, err));
    orr_rows_end(b);
    ORR_TRY(end_log(reader, err));
    b->results->line_count = reader->lines.number;
    b->results->tables = b->tables;
    orr_summary_end(b);
    if (!b->results->table_count)
        return refuse(reader, err);
    orr_results_conclude(b);
    return orr_arena_starved(b->results->arena) ? orr_fail_nomem(err) : orr_budget_check(err);
}

enum orr_code orr_results_reader_finish(struct orr_results_reader *reader, struct orr_results **ret_results,
                                        struct orr_error *err)
{
    enum orr_code code = finish(reader, err);
    if (code != ORR_OK) {
        free_log(reader->b.results);
        orr_results_reader_free(reader);
        return code;
    }
    *ret_results = reader->b.results; /* its arena owns the reader */
    return ORR_OK;
}

enum orr_code orr_results_read(const char *bytes, size_t length, const struct orr_results_limits *limits,
                               struct orr_results **ret_results, struct orr_error *err)
{
    struct orr_results_reader *reader;
    orr_budget_stage("reading the results");
    ORR_TRY(orr_results_reader_new(limits, &reader, err));
    enum orr_code code = orr_results_reader_feed(reader, bytes, length, err);
    if (code != ORR_OK) {
        orr_results_reader_free(reader);
        return code;
    }
    return orr_results_reader_finish(reader, ret_results, err);
}
