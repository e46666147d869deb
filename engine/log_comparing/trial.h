/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/log_comparing: compares one prediction, matches the log with the dump, and tries causes. */
#ifndef ORR_LOG_TRIAL_H
#define ORR_LOG_TRIAL_H

#include "engine/log_comparing/log_facts.h"

/* Compares a prediction with the log; facts live in `arena`. */
enum orr_code orr_log_compare_facts(const struct orr_log_check *check, const struct orr_analysis *analysis,
                                    struct orr_arena *arena, struct orr_log_facts *ret_facts,
                                    struct orr_error *err) ORR_NO_DISCARD;
/* Predicts for a dump and compares. *ret_analysis is the caller's: orr_analysis_again_free(). */
enum orr_code orr_log_try(const struct orr_log_check *check, const struct orr_dump *dump, const struct orr_query *query,
                          struct orr_arena *arena, struct orr_log_facts *ret_facts, struct orr_analysis **ret_analysis,
                          struct orr_error *err) ORR_NO_DISCARD;
/* The number of facts that differ in the topics from first to last. */
uint32_t orr_log_differences(const struct orr_log_facts *facts, enum orr_log_topic first, enum orr_log_topic last);

/* query.c: fills check->query, and the list of the log's settings that it ignores. */
enum orr_code orr_log_make_query(struct orr_log_check *check, const struct orr_dump *dump,
                                 const struct orr_log_question *question, const struct orr_release *release,
                                 struct orr_error *err) ORR_NO_DISCARD;

/* match.c: sets check->dump to the machine that the job used (NULL means the unchanged dump), and the number of hosts.
 * Assumptions are in check->assumed. */
enum orr_code orr_log_match_hosts(struct orr_log_check *check, const struct orr_dump *dump,
                                  const struct orr_log_question *question, const struct orr_release *release,
                                  struct orr_error *err) ORR_NO_DISCARD;
void orr_log_assume(struct orr_log_check *check, const char *format, ...) ORR_PRINTF(2, 3);

/* domains.c. Whether NCCL says that a communicator uses an NVLink domain of several hosts: its nodes are cliques then.
 */
bool orr_log_uses_domain(const struct orr_log *log, uint32_t communicator);
/* Fills check->fabrics if the log shows that hosts of `local` ranks share a domain. */
enum orr_code orr_log_match_domains(struct orr_log_check *check, uint32_t local, struct orr_error *err) ORR_NO_DISCARD;
/* Analyses the dump as each of the log's hosts. *ret_analysis: orr_analysis_again_free(). */
enum orr_code orr_log_predict(const struct orr_log_check *check, const struct orr_dump *dump,
                              const struct orr_query *query, struct orr_analysis **ret_analysis,
                              struct orr_error *err) ORR_NO_DISCARD;

/* match_ranks.c: the number of ranks in the communicator: from a line that says it, or else one more than the highest
 * rank of rings and trees. If there are none, connections show some of the ranks, and *ret_least is set. -1 if unknown.
 */
int32_t orr_log_rank_count(const struct orr_log_check *check, bool *ret_least);
/* One rank of the log's first host. */
struct orr_log_local_rank {
    uint64_t bus_id; /* 0 if unknown */
    int32_t number;  /* number of the GPU: nvmlDev, or else cudaDev; -1 if unknown */
};
/* The number of ranks on the first host, 0 if no line says it. Writes at most `most` ranks of the host, or of all hosts
 * if the number is unknown; the first *ret_with_bus_id of them have a bus id. */
uint32_t orr_log_local_ranks(const struct orr_log_check *check, int32_t ranks, struct orr_log_local_rank *ret_ranks,
                             uint32_t most, uint32_t *ret_with_bus_id);

/* placement.c: fills check->place_of and rank_at if the log's ranks are not placed host by host. */
enum orr_code orr_log_place_ranks(struct orr_log_check *check, struct orr_error *err) ORR_NO_DISCARD;

/* match_nics.c: the log's numbers for the dump's NICs. */
struct orr_log_nics {
    int32_t *devs; /* [element]: number of a NIC, -1 if the job does not use it; NULL for the dump's numbers */
};
enum orr_code orr_log_match_nics(struct orr_log_check *check, const struct orr_dump *dump, bool made_up,
                                 struct orr_log_nics *ret_nics, struct orr_error *err) ORR_NO_DISCARD;
/* The same from the differences: the log's NICs are the predicted ones under other numbers. */
enum orr_code orr_log_renumber_nics(const struct orr_log_check *check, const struct orr_dump *dump,
                                    struct orr_arena *arena, struct orr_log_nics *ret_nics,
                                    struct orr_error *err) ORR_NO_DISCARD;

/* Whether the log's connections show that the job's NICs can reduce in the network although the dump does not say so:
 * only a dump of a job with CollNet does. */
bool orr_log_adds_collnet(struct orr_log_check *check, const struct orr_dump *dump);
/* Finds the NICs, by number, that the prediction uses with GPUDirect RDMA and the log shows without. Returns how
 * many. */
uint32_t orr_log_nics_without_gdr(const struct orr_log_check *check, bool nics[ORR_LOG_NICS]);

/* causes.c: fills check->causes. dump: the dump of the prediction. */
enum orr_code orr_log_find_causes(struct orr_log_check *check, const struct orr_dump *dump,
                                  struct orr_error *err) ORR_NO_DISCARD;

enum orr_code orr_log_keep_cause(struct orr_log_check *check, const struct orr_log_cause *cause,
                                 struct orr_error *err) ORR_NO_DISCARD;

/* causes_shown.c. */
/* Causes that lines of the log show without any prediction; they come before all others. */
enum orr_code orr_log_shown_causes(struct orr_log_check *check, struct orr_error *err) ORR_NO_DISCARD;
/* Causes that the log shows and no prediction can try; they come after all others. */
enum orr_code orr_log_untested_causes(struct orr_log_check *check, struct orr_error *err) ORR_NO_DISCARD;

#endif
