/* Channels for point-to-point transfers: in all, and for one peer. Both are powers of two, so that the channels of
 * different peers can be spread by reversing bits. docs/nccl/connect.md, "Point-to-point channels". */
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

#define LESS(a, b) ((a) < (b) ? (a) : (b))

/* What rank 0 takes for a peer on another host. A negative number of the user's does not count, but where -1 asks for
 * the release's own choice. */
static int32_t net_peer(const struct orr_connecting *c, int32_t p2p)
{
    int64_t given;
    bool user = orr_setting_given(c->settings, ORR_SET_NCHANNELS_PER_NET_PEER, &given);
    if (user && given == -1 && c->rules->net_peer != ORR_NET_PEER_TWO)
        user = false;
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

/* Each rank says how many it would take for its own peers; the least counts, then as many as the channels allow. */
static int32_t exchanged_per_peer(const struct orr_connecting *c, int32_t p2p)
{
    const struct orr_communicator *out = c->out;
    int64_t given;
    bool user = orr_setting_given(c->settings, ORR_SET_NCHANNELS_PER_NET_PEER, &given) && given != -1;
    int32_t per = 64;
    for (uint32_t n = 0; n < out->node_count; n++) {
        const struct orr_contribution *contribution = c->members[n].contribution;
        per = LESS(per, contribution->p2p_local_min);
        if (out->node_count > 1)
            per = LESS(per, user ? orr_clamp(given, 1, c->max_channels) : contribution->p2p_net_min);
    }
    per = power_up(per);
    if (out->node_count > 1 && !user) {
        int64_t most = out->rank_count;
        orr_setting_given(c->settings, ORR_SET_P2P_MAX_PEERS, &most);
        int32_t peers = orr_wrapping_div_up((int32_t)(uint32_t)(uint64_t)most, 8);
        while ((int64_t)per * peers > p2p && per > 1)
            per /= 2;
        return per;
    }
    return LESS(per, p2p);
}

void orr_count_p2p(struct orr_connecting *c)
{
    struct orr_communicator *out = c->out;
    int64_t most = c->max_channels, least = 1;
    orr_setting_given(c->settings, ORR_SET_MAX_P2P_NCHANNELS, &most);
    orr_setting_given(c->settings, ORR_SET_MIN_P2P_NCHANNELS, &least);
    int32_t p2p = most < out->channel_count ? orr_clamp(most, 0, c->max_channels) : out->channel_count;
    p2p = least > p2p ? orr_clamp(least, 1, c->max_channels) : p2p;
    p2p = p2p < 1 ? 1 : p2p;

    const struct orr_contribution *own = c->members[0].contribution;
    int32_t per = p2p;
    per = LESS(per, own->p2p_local_min);
    if (out->rank_count > own->rank_count)
        per = LESS(per, net_peer(c, p2p));
    per = power_up(per);
    p2p = power_up(p2p);
    if (c->rules->p2p_bounded) {
        p2p = LESS(p2p, power_down(orr_args_limit(c)));
        per = LESS(per, p2p);
    }
    if (c->rules->net_peer == ORR_NET_PEER_BY_RATE)
        per = exchanged_per_peer(c, p2p);
    out->p2p_group_size =
        (uint32_t)orr_clamp(orr_setting_int(c->settings, ORR_SET_P2P_SCHEDULE_GROUP_SIZE), 1, (int32_t)out->rank_count);
    out->p2p_channels = p2p;
    out->p2p_channels_per_peer = per;
}
