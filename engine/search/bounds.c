/* SPDX-License-Identifier: Apache-2.0 */
/* Upper bounds of attempts. An attempt that cannot be better is not made, and an attempt ends once nothing better can
 * follow.
 *
 * Proof. A channel leaves each GPU but its last to the next GPU, by a leg that begins with one of that GPU's first
 * links and takes at least the least share of it. So the number of channels that leave a GPU is at most how often that
 * share of the rate fits into these links. Any other channel must end at the GPU; k channels have k last GPUs, or none
 * in a ring that closes, which limits how many channels all GPUs together may lack. Likewise each channel enters by one
 * NIC at one GPU, and leaves at one GPU by one NIC (twice with half the rate in a balanced tree). Legs of a NIC, or of
 * a GPU, to the other side load a link that they all share, or else one of the links at their end (ends.c), and no more
 * fit into those, nor into the bandwidth of the NIC's port. Each channel has at least the hops of the shortest legs.
 * Legs that the type limits or the rate rule out are not counted, and links that no leg loads let any number pass. All
 * this is computed from the capacities at the beginning of an attempt, so it is used only if attempts restore them.
 *
 * An example: GPU 0, GPU 1 and NIC 0 are below one PCIe switch, with links of 24 GB/s. At 20 GB/s one channel fits into
 * the link of NIC 0. A second one does not, and the bound says so before any leg is tried. */
#include "engine/search/bounds.h"

#include "engine/search/better.h"
#include "engine/search/reserve.h"

enum { MOST_USES = 1 << 12 }; /* of a link: more than the channels of any release */

/* How many times a link carries a rate. */
static int32_t uses_of(const struct orr_search_state *s, const struct orr_end *by, const struct orr_rate *rate)
{
    int32_t needed = rate->needed[by->share], taken = rate->taken[by->share];
    if (by->link == ORR_NO_LINK || taken <= 0)
        return MOST_USES;
    int32_t full = s->left.full[by->link], uses = full < needed ? 0 : (full - needed) / taken + 1;
    return uses < MOST_USES ? uses : MOST_USES;
}

static bool is_open(const struct orr_end *by, const struct orr_rate *rate)
{
    return by->type[rate->both_ways] <= rate->limit && by->least >= rate->needed[ORR_SHARE_PLAIN];
}

/* How many times the rate fits into a link, by the open rows from `begin` to before `end`; -1 if none of them has the
 * link. */
static int32_t uses_of_link(const struct orr_search_state *s, const struct orr_end *begin, const struct orr_end *end,
                            const struct orr_rate *rate, uint32_t link)
{
    for (; begin < end; begin++)
        if (begin->link == link && is_open(begin, rate))
            return uses_of(s, begin, rate);
    return -1;
}

/* How many times a rate fits into the links of a group. Lowers *hops to the fewest hops of any leg by these links. */
static int32_t fits(const struct orr_search_state *s, const struct orr_ends *ends, uint32_t group,
                    const struct orr_rate *rate, int32_t *hops)
{
    const struct orr_end *begin = ends->list + ends->first[group], *end = ends->list + ends->first[group + 1];
    int32_t uses = 0;
    for (const struct orr_end *by = begin; by < end; by++) {
        if (!is_open(by, rate))
            continue;
        *hops = by->hops < *hops ? by->hops : *hops;
        if (uses_of_link(s, begin, by, rate, by->link) < 0) /* rows of the same link for other leg types */
            uses += uses_of(s, by, rate);
    }
    return uses;
}

/* How many channels may leave a GPU to a NIC besides as many as possible to the next GPU. A link that leads to both
 * carries at most as many channels as fit of the cheaper kind, so only the channels beyond the other kind are added. */
static int32_t exits_besides(const struct orr_search_state *s, uint32_t gpu)
{
    const struct orr_ends *next = &s->facts.to_next, *leave = &s->facts.leave;
    const struct orr_rate *intra = &s->left.rates[ORR_RATE_INTRA], *inter = &s->left.rates[ORR_RATE_INTER];
    const struct orr_end *first = leave->list + leave->first[gpu], *end = leave->list + leave->first[gpu + 1];
    int32_t uses = 0;
    for (const struct orr_end *by = first; by < end; by++) {
        if (!is_open(by, inter) || uses_of_link(s, first, by, inter, by->link) >= 0)
            continue;
        const int32_t to_net = uses_of(s, by, inter),
                      to_next = uses_of_link(s, next->list + next->first[gpu], next->list + next->first[gpu + 1], intra,
                                             by->link);
        uses += to_next < 0 ? to_net : to_net > to_next ? to_net - to_next : 0;
    }
    return uses;
}

/* How many channels may enter by the NICs of a card's port, of which `net` is the first; 0 for the others. */
static int32_t enter_port(const struct orr_search_state *s, uint32_t net, int32_t *hops)
{
    const float whole = (float)(int32_t)s->trial.bw_inter;
    int32_t uses = 0, port = 0;
    uint32_t other = net;
    do {
        const struct orr_node *node = &s->input.system->nodes[orr_net_node(s, other)];
        if (!s->trial.collnet || node->net.coll) {
            int32_t by_links = fits(s, &s->facts.from_net, other, &s->left.rates[ORR_RATE_INTER], hops);
            float by_port = whole >= 1 ? s->left.net_bw[other] / whole + 0.001f : MOST_USES;
            int32_t most = by_port < MOST_USES ? (int32_t)by_port : MOST_USES;
            if (s->input.system->release->counts_connections && s->left.net_connections[other] < by_links)
                by_links = s->left.net_connections[other];
            port = most > port ? most : port;
            uses += by_links;
        }
        other = (uint32_t)s->facts.next_of_card[other];
        if (other < net)
            return 0;
    } while (other != net);
    return uses < port ? uses : port;
}

static int32_t least_of(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* How many channels may enter and leave by all NICs, and by all GPUs. */
static void bound_by_nets(const struct orr_search_state *s, struct orr_bound *bound)
{
    const bool halves = s->trial.pattern == ORR_PATTERN_BALANCED_TREE && s->input.n > 1;
    const struct orr_rate *enter = &s->left.rates[ORR_RATE_INTER];
    const struct orr_rate *leave =
        s->trial.pattern == ORR_PATTERN_BALANCED_TREE ? &s->left.rates[ORR_RATE_INTER_HALF] : enter;
    int32_t entry_hops = UINT16_MAX, exit_hops = UINT16_MAX, by_net[2] = {0, 0}, by_gpu[2] = {0, 0};
    for (uint32_t net = 0; net < s->input.net_count; net++) {
        by_net[0] += enter_port(s, net, &entry_hops);
        by_net[1] += fits(s, &s->facts.to_net, net, leave, &exit_hops);
    }
    for (uint32_t x = 0; x < s->input.n; x++) {
        by_gpu[0] += fits(s, &s->facts.from_nets, x, enter, &entry_hops);
        by_gpu[1] += fits(s, &s->facts.to_nets, x, leave, &exit_hops);
    }
    bound->channels = least_of(bound->channels, least_of(by_net[0], by_gpu[0]));
    bound->channels = least_of(bound->channels, least_of(by_net[1], by_gpu[1]) / (halves ? 2 : 1));
    bound->hops += entry_hops + exit_hops * (halves ? 2 : 1);
}

/* Can the GPUs carry this many channels? A channel goes on from every GPU but its last to the next GPU. From its last
 * GPU, a tree goes nowhere and a ring goes to a NIC; a ring that closes inside the host has no last GPU. */
static bool may_leave(const struct orr_search_state *s, int32_t channels)
{
    const bool ring = s->trial.pattern == ORR_PATTERN_RING;
    int64_t lack = 0;
    for (uint32_t x = 0; x < s->input.n; x++) {
        const int32_t uses = s->channel.uses[x], last = channels > uses ? channels - uses : 0;
        if (ring && s->input.inter && last > s->channel.exits[x]) /* at least `last` channels must end at this GPU */
            return false;
        lack += last;
    }
    return lack <= (ring && !s->input.inter ? 0 : channels);
}

static void bound_by_gpus(struct orr_search_state *s, struct orr_bound *bound)
{
    const bool ring = s->trial.pattern == ORR_PATTERN_RING, closes = ring && !s->input.inter;
    int32_t most_hops = 0;
    for (uint32_t x = 0; x < s->input.n; x++) {
        int32_t hops = UINT16_MAX;
        s->channel.uses[x] = fits(s, &s->facts.to_next, x, &s->left.rates[ORR_RATE_INTRA], &hops);
        s->channel.exits[x] = ring && s->input.inter ? exits_besides(s, x) : 0;
        hops = hops == UINT16_MAX ? 0 : hops;
        most_hops = hops > most_hops ? hops : most_hops;
        bound->hops += hops;
    }
    bound->hops -= closes ? 0 : most_hops; /* the last GPU's hops */
    while (bound->channels > 0 && !may_leave(s, bound->channels))
        bound->channels--;
}

bool orr_search_bound(struct orr_search_state *s, struct orr_bound *ret_bound)
{
    *ret_bound = (struct orr_bound){.channels = s->trial.max_channels, .first_hops = s->trial.hops};
    if (!s->left.exact || s->attempts.capacities_changed || !s->facts.nets_come_back ||
        s->trial.pattern == ORR_PATTERN_NVLS || s->trial.pattern == ORR_PATTERN_COLLNET_DIRECT)
        return false;
    if (s->input.n > 1)
        bound_by_gpus(s, ret_bound);
    if (s->input.inter)
        bound_by_nets(s, ret_bound);
    return true;
}

bool orr_search_may_improve(const struct orr_search_state *s, const struct orr_bound *bound)
{
    for (int32_t k = bound->channels; k > 0 && k >= s->trial.min_channels; k--)
        if (orr_search_is_better(s, k, bound->first_hops + k * bound->hops))
            return true;
    return false;
}

/* Can anything be better with the trial's rates and pattern, for all path types and crossings of NICs? NCCL_CROSS_NIC
 * may be any number, and the search begins with it. */
static bool may_improve_somehow(struct orr_search_state *s, const struct orr_limits *limits)
{
    const int32_t crossings[] = {limits->start.cross_nic, 0, 1, s->input.system->release->cross_nic_try};
    struct orr_bound bound;
    orr_search_set_rates(s);
    if (!orr_search_bound(s, &bound))
        return true;
    for (size_t i = 0; i < sizeof crossings / sizeof crossings[0]; i++) {
        s->trial.cross_nic = crossings[i];
        if (orr_search_may_improve(s, &bound))
            return true;
    }
    return false;
}

bool orr_search_nothing_better(struct orr_search_state *s, const struct orr_limits *limits, uint32_t rate)
{
    const struct orr_trial now = s->trial;
    const enum orr_pattern patterns[] = {limits->start.pattern, now.pattern, s->best.pattern, ORR_PATTERN_TREE};
    const unsigned pattern_count = limits->start.pattern == ORR_PATTERN_RING ? 1 : 4;
    bool better = false;
    s->trial.type_intra = s->trial.type_inter = UINT8_MAX; /* no limit */
    for (uint32_t r = rate; r < limits->rate_count && !better; r++) {
        if (r > rate && s->best.channels && limits->rates[r] / s->best.bw_inter <= .49)
            break;
        s->trial.bw_intra = s->trial.bw_inter = limits->rates[r];
        for (unsigned i = 0; i < pattern_count && !better; i++) {
            s->trial.pattern = patterns[i];
            for (unsigned j = 0; j < i; j++)
                s->trial.pattern = patterns[j] == patterns[i] ? ORR_PATTERN_NONE : s->trial.pattern;
            better = s->trial.pattern != ORR_PATTERN_NONE && may_improve_somehow(s, limits);
        }
    }
    s->trial = now;
    return !better;
}
