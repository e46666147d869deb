/* SPDX-License-Identifier: Apache-2.0 */
/* The service in one process, and one request from its route to its answer. */
#ifndef ORR_API_CALL_H
#define ORR_API_CALL_H

#include <stdatomic.h>

#include "api/http/answer.h"
#include "api/http/api.h"
#include "api/http/cache.h"
#include "api/http/params.h"
#include "api/http/problem.h"
#include "api/metrics/metrics.h"
#include "api/store/store.h"
#include "engine/base/arena.h"
#include "engine/base/version.h"

struct orr_renderer; /* engine/diagram/diagram_worker.h */
struct orr_watch;    /* api/handlers/watch.h */

struct orr_app {
    const struct orr_route *routes;
    unsigned route_count;
    struct orr_store *store;
    struct orr_cache *cache;
    struct orr_renderer *renderer;
    struct orr_metrics *metrics;
    struct orr_watch *watch; /* NULL if hosts are not counted */
    char *static_folder;     /* NULL if there is no page */
    char *docs_folder;       /* NULL if there is no documentation */
    char *program;           /* this program, for processes of its own; NULL means /proc/self/exe */
    size_t max_body;
    size_t stream_most;         /* most bytes of all running streams; 0 means no limit */
    atomic_size_t stream_bytes; /* bytes of all running streams */
    bool check_systems;
    atomic_bool draining;
    _Atomic int64_t last_created; /* time of the last topology stored by this process, in milliseconds; unique */
    atomic_ulong analyses;        /* analyses made, not taken from the cache */
    atomic_ulong changes;         /* changes of labels and deletions by this process */
};

struct orr_call;
/* Whether the client has a scope. */
static inline bool orr_request_may(const struct orr_request *request, enum orr_scope scope)
{
    return !request->grant || request->grant->scopes & scope;
}
typedef enum orr_code orr_handler(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err);

enum orr_route_flags {
    ORR_ROUTE_TOPOLOGY = 1, /* the first capture is the id of a stored topology */
    ORR_ROUTE_DUMP = 2,     /* the body is a dump; its content id takes the place of the first capture */
    ORR_ROUTE_CACHED = 4,   /* the answer depends on content and parameters only */
    ORR_ROUTE_HEAVY = 8,    /* slow if it is not cached */
    ORR_ROUTE_STORE = 16,   /* uses the store */
    ORR_ROUTE_CLUSTER = 32, /* the first capture is the id of a stored cluster */
    ORR_ROUTE_PAGE = 64     /* every path without another route; the capture is the whole path */
};

struct orr_route {
    const char *method;
    const char *template; /* {name} captures the rest of a segment */
    orr_handler *handler;
    enum orr_access access;
    unsigned flags;
    orr_topics parameters;
};

struct orr_call {
    struct orr_app *app;
    const struct orr_request *request;
    const struct orr_route *route;
    struct orr_arena *arena; /* of the request */
    const char *captures[2];
    const char *body; /* for a route with ORR_ROUTE_DUMP: the sent bytes, or a text that names the machine type */
    size_t body_length;
    char id[ORR_ID_LENGTH + 1]; /* of the topology, if the route has one */
    char digest[ORR_DIGEST_LENGTH + 1];
    enum orr_problem problem;        /* replaces the problem that follows from the error's code */
    const struct orr_budget *budget; /* the budget of a failed call; NULL if there is none */
    const char *quick_key; /* cache key of the finished answer, from the target alone; NULL if there is none */
    struct orr_response *response;
    struct orr_params params; /* last because it is large: an answer found by quick_key does not need it */
};

/* Fills the response from the error and the call; also used for refusals. */
void orr_call_problem(struct orr_call *call, const struct orr_error *err);
/* Makes a failure with this code that problem; returns the code. */
static inline enum orr_code orr_as_problem(struct orr_call *call, enum orr_problem problem, enum orr_code code)
{
    if (code != ORR_OK)
        call->problem = problem;
    return code;
}
/* Fills the response from a finished answer, compressed if the client accepts that; key: of the cache, or NULL. Takes
 * ownership of the reference. */
void orr_call_finish(struct orr_call *call, struct orr_answer *answer, const char *key);
/* Whether orr_call_finish() would have to compress the answer. */
bool orr_call_would_compress(const struct orr_call *call, const struct orr_answer *answer, const char *key);
/* Refuses a call from within its handler, as a gate does before the handler. Returns the code of the error. */
enum orr_code orr_call_deny(struct orr_call *call, enum orr_denial refusal, unsigned long long limit,
                            struct orr_error *err);
/* Fills the response from an answer that is sent as it is; only If-None-Match applies. */
void orr_call_send(struct orr_call *call, struct orr_answer *answer);
bool orr_call_accepts_gzip(const struct orr_call *call);
bool orr_call_reads(const struct orr_call *call); /* GET or HEAD */
void orr_response_init(struct orr_response *response);

/* Finds the row for a path of `length` bytes, and fills call->route, its captures and the route of the response. */
enum orr_code orr_call_route(struct orr_call *call, const char *path, size_t length,
                             struct orr_error *err) ORR_NO_DISCARD;

const char *orr_call_header(const struct orr_call *call, const char *name);

/* Checks that the topology of a call is stored. A result is trusted for one second, so that cached answers need no
 * store, and yet end soon after another process deletes the topology. *ret_seen: when it was last seen in the store,
 * by orr_clock_coarse_ms(). may_ask false if the store is not asked, and *ret_seen is 0 if nothing is known. NOT_FOUND
 * if there is no such topology. */
enum orr_code orr_call_exists(struct orr_call *call, bool may_ask, int64_t *ret_seen,
                              struct orr_error *err) ORR_NO_DISCARD;
/* Whether a result from that time is still trusted. */
bool orr_seen_lately(int64_t seen);
/* Gives the call the id of its content. */
void orr_call_content(struct orr_call *call, const char *bytes, size_t length);
/* The index of the media type that the client prefers (the first of equals); `count` if the client accepts none. */
size_t orr_negotiate(const char *accept, const char *const *types, size_t count);

#endif
