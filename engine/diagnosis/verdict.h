/* SPDX-License-Identifier: Apache-2.0 */
/* inside diagnosis/: the headline. */
#ifndef ORR_DIAGNOSIS_VERDICT_H
#define ORR_DIAGNOSIS_VERDICT_H

#include "engine/diagnosis/cluster_faults.h"
#include "engine/diagnosis/diagnosis.h"

struct orr_machine;
struct orr_patient;
struct orr_search_memo;

/* Fills depends and rests_on: tries the values of figures that the input does not show. (depends.c) */
enum orr_code orr_diagnosis_depend(struct orr_diagnosis *diagnosis, const struct orr_patient *patient,
                                   struct orr_search_memo *memo, struct orr_error *err) ORR_NO_DISCARD;
/* Sets state, sentence, advice and cause from the rows. machine: what the dump was recognised as. */
enum orr_code orr_verdict_write(struct orr_diagnosis *diagnosis, const struct orr_analysis *analysis,
                                const struct orr_machine *machine, struct orr_arena *arena,
                                struct orr_error *err) ORR_NO_DISCARD;

/* "a GPU has no NVLinks": a title within a sentence. */
void orr_verdict_clause(const struct orr_finding *finding, struct orr_text *text);
/* verdict_cluster.c: sets assumed and the sentence. */
enum orr_code orr_verdict_of_cluster(const struct orr_cluster *cluster, struct orr_arena *arena,
                                     struct orr_cluster_faults *faults, struct orr_error *err) ORR_NO_DISCARD;
/* verdict_costs.c: what the machine loses by the row that is the cause, and what each repair adds. */
void orr_verdict_costs(const struct orr_diagnosis *diagnosis, uint32_t cause, struct orr_text *text);

#endif
