/* SPDX-License-Identifier: Apache-2.0 */
/* The number of channels for point-to-point transfers, in total and for one peer. Both are powers of two, so that the
 * channels of different peers can be spread by reversing bits. docs/nccl/connect.md, "Point-to-point channels". */
#include "engine/connect/connecting.h"

static int32_t power_up(int32_t value)
{
    int32_t power = 1;
    while (power < value)
        power *= 2;
    return power;
}

static int32_t power_down(int32_t value)
{
    return 1 << orr_log2((uint32_t)(value > 1 ? value : 1));
}

#define ORR_LESS(a, b) ((a) < (b) ? (a) : (b))

/* The value of NCCL_NCHANNELS_PER_NET_PEER, cut to the int in which NCCL keeps it. -1 leaves the choice to the release;
 * in releases that keep it in the communicator's configuration, any number below 1 does. */
static bool user_net_peer(const struct orr_connecting *c, int32_t *ret_given)
{
    int64_t value;
    if (!orr_setting_given(c->settings, ORR_SET_NCHANNELS_PER_NET_PEER, &value))
        return false;
    *ret_given = orr_setting_int32(c->settings, ORR_SET_NCHANNELS_PER_NET_PEER);
    if (c->rules->net_peer_positive)
        return *ret_given > 0;
    return value != -1 || c->rules->net_peer == ORR_NET_PEER_TWO;
}

/* The channels that rank 0 uses for a peer on another host. If the user gives a negative number other than -1, there is
 * no limit. */
static int32_t net_peer(const struct orr_connecting *c, int32_t p2p)
{
    int32_t given = 0;
    bool user = user_net_peer(c, &given);
    if (user && given < 0 && c->rules->net_peer != ORR_NET_PEER_ONE)
        return p2p;
    const struct orr_contribution *own = c->members[0].contribution;
    switch (c->rules->net_peer) {
    case ORR_NET_PEER_ONE:
        return 1;
    case ORR_NET_PEER_TWO:
        return user ? orr_clamp(given, 1, c->max_channels) : 2;
    case ORR_NET_PEER_BY_SIZE: {
        if (user)
            return orr_clamp(given, 1, c->max_channels);
        int32_t by_size = 2;
        while ((int64_t)by_size * c->out->rank_count > 4 * (int64_t)p2p && by_size > 1)
            by_size /= 2;
        return own->p2p_nics_min > by_size ? own->p2p_nics_min : by_size;
    }
    case ORR_NET_PEER_BY_RATE:
        return user ? orr_clamp(given, 1, c->max_channels) : own->p2p_net_min;
    }
    return 1;
}

/* Each rank computes how many channels it would use for its own peers. NCCL takes the least of these, within the number
 * of channels. */
static int32_t exchanged_per_peer(const struct orr_connecting *c, int32_t p2p)
{
    const struct orr_communicator *out = c->out;
    int32_t given = 0;
    bool user = user_net_peer(c, &given);
    int32_t per = 64;
    for (uint32_t n = 0; n < out->node_count; n++) {
        const struct orr_contribution *contribution = c->members[n].contribution;
        per = ORR_LESS(per, contribution->p2p_local_min);
        if (out->node_count > 1)
            per = ORR_LESS(per, user ? orr_clamp(given, 1, c->max_channels) : contribution->p2p_net_min);
    }
    per = power_up(per);
    if (out->node_count > 1 && !user) {
        int64_t value;
        int32_t given_peers = orr_setting_int32(c->settings, ORR_SET_P2P_MAX_PEERS), most = (int32_t)out->rank_count;
        if (orr_setting_given(c->settings, ORR_SET_P2P_MAX_PEERS, &value) && given_peers > 0)
            most = ORR_LESS(given_peers, most);
        int32_t peers = (most + 7) / 8;
        while ((int64_t)per * peers > p2p && per > 1)
            per /= 2;
        return per;
    }
    return ORR_LESS(per, p2p);
}

/* Refuses a group size below 1, because NCCL divides by NCCL_P2P_SCHEDULE_GROUP_SIZE. */
static enum orr_code read_group_size(const struct orr_connecting *c, uint32_t *ret_size, struct orr_error *err)
{
    int32_t size = orr_setting_int32(c->settings, ORR_SET_P2P_SCHEDULE_GROUP_SIZE);
    if (size < 1 && orr_setting_in(ORR_SET_P2P_SCHEDULE_GROUP_SIZE, c->settings->release))
        return orr_fail_with(err, ORR_SETTING, NULL, "give a number of ranks, 1 or more",
                             "NCCL crashes with NCCL_P2P_SCHEDULE_GROUP_SIZE=%s, because it divides by it",
                             orr_setting_text(c->settings, ORR_SET_P2P_SCHEDULE_GROUP_SIZE));
    *ret_size = (uint32_t)ORR_LESS(size, (int32_t)c->out->rank_count);
    return ORR_OK;
}

enum orr_code orr_count_p2p(struct orr_connecting *c, struct orr_error *err)
{
    struct orr_communicator *out = c->out;
    int64_t given;
    int32_t most = c->max_channels, least = 1;
    if (orr_setting_given(c->settings, ORR_SET_MAX_P2P_NCHANNELS, &given))
        most = orr_setting_int32(c->settings, ORR_SET_MAX_P2P_NCHANNELS);
    if (orr_setting_given(c->settings, ORR_SET_MIN_P2P_NCHANNELS, &given))
        least = orr_setting_int32(c->settings, ORR_SET_MIN_P2P_NCHANNELS);
    int32_t p2p = ORR_LESS(most, out->channel_count);
    p2p = least > p2p ? ORR_LESS(least, c->max_channels) : p2p;
    p2p = p2p < 1 ? 1 : p2p;

    const struct orr_contribution *own = c->members[0].contribution;
    int32_t per = p2p;
    per = ORR_LESS(per, own->p2p_local_min);
    if (out->rank_count > own->rank_count)
        per = ORR_LESS(per, net_peer(c, p2p));
    per = power_up(per);
    p2p = power_up(p2p);
    if (c->rules->p2p_bounded) {
        p2p = ORR_LESS(p2p, power_down(orr_args_limit(c)));
        per = ORR_LESS(per, p2p);
    }
    if (c->rules->net_peer == ORR_NET_PEER_BY_RATE)
        per = exchanged_per_peer(c, p2p);
    out->p2p_channels = p2p;
    out->p2p_channels_per_peer = per;
    return read_group_size(c, &out->p2p_group_size, err);
}
