/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the plain search that starts channels: docs/nccl/search.md, "Where a channel starts" and "NVLS and
 * CollNet direct".
 *
 * An example: two GPUs, NIC 0 next to GPU 0. Channel 0 enters by NIC 0, first at GPU 0 in the order of the graph, then
 * at GPU 0 freely. If all channels have one order, channel 1 is channel 0 again, or there is none. */
#include "tests/search/plain_state.h"

enum { IN_ORDER_STEPS = 1024 };

static void start_without_nets(struct plain *s, int32_t *steps)
{
    const int k = s->trial.channels;
    if (s->trial.pattern == ORR_PATTERN_NVLS) {
        plain_enter(s, NOTHING, k, FREE, steps);
        return;
    }
    plain_enter(s, NOTHING, k ? s->trial.gpus[k - 1][0] : 0, k ? AS_BEFORE : IN_ORDER, steps);
    for (int g = 0; g < s->n && (!k || !s->trial.same_channels); g++)
        plain_enter(s, NOTHING, g, FREE, steps);
}

/* The GPUs of a NIC at which a channel starts freely. false: the NIC's bandwidth is not given back. */
static bool start_freely(struct plain *s, int net, int32_t *steps)
{
    const struct nearness best = plain_nearest(s, net);
    const enum orr_start_gpus rule = s->release->start_gpus;
    const int local = rule == ORR_START_LOCAL_GPU ? s->paths->local_gpu[net] : -1;
    const int turn = rule == ORR_START_ROTATED ? s->trial.channels : 0;
    if (local >= 0)
        plain_enter(s, net, local, FREE, steps);
    if (rule >= ORR_START_NEAREST && best.far == (uint32_t)s->number[ORR_PATH_DIS])
        return false;
    if (rule < ORR_START_NEAREST && best.bw < (float)(int32_t)s->trial.bw_inter)
        return true;
    for (int round = 0; round < (rule == ORR_START_TWO_ROUNDS ? 2 : 1); round++)
        for (int i = 0; i < s->n; i++) {
            const int g = (turn + i) % s->n;
            if (g != local && plain_is_near(s, net, g, best) &&
                (rule != ORR_START_TWO_ROUNDS || (plain_pci_left(s, g) > 0) == (round == 0)))
                plain_enter(s, net, g, FREE, steps);
        }
    return true;
}

/* false: the NIC's bandwidth is not given back. */
static bool start_from(struct plain *s, int net, int32_t *steps)
{
    const int k = s->trial.channels;
    if (k > 0 && (s->trial.same_channels || s->release->replays_first))
        plain_enter(s, net, s->trial.gpus[k - 1][0], AS_BEFORE, steps);
    if (k > 0 && s->trial.same_channels)
        return true;
    if (k == 0 && !(s->has_nvs && s->release->switch_skips_order)) {
        int32_t own = IN_ORDER_STEPS;
        plain_enter(s, net, 0, IN_ORDER, &own);
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
    if (rule == ORR_HEADS_BY_NET_INDEX || rule == ORR_HEADS_OF_LIST) {
        const int head = rule == ORR_HEADS_OF_LIST ? s->paths->local_gpu[s->starts.nets[k]] : head_by_index(s);
        if (head >= 0)
            plain_enter(s, NOTHING, head, FREE, steps);
        return true;
    }
    const int head = s->paths->local_gpu[net];
    for (int c = 0; c < k && once && head >= 0; c++)
        if (s->trial.gpus[c][0] == head)
            return rule == ORR_HEADS_NEXT;
    *ret_go_on = head < 0 && rule == ORR_HEADS_NEXT;
    if (head >= 0)
        plain_enter(s, net, head, FREE, steps);
    return true;
}

static void start_with_nets(struct plain *s, int32_t *steps)
{
    struct graph *t = &s->trial;
    const enum orr_start_heads rule = s->release->start_heads;
    const bool star = t->pattern == ORR_PATTERN_NVLS || t->pattern == ORR_PATTERN_COLLNET_DIRECT;
    const bool by_head = star && rule != ORR_HEADS_AS_OTHERS;
    const int count = s->starts.count, k = t->channels, turn = s->release->rotates_start_nets ? k : 0;
    const float whole = (float)(int32_t)t->bw_inter;
    bool go_on = !(by_head && rule != ORR_HEADS_BY_NET_INDEX && k >= count);
    for (int i = 0; i < count && go_on; i++) {
        const int net = s->starts.nets[(turn + i) % count];
        if (by_head && rule == ORR_HEADS_OF_FIRST && i > 0)
            return;
        if (!plain_may_enter_by(s, net))
            continue;
        t->nets[k][0] = plain_first_of_id(s, net);
        t->latency_inter = net_of(s, net)->net.latency;
        plain_charge(s, net, -whole);
        s->connections[net]--;
        if (!(by_head ? start_at_head(s, net, &go_on, steps) : start_from(s, net, steps)))
            continue;
        plain_charge(s, net, whole);
        s->connections[net]++;
    }
}

void plain_start_channel(struct plain *s, int32_t *steps)
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
