/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of one machine, for jobs on one host and on several, and what one machine loses compared with another. */
#ifndef ORR_DIAGNOSIS_MEASURE_H
#define ORR_DIAGNOSIS_MEASURE_H

#include "engine/diagnosis/diagnosis.h"

struct orr_performance {
    bool known; /* false if the analysis failed, or was not made */
    double value[ORR_COST_FIGURE_COUNT];
};

struct orr_measured {
    uint32_t hosts[ORR_MOST_HOST_COUNTS]; /* hosts of the jobs: 1, 2 and the number of the question, ascending */
    uint32_t fused;                       /* as in struct orr_cost */
    uint32_t count;
    struct orr_performance figures[ORR_MOST_HOST_COUNTS];
};

/* Steps of a cluster's searches; a cluster that took more is not analysed again with other hosts. */
enum { ORR_CLUSTER_AGAIN_STEPS = 20 * 1000 * 1000 };

/* The figures of an analysis. */
void orr_measure(const struct orr_analysis *analysis, struct orr_performance *ret_figures);
/* The greatest loss compared with the repaired machine, among the figures that both have. A figure that the repairs
 * make worse is not a loss. hosts is 0 if they have no figure in common. */
struct orr_cost orr_cost_between(const struct orr_measured *now, const struct orr_measured *repaired);
/* The reference of a cost: its figure for its number of hosts on the machine with everything repaired. If that is
 * unknown, or worse than on the machine as it is, the reference is the cost's own value. */
void orr_cost_refer(struct orr_cost *cost, const struct orr_measured *all);
/* Compares the shares that two costs lose, as for qsort(): the greater one comes first. */
int orr_cost_compare(const struct orr_cost *a, const struct orr_cost *b);

#endif
