/* The whole interface of the service in process: a request in, a response out, no sockets. Callable from many threads.
 *
 * What a route needs and gives is documented in openapi.yaml; the routes themselves are one table, routes.c.
 */
#ifndef ORR_API_API_H
#define ORR_API_API_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"

struct orr_app;
struct orr_answer;

struct orr_app_options {
    const char *database;           /* where the store is: a path, ":memory:" or postgresql://... (store.h) */
    unsigned database_connections;  /* most to a PostgreSQL server; 0: 8 */
    unsigned database_timeout;      /* seconds for a statement of the database; 0: 10 */
    unsigned keep_days, keep_count; /* retention of dumps by their last upload; 0: for ever */
    const char *static_folder;      /* of the page; NULL: none */
    const char *program;            /* this program, for the workers that draw; NULL: /proc/self/exe */
    size_t max_body;                /* largest dump in bytes; 0: 16 MiB */
    size_t cache_bytes;             /* ceiling of the cache; 0: 256 MiB */
};

enum orr_code orr_app_new(const struct orr_app_options *options, struct orr_app **ret_app,
                          struct orr_error *err) ORR_NO_DISCARD;
void orr_app_free(struct orr_app *app);
/* From now on readyz says 503. */
void orr_app_drain(struct orr_app *app);
size_t orr_app_max_body(const struct orr_app *app);
/* Where the store is, without a password. */
const char *orr_app_database(const struct orr_app *app);

struct orr_request {
    const char *method;
    const char *target;                                           /* path and query as they came, percent-encoded */
    const char *(*header)(const void *context, const char *name); /* NULL: the request has no such header */
    const void *header_context;
    const char *body;
    size_t body_length;
    const char *id; /* of the request: `instance` of problems */
    bool may_defer; /* give long work back with response->deferred instead of doing it */
};

enum { ORR_MAX_HEADERS = 14, ORR_HEADER_SIZE = 320 };
struct orr_header {
    const char *name; /* static */
    char value[ORR_HEADER_SIZE];
};

struct orr_response {
    unsigned status;
    bool deferred;     /* nothing was done: call again without may_defer, in a thread that may take long */
    const char *route; /* template of the route, for logs: "/v1/topologies/{id}" */
    const char *body;  /* belongs to answer */
    size_t length;
    struct orr_answer *answer;
    struct orr_header headers[ORR_MAX_HEADERS];
    unsigned header_count;
};

/* Fills *response, whatever happens; orr_response_release() it. HEAD is answered like GET: the body is there, to be
 * left out by who sends it. */
void orr_api_handle(struct orr_app *app, const struct orr_request *request, struct orr_response *response);
/* The answer to a request whose body is larger than allowed, for who reads it and stops: 413. */
void orr_api_refuse_body(struct orr_app *app, const struct orr_request *request, struct orr_response *response);
void orr_response_release(struct orr_response *response);

const char *orr_version(void);

#endif
