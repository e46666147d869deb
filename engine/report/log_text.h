/* SPDX-License-Identifier: Apache-2.0 */
/* The output of `orrery check-log`: triage of the job, agreement with the prediction, and the input that was read. */
#ifndef ORR_REPORT_LOG_TEXT_H
#define ORR_REPORT_LOG_TEXT_H

#include "engine/report/page.h"
#include "engine/triage/triage.h"

/* beside: a machine in the same text, or NULL. why: if check is NULL, the reason why there was no comparison, as a
 * phrase. verbose: also write the number of facts by topic, and how much of the log was understood. */
void orr_report_log(struct orr_page *page, const struct orr_log *log, const struct orr_triage *triage,
                    const struct orr_log_check *check, const struct orr_dump *beside, const char *why, bool verbose);
/* Writes only the triage. */
void orr_report_triage(struct orr_page *page, const struct orr_log *log, const struct orr_triage *triage);

#endif
