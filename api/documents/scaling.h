/* SPDX-License-Identifier: Apache-2.0 */
/* How the bandwidth of a job changes with its number of hosts. */
#ifndef ORR_API_SCALING_H
#define ORR_API_SCALING_H

#include "api/documents/json.h"
#include "api/questions/questions.h"
#include "engine/trials/outcomes.h"

/* The bandwidths on 1, 2, 4 ... hosts or those of a list: as asked, and against another release or settings. */
struct orr_scaling {
    struct orr_outcomes before,
        after;                       /* the same numbers of hosts; after: before if there is nothing to compare with */
    const struct orr_texts *against; /* borrowed */
};
/* params: of the analysis, with the numbers of hosts and what to compare with. SETTING for an `against` that cannot be;
 * else as orr_outcomes_find(). */
enum orr_code orr_scaling_find(const struct orr_analysis *analysis, const struct orr_params *params,
                               struct orr_scaling *ret_scaling, struct orr_error *err) ORR_NO_DISCARD;
/* One sentence. */
void orr_scaling_say(const struct orr_scaling *scaling, struct orr_text *text);
json_t *orr_scaling_json(struct orr_json *json, const struct orr_scaling *scaling, const struct orr_analysis *analysis,
                         const char *topology);

#endif
