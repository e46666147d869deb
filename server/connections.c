/* SPDX-License-Identifier: Apache-2.0 */
#include "server/connections.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/base/clock.h"

enum { STEP_MS = 50, PHASE_BITS = 3, PHASE_MASK = 7 };

/* Sockets of refused requests whose clients still send, such as an endless request line. If the server closed them at
 * once, the next bytes would get a reset, and many clients would then drop the answer unread. So for a while the
 * server reads and drops those bytes, until the client closes. The caller serialises the calls. */
enum { LINGERING_MOST = 64 }; /* beyond this many, sockets are closed at once */

struct lingering {
    unsigned count;
    struct {
        int socket;
        uint64_t until_ms;
    } rows[LINGERING_MOST];
};

/* Keeps a duplicate of the socket, which the caller closes as usual, and shuts down the sending side. */
static void linger(struct lingering *lingering, int socket, uint64_t until_ms)
{
    int copy = lingering->count < LINGERING_MOST ? fcntl(socket, F_DUPFD_CLOEXEC, 0) : -1;
    if (copy < 0)
        return;
    shutdown(copy, SHUT_WR);
    lingering->rows[lingering->count].socket = copy;
    lingering->rows[lingering->count++].until_ms = until_ms;
}

/* Drops the bytes that have arrived; returns whether more may come. */
static bool drop_input(int socket)
{
    enum { PIECE = 65536, PIECES = 8 }; /* a look takes no longer than it takes to copy this much */
    char dropped[PIECE];
    ssize_t got = 1;
    for (int i = 0; i < PIECES && got > 0; i++)
        got = recv(socket, dropped, sizeof dropped, MSG_DONTWAIT);
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Drains all sockets, and closes those whose client closed or whose time is up. */
static void look_at_lingering(struct lingering *lingering, uint64_t now_ms)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < lingering->count; i++) {
        if (drop_input(lingering->rows[i].socket) && now_ms < lingering->rows[i].until_ms)
            lingering->rows[kept++] = lingering->rows[i];
        else
            close(lingering->rows[i].socket);
    }
    lingering->count = kept;
}

struct orr_connections {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    pthread_t watcher;
    bool ending, encrypted;
    struct orr_connection *first;
    atomic_uint count;
    unsigned most, ceiling;
    uint64_t allowed_ms[ORR_PHASE_COUNT]; /* 0 means any time */
    struct orr_metrics *metrics;
    struct orr_workers *workers;
    struct lingering lingering;
};

/* The denial for a slow client, by phase. ORR_DENIED_NOT sends nothing, because an answer without a request would be
 * treated as the answer to the next one. */
static const enum orr_denial slow[ORR_PHASE_COUNT] = {
    [ORR_PHASE_NEW] = ORR_DENIED_HEADER_TIME,
    [ORR_PHASE_HEADERS] = ORR_DENIED_HEADER_TIME,
    [ORR_PHASE_BODY] = ORR_DENIED_BODY_TIME,
};

static const struct {
    const char *status, *type, *title, *detail;
} answers[ORR_DENIAL_COUNT] = {
    [ORR_DENIED_HEADER_TIME] = {"408 Request Timeout", "request-timeout", "Request timeout",
                                "the request line and headers did not arrive in time"},
    [ORR_DENIED_BODY_TIME] = {"408 Request Timeout", "request-timeout", "Request timeout",
                              "the body did not arrive in time"},
    [ORR_DENIED_BODY] = {"413 Content Too Large", "body-too-large", "Content too large",
                         "the body is several times larger than --max-body allows"},
};

unsigned orr_connection_status(const struct orr_connection *connection)
{
    const char *status = answers[atomic_load(&connection->ended)].status;
    return status ? (unsigned)strtoul(status, NULL, 10) : 0;
}

void orr_connection_enter_at(struct orr_connection *connection, enum orr_phase phase, uint64_t now_ms)
{
    atomic_store_explicit(&connection->phase_since, now_ms << PHASE_BITS | phase, memory_order_relaxed);
}

void orr_connection_enter(struct orr_connection *connection, enum orr_phase phase)
{
    orr_connection_enter_at(connection, phase, (uint64_t)orr_clock_coarse_ms());
}

/* A browser may open a connection in advance and never use it; that is not a fault. */
static bool has_received(int socket)
{
    struct tcp_info info;
    socklen_t size = sizeof info;
    return !getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) && info.tcpi_bytes_received > 0;
}

/* Sends at most one answer in a connection. Inside TLS it cannot send, because the session belongs to libmicrohttpd. A
 * client that does not read gets no answer. */
static void say_why(struct orr_connections *connections, struct orr_connection *connection, enum orr_denial reason)
{
    char body[512], answer[1024];
    if (!answers[reason].status || atomic_exchange(&connection->ended, reason))
        return;
    orr_metric_add(connections->metrics, ORR_METRIC_REJECTED, reason - 1, 1);
    int length =
        snprintf(body, sizeof body, "{\"type\":\"/problems/%s\",\"title\":\"%s\",\"status\":%.3s,\"detail\":\"%s\"}",
                 answers[reason].type, answers[reason].title, answers[reason].status, answers[reason].detail);
    length = snprintf(answer, sizeof answer,
                      "HTTP/1.1 %s\r\nConnection: close\r\nContent-Type: application/problem+json\r\n"
                      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nContent-Length: %d\r\n\r\n%s",
                      answers[reason].status, length, body);
    ssize_t sent =
        connections->encrypted ? 0 : send(connection->socket, answer, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT);
    (void)sent;
}

/* Sends a client the reason if possible, and shuts down the connection in both directions, which looks to libmicrohttpd
 * as if the client had closed it. */
static void end_now(struct orr_connections *connections, struct orr_connection *connection, enum orr_denial reason)
{
    say_why(connections, connection, reason);
    atomic_store(&connection->given_up, true);
    shutdown(connection->socket, SHUT_RDWR);
}

void orr_connections_cut_off(struct orr_connections *connections, struct orr_connection *connection,
                             enum orr_denial reason)
{
    say_why(connections, connection, reason);
    connection->cut_off = true;
}

/* Whether the other side has closed its end. It might still read, but like in other servers, a client that asks and
 * closes is treated as gone: the two cases cannot be distinguished before something is sent. */
static bool is_gone(int socket)
{
    struct pollfd end = {.fd = socket, .events = POLLRDHUP};
    return poll(&end, 1, 0) > 0 && (end.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

static void stop_work(struct orr_connections *connections, struct orr_connection *connection, enum orr_spent reason)
{
    orr_budget_stop(&connection->budget, reason);
    orr_workers_hurry(connections->workers, &connection->job);
}

void orr_connections_stop(struct orr_connections *connections)
{
    pthread_mutex_lock(&connections->lock);
    for (struct orr_connection *connection = connections->first; connection; connection = connection->next)
        stop_work(connections, connection, ORR_SPENT_SHUTDOWN);
    pthread_mutex_unlock(&connections->lock);
}

static void *watch(void *context)
{
    struct orr_connections *connections = context;
    pthread_mutex_lock(&connections->lock);
    while (!connections->ending) {
        orr_clock_wait(&connections->ended, &connections->lock, orr_clock_ms() + STEP_MS);
        uint64_t now = (uint64_t)orr_clock_ms();
        for (struct orr_connection *connection = connections->first; connection; connection = connection->next) {
            uint64_t at = atomic_load_explicit(&connection->phase_since, memory_order_relaxed);
            enum orr_phase phase = (enum orr_phase)(at & PHASE_MASK);
            if (phase == ORR_PHASE_COMPUTING && is_gone(connection->socket))
                stop_work(connections, connection, ORR_SPENT_CLIENT);
            uint64_t allowed = connections->allowed_ms[phase];
            if (!allowed || now < (at >> PHASE_BITS) + allowed)
                continue;
            bool silent = phase == ORR_PHASE_NEW && !has_received(connection->socket);
            end_now(connections, connection, silent ? ORR_DENIED_NOT : slow[phase]);
            orr_connection_enter(connection, ORR_PHASE_ENDED);
        }
        look_at_lingering(&connections->lingering, now);
    }
    pthread_mutex_unlock(&connections->lock);
    return NULL;
}

unsigned orr_connections_ceiling(const struct orr_config *config)
{
    return (unsigned)(config->connections + config->connections / 8 + 16);
}

enum orr_code orr_connections_new(const struct orr_config *config, struct orr_metrics *metrics, bool encrypted,
                                  struct orr_workers *workers, struct orr_connections **ret_connections,
                                  struct orr_error *err)
{
    struct orr_connections *connections = calloc(1, sizeof *connections);
    ORR_NEED(connections, err);
    connections->metrics = metrics;
    connections->workers = workers;
    connections->encrypted = encrypted;
    connections->most = (unsigned)config->connections;
    connections->ceiling = orr_connections_ceiling(config);
    connections->allowed_ms[ORR_PHASE_NEW] = config->header_ms;
    connections->allowed_ms[ORR_PHASE_IDLE] = config->idle_ms;
    connections->allowed_ms[ORR_PHASE_HEADERS] = config->header_ms;
    connections->allowed_ms[ORR_PHASE_BODY] = config->body_ms;
    connections->allowed_ms[ORR_PHASE_SENDING] = config->send_ms;
    pthread_mutex_init(&connections->lock, NULL);
    pthread_cond_init(&connections->ended, NULL);
    if (pthread_create(&connections->watcher, NULL, watch, connections)) {
        pthread_cond_destroy(&connections->ended);
        pthread_mutex_destroy(&connections->lock);
        free(connections);
        return orr_fail(err, ORR_IO, "the thread that watches connections could not be started");
    }
    *ret_connections = connections;
    return ORR_OK;
}

void orr_connections_free(struct orr_connections *connections)
{
    if (!connections)
        return;
    pthread_mutex_lock(&connections->lock);
    connections->ending = true;
    pthread_cond_signal(&connections->ended);
    pthread_mutex_unlock(&connections->lock);
    pthread_join(connections->watcher, NULL);
    look_at_lingering(&connections->lingering, UINT64_MAX);
    pthread_cond_destroy(&connections->ended);
    pthread_mutex_destroy(&connections->lock);
    free(connections);
}

bool orr_connections_accept(struct orr_connections *connections)
{
    if (atomic_load(&connections->count) < connections->ceiling)
        return true;
    orr_metric_add(connections->metrics, ORR_METRIC_REJECTED, ORR_DENIED_CONNECTIONS - 1, 1);
    return false;
}

struct orr_connection *orr_connections_open(struct orr_connections *connections, int socket,
                                            const struct sockaddr *address)
{
    struct orr_connection *connection = calloc(1, sizeof *connection);
    if (!connection)
        return NULL;
    connection->socket = socket;
    orr_address_of(address, &connection->address);
    orr_address_write(&connection->address, connection->address_text);
    orr_connection_enter(connection, ORR_PHASE_NEW);
    connection->surplus = atomic_fetch_add(&connections->count, 1) >= connections->most;
    pthread_mutex_lock(&connections->lock);
    connection->next = connections->first;
    connection->link = &connections->first;
    if (connection->next)
        connection->next->link = &connection->next;
    connections->first = connection;
    pthread_mutex_unlock(&connections->lock);
    return connection;
}

/* Ends the connection of a client that has sent, or still sends, bytes that nobody reads: a line or headers beyond all
 * limits, or a body that was refused. */
static bool is_cut_off(const struct orr_connection *connection)
{
    int unread = 0;
    uint64_t phase = atomic_load_explicit(&connection->phase_since, memory_order_relaxed) & PHASE_MASK;
    if (atomic_load(&connection->given_up))
        return false;
    return connection->cut_off || (!ioctl(connection->socket, FIONREAD, &unread) && unread > 0) ||
           (phase == ORR_PHASE_NEW && !is_gone(connection->socket) && has_received(connection->socket));
}

void orr_connections_close(struct orr_connections *connections, struct orr_connection *connection)
{
    pthread_mutex_lock(&connections->lock);
    if (is_cut_off(connection))
        linger(&connections->lingering, connection->socket,
               (uint64_t)orr_clock_ms() + connections->allowed_ms[ORR_PHASE_HEADERS]);
    *connection->link = connection->next;
    if (connection->next)
        connection->next->link = connection->link;
    pthread_mutex_unlock(&connections->lock);
    atomic_fetch_sub(&connections->count, 1);
    free(connection);
}

unsigned orr_connections_count(const struct orr_connections *connections)
{
    return atomic_load(&connections->count);
}

unsigned orr_connections_busy(struct orr_connections *connections)
{
    static const bool busy[1 << PHASE_BITS] = {
        [ORR_PHASE_HEADERS] = true, [ORR_PHASE_BODY] = true, [ORR_PHASE_COMPUTING] = true, [ORR_PHASE_SENDING] = true};
    unsigned count = 0;
    pthread_mutex_lock(&connections->lock);
    for (const struct orr_connection *connection = connections->first; connection; connection = connection->next)
        count += busy[atomic_load_explicit(&connection->phase_since, memory_order_relaxed) & PHASE_MASK];
    pthread_mutex_unlock(&connections->lock);
    return count;
}
