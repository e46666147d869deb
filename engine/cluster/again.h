/* SPDX-License-Identifier: Apache-2.0 */
/* Repeats an analysis with other settings or another release: of one machine, or of the whole cluster that the analysis
 * belongs to. So comparisons and explanations need no separate code for the two. */
#ifndef ORR_CLUSTER_AGAIN_H
#define ORR_CLUSTER_AGAIN_H

#include "engine/analysis/analysis.h"
#include "engine/base/text.h"

/* Analyses query->hosts equal hosts. orr_analyze() assumes that only the network joins them; here NVLink joins
 * query->domain hosts at a time, and the answer is that of a cluster. Free it with orr_analysis_again_free(). */
enum orr_code orr_analyze_hosts(const struct orr_dump *dump, const struct orr_query *query,
                                struct orr_stage_times *times, struct orr_analysis **ret_answer,
                                struct orr_error *err) ORR_NO_DISCARD;

/* Whether NVLink is assumed to join the hosts of an analysis, because racks join hosts of this kind; and how: "NVLink
 * joins the hosts (72 GPUs in 1 domain)". */
bool orr_joins_by_kind(const struct orr_analysis *analysis);
void orr_joined_clause(const struct orr_cluster *cluster, struct orr_text *text);

/* query is that of the analysis with other settings, or with fewer hosts of a cluster. The inputs of the analysis must
 * live as long as the answer, which the caller frees with orr_analysis_again_free(). Fails as orr_analyze() and
 * orr_cluster_analyze() do. */
enum orr_code orr_analyze_again(const struct orr_analysis *analysis, const struct orr_query *query,
                                struct orr_analysis **ret_answer, struct orr_error *err) ORR_NO_DISCARD;
/* The same for a cluster in which every host is the machine `dump`; NULL means the hosts as they are. */
enum orr_code orr_cluster_analyze_again(const struct orr_cluster *cluster, const struct orr_dump *dump,
                                        const struct orr_query *query, struct orr_analysis **ret_answer,
                                        struct orr_error *err) ORR_NO_DISCARD;
void orr_analysis_again_free(struct orr_analysis *answer);
static inline void orr_analysis_again_end(struct orr_analysis **answer)
{
    orr_analysis_again_free(*answer);
}
/* Declares a pointer to such an answer, NULL at first, which is freed where its scope ends. */
#define ORR_LOCAL_AGAIN(name) __attribute__((cleanup(orr_analysis_again_end))) struct orr_analysis *name = NULL
/* Bytes of an analysis, with those of its whole cluster. */
size_t orr_analysis_bytes(const struct orr_analysis *analysis);

/* Number of search steps of an analysis; in a cluster, of all kinds of hosts. */
uint64_t orr_analysis_steps(const struct orr_analysis *analysis);
/* Number of machines that another analysis would search. */
uint32_t orr_analysis_searches(const struct orr_analysis *analysis);

/* The check for `strict`: REFUSED if NCCL would not start, on any kind of host of a cluster
 * (engine/analysis/failing.h). */
enum orr_code orr_analysis_check_strict(const struct orr_analysis *analysis, struct orr_error *err) ORR_NO_DISCARD;

#endif
