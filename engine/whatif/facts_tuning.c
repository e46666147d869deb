/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of the tuning model and its choices. A combination that is unavailable, or that the release does not have, is
 * not a fact, because its figures have no effect. */
#include "engine/whatif/facts.h"

enum { SMALLEST = 3, LARGEST = 33 }; /* 8 bytes to 8 GiB, doubling, like typical runs of nccl-tests */

void orr_facts_of_tuning(const struct orr_analysis *analysis, struct orr_fact_list *list)
{
    const struct orr_tuning *t = &analysis->tuning;
    for (unsigned a = 0; a < t->algorithm_count; a++)
        for (unsigned p = 0; p < ORR_PROTOCOL_COUNT; p++) {
            for (unsigned f = 0; f < ORR_FUNCTION_COUNT; f++) {
                if (t->bandwidth[f][a][p] <= 0)
                    continue;
                orr_fact_add(list, ORR_FACT_BANDWIDTH, f, a, p, orr_fact_of_float(t->bandwidth[f][a][p]));
                orr_fact_add(list, ORR_FACT_LATENCY, f, a, p, orr_fact_of_float(t->latency[f][a][p]));
            }
            if (t->has_thresholds)
                orr_fact_add(list, ORR_FACT_THRESHOLD, 0, a, p, t->thread_threshold[a][p]);
        }
    for (unsigned f = 0; f < ORR_FUNCTION_COUNT; f++)
        for (unsigned size = SMALLEST; size <= LARGEST; size++) {
            struct orr_choice choice;
            if (orr_tuning_choose(t, &analysis->communicator, &analysis->query.settings, (enum orr_function)f,
                                  (uint64_t)1 << size, &choice))
                orr_fact_add(list, ORR_FACT_CHOICE, f, size, 0,
                             (int64_t)choice.algorithm * ORR_PROTOCOL_COUNT + choice.protocol);
        }
}
