/* SPDX-License-Identifier: Apache-2.0 */
/* One function per section of the analysis document; analysis_json.c lists them. Each returns a new value, or NULL on
 * failure, which json->failed remembers. */
#ifndef ORR_API_SECTIONS_H
#define ORR_API_SECTIONS_H

#include "api/documents/json.h"
#include "engine/analysis/analysis.h"
#include "engine/diagnosis/diagnosis.h"
#include "engine/explain/explain.h"
#include "engine/log_comparing/check.h"
#include "engine/triage/triage.h"

/* system_json.c */
json_t *orr_built_json(struct orr_json *json, const struct orr_analysis *analysis);
json_t *orr_system_json(struct orr_json *json, const struct orr_analysis *analysis);
json_t *orr_paths_json(struct orr_json *json, const struct orr_analysis *analysis);

/* decisions_json.c */
json_t *orr_p2p_json(struct orr_json *json, const struct orr_analysis *analysis);
json_t *orr_gdr_json(struct orr_json *json, const struct orr_analysis *analysis);
json_t *orr_net_devs_json(struct orr_json *json, const struct orr_analysis *analysis);

/* cluster_json.c: the hosts of a cluster, their kinds, which kind sets each shared value, and the paths of the rings;
 * null if all hosts are equal. */
json_t *orr_cluster_json(struct orr_json *json, const struct orr_analysis *analysis);

/* graphs_json.c */
json_t *orr_graphs_json(struct orr_json *json, const struct orr_analysis *analysis);
json_t *orr_channels_json(struct orr_json *json, const struct orr_analysis *analysis);
json_t *orr_tuning_json(struct orr_json *json, const struct orr_analysis *analysis);

/* device_json.c: the features that kernels may use, and the kernels that run collectives whose buffers are in windows.
 */
json_t *orr_device_json(struct orr_json *json, const struct orr_analysis *analysis);

/* predictions_json.c: the predictions of the tuning model for every message size. */
json_t *orr_predictions_json(struct orr_json *json, const struct orr_analysis *analysis);

/* explain_json.c: the reasons, and the assumptions behind them. */
json_t *orr_explanations_json(struct orr_json *json, const struct orr_analysis *analysis);
json_t *orr_assumptions_json(struct orr_json *json, const struct orr_analysis *analysis);
/* One decision as an object: verdict, rule, text, distance, level, setting. */
json_t *orr_decision_json(struct orr_json *json, const struct orr_decision *decision);

/* summary_json.c: the machine that a dump describes, in a sentence and in counts (needs no analysis); the headline and
 * main figures of an analysis. */
json_t *orr_machine_json(struct orr_json *json, const struct orr_dump *dump);
json_t *orr_summary_json(struct orr_json *json, const struct orr_analysis *analysis,
                         const struct orr_diagnosis *diagnosis);

/* findings_json.c: the findings; analysis NULL means those about the dump alone. Rows, the number of each severity, and
 * findings that Orrery cannot decide from this input. */
json_t *orr_findings_json(struct orr_json *json, const struct orr_dump *dump, const struct orr_analysis *analysis);
json_t *orr_finding_counts_json(struct orr_json *json, const struct orr_dump *dump,
                                const struct orr_analysis *analysis);
json_t *orr_undecided_json(struct orr_json *json);
/* The findings of an analysis, each with its cost, and the headline. */
json_t *orr_diagnosis_json(struct orr_json *json, const struct orr_diagnosis *diagnosis);
/* The values that an assumed figure may have, with what each means for a verdict, whose words name() has. */
json_t *orr_depends_json(struct orr_json *json, const struct orr_depends_list *list, const char *key,
                         const char *(*name)(int verdict));
json_t *orr_verdict_json(struct orr_json *json, const struct orr_diagnosis *diagnosis);
/* The findings about a log and a comparison with it; check is NULL if there is none. */
json_t *orr_triage_json(struct orr_json *json, const struct orr_log *log, const struct orr_triage *triage);
json_t *orr_symptoms_json(struct orr_json *json, const struct orr_symptoms *symptoms);
json_t *orr_log_findings_json(struct orr_json *json, const struct orr_log *log, const struct orr_log_check *check);

/* input_json.c: the recognised format of the input, and what is assumed and missing. */
json_t *orr_input_json(struct orr_json *json, const struct orr_dump *dump);

/* analysis_json.c: one section as a value, for documents that contain several. */
json_t *orr_section_json(struct orr_json *json, const struct orr_analysis *analysis, const char *topology,
                         const char *section);

/* outcomes_json.c: bandwidths of the usual operations; before is NULL for a single machine. */
json_t *orr_outcomes_json(struct orr_json *json, const struct orr_outcomes *before, const struct orr_outcomes *after);

/* diff_json.c: the changes in each section. */
json_t *orr_changes_json(struct orr_json *json, const struct orr_changes *changes);

/* why_json.c: one decision without trying settings; null if the machine has no such decision. */
json_t *orr_decision_of(struct orr_json *json, const struct orr_analysis *analysis, const struct orr_why *why);

/* predict_json.c: assumptions of the reader of the input and about the release, as an array to which callers add. */
json_t *orr_assumed_json(struct orr_json *json, const struct orr_dump *dump, const struct orr_settings *settings,
                         bool release_given);

/* Most rows that compare_json.c and majority_json.c list; further rows are only counted. */
enum { ORR_COMPARE_ROWS = 200 };

/* path_json.c: one path with its hops and the reason for its type. NOT_FOUND, with advice, if a node or the path does
 * not exist. */
enum orr_code orr_path_json(struct orr_json *json, const struct orr_analysis *analysis, const char *from,
                            const char *to, json_t **ret_value, struct orr_error *err) ORR_NO_DISCARD;

/* A cost. repair: the repair with which it was computed, NULL if there is none. */
json_t *orr_cost_json(struct orr_json *json, const struct orr_cost *cost, const char *repair);

#endif
