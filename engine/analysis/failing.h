/* SPDX-License-Identifier: Apache-2.0 */
/* Finds reasons why NCCL itself would not start on a machine that Orrery still analyses. Source: docs/nccl/sequence.md,
 * "What makes an initialisation fail". */
#ifndef ORR_ANALYSIS_FAILING_H
#define ORR_ANALYSIS_FAILING_H

#include "engine/analysis/analysis.h"

struct orr_failure {
    char text[240];    /* what NCCL does and why, without a full stop */
    bool lacks_nets;   /* the input lists no NIC, although a job has at least a socket */
    int32_t host_rank; /* rank whose system it is; -1 means every rank's */
};

/* False if no rule says that NCCL would fail. */
bool orr_analysis_fails(const struct orr_analysis *analysis, struct orr_failure *ret_failure);

#endif
