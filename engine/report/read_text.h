/* SPDX-License-Identifier: Apache-2.0 */
/* The line of a report that says what was found in the input: "Read: 120 lines of NCCL's log; 2 settings (...)". */
#ifndef ORR_REPORT_READ_TEXT_H
#define ORR_REPORT_READ_TEXT_H

#include "engine/dump/dump.h"
#include "engine/log_reading/log.h"
#include "engine/nccltests/results.h"
#include "engine/report/page.h"

/* dump: a machine in the same text. Each may be NULL. Writes nothing if nothing was found. */
void orr_report_read(struct orr_page *page, const struct orr_dump *dump, const struct orr_log *log,
                     const struct orr_results *results);

#endif
