/* A log against a prediction, where the machine may be the one that the log itself prints. */
#ifndef ORR_INPUT_COMPARE_LOG_H
#define ORR_INPUT_COMPARE_LOG_H

#include "engine/input/input.h"
#include "engine/log/check.h"

/* Compares a log with a dump; where dump is NULL, with the machine that the log prints, in which assumed fills in what
 * it lacks (NULL: nothing); where the log prints none, with a machine of that type. On success:
 *   *ret_check  the comparison (orr_log_check_free()); NULL: no machine to compare with
 *   *ret_own    the dump made of the log's tree or of the type, which the check reads: orr_dump_free() it after the
 * check; NULL: none *ret_why    why there is no machine, one phrase that lives as long as the log; NULL: there is one
 * Errors are those of orr_input_read() and orr_log_compare(); *ret_check and *ret_own are NULL then. */
enum orr_code orr_input_compare_log(const struct orr_log *log, const struct orr_dump *dump,
                                    const struct orr_machine_type *assumed, const struct orr_log_question *question,
                                    struct orr_log_check **ret_check, struct orr_dump **ret_own, const char **ret_why,
                                    struct orr_error *err) ORR_NO_DISCARD;

#endif
