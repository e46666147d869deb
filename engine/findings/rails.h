/* SPDX-License-Identifier: Apache-2.0 */
/* Inside findings/: the NICs next to the GPUs of a job, on each kind of host. */
#ifndef ORR_FINDINGS_RAILS_H
#define ORR_FINDINGS_RAILS_H

#include "engine/cluster/cluster.h"

/* The role of a NIC: the rank of the GPU that it is near, or -1 if it is near none. */
int32_t orr_nic_role(const struct orr_part *part, uint32_t net);
/* Whether the job's GPUs on this kind of host are next to as many NICs as on the first kind, but to different ones. The
 * order of the NICs does not matter. */
bool orr_on_other_rails(const struct orr_cluster *cluster, uint32_t kind);

#endif
