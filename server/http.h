/* The only room that knows libmicrohttpd: connections in, requests to the api, responses out. */
#ifndef ORR_SERVER_HTTP_H
#define ORR_SERVER_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "api/api.h"

struct orr_http;

struct orr_http_options {
    const char *listen;   /* "ADDR:PORT", "[ADDR]:PORT", "HOST:PORT" */
    unsigned threads;     /* that serve; as many compute */
    unsigned connections; /* most at once */
    unsigned timeout;     /* seconds that a connection may be silent */
    bool insecure;        /* beyond loopback */
    bool quiet;           /* no access log */
};

/* Listens and serves from now on, with threads of its own. */
enum orr_code orr_http_start(struct orr_app *app, const struct orr_http_options *options, struct orr_http **ret_http,
                             struct orr_error *err) ORR_NO_DISCARD;
/* Where it listens: "http://127.0.0.1:8080". */
const char *orr_http_address(const struct orr_http *http);
/* Accepts no further connections. */
void orr_http_quiesce(struct orr_http *http);
/* Requests that were begun and not yet answered. */
unsigned orr_http_in_flight(const struct orr_http *http);
/* Closes all and frees; requests in flight are broken off. */
void orr_http_stop(struct orr_http *http);

#endif
