/* From a response to libmicrohttpd's own. What follows from an answer is the same each time it is sent: the reply made
 * of it is kept with the answer and used again, by one request at a time, so that a cached answer costs no allocations
 * but those for the headers of the request itself. */
#include <string.h>

#include "api/answer.h"
#include "server/exchange.h"

static void free_reply(void *reply)
{
    MHD_destroy_response(reply);
}

/* The bytes, or the stream, live as long as the answer, to which the exchange holds a reference until all is sent. */
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

static struct MHD_Response *make_reply(const struct orr_exchange *exchange)
{
    const struct orr_response *response = &exchange->response;
    struct orr_header headers[ORR_ANSWER_HEADERS];
    struct MHD_Response *reply = make_body(exchange);
    if (!reply)
        return NULL;
    unsigned count = response->answer ? orr_answer_headers(response->answer, headers) : 0;
    for (unsigned i = 0; i < count; i++)
        MHD_add_response_header(reply, headers[i].name, headers[i].value);
    if (exchange->http->config->cors_origins)
        MHD_add_response_header(reply, "Vary", "Origin");
    if (exchange->http->tls)
        MHD_add_response_header(reply, "Strict-Transport-Security", "max-age=31536000");
    return reply;
}

/* Calls for each header that belongs to this request alone. */
static void each_own(struct orr_exchange *exchange,
                     enum MHD_Result (*call)(struct MHD_Response *reply, const char *name, const char *value))
{
    const struct orr_response *response = &exchange->response;
    for (unsigned i = 0; i < response->header_count; i++)
        call(exchange->reply, response->headers[i].name, response->headers[i].value);
    if (exchange->parent[0])
        call(exchange->reply, "traceparent", exchange->parent);
}

/* Writes the request's id into the reply. A kept reply still has the id of the request before. All ids that we make
 * have the same length, and the value is libmicrohttpd's own copy, which no other request uses while we have the reply:
 * so it is overwritten instead of freed and allocated anew. */
static void name_request(struct MHD_Response *reply, const char *id)
{
    static const char name[] = "X-Request-Id";
    const char *before = MHD_get_response_header(reply, name);
    size_t length = strlen(id);
    if (before && strlen(before) == length) {
        memcpy((char *)(uintptr_t)before, id, length + 1);
        return;
    }
    if (before)
        MHD_del_response_header(reply, name, before);
    if (length)
        MHD_add_response_header(reply, name, id);
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
    if (exchange->closes)
        MHD_add_response_header(exchange->reply, "Connection", "close");
    orr_connection_enter(exchange->from, ORR_PHASE_SENDING);
    return MHD_queue_response(exchange->connection, response->status, exchange->reply);
}

void orr_reply_release(struct orr_exchange *exchange)
{
    struct orr_response *response = &exchange->response;
    if (!exchange->reply)
        return;
    if (exchange->closes || !response->answer || response->answer->stream) {
        MHD_destroy_response(exchange->reply);
    } else {
        each_own(exchange, MHD_del_response_header);
        orr_answer_keep_reply(response->answer, response->status == MHD_HTTP_NOT_MODIFIED, exchange->reply, free_reply);
    }
    exchange->reply = NULL;
}
