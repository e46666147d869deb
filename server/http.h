/* SPDX-License-Identifier: Apache-2.0 */
/* The service at a socket: connections in, requests to the api, responses out. */
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
    struct orr_tokens *tokens;       /* NULL: nobody is asked for one */
    struct orr_tls *tls;             /* NULL: HTTP */
};

/* Listens and serves from now on, with threads of its own. The parts stay the caller's, and must outlive it. */
enum orr_code orr_http_start(const struct orr_http_parts *parts, struct orr_http **ret_http,
                             struct orr_error *err) ORR_NO_DISCARD;
/* Where it listens: "http://127.0.0.1:8080". */
const char *orr_http_address(const struct orr_http *http);
/* Turns further connections away, and closes each that is open after its next answer. */
void orr_http_quiesce(struct orr_http *http);
/* Requests that were begun and not yet answered. */
unsigned orr_http_in_flight(const struct orr_http *http);
/* Stops all work: requests that wait or run are answered 503 as soon as they look at their budget, and so are new ones.
 */
void orr_http_break_off(struct orr_http *http);
/* Closes all and frees, when the work that runs has ended; answers that are being sent are broken off. */
void orr_http_stop(struct orr_http *http);

#endif
