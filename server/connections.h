/* SPDX-License-Identifier: Apache-2.0 */
/* The connections that are open: how many, from where, and how long each has been in its phase. A separate thread ends
 * those that take too long, even if they send a byte now and then (slowloris). */
#ifndef ORR_SERVER_CONNECTIONS_H
#define ORR_SERVER_CONNECTIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "api/metrics/metrics.h"
#include "engine/base/budget.h"
#include "server/client_address.h"
#include "server/config.h"
#include "server/workers.h"

/* The phase of a connection. Each phase has its own time limit. */
enum orr_phase {
    ORR_PHASE_NEW,       /* no request yet */
    ORR_PHASE_IDLE,      /* between two requests */
    ORR_PHASE_HEADERS,   /* from the request line to the end of the headers */
    ORR_PHASE_BODY,      /* until the body is whole */
    ORR_PHASE_COMPUTING, /* as long as it takes */
    ORR_PHASE_SENDING,   /* until the answer is with the client */
    ORR_PHASE_ENDED,     /* it took too long */
    ORR_PHASE_COUNT
};

struct orr_connection {
    struct orr_connection *next, **link;
    int socket;
    atomic_uint ended;            /* enum orr_denial: why it was made to end, ORR_DENIED_NOT if it was not */
    void *current;                /* the request under way, NULL if there is none */
    uint64_t number;              /* number of its next request; a multiple of ORR_NUMBERS if none is left */
    _Atomic uint64_t phase_since; /* milliseconds << 3 | phase */
    atomic_bool given_up;         /* the server ended it, because it took too long */
    bool cut_off;                 /* by orr_connections_cut_off() */
    bool surplus;                 /* one more than --connections: its request is refused */
    struct orr_address address;
    char address_text[ORR_ADDRESS_TEXT];
    struct orr_job job;       /* that computes its request */
    struct orr_budget budget; /* of that job */
};

/* A connection reserves this many request numbers at once. */
enum { ORR_NUMBERS = 64 };

struct orr_connections;

/* workers: the threads that compute; if a client disconnects, its job is stopped there. They must outlive the
 * connections. */
enum orr_code orr_connections_new(const struct orr_config *config, struct orr_metrics *metrics, bool encrypted,
                                  struct orr_workers *workers, struct orr_connections **ret_connections,
                                  struct orr_error *err) ORR_NO_DISCARD;
/* Stops the work for all connections: waiting jobs end at once, running ones as soon as they check their budget. */
void orr_connections_stop(struct orr_connections *connections);
/* When all connections are closed. */
void orr_connections_free(struct orr_connections *connections);

/* May one more be accepted? No, if too many are open even to send a 503. */
bool orr_connections_accept(struct orr_connections *connections);
/* NULL if memory runs out. */
struct orr_connection *orr_connections_open(struct orr_connections *connections, int socket,
                                            const struct sockaddr *address);
void orr_connections_close(struct orr_connections *connections, struct orr_connection *connection);
/* Sends a client the reason if possible, from a callback of libmicrohttpd that then gives up the connection while the
 * client still sends. The client's bytes are read and dropped for a while, so that it gets the answer. */
void orr_connections_cut_off(struct orr_connections *connections, struct orr_connection *connection,
                             enum orr_denial reason);
/* The status that was sent when a connection was ended or cut off, 0 if there is none. */
unsigned orr_connection_status(const struct orr_connection *connection);
void orr_connection_enter(struct orr_connection *connection, enum orr_phase phase);
/* The same for a caller that has just read the clock. */
void orr_connection_enter_at(struct orr_connection *connection, enum orr_phase phase, uint64_t now_ms);

/* The number of open connections. */
unsigned orr_connections_count(const struct orr_connections *connections);
/* The number of connections with a request under way. */
unsigned orr_connections_busy(struct orr_connections *connections);
/* The most sockets that may be open at once. */
unsigned orr_connections_ceiling(const struct orr_config *config);

#endif
