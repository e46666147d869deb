/* SPDX-License-Identifier: Apache-2.0 */
/* The output of `orrery check-perf`: the verdict on each table of results, its explanations, and its rows. verbose:
 * also the form in which the results were read. */
#ifndef ORR_REPORT_PERF_TEXT_H
#define ORR_REPORT_PERF_TEXT_H

#include "engine/perf/perf.h"
#include "engine/report/page.h"

void orr_report_perf(struct orr_page *page, const struct orr_results *results, const struct orr_perf_check *check,
                     const struct orr_dump *beside, bool verbose);

#endif
