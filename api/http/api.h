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

/* From now on /readyz answers 503. */
void orr_app_drain(struct orr_app *app);
/* The location of the store, without a password. */
const char *orr_app_database(const struct orr_app *app);
struct orr_metrics *orr_app_metrics(struct orr_app *app);
/* Counts a finished request in the metrics. route NULL if no route matched. */
void orr_app_count(struct orr_app *app, const struct orr_route *route, unsigned status, uint64_t nanoseconds);

/* What a token allows, and what a route requires. AGENT: may upload dumps of one host, and ask whether that host is
 * fit. */
enum orr_scope { ORR_SCOPE_READ = 1, ORR_SCOPE_WRITE = 2, ORR_SCOPE_AGENT = 4 };
enum orr_access {
    ORR_ACCESS_OPEN,    /* anyone */
    ORR_ACCESS_PROBE,   /* anyone, without a rate limit: health */
    ORR_ACCESS_METRICS, /* scope read, unless the operator opened the metrics */
    ORR_ACCESS_READ,
    ORR_ACCESS_WRITE,
    ORR_ACCESS_UPLOAD, /* write, or the agent of the host */
    ORR_ACCESS_JUDGE   /* read, or an agent */
};

/* The rights of a client. */
struct orr_grant {
    unsigned scopes;  /* enum orr_scope */
    const char *host; /* of an agent */
};

/* The route of a method and target; NULL if there is none, and orr_api_handle() then makes the error. */
const struct orr_route *orr_route_find(const struct orr_app *app, const char *method, const char *target);
/* The access that a route requires; OPEN for NULL, because anyone may learn that a route does not exist. */
enum orr_access orr_route_access(const struct orr_route *route);
/* Whether the route is a probe or the metrics, which are answered even if the queue is full, because that is when an
 * operator needs them. */
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
    const struct orr_route *route;                                /* orr_route_find(), NULL if still to be found */
    const char *target;                                           /* path and query as received, percent-encoded */
    const char *(*header)(const void *context, const char *name); /* NULL if the request has no such header */
    const void *header_context;
    const char *body;
    size_t body_length;
    const char *id; /* of the request: `instance` of problems */
    /* limits of the work, and its stop flag; NULL if there are no limits. Unused with may_defer */
    struct orr_budget *budget;
    bool may_defer;  /* the thread serves connections: set response->deferred instead of answering what is not in the
                        cache */
    bool only_short; /* the thread is for short work: defer long work in the same way */
    const struct orr_grant *grant; /* NULL if everything is allowed */
    struct orr_failure *failure;   /* filled if the answer is a problem; may be NULL */
};

enum { ORR_OWN_HEADERS = 8, ORR_ANSWER_HEADERS = 8, ORR_MAX_HEADERS = 16, ORR_HEADER_SIZE = 320 };
struct orr_header {
    const char *name; /* static */
    char value[ORR_HEADER_SIZE];
};

struct orr_response {
    unsigned status;
    bool deferred;     /* nothing was done; call again in a thread that may wait */
    bool long_work;    /* with deferred: the work reads a body or computes, which may take seconds */
    const char *route; /* template of the route, for logs: "/v1/topologies/{id}" */
    const char *body;  /* belongs to answer */
    size_t length;
    struct orr_answer *answer;
    struct orr_header headers[ORR_OWN_HEADERS]; /* of this response only; the others follow from the answer */
    unsigned header_count;
};

/* Writes the headers that follow from an answer, which are the same each time it is sent. Returns their number. */
unsigned orr_answer_headers(const struct orr_answer *answer, struct orr_header headers[ORR_ANSWER_HEADERS]);
/* Writes all headers of a response: those that follow from its answer, then its own. Returns their number. */
unsigned orr_response_headers(const struct orr_response *response, struct orr_header headers[ORR_MAX_HEADERS]);
/* Adds a header to the response; a header that does not fit is left out. */
void orr_response_header(struct orr_response *response, const char *name, const char *format, ...) ORR_PRINTF(3, 4);

/* Always fills *response, which the caller releases with orr_response_release(). HEAD is answered like GET, with a
 * body that the sender leaves out. */
void orr_api_handle(struct orr_app *app, const struct orr_request *request, struct orr_response *response);
/* Fills the response with a refusal and its reason. retry_after: seconds, 0 if there is no such header. */
void orr_api_refuse(struct orr_app *app, const struct orr_request *request, enum orr_denial refusal,
                    unsigned long long limit, unsigned retry_after, struct orr_response *response);
void orr_response_release(struct orr_response *response);

#endif
