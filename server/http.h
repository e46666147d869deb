/* SPDX-License-Identifier: Apache-2.0 */
/* The service at a socket: accepts connections, passes requests to the api, and sends responses. */
#ifndef ORR_SERVER_HTTP_H
#define ORR_SERVER_HTTP_H

#include "api/http/api.h"
#include "server/config.h"
#include "server/tls.h"
#include "server/tokens.h"

struct orr_http;

struct orr_http_parts {
    struct orr_app *app;
    const struct orr_config *config; /* threads is not 0 */
    struct orr_tokens *tokens;       /* NULL if no token is required */
    struct orr_tls *tls;             /* NULL means HTTP */
};

/* Starts to listen and serve on its own threads. The caller owns the parts, which must outlive the service. */
enum orr_code orr_http_start(const struct orr_http_parts *parts, struct orr_http **ret_http,
                             struct orr_error *err) ORR_NO_DISCARD;
/* The address on which it listens, such as "http://127.0.0.1:8080". */
const char *orr_http_address(const struct orr_http *http);
/* Refuses new connections, and closes each open one after its next answer. */
void orr_http_quiesce(struct orr_http *http);
/* Number of requests that have begun and are not answered yet. */
unsigned orr_http_in_flight(const struct orr_http *http);
/* Stops all work: new, waiting and running requests get a 503, the latter as soon as they check their budget. */
void orr_http_break_off(struct orr_http *http);
/* Waits for running work, then closes all connections and frees the service; answers still being sent are cut off. */
void orr_http_stop(struct orr_http *http);

#endif
