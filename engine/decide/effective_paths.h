/* SPDX-License-Identifier: Apache-2.0 */
/* Effective paths: the direct routes (paths/), changed by the decisions on P2P, GPUDirect RDMA and PXN. The decisions
 * are made in NCCL's order, because later ones use the paths that earlier ones changed. */
#ifndef ORR_DECIDE_EFFECTIVE_PATHS_H
#define ORR_DECIDE_EFFECTIVE_PATHS_H

#include "engine/decide/decide.h"
#include "engine/paths/paths.h"

/* Turns the direct routes in *paths into NCCL's effective paths, before trimming or before the search. */
enum orr_code orr_effective_paths(const struct orr_settings *settings, struct orr_paths *paths,
                                  struct orr_error *err) ORR_NO_DISCARD;

#endif
