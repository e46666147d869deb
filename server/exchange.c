/* SPDX-License-Identifier: Apache-2.0 */
#include "server/exchange.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"
#include "server/cors.h"

struct orr_exchange *orr_exchange_new(struct orr_http *http, struct orr_connection *from, const char *target)
{
    size_t size = strlen(target) + 1;
    struct orr_exchange *exchange = atomic_exchange(&http->spare[orr_thread_slot()].exchange, NULL);
    if (!exchange && !(exchange = malloc(sizeof *exchange)))
        return NULL;
    memset(exchange, 0, offsetof(struct orr_exchange, response));
    exchange->http = http;
    exchange->from = from;
    exchange->target = size <= sizeof exchange->target_room ? exchange->target_room : malloc(size);
    if (!exchange->target) {
        free(exchange);
        return NULL;
    }
    memcpy(exchange->target, target, size);
    exchange->begun_ns = orr_clock_ns();
    return exchange;
}

static void drop_body(struct orr_exchange *exchange)
{
    free(exchange->body);
    if (exchange->body_capacity)
        atomic_fetch_sub(&exchange->http->body_bytes, exchange->body_capacity);
    exchange->body = NULL;
    exchange->body_length = exchange->body_capacity = 0;
}

void orr_exchange_free(struct orr_exchange *exchange)
{
    if (exchange->counted)
        orr_limits_leave(exchange->http->limits, &exchange->client);
    orr_reply_release(exchange);
    orr_streaming_release(&exchange->streaming);
    if (exchange->has_response)
        orr_response_release(&exchange->response);
    drop_body(exchange);
    if (exchange->target != exchange->target_room)
        free(exchange->target);
    free(atomic_exchange(&exchange->http->spare[orr_thread_slot()].exchange, exchange));
}

/* The kind of thread that makes an answer, and so how long that may take. */
enum place { ON_CONNECTION, ON_SHORT_WORK, ON_LONG_WORK };

static void answer(struct orr_exchange *exchange, enum place place)
{
    const struct orr_grant grant = {exchange->bearer.scopes, exchange->bearer.host};
    const struct orr_request request = {
        .grant = exchange->http->tokens ? &grant : NULL,
        .method = exchange->method,
        .route = exchange->route,
        .target = exchange->target,
        .header = orr_exchange_header,
        .header_context = exchange,
        .body = exchange->body,
        .body_length = exchange->body_length,
        .id = exchange->id,
        .budget = &exchange->from->budget,
        .may_defer = place == ON_CONNECTION,
        .only_short = place == ON_SHORT_WORK,
    };
    struct orr_response *response = &exchange->response;
    if (exchange->refusal) {
        orr_api_refuse(exchange->http->app, &request, exchange->refusal, exchange->refused_limit, exchange->retry_after,
                       response);
    } else if (exchange->preflight) {
        response->deferred = false;
        response->route = "";
        response->body = NULL;
        response->length = 0;
        response->header_count = 0;
        orr_cors_preflight(response, exchange->origin);
    } else {
        orr_api_handle(exchange->http->app, &request, response);
    }
    exchange->has_response = !response->deferred;
    if (exchange->has_response && exchange->origin && !exchange->preflight)
        orr_cors_allow(response, exchange->origin);
}

/* Gives the work to the worker threads. False if they do not accept it; exchange->refusal says why. Without a refusal,
 * the server is ending in order and the workers are gone; then the caller does the work itself, because a client that
 * keeps its connection could not know. */
static bool add_job(struct orr_exchange *exchange)
{
    struct orr_http *http = exchange->http;
    struct orr_job *job = &exchange->from->job;
    job->work = exchange->response.long_work ? ORR_WORK_LONG : ORR_WORK_SHORT;
    orr_response_release(&exchange->response);
    enum orr_workers_say say = atomic_load(&http->stopping) ? ORR_WORKERS_ENDED : orr_workers_add(http->workers, job);
    if (say == ORR_WORKERS_TOOK)
        return true;
    if (say == ORR_WORKERS_ENDED && !atomic_load(&http->stopping))
        return false;
    exchange->refusal = say == ORR_WORKERS_FULL ? ORR_DENIED_QUEUE : ORR_DENIED_STOPPING;
    exchange->refused_limit = http->config->queue;
    exchange->retry_after = 1;
    return false;
}

/* The answer is ready: resumes the connection. */
static void hand_over(struct orr_exchange *exchange)
{
    const struct orr_answer *made = exchange->response.answer;
    if (made && made->stream)
        orr_streaming_fill(&exchange->streaming, made->stream);
    exchange->spent = exchange->from->budget.spent;
    exchange->closes = exchange->closes || (exchange->spent >= ORR_SPENT_CLIENT && exchange->spent <= ORR_SPENT_USER);
    exchange->stage = ORR_STAGE_ANSWERED;
    MHD_resume_connection(exchange->connection);
}

static void run_job(struct orr_job *job)
{
    struct orr_connection *from = (struct orr_connection *)((char *)job - offsetof(struct orr_connection, job));
    struct orr_exchange *exchange = from->current;
    answer(exchange, job->work == ORR_WORK_SHORT ? ON_SHORT_WORK : ON_LONG_WORK);
    if (exchange->response.deferred) { /* the work looked short but is not */
        if (add_job(exchange))
            return;
        answer(exchange, exchange->refusal ? ON_SHORT_WORK : ON_LONG_WORK);
    }
    hand_over(exchange);
}

static enum MHD_Result answer_and_send(struct orr_exchange *exchange)
{
    answer(exchange, ON_CONNECTION);
    exchange->stage = ORR_STAGE_ANSWERED;
    return orr_reply_send(exchange);
}

/* Makes room for `size` bytes of the body and a zero after them; false if that is refused, or memory ran out. */
static bool make_room(struct orr_exchange *exchange, size_t size)
{
    enum { FIRST = 16384 };
    struct orr_http *http = exchange->http;
    size_t before = exchange->body_capacity, capacity = before ? before : FIRST;
    if (size + 1 <= before)
        return true;
    while (capacity < size + 1)
        capacity *= 2;
    if (atomic_fetch_add(&http->body_bytes, capacity - before) + (capacity - before) > http->config->body_memory) {
        exchange->refusal = ORR_DENIED_BODY_MEMORY;
        exchange->refused_limit = http->config->body_memory;
        exchange->retry_after = 1;
    }
    char *body = exchange->refusal ? NULL : realloc(exchange->body, capacity);
    if (!body) {
        atomic_fetch_sub(&http->body_bytes, capacity - before);
        return false;
    }
    exchange->body = body;
    exchange->body_capacity = capacity;
    return true;
}

/* Reads at most this many times the largest body of a refused request. libmicrohttpd accepts no answer before the body
 * ends, so after that the connection is cut off. */
enum { PATIENCE = 8 };

/* Keeps a piece of the body. The body of a refused request is read and dropped for a while, so that the client gets the
 * reason. */
static enum MHD_Result take_body(struct orr_exchange *exchange, const char *data, size_t size)
{
    size_t limit = exchange->http->config->max_body;
    exchange->body_seen += size;
    if (exchange->body_seen > limit && !exchange->refusal) {
        exchange->refusal = ORR_DENIED_BODY;
        exchange->refused_limit = limit;
        exchange->closes = true;
    }
    if (!exchange->refusal && make_room(exchange, exchange->body_length + size)) {
        memcpy(exchange->body + exchange->body_length, data, size);
        exchange->body_length += size;
        exchange->body[exchange->body_length] = 0;
        return MHD_YES;
    }
    drop_body(exchange);
    if (exchange->refusal && exchange->body_seen / PATIENCE <= limit)
        return MHD_YES;
    if (exchange->refusal) {
        exchange->refusal = ORR_DENIED_BODY;
        orr_connections_cut_off(exchange->http->connections, exchange->from, ORR_DENIED_BODY);
    }
    return MHD_NO;
}

/* Handles the complete headers, before the body. If a request is refused and would send much, or waits for 100
 * Continue, it is answered now, which closes the connection. */
static enum MHD_Result begin(struct orr_exchange *exchange, const char *method)
{
    enum { SMALL = 1 << 20 };
    struct orr_connection *from = exchange->from;
    if (from->number % ORR_NUMBERS == 0)
        from->number = atomic_fetch_add_explicit(&exchange->http->numbers, ORR_NUMBERS, memory_order_relaxed);
    uint64_t number = from->number++;
    strncpy(exchange->method, method, sizeof exchange->method - 1);
    orr_request_id(orr_exchange_header(exchange, "X-Request-Id"), number, exchange->id);
    orr_trace_continue(orr_exchange_header(exchange, "traceparent"), number, exchange->parent);
    exchange->route = orr_route_find(exchange->http->app, exchange->method, exchange->target);
    exchange->stage = ORR_STAGE_READING;
    const char *length = orr_exchange_header(exchange, MHD_HTTP_HEADER_CONTENT_LENGTH);
    exchange->announced = length ? strtoull(length, NULL, 10) : 0;
    orr_gate(exchange);
    bool has_body = exchange->announced || orr_exchange_header(exchange, MHD_HTTP_HEADER_TRANSFER_ENCODING);
    if (has_body)
        orr_connection_enter(exchange->from, ORR_PHASE_BODY);
    bool malformed = exchange->refusal == ORR_DENIED_MALFORMED || exchange->refusal == ORR_DENIED_CODING;
    exchange->closes = malformed || exchange->refusal == ORR_DENIED_BODY || exchange->refusal == ORR_DENIED_HEADER ||
                       exchange->refusal == ORR_DENIED_CONNECTIONS;
    if (exchange->refusal && has_body &&
        (malformed || exchange->announced > SMALL ||
         exchange->announced / PATIENCE > exchange->http->config->max_body ||
         orr_exchange_header(exchange, MHD_HTTP_HEADER_EXPECT))) {
        exchange->closes = true;
        return answer_and_send(exchange);
    }
    return MHD_YES;
}

/* The budget of the work for a request. */
static void prepare_job(struct orr_exchange *exchange)
{
    const struct orr_config *config = exchange->http->config;
    struct orr_connection *from = exchange->from;
    orr_budget_reset(&from->budget);
    from->budget.by = ORR_LIMITED_BY_SERVICE;
    from->budget.time_ns = config->analysis_ms * 1000000;
    from->budget.memory = config->analysis_memory;
    from->budget.unpacked = config->unpacked;
    from->budget.entries = config->archive_entries;
    from->job.run = run_job;
    from->job.client = orr_client_of(&exchange->client_address, exchange->bearer.name);
    from->job.always = orr_route_is_for_operators(exchange->route);
}

/* Handles the complete request. */
static enum MHD_Result work(struct orr_exchange *exchange)
{
    answer(exchange, ON_CONNECTION);
    if (!exchange->response.deferred) {
        exchange->stage = ORR_STAGE_ANSWERED;
        return orr_reply_send(exchange);
    }
    prepare_job(exchange);
    exchange->stage = ORR_STAGE_COMPUTING;
    orr_connection_enter(exchange->from, ORR_PHASE_COMPUTING);
    MHD_suspend_connection(exchange->connection);
    if (add_job(exchange))
        return MHD_YES;
    answer(exchange, exchange->refusal ? ON_CONNECTION : ON_LONG_WORK);
    hand_over(exchange);
    return MHD_YES;
}

enum MHD_Result orr_exchange_step(struct orr_exchange *exchange, struct MHD_Connection *connection, const char *method,
                                  const char *upload, size_t *upload_size)
{
    switch (exchange->stage) {
    case ORR_STAGE_NEW:
        exchange->connection = connection;
        return begin(exchange, method);
    case ORR_STAGE_READING:
        if (*upload_size) {
            enum MHD_Result result = take_body(exchange, upload, *upload_size);
            *upload_size = 0;
            return result;
        }
        return work(exchange);
    case ORR_STAGE_COMPUTING:
        return MHD_YES;
    case ORR_STAGE_ANSWERED:
        if (*upload_size) { /* the rest of a body that was refused at once */
            *upload_size = 0;
            return MHD_YES;
        }
        return orr_reply_send(exchange);
    }
    return MHD_NO;
}
