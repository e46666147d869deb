/* SPDX-License-Identifier: Apache-2.0 */
/* Where a channel may start. Rules: docs/nccl/search.md, "Where a channel starts".
 *
 * Channels start from every NIC of the list in turn, or from every GPU if the channels stay in the host. The first try
 * repeats the order of the channel before (the only try if all channels have one order); the second follows the order
 * of the graph, with steps of its own; then all orders are tried.
 *
 * An example: NIC 0 of 25 GB/s and a rate of 12. Channel 0 enters by NIC 0, which has 13 left. Channel 1 enters by it
 * as well. Channel 2 finds only 1 left and tries NIC 1. */
#include "engine/release/release.h"
#include "engine/search/reserve.h"
#include "engine/search/seen.h"

enum { PCI_ORDER_STEPS = 1024 };

static uint32_t first_gpu_of(const struct orr_search_state *s, int32_t channel)
{
    return s->trial.gpus[(size_t)channel * s->input.n];
}

static void start_without_nets(struct orr_search_state *s, int32_t *budget)
{
    int32_t k = s->trial.channels;
    if (s->trial.pattern == ORR_PATTERN_NVLS) {
        orr_search_enter(s, -1, (uint32_t)k, ORR_FREE, budget);
        return;
    }
    if (k == 0)
        orr_search_enter(s, -1, 0, ORR_PCI_ORDER, budget);
    else
        orr_search_enter(s, -1, first_gpu_of(s, k - 1), ORR_REPLAY, budget);
    if (k > 0 && s->trial.same_channels)
        return;
    struct orr_place_in_attempt place = {.hash = orr_seen_hash(s), .net = -1};
    if (orr_seen_before(s, place, budget))
        return;
    int64_t before = orr_seen_steps(s, budget);
    for (uint32_t g = 0; g < s->input.n; g++)
        orr_search_enter(s, -1, g, ORR_FREE, budget);
    orr_seen_note(s, place, before, budget);
}

/* The release that mistakes NICs for GPUs reads past the end of its list. It finds zeroes up to the end of the memory
 * block, whose size is a multiple of 16 bytes minus 8, and at least 24. */
static int32_t zeroed_entries(const struct orr_search_state *s)
{
    enum { ENTRY = 4, STEP = 16, HEADER = 8, LEAST = 24 };
    uint32_t bytes = (ENTRY * s->input.net_count + HEADER + STEP - 1) / STEP * STEP - HEADER;
    return (int32_t)((bytes > LEAST ? bytes : LEAST) / ENTRY);
}

/* The NIC at the channel's number in the list; beyond the end of the list it is NIC 0. */
static int16_t listed_net(const struct orr_search_state *s)
{
    bool listed = s->trial.channels < (int32_t)s->facts.start_nets.count_at[s->trial.type_inter];
    return listed ? s->facts.start_nets.nets[s->trial.channels] : 0;
}

enum head_start { HEAD_DONE, HEAD_NEXT, HEAD_NEXT_LEAKED }; /* whether to start at the next NIC, too */

/* A channel of NVLS or CollNetDirect starts at a NIC's local GPU; which NIC's depends on the release. */
static enum head_start start_at_head(struct orr_search_state *s, int16_t net, int32_t *budget)
{
    enum orr_start_heads rule = s->input.system->release->start_heads;
    int16_t of_channel = listed_net(s);
    int32_t head = s->input.paths->local_gpu[rule == ORR_HEADS_OF_LIST ? of_channel : net];
    bool once = rule == ORR_HEADS_ONCE || rule == ORR_HEADS_NEXT;
    if (rule == ORR_HEADS_BY_NET_INDEX)
        head = s->trial.channels < zeroed_entries(s) && of_channel < (int32_t)s->input.n ? of_channel : -1;
    for (int32_t c = 0; head >= 0 && once && c < s->trial.channels; c++)
        if (first_gpu_of(s, c) == (uint32_t)head)
            return rule == ORR_HEADS_ONCE ? HEAD_NEXT_LEAKED : HEAD_NEXT;
    if (head < 0)
        return rule == ORR_HEADS_OF_FIRST || rule == ORR_HEADS_ONCE ? HEAD_DONE : HEAD_NEXT;
    if (rule == ORR_HEADS_BY_NET_INDEX || rule == ORR_HEADS_OF_LIST) {
        orr_search_enter(s, -1, (uint32_t)head, ORR_FREE, budget);
        return HEAD_NEXT;
    }
    orr_search_enter(s, net, (uint32_t)head, ORR_FREE, budget);
    return HEAD_DONE;
}

/* The first channel tries the GPUs in index order, under a budget of its own, which is not counted. */
static void start_in_order(struct orr_search_state *s, int16_t net, int32_t *budget)
{
    if (s->trial.channels || s->attempt.ended || s->attempt.counting ||
        (s->facts.has_nvs && s->input.system->release->switch_skips_order))
        return;
    int32_t own = PCI_ORDER_STEPS;
    orr_search_enter(s, net, 0, ORR_PCI_ORDER, &own);
    if (own == -1)
        *budget = -1;
}

/* Tries all GPUs nearest to the NIC, in some releases the NIC's local GPU first; false if the NIC reaches none. */
static bool start_near(struct orr_search_state *s, int16_t net, int32_t *budget)
{
    const struct orr_near *near = &s->facts.near_gpus[net];
    bool head_first = s->input.system->release->start_gpus == ORR_START_LOCAL_GPU;
    int32_t head = head_first ? s->input.paths->local_gpu[net] : -1;
    if (head >= 0)
        orr_search_enter(s, net, (uint32_t)head, ORR_FREE, budget);
    if (near->type == ORR_PATH_DIS)
        return false;
    for (uint32_t i = 0; i < near->count; i++)
        if (near->gpus[i] != head)
            orr_search_enter(s, net, near->gpus[i], ORR_FREE, budget);
    return true;
}

/* For releases before 2.23: tries the nearest GPUs only if they are fast enough, either beginning with the channel's
 * number, or in two rounds, of which the first tries GPUs with PCI rate left. */
static void start_fastest(struct orr_search_state *s, int16_t net, float needed, int32_t *budget)
{
    const struct orr_near *near = &s->facts.near_gpus[net];
    const uint16_t *gpus = near->gpus, count = near->count;
    if (near->bw < needed)
        return;
    if (s->input.system->release->start_gpus == ORR_START_TWO_ROUNDS) {
        for (int later = 0; later < 2; later++)
            for (uint16_t i = 0; i < count; i++)
                if ((orr_search_pci_bw_left(s, gpus[i]) <= 0) == later)
                    orr_search_enter(s, net, gpus[i], ORR_FREE, budget);
        return;
    }
    uint16_t first = 0;
    while (first < count && gpus[first] < (uint32_t)s->trial.channels % s->input.n)
        first++;
    for (uint16_t i = first; i < count; i++)
        orr_search_enter(s, net, gpus[i], ORR_FREE, budget);
    for (uint16_t i = 0; i < first; i++)
        orr_search_enter(s, net, gpus[i], ORR_FREE, budget);
}

/* Takes bandwidth from a card's port, which its NETs share, or gives it back. */
static void charge_card(struct orr_search_state *s, int16_t net, float amount)
{
    int16_t other = net;
    do
        s->left.net_bw[other] += amount;
    while ((other = s->facts.next_of_card[other]) != net);
}

/* May the channel being started enter by this NIC? */
static bool may_enter_by(struct orr_search_state *s, int16_t net, float needed)
{
    const struct orr_trial *t = &s->trial;
    const struct orr_release *release = s->input.system->release;
    int32_t k = t->channels;
    if (t->collnet && !s->input.system->nodes[orr_net_node(s, (uint32_t)net)].net.coll)
        return false;
    if (s->left.net_bw[net] < needed)
        return false;
    if (release->counts_connections && s->left.net_connections[net] <= 0)
        return false;
    if (!(k & 1) || s->facts.net_of_id[net] == t->nets[k - 1][1])
        return true;
    bool pairs_rings = release->nic_pairs == ORR_PAIRS_RINGS && t->pattern == ORR_PATTERN_RING;
    return !(pairs_rings ? t->cross_nic == 2 : release->nic_pairs == ORR_PAIRS_ALL && t->cross_nic);
}

/* Is the order of the channel before tried first? */
static bool replays(const struct orr_search_state *s)
{
    return s->trial.channels > 0 && (s->trial.same_channels || s->input.system->release->replays_first);
}

/* Makes all tries in a free order from one entry NIC; false if NCCL fails to give the card's bandwidth back. */
static bool start_freely(struct orr_search_state *s, int16_t net, float needed, int32_t *budget)
{
    if (s->input.system->release->start_gpus >= ORR_START_NEAREST)
        return start_near(s, net, budget);
    start_fastest(s, net, needed, budget);
    return true;
}

static void start_as_before(struct orr_search_state *s, int16_t net, int32_t *budget)
{
    if (replays(s))
        orr_search_enter(s, net, first_gpu_of(s, s->trial.channels - 1), ORR_REPLAY, budget);
}

/* Makes all tries from one entry NIC; false if NCCL fails to give the card's bandwidth back. */
static bool start_from(struct orr_search_state *s, int16_t net, float needed, uint64_t *hash, int32_t *budget)
{
    int32_t k = s->trial.channels;
    start_as_before(s, net, budget);
    if (k > 0 && s->trial.same_channels)
        return true;
    if (*hash == ORR_SEEN_NO_HASH)
        *hash = orr_seen_hash(s);
    struct orr_place_in_attempt place = {
        .hash = *hash, .net = net, .back = k & 1 ? s->trial.nets[k - 1][0] : (int16_t)-1};
    if (orr_seen_before(s, place, budget))
        return true;
    int64_t before = orr_seen_steps(s, budget);
    start_in_order(s, net, budget);
    bool gives_back = start_freely(s, net, needed, budget);
    orr_seen_note(s, place, before, budget);
    return gives_back;
}

static void start_with_nets(struct orr_search_state *s, int32_t *budget)
{
    struct orr_trial *t = &s->trial;
    const struct orr_release *release = s->input.system->release;
    int32_t k = t->channels;
    bool by_head = s->attempt.star && release->start_heads != ORR_HEADS_AS_OTHERS;
    uint32_t count = s->facts.start_nets.count_at[t->type_inter], first = release->rotates_start_nets ? (uint32_t)k : 0;
    float needed = (float)(int32_t)t->bw_inter;
    enum head_start head = HEAD_NEXT;
    uint64_t hash = ORR_SEEN_NO_HASH;
    if (by_head && k >= (int32_t)count && release->start_heads != ORR_HEADS_BY_NET_INDEX)
        return;
    first = count ? first % count : 0;
    for (uint32_t i = 0, at = first; i < count && head != HEAD_DONE; i++, at = at + 1 < count ? at + 1 : 0) {
        int16_t net = s->facts.start_nets.nets[at];
        if (by_head && i && release->start_heads == ORR_HEADS_OF_FIRST)
            break;
        if (!may_enter_by(s, net, needed))
            continue;
        t->nets[k][0] = s->facts.net_of_id[net];
        t->latency_inter = s->facts.near_gpus[net].latency;
        charge_card(s, net, -needed);
        s->left.net_connections[net]--;
        if (by_head && (head = start_at_head(s, net, budget)) == HEAD_NEXT_LEAKED) {
            s->attempt.leaked = true;
            continue;
        }
        if (!by_head && !start_from(s, net, needed, &hash, budget)) {
            s->attempt.leaked = true;
            continue;
        }
        charge_card(s, net, needed);
        s->left.net_connections[net]++;
    }
}

void orr_search_channels(struct orr_search_state *s, int32_t *budget)
{
    if (s->trial.channels == s->input.system->release->max_channels) {
        s->budget.overrun = true;
        s->budget.later = 0;
        *budget = 0;
        return;
    }
    if (s->input.inter)
        start_with_nets(s, budget);
    else
        start_without_nets(s, budget);
}
