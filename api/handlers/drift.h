/* SPDX-License-Identifier: Apache-2.0 */
/* Differences between two hosts that should be alike, and their cost, as short JSON. */
#ifndef ORR_API_DRIFT_H
#define ORR_API_DRIFT_H

#include "api/documents/json.h"
#include "api/questions/questions.h"
#include "engine/compare/compare.h"

enum { ORR_DRIFT_HOSTS = 2 }; /* hosts of the job whose bandwidth gives the cost */

/* Fills in the question that both analyses must have answered. */
void orr_drift_query(struct orr_query *query);
/* {changes, left_out, renumbered, cost}. If comparison is NULL, because it failed, changes and cost are null.
 * over_time: both dumps are of one host, the second later. */
json_t *orr_drift_json(struct orr_json *json, const struct orr_comparison *comparison, bool over_time);
/* The verdict on the second machine compared with the first; comparison is NULL if unknown. */
enum orr_fleet_verdict orr_drift_verdict(const struct orr_comparison *comparison);

#endif
