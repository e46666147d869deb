/* SPDX-License-Identifier: Apache-2.0 */
/* Why NCCL itself would not start with what Orrery analyses all the same. Source: docs/nccl/sequence.md, "What
 * makes an initialisation fail". */
#ifndef ORR_ANALYSIS_FAILING_H
#define ORR_ANALYSIS_FAILING_H

#include "engine/analysis/analysis.h"

struct orr_failure {
    char text[240];    /* what NCCL does and why, without a full stop */
    bool lacks_nets;   /* the input lists no NIC, while a job has a socket at least */
    int32_t host_rank; /* whose system it is, -1 means every rank's */
};

/* False: no rule says that NCCL would fail. */
bool orr_analysis_fails(const struct orr_analysis *analysis, struct orr_failure *ret_failure);

#endif
