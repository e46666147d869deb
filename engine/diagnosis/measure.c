/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/diagnosis/measure.h"

#include <math.h>
#include <stdio.h>

#include "engine/base/sorting.h"

static const struct {
    const char *name, *unit;
    bool higher; /* is better */
    double least;
} figures[ORR_COST_FIGURE_COUNT] = {
#define X(symbol, name, unit, higher, least) {name, unit, higher, least},
    ORR_COST_FIGURE_MAP(X)
#undef X
};

const char *orr_cost_figure_unit(enum orr_cost_figure figure)
{
    return figures[figure].unit;
}

/* Number of GPUs that may use GPUDirect RDMA with at least one NIC. */
static uint32_t count_gdr(const struct orr_analysis *analysis)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < analysis->part_count; p++) {
        const struct orr_part *part = &analysis->parts[p];
        uint32_t nets = orr_system_count(&part->system, ORR_NET);
        for (uint32_t g = 0; g < orr_system_count(&part->system, ORR_GPU); g++) {
            bool any = false;
            for (uint32_t n = 0; part->gdr && n < nets && !any; n++)
                any = part->gdr[g * nets + n].send.verdict || part->gdr[g * nets + n].recv.verdict;
            count += any;
        }
    }
    return count;
}

void orr_measure(const struct orr_analysis *analysis, struct orr_performance *ret)
{
    const struct orr_communicator *communicator = &analysis->communicator;
    struct orr_choice large, small;
    uint64_t pairs = 0, n = analysis->local_ranks;
    *ret = (struct orr_performance){.known = true};
    if (orr_tuning_choose(&analysis->tuning, communicator, &analysis->query.settings, ORR_ALLREDUCE, 1u << 30, &large))
        ret->value[ORR_COST_BUS_BW] = (double)large.bus_bw;
    if (orr_tuning_choose(&analysis->tuning, communicator, &analysis->query.settings, ORR_ALLREDUCE, 8, &small))
        ret->value[ORR_COST_LATENCY] = (double)small.time;
    for (uint64_t i = 0; i < n * n; i++)
        pairs += analysis->p2p[i].decision.verdict && i / n != i % n;
    ret->value[ORR_COST_P2P_PAIRS] = (double)pairs / 2;
    ret->value[ORR_COST_GDR] = (double)count_gdr(analysis);
    ret->value[ORR_COST_CHANNELS] = (double)communicator->channel_count;
    ret->value[ORR_COST_NVLS] = communicator->nvls ? (double)communicator->nvls_channels : 0;
    ret->value[ORR_COST_GPUS] = (double)n;
}

/* The share of the better value that is lost, from 0 (nothing) to 1. */
static double share_lost(const struct orr_cost *cost)
{
    double better = fmax(cost->now, cost->repaired);
    bool lost = figures[cost->figure].higher ? cost->now < cost->repaired : cost->now > cost->repaired;
    return lost && better > 0 && !cost->none ? fabs(cost->now - cost->repaired) / better : 0;
}

int orr_cost_compare(const struct orr_cost *a, const struct orr_cost *b)
{
    bool lost_a = share_lost(a) > 0, lost_b = share_lost(b) > 0;
    if (!lost_a || !lost_b)
        return lost_b - lost_a;
    ORR_BY(ORR_ORDER(a->figure, b->figure));
    return share_lost(a) > share_lost(b) ? -1 : share_lost(a) < share_lost(b);
}

static void list_changes(const struct orr_measured *now, const struct orr_measured *repaired, struct orr_cost *cost)
{
    cost->change_count = 0;
    for (int f = 0; f < ORR_COST_FIGURE_COUNT; f++)
        for (uint32_t i = 0; i < now->count; i++)
            if (now->figures[i].known && repaired->figures[i].known &&
                now->figures[i].value[f] != repaired->figures[i].value[f])
                cost->changes[cost->change_count++] = (struct orr_cost_change){
                    (enum orr_cost_figure)f, now->hosts[i], now->figures[i].value[f], repaired->figures[i].value[f]};
}

struct orr_cost orr_cost_between(const struct orr_measured *now, const struct orr_measured *repaired)
{
    struct orr_cost best = {.none = true};
    for (int f = 0; f < ORR_COST_FIGURE_COUNT && best.none; f++)
        for (uint32_t i = 0; i < now->count; i++) {
            struct orr_cost cost = {.figure = (enum orr_cost_figure)f,
                                    .now = now->figures[i].value[f],
                                    .repaired = repaired->figures[i].value[f],
                                    .all_repaired = repaired->figures[i].value[f],
                                    .hosts = now->hosts[i],
                                    .fused = now->fused};
            if (!now->figures[i].known || !repaired->figures[i].known)
                continue;
            if (share_lost(&cost) > figures[f].least && (best.none || orr_cost_compare(&cost, &best) < 0))
                best = cost;
            else if (!best.hosts) /* the first figure, should none change */
                best = cost, best.none = true;
        }
    list_changes(now, repaired, &best);
    return best;
}

void orr_cost_refer(struct orr_cost *cost, const struct orr_measured *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        const double value = all->figures[i].value[cost->figure];
        const bool better = figures[cost->figure].higher ? value > cost->now : value < cost->now;
        if (all->hosts[i] == cost->hosts && all->figures[i].known && better)
            cost->all_repaired = value;
    }
}

void orr_cost_figure_for(enum orr_cost_figure figure, uint32_t hosts, char text[64])
{
    if (figure == ORR_COST_GPUS)
        snprintf(text, 64, "%s", figures[figure].name);
    else
        snprintf(text, 64, "%s on %u host%s", figures[figure].name, hosts, orr_plural(hosts));
}

/* A share of the full number reads "7 of 8"; times and numbers of channels are not shares. */
void orr_cost_text(const struct orr_cost *cost, char text[64])
{
    bool share = cost->figure != ORR_COST_LATENCY && cost->figure != ORR_COST_CHANNELS && cost->figure != ORR_COST_NVLS;
    snprintf(text, 64, "%.3g %s %.3g %s", cost->now, share ? "of" : "instead of", cost->all_repaired,
             figures[cost->figure].unit);
}

void orr_cost_gain_text(const struct orr_cost *cost, char text[64])
{
    text[0] = 0;
    if (cost->has_gain)
        snprintf(text, 64, "repairing it adds %.3g %s%s", cost->gain, figures[ORR_COST_BUS_BW].unit,
                 cost->together ? " once the others are repaired" : "");
    else if (cost->together)
        snprintf(text, 64, "repairing it gains only together with the others");
}
