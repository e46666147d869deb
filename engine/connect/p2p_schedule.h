/* In which round a rank sends to which peer and receives from which, and on which channels. README.md tells the rules.
 */
#ifndef ORR_CONNECT_P2P_SCHEDULE_H
#define ORR_CONNECT_P2P_SCHEDULE_H

#include "engine/connect/communicator.h"

struct orr_p2p_round {
    int32_t send, receive; /* ranks; -1: nobody, where nodes differ in size and the release leaves gaps */
    int32_t channel;       /* of a transfer's first part; -1: not known for this release */
};

/* Writes a rank's rounds into rounds[orr_p2p_round_limit()]: as many as there are ranks, more where the release leaves
 * gaps. The number of rounds; 0 for a rank that is not there. */
uint32_t orr_p2p_schedule(const struct orr_communicator *communicator, int32_t rank, struct orr_p2p_round *rounds);
size_t orr_p2p_round_limit(const struct orr_communicator *communicator);
/* The channel of part u of a transfer, u below p2p_channels_per_peer. */
int32_t orr_p2p_channel(const struct orr_communicator *communicator, int32_t first, int32_t part);

#endif
