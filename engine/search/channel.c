/* SPDX-License-Identifier: Apache-2.0 */
/* Builds channels by visits, each of which is one step. Rules: docs/nccl/search.md, "Building a channel".
 *
 * A visit tries every way on from one GPU: it takes the rate from the links of a leg, visits the leg's other end, and
 * gives the rate back. When a channel is complete, the next one starts on the remaining capacities, within the same
 * recursion. So at every moment the capacities are those before the attempt minus the rates of the channels under
 * construction.
 *
 * An example: two GPUs inside one host, a ring. Visit GPU 0 (step 1), take the leg to GPU 1, visit GPU 1 (step 2), take
 * the leg back, visit GPU 0 at position 2 (step 3): complete. The next channel starts with what both links have left.
 */
#include <string.h>

#include "engine/base/budget.h"
#include "engine/search/better.h"
#include "engine/search/bounds.h"
#include "engine/search/reserve.h"

static void visit(struct orr_search_state *s, int32_t x, int32_t p, struct orr_shape shape, enum orr_order order,
                  int32_t *budget);

enum { ASKS_EVERY = 4096 }; /* starts between two checks of the request's time */

void orr_trial_copy(struct orr_trial *to, const struct orr_trial *from, uint32_t n)
{
    struct orr_trial keep = *to;
    memcpy(keep.gpus, from->gpus, (size_t)from->channels * n * sizeof *from->gpus);
    memcpy(keep.nets, from->nets, (size_t)from->channels * sizeof *from->nets);
    *to = *from;
    to->gpus = keep.gpus;
    to->nets = keep.nets;
}

/* Skips the rest of the attempt. */
static void end(struct orr_search_state *s, int32_t *budget)
{
    s->attempt.ended = true;
    s->budget.later = 0;
    *budget = *s->budget.sliced = 0;
}

static void complete(struct orr_search_state *s, int32_t *budget)
{
    struct orr_trial *t = &s->trial;
    t->channels++;
    orr_search_at_channel(s);
    if (!s->attempt.counting && orr_search_is_better(s, t->channels, t->hops)) {
        orr_trial_copy(&s->best, t, s->input.n);
        s->found++;
        if (t->channels == t->max_channels)
            *budget = -1;
        else if (s->attempt.bounded && !orr_search_may_improve(s, &s->attempt.bound))
            end(s, budget);
    }
    if (t->channels < t->max_channels)
        orr_search_channels(s, budget);
    t->channels--;
    orr_search_at_channel(s);
}

/* Is a NIC on the card of the channel's entry NIC? */
static inline bool is_on_card(const struct orr_search_state *s, int16_t net)
{
    return s->facts.net_pair[(size_t)s->trial.nets[s->trial.channels][0] * s->input.net_count + (size_t)net] &
           ORR_NETS_ONE_CARD;
}

/* May a channel that entered by its entry NIC leave by this one? */
static inline bool may_leave_by(struct orr_search_state *s, int16_t net)
{
    const struct orr_trial *t = &s->trial;
    int32_t k = t->channels;
    uint8_t pair = s->facts.net_pair[(size_t)t->nets[k][0] * s->input.net_count + (size_t)net];
    bool one_card = pair & ORR_NETS_ONE_CARD;
    if (pair & ORR_NETS_OTHER_PLANE)
        return false;
    if (s->attempt.crossing == ORR_CROSS_NOT)
        return one_card;
    bool back = !(k & 1) || s->attempt.crossing == ORR_CROSS_ANY || s->facts.net_of_id[net] == t->nets[k - 1][0];
    return back && (s->attempt.crossing != ORR_CROSS_BACK_CARD || one_card);
}

static inline enum orr_rate_kind exit_rate(const struct orr_search_state *s)
{
    return s->trial.pattern == ORR_PATTERN_BALANCED_TREE ? ORR_RATE_INTER_HALF : ORR_RATE_INTER;
}

static inline void leave_by(struct orr_search_state *s, uint32_t x, int32_t p, struct orr_shape after,
                            enum orr_order order, int16_t net, int32_t *budget)
{
    enum orr_rate_kind rate = exit_rate(s);
    const struct orr_leg *leg = &s->facts.exits[(size_t)net * s->input.n + x];
    if (!orr_search_take_open(s, leg, rate))
        return;
    s->trial.nets[s->trial.channels][1] = s->facts.net_of_id[net];
    visit(s, (int32_t)x, p, after, order, budget);
    orr_search_give(s, leg, rate);
}

static void leave_by_net(struct orr_search_state *s, uint32_t x, int32_t p, struct orr_shape shape,
                         enum orr_order order, int32_t *budget)
{
    struct orr_trial *t = &s->trial;
    const int16_t *ends = t->nets[t->channels], *list = &s->attempt.open_exits[(size_t)x * s->input.net_count];
    uint32_t count = s->attempt.open_exit_count[x];
    bool balanced = t->pattern == ORR_PATTERN_BALANCED_TREE, tree = t->pattern == ORR_PATTERN_TREE;
    struct orr_shape after = {balanced && p == 0 ? 1 : -1, shape.to_first};
    for (uint32_t i = 0; i < count; i++) {
        int16_t net = list[i];
        if (balanced && p == 1 && s->facts.net_of_id[net] != ends[1])
            continue;
        if (tree ? s->facts.net_of_id[net] == ends[0] && (t->cross_nic || is_on_card(s, net)) : may_leave_by(s, net))
            leave_by(s, x, p, after, order, net, budget);
    }
}

/* docs/nccl/search.md, "NVLS and CollNet direct". Makes all moves between a centre and the GPUs, out and back; then the
 * channel is complete. Gives back the rates it took. out: [GPU] from the centre; home: [GPU * home_stride] to it. */
static void star(struct orr_search_state *s, uint32_t head, struct orr_leg *out, struct orr_leg *home,
                 size_t home_stride, int32_t *budget)
{
    uint32_t moves = 2 * s->input.n, done = 0;
    for (; done < moves; done++) {
        uint32_t gpu = done < s->input.n ? done : done - s->input.n;
        const struct orr_leg *leg = done < s->input.n ? &out[gpu] : &home[gpu * home_stride];
        const enum orr_rate_kind rate = gpu == head ? ORR_RATE_HEAD : ORR_RATE_SPOKE;
        if (s->left.rates[rate].factor == 1 ? !orr_search_take(s, leg, rate)
                                            : !orr_search_take_slowly(s, leg, &s->left.rates[rate]))
            break;
    }
    if (done == moves)
        visit(s, -1, (int32_t)s->input.n, (struct orr_shape){-1, -1}, ORR_FREE, budget);
    while (done-- > 0) {
        uint32_t gpu = done < s->input.n ? done : done - s->input.n;
        const struct orr_leg *leg = done < s->input.n ? &out[gpu] : &home[gpu * home_stride];
        const enum orr_rate_kind rate = gpu == head ? ORR_RATE_HEAD : ORR_RATE_SPOKE;
        if (s->left.rates[rate].factor == 1)
            orr_search_give(s, leg, rate);
        else
            orr_search_give_slowly(s, leg, &s->left.rates[rate]);
    }
}

/* NVLS: all GPUs meet at the NVSwitch. CollNetDirect: the head fans out to all others, each with an equal share. */
static void fan_out(struct orr_search_state *s, uint32_t head, int32_t *budget)
{
    uint32_t position = 1;
    if (s->trial.pattern == ORR_PATTERN_NVLS) {
        if (s->facts.spokes[0])
            star(s, head, s->facts.spokes[0], s->facts.spokes[1], 1, budget);
        return;
    }
    for (uint32_t g = 0; g < s->input.n; g++)
        if (g != head)
            s->channel.row[position++] = (uint16_t)g;
    star(s, head, &s->facts.between[(size_t)head * s->input.n], &s->facts.between[head], s->input.n, budget);
}

static inline void go(struct orr_search_state *s, const struct orr_leg *leg, uint32_t y, int32_t p,
                      struct orr_shape shape, enum orr_order order, int32_t *budget)
{
    uint8_t *used = &s->channel.used[y], was_used = *used;
    *used = 1;
    visit(s, (int32_t)y, p + 1, shape, order, budget);
    *used = was_used;
    orr_search_give(s, leg, ORR_RATE_INTRA);
}

/* Tries the next GPUs in the free order. */
ORR_ALWAYS_INLINE void choose_gpu(struct orr_search_state *s, uint32_t x, int32_t p, struct orr_shape shape,
                                  int32_t *budget)
{
    struct orr_leg *legs = &s->facts.between[(size_t)x * s->input.n];
    if (shape.to_net == -1 || s->facts.neighbours_only) { /* the order does not depend on a NIC, so it is fixed */
        const uint16_t *open = &s->attempt.open[(size_t)x * s->input.n], *end = open + s->attempt.open_count[x];
        const uint8_t *used = s->channel.used;
        for (; open < end; open++)
            if (!used[*open] && orr_search_take_open(s, &legs[*open], ORR_RATE_INTRA))
                go(s, &legs[*open], *open, p, shape, ORR_FREE, budget);
    } else {
        uint16_t *list = &s->channel.candidates[s->channel.candidate_top], *end;
        end = list + orr_search_candidates(s, x, shape.to_net == p + 1, list);
        s->channel.candidate_top += (uint32_t)(end - list);
        for (uint16_t *next = list; next < end; next++)
            if (orr_search_take_open(s, &legs[*next], ORR_RATE_INTRA))
                go(s, &legs[*next], *next, p, shape, ORR_FREE, budget);
        s->channel.candidate_top -= (uint32_t)(end - list);
    }
}

ORR_ALWAYS_INLINE void next_gpu(struct orr_search_state *s, uint32_t x, int32_t p, struct orr_shape shape,
                                enum orr_order order, int32_t *budget)
{
    if (order == ORR_FREE) {
        choose_gpu(s, x, p, shape, budget);
        return;
    }
    struct orr_leg *legs = &s->facts.between[(size_t)x * s->input.n];
    uint32_t y = order == ORR_PCI_ORDER ? (uint32_t)p + 1 : (s->channel.row - s->input.n)[p + 1]; /* same order as the
                                                                                                   * channel before */
    if (orr_search_take(s, &legs[y], ORR_RATE_INTRA))
        go(s, &legs[y], y, p, shape, order, budget);
}

static void close_ring(struct orr_search_state *s, uint32_t x, int32_t p, struct orr_shape shape, enum orr_order order,
                       int32_t *budget)
{
    uint32_t first = s->channel.row[0];
    const struct orr_leg *leg = &s->facts.between[(size_t)x * s->input.n + first];
    if (!orr_search_take(s, leg, ORR_RATE_INTRA))
        return;
    visit(s, (int32_t)first, p + 1, (struct orr_shape){shape.to_net, -1}, order, budget);
    orr_search_give(s, leg, ORR_RATE_INTRA);
}

/* Whether the request still has time. */
static bool may_go_on(struct orr_search_state *s)
{
    if (orr_budget_check(NULL) == ORR_OK)
        return true;
    s->budget.later = 0;
    s->budget.stopped = true;
    return false;
}

/* The steps of an attempt are handed out in slices: the request's time is checked between two slices, and costs nothing
 * within one. */
static bool more_steps(struct orr_search_state *s, int32_t *budget)
{
    if (budget != s->budget.sliced || *budget < 0 || !s->budget.later || !may_go_on(s))
        return false;
    *budget = orr_search_slice(s);
    return true;
}

/* One step; false if none is left. */
static inline bool step(struct orr_search_state *s, int32_t *budget)
{
    if (*budget <= 0 && !more_steps(s, budget))
        return false;
    --*budget;
    s->budget.steps++;
    return true;
}

/* Tries everything that can follow the GPU at a position of the channel. */
static inline void go_on(struct orr_search_state *s, int32_t x, int32_t p, struct orr_shape shape, enum orr_order order,
                         int32_t *budget)
{
    s->channel.row[p] = (uint16_t)x;
    if (p == shape.to_net)
        leave_by_net(s, (uint32_t)x, p, shape, order, budget);
    else if (s->attempt.star)
        fan_out(s, (uint32_t)x, budget);
    else if (p < (int32_t)s->input.n - 1)
        next_gpu(s, (uint32_t)x, p, shape, order, budget);
    else if (p == shape.to_first)
        close_ring(s, (uint32_t)x, p, shape, order, budget);
    else
        visit(s, x, (int32_t)s->input.n, (struct orr_shape){-1, -1}, order, budget);
}

static void visit(struct orr_search_state *s, int32_t x, int32_t p, struct orr_shape shape, enum orr_order order,
                  int32_t *budget)
{
    if (!step(s, budget))
        return;
    if (p == (int32_t)s->input.n)
        complete(s, budget);
    else
        go_on(s, x, p, shape, order, budget);
}

void orr_search_enter(struct orr_search_state *s, int32_t net, uint32_t gpu, enum orr_order order, int32_t *budget)
{
    const struct orr_leg *leg = net < 0 ? NULL : &s->facts.entries[(size_t)net * s->input.n + gpu];
    uint8_t *used = &s->channel.used[gpu], was_used = *used;
    if (s->budget.stopped)
        return;
    /* A start without room is not a step, and the order of the graph has steps of its own, so a search may never ask
     * for more steps. */
    if (++s->budget.starts % ASKS_EVERY == 0 && !may_go_on(s))
        return;
    if (leg && !orr_search_take(s, leg, ORR_RATE_INTER))
        return;
    *used = 1;
    visit(s, (int32_t)gpu, 0, s->attempt.shape, order, budget);
    *used = was_used;
    if (leg)
        orr_search_give(s, leg, ORR_RATE_INTER);
}
