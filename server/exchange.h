/* SPDX-License-Identifier: Apache-2.0 */
/* One request from its first line to the end of its answer, and the state that all requests share. For the files of the
 * server that use libmicrohttpd. */
#ifndef ORR_SERVER_EXCHANGE_H
#define ORR_SERVER_EXCHANGE_H

#include <microhttpd.h>
#include <stdatomic.h>

#include "engine/base/thread_slot.h"
#include "server/connections.h"
#include "server/http.h"
#include "server/limits.h"
#include "server/listen.h"
#include "server/streaming.h"
#include "server/tokens.h"
#include "server/trace.h"
#include "server/workers.h"

struct orr_http {
    struct orr_app *app;
    struct orr_metrics *metrics;
    const struct orr_config *config;
    struct orr_tokens *tokens; /* NULL if nobody is asked for one */
    struct orr_tls *tls;       /* NULL means HTTP */
    struct MHD_Daemon *daemon;
    struct orr_workers *workers;
    struct orr_connections *connections;
    struct orr_limits *limits;
    struct orr_networks proxies;
    atomic_bool draining, stopping;
    char address[ORR_ADDRESS_SIZE]; /* "http://127.0.0.1:8080" */
    /* fields that requests change, separate from those that they only read */
    atomic_size_t body_bytes; /* memory of the bodies of all requests under way */
    _Atomic uint64_t numbers; /* of requests, from a random start; a connection takes some at once */
    /* memory of the last exchange of each thread, which its caches still hold, for the next; NULL if there is none */
    struct {
        char apart[ORR_CACHE_LINE - sizeof(void *)];
        _Atomic(void *) exchange;
    } spare[ORR_THREAD_SLOTS];
};

/* The stage of a request. */
enum orr_stage { ORR_STAGE_NEW, ORR_STAGE_READING, ORR_STAGE_COMPUTING, ORR_STAGE_ANSWERED };

struct orr_exchange {
    struct orr_http *http;
    struct MHD_Connection *connection;
    struct orr_connection *from;
    uint64_t begun_ns;
    enum orr_stage stage;
    const struct orr_route *route; /* NULL if there is none */
    const char *origin;            /* of a page that may read the answer, in libmicrohttpd's memory */
    bool preflight;
    /* why it is refused */
    enum orr_denial refusal;
    unsigned long long refused_limit;
    unsigned retry_after;
    /* the client */
    struct orr_bearer bearer;
    struct orr_address client_address;
    struct orr_client client;
    enum orr_spent spent;         /* why its work ended early */
    bool counted;                 /* among the client's requests under way */
    unsigned long long announced; /* bytes of the body, by Content-Length */
    /* the body as far as it has arrived */
    char *body;
    size_t body_length, body_capacity, body_seen;
    /* the answer */
    struct orr_reply *reply;        /* reply.c */
    struct orr_streaming streaming; /* of an answer that is a stream */
    bool closes, has_response, logged;
    char id[ORR_REQUEST_ID], parent[ORR_TRACEPARENT], method[16];
    char *target;                 /* target_room, or memory of its own if it is long */
    struct orr_response response; /* from here on nothing is zeroed before it is filled */
    char target_room[512];
};

/* The request line has been read; NULL if memory runs out. */
struct orr_exchange *orr_exchange_new(struct orr_http *http, struct orr_connection *from, const char *target);
void orr_exchange_free(struct orr_exchange *exchange);
/* What libmicrohttpd calls for each step; see its MHD_AccessHandlerCallback. */
enum MHD_Result orr_exchange_step(struct orr_exchange *exchange, struct MHD_Connection *connection, const char *method,
                                  const char *upload, size_t *upload_size);
/* The value of a header of the request; NULL if it has none of that name. */
const char *orr_exchange_header(const void *exchange, const char *name);

/* headers.c: ORR_DENIED_NOT, or the reason why a proxy could read the request's headers differently. */
enum orr_denial orr_headers_check(struct MHD_Connection *connection);

/* hosts.c: ORR_DENIED_NOT, or the reason to suspect that a foreign page in somebody's browser sent this request. */
enum orr_denial orr_hosts_check(const struct orr_exchange *exchange);

/* gate.c: may this request go on? Fills in the client and, if not, the reason. */
void orr_gate(struct orr_exchange *exchange);

/* reply.c: hands the response to libmicrohttpd; takes the reply back when it is sent. */
enum MHD_Result orr_reply_send(struct orr_exchange *exchange);
void orr_reply_release(struct orr_exchange *exchange);

/* access_log.c: the line about a request, once. It is written before libmicrohttpd gets the end of the answer, so that
 * a client that has read the answer finds its line. A request without an answer gets its line when it is over. */
void orr_access_log(struct orr_exchange *exchange);
/* Counts it. */
void orr_exchange_count(const struct orr_exchange *exchange, uint64_t nanoseconds);
uint64_t orr_exchange_nanoseconds(const struct orr_exchange *exchange);

#endif
