/* What is shared by all handlers: the app, one request on its way, and the helpers that they use. */
#ifndef ORR_API_CALL_H
#define ORR_API_CALL_H

#include <stdatomic.h>

#include "api/documents/cluster_file.h"
#include "api/documents/json.h"
#include "api/http/answer.h"
#include "api/http/api.h"
#include "api/http/cache.h"
#include "api/http/params.h"
#include "api/http/problem.h"
#include "api/metrics/metrics.h"
#include "api/store/store.h"
#include "engine/base/local.h"
#include "engine/diagram/diagram_worker.h"
#include "engine/input/input.h"
#include "engine/release/behaviours.h"

struct orr_app {
    struct orr_store *store;
    struct orr_cache *cache;
    struct orr_renderer *renderer;
    struct orr_metrics *metrics;
    char *static_folder; /* NULL: no page */
    char *docs_folder;   /* NULL: no documentation */
    char *program;       /* this program, for processes of its own; NULL: /proc/self/exe */
    size_t max_body;
    size_t stream_most;         /* bytes that streams under way may hold; 0: any */
    atomic_size_t stream_bytes; /* that they hold */
    bool check_systems;
    atomic_bool draining;
    _Atomic int64_t last_created; /* of a topology stored here, in milliseconds: no two have the same */
    atomic_ulong analyses;        /* made, not taken from the cache */
};

/* A dump with its analysis, or a cluster with its dumps, cached together. */
struct orr_work {
    struct orr_shared shared;
    struct orr_dump *dump; /* NULL: a cluster */
    struct orr_analysis *analysis;
    struct orr_cluster_work *cluster; /* NULL: one topology */
    atomic_uint streams;              /* under way that hold it */
};

static inline void orr_work_give(struct orr_work *work)
{
    orr_shared_give(&work->shared);
}
ORR_FREED_BY(orr_work, orr_work_give)

struct orr_call;
typedef enum orr_code orr_handler(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err);

enum orr_route_flags {
    ORR_ROUTE_TOPOLOGY = 1, /* the first capture is the id of a stored topology */
    ORR_ROUTE_DUMP = 2,     /* the body is a dump; its content id takes the place of the first capture */
    ORR_ROUTE_CACHED = 4,   /* the answer depends on content and parameters only */
    ORR_ROUTE_HEAVY = 8,    /* takes more than a moment where it is not cached */
    ORR_ROUTE_STORE = 16,   /* asks the store */
    ORR_ROUTE_CLUSTER = 32  /* the first capture is the id of a stored cluster */
};

struct orr_route {
    const char *method;
    const char *pattern; /* {} captures the rest of a segment; a last "*" the rest of the path */
    orr_handler *handler;
    enum orr_access access;
    unsigned flags;
    orr_asks parameters;
    const char *template; /* for logs and metrics */
};

struct orr_call {
    struct orr_app *app;
    const struct orr_request *request;
    const struct orr_route *route;
    struct orr_arena *arena; /* of the request */
    const char *captures[2];
    const char *body; /* of a route with ORR_ROUTE_DUMP: what was sent, or a text that names the machine type */
    size_t body_length;
    char id[ORR_ID_LENGTH + 1]; /* of the topology, where the route has one */
    char digest[ORR_DIGEST_LENGTH + 1];
    enum orr_problem problem;        /* instead of what the error's code says */
    const struct orr_budget *budget; /* of a call that failed; NULL: none */
    const char *quick_key;           /* under which the finished answer is found by the target alone; NULL: it is not */
    struct orr_response *response;
    struct orr_params params; /* last, for it is large: an answer found by quick_key needs none */
};

/* Fills the response from the error and what the call says of it; used for refusals too. */
void orr_call_problem(struct orr_call *call, const struct orr_error *err);
/* Fills the response from a finished answer, compressed where the client takes it; key: of the cache, or NULL. Takes
 * the reference over. */
void orr_call_finish(struct orr_call *call, struct orr_answer *answer, const char *key);
/* Would orr_call_finish() have to compress the answer? */
bool orr_call_would_compress(const struct orr_call *call, const struct orr_answer *answer, const char *key);
/* Holds a change to If-Match and If-None-Match; answer: what a GET of the resource would say now. INVALID. */
enum orr_code orr_call_conditions(struct orr_call *call, const struct orr_answer *answer,
                                  struct orr_error *err) ORR_NO_DISCARD;
/* Turns a call away inside its handler, as a gate would have done before it. Returns the code of the error. */
enum orr_code orr_call_deny(struct orr_call *call, enum orr_denial refusal, unsigned long long limit,
                            struct orr_error *err);
/* The same with an answer as it is to be sent: only If-None-Match is heeded. */
void orr_call_send(struct orr_call *call, struct orr_answer *answer);
bool orr_call_accepts_gzip(const struct orr_call *call);
bool orr_call_reads(const struct orr_call *call); /* GET or HEAD */
void orr_response_init(struct orr_response *response);

/* The rows of the table, NULL behind the last. */
const struct orr_route *orr_route_row(unsigned index);
unsigned orr_route_count(void);
/* The place of a row in the table. */
unsigned orr_route_index(const struct orr_route *route);
/* Finds the row for a path of so many bytes, and fills call->route, its captures and the route of the response. */
enum orr_code orr_call_route(struct orr_call *call, const char *path, size_t length,
                             struct orr_error *err) ORR_NO_DISCARD;

const char *orr_call_header(const struct orr_call *call, const char *name);

/* Is the topology that a call is about stored? What this process knows is believed for a second, so that cached answers
 * need no store, and end that soon after another process deleted the topology. *ret_seen: when it was last seen there,
 * by orr_clock_coarse_ms(). With may_ask false the store is not asked; 0 then where nothing is known. NOT_FOUND where
 * there is no such topology. */
enum orr_code orr_call_exists(struct orr_call *call, bool may_ask, int64_t *ret_seen,
                              struct orr_error *err) ORR_NO_DISCARD;
/* Whether what was seen then is still believed. */
bool orr_seen_lately(int64_t seen);
/* The dump and analysis that a call asks for: from the cache, or made now. The caller gives it back. */
enum orr_code orr_call_work(struct orr_call *call, struct orr_work **ret_work, struct orr_error *err) ORR_NO_DISCARD;
/* The same bytes, asked another question; reading: the release whose rules make a dump of them, NULL: the question's.
 */
enum orr_code orr_call_work_of(struct orr_call *call, const struct orr_query *query, const struct orr_release *reading,
                               struct orr_work **ret_work, struct orr_error *err) ORR_NO_DISCARD;
/* The bytes of the dump that a call is about: orr_budget_free() length + 1 of them where *ret_owned. */
enum orr_code orr_call_source(struct orr_call *call, char **ret_bytes, size_t *ret_length, bool *ret_owned,
                              struct orr_error *err) ORR_NO_DISCARD;
/* Reads the dump alone; release: whose rules make a dump of what is none yet, NULL: the one that the call asks for. */
enum orr_code orr_call_dump(struct orr_call *call, const struct orr_release *release, struct orr_dump **ret_dump,
                            struct orr_error *err) ORR_NO_DISCARD;
/* Gives the call the id of its content. */
void orr_call_content(struct orr_call *call, const char *bytes, size_t length);
/* Keeps a dump with that id and what the call says of it (name, labels), and says where (Location). */
enum orr_code orr_call_keep(struct orr_call *call, const struct orr_dump *dump, const char *bytes, size_t length,
                            bool *ret_existed, struct orr_error *err) ORR_NO_DISCARD;
/* The topology of that id as users see it. */
enum orr_code orr_call_record(struct orr_call *call, struct orr_json *json, json_t **ret_object,
                              struct orr_error *err) ORR_NO_DISCARD;
/* A topology as users see it. A dump that can no longer be read is listed all the same, without a machine. Where memory
 * or the store fail, there is no answer: half of one would have another ETag. */
enum orr_code orr_record_json(struct orr_call *call, struct orr_json *json, const struct orr_record *record,
                              json_t **ret_object, struct orr_error *err) ORR_NO_DISCARD;
/* cluster_work.c: reads a stored cluster with its dumps, by the rules of the release `reading` where they make a
 * difference, and analyses it. */
enum orr_code orr_cluster_work(struct orr_call *call, const struct orr_query *query, const struct orr_release *reading,
                               struct orr_work *work, struct orr_error *err) ORR_NO_DISCARD;
void orr_cluster_work_free(struct orr_cluster_work *cluster);
size_t orr_cluster_work_bytes(const struct orr_cluster_work *cluster);
/* Times of arrival in this process, in milliseconds: no two are the same. */
int64_t orr_time_of_arrival(struct orr_app *app);

/* The error for a cursor that no page gave; returns its code. */
enum orr_code orr_bad_cursor(struct orr_call *call, const char *cursor, struct orr_error *err);

/* The first of `count` media types that the client likes best; count: none. */
size_t orr_negotiate(const char *accept, const char *const *types, size_t count);

/* handle_topologies.c */
orr_handler orr_handle_upload, orr_handle_list, orr_handle_topology, orr_handle_patch, orr_handle_delete,
    orr_handle_source;
/* handle_clusters.c */
orr_handler orr_handle_cluster_put, orr_handle_cluster_list, orr_handle_cluster, orr_handle_cluster_delete,
    orr_handle_cluster_findings, orr_handle_groups;
/* handle_order.c */
orr_handler orr_handle_order;
/* handle_facts.c */
orr_handler orr_handle_topology_facts, orr_handle_cluster_facts, orr_handle_fleet_facts;
/* A label of a stored topology (`host`, `switch`, `domain`); context: the call. */
orr_topology_gives orr_label_of_topology;
/* handle_channels.c */
orr_handler orr_handle_channels, orr_handle_p2p;
/* handle_detect.c */
orr_handler orr_handle_detect;
/* handle_hosts.c */
orr_handler orr_handle_hosts, orr_handle_history;
/* handle_analysis.c */
orr_handler orr_handle_analysis, orr_handle_section, orr_handle_path, orr_handle_findings, orr_handle_diagram,
    orr_handle_render;
/* handle_inputs.c */
orr_handler orr_handle_convert, orr_handle_vm_file, orr_handle_anonymise, orr_handle_machines, orr_handle_inputs;
/* handle_diff.c */
orr_handler orr_handle_diff;
/* handle_compare.c */
orr_handler orr_handle_compare;
/* handle_predict.c */
orr_handler orr_handle_predict;
/* handle_place.c */
orr_handler orr_handle_place;
/* handle_explain.c */
orr_handler orr_handle_explain;
/* handle_log.c */
orr_handler orr_handle_log, orr_handle_topology_log, orr_handle_perf, orr_handle_topology_perf;
/* handle_gate.c */
orr_handler orr_handle_gate;
/* handle_meta.c */
orr_handler orr_handle_releases, orr_handle_settings, orr_handle_openapi, orr_handle_health, orr_handle_ready,
    orr_handle_version, orr_handle_problem_type;
/* handle_metrics.c */
orr_handler orr_handle_metrics;
/* static_files.c */
orr_handler orr_handle_static, orr_handle_examples;

/* A time of the store as RFC 3339 text. */
json_t *orr_time_json(struct orr_json *json, int64_t milliseconds);
/* A cursor is the place of the last entry of a page: time in hex, "-", id. */
enum { ORR_CURSOR_SIZE = 64 };
void orr_write_cursor(char cursor[ORR_CURSOR_SIZE], int64_t at, const char *id);
/* NULL: the first page, *ret_before is 0. */
enum orr_code orr_read_cursor(struct orr_call *call, int64_t *ret_before, const char **ret_before_id,
                              struct orr_error *err) ORR_NO_DISCARD;

/* One row of "differs_from_previous": {behaviour, sentence, here, before, bears_on}. */
json_t *orr_behaviour_difference_json(struct orr_json *json, const struct orr_behaviour_difference *difference);

#endif
