/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the messages of PyTorch's watchdog about a rank that ran into a time limit: the collective in which it waits,
 * and its progress.
 *
 *     [rank7]:[E816 ...] [Rank 7] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=80078,
 *         OpType=BROADCAST, NumelIn=5056, NumelOut=5056, Timeout(ms)=600000) ran for 600026 milliseconds ...
 *     [rank7]:[E816 ...] [PG 0 (default_pg) Rank 7] Exception (either an error or timeout) detected by watchdog at
 *         work: 80078, last enqueued NCCL work: 80078, last completed NCCL work: 80077.
 *
 * Before 2.1, the first one has no numbers of elements. Since 2.6, the second one is "failure detected by watchdog at
 * work sequence id: 80078 PG status: last enqueued work: 80078, last completed work: 80077".
 */
#include <stdlib.h>
#include <string.h>

#include "engine/log_reading/building.h"
#include "engine/log_reading/scan.h"

enum { ROWS_MOST = 65536 };

/* Reads a pattern at its first word in a text. */
static bool scan_at(struct orr_log_building *b, const char *mark, const char *pattern, const char *text, size_t length)
{
    const char *at = memmem(text, length, mark, strlen(mark));
    return at && orr_log_scan(pattern, ORR_LIST_REST, at, (size_t)(text + length - at), b->found);
}

/* The process group of "[PG 0 Rank 3]" or "[PG ID 2 PG GUID 5(tp) Rank 1]"; NULL if there is none, or one whose number
 * each rank counts for itself, as PyTorch did before it printed descriptions. Number 0 was always the group of all
 * ranks. */
static const char *group_of(struct orr_log_building *b, const char *text, size_t length)
{
    const char *at = memmem(text, length, "[PG ", 4), *end = text + length, *stop;
    if (!at)
        return NULL;
    at += 4;
    stop = memmem(at, (size_t)(end - at), " Rank ", 6);
    if (!stop || memchr(at, ']', (size_t)(stop - at)))
        return NULL;
    const char *guid = memmem(at, (size_t)(stop - at), "GUID ", 5);
    at = guid ? guid + 5 : at; /* the ID before it is the rank's own number */
    const size_t size = (size_t)(stop - at);
    return memchr(at, '(', size) || (size == 1 && *at == '0') ? orr_log_keep_text(b, at, size) : NULL;
}

static void take_progress(struct orr_log_building *b, const char *text, size_t length, int32_t rank, uint32_t line)
{
    struct orr_log *log = b->log;
    if ((!scan_at(b, "work: ", "work: %d, last enqueued NCCL work: %d,", text, length) &&
         !scan_at(b, "id: ", "id: %d PG status: last enqueued work: %d,", text, length)) ||
        log->progress_count == ROWS_MOST ||
        !ORR_RESERVE(log->arena, log->progress, log->progress_count, b->progress_capacity))
        return;
    log->progress[log->progress_count++] = (struct orr_log_progress){.rank = rank,
                                                                     .work = (int32_t)b->found->values[0],
                                                                     .enqueued = (int32_t)b->found->values[1],
                                                                     .group = group_of(b, text, length),
                                                                     .line = line};
}

static void take_timed_out(struct orr_log_building *b, const char *text, size_t length, int32_t rank, uint32_t line)
{
    struct orr_log *log = b->log;
    static const char limit_mark[] = "Timeout(ms)=";
    const char *limit = memmem(text, length, limit_mark, strlen(limit_mark)), *end = text + length;
    double milliseconds = 0;
    if (limit) {
        limit += strlen(limit_mark);
        (void)orr_log_scan_number(&limit, end, &milliseconds);
    }
    const bool sized = scan_at(b, "WorkNCCL(", "WorkNCCL(SeqNum=%d, OpType=%w, NumelIn=%f,", text, length);
    if ((!sized && !scan_at(b, "WorkNCCL(", "WorkNCCL(SeqNum=%d, OpType=%w,", text, length)) ||
        log->timed_out_count == ROWS_MOST ||
        !ORR_RESERVE(log->arena, log->timed_out, log->timed_out_count, b->timed_out_capacity))
        return;
    log->timed_out[log->timed_out_count++] =
        (struct orr_log_timed_out){.rank = rank,
                                   .work = (int32_t)b->found->values[0],
                                   .operation = orr_log_keep_text(b, b->found->words[0].at, b->found->words[0].length),
                                   .elements = sized ? b->found->values[1] : -1,
                                   .limit = milliseconds / 1000,
                                   .line = line};
}

/* Reads "1:02:03" or "02:03" at *at, which moves on; -1 if there is none, as for "?". */
static double seconds_at(const char **at, const char *end)
{
    enum { UNIT = 60 };
    double total = 0, value;
    for (int fields = 0;; fields++) {
        if (!orr_log_scan_int(at, end, &value) || value < 0)
            return -1;
        total = total * UNIT + value;
        if (*at == end || **at != ':')
            return fields ? total : -1;
        ++*at;
    }
}

void orr_log_take_bar(struct orr_log_building *b, const char *line, size_t length, uint32_t number)
{
    enum { WHAT_MOST = 60 };
    const char *end = line + length, *bar = memmem(line, length, "%|", 2), *digits = bar;
    if (!bar || b->log->timed_out_count)
        return; /* what goes on after the limit tells nothing about it */
    while (digits > line && orr_is_digit(digits[-1]))
        digits--;
    const char *colon = digits, *begin = line;
    while (colon > line && (orr_log_is_blank(colon[-1]) || colon[-1] == ':'))
        colon--;
    begin = colon - begin > WHAT_MOST ? colon - WHAT_MOST : begin;
    const char *at = memmem(bar, (size_t)(end - bar), " [", 2);
    at = at ? at + 2 : end;
    const double took = seconds_at(&at, end);
    if (took < 0 || at == end || *at != '<')
        return;
    const char *left = ++at;
    if (seconds_at(&at, end) <= 0)
        return;
    b->log->bar = (struct orr_log_bar){.what = orr_log_keep_text(b, begin, (size_t)(colon - begin)),
                                       .left = orr_log_keep_text(b, left, (size_t)(at - left)),
                                       .percent = strtod(digits, NULL),
                                       .took = took,
                                       .line = number};
}

void orr_log_take_watchdog(struct orr_log_building *b, const char *id, const char *text, size_t length, int32_t rank,
                           uint32_t line)
{
    if (!strcmp(id, "watchdog-work") || !strcmp(id, "watchdog-at-work"))
        take_progress(b, text, length, rank, line);
    else if (!strcmp(id, "watchdog-timeout"))
        take_timed_out(b, text, length, rank, line);
}
