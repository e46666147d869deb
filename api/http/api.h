/* SPDX-License-Identifier: Apache-2.0 */
/* The service in process: a request in, a response out, no sockets. Callable from many threads.
 *
 * What a route needs and gives is documented in openapi.yaml; the routes themselves are one table,
 * api/handlers/route_table.c.
 */
#ifndef ORR_API_API_H
#define ORR_API_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/metrics/denial.h"
#include "engine/base/error.h"

struct orr_route; /* a row of the table of routes */
struct orr_metrics;
struct orr_app; /* api/handlers/app.h makes one */
struct orr_answer;
struct orr_budget;

/* From now on readyz says 503. */
void orr_app_drain(struct orr_app *app);
/* Where the store is, without a password. */
const char *orr_app_database(const struct orr_app *app);
struct orr_metrics *orr_app_metrics(struct orr_app *app);
/* Counts a request that is over. route NULL: none matched. */
void orr_app_count(struct orr_app *app, const struct orr_route *route, unsigned status, uint64_t nanoseconds);

/* What a token allows, and what a route asks of who comes. AGENT: uploads dumps of one host, and asks whether that host
 * is fit. */
enum orr_scope { ORR_SCOPE_READ = 1, ORR_SCOPE_WRITE = 2, ORR_SCOPE_AGENT = 4 };
enum orr_access {
    ORR_ACCESS_OPEN,    /* anyone */
    ORR_ACCESS_PROBE,   /* anyone, and no limit on rate holds: health */
    ORR_ACCESS_METRICS, /* read, unless the operator opened it */
    ORR_ACCESS_READ,
    ORR_ACCESS_WRITE,
    ORR_ACCESS_UPLOAD, /* write, or the agent of the host */
    ORR_ACCESS_JUDGE   /* read, or an agent */
};

/* Who asks, as far as that matters within the service. */
struct orr_grant {
    unsigned scopes;  /* enum orr_scope */
    const char *host; /* of an agent */
};

/* The route of a method and target; NULL: there is none, which orr_api_handle() explains. */
const struct orr_route *orr_route_find(const struct orr_app *app, const char *method, const char *target);
/* NULL: OPEN, since anybody may know that something is missing. */
enum orr_access orr_route_access(const struct orr_route *route);
/* Probes and metrics: answered however full the queue is, for an operator needs them then. */
bool orr_route_is_for_operators(const struct orr_route *route);

/* "/v1/topologies/{id}", "" for NULL. */
const char *orr_route_template(const struct orr_route *route);

/* Why a request failed, for callers in this process. */
struct orr_failure {
    const char *type; /* the last part of the problem's type: "malformed-xml"; static */
    struct orr_error error;
};

struct orr_request {
    const char *method;
    const struct orr_route *route;                                /* orr_route_find(), NULL: to be found */
    const char *target;                                           /* path and query as they came, percent-encoded */
    const char *(*header)(const void *context, const char *name); /* NULL: the request has no such header */
    const void *header_context;
    const char *body;
    size_t body_length;
    const char *id;            /* of the request: `instance` of problems */
    struct orr_budget *budget; /* what the work may use, and its stop flag; NULL: any. Not read with may_defer */
    bool
        may_defer; /* in a thread that serves connections: give back with response->deferred whatever the cache lacks */
    bool only_short;               /* in a thread for short work: give long work back the same way */
    const struct orr_grant *grant; /* NULL: everything is allowed */
    struct orr_failure *failure;   /* filled where the answer is a problem; NULL: not wanted */
};

enum { ORR_OWN_HEADERS = 8, ORR_ANSWER_HEADERS = 8, ORR_MAX_HEADERS = 16, ORR_HEADER_SIZE = 320 };
struct orr_header {
    const char *name; /* static */
    char value[ORR_HEADER_SIZE];
};

struct orr_response {
    unsigned status;
    bool deferred;     /* nothing was done: call again in a thread that may wait */
    bool long_work;    /* of what was deferred: it reads a body or computes, which may take seconds */
    const char *route; /* template of the route, for logs: "/v1/topologies/{id}" */
    const char *body;  /* belongs to answer */
    size_t length;
    struct orr_answer *answer;
    struct orr_header headers[ORR_OWN_HEADERS]; /* of this response alone; others follow from the answer */
    unsigned header_count;
};

/* The headers that follow from an answer, the same each time it is sent. Gives their number. */
unsigned orr_answer_headers(const struct orr_answer *answer, struct orr_header headers[ORR_ANSWER_HEADERS]);
/* All headers of a response: those that follow from its answer, then its own. Gives their number. */
unsigned orr_response_headers(const struct orr_response *response, struct orr_header headers[ORR_MAX_HEADERS]);
/* Adds a header to the response; one that does not fit is left out. */
void orr_response_header(struct orr_response *response, const char *name, const char *format, ...) ORR_PRINTF(3, 4);

/* Fills *response, whatever happens; orr_response_release() it. HEAD is answered like GET: the body is there, to be
 * left out by who sends it. */
void orr_api_handle(struct orr_app *app, const struct orr_request *request, struct orr_response *response);
/* The answer that says why. retry_after: seconds, 0: says nothing of it. */
void orr_api_refuse(struct orr_app *app, const struct orr_request *request, enum orr_denial refusal,
                    unsigned long long limit, unsigned retry_after, struct orr_response *response);
void orr_response_release(struct orr_response *response);

#endif
