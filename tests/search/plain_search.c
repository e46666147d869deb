/* SPDX-License-Identifier: Apache-2.0 */
/* One attempt of the plain search: channels are built one after the other, node by node, and every way is tried. The
 * headings are those of docs/nccl/search.md; what is done follows it sentence by sentence.
 *
 * An example: three GPUs, each joined to the two others, one host, a ring. Channel 0 begins at GPU 0, goes to 1, to 2
 * and back to 0, and takes its rate from three links: four steps. Channel 1 does the same again, if the links have as
 * much left; else it tries GPU 0, then 2, then 1, which takes the links of the other direction. */
#include "tests/search/plain_search.h"

#include <math.h>
#include <string.h>

#include "tests/search/plain_state.h"

/* Where the channel being built is to leave to a NIC, and to close to its first GPU: positions, -1: nowhere. */
struct plan {
    int to_net, to_first;
    enum order order;
};

static void visit(struct plain *s, int x, int p, struct plan plan, int32_t *steps);

/* ---- Reserving a hop ---- */

struct move {
    uint32_t from, to; /* nodes */
    float rate, times; /* GB/s; how often the hops count: 1, but for stars */
    int32_t limit;     /* the farthest type of path, for single ones */
};

static struct move inside(const struct plain *s, uint32_t from, uint32_t to, float times)
{
    return (struct move){from, to, s->trial.bw_intra * times, times, s->trial.type_intra};
}

static struct move to_or_from_net(const struct plain *s, uint32_t from, uint32_t to, float part)
{
    return (struct move){from, to, s->trial.bw_inter / part, 1, s->trial.type_inter};
}

static void change(float *capacity, float by)
{
    *capacity = roundf((*capacity + by) * 1000.0f) / 1000.0f;
}

/* On a PHB path from a GPU by an Intel CPU, PCI links carry more. */
static bool pays_overhead(const struct plain *s, const struct orr_path *path, struct move m)
{
    bool intel = false;
    for (uint32_t i = 0; i < path->hops; i++) {
        const struct orr_node *node = &s->system->nodes[orr_path_node(s->paths, path, i)];
        intel =
            intel || (node->type == ORR_CPU && node->cpu.arch == ORR_ARCH_X86 && node->cpu.vendor == ORR_VENDOR_INTEL);
    }
    return intel && path->type == ORR_PATH_PHB && s->system->nodes[m.from].type == ORR_GPU;
}

/* Takes the rate of a move from the first `count` links of its path (sign -1: gives it back); returns how many had
 * room. */
static uint32_t walk(struct plain *s, struct move m, uint32_t count, float sign)
{
    const struct orr_path *path = orr_path(s->paths, m.from, m.to);
    const enum orr_node_type device = s->release->has_devs ? ORR_DEV : ORR_GPU;
    const float rate = m.rate * sign, up = s->release->intel_overhead_up, down = s->release->intel_overhead_down;
    const float pci_rate = pays_overhead(s, path, m) ? rate * up / down : rate;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t l = s->paths->links[path->first + i];
        const struct orr_link *link = &s->system->links[l];
        const struct orr_node *to = &s->system->nodes[link->to];
        const bool power = to->type == ORR_CPU && (to->cpu.arch == ORR_ARCH_POWER || !s->release->power_cpu_only);
        const float there = link->type == ORR_LINK_PCI ? pci_rate : rate;
        float back = 0;
        if (to->type == device && to->gpu.sm < 80 && s->system->nodes[m.from].type != ORR_GPU)
            back += there / 8;
        if (power && link->type == ORR_LINK_NVL)
            back += there;
        float *way_back = back != 0 && link->reverse != ORR_NO_LINK ? &s->capacity[link->reverse] : NULL;
        if (sign > 0 && (s->capacity[l] < there || (way_back && *way_back < back)))
            return i;
        change(&s->capacity[l], -there);
        if (way_back)
            change(way_back, -back);
    }
    return count;
}

/* Whether a node has a path to any other of a type. */
static bool reaches_some(const struct plain *s, uint32_t from, enum orr_node_type type)
{
    for (uint32_t to = s->system->first[type]; to < s->system->first[type + 1]; to++)
        if (orr_path(s->paths, from, to)->type < ORR_PATH_DIS)
            return true;
    return false;
}

/* Takes what a move needs. false: it is not possible, and nothing was taken. */
static bool take(struct plain *s, struct move m)
{
    const struct orr_path *path = orr_path(s->paths, m.from, m.to);
    const enum orr_pattern pattern = s->trial.pattern;
    const bool both_ways =
        s->release->checks_way_back &&
        (pattern == ORR_PATTERN_BALANCED_TREE || pattern == ORR_PATTERN_SPLIT_TREE || pattern == ORR_PATTERN_TREE);
    if (s->release->empty_paths_are_free && !path->hops)
        return true;
    if (path->type >= ORR_PATH_DIS &&
        (s->release->checks_unreachable || !reaches_some(s, m.from, s->system->nodes[m.to].type)))
        return false;
    if (m.times == 1 && (type_of(s, m.from, m.to) > m.limit || (both_ways && type_of(s, m.to, m.from) > m.limit)))
        return false;
    const uint32_t done = walk(s, m, path->hops, 1);
    if (done < path->hops)
        (void)walk(s, m, done, -1);
    else
        s->trial.hops = (int32_t)((float)s->trial.hops + m.times * (float)path->hops);
    return done == path->hops;
}

static void give(struct plain *s, struct move m)
{
    const uint32_t hops = orr_path(s->paths, m.from, m.to)->hops;
    (void)walk(s, m, hops, -1);
    s->trial.hops = (int32_t)((float)s->trial.hops - m.times * (float)hops);
}

/* ---- Which GPU comes next ---- */

struct score {
    int gpu;
    int32_t keys[6]; /* the most important first; more is better */
};

/* What is left of a GPU's PCI link in whole GB/s; -1: it has none. */
int32_t plain_pci_left(const struct plain *s, int gpu)
{
    const struct orr_node *nodes = s->system->nodes;
    const struct orr_link *links = s->system->links;
    const uint32_t node = s->release->has_devs ? links[gpu_of(s, gpu)->first_link].to : gpu_node(s, gpu);
    uint32_t l = nodes[node].first_link, end = l + nodes[node].link_count;
    while (l < end && links[l].type != ORR_LINK_PCI)
        l++;
    if (l == end)
        return -1;
    const struct orr_node *far = &nodes[links[l].to];
    float least = s->capacity[l];
    for (uint32_t back = far->first_link + far->link_count; back-- > far->first_link;)
        if (links[back].to == node) /* the first of them counts */
            least = fminf(s->capacity[l], s->capacity[back]);
    return (int32_t)least;
}

static bool is_before(const struct score *a, const struct score *b)
{
    int i = 0;
    while (i < 5 && a->keys[i] == b->keys[i])
        i++;
    return a->keys[i] > b->keys[i];
}

/* With NVSwitches the neighbours come first, or alone. Returns how many GPUs the list has then. */
static int with_neighbours(const struct plain *s, int x, int *list, int count)
{
    const int next = (x + 1) % s->n, previous = (x - 1 + s->n) % s->n;
    const bool ring = s->trial.pattern == ORR_PATTERN_RING, one = s->trial.pattern == ORR_PATTERN_TREE;
    const int neighbours[] = {ring ? previous : next, ring ? next : previous};
    int found = 0;
    if (!s->has_nvs || s->release->switch_neighbours == ORR_NEIGHBOURS_NONE)
        return count;
    for (int i = 0; i < (one || next == previous ? 1 : 2); i++)
        for (int at = found; at < count; at++)
            if (list[at] == neighbours[i]) {
                memmove(list + found + 1, list + found, (size_t)(at - found) * sizeof *list);
                list[found++] = neighbours[i];
            }
    return s->release->switch_neighbours == ORR_NEIGHBOURS_ONLY ? found : count;
}

static int next_gpus(const struct plain *s, int x, int p, int to_net, int *list)
{
    struct score scores[PLAIN_MOST_GPUS];
    bool reversed = to_net != -1 && to_net != p + 1;
    int count = 0;
    for (int i = 1; i < s->n; i++) {
        const int y = (x + i) % s->n;
        const struct orr_path *path = orr_path(s->paths, gpu_node(s, x), gpu_node(s, y));
        if (!path->hops || s->used[s->trial.channels][y])
            continue;
        struct score score = {y, {0, 0, 0, (int32_t)path->bw, -(int32_t)path->hops, -i}};
        if (to_net != -1) {
            const uint32_t net = net_node(s, s->trial.nets[s->trial.channels][0]);
            const struct orr_path *entry = orr_path(s->paths, net, gpu_node(s, y));
            score.keys[0] = (int32_t)entry->bw;
            score.keys[1] = plain_pci_left(s, y);
            score.keys[2] = -(int32_t)entry->hops;
        }
        int at = count++;
        for (; at > 0 && is_before(&score, &scores[at - 1]); at--)
            scores[at] = scores[at - 1];
        scores[at] = score;
    }
    for (int i = 1; i < count; i++)
        reversed = reversed && scores[i].keys[3] == scores[0].keys[3] && scores[i].keys[4] == scores[0].keys[4];
    for (int i = 0; i < count; i++)
        list[i] = scores[reversed ? count - 1 - i : i].gpu;
    return with_neighbours(s, x, list, count);
}

/* ---- When a result is better ---- */

static bool is_better(const struct plain *s)
{
    const struct graph *t = &s->trial, *b = &s->best;
    const enum orr_nvls_better nvls = s->release->nvls_better;
    const float k = (float)t->channels, best = (float)b->channels;
    float needed = best * b->bw_intra;
    if (t->channels < t->min_channels)
        return false;
    if (t->pattern == ORR_PATTERN_NVLS && nvls != ORR_NVLS_BETTER_AS_OTHERS)
        return (t->channels > b->channels && t->channels <= s->n) ||
               (nvls == ORR_NVLS_BETTER_BY_RATE && k * t->bw_inter > best * b->bw_inter);
    if (s->release->weighs_crossing)
        needed *= (float)(1 - .15 * (int32_t)((uint32_t)b->cross_nic - (uint32_t)t->cross_nic));
    if (k * t->bw_intra != needed)
        return k * t->bw_intra > needed;
    return (t->pattern == b->pattern || !s->release->compares_patterns) && t->cross_nic == b->cross_nic &&
           t->hops < b->hops;
}

/* ---- Building a channel ---- */

static void complete(struct plain *s, int32_t *steps)
{
    s->trial.channels++;
    if (is_better(s)) {
        s->best = s->trial;
        if (s->best.channels == s->best.max_channels)
            *steps = -1;
    }
    if (s->trial.channels < s->trial.max_channels)
        plain_start_channel(s, steps);
    s->trial.channels--;
}

static void leave_by_nets(struct plain *s, int x, int p, struct plan plan, int32_t *steps)
{
    const bool balanced = s->trial.pattern == ORR_PATTERN_BALANCED_TREE;
    const struct list *list = &s->exits[x];
    int16_t *exit = &s->trial.nets[s->trial.channels][1];
    plan.to_net = balanced && p == 0 ? 1 : -1;
    for (int i = 0; i < list->count; i++) {
        const int16_t net = list->nets[i], id = plain_first_of_id(s, net);
        const struct move move = to_or_from_net(s, gpu_node(s, x), net_node(s, net), balanced ? 2 : 1);
        if ((balanced && p == 1 && id != *exit) || !plain_may_leave_by(s, net) || !take(s, move))
            continue;
        *exit = id;
        visit(s, x, p, plan, steps);
        give(s, move);
    }
}

/* NVLS and CollNet direct: all moves from the centre to the GPUs, and from them to it. */
static void star(struct plain *s, int head, int32_t *steps)
{
    const bool nvls = s->trial.pattern == ORR_PATTERN_NVLS;
    const uint32_t centre = nvls ? s->system->first[ORR_NVS] : gpu_node(s, head);
    struct move moves[2 * PLAIN_MOST_GPUS];
    int done = 0, position = 1;
    if (nvls && !orr_paths_has(s->paths, centre))
        return;
    for (int g = 0; g < s->n; g++) {
        const float times = !nvls ? (float)(1.0 / (s->n - 1)) : g == head ? 2 : 1;
        moves[g] = inside(s, centre, gpu_node(s, g), times);
        moves[s->n + g] = inside(s, gpu_node(s, g), centre, times);
        if (!nvls && g != head)
            s->trial.gpus[s->trial.channels][position++] = (int16_t)g;
    }
    while (done < 2 * s->n && take(s, moves[done]))
        done++;
    if (done == 2 * s->n)
        visit(s, -1, s->n, (struct plan){-1, -1, FREE}, steps);
    while (done-- > 0)
        give(s, moves[done]);
}

static void go_to(struct plain *s, int x, int y, int p, struct plan plan, int32_t *steps)
{
    const struct move move = inside(s, gpu_node(s, x), gpu_node(s, y), 1);
    bool *used = &s->used[s->trial.channels][y];
    const bool closes = p == plan.to_first;
    if (!take(s, move))
        return;
    if (closes)
        plan.to_first = -1;
    else
        *used = !*used;
    visit(s, y, p + 1, plan, steps);
    if (!closes)
        *used = !*used;
    give(s, move);
}

static void visit(struct plain *s, int x, int p, struct plan plan, int32_t *steps)
{
    const int k = s->trial.channels;
    int list[PLAIN_MOST_GPUS];
    if (*steps <= 0)
        return;
    --*steps;
    if (p == s->n) {
        complete(s, steps);
        return;
    }
    s->trial.gpus[k][p] = (int16_t)x;
    if (p == plan.to_net) {
        leave_by_nets(s, x, p, plan, steps);
    } else if (s->trial.pattern == ORR_PATTERN_NVLS || s->trial.pattern == ORR_PATTERN_COLLNET_DIRECT) {
        star(s, x, steps);
    } else if (p < s->n - 1 && plan.order == FREE) {
        const int count = next_gpus(s, x, p, plan.to_net, list);
        for (int i = 0; i < count; i++)
            go_to(s, x, list[i], p, plan, steps);
    } else if (p < s->n - 1) {
        go_to(s, x, plan.order == IN_ORDER ? p + 1 : s->trial.gpus[k - 1][p + 1], p, plan, steps);
    } else if (p == plan.to_first) {
        go_to(s, x, s->trial.gpus[k][0], p, plan, steps);
    } else {
        visit(s, x, s->n, plan, steps);
    }
}

/* ---- Where a channel starts: plain_starts.c chooses ---- */

void plain_enter(struct plain *s, int net, int gpu, enum order order, int32_t *steps)
{
    const enum orr_pattern pattern = s->trial.pattern;
    struct plan plan = {-1, -1, order};
    bool *used = &s->used[s->trial.channels][gpu];
    if (s->inter)
        plan.to_net = pattern == ORR_PATTERN_RING ? s->n - 1 : pattern == ORR_PATTERN_SPLIT_TREE ? 1 : 0;
    else if (pattern == ORR_PATTERN_RING)
        plan.to_first = s->n - 1;
    const struct move move = to_or_from_net(s, net_node(s, net == NOTHING ? 0 : net), gpu_node(s, gpu), 1);
    if (net != NOTHING && !take(s, move))
        return;
    *used = !*used;
    visit(s, gpu, 0, plan, steps);
    *used = !*used;
    if (net != NOTHING)
        give(s, move);
}
