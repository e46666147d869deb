/* SPDX-License-Identifier: Apache-2.0 */
/* Sends an answer piece by piece, while it is computed. */
#ifndef ORR_SERVER_STREAMING_H
#define ORR_SERVER_STREAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "api/http/answer.h"

/* The piece being sent; all zero before the first. */
struct orr_streaming {
    char *piece; /* owned */
    size_t length, taken;
    bool ended, failed; /* after this piece */
};

/* Makes the next piece. Runs in a worker, because it may compute. */
void orr_streaming_fill(struct orr_streaming *streaming, struct orr_stream *stream);
/* libmicrohttpd's MHD_ContentReaderCallback; exchange: struct orr_exchange. Never computes. */
ssize_t orr_streaming_read(void *exchange, uint64_t at, char *buffer, size_t size);
void orr_streaming_release(struct orr_streaming *streaming);

#endif
