/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the plain search that concerns NICs: from where channels start, and by which NICs they leave.
 *
 * An example: GPU 0 is near NIC 0, GPU 1 near NIC 1. From 2.18.5 on channels start from NIC 0, then NIC 1, because each
 * is the first choice of a GPU; GPU 1 leaves by NIC 1 before it leaves by NIC 0. Channel 0 enters by NIC 0, first at
 * GPU 0 in the order of the graph, then at GPU 0 freely. If all channels have one order, channel 1 is channel 0 again,
 * or there is none. */
#include <math.h>

#include "engine/decide/nearest.h"
#include "tests/search/plain_search.h"

enum { IN_ORDER_STEPS = 1024 };

/* ---- Which NICs are tried ---- */

/* Is path a from a NIC nearer than b? By bandwidth, then by type or by hops. */
static bool is_nearer(const struct plain *s, const struct orr_path *a, const struct orr_path *b)
{
    const bool by_type = s->release->start_gpus >= ORR_START_NEAREST;
    const uint32_t a_far = by_type ? orr_path_farness(s->release, a->type) : a->hops;
    const uint32_t b_far = by_type ? orr_path_farness(s->release, b->type) : b->hops;
    return a->bw > b->bw || (a->bw == b->bw && a_far < b_far);
}

static const struct orr_path *nearest(const struct plain *s, uint32_t net)
{
    const struct orr_path *best = orr_path(s->paths, net, 0);
    for (uint32_t g = 1; g < s->n; g++)
        if (is_nearer(s, orr_path(s->paths, net, g), best))
            best = orr_path(s->paths, net, g);
    return best;
}

uint32_t plain_preferred(const struct plain *s, uint32_t gpu, int32_t channel)
{
    uint32_t scratch[2 * (PLAIN_MOST_NETS + PLAIN_MOST_GPUS)];
    return orr_local_net(s->paths, gpu, channel, scratch);
}

/* How late a NIC comes in the list of a GPU: by the type of its path. Up to 2.11.4 all come at once; from 2.9.6 on only
 * the fastest are entered by, by hops from their nearest GPU. */
static int32_t turn_of(const struct plain *s, uint32_t gpu, uint32_t net, bool fastest)
{
    float best = 0;
    if (!fastest)
        return s->release->net_lists <= ORR_NETS_FASTEST_START ? 0 : type_of(s, gpu, net);
    for (uint32_t other = s->first_net; other < s->end_net; other++)
        best = fmaxf(best, nearest(s, other)->bw);
    return nearest(s, net)->bw == best ? nearest(s, net)->hops : -1;
}

/* The local NICs of each GPU, for channels 0, 1, ... up to the first repetition: GPU by GPU, or in turns. */
static void list_preferred(const struct plain *s, struct plain_list *list, uint32_t first, uint32_t end)
{
    const bool in_turns = s->system->host_count > 1 && orr_setting_in(ORR_SET_MNNVL_SCATTER_NETS_ENABLE, s->release) &&
                          orr_setting_int(s->settings, ORR_SET_MNNVL_SCATTER_NETS_ENABLE) != 0;
    const uint32_t gpus = end - first, channels = (uint32_t)s->release->max_channels;
    bool ended[PLAIN_MOST_GPUS] = {false};
    for (uint32_t i = 0; i < gpus * channels; i++) {
        const uint32_t g = first + (in_turns ? i % gpus : i / channels), c = in_turns ? i / gpus : i % channels;
        const uint32_t net = ended[g] ? ORR_NO_NODE : plain_preferred(s, g, (int32_t)c);
        ended[g] = net == ORR_NO_NODE || (c > 0 && net == plain_preferred(s, g, 0));
        if (!ended[g])
            append(list, net);
    }
}

/* A list for the GPUs from `first` to before `end`, up to the type limit of the trial, or all of the fastest NICs: a
 * path that was diverted through the CPU visits a node twice at most. NICs of one turn begin with the GPU's own. */
static struct plain_list list_for(const struct plain *s, uint32_t first, uint32_t end, bool fastest)
{
    const enum orr_net_lists rule = s->release->net_lists;
    const bool rotated = rule == ORR_NETS_BY_TYPE_ROTATED || fastest, preferred = rule == ORR_NETS_PREFERRED;
    const int32_t last = fastest ? 2 * (int32_t)s->system->node_count : s->trial.is.type_inter;
    const uint32_t known = preferred ? s->first_net + (uint32_t)s->release->max_channels : s->end_net;
    const bool limited = preferred && s->release->policy_limits_lists && s->paths->nets_per_gpu > 0;
    const uint32_t most = limited ? (uint32_t)s->paths->nets_per_gpu * (end - first) : PLAIN_MOST_NETS;
    struct plain_list list = {0};
    if (preferred)
        list_preferred(s, &list, first, end);
    for (int32_t turn = 0; turn <= last; turn++)
        for (uint32_t g = first; g < end; g++) {
            struct plain_list run = {0};
            const uint32_t own = rotated ? (uint32_t)s->system->nodes[g].gpu.dev : 0;
            for (uint32_t net = s->first_net; net < s->end_net && net < known; net++)
                if (turn_of(s, g, net, fastest) == turn)
                    append(&run, net);
            for (uint32_t i = 0; i < run.count && list.count < most; i++)
                append(&list, run.nodes[(own + i) % run.count]);
        }
    return list;
}

void plain_list_nets(struct plain *s)
{
    s->starts = list_for(s, 0, s->n, s->release->net_lists == ORR_NETS_FASTEST_START);
    for (uint32_t g = 0; g < s->n; g++)
        s->exits[g] = list_for(s, g, g + 1, false);
}

static bool is_one_port(const struct orr_node *a, const struct orr_node *b)
{
    return a->net.asic == b->net.asic && a->net.port == b->net.port;
}

/* Does a NIC count as the card of another, where NICs are not crossed? */
static bool is_one_card(const struct plain *s, const struct orr_node *a, const struct orr_node *b)
{
    const struct orr_node *nodes = s->system->nodes;
    const struct orr_link *links = s->system->links;
    if (s->release->knows_rails && a->net.rail >= 0 && b->net.rail >= 0)
        return a->net.rail == b->net.rail;
    if (orr_setting_int(s->settings, ORR_SET_MNNVL_RAIL_PER_HOST) == 1 && orr_id_system(a->id) != orr_id_system(b->id))
        return a->net.port == b->net.port &&
               orr_id_local(nodes[links[a->first_link].to].id) == orr_id_local(nodes[links[b->first_link].to].id);
    return is_one_port(a, b);
}

/* Do two channels, the second of which is odd, swap their NICs? */
static bool swaps_nets(const struct plain *s)
{
    const enum orr_nic_pairs rule = s->release->nic_pairs;
    const bool rings = s->trial.is.pattern == ORR_PATTERN_RING && s->trial.is.cross_nic == 2;
    return s->trial.is.channels & 1 &&
           (rule == ORR_PAIRS_RINGS ? rings : rule == ORR_PAIRS_ALL && s->trial.is.cross_nic);
}

bool plain_may_leave_by(const struct plain *s, uint32_t net)
{
    const int32_t k = s->trial.is.channels, crosses = s->trial.is.cross_nic;
    const struct orr_node *entry = &s->system->nodes[orr_net_of_id(s->system, s->trial.nets[k][0])];
    const struct orr_node *exit = &s->system->nodes[net];
    const bool planes = s->release->knows_rails && entry->net.plane >= 0 && exit->net.plane >= 0;
    if ((planes && entry->net.plane != exit->net.plane) ||
        (s->trial.is.pattern == ORR_PATTERN_TREE && entry->id != exit->id) ||
        (swaps_nets(s) && exit->id != s->trial.nets[k - 1][0]))
        return false;
    return crosses == 1 || (crosses && s->release->nic_pairs == ORR_PAIRS_RINGS) || is_one_card(s, entry, exit);
}

static bool may_enter_by(const struct plain *s, uint32_t net)
{
    const struct orr_node *node = &s->system->nodes[net];
    return (node->net.coll || !s->trial.is.collnet) && s->port_bw[net] >= (float)(int32_t)s->trial.is.bw_inter &&
           (s->entered[net] < node->net.max_channels || !s->release->counts_connections) &&
           (!swaps_nets(s) || node->id == s->trial.nets[s->trial.is.channels - 1][1]);
}

/* ---- Where a channel starts ---- */

static void start_without_nets(struct plain *s)
{
    const int32_t k = s->trial.is.channels;
    if (s->trial.is.pattern == ORR_PATTERN_NVLS) {
        plain_enter(s, PLAIN_NOWHERE, (uint32_t)k, FREE);
        return;
    }
    plain_enter(s, PLAIN_NOWHERE, k ? s->trial.gpus[k - 1][0] : 0, k ? AS_BEFORE : IN_ORDER);
    for (uint32_t g = 0; g < s->n && (!k || !s->trial.is.same_channels); g++)
        plain_enter(s, PLAIN_NOWHERE, g, FREE);
}

/* What follows the starts from a NIC. Some releases forget to give back what they took of its port's bandwidth. */
enum after { NEXT_NET, NEXT_NET_LEAKED, NO_NET };

static enum after start_freely(struct plain *s, uint32_t net)
{
    const struct orr_path *best = nearest(s, net);
    const enum orr_start_gpus rule = s->release->start_gpus;
    const int32_t local = rule == ORR_START_LOCAL_GPU ? s->paths->local_gpu[net - s->first_net] : -1;
    const uint32_t turn = rule == ORR_START_ROTATED ? (uint32_t)s->trial.is.channels : 0;
    const uint32_t rounds = rule == ORR_START_TWO_ROUNDS ? 2 : 1; /* of which the first needs bandwidth of PCI links */
    if (local >= 0)
        plain_enter(s, net, (uint32_t)local, FREE);
    if (rule >= ORR_START_NEAREST && best->type == ORR_PATH_DIS)
        return NEXT_NET_LEAKED;
    if (rule < ORR_START_NEAREST && best->bw < (float)(int32_t)s->trial.is.bw_inter)
        return NEXT_NET;
    for (uint32_t i = 0; i < rounds * s->n; i++) {
        const uint32_t g = (turn + i) % s->n;
        if ((int32_t)g != local && !is_nearer(s, best, orr_path(s->paths, net, g)) &&
            (rounds == 1 || (plain_pci_left(s, g) > 0) == (i < s->n)))
            plain_enter(s, net, g, FREE);
    }
    return NEXT_NET;
}

static enum after start_from(struct plain *s, uint32_t net)
{
    const int32_t k = s->trial.is.channels;
    if (k > 0 && (s->trial.is.same_channels || s->release->replays_first))
        plain_enter(s, net, s->trial.gpus[k - 1][0], AS_BEFORE);
    if (k > 0 && s->trial.is.same_channels)
        return NEXT_NET;
    if (k == 0 && !(s->has_nvs && s->release->switch_skips_order)) {
        const int32_t steps = s->steps;
        s->steps = IN_ORDER_STEPS;
        plain_enter(s, net, 0, IN_ORDER);
        s->steps = s->steps == -1 ? -1 : steps;
    }
    return start_freely(s, net);
}

/* 2.18.3 takes NICs of the list for GPUs, and reads zeroes beyond its end as far as the memory block goes. */
static int32_t head_by_index(const struct plain *s)
{
    const uint32_t k = (uint32_t)s->trial.is.channels, bytes = (4 * (s->end_net - s->first_net) + 8 + 15) / 16 * 16 - 8;
    const uint32_t net = k < s->starts.count ? s->starts.nodes[k] - s->first_net : 0;
    return k < (bytes > 24 ? bytes : 24) / 4 && net < s->n ? (int32_t)net : -1;
}

/* A channel of a star starts at its head. */
static enum after start_at_head(struct plain *s, uint32_t net)
{
    const enum orr_start_heads rule = s->release->start_heads;
    const uint32_t k = (uint32_t)s->trial.is.channels;
    const bool of_list = rule == ORR_HEADS_OF_LIST, by_index = rule == ORR_HEADS_BY_NET_INDEX;
    const int32_t local = s->paths->local_gpu[(of_list ? s->starts.nodes[k] : net) - s->first_net];
    const int32_t head = by_index ? head_by_index(s) : local;
    for (uint32_t c = 0; c < k && rule >= ORR_HEADS_ONCE; c++)
        if (s->trial.gpus[c][0] == (uint32_t)head)
            return rule == ORR_HEADS_NEXT ? NEXT_NET : NEXT_NET_LEAKED;
    if (head >= 0)
        plain_enter(s, of_list || by_index ? PLAIN_NOWHERE : net, (uint32_t)head, FREE);
    return of_list || by_index || (head < 0 && rule == ORR_HEADS_NEXT) ? NEXT_NET : NO_NET;
}

/* The ports of one card with one number share a bandwidth. */
static void charge_port(struct plain *s, uint32_t net, float by)
{
    for (uint32_t other = s->first_net; other < s->end_net; other++)
        if (is_one_port(&s->system->nodes[net], &s->system->nodes[other]))
            s->port_bw[other] -= by;
}

static void start_with_nets(struct plain *s)
{
    const enum orr_pattern pattern = s->trial.is.pattern;
    const enum orr_start_heads rule = s->release->start_heads;
    const bool star = pattern == ORR_PATTERN_NVLS || pattern == ORR_PATTERN_COLLNET_DIRECT;
    const bool by_head = star && rule != ORR_HEADS_AS_OTHERS;
    const uint32_t k = (uint32_t)s->trial.is.channels, turn = s->release->rotates_start_nets ? k : 0;
    const uint32_t count = s->starts.count;
    const float whole = (float)(int32_t)s->trial.is.bw_inter;
    enum after after = by_head && rule != ORR_HEADS_BY_NET_INDEX && k >= count ? NO_NET : NEXT_NET;
    for (uint32_t i = 0; i < (by_head && rule == ORR_HEADS_OF_FIRST ? 1 : count) && after != NO_NET; i++) {
        const uint32_t net = s->starts.nodes[(turn + i) % count];
        if (!may_enter_by(s, net))
            continue;
        s->trial.nets[k][0] = s->system->nodes[net].id;
        s->trial.is.latency_inter = s->system->nodes[net].net.latency;
        charge_port(s, net, whole);
        s->entered[net]++;
        after = by_head ? start_at_head(s, net) : start_from(s, net);
        if (after == NEXT_NET_LEAKED)
            continue;
        charge_port(s, net, -whole);
        s->entered[net]--;
    }
}

void plain_start_channel(struct plain *s)
{
    if (s->trial.is.channels == s->release->max_channels) {
        s->overrun = true;
        s->steps = 0;
    } else if (s->inter) {
        start_with_nets(s);
    } else {
        start_without_nets(s);
    }
}
