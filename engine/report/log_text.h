/* SPDX-License-Identifier: Apache-2.0 */
/* What `orrery check-log` prints: what the log says of the job (triage), how the machine agrees with the prediction,
 * and what was read. */
#ifndef ORR_REPORT_LOG_TEXT_H
#define ORR_REPORT_LOG_TEXT_H

#include "engine/report/page.h"
#include "engine/triage/triage.h"

/* beside: a machine in the same text; NULL: none. why: a phrase why the machine was not compared, if check is NULL.
 * verbose: also the counts of facts by topic, and how much of the log was understood. */
void orr_report_log(struct orr_page *page, const struct orr_log *log, const struct orr_triage *triage,
                    const struct orr_log_check *check, const struct orr_dump *beside, const char *why, bool verbose);
/* The triage alone. */
void orr_report_triage(struct orr_page *page, const struct orr_log *log, const struct orr_triage *triage);

#endif
