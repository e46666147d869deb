/* SPDX-License-Identifier: Apache-2.0 */
/* Inside findings/: the NICs next to the GPUs of a job, on each kind of host. */
#ifndef ORR_FINDINGS_RAILS_H
#define ORR_FINDINGS_RAILS_H

#include "engine/cluster/cluster.h"

/* The rank of the GPU that a NIC is near: its role. -1 if it is near none. */
int32_t orr_nic_role(const struct orr_part *part, uint32_t net);
/* Whether the GPUs of the job are next to equally many but different NICs on this kind of host than on the first. The
 * order of the NICs does not matter. */
bool orr_on_other_rails(const struct orr_cluster *cluster, uint32_t kind);

#endif
