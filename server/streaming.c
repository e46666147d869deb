/* SPDX-License-Identifier: Apache-2.0 */
/* Answers that are made while they are sent: rings, trees and rounds of large communicators. A worker makes a piece;
 * the thread that serves the connection only copies it, and suspends the connection while the next one is made. */
#include "server/streaming.h"

#include <stdlib.h>
#include <string.h>

#include "server/exchange.h"

enum { PIECE = 32768 };

void orr_streaming_fill(struct orr_streaming *streaming, struct orr_stream *stream)
{
    ptrdiff_t got = 1;
    streaming->length = streaming->taken = 0;
    streaming->piece = streaming->piece ? streaming->piece : malloc(PIECE);
    streaming->failed = !streaming->piece;
    while (!streaming->failed && got > 0 && streaming->length < PIECE) {
        got = stream->read(stream, streaming->piece + streaming->length, PIECE - streaming->length);
        streaming->failed = got < 0;
        streaming->length += got > 0 ? (size_t)got : 0;
    }
    streaming->ended = got == 0;
}

static void run_job(struct orr_job *job)
{
    struct orr_connection *from = (struct orr_connection *)((char *)job - offsetof(struct orr_connection, job));
    struct orr_exchange *exchange = from->current;
    orr_streaming_fill(&exchange->streaming, exchange->response.answer->stream);
    MHD_resume_connection(exchange->connection);
}

/* Requests the next piece. The number of connections bounds the jobs for pieces, not --queue. */
static void order(struct orr_exchange *exchange)
{
    struct orr_job *job = &exchange->from->job;
    job->run = run_job;
    job->work = ORR_WORK_SHORT;
    job->always = true;
    MHD_suspend_connection(exchange->connection);
    if (orr_workers_add(exchange->http->workers, job) == ORR_WORKERS_TOOK)
        return;
    exchange->streaming.failed = true; /* reported at the next call, because a suspended connection cannot be ended */
    MHD_resume_connection(exchange->connection);
}

ssize_t orr_streaming_read(void *context, uint64_t at, char *buffer, size_t size)
{
    struct orr_exchange *exchange = context;
    struct orr_streaming *streaming = &exchange->streaming;
    size_t left = streaming->length - streaming->taken, some = left < size ? left : size;
    (void)at; /* calls follow one another */
    bool broken = streaming->failed || atomic_load(&exchange->http->stopping);
    if (!left && (streaming->ended || broken)) {
        orr_access_log(exchange);
        return streaming->ended ? MHD_CONTENT_READER_END_OF_STREAM : MHD_CONTENT_READER_END_WITH_ERROR;
    }
    if (!left) {
        order(exchange);
        return 0;
    }
    memcpy(buffer, streaming->piece + streaming->taken, some);
    streaming->taken += some;
    return (ssize_t)some;
}

void orr_streaming_release(struct orr_streaming *streaming)
{
    free(streaming->piece);
    streaming->piece = NULL;
}
