/* SPDX-License-Identifier: Apache-2.0 */
/* The bandwidth of a job as a function of its number of hosts. */
#ifndef ORR_API_SCALING_H
#define ORR_API_SCALING_H

#include "api/documents/json.h"
#include "api/questions/questions.h"
#include "engine/trials/outcomes.h"

/* Bandwidths on 1, 2, 4 ... hosts or on a given list of numbers: for the question, and for another release or
 * settings. */
struct orr_scaling {
    struct orr_outcomes before,
        after; /* both for the same numbers of hosts; after equals before if there is nothing to compare with */
    const struct orr_texts *against; /* borrowed */
};
/* params: those of the analysis, with the numbers of hosts and `against`. SETTING for an invalid `against`; otherwise
 * fails like orr_outcomes_find(). */
enum orr_code orr_scaling_find(const struct orr_analysis *analysis, const struct orr_params *params,
                               struct orr_scaling *ret_scaling, struct orr_error *err) ORR_NO_DISCARD;
/* Appends one sentence for people. */
void orr_scaling_say(const struct orr_scaling *scaling, struct orr_text *text);
json_t *orr_scaling_json(struct orr_json *json, const struct orr_scaling *scaling, const struct orr_analysis *analysis,
                         const char *topology);

#endif
