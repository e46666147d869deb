/* SPDX-License-Identifier: Apache-2.0 */
/* The point-to-point schedule: the peers of a rank in each round, and the channels. docs/nccl/connect.md describes the
 * rules. */
#ifndef ORR_CONNECT_P2P_SCHEDULE_H
#define ORR_CONNECT_P2P_SCHEDULE_H

#include "engine/connect/communicator.h"

/* Data from which the rounds of all ranks are computed. */
struct orr_p2p_schedule {
    const struct orr_communicator *communicator; /* borrowed; may be a plan (orr_connect_plan()) */
    /* For releases that schedule by groups of ranks. node_of_group and first_group are NULL if all nodes have equally
     * many groups. */
    uint32_t group_size, group_count;
    const uint32_t *node_of_group; /* [group] */
    const uint32_t *first_group;   /* [node] */
};

struct orr_p2p_round {
    int32_t send, receive; /* ranks; -1 if the rank has no such peer in the round */
    int32_t channel;       /* channel of a transfer's first part; -1 if not known for this release */
};

/* Memory from arena. */
enum orr_code orr_p2p_schedule_make(const struct orr_communicator *communicator, struct orr_arena *arena,
                                    struct orr_p2p_schedule *ret_schedule, struct orr_error *err) ORR_NO_DISCARD;
/* Number of rounds of every rank: the number of ranks, or the number of places if all nodes were as large as the
 * largest. Rounds for places that a node lacks stay empty. */
size_t orr_p2p_round_count(const struct orr_p2p_schedule *schedule);
/* Writes a rank's rounds into rounds[orr_p2p_round_count()]. Returns how many; 0 if there is no such rank. */
uint32_t orr_p2p_rounds(const struct orr_p2p_schedule *schedule, int32_t rank, struct orr_p2p_round *rounds);
/* The channel of part u of a transfer, u below p2p_channels_per_peer; -1 if unknown. */
int32_t orr_p2p_channel(const struct orr_communicator *communicator, int32_t first, int32_t part);
/* The position of a rank on its node: an index into the ranks of the member's contribution. */
uint32_t orr_member_place(const struct orr_member *member, int32_t rank);
/* The greatest common divisor; that of 0 and b is b. */
uint32_t orr_common_divisor(uint32_t a, uint32_t b);

#endif
