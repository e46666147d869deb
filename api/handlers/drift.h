/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between two dumps of hosts that should be alike, and what it costs, as short JSON. */
#ifndef ORR_API_DRIFT_H
#define ORR_API_DRIFT_H

#include "api/documents/json.h"
#include "api/questions/questions.h"
#include "engine/compare/compare.h"

enum { ORR_DRIFT_HOSTS = 2 }; /* of the job whose bandwidth is the cost */

/* The question that the two analyses must be the answers to. */
void orr_drift_query(struct orr_query *query);
/* {changes, left_out, renumbered, cost}. comparison NULL: it could not be made, and changes and cost are null.
 * over_time: it is one host, earlier and later. */
json_t *orr_drift_json(struct orr_json *json, const struct orr_comparison *comparison, bool over_time);
/* The verdict on the second machine beside the first. comparison NULL: unknown. */
enum orr_fleet_verdict orr_drift_verdict(const struct orr_comparison *comparison);

#endif
