/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the plain search that concerns NICs: docs/nccl/search.md, "Which NICs are tried".
 *
 * An example: GPU 0 is near NIC 0, GPU 1 near NIC 1. From 2.18.5 on channels start from NIC 0, then NIC 1, because each
 * is the first choice of a GPU; GPU 1 leaves by NIC 1 before it leaves by NIC 0. */
#include <math.h>

#include "engine/decide/nearest.h"
#include "tests/search/plain_state.h"

int16_t plain_first_of_id(const struct plain *s, int net)
{
    int16_t first = 0;
    while (net_of(s, first)->id != net_of(s, net)->id)
        first++;
    return first;
}

static uint32_t farness(const struct plain *s, const struct orr_path *path)
{
    return s->release->start_gpus >= ORR_START_NEAREST ? (uint32_t)s->number[path->type] : path->hops;
}

struct nearness plain_nearest(const struct plain *s, int net)
{
    struct nearness best = {0, UINT32_MAX};
    if (s->release->start_gpus >= ORR_START_NEAREST)
        best.far = (uint32_t)s->number[ORR_PATH_DIS];
    for (int g = 0; g < s->n; g++) {
        const struct orr_path *path = orr_path(s->paths, net_node(s, net), gpu_node(s, g));
        const uint32_t far = farness(s, path);
        if (path->bw > best.bw || (path->bw == best.bw && far < best.far))
            best = (struct nearness){path->bw, far};
    }
    return best;
}

bool plain_is_near(const struct plain *s, int net, int gpu, struct nearness best)
{
    const struct orr_path *path = orr_path(s->paths, net_node(s, net), gpu_node(s, gpu));
    return path->bw == best.bw && farness(s, path) == best.far;
}

int plain_preferred(const struct plain *s, int gpu, int channel)
{
    uint32_t scratch[2 * (PLAIN_MOST_NETS + PLAIN_MOST_GPUS)];
    const uint32_t node = orr_local_net(s->paths, gpu_node(s, gpu), channel, scratch);
    return node == ORR_NO_NODE ? -1 : (int)(node - s->system->first[ORR_NET]);
}

static void append(struct list *list, int net)
{
    for (int i = 0; i < list->count; i++)
        if (list->nets[i] == net)
            return;
    list->nets[list->count++] = (int16_t)net;
}

/* Appends a run of NICs, beginning with the one at `turn`, until the list has `most`. */
static void append_turned(struct list *list, const int *run, int count, int turn, int most)
{
    for (int i = 0; i < count && list->count < most; i++)
        append(list, run[(turn + i) % count]);
}

/* 2.9.6 - 2.11.4: only the NICs with the highest rate to a GPU, by hops; those of equal hops rotated. A path that was
 * diverted through the CPU visits a node twice at most. */
static void list_fastest(const struct plain *s, struct list *list)
{
    float best = 0;
    for (int net = 0; net < s->nets; net++)
        best = fmaxf(best, plain_nearest(s, net).bw);
    for (uint32_t hops = 0; hops <= 2 * s->system->node_count && list->count < s->nets; hops++) {
        int run[PLAIN_MOST_NETS], count = 0;
        for (int net = 0; net < s->nets; net++)
            if (plain_nearest(s, net).bw == best && plain_nearest(s, net).far == hops)
                run[count++] = net;
        append_turned(list, run, count, gpu_of(s, 0)->gpu.dev, INT16_MAX);
    }
}

/* The local NICs of each GPU, for channels 0, 1, ... up to the first repetition: GPU by GPU, or in turns. */
static void list_preferred(const struct plain *s, struct list *list, int first, int end)
{
    const bool in_turns = end - first > 1 && s->system->host_count > 1 &&
                          orr_setting_in(ORR_SET_MNNVL_SCATTER_NETS_ENABLE, s->release) &&
                          orr_setting_int(s->settings, ORR_SET_MNNVL_SCATTER_NETS_ENABLE) != 0;
    const int gpus = end - first, channels = s->release->max_channels;
    bool ended[PLAIN_MOST_GPUS] = {false};
    for (int i = 0; i < gpus * channels; i++) {
        const int g = first + (in_turns ? i % gpus : i / channels), c = in_turns ? i / gpus : i % channels;
        const int net = ended[g] ? -1 : plain_preferred(s, g, c);
        ended[g] = net < 0 || (c > 0 && net == plain_preferred(s, g, 0));
        if (!ended[g])
            append(list, net);
    }
}

/* A list for the GPUs from `first` to before `end`, up to the type limit of the trial. */
static void list_for(const struct plain *s, struct list *list, int first, int end)
{
    const enum orr_net_lists lists = s->release->net_lists;
    const bool rotated = lists == ORR_NETS_BY_TYPE_ROTATED;
    const int policy = s->release->policy_limits_lists ? s->paths->nets_per_gpu : 0;
    const int most = policy > 0 ? policy * (end - first) : INT16_MAX;
    const int nets = rotated || s->nets < s->release->max_channels ? s->nets : s->release->max_channels;
    list->count = 0;
    for (int net = 0; net < s->nets && lists <= ORR_NETS_FASTEST_START; net++)
        append(list, net);
    if (lists == ORR_NETS_PREFERRED)
        list_preferred(s, list, first, end);
    for (int type = 0; type <= s->trial.type_inter && lists >= ORR_NETS_BY_TYPE_ROTATED; type++)
        for (int g = first; g < end; g++) {
            int run[PLAIN_MOST_NETS], count = 0;
            for (int net = 0; net < nets; net++)
                if (type_of(s, gpu_node(s, g), net_node(s, net)) == type)
                    run[count++] = net;
            append_turned(list, run, count, rotated ? gpu_of(s, g)->gpu.dev : 0, rotated ? INT16_MAX : most);
        }
}

void plain_list_nets(struct plain *s)
{
    list_for(s, &s->starts, 0, s->n);
    for (int g = 0; g < s->n; g++)
        list_for(s, &s->exits[g], g, g + 1);
    if (s->release->net_lists == ORR_NETS_FASTEST_START) {
        s->starts.count = 0;
        list_fastest(s, &s->starts);
    }
}

static bool is_one_port(const struct plain *s, int a, int b)
{
    return net_of(s, a)->net.asic == net_of(s, b)->net.asic && net_of(s, a)->net.port == net_of(s, b)->net.port;
}

/* Does a NIC count as the card of another, where NICs are not crossed? */
static bool is_one_card(const struct plain *s, int a, int b)
{
    const struct orr_node *x = net_of(s, a), *y = net_of(s, b), *nodes = s->system->nodes;
    const struct orr_link *links = s->system->links;
    if (s->release->knows_rails && x->net.rail >= 0 && y->net.rail >= 0)
        return x->net.rail == y->net.rail;
    if (orr_setting_int(s->settings, ORR_SET_MNNVL_RAIL_PER_HOST) == 1 && orr_id_system(x->id) != orr_id_system(y->id))
        return x->net.port == y->net.port &&
               orr_id_local(nodes[links[x->first_link].to].id) == orr_id_local(nodes[links[y->first_link].to].id);
    return is_one_port(s, a, b);
}

bool plain_may_leave_by(const struct plain *s, int net)
{
    const struct graph *t = &s->trial;
    const int k = t->channels, entry = t->nets[k][0], id = plain_first_of_id(s, net);
    const int32_t plane = net_of(s, entry)->net.plane, other = net_of(s, net)->net.plane;
    if (s->release->knows_rails && plane >= 0 && other >= 0 && plane != other)
        return false;
    if (t->pattern == ORR_PATTERN_TREE && id != entry)
        return false;
    if (s->release->nic_pairs == ORR_PAIRS_RINGS && t->pattern == ORR_PATTERN_RING && t->cross_nic == 2)
        return !(k & 1) || id == t->nets[k - 1][0];
    if (s->release->nic_pairs == ORR_PAIRS_RINGS && t->cross_nic)
        return true;
    if (s->release->nic_pairs == ORR_PAIRS_ALL && t->cross_nic && k & 1 && id != t->nets[k - 1][0])
        return false;
    return t->cross_nic == 1 || is_one_card(s, entry, net);
}

bool plain_may_enter_by(const struct plain *s, int net)
{
    const struct graph *t = &s->trial;
    const int k = t->channels;
    const bool rings = s->release->nic_pairs == ORR_PAIRS_RINGS && t->pattern == ORR_PATTERN_RING && t->cross_nic == 2;
    if (t->collnet && !net_of(s, net)->net.coll)
        return false;
    if (s->net_bw[net] < (float)(int32_t)t->bw_inter)
        return false;
    if (s->release->counts_connections && s->connections[net] <= 0)
        return false;
    return !(rings || (s->release->nic_pairs == ORR_PAIRS_ALL && t->cross_nic)) || !(k & 1) ||
           plain_first_of_id(s, net) == t->nets[k - 1][1];
}

void plain_charge(struct plain *s, int net, float by)
{
    for (int other = 0; other < s->nets; other++)
        if (is_one_port(s, net, other))
            s->net_bw[other] += by;
}
