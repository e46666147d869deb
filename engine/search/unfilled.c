/* SPDX-License-Identifier: Apache-2.0 */
/* Links that no channels can fill.
 *
 * A NIC without a PCI address is connected to its CPU by a link of 5000 GB/s, where binary32 does not distinguish
 * thousandths: after taking a rate from it and giving it back, NCCL may have less than before. But below 4096 GB/s
 * nothing is lost if the amounts are nearly whole thousandths: the three roundings of one operation sum up to 0.37
 * thousandths at most, and with an amount's 0.12 that does not reach the middle between two thousandths. With other
 * amounts the same holds below 1024 GB/s: 0.09 and 0.35. So NCCL's loss ends when such a link is down to that value. A
 * link that still has room for all channels then never refuses anything. Such links are left out of the legs, but only
 * if every attempt counts in thousandths: otherwise sums of floats may drift without limit.
 *
 * Proof that there is room. The load of the link at any moment has two upper limits: the sum that all channels take
 * with all their moves, and the sum that the nearest narrow links of the legs through it let pass. If the link always
 * has the smaller of the two plus a margin for its own loss, it refuses no move. A link that never refuses a move, and
 * whose remainder is compared with nothing, has no influence.
 *
 * An example: NIC 0 has no PCI address, a link of 5000 GB/s to its CPU, and GPUs with links of 24 GB/s. Each of the 8
 * GPUs sends at most 24 GB/s to it, 192 in all. So it has room for any set of channels, and is left out. */
#include <math.h>

#include "engine/release/release.h"
#include "engine/search/limits.h"
#include "engine/search/reserve.h"

/* Up to this many GB/s no thousandth is lost; MARGIN_GBPS is room for the loss of a link with many loads. */
enum { WHOLE_NEAR_GBPS = 4095, WHOLE_GBPS = 1000, MARGIN_GBPS = 50 };
enum { MOST_PAIRS = 1 << 26 };        /* pairs of a wide link and another link: 8 MiB of bits */
static const double near_rest = 0.12; /* thousandths */

enum move { MOVE_BETWEEN, MOVE_ENTRY, MOVE_EXIT, MOVE_SPOKE_OUT, MOVE_SPOKE_HOME, MOVE_COUNT };

/* The load that a rate of 1 GB/s puts on a link. */
struct load {
    float now;              /* by the leg that is being added */
    float most[MOVE_COUNT]; /* by one leg */
    uint32_t wide;          /* number among the wide links, from 1; 0 if it is not wide */
    float comes;            /* for a wide link: the most GB/s that can reach it */
};

static void add_legs(const struct orr_search_state *s, const struct orr_leg *legs, size_t count, enum move move,
                     struct load *loads)
{
    const struct orr_release *release = s->input.system->release;
    const float overhead = release->intel_overhead_up / release->intel_overhead_down;
    const float factor[ORR_SHARE_COUNT] = {[ORR_SHARE_PLAIN] = 1,
                                           [ORR_SHARE_OVERHEAD] = overhead,
                                           [ORR_SHARE_EIGHTH] = .125f,
                                           [ORR_SHARE_OVERHEAD_EIGHTH] = overhead / 8};
    for (const struct orr_leg *leg = legs; leg < legs + count; leg++) {
        const uint32_t *link = s->facts.links + leg->first;
        const uint8_t *share = s->facts.shares + leg->first;
        for (uint32_t i = 0; i < leg->charges; i++)
            loads[link[i]].now += factor[share[i]];
        for (uint32_t i = 0; i < leg->charges; i++) {
            struct load *load = &loads[link[i]];
            load->most[move] = load->now > load->most[move] ? load->now : load->most[move];
            load->now = 0;
        }
    }
}

/* Links that matter even if they never refuse: PCI links of GPUs, whose remaining capacity is compared. */
static bool counts_otherwise(const struct orr_search_state *s, uint32_t link)
{
    for (uint32_t g = 0; g < s->input.n; g++)
        if (s->facts.pci_link[g] == (int32_t)link || s->facts.pci_back[g] == (int32_t)link)
            return true;
    return false;
}

/* The narrower link of two charges that carry the whole rate over a narrow link; ORR_NO_LINK if neither does. Charges
 * outside `first` to `end` do not belong to the leg. */
static uint32_t narrower(const struct orr_search_state *s, uint32_t first, uint32_t end, uint32_t one, uint32_t other)
{
    const struct orr_link *links = s->input.system->links;
    const uint32_t both[] = {one, other};
    uint32_t least = ORR_NO_LINK;
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t c = both[i];
        if (c < first || c >= end || links[s->facts.links[c]].bw > ORR_NARROW_GBPS ||
            s->facts.shares[c] > ORR_SHARE_OVERHEAD)
            continue;
        if (least == ORR_NO_LINK || links[s->facts.links[c]].bw < links[least].bw)
            least = s->facts.links[c];
    }
    return least;
}

/* Adds to each wide link the most GB/s that can reach it by these legs: the bandwidth of the nearest narrow link of
 * each leg, where a link that several legs share is added only once. counted: bit [number of the wide link * links +
 * narrow link]. */
static void let_through(const struct orr_search_state *s, const struct orr_leg *legs, size_t count, struct load *loads,
                        uint64_t *counted)
{
    for (const struct orr_leg *leg = legs; leg < legs + count; leg++) {
        const uint32_t first = leg->first, end = leg->first + leg->charges;
        for (uint32_t i = first; i < end; i++) {
            struct load *load = &loads[s->facts.links[i]];
            uint32_t by = ORR_NO_LINK;
            for (uint32_t d = 1; load->wide && d < leg->charges && by == ORR_NO_LINK; d++)
                by = narrower(s, first, end, i - d, i + d);
            if (load->wide && by == ORR_NO_LINK)
                load->comes = INFINITY;
            if (by == ORR_NO_LINK)
                continue;
            const size_t bit = (size_t)(load->wide - 1) * s->input.system->link_count + by;
            load->comes += counted[bit / 64] >> bit % 64 & 1 ? 0 : s->input.system->links[by].bw;
            counted[bit / 64] |= UINT64_C(1) << bit % 64;
        }
    }
}

bool orr_search_mark_unfilled(struct orr_search_state *s, struct orr_arena *arena)
{
    const struct orr_system *system = s->input.system;
    const uint32_t links = system->link_count;
    const size_t n = s->input.n, moves = n * s->input.net_count;
    bool any = false, wide = false;
    for (int kind = 0; kind < ORR_RATE_COUNT; kind++)
        wide = wide || s->facts.wide_share[kind];
    struct load *loads = wide && !s->input.parts ? ORR_NEW(arena, struct load, links) : NULL;
    if (!loads)
        return false; /* if memory ran out, no link is left out */
    uint32_t wide_links = 0;
    for (uint32_t l = 0; l < links; l++)
        if (s->facts.shares_of[l] && system->links[l].bw > ORR_NARROW_GBPS && !counts_otherwise(s, l))
            loads[l].wide = ++wide_links;
    const size_t pairs = (size_t)wide_links * links;
    uint64_t *counted = pairs && pairs <= MOST_PAIRS ? ORR_NEW(arena, uint64_t, pairs / 64 + 1) : NULL;
    if (!counted)
        return false;
    const size_t spokes = s->facts.spokes[0] ? n : 0;
    const struct orr_leg *legs[MOVE_COUNT] = {s->facts.between, s->facts.entries, s->facts.exits, s->facts.spokes[0],
                                              s->facts.spokes[1]};
    const size_t counts[MOVE_COUNT] = {n * n, moves, moves, spokes, spokes};
    for (int move = 0; move < MOVE_COUNT; move++) {
        add_legs(s, legs[move], counts[move], (enum move)move, loads);
        let_through(s, legs[move], counts[move], loads, counted);
    }
    uint32_t count;
    const float *rates = orr_search_rates_of(s, &count);
    /* A tree has no more channels than the ring; a star that visits NVSwitches may. */
    const int32_t channels = s->facts.spokes[0] ? system->release->max_channels : system->release->ring_max_channels;
    float highest = 0;
    double rest;
    (void)orr_search_counts_always(s, &rest);
    const float whole = rest <= near_rest ? WHOLE_NEAR_GBPS : WHOLE_GBPS;
    for (uint32_t r = 0; r < count; r++)
        highest = rates[r] > highest ? rates[r] : highest;
    for (uint32_t l = 0; l < links; l++) {
        const float *most = loads[l].most, full = system->links[l].bw < whole ? system->links[l].bw : whole;
        if (!loads[l].wide)
            continue;
        float channel = most[MOVE_BETWEEN] * (float)n + most[MOVE_ENTRY] + most[MOVE_EXIT]; /* a balanced tree exits
                                                                                             * twice with half the
                                                                                             * rate */
        float leg = fmaxf(most[MOVE_BETWEEN], fmaxf(most[MOVE_ENTRY], most[MOVE_EXIT]));
        const bool spoke = most[MOVE_SPOKE_OUT] > 0 || most[MOVE_SPOKE_HOME] > 0;
        const float twice = spoke ? 2 : 1; /* the head of a star takes the rate twice at once */
        leg = fmaxf(leg, fmaxf(most[MOVE_SPOKE_OUT], most[MOVE_SPOKE_HOME]));
        s->facts.left_out[l] = (!spoke && (float)channels * channel * highest + MARGIN_GBPS <= full) ||
                               leg * loads[l].comes + twice * leg * highest + MARGIN_GBPS <= full;
        any = any || s->facts.left_out[l];
    }
    return any;
}
