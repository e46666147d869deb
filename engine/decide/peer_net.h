/* SPDX-License-Identifier: Apache-2.0 */
/* Point-to-point transfers between hosts, which use no graph: the NIC through which a GPU sends to a peer, and the GPU
 * whose proxy drives that NIC. The peer's own NIC decides the rail; with PXN the data first goes to a GPU near that
 * rail's NIC. */
#ifndef ORR_DECIDE_PEER_NET_H
#define ORR_DECIDE_PEER_NET_H

#include "engine/decide/decide.h"
#include "engine/paths/paths.h"

/* The facts about a peer that the sender's decision depends on. */
struct orr_peer_view {
    uint32_t twin; /* the GPU of the sender's own host with the peer's index (dev), ORR_NO_NODE if there is none */
    uint32_t rail; /* the sender's NET with the id of the one that the peer prefers, ORR_NO_NODE if there is none; only
                      releases before 2.14 use it */
    int32_t dev;   /* the peer's device number */
};

struct orr_peer_net {
    uint32_t net;   /* ORR_NO_NODE if there is none, or NCCL ends with an error */
    uint32_t proxy; /* the GPU whose rank drives it: the sender itself without PXN */
};

/* The GPU of the same host as `gpu` with an index, ORR_NO_NODE if there is none. */
uint32_t orr_twin_of(const struct orr_system *system, uint32_t gpu, int32_t dev);
/* scratch has room for 2 * (NETs + GPUs) nodes. INVALID if a PXN path does not lead through a GPU. */
enum orr_code orr_decide_peer_net(const struct orr_paths *paths, const struct orr_settings *settings, uint32_t gpu,
                                  const struct orr_peer_view *peer, int32_t channel, uint32_t *scratch,
                                  struct orr_peer_net *ret_choice, struct orr_error *err) ORR_NO_DISCARD;

#endif
