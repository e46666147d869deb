/* SPDX-License-Identifier: Apache-2.0 */
/* The links that the legs of a group share, for bounds.c; they do not change during a search. A group is all legs from
 * one GPU to other GPUs, from a GPU to NICs, from NICs to a GPU, from a NIC, or to a NIC.
 *
 * An example: below one PCIe switch there are GPU 0, GPU 1 and NIC 0. All legs from GPU 0 begin by its link to the
 * switch, so one row stands for them: the link, the fewest hops, and the most that one of them carries. */
#include "engine/search/bounds.h"

/* A group of `count` legs, `stride` apart. */
struct group {
    const struct orr_leg *legs;
    uint32_t count, stride;
    bool by_last; /* its legs share their last links, not their first */
};

/* A link, and the least that a leg of the group takes of it. */
struct shared {
    uint32_t link; /* ORR_NO_LINK if there is none */
    uint8_t share;
};

struct scratch {
    uint32_t *legs;  /* [link]: legs of the group that load it; 0 between two groups */
    uint8_t *shares; /* [link]: the least that one of them takes */
};

/* The share of two that takes less of a rate. */
static uint8_t lesser(uint8_t a, uint8_t b)
{
    static const uint8_t order[ORR_SHARE_COUNT] = {
        [ORR_SHARE_EIGHTH] = 0, [ORR_SHARE_OVERHEAD_EIGHTH] = 1, [ORR_SHARE_PLAIN] = 2, [ORR_SHARE_OVERHEAD] = 3};
    return order[a] < order[b] ? a : b;
}

/* The most that a leg can carry, in thousandths; skips links of which it takes only an eighth. */
static int32_t narrowest(const struct orr_search_state *s, const struct orr_leg *leg)
{
    float least = 16000;
    for (uint32_t i = leg->first; i < leg->first + leg->charges; i++) {
        float capacity = s->left.capacity[s->facts.links[i]];
        if (s->facts.shares[i] <= ORR_SHARE_OVERHEAD)
            least = capacity < least ? capacity : least;
    }
    return (int32_t)(least * 1000 + 0.5f);
}

/* How many times a link carries a rate of 1 GB/s. */
static float carries(const struct orr_search_state *s, struct shared by)
{
    bool eighth = by.share == ORR_SHARE_EIGHTH || by.share == ORR_SHARE_OVERHEAD_EIGHTH;
    return s->left.capacity[by.link] * (eighth ? 8 : 1);
}

/* The first or last link of a leg, skipping the link between a GPU and its own device. */
static struct shared end_of(const struct orr_search_state *s, const struct orr_leg *leg, bool last)
{
    const struct orr_system *system = s->input.system;
    if (!leg->charges)
        return (struct shared){ORR_NO_LINK, ORR_SHARE_PLAIN};
    uint32_t i = last ? leg->first + leg->charges - 1 : leg->first;
    const struct orr_link *link = &system->links[s->facts.links[i]];
    if (leg->charges > 1 && system->nodes[last ? link->from : link->to].type == ORR_DEV)
        i = last ? i - 1 : i + 1;
    return (struct shared){s->facts.links[i], s->facts.shares[i]};
}

/* The link that all legs of a group load; if there are several, the one that carries the least. */
static struct shared common_link(const struct orr_search_state *s, struct group g, struct scratch *scratch)
{
    struct shared common = {ORR_NO_LINK, ORR_SHARE_PLAIN};
    const struct orr_leg *last = NULL;
    uint32_t legs = 0;
    for (uint32_t l = 0; l < g.count; l++) {
        const struct orr_leg *leg = &g.legs[(size_t)l * g.stride];
        if (leg->state == ORR_LEG_BLOCKED)
            continue;
        for (uint32_t i = leg->first; i < leg->first + leg->charges; i++) {
            const uint32_t link = s->facts.links[i];
            const uint8_t share = s->facts.shares[i];
            scratch->shares[link] = scratch->legs[link] ? lesser(share, scratch->shares[link]) : share;
            scratch->legs[link] += scratch->legs[link] == legs; /* counts a leg once, and only if all legs before it
                                                                 * load the link */
        }
        legs++;
        last = leg;
    }
    for (uint32_t i = last ? last->first : 0; last && i < last->first + last->charges; i++) {
        const struct shared by = {s->facts.links[i], scratch->shares[s->facts.links[i]]};
        if (scratch->legs[by.link] == legs && (common.link == ORR_NO_LINK || carries(s, by) < carries(s, common)))
            common = by;
    }
    for (uint32_t l = 0; l < g.count; l++) {
        const struct orr_leg *leg = &g.legs[(size_t)l * g.stride];
        for (uint32_t i = leg->first; i < leg->first + leg->charges; i++)
            scratch->legs[s->facts.links[i]] = 0;
    }
    return common;
}

/* Adds a leg to its group, in the row of the same link and type if there is one. */
static void add_leg(const struct orr_search_state *s, struct orr_ends *ends, uint32_t group, const struct orr_leg *leg,
                    struct shared by)
{
    struct orr_end *first = ends->list + ends->first[group], *end = ends->list + ends->first[group + 1], *same = NULL;
    int32_t least = narrowest(s, leg);
    const bool passes = leg->state == ORR_LEG_FREE; /* whatever the limits: the least type */
    const uint8_t type[2] = {passes ? 0 : leg->type[0], passes ? 0 : leg->type[1]};
    for (struct orr_end *other = first; other < end; other++)
        if (other->link == by.link) {
            by.share = other->share = lesser(by.share, other->share);
            if (other->type[0] == type[0] && other->type[1] == type[1])
                same = other;
        }
    if (!same) {
        same = end;
        *same = (struct orr_end){by.link, least, leg->hops, {type[0], type[1]}, by.share};
        ends->first[group + 1]++;
    }
    same->least = least > same->least ? least : same->least;
    same->hops = leg->hops < same->hops ? leg->hops : same->hops;
}

/* Adds a group: one row for the link that all its legs share, or else each leg by its end. */
static void add_group(const struct orr_search_state *s, struct orr_ends *ends, uint32_t group, struct group g,
                      struct shared common)
{
    ends->first[group + 1] = ends->first[group];
    for (uint32_t l = 0; l < g.count; l++) {
        const struct orr_leg *leg = &g.legs[(size_t)l * g.stride];
        if (leg->state != ORR_LEG_BLOCKED)
            add_leg(s, ends, group, leg, common.link == ORR_NO_LINK ? end_of(s, leg, g.by_last) : common);
    }
}

static bool allocate(struct orr_ends *ends, struct orr_arena *arena, size_t groups, size_t legs)
{
    ends->list = ORR_NEW(arena, struct orr_end, legs);
    ends->first = ORR_NEW(arena, uint32_t, groups + 1);
    return ends->list && ends->first;
}

enum orr_code orr_search_note_ends(struct orr_search_state *s, struct orr_arena *arena, struct orr_error *err)
{
    struct orr_search_facts *f = &s->facts;
    const uint32_t n = s->input.n, nets = s->input.net_count;
    const size_t moves = (size_t)n * nets;
    struct scratch scratch = {ORR_NEW(arena, uint32_t, s->input.system->link_count),
                              ORR_NEW(arena, uint8_t, s->input.system->link_count)};
    if (!scratch.legs || !scratch.shares || !allocate(&f->to_next, arena, n, (size_t)n * n) ||
        !allocate(&f->leave, arena, n, moves) || !allocate(&f->to_nets, arena, n, moves) ||
        !allocate(&f->from_nets, arena, n, moves) || !allocate(&f->from_net, arena, nets, moves) ||
        !allocate(&f->to_net, arena, nets, moves))
        return orr_fail_nomem(err);
    const struct shared none = {ORR_NO_LINK, ORR_SHARE_PLAIN};
    for (uint32_t x = 0; x < n; x++) {
        const struct group exits = {&f->exits[x], nets, n, false}, entries = {&f->entries[x], nets, n, true};
        f->to_next.first[x + 1] = f->to_next.first[x];
        for (uint32_t y = 0; y < n; y++) {
            const struct orr_leg *leg = &f->between[(size_t)x * n + y];
            if (y != x && leg->state != ORR_LEG_BLOCKED)
                add_leg(s, &f->to_next, x, leg, end_of(s, leg, false));
        }
        add_group(s, &f->leave, x, exits, none);
        add_group(s, &f->to_nets, x, exits, common_link(s, exits, &scratch));
        add_group(s, &f->from_nets, x, entries, common_link(s, entries, &scratch));
    }
    for (uint32_t net = 0; net < nets; net++) {
        const struct group entries = {&f->entries[(size_t)net * n], n, 1, false},
                           exits = {&f->exits[(size_t)net * n], n, 1, true};
        add_group(s, &f->from_net, net, entries, common_link(s, entries, &scratch));
        add_group(s, &f->to_net, net, exits, common_link(s, exits, &scratch));
    }
    return ORR_OK;
}
