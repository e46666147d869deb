/* SPDX-License-Identifier: Apache-2.0 */
/* Point to point: each rank meets each once, both ends agree on what carries a transfer, channels are there and differ,
 * NICs are the sender's own or driven by a rank of its node. */
#include <stdlib.h>
#include <string.h>

#include "engine/cluster/transfers.h"
#include "tests/property/checks.h"

enum { MOST_RANKS = 48 };

struct meeting {
    uint32_t sent, received;           /* how often */
    uint32_t sent_in, received_in;     /* the last round */
    int32_t sent_over, received_over;  /* channels */
    struct orr_transfer_way way, back; /* as the sender sees it, as the receiver does */
};

static bool check_channels_of(const struct orr_communicator *c, int32_t first, struct orr_error *err)
{
    unsigned char used[ORR_MAX_CHANNELS] = {0};
    for (int32_t u = 0; first >= 0 && u < c->p2p_channels_per_peer; u++) {
        int32_t channel = orr_p2p_channel(c, first, u);
        if (channel < 0 || channel >= c->p2p_channels || used[channel]++)
            return WRONG(err, "part %d of a transfer takes channel %d of %d", u, channel, c->p2p_channels);
    }
    return true;
}

static bool check_nic(struct orr_transfers *transfers, const struct orr_communicator *c, int32_t rank, int32_t peer,
                      bool sending, int32_t channel, struct orr_error *err)
{
    struct orr_transfer_nic nic;
    if (!orr_transfer_nic(transfers, peer, sending, orr_p2p_channel(c, channel, 0), &nic))
        return true;
    if (nic.proxy < 0 || nic.proxy >= (int32_t)c->rank_count || c->node_of_rank[nic.proxy] != c->node_of_rank[rank] ||
        (!sending && nic.proxy != rank))
        return WRONG(err, "rank %d %s rank %d by a NIC that rank %d drives", rank,
                     sending ? "sends to" : "receives from", peer, nic.proxy);
    return true;
}

static bool follow_rank(struct orr_transfers *transfers, const struct orr_communicator *c, int32_t rank,
                        struct meeting *meetings, struct orr_error *err)
{
    int32_t ranks = (int32_t)c->rank_count;
    uint32_t count;
    const struct orr_p2p_round *rounds = orr_transfers_turn(transfers, rank, &count);
    if (count != orr_transfers_rounds(transfers) || count < c->rank_count)
        return WRONG(err, "rank %d has %u rounds", rank, count);
    for (uint32_t t = 0; t < count; t++) {
        int32_t to = rounds[t].send, from = rounds[t].receive;
        if (to >= ranks || from >= ranks)
            return WRONG(err, "in round %u rank %d sends to %d and receives from %d", t, rank, to, from);
        if (to >= 0) {
            struct meeting *meeting = &meetings[rank * ranks + to];
            meeting->sent++;
            meeting->sent_in = t;
            meeting->sent_over = rounds[t].channel;
            meeting->way = orr_transfer_way(transfers, to, true);
        }
        if (from >= 0) {
            struct meeting *meeting = &meetings[from * ranks + rank];
            meeting->received++;
            meeting->received_in = t;
            meeting->received_over = rounds[t].channel;
            meeting->back = orr_transfer_way(transfers, from, false);
        }
        if (!check_channels_of(c, rounds[t].channel, err) ||
            (to >= 0 && !check_nic(transfers, c, rank, to, true, rounds[t].channel, err)) ||
            (from >= 0 && !check_nic(transfers, c, rank, from, false, rounds[t].channel, err)))
            return false;
    }
    return true;
}

static bool check_meeting(const struct orr_communicator *c, int32_t from, int32_t to, const struct meeting *m,
                          struct orr_error *err)
{
    if (m->sent != 1 || m->received != 1)
        return WRONG(err, "rank %d sends %u times to rank %d, which receives %u times", from, m->sent, to, m->received);
    if (m->sent_in != m->received_in || m->sent_over != m->received_over)
        return WRONG(err, "rank %d sends to rank %d in round %u and is heard in %u", from, to, m->sent_in,
                     m->received_in);
    if (m->way.transport != m->back.transport || m->way.path != m->back.path || m->way.via != m->back.via)
        return WRONG(err, "ranks %d and %d see different ways", from, to);
    bool apart = c->node_of_rank[from] != c->node_of_rank[to];
    if ((m->way.transport == ORR_OVER_SELF) != (from == to) || (apart && m->way.transport != ORR_OVER_NET))
        return WRONG(err, "rank %d reaches rank %d over %s", from, to, orr_transport_name(m->way.transport));
    return true;
}

bool check_transfers(const struct orr_analysis *a, struct tally *tally, struct orr_error *err)
{
    const struct orr_communicator *c = &a->communicator;
    int32_t ranks = (int32_t)c->rank_count;
    struct orr_transfers *transfers = NULL;
    if (ranks > MOST_RANKS)
        return true;
    struct meeting *meetings = calloc((size_t)ranks * (size_t)ranks, sizeof *meetings);
    bool good = meetings && orr_transfers_new(a, &transfers, err) == ORR_OK;
    for (int32_t r = 0; good && r < ranks; r++)
        good = follow_rank(transfers, c, r, meetings, err);
    for (int32_t i = 0; good && i < ranks * ranks; i++)
        good = check_meeting(c, i / ranks, i % ranks, &meetings[i], err);
    tally->transfers += (uint64_t)ranks * (uint64_t)ranks;
    orr_transfers_free(transfers);
    free(meetings);
    return good;
}
