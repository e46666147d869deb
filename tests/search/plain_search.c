/* SPDX-License-Identifier: Apache-2.0 */
/* A plain channel search. The headings are those of docs/nccl/search.md; what is done follows it sentence by sentence.
 *
 * A small example: two GPUs, one link of 30 GB/s in each direction, one host. The table begins 40, 30, 20; 40 is above
 * the maximum, so 30 is tried first. Channel 0 takes 30 from the link 0 -> 1 and 30 from 1 -> 0 and is complete. A
 * second one does not fit. One channel of 30 GB/s carries what a GPU can, so the search ends. */
#include "tests/search/plain_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/decide/nearest.h"
#include "engine/release/release.h"

enum { CHANNELS = ORR_MAX_CHANNELS, TYPES = 64, IN_ORDER_STEPS = 1024 };
enum { NOTHING = -1 };                    /* where a channel comes from that comes from no NIC */
enum order { FREE, IN_ORDER, AS_BEFORE }; /* how a channel chooses its GPUs */

struct graph { /* being tried, or the best so far */
    enum orr_pattern pattern;
    int32_t cross_nic, min_channels, max_channels, same_channels, channels, hops;
    bool collnet;
    float bw_intra, bw_inter, latency_inter;
    int32_t type_intra, type_inter;
    int16_t gpus[CHANNELS][PLAIN_MOST_GPUS];
    int16_t nets[CHANNELS][2]; /* the first NET with the id */
};

struct list {
    int count;
    int16_t nets[PLAIN_MOST_NETS];
};

struct plain {
    const struct orr_system *system;
    const struct orr_paths *paths;
    const struct orr_settings *settings;
    const struct orr_release *release;
    int n, nets;
    bool inter, has_nvs, overrun;
    int32_t cc_min, cross_input;
    const float *rates;
    uint32_t rate_count;
    int32_t min_intra, max_intra, min_inter, max_inter, dis;
    float *capacity; /* [link] */
    float net_bw[PLAIN_MOST_NETS];
    int32_t connections[PLAIN_MOST_NETS];
    bool used[CHANNELS][PLAIN_MOST_GPUS];
    struct list starts, exits[PLAIN_MOST_GPUS]; /* of the attempt's type limit */
    struct graph trial, best;
};

static void start_channel(struct plain *s, int32_t *steps);
static void visit(struct plain *s, int x, int p, int to_net, int to_first, enum order order, int32_t *steps);

static uint32_t gpu_node(const struct plain *s, int gpu)
{
    return s->system->first[ORR_GPU] + (uint32_t)gpu;
}

static uint32_t net_node(const struct plain *s, int net)
{
    return s->system->first[ORR_NET] + (uint32_t)net;
}

static const struct orr_node *net_of(const struct plain *s, int net)
{
    return &s->system->nodes[net_node(s, net)];
}

static int32_t number_of(const struct plain *s, enum orr_path_type type)
{
    int number = orr_path_type_number(s->release, type);
    return number < 0 ? 0 : number;
}

static int32_t type_of(const struct plain *s, uint32_t from, uint32_t to)
{
    return number_of(s, (enum orr_path_type)orr_path(s->paths, from, to)->type);
}

static bool is_tree(enum orr_pattern pattern)
{
    return pattern == ORR_PATTERN_BALANCED_TREE || pattern == ORR_PATTERN_SPLIT_TREE || pattern == ORR_PATTERN_TREE;
}

/* A channel records the id of a NET; NCCL finds the first one that has it. */
static int16_t first_of_id(const struct plain *s, int net)
{
    int16_t first = 0;
    while (net_of(s, first)->id != net_of(s, net)->id)
        first++;
    return first;
}

/* ---- Reserving a hop ---- */

static void change(float *capacity, float by)
{
    *capacity = roundf((*capacity + by) * 1000.0f) / 1000.0f;
}

/* Takes a rate from the first `count` links of a path (or gives back a negative one); returns how many had room. */
static uint32_t walk(struct plain *s, const struct orr_path *path, uint32_t from, uint32_t count, float rate)
{
    const struct orr_node *nodes = s->system->nodes;
    const bool from_gpu = nodes[from].type == ORR_GPU;
    float pci_rate = rate;
    for (uint32_t i = 0; i < path->hops; i++) {
        const struct orr_node *to = &nodes[orr_path_node(s->paths, path, i)];
        if (path->type == ORR_PATH_PHB && from_gpu && to->type == ORR_CPU && to->cpu.arch == ORR_ARCH_X86 &&
            to->cpu.vendor == ORR_VENDOR_INTEL)
            pci_rate = rate * s->release->intel_overhead_up / s->release->intel_overhead_down;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t l = s->paths->links[path->first + i];
        const struct orr_link *link = &s->system->links[l];
        const struct orr_node *to = &nodes[link->to];
        const float there = link->type == ORR_LINK_PCI ? pci_rate : rate;
        float back = 0;
        if (to->type == (s->release->has_devs ? ORR_DEV : ORR_GPU) && to->gpu.sm < 80 && !from_gpu)
            back += there / 8;
        if (to->type == ORR_CPU && link->type == ORR_LINK_NVL &&
            (to->cpu.arch == ORR_ARCH_POWER || !s->release->power_cpu_only))
            back += there;
        float *way_back = back != 0 && link->reverse != ORR_NO_LINK ? &s->capacity[link->reverse] : NULL;
        if (rate > 0 && (s->capacity[l] < there || (way_back && *way_back < back)))
            return i;
        change(&s->capacity[l], -there);
        if (way_back)
            change(way_back, -back);
    }
    return count;
}

static bool is_intra(const struct plain *s, uint32_t node)
{
    return s->system->nodes[node].type == ORR_GPU || s->system->nodes[node].type == ORR_NVS;
}

/* Leads the channel from one node to another, `times` its rate; times < 0 gives back. */
static bool move(struct plain *s, uint32_t from, uint32_t to, float times)
{
    const struct orr_path *path = orr_path(s->paths, from, to);
    const bool intra = is_intra(s, from) && is_intra(s, to);
    const float rate = (intra ? s->trial.bw_intra : s->trial.bw_inter) * times;
    const int32_t limit = intra ? s->trial.type_intra : s->trial.type_inter;
    if (s->release->empty_paths_are_free && !path->hops)
        return true;
    if (times > 0 && s->release->checks_unreachable && path->type >= ORR_PATH_DIS)
        return false;
    if (times == 1 && (type_of(s, from, to) > limit ||
                       (s->release->checks_way_back && is_tree(s->trial.pattern) && type_of(s, to, from) > limit)))
        return false;
    const uint32_t done = walk(s, path, from, path->hops, rate);
    if (done < path->hops) {
        (void)walk(s, path, from, done, -rate);
        return false;
    }
    s->trial.hops = (int32_t)((float)s->trial.hops + times * (float)path->hops);
    return true;
}

/* ---- Which GPU comes next ---- */

struct score {
    int gpu;
    int32_t keys[6]; /* the most important first; more is better */
};

/* What is left of a GPU's PCI link in whole GB/s; -1: it has none. */
static int32_t pci_left(const struct plain *s, int gpu)
{
    const struct orr_system *system = s->system;
    uint32_t node = gpu_node(s, gpu);
    if (s->release->has_devs)
        node = system->links[system->nodes[node].first_link].to;
    const struct orr_node *own = &system->nodes[node];
    for (uint32_t l = own->first_link; l < own->first_link + own->link_count; l++) {
        if (system->links[l].type != ORR_LINK_PCI)
            continue;
        const struct orr_node *far = &system->nodes[system->links[l].to];
        for (uint32_t back = far->first_link; back < far->first_link + far->link_count; back++)
            if (system->links[back].to == node)
                return (int32_t)fminf(s->capacity[l], s->capacity[back]);
    }
    return -1;
}

static int compare_scores(const void *a, const void *b)
{
    const struct score *x = a, *y = b;
    for (int i = 0; i < 6; i++)
        if (x->keys[i] != y->keys[i])
            return x->keys[i] > y->keys[i] ? -1 : 1;
    return 0;
}

/* Moves a GPU of the list to its front; false: it is not in the list. */
static bool to_front(int *list, int count, int gpu)
{
    int at = 0;
    while (at < count && list[at] != gpu)
        at++;
    if (at == count)
        return false;
    memmove(list + 1, list, (size_t)at * sizeof *list);
    list[0] = gpu;
    return true;
}

static int with_neighbours(const struct plain *s, int x, int *list, int count)
{
    const int next = (x + 1) % s->n, previous = (x - 1 + s->n) % s->n;
    const bool ring = s->trial.pattern == ORR_PATTERN_RING;
    int found = 0;
    if (!s->has_nvs || s->release->switch_neighbours == ORR_NEIGHBOURS_NONE)
        return count;
    if (ring || s->trial.pattern == ORR_PATTERN_BALANCED_TREE || s->trial.pattern == ORR_PATTERN_SPLIT_TREE) {
        found += to_front(list, count, ring ? next : previous);
        found += to_front(list, count, ring ? previous : next) && next != previous;
    } else {
        found += to_front(list, count, next);
    }
    return s->release->switch_neighbours == ORR_NEIGHBOURS_ONLY ? found : count;
}

static int next_gpus(const struct plain *s, int x, int p, int to_net, int *list)
{
    const bool by_net = to_net != -1;
    struct score scores[PLAIN_MOST_GPUS];
    int count = 0;
    for (int i = 1; i < s->n; i++) {
        const int y = (x + i) % s->n;
        const struct orr_path *path = orr_path(s->paths, gpu_node(s, x), gpu_node(s, y));
        if (!path->hops || s->used[s->trial.channels][y])
            continue;
        struct score *score = &scores[count++];
        *score = (struct score){y, {0, 0, 0, (int32_t)path->bw, -(int32_t)path->hops, -i}};
        if (!by_net)
            continue;
        const uint32_t net = net_node(s, s->trial.nets[s->trial.channels][0]);
        const struct orr_path *entry = orr_path(s->paths, net, gpu_node(s, y));
        score->keys[0] = (int32_t)entry->bw;
        score->keys[1] = pci_left(s, y);
        score->keys[2] = -(int32_t)entry->hops;
    }
    qsort(scores, (size_t)count, sizeof *scores, compare_scores);
    bool reversed = by_net && to_net != p + 1;
    for (int i = 1; i < count; i++)
        reversed = reversed && scores[i].keys[3] == scores[0].keys[3] && scores[i].keys[4] == scores[0].keys[4];
    for (int i = 0; i < count; i++)
        list[i] = scores[reversed ? count - 1 - i : i].gpu;
    return with_neighbours(s, x, list, count);
}

/* ---- Which NICs are tried ---- */

static void append(struct list *list, int net)
{
    for (int i = 0; i < list->count; i++)
        if (list->nets[i] == net)
            return;
    list->nets[list->count++] = (int16_t)net;
}

/* How near a NIC's best GPUs are: the highest rate, then by type or by hops, whatever the release goes by. */
struct nearness {
    float bw;
    uint32_t far;
};

static uint32_t farness(const struct plain *s, const struct orr_path *path)
{
    return s->release->start_gpus >= ORR_START_NEAREST ? path->type : path->hops;
}

static struct nearness nearest(const struct plain *s, int net)
{
    struct nearness best = {0, s->release->start_gpus >= ORR_START_NEAREST ? ORR_PATH_DIS : UINT32_MAX};
    for (int g = 0; g < s->n; g++) {
        const struct orr_path *path = orr_path(s->paths, net_node(s, net), gpu_node(s, g));
        const uint32_t far = farness(s, path);
        if (path->bw > best.bw || (path->bw == best.bw && far < best.far))
            best = (struct nearness){path->bw, far};
    }
    return best;
}

static bool is_near(const struct plain *s, int net, int g, struct nearness best)
{
    const struct orr_path *path = orr_path(s->paths, net_node(s, net), gpu_node(s, g));
    return path->bw == best.bw && farness(s, path) == best.far;
}

/* 2.9.6 - 2.11.4: only the NICs with the highest rate to a GPU, by hops; those of equal hops rotated. */
static void list_fastest(const struct plain *s, struct list *list)
{
    struct nearness near[PLAIN_MOST_NETS];
    float best = 0;
    const int dev = s->system->nodes[gpu_node(s, 0)].gpu.dev;
    for (int net = 0; net < s->nets; net++) {
        near[net] = nearest(s, net);
        best = fmaxf(best, near[net].bw);
    }
    for (uint32_t hops = 0; hops < UINT16_MAX && list->count < s->nets; hops++) {
        int run[PLAIN_MOST_NETS], count = 0;
        for (int net = 0; net < s->nets; net++)
            if (near[net].bw == best && near[net].far == hops)
                run[count++] = net;
        for (int i = 0; i < count; i++)
            append(list, run[(dev + i) % count]);
    }
}

static int preferred(const struct plain *s, int gpu, int channel)
{
    uint32_t scratch[2 * (PLAIN_MOST_NETS + PLAIN_MOST_GPUS)];
    const uint32_t node = orr_local_net(s->paths, gpu_node(s, gpu), channel, scratch);
    return node == ORR_NO_NODE ? -1 : (int)(node - s->system->first[ORR_NET]);
}

/* The local NICs of each GPU, for channels 0, 1, ... up to the first repetition: GPU by GPU, or in turns. */
static void list_preferred(const struct plain *s, struct list *list, int first, int end)
{
    const bool in_turns = end - first > 1 && s->system->host_count > 1 &&
                          orr_setting_in(ORR_SET_MNNVL_SCATTER_NETS_ENABLE, s->release) &&
                          orr_setting_int(s->settings, ORR_SET_MNNVL_SCATTER_NETS_ENABLE) != 0;
    bool ended[PLAIN_MOST_GPUS] = {false};
    for (int outer = 0; outer < (in_turns ? s->release->max_channels : end - first); outer++)
        for (int inner = 0; inner < (in_turns ? end - first : s->release->max_channels); inner++) {
            const int g = first + (in_turns ? inner : outer), c = in_turns ? outer : inner;
            const int net = preferred(s, g, c);
            ended[g] = ended[g] || net < 0 || (c > 0 && net == preferred(s, g, 0));
            if (!ended[g])
                append(list, net);
        }
}

/* A list for the GPUs from `first` to before `end`, up to the type limit of the trial. */
static void list_nets(const struct plain *s, struct list *list, int first, int end, bool start)
{
    const enum orr_net_lists lists = s->release->net_lists;
    const int policy = s->paths->nets_per_gpu, channels = s->release->max_channels;
    const int most = s->release->policy_limits_lists && policy > 0 ? policy * (end - first) : INT16_MAX;
    list->count = 0;
    if (lists == ORR_NETS_FASTEST_START && start) {
        list_fastest(s, list);
        return;
    }
    for (int net = 0; net < s->nets && lists <= ORR_NETS_FASTEST_START; net++)
        append(list, net);
    if (lists == ORR_NETS_PREFERRED)
        list_preferred(s, list, first, end);
    for (int type = 0; type <= s->trial.type_inter && lists >= ORR_NETS_BY_TYPE_ROTATED; type++)
        for (int g = first; g < end; g++) {
            int run[PLAIN_MOST_NETS], count = 0;
            for (int net = 0; net < s->nets; net++)
                if (type_of(s, gpu_node(s, g), net_node(s, net)) == type &&
                    (lists == ORR_NETS_BY_TYPE_ROTATED || net < channels))
                    run[count++] = net;
            const int turn = lists == ORR_NETS_BY_TYPE_ROTATED ? s->system->nodes[gpu_node(s, g)].gpu.dev : 0;
            for (int i = 0; i < count; i++)
                if (lists == ORR_NETS_BY_TYPE_ROTATED || list->count < most)
                    append(list, run[(turn + i) % count]);
        }
}

static bool is_one_port(const struct plain *s, int a, int b)
{
    return net_of(s, a)->net.asic == net_of(s, b)->net.asic && net_of(s, a)->net.port == net_of(s, b)->net.port;
}

/* Does a NIC count as the card of another, where NICs are not crossed? */
static bool is_one_card(const struct plain *s, int a, int b)
{
    const struct orr_node *x = net_of(s, a), *y = net_of(s, b);
    const struct orr_link *links = s->system->links;
    if (s->release->knows_rails && x->net.rail >= 0 && y->net.rail >= 0)
        return x->net.rail == y->net.rail;
    if (orr_setting_int(s->settings, ORR_SET_MNNVL_RAIL_PER_HOST) == 1 && orr_id_system(x->id) != orr_id_system(y->id))
        return orr_id_local(s->system->nodes[links[x->first_link].to].id) ==
                   orr_id_local(s->system->nodes[links[y->first_link].to].id) &&
               x->net.port == y->net.port;
    return is_one_port(s, a, b);
}

/* May the channel, which entered by its NIC, leave by this one? */
static bool may_leave_by(const struct plain *s, int net)
{
    const struct graph *t = &s->trial;
    const int k = t->channels, entry = t->nets[k][0], id = first_of_id(s, net);
    const struct orr_node *a = net_of(s, entry), *e = net_of(s, net);
    if (s->release->knows_rails && a->net.plane >= 0 && e->net.plane >= 0 && a->net.plane != e->net.plane)
        return false;
    if (t->pattern == ORR_PATTERN_TREE && id != entry)
        return false;
    switch (s->release->nic_pairs) {
    case ORR_PAIRS_RINGS:
        if (t->pattern == ORR_PATTERN_RING && t->cross_nic == 2)
            return !(k & 1) || id == t->nets[k - 1][0];
        return t->cross_nic || is_one_card(s, entry, net);
    case ORR_PAIRS_ALL:
        if (t->cross_nic && k & 1 && id != t->nets[k - 1][0])
            return false;
        break;
    case ORR_PAIRS_NONE:
        break;
    }
    return t->cross_nic == 1 || is_one_card(s, entry, net);
}

/* May it enter by this one? */
static bool may_enter_by(const struct plain *s, int net)
{
    const struct graph *t = &s->trial;
    const int k = t->channels;
    const bool pairs = s->release->nic_pairs == ORR_PAIRS_RINGS
                           ? t->pattern == ORR_PATTERN_RING && t->cross_nic == 2
                           : s->release->nic_pairs == ORR_PAIRS_ALL && t->cross_nic;
    if (t->collnet && !net_of(s, net)->net.coll)
        return false;
    if (s->net_bw[net] < (float)(int32_t)t->bw_inter)
        return false;
    if (s->release->counts_connections && s->connections[net] <= 0)
        return false;
    return !(pairs && k & 1 && first_of_id(s, net) != t->nets[k - 1][1]);
}

/* ---- When a result is better ---- */

static bool is_better(const struct plain *s)
{
    const struct graph *t = &s->trial, *b = &s->best;
    const enum orr_nvls_better nvls = s->release->nvls_better;
    const float k = (float)t->channels, best = (float)b->channels;
    if (t->channels < t->min_channels)
        return false;
    if (t->pattern == ORR_PATTERN_NVLS && nvls != ORR_NVLS_BETTER_AS_OTHERS) {
        if (t->channels > b->channels && t->channels <= s->n)
            return true;
        return nvls == ORR_NVLS_BETTER_BY_RATE && k * t->bw_inter > best * b->bw_inter;
    }
    float needed = best * b->bw_intra;
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
        start_channel(s, steps);
    s->trial.channels--;
}

static void leave_by_nets(struct plain *s, int x, int p, int to_first, enum order order, int32_t *steps)
{
    struct graph *t = &s->trial;
    const bool balanced = t->pattern == ORR_PATTERN_BALANCED_TREE;
    const struct list *list = &s->exits[x];
    for (int i = 0; i < list->count; i++) {
        const int net = list->nets[i];
        const float whole = t->bw_inter;
        if ((balanced && p == 1 && first_of_id(s, net) != t->nets[t->channels][1]) || !may_leave_by(s, net))
            continue;
        t->bw_inter = balanced ? whole / 2 : whole;
        const bool moved = move(s, gpu_node(s, x), net_node(s, net), 1);
        t->bw_inter = whole;
        if (!moved)
            continue;
        t->nets[t->channels][1] = first_of_id(s, net);
        visit(s, x, p, balanced && p == 0 ? 1 : -1, to_first, order, steps);
        t->bw_inter = balanced ? whole / 2 : whole;
        (void)move(s, gpu_node(s, x), net_node(s, net), -1);
        t->bw_inter = whole;
    }
}

/* NVLS and CollNet direct: all moves between the centre and the GPUs. */
static void star(struct plain *s, int head, int32_t *steps)
{
    const bool nvls = s->trial.pattern == ORR_PATTERN_NVLS;
    const uint32_t centre = nvls ? s->system->first[ORR_NVS] : gpu_node(s, head);
    int done = 0, position = 1;
    if (nvls && !orr_paths_has(s->paths, centre))
        return;
    for (int g = 0; g < s->n && !nvls; g++)
        if (g != head)
            s->trial.gpus[s->trial.channels][position++] = (int16_t)g;
    for (int sign = 1; sign >= -1; sign -= 2) {
        const int moves = sign > 0 ? 2 * s->n : done;
        for (int i = 0; i < moves; i++) {
            const int at = sign > 0 ? i : moves - 1 - i, g = at % s->n;
            const float times = !nvls ? (float)(1.0 / (s->n - 1)) : g == head ? 2 : 1;
            const uint32_t from = at < s->n ? centre : gpu_node(s, g), to = at < s->n ? gpu_node(s, g) : centre;
            if (!move(s, from, to, (float)sign * times))
                break;
            done += sign > 0;
        }
        if (sign > 0 && done == 2 * s->n)
            visit(s, -1, s->n, -1, -1, FREE, steps);
    }
}

static void go_to(struct plain *s, int x, int y, int p, int to_net, int to_first, enum order order, int32_t *steps)
{
    bool *used = &s->used[s->trial.channels][y];
    if (!move(s, gpu_node(s, x), gpu_node(s, y), 1))
        return;
    *used = !*used;
    visit(s, y, p + 1, to_net, to_first, order, steps);
    *used = !*used;
    (void)move(s, gpu_node(s, x), gpu_node(s, y), -1);
}

static void visit(struct plain *s, int x, int p, int to_net, int to_first, enum order order, int32_t *steps)
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
    if (p == to_net) {
        leave_by_nets(s, x, p, to_first, order, steps);
    } else if (s->trial.pattern == ORR_PATTERN_NVLS || s->trial.pattern == ORR_PATTERN_COLLNET_DIRECT) {
        star(s, x, steps);
    } else if (p < s->n - 1) {
        int count = 1;
        list[0] = order == IN_ORDER ? p + 1 : order == AS_BEFORE ? s->trial.gpus[k - 1][p + 1] : 0;
        if (order == FREE)
            count = next_gpus(s, x, p, to_net, list);
        for (int i = 0; i < count; i++)
            go_to(s, x, list[i], p, to_net, to_first, order, steps);
    } else if (p == to_first) {
        const uint32_t from = gpu_node(s, x), first = gpu_node(s, s->trial.gpus[k][0]);
        if (!move(s, from, first, 1))
            return;
        visit(s, s->trial.gpus[k][0], p + 1, to_net, -1, order, steps);
        (void)move(s, from, first, -1);
    } else {
        visit(s, x, s->n, -1, -1, order, steps);
    }
}

/* ---- Where a channel starts ---- */

static void enter(struct plain *s, int net, int gpu, enum order order, int32_t *steps)
{
    const enum orr_pattern pattern = s->trial.pattern;
    int to_net = -1, to_first = -1;
    bool *used = &s->used[s->trial.channels][gpu];
    if (s->inter)
        to_net = pattern == ORR_PATTERN_RING ? s->n - 1 : pattern == ORR_PATTERN_SPLIT_TREE ? 1 : 0;
    else if (pattern == ORR_PATTERN_RING)
        to_first = s->n - 1;
    if (net != NOTHING && !move(s, net_node(s, net), gpu_node(s, gpu), 1))
        return;
    *used = !*used;
    visit(s, gpu, 0, to_net, to_first, order, steps);
    *used = !*used;
    if (net != NOTHING)
        (void)move(s, net_node(s, net), gpu_node(s, gpu), -1);
}

static void start_without_nets(struct plain *s, int32_t *steps)
{
    const int k = s->trial.channels;
    if (s->trial.pattern == ORR_PATTERN_NVLS) {
        enter(s, NOTHING, k, FREE, steps);
        return;
    }
    enter(s, NOTHING, k ? s->trial.gpus[k - 1][0] : 0, k ? AS_BEFORE : IN_ORDER, steps);
    for (int g = 0; g < s->n && (!k || !s->trial.same_channels); g++)
        enter(s, NOTHING, g, FREE, steps);
}

/* The GPUs of a NIC at which a channel starts freely. false: the NIC's bandwidth is not given back. */
static bool start_freely(struct plain *s, int net, int32_t *steps)
{
    const struct nearness best = nearest(s, net);
    const enum orr_start_gpus rule = s->release->start_gpus;
    const int local = rule == ORR_START_LOCAL_GPU ? s->paths->local_gpu[net] : -1;
    const int turn = rule == ORR_START_ROTATED ? s->trial.channels : 0;
    if (local >= 0)
        enter(s, net, local, FREE, steps);
    if (rule >= ORR_START_NEAREST && best.far == ORR_PATH_DIS)
        return false;
    if (rule < ORR_START_NEAREST && best.bw < (float)(int32_t)s->trial.bw_inter)
        return true;
    for (int round = 0; round < (rule == ORR_START_TWO_ROUNDS ? 2 : 1); round++)
        for (int i = 0; i < s->n; i++) {
            const int g = (turn + i) % s->n;
            if (g != local && is_near(s, net, g, best) &&
                (rule != ORR_START_TWO_ROUNDS || (pci_left(s, g) > 0) == (round == 0)))
                enter(s, net, g, FREE, steps);
        }
    return true;
}

/* false: the NIC's bandwidth is not given back. */
static bool start_from(struct plain *s, int net, int32_t *steps)
{
    const int k = s->trial.channels;
    if (k > 0 && (s->trial.same_channels || s->release->replays_first))
        enter(s, net, s->trial.gpus[k - 1][0], AS_BEFORE, steps);
    if (k > 0 && s->trial.same_channels)
        return true;
    if (k == 0 && !(s->has_nvs && s->release->switch_skips_order)) {
        int32_t own = IN_ORDER_STEPS;
        enter(s, net, 0, IN_ORDER, &own);
        if (own == -1)
            *steps = -1;
    }
    return start_freely(s, net, steps);
}

/* 2.18.3 takes NICs of the list for GPUs, and reads zeroes beyond its end as far as the memory block goes. */
static int head_by_index(const struct plain *s)
{
    const int k = s->trial.channels, bytes = (4 * s->nets + 8 + 15) / 16 * 16 - 8;
    const int net = k < s->starts.count ? s->starts.nets[k] : 0;
    return k < (bytes > 24 ? bytes : 24) / 4 && net < s->n ? net : -1;
}

/* A channel of a star starts at its head. *ret_go_on: the next NIC is tried too. false: not given back. */
static bool start_at_head(struct plain *s, int net, bool *ret_go_on, int32_t *steps)
{
    const enum orr_start_heads rule = s->release->start_heads;
    const int k = s->trial.channels;
    const bool once = rule == ORR_HEADS_ONCE || rule == ORR_HEADS_NEXT;
    *ret_go_on = true;
    if (rule == ORR_HEADS_BY_NET_INDEX || rule == ORR_HEADS_OF_LIST) {
        const int head = rule == ORR_HEADS_OF_LIST ? s->paths->local_gpu[s->starts.nets[k]] : head_by_index(s);
        if (head >= 0)
            enter(s, NOTHING, head, FREE, steps);
        return true;
    }
    const int head = s->paths->local_gpu[net];
    for (int c = 0; c < k && once && head >= 0; c++)
        if (s->trial.gpus[c][0] == head)
            return rule == ORR_HEADS_NEXT;
    *ret_go_on = head < 0 && rule == ORR_HEADS_NEXT;
    if (head >= 0)
        enter(s, net, head, FREE, steps);
    return true;
}

static void charge(struct plain *s, int net, float by)
{
    for (int other = 0; other < s->nets; other++)
        if (is_one_port(s, net, other))
            s->net_bw[other] += by;
}

static void start_with_nets(struct plain *s, int32_t *steps)
{
    struct graph *t = &s->trial;
    const enum orr_start_heads rule = s->release->start_heads;
    const bool star = t->pattern == ORR_PATTERN_NVLS || t->pattern == ORR_PATTERN_COLLNET_DIRECT;
    const bool by_head = star && rule != ORR_HEADS_AS_OTHERS;
    const int count = s->starts.count, k = t->channels, turn = s->release->rotates_start_nets ? k : 0;
    const float whole = (float)(int32_t)t->bw_inter;
    bool go_on = true;
    if (by_head && rule != ORR_HEADS_BY_NET_INDEX && k >= count)
        return;
    for (int i = 0; i < count && go_on; i++) {
        const int net = s->starts.nets[(turn + i) % count];
        if (by_head && rule == ORR_HEADS_OF_FIRST && i > 0)
            return;
        if (!may_enter_by(s, net))
            continue;
        t->nets[k][0] = first_of_id(s, net);
        t->latency_inter = net_of(s, net)->net.latency;
        charge(s, net, -whole);
        s->connections[net]--;
        if (!(by_head ? start_at_head(s, net, &go_on, steps) : start_from(s, net, steps)))
            continue;
        charge(s, net, whole);
        s->connections[net]++;
    }
}

static void start_channel(struct plain *s, int32_t *steps)
{
    if (s->trial.channels == s->release->max_channels) {
        s->overrun = true;
        *steps = 0;
    } else if (s->inter) {
        start_with_nets(s, steps);
    } else {
        start_without_nets(s, steps);
    }
}

/* ---- What NCCL relaxes, and when it stops ---- */

/* One attempt with the trial's conditions; returns the steps left over. */
static int32_t attempt(struct plain *s, int64_t *all)
{
    int32_t steps = s->trial.same_channels                 ? s->release->steps_same
                    : s->trial.pattern == ORR_PATTERN_TREE ? s->release->steps_tree
                                                           : s->release->steps_other;
    *all -= steps;
    s->trial.channels = 0;
    if (s->inter && s->nets) {
        list_nets(s, &s->starts, 0, s->n, true);
        for (int g = 0; g < s->n; g++)
            list_nets(s, &s->exits[g], g, g + 1, false);
    }
    start_channel(s, &steps);
    return steps;
}

static bool is_done(const struct plain *s, int32_t left)
{
    const struct graph *b = &s->best;
    if (s->release->finishes_at_full_rate)
        return b->channels == b->max_channels && b->bw_inter == s->system->max_bw;
    return left == -1 || (float)b->channels * b->bw_inter >= s->system->total_bw;
}

/* Tries a tree after a split tree; false: it was tried, and the pattern is the best's again. */
static bool relax_split_tree(struct plain *s)
{
    const bool split = s->trial.pattern == ORR_PATTERN_SPLIT_TREE;
    s->trial.pattern = split ? ORR_PATTERN_TREE : s->best.pattern;
    return split;
}

static bool relax_crossing(struct plain *s)
{
    struct graph *t = &s->trial;
    const bool some = s->release->crossing_scope == ORR_CROSSING_SOME;
    const bool fits = s->release->nic_pairs != ORR_PAIRS_RINGS || s->best.pattern == ORR_PATTERN_RING ||
                      s->best.pattern == ORR_PATTERN_BALANCED_TREE;
    if ((some ? s->cross_input == 2 : s->cross_input != 0) && !t->cross_nic && fits) {
        t->cross_nic = s->release->cross_nic_try;
        return true;
    }
    t->cross_nic = some && s->cross_input == 1;
    return false;
}

/* The rows of the table, one after the other; false: nothing is left to relax. */
static bool relax(struct plain *s, int32_t same_at_start, int32_t left, int64_t *all, uint32_t *rate)
{
    struct graph *t = &s->trial;
    const struct graph *b = &s->best;
    const struct orr_release *release = s->release;
    const struct orr_node *cpu = orr_system_node(s->system, ORR_CPU, 0);
    const bool amd = cpu->cpu.arch == ORR_ARCH_X86 && cpu->cpu.vendor == ORR_VENDOR_AMD, found = b->channels > 0;
    if (t->same_channels && !(release->amd_keeps_same_channels && amd && t->type_intra == number_of(s, ORR_PATH_SYS))) {
        t->same_channels = 0;
        return true;
    }
    t->same_channels = same_at_start;
    *all = release->finishes_at_full_rate && left == -1 ? release->steps_all : *all + left;
    if (*all < 0 && (found || release->finishes_at_full_rate))
        return false;
    if (release->tree_for_sm90 && s->cc_min >= 90 && t->pattern == ORR_PATTERN_BALANCED_TREE) {
        t->pattern = ORR_PATTERN_TREE;
        return true;
    }
    if (!release->relaxes_split_tree)
        t->pattern = b->pattern;
    if (t->type_intra < (s->inter ? t->type_inter : s->max_intra) && (!found || t->type_intra < b->type_intra) &&
        ++t->type_intra < s->dis)
        return true;
    t->type_intra = s->min_intra;
    if (s->inter && t->type_inter < s->max_inter &&
        (!found || t->type_inter < b->type_inter || t->type_inter < number_of(s, release->type_inter_always)) &&
        ++t->type_inter < s->dis)
        return true;
    t->type_inter = s->min_inter;
    if (release->relaxes_split_tree && release->relaxes_pattern_first && relax_split_tree(s))
        return true;
    if (relax_crossing(s))
        return true;
    if (release->relaxes_split_tree && !release->relaxes_pattern_first && relax_split_tree(s))
        return true;
    if (*rate + 1 == s->rate_count || (found && !(s->rates[*rate + 1] / b->bw_inter > .49)))
        return false;
    t->bw_intra = t->bw_inter = s->rates[++*rate];
    return true;
}

/* ---- Doubling channels ---- */

static bool may_double(const struct plain *s)
{
    const struct graph *b = &s->best;
    if (!b->channels || b->pattern == ORR_PATTERN_NVLS)
        return false;
    if (s->release->doubling == ORR_DOUBLING_UP_TO_90)
        return (s->cc_min <= 80 && b->bw_intra >= 25) || (s->cc_min <= 90 && b->bw_intra >= 50);
    return b->bw_intra >= 25 &&
           !(s->release->doubling == ORR_DOUBLING_BY_CHANNELS && s->cc_min > 80 && b->bw_intra < 50 && b->channels > 4);
}

static void duplicate(struct plain *s)
{
    struct graph *b = &s->best;
    if (!may_double(s))
        return;
    const int32_t doubled = b->channels * 2 < b->max_channels ? b->channels * 2 : b->max_channels;
    for (int32_t c = b->channels; c < doubled; c++) {
        memcpy(b->gpus[c], b->gpus[c - b->channels], sizeof b->gpus[c]);
        memcpy(b->nets[c], b->nets[c - b->channels], sizeof b->nets[c]);
    }
    const float parts = (float)((doubled + b->channels - 1) / b->channels);
    b->bw_intra /= parts;
    b->bw_inter /= parts;
    b->channels = doubled;
}

/* ---- Higher bandwidths for what was found ---- */

static bool raise_rate(struct plain *s, uint32_t *rate)
{
    struct graph *t = &s->trial;
    const struct graph *b = &s->best;
    if (!*rate)
        return false;
    if (b->pattern == ORR_PATTERN_RING) {
        if (s->release->raises_rings)
            t->bw_intra = t->bw_inter = s->rates[--*rate];
        return s->release->raises_rings;
    }
    if (s->release->raises_rings && b->pattern == ORR_PATTERN_NVLS && t->bw_inter == b->bw_inter &&
        t->bw_inter < t->bw_intra * 2) {
        t->min_channels = t->max_channels = b->channels;
        t->bw_inter = s->rates[--*rate];
        return true;
    }
    if (t->bw_intra != b->bw_intra || t->bw_intra >= t->bw_inter * 2)
        return false;
    t->bw_intra = s->rates[--*rate];
    return true;
}

static void raise_rates(struct plain *s, int64_t *all)
{
    uint32_t rate = 0;
    s->trial = s->best;
    while (rate + 1 < s->rate_count && s->rates[rate] > s->best.bw_inter)
        rate++;
    s->trial.bw_intra = s->trial.bw_inter = s->rates[rate];
    s->trial.min_channels = s->best.channels;
    for (int32_t left = 1; left != 0 && raise_rate(s, &rate);)
        left = attempt(s, all);
}

/* ---- If nothing is found ---- */

static void simple_order(struct plain *s)
{
    struct graph *b = &s->best;
    for (int g = 0; g < s->n; g++)
        b->gpus[0][g] = (int16_t)g;
    b->channels = 1;
    b->nets[0][0] = b->nets[0][1] = -1;
    b->bw_intra = b->bw_inter = 0.1f;
    b->type_intra = b->type_inter = number_of(s, ORR_PATH_SYS);
    if (!s->release->simple_order_by_preference)
        return;
    if (s->nets) {
        b->nets[0][0] = (int16_t)preferred(s, 0, 0);
        b->nets[0][1] = (int16_t)preferred(s, s->n - 1, 0);
    } else {
        b->bw_inter = 0;
        b->type_inter = s->dis;
    }
}

/* ---- Graphs that NCCL searches, and the bandwidths that are tried ---- */

static void type_range(const struct plain *s, enum orr_node_type to, int32_t *ret_min, int32_t *ret_max)
{
    *ret_min = number_of(s, ORR_PATH_SYS);
    *ret_max = 0;
    for (int g = 0; g < s->n; g++)
        for (uint32_t other = s->system->first[to]; other < s->system->first[to + 1]; other++) {
            if (other == gpu_node(s, g))
                continue;
            const int32_t type = type_of(s, gpu_node(s, g), other);
            *ret_min = type < *ret_min ? type : *ret_min;
            *ret_max = type > *ret_max ? type : *ret_max;
        }
}

static void set_limits(struct plain *s)
{
    const struct orr_search_rates *row = s->release->search_rates;
    while (s->cc_min < row->sm_min)
        row++;
    s->rates = s->inter ? row->table.inter : row->table.intra;
    s->rate_count = s->inter ? row->table.inter_count : row->table.intra_count;
    s->dis = s->release->checks_unreachable ? number_of(s, ORR_PATH_DIS) : INT32_MAX;
    s->min_intra = number_of(s, s->n == 1 ? ORR_PATH_LOC : ORR_PATH_NVL);
    s->min_inter = number_of(s, ORR_PATH_PIX);
    s->max_intra = s->max_inter = number_of(s, ORR_PATH_SYS);
    if (!s->release->types_from_system)
        return;
    if (s->n > 1)
        type_range(s, ORR_GPU, &s->min_intra, &s->max_intra);
    if (!s->inter)
        return;
    type_range(s, ORR_NET, &s->min_inter, &s->max_inter);
    s->max_intra = s->max_inter;
    if (s->release->any_inter_before_sm90 && s->cc_min < 90)
        s->max_inter = number_of(s, ORR_PATH_SYS);
}

static bool is_split_nvlink(const struct plain *s)
{
    int group[PLAIN_MOST_GPUS], size[PLAIN_MOST_GPUS] = {0}, large = 0;
    for (int g = 0; g < s->n; g++)
        group[g] = g;
    for (int g = 0; g < s->n; g++)
        for (int p = g + 1; p < s->n; p++)
            if (orr_path(s->paths, gpu_node(s, g), gpu_node(s, p))->type == ORR_PATH_NVL)
                group[p] = group[g];
    for (int g = 0; g < s->n; g++)
        large += ++size[group[g]] == 2;
    return large == 2;
}

/* The request that the trial begins with. false: the graph stays empty. */
static bool set_request(struct plain *s, struct graph *t)
{
    const struct orr_release *release = s->release;
    const int32_t setting = orr_setting_int32(s->settings, ORR_SET_CROSS_NIC);
    const bool some = release->crossing_scope == ORR_CROSSING_SOME, nvls = t->pattern == ORR_PATTERN_NVLS;
    const bool concerned = t->pattern == ORR_PATTERN_RING || t->pattern == ORR_PATTERN_BALANCED_TREE ||
                           t->pattern == ORR_PATTERN_SPLIT_TREE || release->crossing_scope == ORR_CROSSING_ALL;
    const bool ring = t->pattern == ORR_PATTERN_RING;
    s->cross_input = s->nets > 1 && concerned ? (some ? setting : setting != 0) : 0;
    t->cross_nic = some ? s->cross_input == 1 : setting == 2 ? 0 : setting;
    t->same_channels = !nvls;
    t->type_intra = s->min_intra;
    t->type_inter = s->min_inter;
    if (nvls && (!s->has_nvs || s->cc_min < 90))
        return false;
    if (nvls && (!release->nvls_any_channels || !s->inter))
        t->max_channels = s->n < 32 || release->nvls_fixed_channels ? s->n : 32;
    if (t->pattern == ORR_PATTERN_COLLNET_DIRECT)
        t->max_channels = s->n < release->collnet_direct_most ? s->n : release->collnet_direct_most;
    if (nvls && !s->inter)
        t->min_channels = t->max_channels;
    if (s->n == 1 && !ring)
        t->pattern = ORR_PATTERN_TREE;
    else if (release->tree_pattern == ORR_TREE_BY_HOSTS && t->pattern == ORR_PATTERN_BALANCED_TREE && s->cc_min < 80)
        t->pattern = ORR_PATTERN_SPLIT_TREE;
    if (release->splits_nvlink && ring && t->max_channels >= 2 && t->min_channels == 1 && is_split_nvlink(s))
        t->min_channels = 2;
    return true;
}

static uint32_t first_rate(const struct plain *s)
{
    const struct graph *t = &s->trial;
    const uint32_t n = s->release->has_devs ? orr_system_count(s->system, ORR_DEV) : (uint32_t)s->n;
    const bool by_total = s->release->rates_by_total && !(n == 1 && s->release->lone_gpu_unbounded);
    float total = s->system->total_bw, most = s->system->max_bw;
    uint32_t rate = 0;
    if (t->pattern != ORR_PATTERN_RING && n > 1)
        total = (float)((double)total * (n * 1.0 / (n - 1)));
    if (s->release->nvls_divides_rate && t->pattern == ORR_PATTERN_NVLS && !s->inter)
        most /= (float)s->n;
    while (rate + 1 < s->rate_count &&
           (s->rates[rate] > most || (by_total && s->rates[rate] * (float)t->min_channels > total)))
        rate++;
    return rate;
}

static enum orr_code deliver(const struct plain *s, enum orr_graph_kind kind, struct orr_arena *arena,
                             struct orr_graph *graph, struct orr_error *err)
{
    const struct graph *b = &s->best;
    const size_t channels = (size_t)b->channels, n = (size_t)s->n;
    const uint32_t row = b->pattern == ORR_PATTERN_NVLS ? 1 : (uint32_t)s->n;
    int32_t *gpus = ORR_NEW(arena, int32_t, channels * n);
    int64_t(*nets)[2] = orr_arena_alloc(arena, channels, sizeof *nets);
    if (!gpus || !nets)
        return orr_fail_nomem(err);
    for (size_t c = 0; c < channels; c++) {
        for (size_t i = 0; i < row; i++)
            gpus[c * n + i] = s->system->nodes[gpu_node(s, b->gpus[c][i])].gpu.rank;
        for (int end = 0; end < 2 && s->inter; end++)
            nets[c][end] = b->nets[c][end] < 0 ? 0 : net_of(s, b->nets[c][end])->id;
    }
    *graph = (struct orr_graph){
        .kind = kind,
        .pattern = b->pattern,
        .channels = b->channels,
        .bw_intra = b->bw_intra,
        .bw_inter = b->bw_inter,
        .latency_inter = b->latency_inter,
        .type_intra = orr_path_type_of_number(s->release, b->type_intra),
        .type_inter = orr_path_type_of_number(s->release, b->type_inter),
        .cross_nic = b->cross_nic,
        .same_channels = b->same_channels,
        .hops = b->hops,
        .gpu_count = (uint32_t)s->n,
        .row_count = row,
        .gpus = gpus,
        .nets = s->inter ? (const int64_t(*)[2])nets : NULL,
    };
    return ORR_OK;
}

static enum orr_code search_graph(struct plain *s, enum orr_graph_kind kind, enum orr_pattern pattern, int32_t least,
                                  int32_t most, bool collnet, struct orr_arena *arena, struct orr_graph *graph,
                                  struct orr_error *err)
{
    int64_t all = s->release->steps_all;
    int32_t left;
    s->trial = (struct graph){.pattern = pattern, .min_channels = least, .max_channels = most, .collnet = collnet};
    if (!set_request(s, &s->trial)) { /* it stays empty, with the types that it would begin with */
        graph->kind = kind;
        graph->pattern = pattern;
        graph->type_intra = orr_path_type_of_number(s->release, s->min_intra);
        graph->type_inter = orr_path_type_of_number(s->release, s->min_inter);
        return ORR_OK;
    }
    const int32_t same = s->trial.same_channels;
    uint32_t rate = first_rate(s);
    s->best = s->trial;
    s->trial.bw_intra = s->trial.bw_inter = s->rates[rate];
    do
        left = attempt(s, &all);
    while (!is_done(s, left) && relax(s, same, left, &all, &rate));
    if (s->best.channels) {
        if (s->release->duplicates_early)
            duplicate(s);
        raise_rates(s, &all);
        if (!s->release->duplicates_early)
            duplicate(s);
    } else if (!collnet && pattern != ORR_PATTERN_NVLS) {
        simple_order(s);
    }
    if (s->overrun)
        return orr_fail(err, ORR_UNSUPPORTED, "more channels than the release's tables hold");
    return deliver(s, kind, arena, graph, err);
}

static enum orr_code search_all(struct plain *s, const struct orr_search_request *request, struct orr_arena *arena,
                                struct orr_graph graphs[ORR_GRAPH_COUNT], struct orr_error *err)
{
    const struct orr_release *release = s->release;
    ORR_TRY(search_graph(s, ORR_GRAPH_RING, ORR_PATTERN_RING, 1, release->ring_max_channels, false, arena,
                         &graphs[ORR_GRAPH_RING], err));
    const int32_t k = graphs[ORR_GRAPH_RING].channels;
    ORR_TRY(search_graph(s, ORR_GRAPH_TREE, orr_tree_pattern_asked(release, request->hosts),
                         release->tree_keeps_ring_channels ? k : 1, k, false, arena, &graphs[ORR_GRAPH_TREE], err));
    if (request->collnet || release->collnet_always)
        ORR_TRY(search_graph(s, ORR_GRAPH_COLLNET_CHAIN, ORR_PATTERN_TREE, k, k, true, arena,
                             &graphs[ORR_GRAPH_COLLNET_CHAIN], err));
    if (request->collnet && release->collnet_direct)
        ORR_TRY(search_graph(s, ORR_GRAPH_COLLNET_DIRECT, ORR_PATTERN_COLLNET_DIRECT, 1, release->max_channels, true,
                             arena, &graphs[ORR_GRAPH_COLLNET_DIRECT], err));
    if (request->nvls && release->nvls_max_channels > 0)
        ORR_TRY(search_graph(s, ORR_GRAPH_NVLS, ORR_PATTERN_NVLS, 1, release->nvls_max_channels, false, arena,
                             &graphs[ORR_GRAPH_NVLS], err));
    return ORR_OK;
}

enum orr_code plain_search(const struct orr_paths *paths, const struct orr_settings *settings,
                           const struct orr_search_request *request, struct orr_arena *arena,
                           struct orr_graph ret_graphs[ORR_GRAPH_COUNT], struct orr_error *err)
{
    const struct orr_system *system = paths->system;
    static struct plain s; /* large, and of one thread */
    s = (struct plain){.system = system,
                       .paths = paths,
                       .settings = settings,
                       .release = system->release,
                       .n = (int)orr_system_count(system, ORR_GPU),
                       .nets = (int)orr_system_count(system, ORR_NET),
                       .has_nvs = orr_system_count(system, ORR_NVS) > 0,
                       .cc_min = INT32_MAX,
                       .capacity = ORR_NEW(arena, float, system->link_count)};
    if (!s.capacity)
        return orr_fail_nomem(err);
    if (s.n > PLAIN_MOST_GPUS || s.nets > PLAIN_MOST_NETS)
        return orr_fail(err, ORR_LIMIT, "more GPUs or NICs than the plain search has room for");
    for (uint32_t l = 0; l < system->link_count; l++)
        s.capacity[l] = system->links[l].bw;
    for (int net = 0; net < s.nets; net++) {
        s.net_bw[net] = net_of(&s, net)->net.bw;
        s.connections[net] = net_of(&s, net)->net.max_channels > 0 ? net_of(&s, net)->net.max_channels : 0;
    }
    for (uint32_t node = 0; node < system->node_count; node++)
        if ((system->nodes[node].type == ORR_GPU || system->nodes[node].type == ORR_DEV) &&
            system->nodes[node].gpu.sm < s.cc_min)
            s.cc_min = system->nodes[node].gpu.sm;
    s.inter = (s.nets > 0 || s.release->keeps_nets) && system->leaves_host;
    set_limits(&s);
    memset(ret_graphs, 0, ORR_GRAPH_COUNT * sizeof *ret_graphs);
    return search_all(&s, request, arena, ret_graphs, err);
}
