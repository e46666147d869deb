/* SPDX-License-Identifier: Apache-2.0 */
/* Three decisions about paths: P2P, GPUDirect RDMA, and whether the network is better. Nodes are indices. */
#ifndef ORR_DECIDE_VERDICTS_H
#define ORR_DECIDE_VERDICTS_H

#include "engine/decide/decide.h"
#include "engine/paths/paths.h"

struct orr_p2p_verdict {
    struct orr_decision decision;
    bool read;    /* P2P by reading instead of writing */
    uint32_t via; /* intermediate GPU, ORR_NO_NODE if there is none */
};

/* May GPU a use P2P with GPU b? Uses the current path, which earlier decisions may have changed. */
struct orr_p2p_verdict orr_decide_p2p(const struct orr_paths *paths, const struct orr_settings *settings, uint32_t a,
                                      uint32_t b);

/* May a GPU use GPUDirect RDMA with a NET? sending: the NIC reads GPU memory; otherwise it writes. */
enum orr_code orr_decide_gdr(const struct orr_paths *paths, const struct orr_settings *settings, uint32_t gpu,
                             uint32_t net, bool sending, struct orr_decision *ret_decision,
                             struct orr_error *err) ORR_NO_DISCARD;

/* The GPU through which a PXN path leads: the first node that is not an NVSwitch. INVALID if that node is not a GPU. */
enum orr_code orr_pxn_relay(const struct orr_paths *paths, uint32_t gpu, uint32_t net, uint32_t *ret_relay,
                            struct orr_error *err) ORR_NO_DISCARD;

/* The farthest type that the path of a PXN relay to its NIC may have. */
uint8_t orr_pxn_farthest(const struct orr_settings *settings);

/* Does each of the two GPUs have a path to a near NIC with more bandwidth than their path to each other? */
bool orr_network_is_better(const struct orr_paths *paths, const struct orr_settings *settings, uint32_t a, uint32_t b);

#endif
