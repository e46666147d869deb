/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which the next GPU of a channel is tried: docs/nccl/search.md, "Which GPU comes next".
 *
 * If the order does not depend on a NIC, it depends on the system alone, so each GPU has one list of the others.
 * Otherwise the GPUs that the limits leave are sorted at each visit, because the capacity left on their PCI links
 * changes. All keys are whole numbers, so one integer holds them.
 *
 * An example: a channel that entered by NIC 0 is at GPU 0 and must leave to a NIC. GPU 1 shares a switch with NIC 0,
 * GPU 2 does not: NIC 0 reaches GPU 1 at 24 GB/s and GPU 2 at 12, so GPU 1 is tried first, regardless of the paths from
 * GPU 0. */
#include <string.h>

#include "engine/release/release.h"
#include "engine/search/reserve.h"

/* The score of a GPU as the next one, most important key first: rate from the entry NIC, PCI rate left, hops from the
 * NIC, then the order by distance. All are whole numbers, packed into one integer so that a larger one is better. */
enum { DISTANCE_BITS = 10, HOP_BITS = 13, PCI_BITS = 21, NET_BW_BITS = 20 };
enum { HOP_SHIFT = DISTANCE_BITS, PCI_SHIFT = HOP_SHIFT + HOP_BITS, NET_BW_SHIFT = PCI_SHIFT + PCI_BITS };

static inline uint64_t field(int64_t value, int bits, int shift)
{
    int64_t largest = (INT64_C(1) << bits) - 1;
    return (uint64_t)(value < 0 ? 0 : value > largest ? largest : value) << shift;
}

void orr_search_score_nets(struct orr_search_state *s)
{
    for (uint32_t net = 0; net < s->input.net_count; net++)
        for (uint32_t gpu = 0; gpu < s->input.n; gpu++) {
            const struct orr_path *path = orr_path(s->input.paths, orr_net_node(s, net), orr_gpu_node(s, gpu));
            s->facts.net_score[(size_t)net * s->input.n + gpu] =
                field((int32_t)path->bw, NET_BW_BITS, NET_BW_SHIFT) |
                field(((1 << HOP_BITS) - 1) - (int64_t)path->hops, HOP_BITS, HOP_SHIFT) |
                field(INT64_MAX, DISTANCE_BITS, 0);
        }
}

/* Are all unused GPUs equally far from x? They are in order of distance, so comparing the ends is enough. */
static bool are_alike(struct orr_search_state *s, uint32_t x)
{
    const uint16_t *others = &s->facts.by_distance[(size_t)x * s->input.n],
                   *class = &s->facts.distance_class[(size_t)x * s->input.n];
    const uint8_t *used = s->channel.used;
    uint32_t first = 0, end = s->facts.by_distance_count[x];
    while (first < end && used[others[first]])
        first++;
    while (end > first && used[others[end - 1]])
        end--;
    return first == end || class[first] == class[end - 1];
}

static uint32_t by_net(struct orr_search_state *s, uint32_t x, uint16_t *list)
{
    const uint16_t *open = &s->attempt.open[(size_t)x * s->input.n];
    const uint64_t *net_score = &s->facts.net_score[(size_t)s->trial.nets[s->trial.channels][0] * s->input.n];
    const uint8_t *used = s->channel.used;
    uint64_t *scores = s->channel.scores;
    uint32_t count = 0, open_count = s->attempt.open_count[x];
    for (uint32_t i = 0; i < open_count; i++) {
        uint16_t y = open[i];
        if (used[y])
            continue;
        uint64_t pci = (uint64_t)(uint32_t)(orr_search_pci_bw_left(s, y) + 1) << PCI_SHIFT;
        uint64_t score = (net_score[y] | pci) - i;
        uint32_t at = count++;
        for (; at > 0 && score > scores[at - 1]; at--) {
            scores[at] = scores[at - 1];
            list[at] = list[at - 1];
        }
        scores[at] = score;
        list[at] = y;
    }
    return count;
}

/* Do the trial's limits allow a leg? */
static bool is_open(const struct orr_search_state *s, const struct orr_leg *leg, enum orr_rate_kind kind)
{
    const struct orr_rate *rate = &s->left.rates[kind];
    return leg->state >= ORR_LEG_FREE ? leg->state == ORR_LEG_FREE : leg->type[rate->both_ways] <= rate->limit;
}

static void open_gpus(struct orr_search_state *s, uint32_t x, const uint16_t *others, uint32_t count)
{
    uint16_t *open = &s->attempt.open[(size_t)x * s->input.n];
    s->attempt.open_count[x] = 0;
    for (uint32_t i = 0; i < count; i++)
        if (is_open(s, &s->facts.between[(size_t)x * s->input.n + others[i]], ORR_RATE_INTRA))
            open[s->attempt.open_count[x]++] = others[i];
}

/* The neighbours of a GPU by index, the first to be tried first: one or two. */
static uint32_t neighbours_of(const struct orr_search_state *s, uint32_t x, uint16_t order[2])
{
    uint16_t next = (uint16_t)(x + 1 < s->input.n ? x + 1 : 0), previous = (uint16_t)(x > 0 ? x - 1 : s->input.n - 1);
    bool ring = s->trial.pattern == ORR_PATTERN_RING, one = s->trial.pattern == ORR_PATTERN_TREE;
    order[0] = ring ? previous : next;
    order[1] = ring ? next : previous;
    return one || next == previous ? 1 : 2;
}

/* Moves those neighbours of a GPU that are in a list to the front of the list. */
static void put_neighbours_first(const struct orr_search_state *s, uint32_t x, uint16_t *list, uint32_t count)
{
    uint16_t order[2];
    for (uint32_t n = neighbours_of(s, x, order); n-- > 0;)
        for (uint32_t i = 0; i < count; i++)
            if (list[i] == order[n]) {
                memmove(list + 1, list, i * sizeof *list);
                list[0] = order[n];
            }
}

/* With NVSwitches only the neighbours by index are tried. */
static void open_neighbours(struct orr_search_state *s, uint32_t x)
{
    uint16_t order[2], others[2];
    uint32_t count = 0;
    for (uint32_t i = 0, most = neighbours_of(s, x, order); i < most; i++)
        if (s->facts.between[(size_t)x * s->input.n + order[i]].hops)
            others[count++] = order[i];
    open_gpus(s, x, others, count);
}

static void open_exits(struct orr_search_state *s, uint32_t x)
{
    enum orr_rate_kind exit = s->trial.pattern == ORR_PATTERN_BALANCED_TREE ? ORR_RATE_INTER_HALF : ORR_RATE_INTER;
    const size_t row = (size_t)x * s->input.net_count;
    s->attempt.open_exit_count[x] = 0;
    for (uint32_t i = 0; i < s->facts.exit_nets[x].count_at[s->trial.type_inter]; i++) {
        int16_t net = s->facts.exit_nets[x].nets[i];
        if (is_open(s, &s->facts.exits[(size_t)net * s->input.n + x], exit))
            s->attempt.open_exits[row + s->attempt.open_exit_count[x]++] = net;
    }
}

void orr_search_open(struct orr_search_state *s)
{
    for (uint32_t x = 0; x < s->input.n; x++) {
        if (s->facts.neighbours_only && !s->attempt.star)
            open_neighbours(s, x);
        else if (!s->attempt.star)
            open_gpus(s, x, &s->facts.by_distance[(size_t)x * s->input.n], s->facts.by_distance_count[x]);
        if (s->facts.neighbours_first && !s->attempt.star)
            put_neighbours_first(s, x, &s->attempt.open[(size_t)x * s->input.n], s->attempt.open_count[x]);
        if (s->input.inter && s->input.net_count)
            open_exits(s, x);
    }
}

uint32_t orr_search_candidates(struct orr_search_state *s, uint32_t x, bool net_is_next, uint16_t *list)
{
    uint32_t count = by_net(s, x, list);
    if (!net_is_next && count > 1 && are_alike(s, x)) /* alike in everything but the NIC */
        for (uint32_t i = 0; i < count / 2; i++) {
            uint16_t other = list[i];
            list[i] = list[count - 1 - i];
            list[count - 1 - i] = other;
        }
    if (s->facts.neighbours_first)
        put_neighbours_first(s, x, list, count);
    return count;
}
