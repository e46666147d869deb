/* SPDX-License-Identifier: Apache-2.0 */
/* The table of messages: every row by its own line, and what becomes of lines that no row has. */
#include <stdlib.h>

#include "engine/log_reading/log.h"
#include "tests/support/orr_test.h"

#define INFO "node1:10:11 [0] NCCL INFO "

static struct orr_log *read(const char *text)
{
    struct orr_error err = {0};
    struct orr_log *log = NULL;
    assert_ok(orr_log_read(text, strlen(text), NULL, &log, &err), &err);
    return log;
}

/* A row's own line, as a log has it. */
static struct orr_log *read_example(const struct orr_log_message *row, uint32_t from)
{
    char text[2048];
    char warns[100];
    const bool of_file = row->also && row->also[0] == '@';
    snprintf(warns, sizeof warns, "[2026-01-01 10:00:00] node1:10:11 [0] transport/%.*s:12 NCCL WARN ",
             of_file ? (int)strcspn(row->also + 1, "|") : 6, of_file ? row->also + 1 : "net.cc");
    snprintf(text, sizeof text, "%s%s\n",
             from == ORR_FROM_WARN   ? warns
             : from == ORR_FROM_INFO ? INFO
                                     : INFO "Bootstrap : Using eth0\n",
             row->example);
    return read(text);
}

TEST(every_row_is_found_by_its_line)
{
    uint32_t count = 0;
    const struct orr_log_message *row;
    for (; (row = orr_log_message(count)); count++) {
        for (uint32_t from = ORR_FROM_WARN; from <= ORR_FROM_OTHER; from <<= 1) {
            if (!(row->from & from))
                continue;
            ORR_OWNED(orr_log) *log = read_example(row, from);
            if (log->event_count != 1 || log->events[0].message != row || log->events[0].count != 1)
                fail_msg("%s from %u: %u events, the first is %s", row->id, from, log->event_count,
                         log->event_count && log->events[0].message ? log->events[0].message->id : "unknown");
        }
    }
    assert_true(count >= 200);
}

TEST(rows_are_whole)
{
    static const char *const guesses[] = {"mostly", "usually", "often", "probably", "likely", "typically"};
    const struct orr_log_message *row, *other;
    for (uint32_t i = 0; (row = orr_log_message(i)); i++) {
        assert_true(strlen(row->pattern) >= 4 && strcspn(row->pattern, "%~") >= 4);
        assert_true(row->from != 0 && row->means[0] && row->means[strlen(row->means) - 1] == '.');
        assert_true(row->advice[0] && row->advice[strlen(row->advice) - 1] == '.');
        for (uint32_t k = 0; k < i && (other = orr_log_message(k)); k++)
            assert_string_not_equal(row->id, other->id);
        for (size_t k = 0; k < sizeof guesses / sizeof guesses[0]; k++) /* a frequent cause is not what a line means */
            if (strcasestr(row->means, guesses[k]))
                fail_msg("%s: %s", row->id, row->means);
    }
}

TEST(lines_that_say_the_same_are_one_event)
{
    ORR_OWNED(orr_log) *log = read(
        "node1:10:11 [0] NCCL INFO comm 0x1 rank 0 nranks 4 cudaDev 0 busId 21000 - Init COMPLETE\n"
        "node1:12:13 [1] NCCL INFO comm 0x2 rank 1 nranks 4 cudaDev 1 busId 61000 - Init COMPLETE\n"
        "node2:10:11 [0] NCCL INFO comm 0x1 rank 2 nranks 4 cudaDev 0 busId 21000 - Init COMPLETE\n"
        "node2:12:13 [1] NCCL INFO comm 0x2 rank 3 nranks 4 cudaDev 1 busId 61000 - Init COMPLETE\n"
        "node2:12:99 [1] misc/ibvwrap.cc:284 NCCL WARN Call to ibv_modify_qp failed with error Invalid argument\n"
        "node2:10:98 [0] misc/ibvwrap.cc:284 NCCL WARN Call to ibv_modify_qp failed with 110 Connection timed out\n"
        "node2:10:98 [0] misc/ibvwrap.cc:284 NCCL WARN Call to ibv_modify_qp failed with 110 Connection timed out\n"
        "node1:10:11 [0] NCCL WARN something 17 new\n"
        "node1:12:13 [1] NCCL WARN something 18 new\n"
        "node1:12:13 [1] NCCL WARN something else\n");
    assert_int_equal(log->event_count, 3);
    const struct orr_log_event *first = &log->events[0], *second = &log->events[1];
    assert_string_equal(first->message->id, "ib-modify-qp");
    assert_int_equal(first->line, 5);
    assert_int_equal(first->last_line, 7);
    assert_int_equal(first->count, 3);
    assert_int_equal(first->rank_count, 2); /* threads other than the one that initialised belong to their process */
    assert_int_equal(first->ranks[0], 2);
    assert_int_equal(first->ranks[1], 3);
    assert_int_equal(first->host_count, 1);
    assert_string_equal(first->hosts[0], "node2");
    assert_null(second->message); /* shown as it is */
    assert_string_equal(second->text, "something 17 new");
    assert_int_equal(second->count, 2);
    assert_int_equal(second->rank_count, 2);
    assert_string_equal(log->events[2].text, "something else");
}

TEST(gpus_of_one_process_are_told_apart)
{
    struct orr_log *log =
        read("node1:10:11 [0] NCCL INFO comm 0x1 rank 0 nranks 2 cudaDev 0 busId 21000 - Init COMPLETE\n"
             "node1:10:12 [1] NCCL INFO comm 0x2 rank 1 nranks 2 cudaDev 1 busId 61000 - Init COMPLETE\n"
             "node1:10:99 [1] NCCL WARN Cuda failure 2 'out of memory'\n");
    assert_int_equal(log->events[0].rank_count, 1);
    assert_int_equal(log->events[0].ranks[0], 1);
    orr_log_free(log);
}

TEST(progress_of_pytorch)
{
    ORR_OWNED(orr_log) *log = read(
        "node1:10:11 [0] NCCL INFO Bootstrap : Using eth0\n"
        "[rank3]:[E ProcessGroupNCCL.cpp:1537] [PG 0 Rank 3] Timeout at NCCL work: 30, last enqueued NCCL work: 31, "
        "last completed NCCL work: 18446744073709551615.\n"
        "node1:10:11 [0] NCCL INFO comm 0x1 rank 0 nra[rank1]:[E ProcessGroupNCCL.cpp:577] [Rank 1] Some NCCL "
        "operations have failed or timed out.\n");
    assert_int_equal(log->progress_count, 1);
    assert_int_equal(log->progress[0].rank, 3);
    assert_int_equal(log->progress[0].enqueued, 31);
    assert_int_equal(log->event_count, 2);
    assert_int_equal(log->events[1].ranks[0], 1);
    assert_int_equal(strncmp(log->events[1].text, "[rank1]", 7), 0);
}

TEST(choices_are_kept_once)
{
    ORR_OWNED(orr_log) *log = read(
        "node1:10:11 [0] NCCL INFO comm 0x1 rank 0 nranks 2 cudaDev 0 busId 21000 - Init COMPLETE\n"
        "node1:10:10 [0] NCCL INFO AllReduce: 17179869184 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}\n"
        "node1:10:10 [0] NCCL INFO AllReduce: 17179869184 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}\n"
        "node1:10:10 [0] NCCL INFO AllReduce: 1024 Bytes -> Algo 1 proto 0 time 12.3\n"
        "node1:10:10 [0] NCCL INFO 2048 Bytes -> Algo 0 proto 2 time 12.300000\n");
    assert_int_equal(log->choice_count, 3);
    assert_int_equal(log->kinds[ORR_LOG_CHOICE], 4);
    assert_int_equal(log->choices[0].bytes, 17179869184);
    assert_int_equal(log->choices[0].count, 2);
    assert_int_equal(log->choices[0].last_channel, 23);
    assert_int_equal(log->choices[0].communicator, 0);
    assert_string_equal(log->choices[1].algorithm, "1");
    assert_int_equal(log->choices[1].first_channel, -1);
    assert_string_equal(log->choices[2].function, "");
}

TEST(rccl_is_named)
{
    static const char *const lines[] = {
        INFO "RCCL version : 2.22.3-HEAD:7d8d67c\nHIP version  : 6.4.4\n",
        "RCCL version : 2.22.3-HEAD:7d8d67c\n" INFO "Bootstrap : Using eth0\n",
        INFO "RCCL version 2.6.4+hip3.5\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        ORR_OWNED(orr_log) *log = read(lines[i]);
        assert_true(log->rccl);
        assert_int_equal(log->release_count, 1);
        assert_int_equal(orr_log_version(log, NULL), 0);
    }
}

/* A text given in pieces of any size is read as one. */
TEST(pieces_are_one_text)
{
    enum { LINES = 400, EACH = 200 };
    char *text = calloc(LINES, EACH);
    size_t length = 0;
    assert_non_null(text);
    for (int i = 0; i < LINES; i++)
        length += (size_t)snprintf(text + length, EACH, "node%d:10:11 [0] NCCL %s %d new%s", i % 3,
                                   i % 7 ? "INFO Using network" : "WARN something", i, i == LINES - 1 ? "" : "\n");
    ORR_OWNED(orr_log) *whole = read(text);
    for (size_t piece = 1; piece < 40000; piece = piece * 3 + 1) {
        struct orr_error err = {0};
        struct orr_log_reader *reader;
        struct orr_log *log;
        assert_ok(orr_log_reader_new(NULL, &reader, &err), &err);
        for (size_t at = 0; at < length; at += piece)
            assert_ok(orr_log_reader_feed(reader, text + at, length - at < piece ? length - at : piece, &err), &err);
        assert_ok(orr_log_reader_finish(reader, &log, &err), &err);
        assert_int_equal(log->line_count, whole->line_count);
        assert_int_equal(log->record_count, whole->record_count);
        assert_int_equal(log->event_count, whole->event_count);
        assert_int_equal(log->events[0].count, whole->events[0].count);
        assert_int_equal(log->byte_count, length);
        orr_log_free(log);
    }
    free(text);
}

/* Beyond the first megabyte: lines across pieces, one line of several megabytes, and the memory that this takes. */
TEST(long_texts_in_pieces)
{
    enum { PIECE = 70001, PIECES = 100 };
    static const char line[] = INFO "Using network IB\n";
    struct orr_error err = {0};
    struct orr_log_reader *reader;
    ORR_LOCAL(orr_log, log);
    char *piece = malloc(PIECE);
    assert_non_null(piece);
    assert_ok(orr_log_reader_new(&orr_log_stream_limits, &reader, &err), &err);
    uint64_t at = 0;
    for (int i = 0; i < PIECES; i++) {
        for (size_t k = 0; k < PIECE; k++, at++)
            piece[k] = line[at % (sizeof line - 1)];
        assert_ok(orr_log_reader_feed(reader, piece, PIECE, &err), &err);
    }
    memset(piece, 'x', PIECE);
    assert_ok(orr_log_reader_feed(reader, "\n", 1, &err), &err);
    for (int i = 0; i < PIECES; i++)
        assert_ok(orr_log_reader_feed(reader, piece, PIECE, &err), &err);
    assert_ok(orr_log_reader_feed(reader, "\n" INFO "Using network Socket", 45, &err), &err);
    assert_ok(orr_log_reader_finish(reader, &log, &err), &err);
    const uint64_t whole = at / (sizeof line - 1);
    assert_int_equal(log->kinds[ORR_LOG_NETWORK], whole + 1);
    assert_int_equal(log->line_count, whole + 3); /* what was left of the last line, the long one, and the last */
    assert_int_equal(log->cut, 1);
    free(piece);
}
