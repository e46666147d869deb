#include "server/http.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "api/answer.h"
#include "server/listen.h"
#include "server/workers.h"

enum { ID_SIZE = 40, STACK = 8 << 20, HEADER_MEMORY = 64 << 10 };

struct orr_http {
    struct orr_app *app;
    struct MHD_Daemon *daemon;
    struct orr_workers *workers;
    char address[ORR_ADDRESS_SIZE];
    bool quiet;
    atomic_uint in_flight, requests;
    uint32_t id_base;
};

/* How far a request has come. */
enum stage { NEW, READING, COMPUTING, ANSWERED };

/* One request from its first line to the end of its answer. */
struct exchange {
    struct orr_job job;
    struct orr_http *http;
    struct MHD_Connection *connection;
    enum stage stage;
    bool refused; /* the body was larger than allowed: read on, keep nothing */
    char *target, *method;
    char *body;
    size_t body_length, body_capacity, body_seen;
    char id[ID_SIZE];
    struct timespec begun;
    bool has_response;
    struct orr_response response; /* last: filled as a whole, so it is not zeroed before */
};

/* The client's id where it is a sane one, otherwise the process's random half and a count. */
static void make_id(struct orr_http *http, char id[ID_SIZE], const char *given)
{
    size_t length = given ? strlen(given) : 0;
    if (length >= 1 && length < ID_SIZE &&
        strspn(given, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == length) {
        memcpy(id, given, length + 1);
        return;
    }
    snprintf(id, ID_SIZE, "%08x%08x", http->id_base, atomic_fetch_add(&http->requests, 1));
}

static const char *header(const void *context, const char *name)
{
    struct MHD_Connection *connection = ((const struct exchange *)context)->connection;
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static void answer(struct exchange *exchange, bool may_defer)
{
    const struct orr_request request = {
        .method = exchange->method,
        .target = exchange->target,
        .header = header,
        .header_context = exchange,
        .body = exchange->body,
        .body_length = exchange->body_length,
        .id = exchange->id,
        .may_defer = may_defer,
    };
    if (exchange->refused)
        orr_api_refuse_body(exchange->http->app, &request, &exchange->response);
    else
        orr_api_handle(exchange->http->app, &request, &exchange->response);
    exchange->has_response = !exchange->response.deferred;
}

static void run_job(struct orr_job *job)
{
    struct exchange *exchange = (struct exchange *)job;
    answer(exchange, false);
    exchange->stage = ANSWERED;
    MHD_resume_connection(exchange->connection);
}

static void give_answer(void *context)
{
    struct orr_answer *of = context;
    orr_shared_give(&of->shared);
}

/* Hands the finished response to libmicrohttpd. */
static enum MHD_Result send_response(struct exchange *exchange)
{
    struct orr_response *response = &exchange->response;
    struct MHD_Response *out;
    if (response->answer && response->body)
        out = MHD_create_response_from_buffer_with_free_callback_cls(response->length,
                                                                     (void *)(uintptr_t)response->body, give_answer,
                                                                     orr_shared_take(&response->answer->shared));
    else
        out = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    if (!out) {
        if (response->answer && response->body)
            orr_shared_give(&response->answer->shared);
        return MHD_NO;
    }
    for (unsigned i = 0; i < response->header_count; i++)
        MHD_add_response_header(out, response->headers[i].name, response->headers[i].value);
    MHD_add_response_header(out, "X-Request-Id", exchange->id);
    if (exchange->refused)
        MHD_add_response_header(out, "Connection", "close");
    enum MHD_Result result = MHD_queue_response(exchange->connection, response->status, out);
    MHD_destroy_response(out);
    return result;
}

/* Keeps a piece of the body; more than allowed is read and dropped for a while, so that the client hears why. */
static enum MHD_Result take_body(struct exchange *exchange, const char *data, size_t size)
{
    enum { PATIENCE = 8 };
    size_t limit = orr_app_max_body(exchange->http->app);
    exchange->body_seen += size;
    if (exchange->body_seen > limit) {
        free(exchange->body);
        exchange->body = NULL;
        exchange->body_length = exchange->body_capacity = 0;
        exchange->refused = true;
        return exchange->body_seen / PATIENCE > limit ? MHD_NO : MHD_YES;
    }
    if (exchange->body_length + size + 1 > exchange->body_capacity) {
        size_t capacity = exchange->body_capacity ? exchange->body_capacity : 16384;
        while (capacity < exchange->body_length + size + 1)
            capacity *= 2;
        char *body = realloc(exchange->body, capacity);
        if (!body)
            return MHD_NO;
        exchange->body = body;
        exchange->body_capacity = capacity;
    }
    memcpy(exchange->body + exchange->body_length, data, size);
    exchange->body_length += size;
    exchange->body[exchange->body_length] = 0;
    return MHD_YES;
}

static enum MHD_Result begin(struct exchange *exchange, const char *method)
{
    const char *length = header(exchange, MHD_HTTP_HEADER_CONTENT_LENGTH);
    make_id(exchange->http, exchange->id, header(exchange, "X-Request-Id"));
    exchange->method = strdup(method);
    exchange->stage = READING;
    if (!exchange->method)
        return MHD_NO;
    if (length && strtoull(length, NULL, 10) > orr_app_max_body(exchange->http->app)) {
        exchange->refused = true;
        exchange->stage = ANSWERED;
        answer(exchange, false);
        return send_response(exchange);
    }
    return MHD_YES;
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                                  const char *version, const char *upload, size_t *upload_size, void **state)
{
    (void)context, (void)url, (void)version;
    struct exchange *exchange = *state;
    if (!exchange)
        return MHD_NO;
    switch (exchange->stage) {
    case NEW:
        exchange->connection = connection;
        return begin(exchange, method);
    case READING:
        if (*upload_size) {
            enum MHD_Result result = take_body(exchange, upload, *upload_size);
            *upload_size = 0;
            return result;
        }
        answer(exchange, true);
        if (!exchange->response.deferred) {
            exchange->stage = ANSWERED;
            return send_response(exchange);
        }
        orr_response_release(&exchange->response);
        exchange->stage = COMPUTING;
        exchange->job.run = run_job;
        MHD_suspend_connection(connection);
        orr_workers_add(exchange->http->workers, &exchange->job);
        return MHD_YES;
    case COMPUTING:
        return MHD_YES;
    case ANSWERED:
        if (*upload_size) { /* the rest of a body that was refused at once */
            *upload_size = 0;
            return MHD_YES;
        }
        return send_response(exchange);
    }
    return MHD_NO;
}

/* The request line has been read: the target as it came is to be had here only. */
static void *on_target(void *context, const char *uri, struct MHD_Connection *connection)
{
    struct orr_http *http = context;
    struct exchange *exchange = malloc(sizeof *exchange);
    (void)connection;
    if (!exchange)
        return NULL;
    memset(exchange, 0, offsetof(struct exchange, response));
    exchange->http = http;
    exchange->target = strdup(uri);
    if (!exchange->target) {
        free(exchange);
        return NULL;
    }
    clock_gettime(CLOCK_MONOTONIC, &exchange->begun);
    atomic_fetch_add(&http->in_flight, 1);
    return exchange;
}

/* A text in quotes, with what would break the line or the quotes as hex. */
static void quote(struct orr_text *line, const char *text)
{
    orr_text_puts(line, "\"");
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\')
            orr_text_printf(line, "\\x%02x", c);
        else
            orr_text_add(line, text, 1);
    }
    orr_text_puts(line, "\"");
}

static void log_exchange(const struct exchange *exchange, struct MHD_Connection *connection)
{
    struct timespec now, wall;
    struct tm tm;
    char time_text[32] = "", client[64] = "?";
    struct orr_text line;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    clock_gettime(CLOCK_MONOTONIC, &now);
    clock_gettime(CLOCK_REALTIME, &wall);
    if (gmtime_r(&wall.tv_sec, &tm))
        strftime(time_text, sizeof time_text, "%Y-%m-%dT%H:%M:%S", &tm);
    if (info && info->client_addr) {
        socklen_t size =
            info->client_addr->sa_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
        getnameinfo(info->client_addr, size, client, sizeof client, NULL, 0, NI_NUMERICHOST);
    }
    double milliseconds =
        (double)(now.tv_sec - exchange->begun.tv_sec) * 1e3 + (double)(now.tv_nsec - exchange->begun.tv_nsec) / 1e6;
    orr_text_init(&line, 16384);
    orr_text_printf(&line, "ts=%s.%03ldZ level=info msg=request id=%s client=%s method=%.16s target=", time_text,
                    wall.tv_nsec / 1000000, exchange->id, client, exchange->method ? exchange->method : "?");
    quote(&line, exchange->target);
    orr_text_printf(&line, " route=\"%s\" status=%u bytes=%zu dur_ms=%.3f\n",
                    exchange->has_response && exchange->response.route ? exchange->response.route : "",
                    exchange->has_response ? exchange->response.status : 0,
                    exchange->has_response ? exchange->response.length : 0, milliseconds);
    if (!orr_text_failed(&line)) {
        ssize_t written = write(STDERR_FILENO, line.data, line.length);
        (void)written; /* nowhere to report it */
    }
    orr_text_release(&line);
}

static void on_completed(void *context, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode how)
{
    struct orr_http *http = context;
    struct exchange *exchange = *state;
    (void)how;
    if (!exchange)
        return;
    if (!http->quiet && exchange->stage != NEW)
        log_exchange(exchange, connection);
    if (exchange->has_response)
        orr_response_release(&exchange->response);
    free(exchange->body);
    free(exchange->target);
    free(exchange->method);
    free(exchange);
    *state = NULL;
    atomic_fetch_sub(&http->in_flight, 1);
}

static void on_message(void *context, const char *format, va_list arguments) ORR_PRINTF(2, 0);
static void on_message(void *context, const char *format, va_list arguments)
{
    (void)context;
    char text[512];
    vsnprintf(text, sizeof text, format, arguments);
    text[strcspn(text, "\r\n")] = 0;
    fprintf(stderr, "level=warn msg=microhttpd text=\"%s\"\n", text);
}

enum orr_code orr_http_start(struct orr_app *app, const struct orr_http_options *options, struct orr_http **ret_http,
                             struct orr_error *err)
{
    struct orr_http *http = calloc(1, sizeof *http);
    int listening = -1;
    if (!http)
        return orr_fail_nomem(err);
    http->app = app;
    http->quiet = options->quiet;
    if (getrandom(&http->id_base, sizeof http->id_base, GRND_NONBLOCK) < 0)
        http->id_base = (uint32_t)time(NULL);
    enum orr_code code = orr_listen(options->listen, options->insecure, &listening, http->address, err);
    if (code == ORR_OK && !(http->workers = orr_workers_new(options->threads)))
        code = orr_fail(err, ORR_IO, "the threads that compute could not be started");
    if (code == ORR_OK) {
        unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC | MHD_USE_ERROR_LOG;
        http->daemon = MHD_start_daemon(
            flags, 0, NULL, NULL, on_request, http, MHD_OPTION_EXTERNAL_LOGGER, on_message, NULL,
            MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_THREAD_POOL_SIZE, options->threads,
            MHD_OPTION_THREAD_STACK_SIZE, (size_t)STACK, MHD_OPTION_CONNECTION_LIMIT, options->connections,
            MHD_OPTION_CONNECTION_TIMEOUT, options->timeout, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADER_MEMORY,
            MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_URI_LOG_CALLBACK,
            on_target, http, MHD_OPTION_NOTIFY_COMPLETED, on_completed, http, MHD_OPTION_END);
        if (!http->daemon)
            code = orr_fail(err, ORR_IO, "the server could not be started on %s", http->address);
    }
    if (code != ORR_OK) {
        if (listening >= 0)
            close(listening);
        orr_workers_free(http->workers);
        free(http);
        return code;
    }
    *ret_http = http;
    return ORR_OK;
}

const char *orr_http_address(const struct orr_http *http)
{
    return http->address;
}

void orr_http_quiesce(struct orr_http *http)
{
    int listening = MHD_quiesce_daemon(http->daemon);
    if (listening >= 0)
        close(listening);
}

unsigned orr_http_in_flight(const struct orr_http *http)
{
    return atomic_load(&http->in_flight);
}

void orr_http_stop(struct orr_http *http)
{
    orr_workers_free(http->workers); /* resumes what is suspended, which stopping demands */
    MHD_stop_daemon(http->daemon);
    free(http);
}
