/* Growing channels: visits, each one step, and the starts of a channel. */
#include <string.h>

#include "engine/release/release.h"
#include "engine/search/search_state.h"

enum { PCI_ORDER_STEPS = 1024 };

/* Where a channel must go back to a NIC, and from where it must close to its first GPU; -1: nowhere. */
struct shape {
    int32_t to_net, to_first;
};

static void visit(struct orr_search_state *s, int32_t x, int32_t p, struct shape shape, enum orr_order order,
                  int32_t *budget);

static struct shape shape_of(const struct orr_search_state *s)
{
    int32_t last = (int32_t)s->n - 1;
    switch (s->t.pattern) {
    case ORR_PATTERN_RING:
        return s->inter ? (struct shape){last, -1} : (struct shape){-1, last};
    case ORR_PATTERN_SPLIT_TREE:
        return s->inter ? (struct shape){1, -1} : (struct shape){-1, -1};
    default:
        return s->inter ? (struct shape){0, -1} : (struct shape){-1, -1};
    }
}

/* Is the trial, with k channels complete, better than the best? */
static bool is_better(const struct orr_search_state *s)
{
    const struct orr_trial *t = &s->t, *b = &s->b;
    float k = (float)t->channels, best = (float)b->channels;
    if (t->channels < t->min_channels)
        return false;
    if (t->pattern == ORR_PATTERN_NVLS)
        return (t->channels > b->channels && t->channels <= (int32_t)s->n) || k * t->bw_inter > best * b->bw_inter;
    if (k * t->bw_intra != best * b->bw_intra)
        return k * t->bw_intra > best * b->bw_intra;
    bool comparable = t->pattern == b->pattern || !s->system->release->compares_patterns;
    return comparable && t->cross_nic == b->cross_nic && t->hops < b->hops;
}

void orr_trial_copy(struct orr_trial *to, const struct orr_trial *from, uint32_t n)
{
    struct orr_trial keep = *to;
    memcpy(keep.gpus, from->gpus, (size_t)from->channels * n * sizeof *from->gpus);
    memcpy(keep.nets, from->nets, (size_t)from->channels * sizeof *from->nets);
    *to = *from;
    to->gpus = keep.gpus;
    to->nets = keep.nets;
}

static void complete(struct orr_search_state *s, int32_t *budget)
{
    struct orr_trial *t = &s->t;
    t->channels++;
    if (is_better(s)) {
        orr_trial_copy(&s->b, t, s->n);
        if (t->channels == t->max_channels)
            *budget = -1;
    }
    if (t->channels < t->max_channels)
        orr_search_channels(s, budget);
    t->channels--;
}

/* May a channel that entered by its entry NIC leave by this one? */
static bool may_leave_by(const struct orr_search_state *s, int16_t net, int32_t p)
{
    const struct orr_trial *t = &s->t;
    int32_t k = t->channels;
    const struct orr_node *entry = &s->system->nodes[orr_net_node(s, (uint32_t)t->nets[k][0])];
    const struct orr_node *leave = &s->system->nodes[orr_net_node(s, (uint32_t)net)];
    int16_t exit_net = s->net_of_id[net];
    if (t->pattern == ORR_PATTERN_BALANCED_TREE && p == 1 && exit_net != t->nets[k][1])
        return false;
    if (t->pattern == ORR_PATTERN_TREE)
        return exit_net == t->nets[k][0];
    bool same_card = leave->net.asic == entry->net.asic && leave->net.port == entry->net.port;
    if (s->system->release->knows_rails) {
        if (entry->net.plane >= 0 && leave->net.plane >= 0 && entry->net.plane != leave->net.plane)
            return false;
        if (entry->net.rail >= 0 && leave->net.rail >= 0)
            same_card = entry->net.rail == leave->net.rail;
    }
    switch (s->system->release->nic_pairs) {
    case ORR_PAIRS_RINGS:
        if (t->pattern == ORR_PATTERN_RING && t->cross_nic == 2)
            return !(k & 1) || exit_net == t->nets[k - 1][0];
        return t->cross_nic != 0 || same_card;
    case ORR_PAIRS_ALL:
        return (t->cross_nic == 1 || same_card) && (!t->cross_nic || !(k & 1) || exit_net == t->nets[k - 1][0]);
    case ORR_PAIRS_NONE:
        break;
    }
    return t->cross_nic == 1 || same_card;
}

static void leave_by_net(struct orr_search_state *s, uint32_t x, int32_t p, struct shape shape, enum orr_order order,
                         int32_t *budget)
{
    struct orr_trial *t = &s->t;
    int32_t k = t->channels;
    bool balanced = t->pattern == ORR_PATTERN_BALANCED_TREE;
    const struct orr_net_list *list = &s->exit_nets[x];
    uint32_t count = list->count_at[t->type_inter];
    struct shape after = {balanced && p == 0 ? 1 : -1, shape.to_first};
    for (uint32_t i = 0; i < count; i++) {
        int16_t net = list->nets[i];
        uint32_t from = orr_gpu_node(s, x), to = orr_net_node(s, (uint32_t)net);
        if (!may_leave_by(s, net, p) || !orr_search_move(s, from, to, 1, balanced))
            continue;
        t->nets[k][1] = s->net_of_id[net];
        visit(s, (int32_t)x, p, after, order, budget);
        orr_search_move(s, from, to, -1, balanced);
    }
}

/* All moves between a centre and the GPUs, out and back; then the channel is complete. Gives back what it took. */
static void star(struct orr_search_state *s, uint32_t centre, uint32_t head, float head_factor, float factor,
                 int32_t *budget)
{
    uint32_t moves = 2 * s->n, done = 0;
    for (; done < moves; done++) {
        uint32_t d = done % s->n, gpu = orr_gpu_node(s, d);
        float f = d == head ? head_factor : factor;
        if (!(done < s->n ? orr_search_move(s, centre, gpu, f, false) : orr_search_move(s, gpu, centre, f, false)))
            break;
    }
    if (done == moves)
        visit(s, -1, (int32_t)s->n, (struct shape){-1, -1}, ORR_FREE, budget);
    while (done-- > 0) {
        uint32_t d = done % s->n, gpu = orr_gpu_node(s, d);
        float f = d == head ? -head_factor : -factor;
        if (done < s->n)
            orr_search_move(s, centre, gpu, f, false);
        else
            orr_search_move(s, gpu, centre, f, false);
    }
}

static void collnet_direct(struct orr_search_state *s, uint32_t head, int32_t *budget)
{
    uint16_t *row = &s->t.gpus[(size_t)s->t.channels * s->n];
    uint32_t position = 1;
    float share = (float)(1.0 / (s->n - 1));
    for (uint32_t g = 0; g < s->n; g++)
        if (g != head)
            row[position++] = (uint16_t)g;
    star(s, orr_gpu_node(s, head), head, share, share, budget);
}

static void next_gpu(struct orr_search_state *s, uint32_t x, int32_t p, struct shape shape, enum orr_order order,
                     int32_t *budget)
{
    uint16_t forced;
    const uint16_t *list = &forced;
    uint32_t count = 1, top = s->candidate_top;
    if (order == ORR_PCI_ORDER) {
        forced = (uint16_t)(p + 1);
    } else if (order == ORR_REPLAY) {
        forced = s->t.gpus[(size_t)(s->t.channels - 1) * s->n + (uint32_t)p + 1];
    } else {
        int z = shape.to_net == -1 ? 0 : shape.to_net == p + 1 ? 1 : -1;
        count = orr_search_candidates(s, x, z, &list);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t y = list[i], from = orr_gpu_node(s, x), to = orr_gpu_node(s, y);
        if (!orr_search_move(s, from, to, 1, false))
            continue;
        uint8_t *used = &orr_used(s)[y], was_used = *used;
        *used = 1;
        visit(s, (int32_t)y, p + 1, shape, order, budget);
        *used = was_used;
        orr_search_move(s, from, to, -1, false);
    }
    s->candidate_top = top;
}

static void close_ring(struct orr_search_state *s, uint32_t x, int32_t p, struct shape shape, enum orr_order order,
                       int32_t *budget)
{
    uint32_t first = s->t.gpus[(size_t)s->t.channels * s->n];
    uint32_t from = orr_gpu_node(s, x), to = orr_gpu_node(s, first);
    if (!orr_search_move(s, from, to, 1, false))
        return;
    visit(s, (int32_t)first, p + 1, (struct shape){shape.to_net, -1}, order, budget);
    orr_search_move(s, from, to, -1, false);
}

static void visit(struct orr_search_state *s, int32_t x, int32_t p, struct shape shape, enum orr_order order,
                  int32_t *budget)
{
    if (*budget <= 0)
        return;
    --*budget;
    if (p == (int32_t)s->n) {
        complete(s, budget);
        return;
    }
    s->t.gpus[(size_t)s->t.channels * s->n + (uint32_t)p] = (uint16_t)x;
    if (p == shape.to_net)
        leave_by_net(s, (uint32_t)x, p, shape, order, budget);
    else if (s->t.pattern == ORR_PATTERN_NVLS)
        star(s, s->system->first[ORR_NVS], (uint32_t)x, 2, 1, budget);
    else if (s->t.pattern == ORR_PATTERN_COLLNET_DIRECT)
        collnet_direct(s, (uint32_t)x, budget);
    else if (p < (int32_t)s->n - 1)
        next_gpu(s, (uint32_t)x, p, shape, order, budget);
    else if (p == shape.to_first)
        close_ring(s, (uint32_t)x, p, shape, order, budget);
    else
        visit(s, x, (int32_t)s->n, (struct shape){-1, -1}, order, budget);
}

/* Starts a channel at a GPU, coming from a NIC (-1: from nothing). */
static void enter(struct orr_search_state *s, int32_t net, uint32_t gpu, enum orr_order order, int32_t *budget)
{
    uint32_t to = orr_gpu_node(s, gpu), from = net < 0 ? 0 : orr_net_node(s, (uint32_t)net);
    uint8_t *used = &orr_used(s)[gpu], was_used = *used;
    if (net >= 0 && !orr_search_move(s, from, to, 1, false))
        return;
    *used = 1;
    visit(s, (int32_t)gpu, 0, shape_of(s), order, budget);
    *used = was_used;
    if (net >= 0)
        orr_search_move(s, from, to, -1, false);
}

static uint32_t first_gpu_of(const struct orr_search_state *s, int32_t channel)
{
    return s->t.gpus[(size_t)channel * s->n];
}

static void start_without_nets(struct orr_search_state *s, int32_t *budget)
{
    int32_t k = s->t.channels;
    if (s->t.pattern == ORR_PATTERN_NVLS) {
        enter(s, -1, (uint32_t)k, ORR_FREE, budget);
        return;
    }
    if (k == 0)
        enter(s, -1, 0, ORR_PCI_ORDER, budget);
    else
        enter(s, -1, first_gpu_of(s, k - 1), ORR_REPLAY, budget);
    if (k == 0 || !s->t.same_channels)
        for (uint32_t g = 0; g < s->n; g++)
            enter(s, -1, g, ORR_FREE, budget);
}

/* A channel of NVLS or CollNetDirect starts at the GPU that stands for the NIC, once for each GPU. false: not here, so
 * the next NIC is looked at. */
static bool start_at_head(struct orr_search_state *s, int16_t net, int32_t *budget)
{
    int32_t head = s->paths->local_gpu[net];
    bool first_only = s->system->release->start_gpus != ORR_START_LOCAL_GPU; /* and may take a GPU twice */
    for (int32_t c = 0; head >= 0 && !first_only && c < s->t.channels; c++)
        if (first_gpu_of(s, c) == (uint32_t)head)
            return false;
    if (head < 0)
        return first_only;
    enter(s, net, (uint32_t)head, ORR_FREE, budget);
    return true;
}

/* The first channel tries the GPUs in index order, under a budget of its own. */
static void start_in_order(struct orr_search_state *s, int16_t net, int32_t *budget)
{
    if (s->t.channels || (s->has_nvs && s->system->release->switch_skips_order))
        return;
    int32_t own = PCI_ORDER_STEPS;
    enter(s, net, 0, ORR_PCI_ORDER, &own);
    if (own == -1)
        *budget = -1;
}

/* All GPUs nearest to the NIC, the one that stands for it first. false: the NIC reaches none. */
static bool start_near(struct orr_search_state *s, int16_t net, int32_t *budget)
{
    const struct orr_system *system = s->system;
    const struct orr_path *row = orr_path(s->paths, orr_net_node(s, (uint32_t)net), system->first[ORR_GPU]);
    int32_t head = s->paths->local_gpu[net];
    float bw = 0;
    uint8_t type = ORR_PATH_DIS;
    if (head >= 0)
        enter(s, net, (uint32_t)head, ORR_FREE, budget);
    for (uint32_t g = 0; g < s->n; g++)
        if (row[g].bw > bw || (row[g].bw == bw && row[g].type < type)) {
            bw = row[g].bw;
            type = row[g].type;
        }
    if (type == ORR_PATH_DIS)
        return false;
    for (uint32_t g = 0; g < s->n; g++)
        if ((int32_t)g != head && row[g].bw == bw && row[g].type == type)
            enter(s, net, g, ORR_FREE, budget);
    return true;
}

/* Releases before 2.23: the GPUs that the NIC reaches fastest and in the fewest hops, if fast enough; from the
 * channel's number on, or in two rounds: those with PCI rate left first. */
static void start_fastest(struct orr_search_state *s, int16_t net, float needed, int32_t *budget)
{
    const struct orr_path *row = orr_path(s->paths, orr_net_node(s, (uint32_t)net), s->system->first[ORR_GPU]);
    bool two_rounds = s->system->release->start_gpus == ORR_START_TWO_ROUNDS;
    uint32_t hops = UINT32_MAX, start = two_rounds ? 0 : (uint32_t)s->t.channels;
    float bw = 0;
    for (uint32_t g = 0; g < s->n; g++) {
        if (row[g].bw > bw) {
            bw = row[g].bw;
            hops = row[g].hops;
        } else if (row[g].bw == bw && row[g].hops < hops) {
            hops = row[g].hops;
        }
    }
    if (bw < needed)
        return;
    for (int round = 0; round < (two_rounds ? 2 : 1); round++)
        for (uint32_t i = 0; i < s->n; i++) {
            uint32_t g = (start + i) % s->n;
            if (row[g].bw != bw || row[g].hops != hops)
                continue;
            if (two_rounds && (orr_search_pci_bw_left(s, g) > 0) != (round == 0))
                continue;
            enter(s, net, g, ORR_FREE, budget);
        }
}

/* The card's ports share one budget: takes or gives back. */
static void charge_card(struct orr_search_state *s, const struct orr_node *net, float amount)
{
    for (uint32_t i = 0; i < s->net_count; i++) {
        const struct orr_node *other = &s->system->nodes[orr_net_node(s, i)];
        if (other->net.asic == net->net.asic && other->net.port == net->net.port)
            s->net_bw[i] += amount;
    }
}

/* May the channel being started enter by this NIC? */
static bool may_enter_by(const struct orr_search_state *s, int16_t net, float needed)
{
    const struct orr_trial *t = &s->t;
    const struct orr_release *release = s->system->release;
    int32_t k = t->channels;
    bool paired = release->nic_pairs == ORR_PAIRS_RINGS ? t->pattern == ORR_PATTERN_RING && t->cross_nic == 2
                                                        : release->nic_pairs == ORR_PAIRS_ALL && t->cross_nic;
    if ((t->collnet && !s->system->nodes[orr_net_node(s, (uint32_t)net)].net.coll) || s->net_bw[net] < needed)
        return false;
    if (release->counts_connections && s->net_connections[net] <= 0)
        return false;
    return !paired || !(k & 1) || s->net_of_id[net] == t->nets[k - 1][1];
}

/* All that is tried from one entry NIC. false: NCCL forgets to give the card's bandwidth back. */
static bool start_from(struct orr_search_state *s, int16_t net, float needed, int32_t *budget)
{
    int32_t k = s->t.channels;
    bool local_gpu = s->system->release->start_gpus == ORR_START_LOCAL_GPU;
    if (k > 0 && (s->t.same_channels || s->system->release->replays_first))
        enter(s, net, first_gpu_of(s, k - 1), ORR_REPLAY, budget);
    if (k > 0 && s->t.same_channels)
        return true;
    start_in_order(s, net, budget);
    if (local_gpu)
        return start_near(s, net, budget);
    start_fastest(s, net, needed, budget);
    return true;
}

static void start_with_nets(struct orr_search_state *s, int32_t *budget)
{
    struct orr_trial *t = &s->t;
    const struct orr_release *release = s->system->release;
    int32_t k = t->channels;
    bool by_head = t->pattern == ORR_PATTERN_NVLS || t->pattern == ORR_PATTERN_COLLNET_DIRECT;
    uint32_t count = s->start_nets.count_at[t->type_inter], first = release->rotates_start_nets ? (uint32_t)k : 0;
    float needed = (float)(int32_t)t->bw_inter;
    bool started = false;
    if (by_head && k >= (int32_t)count)
        return;
    for (uint32_t i = 0; i < count && !started; i++) {
        int16_t net = s->start_nets.nets[(first + i) % count];
        const struct orr_node *node = &s->system->nodes[orr_net_node(s, (uint32_t)net)];
        if (by_head && i && release->start_gpus != ORR_START_LOCAL_GPU)
            break; /* older releases look at one NIC only */
        if (!may_enter_by(s, net, needed))
            continue;
        t->nets[k][0] = s->net_of_id[net];
        t->latency_inter = node->net.latency;
        charge_card(s, node, -needed);
        s->net_connections[net]--;
        if (by_head)
            started = start_at_head(s, net, budget);
        else if (!start_from(s, net, needed, budget))
            continue;
        charge_card(s, node, needed);
        s->net_connections[net]++;
    }
}

void orr_search_channels(struct orr_search_state *s, int32_t *budget)
{
    if (s->inter)
        start_with_nets(s, budget);
    else
        start_without_nets(s, budget);
}
