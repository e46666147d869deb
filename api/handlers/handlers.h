/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that handlers share: the stored or posted machine of a call, its analysis, and its JSON. */
#ifndef ORR_API_HANDLERS_H
#define ORR_API_HANDLERS_H

#include "api/documents/cluster_file.h"
#include "api/documents/json.h"
#include "api/http/call.h"
#include "engine/base/local.h"
#include "engine/diagram/diagram_worker.h"
#include "engine/input/input.h"

/* A dump with its analysis, or a cluster with its dumps, cached together. */
struct orr_work {
    struct orr_shared shared;
    struct orr_dump *dump; /* NULL means a cluster */
    struct orr_analysis *analysis;
    struct orr_arena *repaired;       /* owns the repaired machine that was analysed; NULL if that is the dump itself */
    struct orr_cluster_work *cluster; /* NULL means one topology */
    atomic_uint streams;              /* running streams that use it */
};

static inline void orr_work_give(struct orr_work *work)
{
    orr_shared_give(&work->shared);
}
ORR_FREED_BY(orr_work, orr_work_give)

/* The dump and analysis of a call, from the cache or made now. The caller releases it. */
enum orr_code orr_call_work(struct orr_call *call, struct orr_work **ret_work, struct orr_error *err) ORR_NO_DISCARD;
/* The same for another question about the same bytes. reading: the release whose rules turn them into a dump; NULL
 * means the question's. */
enum orr_code orr_call_work_of(struct orr_call *call, const struct orr_query *query, const struct orr_release *reading,
                               struct orr_work **ret_work, struct orr_error *err) ORR_NO_DISCARD;
/* The bytes of the dump that a call is about. If *ret_owned, the caller frees length + 1 bytes with orr_budget_free().
 */
enum orr_code orr_call_source(struct orr_call *call, char **ret_bytes, size_t *ret_length, bool *ret_owned,
                              struct orr_error *err) ORR_NO_DISCARD;
/* Reads the dump without analysing it. release: the one whose rules turn a gathered archive into a dump; NULL means the
 * call's. */
enum orr_code orr_call_dump(struct orr_call *call, const struct orr_release *release, struct orr_dump **ret_dump,
                            struct orr_error *err) ORR_NO_DISCARD;
/* The machine in a body with a log or results; *ret_dump is NULL if there is none. */
enum orr_code orr_call_beside(struct orr_call *call, struct orr_dump **ret_dump, struct orr_error *err) ORR_NO_DISCARD;
/* Stores a dump under that id with the name and labels of the call, and sets the header Location. */
enum orr_code orr_call_keep(struct orr_call *call, const struct orr_dump *dump, const char *bytes, size_t length,
                            bool *ret_existed, struct orr_error *err) ORR_NO_DISCARD;
/* Labels in the two forms that the store needs; they borrow from the object and the call's arena. */
enum orr_code orr_labels_of(struct orr_call *call, json_t *object, struct orr_labels *ret_labels,
                            struct orr_error *err) ORR_NO_DISCARD;
/* Reports a body that is not JSON (what: "", which keeps the parser's message) or not what the route accepts. advice:
 * what to send. */
enum orr_code orr_bad_body(struct orr_call *call, const char *what, const char *advice,
                           struct orr_error *err) ORR_NO_DISCARD;
/* Whether a member of an object is a valid label: a text that is not too long, with a name. */
bool orr_label_is_valid(const char *name, const json_t *value);
/* The stored topology with that id as JSON. */
enum orr_code orr_call_record(struct orr_call *call, struct orr_json *json, json_t **ret_object,
                              struct orr_error *err) ORR_NO_DISCARD;
/* A topology as JSON. A dump that can no longer be read is still listed, without a machine. Fails if memory or the
 * store fails, because an incomplete answer would have another ETag. */
enum orr_code orr_record_json(struct orr_call *call, struct orr_json *json, const struct orr_record *record,
                              json_t **ret_object, struct orr_error *err) ORR_NO_DISCARD;
/* cluster_work.c: reads a stored cluster with its dumps, by the rules of the release `reading` if they matter, and
 * analyses it. */
enum orr_code orr_cluster_work(struct orr_call *call, const struct orr_query *query, const struct orr_release *reading,
                               struct orr_work *work, struct orr_error *err) ORR_NO_DISCARD;
void orr_cluster_work_free(struct orr_cluster_work *cluster);
size_t orr_cluster_work_bytes(const struct orr_cluster_work *cluster);
/* The time now in milliseconds, unique within this process. */
int64_t orr_time_of_arrival(struct orr_app *app);

/* Reports an invalid cursor; returns the code. */
enum orr_code orr_bad_cursor(struct orr_call *call, const char *cursor, struct orr_error *err);

/* Checks If-Match and If-None-Match before a change. answer: what a GET of the resource would return now. INVALID if
 * they are not met. */
enum orr_code orr_call_conditions(struct orr_call *call, const struct orr_answer *answer,
                                  struct orr_error *err) ORR_NO_DISCARD;
/* route_table.c: the routes of the service, for orr_app_new(). */
const struct orr_route *orr_route_table(unsigned *ret_count);
/* handle_topologies.c */
orr_handler orr_handle_upload, orr_handle_list, orr_handle_topology, orr_handle_patch, orr_handle_delete,
    orr_handle_source;
/* handle_events.c: reads the parameter `since`; SETTING if it is not a number. */
enum orr_code orr_read_since(struct orr_call *call, const char *text, int64_t *ret_since,
                             struct orr_error *err) ORR_NO_DISCARD;
/* handle_labels.c */
orr_handler orr_handle_relabel;
/* handle_clusters.c */
orr_handler orr_handle_cluster_put, orr_handle_cluster_list, orr_handle_cluster, orr_handle_cluster_delete,
    orr_handle_cluster_findings, orr_handle_cluster_verdict, orr_handle_groups;
/* handle_order.c */
orr_handler orr_handle_order;
/* handle_facts.c */
orr_handler orr_handle_topology_facts, orr_handle_cluster_facts, orr_handle_fleet_facts;
/* host_labels.c: the stored topologies of a cluster, read together, by id. */
struct orr_cluster_topologies {
    struct orr_call *call;
    struct orr_record *items;
    uint32_t count;
};
/* The cluster whose id is the call's, and what its description says. */
enum orr_code orr_cluster_topologies_read(struct orr_call *call, const struct orr_cluster_file *file,
                                          struct orr_cluster_topologies *ret_topologies,
                                          struct orr_error *err) ORR_NO_DISCARD;
void orr_cluster_topologies_release(struct orr_cluster_topologies *topologies);
/* NULL if it is not stored. */
const struct orr_record *orr_cluster_topology(const struct orr_cluster_topologies *topologies, const char *id);
/* A label of one (`host`, `switch`, `domain`), in the memory of the call; context: the topologies. */
orr_topology_gives orr_label_of_topology;
/* The value of a label from JSON text of the store, in the memory of the call; NULL if there is no such label. */
const char *orr_label_text(struct orr_call *call, const char *labels, const char *name);
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
orr_handler orr_handle_events, orr_handle_fleet;
orr_handler orr_handle_predict, orr_handle_scaling, orr_handle_settings_for;
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
/* A cursor names the last entry of a page: time in hex, "-", id. */
enum { ORR_CURSOR_SIZE = 64 };
void orr_write_cursor(char cursor[ORR_CURSOR_SIZE], int64_t at, const char *id);
/* Reads a cursor. NULL means the first page, with *ret_before 0. */
enum orr_code orr_read_cursor(struct orr_call *call, int64_t *ret_before, const char **ret_before_id,
                              struct orr_error *err) ORR_NO_DISCARD;

#endif
