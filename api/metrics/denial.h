/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons to refuse a request before it is handled, with their words in metrics and logs. The client's answer is a row
 * in api/http/denial.c. */
#ifndef ORR_API_DENIAL_H
#define ORR_API_DENIAL_H

/* X(name, word in metrics and logs) */
#define ORR_DENIAL_MAP(X)                                                                                              \
    X(BODY, "body_size")              /* limit: bytes */                                                               \
    X(HEADER, "header_size")          /* limit: bytes */                                                               \
    X(MALFORMED, "malformed_headers") /* a proxy could read them differently */                                        \
    X(CODING, "transfer_coding")      /* other than chunked */                                                         \
    X(HOST, "host")                   /* not a name of this service */                                                 \
    X(CROSS_SITE, "cross_site")       /* a page of another site asks for a change */                                   \
    X(NO_TOKEN, "no_token")           /* none given */                                                                 \
    X(TOKEN, "unknown_token")         /* not in the token file */                                                      \
    X(READ, "scope_read")             /* a token without the scope read */                                             \
    X(WRITE, "scope_write")           /* a token without the scope write */                                            \
    X(RATE, "rate")                   /* limit: requests a second */                                                   \
    X(CLIENT, "client_requests")      /* limit: requests of one client under way */                                    \
    X(CONNECTIONS, "connections")     /* limit: connections */                                                         \
    X(QUEUE, "queue")                 /* limit: waiting requests */                                                    \
    X(BODY_MEMORY, "body_memory")     /* limit: bytes of all bodies */                                                 \
    X(STREAM_MEMORY, "stream_memory") /* limit: bytes of all running streams */                                        \
    X(STOPPING, "stopping")           /* the server is shutting down */                                                \
    X(HEADER_TIME, "header_time")     /* limit: milliseconds */                                                        \
    X(BODY_TIME, "body_time")         /* limit: milliseconds */
enum orr_denial {
    ORR_DENIED_NOT,
#define X(name, word) ORR_DENIED_##name,
    ORR_DENIAL_MAP(X)
#undef X
        ORR_DENIAL_COUNT
};
/* The word for metrics and logs: "body_size". */
const char *orr_denial_reason(enum orr_denial refusal);

#endif
