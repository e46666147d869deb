/* The NIC by which a GPU sends to one peer on another host, and through which GPU: point to point, without a graph.
 * The peer's own NIC decides which rail is taken; PXN brings the data to the GPU beside it. */
#ifndef ORR_DECIDE_PEER_NET_H
#define ORR_DECIDE_PEER_NET_H

#include "engine/decide/decide.h"
#include "engine/paths/paths.h"

/* What of a peer decides, as seen by the sender. */
struct orr_peer_view {
    uint32_t twin; /* the GPU of the sender's own host with the peer's index (dev), ORR_NO_NODE: none */
    uint32_t rail; /* the NET with the id of the one that the peer prefers, ORR_NO_NODE: none here; asked for by
                      releases before 2.14 alone */
    int32_t dev;   /* its device number */
};

struct orr_peer_net {
    uint32_t net;   /* ORR_NO_NODE: there is none, or NCCL ends with an error */
    uint32_t proxy; /* the GPU whose rank drives it: the sender itself without PXN */
};

/* The GPU of the same host as `gpu` with an index, ORR_NO_NODE: none. */
uint32_t orr_twin_of(const struct orr_system *system, uint32_t gpu, int32_t dev);
/* scratch has room for all NETs and GPUs. INVALID where a path through another GPU's NIC leads to no GPU. */
enum orr_code orr_decide_peer_net(const struct orr_paths *paths, const struct orr_settings *settings, uint32_t gpu,
                                  const struct orr_peer_view *peer, int32_t channel, uint32_t *scratch,
                                  struct orr_peer_net *ret_choice, struct orr_error *err) ORR_NO_DISCARD;

#endif
