/* Inside engine/log: one prediction under a question, compared; and the causes that are tried. */
#ifndef ORR_LOG_TRIAL_H
#define ORR_LOG_TRIAL_H

#include "engine/log/facts.h"

/* Predicts for a dump and compares; facts live in `arena`. *ret_analysis is the caller's. */
enum orr_code orr_log_try(const struct orr_log_check *check, const struct orr_dump *dump, const struct orr_query *query,
                          struct orr_arena *arena, struct orr_log_facts *ret_facts, struct orr_analysis **ret_analysis,
                          struct orr_error *err) ORR_NO_DISCARD;
/* How many facts differ of the topics from first to last. */
uint32_t orr_log_differences(const struct orr_log_facts *facts, enum orr_log_topic first, enum orr_log_topic last);

/* match.c: the dump with the log's GPUs and ranks where it has others, in check->dump, and how many hosts there are. */
enum orr_code orr_log_match_hosts(struct orr_log_check *check, const struct orr_dump *dump,
                                  const struct orr_log_question *question, struct orr_error *err) ORR_NO_DISCARD;

/* causes.c: fills check->causes. dump: on which the prediction stands. */
enum orr_code orr_log_find_causes(struct orr_log_check *check, const struct orr_dump *dump,
                                  struct orr_error *err) ORR_NO_DISCARD;

#endif
