/* SPDX-License-Identifier: Apache-2.0 */
/* Presents EFA NICs to NCCL like Amazon's network plugin (aws-ofi-nccl). */
#ifndef ORR_NICS_EFA_H
#define ORR_NICS_EFA_H

#include "engine/nics/fuse.h"

/* Whether a <net> belongs to an Elastic Fabric Adapter. */
bool orr_net_is_efa(const struct orr_doc_node *net);

/* Groups EFA NICs: those below one PCIe switch are divided evenly among the GPUs below it. Each group becomes one NIC
 * in the place of its first member, as fast and as wide as its members together. Other members lose their claim. nics:
 * of one host, in order of `dev`; orr_doc_count_gpus() was called for the tree. Returns the number of groups that have
 * more than one member. */
uint32_t orr_nics_group_efa(struct orr_doc *tree, const struct orr_fusable *nics, uint32_t count);

#endif
