/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a response into libmicrohttpd's. An answer gives the same reply each time it is sent, so the reply is kept with
 * the answer and reused by one request at a time. Then a cached answer costs no allocations except those for the
 * request's own headers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/http/answer.h"
#include "server/exchange.h"

struct orr_reply {
    struct MHD_Response *response;
    /* libmicrohttpd's own copies of two values that differ from request to request. No other request uses them while
     * this one has the reply, so they are overwritten instead of reallocated. */
    char *id, *date;
    size_t id_length;
    time_t dated; /* what date says */
};

static void free_reply(void *kept)
{
    struct orr_reply *reply = kept;
    MHD_destroy_response(reply->response);
    free(reply);
}

/* The bytes, or the stream, live as long as the answer, and the exchange has a reference to it until all is sent. */
static struct MHD_Response *make_body(const struct orr_exchange *exchange)
{
    enum { CHUNK = 65536 };
    const struct orr_response *response = &exchange->response;
    if (response->answer && response->answer->stream)
        return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, CHUNK, orr_streaming_read,
                                                 (void *)(uintptr_t)exchange, NULL);
    return MHD_create_response_from_buffer(response->body ? response->length : 0, (void *)(uintptr_t)response->body,
                                           MHD_RESPMEM_PERSISTENT);
}

static char *add_header(struct MHD_Response *response, const char *name, const char *value)
{
    MHD_add_response_header(response, name, value);
    return (char *)(uintptr_t)MHD_get_response_header(response, name);
}

static struct orr_reply *make_reply(const struct orr_exchange *exchange)
{
    const struct orr_response *response = &exchange->response;
    struct orr_header headers[ORR_ANSWER_HEADERS];
    struct orr_reply *reply = calloc(1, sizeof *reply);
    struct MHD_Response *made = reply ? make_body(exchange) : NULL;
    if (!made) {
        free(reply);
        return NULL;
    }
    reply->response = made;
    reply->date = add_header(made, MHD_HTTP_HEADER_DATE, "Thu, 01 Jan 1970 00:00:00 GMT");
    unsigned count = response->answer ? orr_answer_headers(response->answer, headers) : 0;
    for (unsigned i = 0; i < count; i++)
        MHD_add_response_header(made, headers[i].name, headers[i].value);
    if (exchange->http->config->cors_origins)
        MHD_add_response_header(made, "Vary", "Origin");
    if (exchange->http->tls)
        MHD_add_response_header(made, "Strict-Transport-Security", "max-age=31536000");
    return reply;
}

/* Calls a function for each header that belongs only to this request. */
static void each_own(struct orr_exchange *exchange,
                     enum MHD_Result (*call)(struct MHD_Response *reply, const char *name, const char *value))
{
    const struct orr_response *response = &exchange->response;
    for (unsigned i = 0; i < response->header_count; i++)
        call(exchange->reply->response, response->headers[i].name, response->headers[i].value);
    if (exchange->parent[0])
        call(exchange->reply->response, "traceparent", exchange->parent);
}

/* A kept reply still has the id of the previous request; all ids that the server makes have the same length. */
static void name_request(struct orr_reply *reply, const char *id)
{
    static const char name[] = "X-Request-Id";
    size_t length = strlen(id);
    if (length == reply->id_length) {
        memcpy(reply->id, id, length);
        return;
    }
    if (reply->id)
        MHD_del_response_header(reply->response, name, reply->id);
    reply->id = length ? add_header(reply->response, name, id) : NULL;
    reply->id_length = length;
}

/* Sun, 06 Nov 1994 08:49:37 GMT. libmicrohttpd would write it for every answer. */
static void date_reply(struct orr_reply *reply)
{
    static const char days[] = "SunMonTueWedThuFriSat", months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char text[64];
    struct tm tm = {0};
    time_t now = time(NULL);
    if (now == reply->dated || !reply->date)
        return;
    (void)gmtime_r(&now, &tm);
    int length = snprintf(text, sizeof text, "%.3s, %02d %.3s %04d %02d:%02d:%02d GMT", days + 3 * tm.tm_wday,
                          tm.tm_mday, months + 3 * tm.tm_mon, tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec);
    if (length == (int)strlen(reply->date))
        memcpy(reply->date, text, (size_t)length);
    reply->dated = now;
}

enum MHD_Result orr_reply_send(struct orr_exchange *exchange)
{
    struct orr_response *response = &exchange->response;
    exchange->closes = exchange->closes || atomic_load_explicit(&exchange->http->draining, memory_order_relaxed);
    exchange->reply =
        response->answer ? orr_answer_take_reply(response->answer, response->status == MHD_HTTP_NOT_MODIFIED) : NULL;
    if (!exchange->reply)
        exchange->reply = make_reply(exchange);
    if (!exchange->reply)
        return MHD_NO;
    each_own(exchange, MHD_add_response_header);
    name_request(exchange->reply, exchange->id);
    date_reply(exchange->reply);
    if (exchange->closes)
        MHD_add_response_header(exchange->reply->response, "Connection", "close");
    orr_connection_enter(exchange->from, ORR_PHASE_SENDING);
    if (!response->answer || !response->answer->stream) /* streaming.c says when the end of a stream has come */
        orr_access_log(exchange);
    return MHD_queue_response(exchange->connection, response->status, exchange->reply->response);
}

void orr_reply_release(struct orr_exchange *exchange)
{
    struct orr_response *response = &exchange->response;
    if (!exchange->reply)
        return;
    if (exchange->closes || !response->answer || response->answer->stream) {
        free_reply(exchange->reply);
    } else {
        each_own(exchange, MHD_del_response_header);
        orr_answer_keep_reply(response->answer, response->status == MHD_HTTP_NOT_MODIFIED, exchange->reply, free_reply);
    }
    exchange->reply = NULL;
}
