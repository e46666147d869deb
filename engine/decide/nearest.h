/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest device: the CPU of a GPU, the NIC of a GPU for a channel, the GPU of a NIC.
 * "Nearest" is the highest path bandwidth, then the lowest path type: bandwidth beats distance. */
#ifndef ORR_DECIDE_NEAREST_H
#define ORR_DECIDE_NEAREST_H

#include "engine/paths/paths.h"

/* The CPU of a GPU (node indices): the fewest hops (2.30.7: the fastest, then nearest by type, then by hops), the first
 * of equals. ORR_NO_NODE if it has a path to no CPU. */
uint32_t orr_find_local_cpu(const struct orr_paths *paths, uint32_t gpu);
/* The same, from paths->local_cpu if that is known. INVALID if the GPU has a path to no CPU. */
enum orr_code orr_local_cpu(const struct orr_paths *paths, uint32_t gpu, uint32_t *ret_cpu,
                            struct orr_error *err) ORR_NO_DISCARD;

/* All nodes of a type that are nearest to `from`, in index order; ret_nodes has room for all of the type. Returns how
 * many. If none is connected, all are. */
uint32_t orr_locals(const struct orr_paths *paths, uint32_t from, enum orr_node_type type, uint32_t *ret_nodes);

/* The NIC that a GPU prefers for a channel; ORR_NO_NODE without NETs. scratch has room for 2 * (NETs + GPUs) nodes. */
uint32_t orr_local_net(const struct orr_paths *paths, uint32_t gpu, int32_t channel, uint32_t *scratch);

/* The GPU that PXN uses for a NET: among the GPUs nearest to it, the one that prefers it for the lowest channel.
 * *ret_gpu ORR_NO_NODE if there is none. scratch has room for 2 * (NETs + GPUs) nodes. INVALID if the release assigns
 * NICs to GPUs in turn and these GPUs do not all have the same nearest NICs. */
enum orr_code orr_local_gpu(const struct orr_paths *paths, uint32_t net, uint32_t *scratch, uint32_t *ret_gpu,
                            struct orr_error *err) ORR_NO_DISCARD;

#endif
