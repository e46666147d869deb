/* SPDX-License-Identifier: Apache-2.0 */
/* Repeats an analysis with other settings or another release: of one machine, or of the whole cluster that the analysis
 * belongs to. Comparisons and explanations therefore need no code for each of the two. */
#ifndef ORR_CLUSTER_AGAIN_H
#define ORR_CLUSTER_AGAIN_H

#include "engine/analysis/analysis.h"

/* query: that of the analysis with other settings, or with fewer hosts of a cluster. What the analysis was made from
 * must live as long as the answer, which the caller frees with orr_analysis_again_free(). Fails as orr_analyze() and
 * orr_cluster_analyze() do. */
enum orr_code orr_analyze_again(const struct orr_analysis *analysis, const struct orr_query *query,
                                struct orr_analysis **ret_answer, struct orr_error *err) ORR_NO_DISCARD;
/* The same of a cluster, each of whose hosts has another machine: `dump`; NULL: as they are. */
enum orr_code orr_cluster_analyze_again(const struct orr_cluster *cluster, const struct orr_dump *dump,
                                        const struct orr_query *query, struct orr_analysis **ret_answer,
                                        struct orr_error *err) ORR_NO_DISCARD;
void orr_analysis_again_free(struct orr_analysis *answer);

/* Steps that its searches took: of all kinds of hosts, in a cluster. */
uint64_t orr_analysis_steps(const struct orr_analysis *analysis);
/* How many machines are searched to answer once more. */
uint32_t orr_analysis_searches(const struct orr_analysis *analysis);

/* What `strict` asks for: REFUSED where NCCL would not start, on any kind of host of a cluster
 * (engine/analysis/failing.h). */
enum orr_code orr_analysis_check_strict(const struct orr_analysis *analysis, struct orr_error *err) ORR_NO_DISCARD;

#endif
