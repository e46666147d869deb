/* SPDX-License-Identifier: Apache-2.0 */
/* The documents of Orrery for whoever sends or prints them: made by api from values of the engine, written as JSON.
 * A document is opaque here: what people read as text is written from the engine's values instead. */
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

/* A document in the making remembers that a step failed (memory), so that writers may nest without checking each step,
 * and the last call of all asks once. */
struct orr_json {
    bool failed;
};
enum { ORR_MAX_ANSWER = 512u << 20 };

/* Appends the document to text and drops it. NOMEM where a step failed, LIMIT if text has no room. */
enum orr_code orr_json_write(struct orr_json *json, json_t *root, bool pretty, struct orr_text *text,
                             struct orr_error *err) ORR_NO_DISCARD;
/* The value of a text member of an object, as far as it fits; "" if there is none. */
void orr_json_member(const char *bytes, size_t length, const char *name, char *value, size_t size);

/* An analysis as the document of the contract: appended to text; section NULL: all of it, otherwise the value of that
 * key. topology is the name that the document gives to what was analysed. NOT_FOUND for an unknown section. */
enum orr_code orr_analysis_json(const struct orr_analysis *analysis, const char *topology, const char *section,
                                bool pretty, struct orr_text *text, struct orr_error *err) ORR_NO_DISCARD;

/* What changes between two answers about one dump, where, and the rule or setting that changes it. name: of the
 * topology. */
json_t *orr_diff_json(struct orr_json *json, const struct orr_changes *changes, const char *name);
/* One decision explained. name: of the topology, NULL: none. */
json_t *orr_explanation_json(struct orr_json *json, const struct orr_explanation *explanation, const char *name);
/* What nccl-tests should print. name: of the topology. */
json_t *orr_predict_json(struct orr_json *json, const struct orr_expect_table *table, const char *name,
                         bool release_given);
/* Which GPUs a job should take. name: of the topology. release_given: the question names the release. */
json_t *orr_place_json(struct orr_json *json, const struct orr_placing *placing, const char *name, bool release_given);
/* Two dumps compared, as they are called. */
json_t *orr_compare_json(struct orr_json *json, const struct orr_comparison *comparison, const struct orr_called *a,
                         const struct orr_called *b);
/* Other topologies that are like a specimen: ids, some of more, and how many there are with it. */
struct orr_alike {
    const char *const *ids;
    uint32_t id_count, topologies;
};
/* A set of dumps against what most are like. called: of each specimen. alike: of each specimen, NULL: none is
 * like another. changes: of each specimen against the reference, what NCCL decides otherwise; NULL if it was not asked.
 */
json_t *orr_majority_json(struct orr_json *json, const struct orr_majority *majority,
                          const struct orr_set_finding *findings, uint32_t finding_count,
                          const struct orr_called *called, const struct orr_alike *alike,
                          const struct orr_changes *const *changes);
/* The groups of a layout on a cluster. SETTING if the layout cannot be read. */
enum orr_code orr_groups_json(struct orr_json *json, const struct orr_cluster *cluster, const char *layout,
                              json_t **ret_object, struct orr_error *err) ORR_NO_DISCARD;
/* The best order of a cluster's hosts. names: [host]; made_up: how many of them nobody gave. */
json_t *orr_order_json(struct orr_json *json, const struct orr_order_question *question, const struct orr_order *order,
                       const char *const *names, uint32_t made_up);
/* What is wrong with the hosts of a cluster, and what each repair gains. */
json_t *orr_cluster_faults_json(struct orr_json *json, const struct orr_cluster *cluster,
                                const struct orr_cluster_faults *faults);
/* The verdict on a node. */
json_t *orr_gate_json(struct orr_json *json, const struct orr_gate_request *request, const struct orr_gate *gate);
/* Results of nccl-tests judged. */
json_t *orr_perf_json(struct orr_json *json, const struct orr_results *results, const struct orr_perf_check *check);
/* A log: its triage, what was recovered of it and how a prediction agrees with it. check NULL: nothing to compare with,
 * and why says why not. */
json_t *orr_log_json(struct orr_json *json, const struct orr_log *log, const struct orr_log_compared *compared,
                     const struct orr_triage *triage);
/* What was detected, as POST /v1/detect shows it; `xml` is the dump. */
json_t *orr_detection_json(struct orr_json *json, const struct orr_release *release,
                           const struct orr_detection *detection);
/* What distinguishes the releases; only: NULL, or the one. */
json_t *orr_releases_json(struct orr_json *json, const struct orr_release *only);
/* The settings of a release; the machine types; the kinds of input. */
json_t *orr_settings_json(struct orr_json *json, const struct orr_release *release);
json_t *orr_machines_json(struct orr_json *json);
json_t *orr_inputs_json(struct orr_json *json);

/* A document that is made while it is read, by one thread at a time. */
struct orr_stream {
    /* Fills up to size bytes. 0: the end; -1: it cannot go on. */
    ptrdiff_t (*read)(struct orr_stream *stream, char *buffer, size_t size);
    void (*free)(struct orr_stream *stream);
};

/* Rings and trees of any number of ranks: one ring or tree is held at a time. One document {"nccl", "hosts", "ranks",
 * "nodes", "count", "p2p_channels", "p2p_channels_per_peer", "rings", "trees", "nvls": null or {"channels",
 * "tree_channels", "heads", "trees": those of even and of odd channels}}, or lines. Lines are a head with the counts,
 * then a line for each ring, each tree and each tree of NVLS, with how many lines there are and have been; then {"end":
 * true}. analysis: a plan will do. owner: given back with the stream, NULL: the analysis outlives it. NULL: no memory,
 * and the owner is given back. */
struct orr_stream *orr_channels_stream(const struct orr_analysis *analysis, bool lines, struct orr_shared *owner);

/* Ranks times rounds of one answer, whether they are shown or not: 128 ranks of 131072. */
enum { ORR_MAX_P2P_ANSWER = 1 << 24 };
/* What a question about the point-to-point schedule selects. */
struct orr_range {
    uint32_t first, last;
};
struct orr_p2p_window {
    const struct orr_analysis *analysis; /* of the communicator, or of the group */
    struct orr_groups *groups;           /* the one group that is asked about, NULL: the whole communicator */
    struct orr_transfers *transfers;
    struct orr_range ranks, rounds;
};
/* brief: rank 0 alone, unless ranks are asked for. Errors of orr_p2p_stream(). Close it, unless opening failed. */
enum orr_code orr_p2p_window_open(const struct orr_analysis *analysis, const struct orr_cluster *cluster,
                                  const struct orr_params *asked, bool brief, struct orr_p2p_window *ret_window,
                                  struct orr_error *err) ORR_NO_DISCARD;
void orr_p2p_window_close(struct orr_p2p_window *window);
/* The point-to-point schedule of the communicator, or of a group of the cluster (NULL: groups cannot be asked for), as
 * openapi.yaml describes it; one rank's rounds are held. asked: ranks, rounds, layout and group. lines: a line for each
 * rank and each round, instead of one document. The analysis may be a plan. owner: as above, given back on failure too.
 * SETTING if a parameter cannot be read or is missing, LIMIT if it is too much. */
enum orr_code orr_p2p_stream(const struct orr_analysis *analysis, const struct orr_cluster *cluster,
                             const struct orr_params *asked, bool lines, struct orr_shared *owner,
                             struct orr_stream **ret_stream, struct orr_error *err) ORR_NO_DISCARD;

/* settings_json.c: the settings that change what people ask about on a machine. */
struct orr_settings_tried;
json_t *orr_settings_tried_json(struct orr_json *json, const struct orr_settings_tried *tried,
                                const struct orr_analysis *analysis, const char *name);

#endif
