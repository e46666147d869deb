/* SPDX-License-Identifier: Apache-2.0 */
/* Starts libmicrohttpd's daemon, gives it our callbacks, and stops it. */
#include "server/http.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "server/exchange.h"
#include "server/log.h"

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                                  const char *version, const char *upload, size_t *upload_size, void **state)
{
    (void)context, (void)url, (void)version;
    return *state ? orr_exchange_step(*state, connection, method, upload, upload_size) : MHD_NO;
}

static enum MHD_Result on_accept(void *context, const struct sockaddr *address, socklen_t size)
{
    (void)address, (void)size;
    struct orr_http *http = context;
    return !atomic_load(&http->draining) && orr_connections_accept(http->connections) ? MHD_YES : MHD_NO;
}

static void finish(struct orr_exchange *exchange)
{
    uint64_t nanoseconds = orr_exchange_nanoseconds(exchange);
    if (exchange->stage != ORR_STAGE_NEW || atomic_load(&exchange->from->ended)) {
        orr_exchange_count(exchange, nanoseconds);
        orr_access_log(exchange);
    }
    exchange->from->current = NULL;
    orr_connection_enter_at(exchange->from, ORR_PHASE_IDLE, (exchange->begun_ns + nanoseconds) / 1000000);
    orr_exchange_free(exchange);
}

static void on_connection(void *context, struct MHD_Connection *connection, void **state,
                          enum MHD_ConnectionNotificationCode what)
{
    struct orr_http *http = context;
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        /* Each question is read before the next: libmicrohttpd 1.0 answers them all in one place of the connection. */
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
        const struct sockaddr *address = info ? info->client_addr : NULL;
        info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        *state = address && info ? orr_connections_open(http->connections, info->connect_fd, address) : NULL;
    } else if (*state) {
        struct orr_connection *from = *state;
        if (from->current) /* libmicrohttpd does not report requests that it refuses after on_target() */
            finish(from->current);
        orr_connections_close(http->connections, from);
        *state = NULL;
    }
}

/* The request line has been read: only here can the target be read as it was sent. libmicrohttpd does not get the
 * query: it would parse it for nobody, and if the parts do not fit into its memory, version 0.9.75 neither
 * answers nor closes. */
static void *on_target(void *context, const char *uri, struct MHD_Connection *connection)
{
    struct orr_http *http = context;
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct orr_connection *from = info ? info->socket_context : NULL;
    if (from && from->current)
        finish(from->current);
    struct orr_exchange *exchange = from ? orr_exchange_new(http, from, uri) : NULL;
    if (!exchange)
        return NULL; /* on_request() then gives the connection up */
    from->current = exchange;
    orr_connection_enter_at(from, ORR_PHASE_HEADERS, exchange->begun_ns / 1000000);
    char *query = strchr(uri, '?');
    if (query)
        query[1] = 0; /* the request's buffer, which is libmicrohttpd's to write into, and so ours in its callback */
    return exchange;
}

static void on_completed(void *context, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode how)
{
    (void)context, (void)connection, (void)how;
    if (*state)
        finish(*state);
    *state = NULL;
}

/* Prevents libmicrohttpd from decoding: api/http/params.c decodes the unparsed target. */
static size_t decode_nothing(void *context, struct MHD_Connection *connection, char *text)
{
    (void)context, (void)connection;
    return strlen(text);
}

static void on_message(void *context, const char *format, va_list arguments) ORR_PRINTF(2, 0);
static void on_message(void *context, const char *format, va_list arguments)
{
    const struct orr_http *http = context;
    char text[512];
    vsnprintf(text, sizeof text, format, arguments);
    text[strcspn(text, "\r\n")] = 0;
    orr_log((enum orr_log_format)http->config->log_format, "warn", "microhttpd", "text", text, NULL);
}

static struct MHD_Daemon *start_daemon(struct orr_http *http, int listening)
{
    enum { STACK = 8 << 20, SPARE_SECONDS = 5, SPARE_MEMORY = 4 << 10 };
    const struct orr_config *config = http->config;
    uint64_t longest = config->idle_ms;
    const uint64_t others[] = {config->header_ms, config->body_ms, config->send_ms};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        longest = others[i] > longest ? others[i] : longest;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC | MHD_USE_ERROR_LOG;
    unsigned threads = (unsigned)config->threads;
/* Connections are limited by on_accept(), over all threads; libmicrohttpd's own limit is one of each thread. Its
 * timeout is a second line after connections.c. The memory of a connection holds a request's headers and its answer's;
 * libmicrohttpd clears all of it, and half of it again, at each request.
 */
#if MHD_VERSION >= 0x00097205
#define OF_SIGPIPE MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
#else
#define OF_SIGPIPE
#endif
#define OPTIONS                                                                                                        \
    MHD_OPTION_EXTERNAL_LOGGER, on_message, http, MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_THREAD_POOL_SIZE,    \
        threads, MHD_OPTION_THREAD_STACK_SIZE, (size_t)STACK, MHD_OPTION_CONNECTION_LIMIT,                             \
        (orr_connections_ceiling(config) + 1) * threads, MHD_OPTION_PER_IP_CONNECTION_LIMIT,                           \
        (unsigned)config->client_connections, MHD_OPTION_CONNECTION_TIMEOUT,                                           \
        (unsigned)(longest / 1000 + SPARE_SECONDS), MHD_OPTION_CONNECTION_MEMORY_LIMIT,                                \
        (size_t)(config->max_header + SPARE_MEMORY), MHD_OPTION_STRICT_FOR_CLIENT, 1,                                  \
        OF_SIGPIPE MHD_OPTION_URI_LOG_CALLBACK, on_target, http, MHD_OPTION_UNESCAPE_CALLBACK, decode_nothing, NULL,   \
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, http, MHD_OPTION_NOTIFY_CONNECTION, on_connection, http
    if (http->tls)
        return MHD_start_daemon(flags | MHD_USE_TLS, 0, on_accept, http, on_request, http, OPTIONS,
                                MHD_OPTION_HTTPS_PRIORITIES, ORR_TLS_PRIORITIES, MHD_OPTION_HTTPS_CERT_CALLBACK,
                                orr_tls_certificate, MHD_OPTION_END);
    return MHD_start_daemon(flags, 0, on_accept, http, on_request, http, OPTIONS, MHD_OPTION_END);
#undef OPTIONS
#undef OF_SIGPIPE
}

/* Metrics that are only computed when they are read. */
static void collect(void *context, struct orr_metrics *metrics)
{
    struct orr_http *http = context;
    orr_metric_set(metrics, ORR_METRIC_HTTP_IN_FLIGHT, 0, orr_connections_busy(http->connections));
    orr_metric_set(metrics, ORR_METRIC_HTTP_BODIES, 0, atomic_load(&http->body_bytes));
    orr_metric_set(metrics, ORR_METRIC_CONNECTIONS, 0, orr_connections_count(http->connections));
    orr_metric_set(metrics, ORR_METRIC_CONNECTIONS_MOST, 0, http->config->connections);
    orr_metric_set(metrics, ORR_METRIC_QUEUE, 0, orr_workers_waiting(http->workers));
    orr_metric_set(metrics, ORR_METRIC_QUEUE_MOST, 0, http->config->queue);
    orr_metric_set(metrics, ORR_METRIC_TOKENS, 0, http->tokens ? orr_tokens_count(http->tokens) : 0);
    orr_metric_set(metrics, ORR_METRIC_TLS_EXPIRY, 0, http->tls ? (uint64_t)orr_tls_expiry() : 0);
}

enum orr_code orr_http_start(const struct orr_http_parts *parts, struct orr_http **ret_http, struct orr_error *err)
{
    const struct orr_config *config = parts->config;
    struct orr_http *http = calloc(1, sizeof *http);
    uint64_t start = 0;
    int listening = -1;
    ORR_NEED(http, err);
    http->app = parts->app;
    http->metrics = orr_app_metrics(parts->app);
    http->config = config;
    http->tokens = parts->tokens;
    http->tls = parts->tls;
    if (getrandom(&start, sizeof start, GRND_NONBLOCK) < 0)
        start = (uint64_t)time(NULL) << 32;
    atomic_init(&http->numbers, start / ORR_NUMBERS * ORR_NUMBERS);
    const struct orr_limits_options limits = {config->rate, config->burst, config->client_requests};
    enum orr_code code = orr_networks_read(config->trusted_proxies, &http->proxies, err);
    if (code == ORR_OK)
        code = orr_limits_new(&limits, &http->limits, err);
    if (code == ORR_OK)
        code = orr_listen(config->listen, config->insecure || http->tokens, http->tls != NULL, &listening,
                          http->address, err);
    if (code == ORR_OK && !(http->workers = orr_workers_new((unsigned)config->threads, config->queue, http->metrics)))
        code = orr_fail(err, ORR_IO, "the threads that compute could not be started");
    if (code == ORR_OK)
        code = orr_connections_new(config, http->metrics, http->tls != NULL, http->workers, &http->connections, err);
    if (code == ORR_OK)
        orr_metrics_on_collect(http->metrics, collect, http);
    if (code == ORR_OK && !(http->daemon = start_daemon(http, listening)))
        code = orr_fail(err, ORR_IO, "the server could not be started on %s", http->address);
    if (code != ORR_OK) {
        if (listening >= 0)
            close(listening);
        orr_http_stop(http);
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
    /* on_accept() turns new ones away. MHD_quiesce_daemon() would close the port at once, but in 0.9.75 it races with
     * its own threads for the epoll set and ends the process now and then. */
    atomic_store(&http->draining, true);
}

unsigned orr_http_in_flight(const struct orr_http *http)
{
    return orr_connections_busy(http->connections);
}

void orr_http_break_off(struct orr_http *http)
{
    atomic_store(&http->stopping, true);
    orr_connections_stop(http->connections);
}

void orr_http_stop(struct orr_http *http)
{
    orr_metrics_on_collect(http->metrics, NULL, NULL);
    if (http->workers) /* resumes suspended connections, which stopping requires; exchange.c serves later requests */
        orr_workers_end(http->workers);
    if (http->daemon)
        MHD_stop_daemon(http->daemon);
    orr_connections_free(http->connections); /* its watcher knows the workers */
    orr_workers_free(http->workers);
    orr_limits_free(http->limits);
    orr_networks_release(&http->proxies);
    for (int i = 0; i < ORR_THREAD_SLOTS; i++)
        free(atomic_load(&http->spare[i].exchange));
    free(http);
}
