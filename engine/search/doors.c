/* By which links legs begin and end, for bounds.c: what does not change during a search. */
#include "engine/search/bounds.h"

struct scratch {
    uint32_t *legs;  /* [link]: legs of the group that load it; 0 between two groups */
    uint8_t *shares; /* [link]: the least that one of them takes */
};

/* Of two shares the one that takes less of a rate. */
static uint8_t lesser(uint8_t a, uint8_t b)
{
    static const uint8_t order[ORR_SHARE_COUNT] = {
        [ORR_SHARE_EIGHTH] = 0, [ORR_SHARE_OVERHEAD_EIGHTH] = 1, [ORR_SHARE_PLAIN] = 2, [ORR_SHARE_OVERHEAD] = 3};
    return order[a] < order[b] ? a : b;
}

/* The first link of a leg that is not between a GPU and its own device. */
static uint32_t first_charge(const struct orr_search_state *s, const struct orr_leg *leg)
{
    const uint32_t *link = s->facts.links + leg->first;
    const struct orr_system *system = s->input.system;
    return leg->charges > 1 && system->nodes[system->links[link[0]].to].type == ORR_DEV;
}

/* What the leg can carry at most, in thousandths; links of which it takes an eighth only are left aside. */
static int32_t narrowest(const struct orr_search_state *s, const struct orr_leg *leg)
{
    float least = 16000;
    for (uint32_t i = leg->first; i < leg->first + leg->charges; i++) {
        float capacity = s->left.capacity[s->facts.links[i]];
        if ((s->facts.shares[i] & ORR_SHARE_MASK) <= ORR_SHARE_OVERHEAD)
            least = capacity < least ? capacity : least;
    }
    return (int32_t)(least * 1000 + 0.5f);
}

/* Adds a leg to the last group of doors, to the door by the same link and type where there is one. */
static void add(const struct orr_search_state *s, struct orr_doors *doors, uint32_t group, const struct orr_leg *leg,
                struct orr_gate by)
{
    struct orr_door *first = doors->list + doors->first[group], *end = doors->list + doors->first[group + 1];
    struct orr_door *door = first, *same = NULL;
    int32_t least = narrowest(s, leg);
    for (struct orr_door *other = first; other < end; other++)
        if (other->link == by.link)
            by.share = other->share = lesser(by.share, other->share);
    for (; door < end && !same; door++)
        if (door->link == by.link && door->type[0] == leg->type[0] && door->type[1] == leg->type[1])
            same = door;
    if (!same) {
        same = end;
        *same = (struct orr_door){by.link, least, leg->hops, {leg->type[0], leg->type[1]}, by.share};
        doors->first[group + 1]++;
    }
    same->least = least > same->least ? least : same->least;
    same->hops = leg->hops < same->hops ? leg->hops : same->hops;
}

/* By the link at which each leg begins. */
static void add_by_first(const struct orr_search_state *s, struct orr_doors *doors, uint32_t group,
                         const struct orr_leg *leg)
{
    struct orr_gate by = {ORR_NO_LINK, ORR_SHARE_PLAIN};
    if (leg->state == ORR_LEG_BLOCKED)
        return;
    if (leg->charges) {
        uint32_t i = leg->first + first_charge(s, leg);
        by = (struct orr_gate){s->facts.links[i], s->facts.shares[i] & ORR_SHARE_MASK};
    }
    add(s, doors, group, leg, by);
}

/* A group of legs: count of them, each `stride` after the other. */
struct group {
    const struct orr_leg *legs;
    uint32_t count, stride;
};

/* How many rates of 1 GB/s a link carries. */
static float carries(const struct orr_search_state *s, uint32_t link, uint8_t share)
{
    bool eighth = share == ORR_SHARE_EIGHTH || share == ORR_SHARE_OVERHEAD_EIGHTH;
    return s->left.capacity[link] * (eighth ? 8 : 1);
}

static struct orr_gate gate_of(const struct orr_search_state *s, struct group g, struct scratch *scratch)
{
    struct orr_gate gate = {ORR_NO_LINK, ORR_SHARE_PLAIN};
    const struct orr_leg *last = NULL;
    uint32_t legs = 0;
    for (uint32_t l = 0; l < g.count; l++) {
        const struct orr_leg *leg = &g.legs[(size_t)l * g.stride];
        if (leg->state == ORR_LEG_BLOCKED)
            continue;
        for (uint32_t i = leg->first; i < leg->first + leg->charges; i++) {
            const uint32_t link = s->facts.links[i];
            const uint8_t share = s->facts.shares[i] & ORR_SHARE_MASK;
            scratch->shares[link] = scratch->legs[link] ? lesser(share, scratch->shares[link]) : share;
            scratch->legs[link] += scratch->legs[link] == legs; /* once a leg, and only if all before had it */
        }
        legs++;
        last = leg;
    }
    for (uint32_t i = last ? last->first : 0; last && i < last->first + last->charges; i++) {
        const uint32_t link = s->facts.links[i];
        if (scratch->legs[link] == legs &&
            (gate.link == ORR_NO_LINK || carries(s, link, scratch->shares[link]) < carries(s, gate.link, gate.share)))
            gate = (struct orr_gate){link, scratch->shares[link]};
    }
    for (uint32_t l = 0; l < g.count; l++) {
        const struct orr_leg *leg = &g.legs[(size_t)l * g.stride];
        for (uint32_t i = leg->first; i < leg->first + leg->charges; i++)
            scratch->legs[s->facts.links[i]] = 0;
    }
    return gate;
}

/* All legs of a group by its gate, or each by its first link. */
static void add_by_gate(const struct orr_search_state *s, struct orr_doors *doors, uint32_t group, struct group g,
                        struct scratch *scratch)
{
    const struct orr_gate gate = gate_of(s, g, scratch);
    doors->first[group + 1] = doors->first[group];
    for (uint32_t l = 0; l < g.count; l++) {
        const struct orr_leg *leg = &g.legs[(size_t)l * g.stride];
        if (gate.link == ORR_NO_LINK)
            add_by_first(s, doors, group, leg);
        else if (leg->state != ORR_LEG_BLOCKED)
            add(s, doors, group, leg, gate);
    }
}

static bool allocate(struct orr_doors *doors, struct orr_arena *arena, size_t groups, size_t legs)
{
    doors->list = ORR_NEW(arena, struct orr_door, legs);
    doors->first = ORR_NEW(arena, uint32_t, groups + 1);
    return doors->list && doors->first;
}

enum orr_code orr_search_note_doors(struct orr_search_state *s, struct orr_arena *arena, struct orr_error *err)
{
    struct orr_search_facts *f = &s->facts;
    const uint32_t n = s->input.n, nets = s->input.net_count;
    const size_t moves = (size_t)n * nets;
    struct scratch scratch = {ORR_NEW(arena, uint32_t, s->input.system->link_count),
                              ORR_NEW(arena, uint8_t, s->input.system->link_count)};
    if (!scratch.legs || !scratch.shares || !allocate(&f->next, arena, n, (size_t)n * n) ||
        !allocate(&f->exit_doors, arena, n, moves) || !allocate(&f->takeoffs, arena, n, moves) ||
        !allocate(&f->landings, arena, n, moves) || !allocate(&f->entry_doors, arena, nets, moves) ||
        !allocate(&f->arrivals, arena, nets, moves))
        return orr_fail_nomem(err);
    for (uint32_t x = 0; x < n; x++) {
        f->next.first[x + 1] = f->next.first[x];
        for (uint32_t y = 0; y < n; y++)
            if (y != x)
                add_by_first(s, &f->next, x, &f->between[(size_t)x * n + y]);
        f->exit_doors.first[x + 1] = f->exit_doors.first[x];
        for (uint32_t net = 0; net < nets; net++)
            add_by_first(s, &f->exit_doors, x, &f->exits[(size_t)net * n + x]);
        add_by_gate(s, &f->takeoffs, x, (struct group){&f->exits[x], nets, n}, &scratch);
        add_by_gate(s, &f->landings, x, (struct group){&f->entries[x], nets, n}, &scratch);
    }
    for (uint32_t net = 0; net < nets; net++) {
        add_by_gate(s, &f->entry_doors, net, (struct group){&f->entries[(size_t)net * n], n, 1}, &scratch);
        add_by_gate(s, &f->arrivals, net, (struct group){&f->exits[(size_t)net * n], n, 1}, &scratch);
    }
    return ORR_OK;
}
