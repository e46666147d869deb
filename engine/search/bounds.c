/* SPDX-License-Identifier: Apache-2.0 */
/* What no attempt can exceed, so that attempts that cannot be better need not be made.
 *
 * Every channel leaves each GPU by one of the links at which its legs begin (a tree's last GPU it does not leave),
 * enters by one of the NICs' first links, and leaves by one of their last. There are at most as many channels as a
 * trial's rate fits into these links, and each channel has at least the hops of its GPUs' shortest legs. */
#include "engine/search/bounds.h"

#include "engine/search/better.h"
#include "engine/search/reserve.h"

enum { MOST_USES = 1 << 12 }; /* of a link: more than the channels of any release */

/* How often the link of a door carries a rate. */
static int32_t uses_of(const struct orr_search_state *s, const struct orr_door *door, const struct orr_rate *rate)
{
    int32_t needed = rate->needed[door->share], taken = rate->taken[door->share];
    if (door->link == ORR_NO_LINK || taken <= 0)
        return MOST_USES;
    int32_t full = s->left.full[door->link], uses = full < needed ? 0 : (full - needed) / taken + 1;
    return uses < MOST_USES ? uses : MOST_USES;
}

static bool is_open(const struct orr_door *door, const struct orr_rate *rate)
{
    return door->type[rate->both_ways] <= rate->limit && door->least >= rate->needed[ORR_SHARE_PLAIN];
}

/* How often the rate fits into a link by the open doors from `begin` to before `end`; -1: none of them has the link. */
static int32_t uses_of_link(const struct orr_search_state *s, const struct orr_door *begin, const struct orr_door *end,
                            const struct orr_rate *rate, uint32_t link)
{
    for (; begin < end; begin++)
        if (begin->link == link && is_open(begin, rate))
            return uses_of(s, begin, rate);
    return -1;
}

/* How often a rate fits into the open doors of a group; *hops becomes the fewest of a leg by one of them, if fewer. */
static int32_t fits(const struct orr_search_state *s, const struct orr_doors *doors, uint32_t group,
                    const struct orr_rate *rate, int32_t *hops)
{
    const struct orr_door *begin = doors->list + doors->first[group], *end = doors->list + doors->first[group + 1];
    int32_t uses = 0;
    for (const struct orr_door *door = begin; door < end; door++) {
        if (!is_open(door, rate))
            continue;
        *hops = door->hops < *hops ? door->hops : *hops;
        if (uses_of_link(s, begin, door, rate, door->link) < 0) /* by another type of path */
            uses += uses_of(s, door, rate);
    }
    return uses;
}

/* How many channels may leave a GPU to a NIC besides as many as possible to the next GPU. A link that leads to both
 * carries no more channels than the cheaper of the two kinds fits into it, so those beyond the other kind are added. */
static int32_t exit_from(const struct orr_search_state *s, uint32_t gpu)
{
    const struct orr_doors *next = &s->facts.next, *nets = &s->facts.exit_doors;
    const struct orr_rate *intra = &s->left.rates[ORR_RATE_INTRA], *inter = &s->left.rates[ORR_RATE_INTER];
    const struct orr_door *first = nets->list + nets->first[gpu], *end = nets->list + nets->first[gpu + 1];
    int32_t uses = 0;
    for (const struct orr_door *door = first; door < end; door++) {
        if (!is_open(door, inter) || uses_of_link(s, first, door, inter, door->link) >= 0)
            continue;
        const int32_t to_net = uses_of(s, door, inter),
                      to_next = uses_of_link(s, next->list + next->first[gpu], next->list + next->first[gpu + 1], intra,
                                             door->link);
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
            int32_t by_links = fits(s, &s->facts.entry_doors, other, &s->left.rates[ORR_RATE_INTER], hops);
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

/* How many channels may come from NICs to all GPUs (go from all GPUs to NICs). */
static int32_t meet_gpus(const struct orr_search_state *s, const struct orr_doors *doors, const struct orr_rate *rate)
{
    int32_t uses = 0, hops = 0;
    for (uint32_t x = 0; x < s->input.n; x++)
        uses += fits(s, doors, x, rate, &hops);
    return uses;
}

static int32_t least_of(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* How many channels may enter and leave by all NICs, and by all GPUs. */
static void bound_by_nets(const struct orr_search_state *s, struct orr_bound *bound)
{
    const bool halves = s->trial.pattern == ORR_PATTERN_BALANCED_TREE && s->input.n > 1;
    const struct orr_rate *exit =
        &s->left.rates[s->trial.pattern == ORR_PATTERN_BALANCED_TREE ? ORR_RATE_INTER_HALF : ORR_RATE_INTER];
    int32_t entry_hops = UINT16_MAX, exit_hops = UINT16_MAX, enter = 0, leave = 0;
    for (uint32_t net = 0; net < s->input.net_count; net++) {
        enter += enter_port(s, net, &entry_hops);
        leave += fits(s, &s->facts.arrivals, net, exit, &exit_hops);
    }
    enter = least_of(enter, meet_gpus(s, &s->facts.landings, &s->left.rates[ORR_RATE_INTER]));
    leave = least_of(leave, meet_gpus(s, &s->facts.takeoffs, exit)) / (halves ? 2 : 1);
    bound->channels = least_of(bound->channels, least_of(enter, leave));
    bound->hops += entry_hops + exit_hops * (halves ? 2 : 1);
}

/* May so many channels leave the GPUs? Each of them leaves all GPUs but its last to the next one. The last GPU of a
 * tree need not be left at all, that of a ring to a NIC. */
static bool may_leave(const struct orr_search_state *s, int32_t channels, bool leaves)
{
    const struct orr_door_uses *uses = s->channel.door_uses;
    const bool ring = s->trial.pattern == ORR_PATTERN_RING;
    int64_t lack = 0;
    for (uint32_t x = 0; x < s->input.n; x++) {
        const int64_t last = channels > uses[x].next ? channels - uses[x].next : 0; /* so many must end at this GPU */
        if (leaves && last > uses[x].exit)
            return false;
        lack += last;
    }
    return lack <= (ring && !leaves ? 0 : channels);
}

static void bound_by_gpus(struct orr_search_state *s, struct orr_bound *bound)
{
    const bool ring = s->trial.pattern == ORR_PATTERN_RING, leaves = ring && s->input.inter;
    int32_t most_hops = 0;
    for (uint32_t x = 0; x < s->input.n; x++) {
        int32_t hops = UINT16_MAX;
        s->channel.door_uses[x] = (struct orr_door_uses){
            fits(s, &s->facts.next, x, &s->left.rates[ORR_RATE_INTRA], &hops), leaves ? exit_from(s, x) : 0};
        hops = hops == UINT16_MAX ? 0 : hops;
        most_hops = hops > most_hops ? hops : most_hops;
        bound->hops += hops;
    }
    bound->hops -= ring && !leaves ? 0 : most_hops; /* of the last GPU */
    while (bound->channels > 0 && !may_leave(s, bound->channels, leaves))
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

/* With the trial's rates and pattern, whatever the types of paths and the crossing of NICs: can anything be better? */
static bool may_improve_somehow(struct orr_search_state *s)
{
    struct orr_bound bound;
    orr_search_set_rates(s);
    if (!orr_search_bound(s, &bound))
        return true;
    for (s->trial.cross_nic = 0; s->trial.cross_nic <= 2; s->trial.cross_nic++)
        if (orr_search_may_improve(s, &bound))
            return true;
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
            better = s->trial.pattern != ORR_PATTERN_NONE && may_improve_somehow(s);
        }
    }
    s->trial = now;
    return !better;
}
