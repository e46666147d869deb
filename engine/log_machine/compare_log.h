/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a log with a prediction. The machine may be one that the log itself prints or implies. */
#ifndef ORR_LOG_MACHINE_COMPARE_LOG_H
#define ORR_LOG_MACHINE_COMPARE_LOG_H

#include "engine/input/input.h"
#include "engine/log_comparing/check.h"
#include "engine/log_machine/log_machine.h"

struct orr_log_compared {
    struct orr_log_check *check; /* NULL if there is no machine to compare with */
    struct orr_dump *own;        /* the machine of the check if it was made here; otherwise NULL */
    const char *why; /* why there is no machine, one phrase that lives as long as the log; NULL if there is one */
    struct orr_log_machine machine; /* clues in the log's lines; filled in if nobody gave a machine and the log does not
                                     * print it */
};

/* Compares a log with a dump. If dump is NULL, it uses the machine that the log prints, and the type `assumed` (may be
 * NULL) for missing values. If the log prints none, it makes a machine of the type `assumed` or, without that, of the
 * type that the log's lines imply. nics: see orr_input_options.assumed_nics. Errors are those of orr_input_read() and
 * orr_log_compare(); then there is nothing to release. */
enum orr_code orr_input_compare_log(const struct orr_log *log, const struct orr_dump *dump,
                                    const struct orr_machine_type *assumed, unsigned nics,
                                    const struct orr_log_question *question, struct orr_log_compared *ret_compared,
                                    struct orr_error *err) ORR_NO_DISCARD;
void orr_log_compared_release(struct orr_log_compared *compared);

#endif
