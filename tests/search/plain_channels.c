/* SPDX-License-Identifier: Apache-2.0 */
/* One attempt of the plain search: channels are built one after the other, node by node, and every way is tried.
 *
 * An example: three GPUs, each joined to the two others, one host, a ring. Channel 0 begins at GPU 0, goes to 1, to 2
 * and back to 0, and takes its rate from three links: four steps. Channel 1 does the same again, if the links have as
 * much left; else it tries GPU 0, then 2, then 1, which takes the links of the other direction. */
#include <math.h>
#include <string.h>

#include "tests/search/plain_search.h"

/* ---- Reserving a hop ---- */

struct move {
    uint32_t from, to;
    float rate, times; /* GB/s; how often the hops count: 1, but for stars */
};

static void charge(float *capacity, float by)
{
    *capacity = roundf((*capacity - by) * 1000.0f) / 1000.0f;
}

/* Takes the rate of a move from the first `count` links of its path (gives it back if sign is -1); returns how many had
 * room. */
static uint32_t walk(struct plain *s, struct move m, uint32_t count, float sign)
{
    const struct orr_path *path = orr_path(s->paths, m.from, m.to);
    const struct orr_node *nodes = s->system->nodes;
    const bool from_gpu = nodes[m.from].type == ORR_GPU;
    float pci_rate = m.rate * sign;
    for (uint32_t i = 0; i < path->hops && from_gpu && path->type == ORR_PATH_PHB; i++) {
        const struct orr_node *by = &nodes[orr_path_node(s->paths, path, i)];
        if (by->type == ORR_CPU && by->cpu.arch == ORR_ARCH_X86 && by->cpu.vendor == ORR_VENDOR_INTEL)
            pci_rate = m.rate * sign * s->release->intel_overhead_up / s->release->intel_overhead_down;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t l = s->paths->links[path->first + i];
        const struct orr_link *link = &s->system->links[l];
        const struct orr_node *to = &nodes[link->to];
        const float there = link->type == ORR_LINK_PCI ? pci_rate : m.rate * sign;
        const bool power = to->type == ORR_CPU && (to->cpu.arch == ORR_ARCH_POWER || !s->release->power_cpu_only);
        const bool old = to->type == (s->release->has_devs ? ORR_DEV : ORR_GPU) && to->gpu.sm < 80 && !from_gpu;
        const float back = power && link->type == ORR_LINK_NVL ? there : old ? there / 8 : 0;
        float *way_back = back != 0 && link->reverse != ORR_NO_LINK ? &s->capacity[link->reverse] : NULL;
        if (sign > 0 && (s->capacity[l] < there || (way_back && *way_back < back)))
            return i;
        charge(&s->capacity[l], there);
        if (way_back)
            charge(way_back, back);
    }
    return count;
}

/* May the trial use the path of a move? */
static bool is_allowed(const struct plain *s, struct move m)
{
    const struct orr_node *nodes = s->system->nodes;
    const enum orr_pattern p = s->trial.is.pattern;
    const bool by_net = nodes[m.from].type == ORR_NET || nodes[m.to].type == ORR_NET;
    const int32_t limit = by_net ? s->trial.is.type_inter : s->trial.is.type_intra;
    const bool tree = p == ORR_PATTERN_BALANCED_TREE || p == ORR_PATTERN_SPLIT_TREE || p == ORR_PATTERN_TREE;
    if (orr_path(s->paths, m.from, m.to)->type >= ORR_PATH_DIS &&
        (s->release->checks_unreachable || !(s->paths->known_types[m.from] >> nodes[m.to].type & 1)))
        return false;
    return m.times != 1 || (type_of(s, m.from, m.to) <= limit &&
                            (!tree || !s->release->checks_way_back || type_of(s, m.to, m.from) <= limit));
}

/* Takes what a move needs; false if it is not possible, and nothing was taken. */
static bool take(struct plain *s, struct move m)
{
    const uint32_t hops = orr_path(s->paths, m.from, m.to)->hops;
    if (!hops && s->release->empty_paths_are_free)
        return true;
    if (!is_allowed(s, m))
        return false;
    const uint32_t done = walk(s, m, hops, 1);
    if (done < hops)
        (void)walk(s, m, done, -1);
    else
        s->trial.is.hops = (int32_t)((float)s->trial.is.hops + m.times * (float)hops);
    return done == hops;
}

static void give(struct plain *s, struct move m)
{
    const uint32_t hops = orr_path(s->paths, m.from, m.to)->hops;
    (void)walk(s, m, hops, -1);
    s->trial.is.hops = (int32_t)((float)s->trial.is.hops - m.times * (float)hops);
}

/* ---- Which GPU comes next ---- */

int32_t plain_pci_left(const struct plain *s, uint32_t gpu)
{
    const struct orr_node *nodes = s->system->nodes;
    const struct orr_link *links = s->system->links;
    const uint32_t node = s->release->has_devs ? links[nodes[gpu].first_link].to : gpu;
    uint32_t l = nodes[node].first_link, end = l + nodes[node].link_count, back;
    while (l < end && links[l].type != ORR_LINK_PCI)
        l++;
    if (l == end)
        return -1;
    for (back = nodes[links[l].to].first_link; links[back].to != node;)
        back++; /* of any type, unlike links[l].reverse */
    return (int32_t)fminf(s->capacity[l], s->capacity[back]);
}

enum { KEYS = 5 }; /* the page's last key, the distance, needs no place: GPUs are added in that order */

/* By keys of which the most important comes first; more is better. */
static bool is_before(const int32_t a[KEYS], const int32_t b[KEYS])
{
    int i = 0;
    while (i < KEYS - 1 && a[i] == b[i])
        i++;
    return a[i] > b[i];
}

/* All that are not in the channel, the best first; or the worst, if they differ by distance alone. */
static struct plain_list sorted_gpus(const struct plain *s, uint32_t x, uint32_t p, uint32_t to_net)
{
    int32_t keys[PLAIN_MOST_GPUS][KEYS]; /* [GPU] */
    struct plain_list list = {0}, back = {0};
    bool reversed = to_net != PLAIN_NOWHERE && to_net != p + 1;
    for (uint32_t i = 1; i < s->n; i++) {
        const uint32_t y = (x + i) % s->n;
        const struct orr_path *path = orr_path(s->paths, x, y);
        if (!path->hops || s->used[s->trial.is.channels][y])
            continue;
        memcpy(keys[y], (int32_t[KEYS]){0, 0, 0, (int32_t)path->bw, -(int32_t)path->hops}, sizeof keys[y]);
        if (to_net != PLAIN_NOWHERE) {
            const uint32_t net = orr_net_of_id(s->system, s->trial.nets[s->trial.is.channels][0]);
            keys[y][0] = (int32_t)orr_path(s->paths, net, y)->bw;
            keys[y][1] = plain_pci_left(s, y);
            keys[y][2] = -(int32_t)orr_path(s->paths, net, y)->hops;
        }
        uint32_t at = list.count++;
        for (; at > 0 && is_before(keys[y], keys[list.nodes[at - 1]]); at--)
            list.nodes[at] = list.nodes[at - 1];
        list.nodes[at] = y;
    }
    for (uint32_t i = 0; i < list.count; i++) {
        reversed = reversed && !memcmp(&keys[list.nodes[i]][3], &keys[list.nodes[0]][3], 2 * sizeof(int32_t));
        append(&back, list.nodes[list.count - 1 - i]);
    }
    return reversed ? back : list;
}

/* With NVSwitches the neighbours come first, or alone. */
static struct plain_list next_gpus(const struct plain *s, uint32_t x, uint32_t p, uint32_t to_net)
{
    const enum orr_neighbours rule = s->has_nvs ? s->release->switch_neighbours : ORR_NEIGHBOURS_NONE;
    const bool ring = s->trial.is.pattern == ORR_PATTERN_RING, tree = s->trial.is.pattern == ORR_PATTERN_TREE;
    const uint32_t after = (x + 1) % s->n, before = (x + s->n - 1) % s->n;
    const uint32_t neighbours[] = {ring ? before : after, ring ? after : before};
    const struct plain_list sorted = sorted_gpus(s, x, p, to_net);
    struct plain_list list = {0};
    for (int i = 0; i < (rule == ORR_NEIGHBOURS_NONE ? 0 : tree ? 1 : 2); i++)
        if (contains(&sorted, neighbours[i]))
            append(&list, neighbours[i]);
    for (uint32_t i = 0; i < sorted.count && rule != ORR_NEIGHBOURS_ONLY; i++)
        append(&list, sorted.nodes[i]);
    return list;
}

/* ---- NVLS and CollNet direct ---- */

static void visit(struct plain *s, uint32_t x, uint32_t p, uint32_t to_net, enum order order);

/* All moves from the centre to the GPUs, and from them to it. */
static void star(struct plain *s, uint32_t head)
{
    const bool nvls = s->trial.is.pattern == ORR_PATTERN_NVLS;
    const uint32_t centre = nvls ? s->system->first[ORR_NVS] : head;
    uint32_t done = 0, position = 1;
    struct move moves[2 * PLAIN_MOST_GPUS];
    if (nvls && !orr_paths_has(s->paths, centre))
        return;
    for (uint32_t g = 0; g < s->n; g++) {
        const float times = !nvls ? (float)(1.0 / (s->n - 1)) : g == head ? 2 : 1;
        moves[g] = (struct move){centre, g, s->trial.is.bw_intra * times, times};
        moves[s->n + g] = (struct move){g, centre, s->trial.is.bw_intra * times, times};
        if (!nvls && g != head)
            s->trial.gpus[s->trial.is.channels][position++] = g;
    }
    while (done < 2 * s->n && take(s, moves[done]))
        done++;
    if (done == 2 * s->n)
        visit(s, PLAIN_NOWHERE, s->n, PLAIN_NOWHERE, FREE);
    while (done-- > 0)
        give(s, moves[done]);
}

/* ---- Building a channel ---- */

static void complete(struct plain *s)
{
    s->trial.is.channels++;
    if (plain_is_better(s)) {
        s->best = s->trial;
        if (s->best.is.channels == s->best.is.max_channels)
            s->steps = -1;
    }
    if (s->trial.is.channels < s->trial.is.max_channels)
        plain_start_channel(s);
    s->trial.is.channels--;
}

/* From the GPU at position p. */
static void leave_by_nets(struct plain *s, uint32_t x, uint32_t p, enum order order)
{
    const bool balanced = s->trial.is.pattern == ORR_PATTERN_BALANCED_TREE;
    int64_t *exit = &s->trial.nets[s->trial.is.channels][1];
    for (uint32_t i = 0; i < s->exits[x].count; i++) {
        const uint32_t net = s->exits[x].nodes[i];
        const struct move move = {x, net, s->trial.is.bw_inter / (balanced ? 2 : 1), 1};
        const int64_t id = s->system->nodes[net].id;
        if ((balanced && p == 1 && id != *exit) || !plain_may_leave_by(s, net) || !take(s, move))
            continue;
        *exit = id;
        visit(s, x, p, balanced && p == 0 ? 1 : PLAIN_NOWHERE, order);
        give(s, move);
    }
}

/* From a NIC, a GPU or PLAIN_NOWHERE to the GPU y, which is at position p then; n: back at the first. */
static void go_to(struct plain *s, uint32_t from, uint32_t y, uint32_t p, uint32_t to_net, enum order order)
{
    const struct move move = {from, y, p == 0 ? s->trial.is.bw_inter : s->trial.is.bw_intra, 1};
    bool *used = &s->used[s->trial.is.channels][y];
    if (from != PLAIN_NOWHERE && !take(s, move))
        return;
    *used ^= p < s->n;
    visit(s, y, p, to_net, order);
    *used ^= p < s->n;
    if (from != PLAIN_NOWHERE)
        give(s, move);
}

/* The GPU x is at position p; at position to_net the channel leaves to a NIC. */
static void visit(struct plain *s, uint32_t x, uint32_t p, uint32_t to_net, enum order order)
{
    const int32_t k = s->trial.is.channels;
    const enum orr_pattern pattern = s->trial.is.pattern;
    if (s->steps <= 0)
        return;
    s->steps--;
    if (p == s->n) {
        complete(s);
        return;
    }
    s->trial.gpus[k][p] = x;
    if (p == to_net) {
        leave_by_nets(s, x, p, order);
    } else if (pattern == ORR_PATTERN_NVLS || pattern == ORR_PATTERN_COLLNET_DIRECT) {
        star(s, x);
    } else if (p + 1 < s->n && order == FREE) {
        const struct plain_list list = next_gpus(s, x, p, to_net);
        for (uint32_t i = 0; i < list.count; i++)
            go_to(s, x, list.nodes[i], p + 1, to_net, order);
    } else if (p + 1 < s->n) {
        go_to(s, x, order == IN_ORDER ? p + 1 : s->trial.gpus[k - 1][p + 1], p + 1, to_net, order);
    } else if (pattern == ORR_PATTERN_RING && !s->inter) {
        go_to(s, x, s->trial.gpus[k][0], p + 1, to_net, order);
    } else {
        visit(s, x, s->n, to_net, order);
    }
}

void plain_enter(struct plain *s, uint32_t net, uint32_t gpu, enum order order)
{
    const enum orr_pattern pattern = s->trial.is.pattern;
    const uint32_t to_net = pattern == ORR_PATTERN_RING ? s->n - 1 : pattern == ORR_PATTERN_SPLIT_TREE ? 1 : 0;
    go_to(s, net, gpu, 0, s->inter ? to_net : PLAIN_NOWHERE, order);
}
