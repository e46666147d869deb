/* SPDX-License-Identifier: Apache-2.0 */
/* Point-to-point transfers of a communicator: which peers a rank sends to and receives from in each round, over which
 * channels, and by which way: NVLink or PCIe, shared memory, or the network with a NIC and perhaps another GPU (PXN).
 * Only one rank's rounds are in memory at a time, so any number of ranks can be listed. */
#ifndef ORR_CLUSTER_TRANSFERS_H
#define ORR_CLUSTER_TRANSFERS_H

#include "engine/analysis/analysis.h"
#include "engine/base/local.h"
#include "engine/connect/p2p_schedule.h"

enum orr_transport { ORR_OVER_SELF, ORR_OVER_P2P, ORR_OVER_SHM, ORR_OVER_NET, ORR_TRANSPORT_COUNT };

/* How data gets from one rank to another. */
struct orr_transfer_way {
    enum orr_transport transport;
    uint8_t path; /* enum orr_path_type between the GPUs; NET if they share no system */
    bool read;    /* the receiver reads, instead of the sender writing */
    int32_t via;  /* the rank whose GPU forwards the data, -1 if there is none */
};

struct orr_transfer_nic {
    int64_t net;   /* id of the NET in the system of the selected rank */
    int32_t proxy; /* the rank whose proxy drives the NIC; with PXN, not the sender */
    uint8_t path;  /* enum orr_path_type from the GPU to it */
    int8_t gdr;    /* verdict for this direction */
};

struct orr_transfers; /* the rounds of one rank, and the data that they rest on */

/* Limit on the rounds of a rank: enough for 131072 ranks, or for fewer ranks on nodes of very different sizes. */
enum { ORR_MAX_P2P_ROUNDS = 1 << 20 };

/* analysis may be a plan, and must live as long as the answer, which the caller frees. LIMIT if there are too many
 * rounds. */
enum orr_code orr_transfers_new(const struct orr_analysis *analysis, struct orr_transfers **ret_transfers,
                                struct orr_error *err) ORR_NO_DISCARD;
void orr_transfers_free(struct orr_transfers *transfers);
ORR_FREED_BY(orr_transfers, orr_transfers_free)

/* Number of rounds of every rank. */
size_t orr_transfers_rounds(const struct orr_transfers *transfers);
/* Selects a rank of the communicator. Returns its rounds, valid until the next call. */
const struct orr_p2p_round *orr_transfers_turn(struct orr_transfers *transfers, int32_t rank, uint32_t *ret_count);
/* Where any rank is: the part of its system, and the node of its GPU there. */
struct orr_transfer_seat {
    const struct orr_part *part;
    uint32_t gpu;
};
struct orr_transfer_seat orr_transfer_seat(const struct orr_transfers *transfers, int32_t rank);
/* The functions below are about the selected rank. */
struct orr_transfer_way orr_transfer_way(const struct orr_transfers *transfers, int32_t peer, bool sending);
/* The NIC for a network transfer on a channel (-1 if unknown). False if there is none, or if it depends on the
 * channel. */
bool orr_transfer_nic(struct orr_transfers *transfers, int32_t peer, bool sending, int32_t channel,
                      struct orr_transfer_nic *ret_nic);

bool orr_same_nic(const struct orr_transfer_nic *a, const struct orr_transfer_nic *b);
const char *orr_transport_name(enum orr_transport transport); /* "SELF", "P2P", "SHM", "NET" */

#endif
