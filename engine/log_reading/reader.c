/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a text piece by piece: whole lines are read in place, and the rest of a piece waits for the next piece. */
#include <string.h>

#include "engine/base/budget.h"
#include "engine/log_reading/building.h"

struct orr_log_reader {
    struct orr_log_building b;
    struct orr_log_lines lines;
    size_t taken; /* bytes read so far */
    char *rest;   /* the beginning of a line, or the whole text while it is short */
    size_t rest_length;
    bool begun;     /* the width is known */
    bool skips;     /* skip to the next line end, because the line is too long */
    size_t skipped; /* bytes of that line */
};
enum {
    WIDTH_BYTES = 1 << 20, /* bytes at the start that show the width at which a terminal cut the text */
    RAW_MOST = 1 << 18,    /* bytes of one line; the rest is skipped */
    SKIP_MOST = 1 << 28    /* bytes skipped without a line end: no log has such a line */
};

enum orr_code orr_log_reader_new(const struct orr_log_limits *limits, struct orr_log_reader **ret_reader,
                                 struct orr_error *err)
{
    if (!limits)
        limits = &orr_log_default_limits;
    ORR_LOCAL_ARENA(arena, limits->memory);
    struct orr_log_reader *reader = ORR_NEW(arena, struct orr_log_reader, 1);
    struct orr_log *log = ORR_NEW(arena, struct orr_log, 1);
    ORR_NEED(reader && log, err);
    log->arena = arena;
    const struct orr_index empty = {.arena = arena};
    reader->b = (struct orr_log_building){
        .log = log, .limits = *limits, .width = SIZE_MAX, .writers = empty, .choices = empty, .calls = empty};
    reader->lines.most = limits->line;
    reader->lines.line = orr_arena_alloc(arena, (size_t)limits->line + 1, 1);
    reader->b.found = ORR_NEW(arena, struct orr_log_catch, 1);
    reader->b.last.text = orr_arena_alloc(arena, ORR_LOG_JOINED_MOST, 1);
    reader->rest = orr_arena_alloc(arena, WIDTH_BYTES, 1);
    ORR_NEED(reader->lines.line && reader->b.found && reader->b.last.text && reader->rest, err);
    ORR_NEED(orr_log_events_init(&reader->b), err);
    orr_arena_take(&arena);
    *ret_reader = reader;
    return ORR_OK;
}

/* Notes the length of a line: the longest line shows the width at which a terminal cut the text. */
static void widen(struct orr_log_building *b, size_t length)
{
    enum { LEAST = 40 };
    if (length >= LEAST && (b->width == SIZE_MAX || length > b->width))
        b->width = length;
}

static void find_width(struct orr_log_building *b, const char *bytes, size_t length)
{
    for (const char *at = bytes, *end = bytes + length; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t here = (size_t)((stop ? stop : end) - at);
        widen(b, here);
        at += here + (stop != NULL);
    }
}

static enum orr_code read_lines(struct orr_log_reader *reader, const char *bytes, size_t length, struct orr_error *err)
{
    struct orr_log_building *b = &reader->b;
    reader->lines.at = bytes;
    reader->lines.end = bytes + length;
    while (orr_log_next_line(&reader->lines)) {
        if (orr_budget_spent(16))
            return orr_budget_check(err);
        widen(b, reader->lines.raw_length);
        orr_log_take_line(b, &reader->lines);
        if (orr_arena_starved(b->log->arena))
            return orr_fail_nomem(err);
    }
    return ORR_OK;
}

/* Reads the waiting bytes. */
static enum orr_code read_rest(struct orr_log_reader *reader, struct orr_error *err)
{
    if (!reader->begun)
        find_width(&reader->b, reader->rest, reader->rest_length);
    reader->begun = true;
    size_t length = reader->rest_length;
    reader->rest_length = 0;
    return read_lines(reader, reader->rest, length, err);
}

static void keep_rest(struct orr_log_reader *reader, const char *bytes, size_t length)
{
    if (length)
        memcpy(reader->rest + reader->rest_length, bytes, length);
    reader->rest_length += length;
}

/* Adds bytes to the waiting line up to its end; returns how many. */
static enum orr_code end_line(struct orr_log_reader *reader, const char *bytes, size_t length, size_t *ret_taken,
                              struct orr_error *err)
{
    const char *stop = memchr(bytes, '\n', length);
    size_t here = stop ? (size_t)(stop - bytes) + 1 : length;
    size_t room = RAW_MOST - reader->rest_length;
    *ret_taken = here;
    if (!reader->skips) {
        keep_rest(reader, bytes, here < room ? here : room);
        reader->skips = here > room;
        if (stop || reader->skips)
            ORR_TRY(read_rest(reader, err));
    }
    reader->skips = reader->skips && !stop;
    reader->skipped = reader->skips ? reader->skipped + here : 0;
    if (reader->skipped > SKIP_MOST)
        return orr_fail(err, ORR_UNRECOGNISED, "this is not a log: line %u is longer than %d MiB", reader->lines.number,
                        SKIP_MOST >> 20);
    return ORR_OK;
}

enum orr_code orr_log_reader_feed(struct orr_log_reader *reader, const char *bytes, size_t length,
                                  struct orr_error *err)
{
    if (length > reader->b.limits.bytes - reader->taken)
        return orr_fail(err, ORR_LIMIT, "the log has %zu bytes: the limit is %zu", reader->taken + length,
                        reader->b.limits.bytes);
    reader->taken += length;
    if (!reader->begun) {
        size_t room = WIDTH_BYTES - reader->rest_length;
        if (length < room) {
            keep_rest(reader, bytes, length);
            return ORR_OK;
        }
        keep_rest(reader, bytes, room);
        bytes += room;
        length -= room;
        const char *last = memrchr(reader->rest, '\n', WIDTH_BYTES);
        size_t whole = last ? (size_t)(last - reader->rest) + 1 : 0, more = WIDTH_BYTES - whole;
        find_width(&reader->b, reader->rest, whole);
        reader->begun = true;
        ORR_TRY(read_lines(reader, reader->rest, whole, err));
        memmove(reader->rest, reader->rest + whole, more);
        reader->rest_length = more < RAW_MOST ? more : RAW_MOST;
        if (more >= RAW_MOST) {
            reader->skips = true;
            ORR_TRY(read_rest(reader, err));
        }
    }
    if (length && (reader->rest_length || reader->skips)) {
        size_t taken;
        ORR_TRY(end_line(reader, bytes, length, &taken, err));
        bytes += taken;
        length -= taken;
    }
    const char *last = length ? memrchr(bytes, '\n', length) : NULL;
    size_t whole = last ? (size_t)(last - bytes) + 1 : 0;
    ORR_TRY(read_lines(reader, bytes, whole, err));
    if (length > whole) {
        size_t taken;
        ORR_TRY(end_line(reader, bytes + whole, length - whole, &taken, err));
    }
    return ORR_OK;
}

static enum orr_code finish(struct orr_log_reader *reader, struct orr_error *err)
{
    struct orr_log_building *b = &reader->b;
    struct orr_log *log = b->log;
    ORR_TRY(read_rest(reader, err));
    log->line_count = reader->lines.number;
    log->byte_count = reader->taken;
    orr_log_gather(b);
    orr_log_end_gpu_states(b);
    ORR_TRY(orr_log_join_sessions(b, err));
    ORR_TRY(orr_budget_check(err));
    ORR_NEED(orr_log_index_records(log), err);
    orr_log_place_events(b);
    orr_log_place_calls(log);
    orr_log_place_choices(log);
    if (orr_arena_starved(b->log->arena))
        return orr_fail_nomem(err);
    bool mentions = false;
    for (size_t i = 0; i < ORR_MENTION_COUNT; i++)
        mentions |= log->mentions[i] != NULL;
    if (!b->limits.any_text && !mentions && !log->nccl_count && !log->kinds[ORR_LOG_VERSION] && !log->event_count &&
        !log->setting_count && !log->lspci_count && !log->aperture.line && !log->peer_rates.fastest_line &&
        !log->kinds[ORR_LOG_GID] && !log->kinds[ORR_LOG_PORT] && !log->kinds[ORR_LOG_DEVICE] && log->command_count < 2)
        return orr_fail_with(
            err, ORR_UNRECOGNISED, NULL,
            "run the job with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,GRAPH,TUNING,NET and use what it prints; for "
            "results of nccl-tests, use `orrery check-perf`, for machines `orrery show`",
            "this does not look like an NCCL log: no line comes from NCCL (\"NCCL INFO\", \"NCCL WARN\")");
    return ORR_OK;
}

enum orr_code orr_log_reader_finish(struct orr_log_reader *reader, struct orr_log **ret_log, struct orr_error *err)
{
    enum orr_code code = finish(reader, err);
    if (code != ORR_OK) {
        orr_log_reader_free(reader);
        return code;
    }
    *ret_log = reader->b.log; /* its arena owns the reader */
    return ORR_OK;
}

void orr_log_reader_free(struct orr_log_reader *reader)
{
    orr_arena_free(reader->b.log->arena);
}

enum orr_code orr_log_read(const char *bytes, size_t length, const struct orr_log_limits *limits,
                           struct orr_log **ret_log, struct orr_error *err)
{
    struct orr_log_reader *reader;
    orr_budget_stage("reading the log");
    ORR_TRY(orr_log_reader_new(limits, &reader, err));
    enum orr_code code = orr_log_reader_feed(reader, bytes, length, err);
    if (code != ORR_OK) {
        orr_log_reader_free(reader);
        return code;
    }
    return orr_log_reader_finish(reader, ret_log, err);
}
