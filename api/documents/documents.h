/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON documents of Orrery, made from values of the engine. They are opaque to callers, who send or print them;
 * text for people is written from the values of the engine instead. */
#ifndef ORR_API_DOCUMENTS_H
#define ORR_API_DOCUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/text.h"

struct orr_analysis;
struct orr_arena;
struct orr_called;
struct orr_changes;
struct orr_cluster;
struct orr_cluster_faults;
struct orr_comparison;
struct orr_detection;
struct orr_dump;
struct orr_expect_table;
struct orr_gate;
struct orr_gate_request;
struct orr_explanation;
struct orr_groups;
struct orr_log;
struct orr_log_compared;
struct orr_log_question;
struct orr_triage;
struct orr_machine_type;
struct orr_majority;
struct orr_order;
struct orr_order_question;
struct orr_params; /* api/questions/questions.h */
struct orr_perf_check;
struct orr_placing;
struct orr_release;
struct orr_results;
struct orr_set_finding;
struct orr_transfers;
struct orr_shared; /* engine/base/shared.h */

typedef struct json_t json_t;

/* A document under construction. It remembers that a step ran out of memory, so that writers can nest calls without
 * checking each; the last call, orr_json_write(), checks once. */
struct orr_json {
    bool failed;
};
enum { ORR_MAX_ANSWER = 512u << 20 };

/* Appends the document to text and frees it. NOMEM if a step failed, LIMIT if the text has no room. */
enum orr_code orr_json_write(struct orr_json *json, json_t *root, bool pretty, struct orr_text *text,
                             struct orr_error *err) ORR_NO_DISCARD;
/* Copies a text member of an object, cut to the buffer; "" if there is none. */
void orr_json_member(const char *bytes, size_t length, const char *name, char *value, size_t size);

/* Appends the analysis document to text; section: only the value of that key, NULL means all of it. topology: the name
 * of the machine in the document. NOT_FOUND for an unknown section. */
enum orr_code orr_analysis_json(const struct orr_analysis *analysis, const char *topology, const char *section,
                                bool pretty, struct orr_text *text, struct orr_error *err) ORR_NO_DISCARD;

/* What changes between two analyses of one dump, where, and the rule or setting that causes it. name: of the topology.
 */
json_t *orr_diff_json(struct orr_json *json, const struct orr_changes *changes, const char *name);
/* The explanation of one decision. name: of the topology; may be NULL. */
json_t *orr_explanation_json(struct orr_json *json, const struct orr_explanation *explanation, const char *name);
/* The table that nccl-tests should print. name: of the topology. */
json_t *orr_predict_json(struct orr_json *json, const struct orr_expect_table *table, const char *name,
                         bool release_given);
/* The GPUs that a job should use. name: of the topology. release_given: the question names the release. */
json_t *orr_place_json(struct orr_json *json, const struct orr_placing *placing, const char *name, bool release_given);
/* The comparison of two dumps, with their names. */
json_t *orr_compare_json(struct orr_json *json, const struct orr_comparison *comparison, const struct orr_called *a,
                         const struct orr_called *b);
/* Topologies of the same shape as a specimen: some of their ids, and their number including the specimen. */
struct orr_alike {
    const char *const *ids;
    uint32_t id_count, topologies;
};
/* A set of dumps compared with its majority. The arrays have an entry for each specimen: called, its names; alike,
 * topologies of its shape (NULL means every shape occurs once); changes, what NCCL decides differently than for the
 * reference (NULL if not computed). */
json_t *orr_majority_json(struct orr_json *json, const struct orr_majority *majority,
                          const struct orr_set_finding *findings, uint32_t finding_count,
                          const struct orr_called *called, const struct orr_alike *alike,
                          const struct orr_changes *const *changes);
/* The groups of a layout on a cluster. SETTING if the layout cannot be read. */
enum orr_code orr_groups_json(struct orr_json *json, const struct orr_cluster *cluster, const char *layout,
                              json_t **ret_object, struct orr_error *err) ORR_NO_DISCARD;
/* The best order of a cluster's hosts. names: [host]; made_up: how many of these names Orrery made up. */
json_t *orr_order_json(struct orr_json *json, const struct orr_order_question *question, const struct orr_order *order,
                       const char *const *names, uint32_t made_up);
/* The faults of the hosts of a cluster, and what each repair gains. */
json_t *orr_cluster_faults_json(struct orr_json *json, const struct orr_cluster *cluster,
                                const struct orr_cluster_faults *faults);
/* The verdict on a node. */
json_t *orr_gate_json(struct orr_json *json, const struct orr_gate_request *request, const struct orr_gate *gate);
/* The verdict on results of nccl-tests. */
json_t *orr_perf_json(struct orr_json *json, const struct orr_results *results, const struct orr_perf_check *check);
/* A log: its triage, its content, and how a prediction agrees with it. check NULL if there was no machine to compare
 * with, and why gives the reason. */
json_t *orr_log_json(struct orr_json *json, const struct orr_log *log, const struct orr_log_compared *compared,
                     const struct orr_triage *triage);
/* The answer of POST /v1/detect; `xml` is the dump. */
json_t *orr_detection_json(struct orr_json *json, const struct orr_release *release,
                           const struct orr_detection *detection);
/* The differences between releases; only: one release, NULL means all. */
json_t *orr_releases_json(struct orr_json *json, const struct orr_release *only);
/* The settings of a release; the machine types; the kinds of input. */
json_t *orr_settings_json(struct orr_json *json, const struct orr_release *release);
json_t *orr_machines_json(struct orr_json *json);
json_t *orr_inputs_json(struct orr_json *json);

/* A document that is generated while it is read, by one thread at a time. */
struct orr_stream {
    /* Writes up to size bytes and returns their number; 0 at the end; -1 on failure. */
    ptrdiff_t (*read)(struct orr_stream *stream, char *buffer, size_t size);
    void (*free)(struct orr_stream *stream);
};

/* Rings and trees of any number of ranks; only one ring or tree is in memory at a time. One document {"nccl", "hosts",
 * "ranks", "nodes", "count", "p2p_channels", "p2p_channels_per_peer", "rings", "trees", "nvls": null or {"channels",
 * "tree_channels", "heads", "trees": those of even and of odd channels}}, or lines. Lines are a head with the counts,
 * then a line for each ring, each tree and each tree of NVLS, with how many lines there are and have been; then
 * {"end": true}. analysis: a plan suffices. owner: released with the stream; NULL means the analysis outlives it.
 * Returns NULL, with the owner released, if memory ran out. */
struct orr_stream *orr_channels_stream(const struct orr_analysis *analysis, bool lines, struct orr_shared *owner);

/* Most ranks times rounds of one answer, printed or not: 128 ranks of 131072. */
enum { ORR_MAX_P2P_ANSWER = 1 << 24 };
/* What a question about the point-to-point schedule selects. */
struct orr_range {
    uint32_t first, last;
};
struct orr_p2p_window {
    const struct orr_analysis *analysis; /* of the communicator, or of the group */
    struct orr_groups *groups;           /* the requested group; NULL means the whole communicator */
    struct orr_transfers *transfers;
    struct orr_range ranks, rounds;
};
/* brief: only rank 0, unless the question names ranks. Fails like orr_p2p_stream(). The caller closes the window,
 * unless this failed. */
enum orr_code orr_p2p_window_open(const struct orr_analysis *analysis, const struct orr_cluster *cluster,
                                  const struct orr_params *asked, bool brief, struct orr_p2p_window *ret_window,
                                  struct orr_error *err) ORR_NO_DISCARD;
void orr_p2p_window_close(struct orr_p2p_window *window);
/* The point-to-point schedule of the communicator, or of a group of the cluster (NULL if there are no groups), as
 * openapi.yaml describes it; only the rounds of one rank are in memory. asked: ranks, rounds, layout and group. lines:
 * one line for each rank and each round, instead of one document. analysis: a plan suffices. owner: as above, also
 * released on failure. SETTING if a parameter is wrong or missing, LIMIT if the answer is too large. */
enum orr_code orr_p2p_stream(const struct orr_analysis *analysis, const struct orr_cluster *cluster,
                             const struct orr_params *asked, bool lines, struct orr_shared *owner,
                             struct orr_stream **ret_stream, struct orr_error *err) ORR_NO_DISCARD;

/* settings_json.c: the settings that change the bandwidths of a machine. */
struct orr_settings_tried;
json_t *orr_settings_tried_json(struct orr_json *json, const struct orr_settings_tried *tried,
                                const struct orr_analysis *analysis, const char *name);

#endif
