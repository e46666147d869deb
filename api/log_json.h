/* A log, what was recovered of it and how a prediction agrees with it, as JSON: shared with the command line. */
#ifndef ORR_API_LOG_JSON_H
#define ORR_API_LOG_JSON_H

#include "api/json.h"
#include "engine/input/input.h"
#include "engine/log/check.h"

/* The whole answer. check NULL: nothing to compare with, and why says why not. */
json_t *orr_log_json(struct orr_json *json, const struct orr_log *log, const struct orr_log_check *check,
                     const char *why);

/* Compares a log with a dump, or with the machine that the log itself prints where dump is NULL. *ret_check NULL where
 * there is none, with *ret_why. assumed fills in what that machine does not tell; NULL: nothing. What it made of the
 * log's tree is kept in *ret_own: free it after the check. */
enum orr_code orr_log_answer(const struct orr_log *log, const struct orr_dump *dump,
                             const struct orr_machine_type *assumed, const struct orr_log_question *question,
                             struct orr_log_check **ret_check, struct orr_dump **ret_own, const char **ret_why,
                             struct orr_error *err) ORR_NO_DISCARD;

#endif
