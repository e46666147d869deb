/* SPDX-License-Identifier: Apache-2.0 */
/* Legs: the paths that make up a channel. A leg is the list of the links that it loads, with its share of each. They
 * depend on the system alone, so that a move of the search is one pass over a few integers.
 *
 * An example: GPU 0 - switch - CPU 0 - switch - NIC 0, with an Intel CPU. The leg has four charges, all including the
 * overhead. A leg to a GPU older than compute capability 80 has another charge: an eighth of the rate on the way back
 * of its last link. */
#include <string.h>

#include "engine/release/release.h"
#include "engine/search/reserve.h"

enum { OLD_GPU_SM = 80 }; /* below it, data that arrives from elsewhere also loads the way back */

/* What a link does to the legs that use it. */
enum { LINK_PCI = 1, LINK_TO_OLD_GPU = 2, LINK_TO_POWER_CPU = 4 };

struct builder {
    struct orr_search_state *s;
    uint8_t *flags;   /* [link]: LINK_* */
    uint32_t *leg_of; /* [link]: the last leg that loads it, counted from 1 */
    uint32_t legs, charges;
    unsigned kinds; /* bit ORR_RATE_*: rates that the legs being built may take */
    bool counting;  /* first pass, which only counts the charges */
};

static void flag_links(const struct orr_system *system, uint8_t *flags)
{
    enum orr_node_type device = system->release->has_devs ? ORR_DEV : ORR_GPU;
    for (uint32_t l = 0; l < system->link_count; l++) {
        const struct orr_link *link = &system->links[l];
        const struct orr_node *to = &system->nodes[link->to];
        if (link->type == ORR_LINK_PCI)
            flags[l] |= LINK_PCI;
        if (to->type == device && to->gpu.sm < OLD_GPU_SM)
            flags[l] |= LINK_TO_OLD_GPU;
        if (link->type == ORR_LINK_NVL && to->type == ORR_CPU &&
            (to->cpu.arch == ORR_ARCH_POWER || !system->release->power_cpu_only))
            flags[l] |= LINK_TO_POWER_CPU;
    }
}

/* On PHB paths from a GPU through an Intel CPU, a rate costs more on PCI links, because packets are short. */
static bool pays_overhead(const struct orr_search_state *s, const struct orr_path *path, bool from_gpu)
{
    for (uint32_t hop = 0; from_gpu && path->type == ORR_PATH_PHB && hop < path->hops; hop++)
        if (orr_node_is_intel(&s->input.system->nodes[orr_path_node(s->input.paths, path, hop)]))
            return true;
    return false;
}

static void charge(struct builder *b, struct orr_leg *leg, uint32_t link, uint8_t share, bool with_next)
{
    struct orr_search_state *s = b->s;
    if (s->facts.left_out[link])
        return;
    if (b->leg_of[link] == b->legs && leg->state < ORR_LEG_REPEATS)
        leg->state = ORR_LEG_REPEATS;
    b->leg_of[link] = b->legs;
    s->facts.shares_of[link] |= (uint8_t)(1 << share);
    for (int kind = 0; kind < ORR_RATE_COUNT; kind++) {
        if (!(b->kinds >> kind & 1))
            continue;
        s->facts.any_share[kind] |= (uint8_t)(1 << share);
        if (s->input.system->links[link].bw > ORR_NARROW_GBPS)
            s->facts.wide_share[kind] |= (uint8_t)(1 << share);
    }
    s->facts.links[b->charges] = link;
    s->facts.with_next[b->charges] = with_next;
    s->facts.shares[b->charges++] = share;
    leg->charges++;
}

/* Charges the links of a path: each hop, and its way back if that is loaded, too. */
static uint32_t hops_and_ways_back(struct builder *b, const struct orr_path *path)
{
    uint32_t count = path->hops;
    for (uint32_t i = 0; i < path->hops; i++)
        count += (b->flags[b->s->input.paths->links[path->first + i]] & (LINK_TO_OLD_GPU | LINK_TO_POWER_CPU)) != 0;
    return count;
}

/* Whether a node has a path to any other of a type. NCCL keeps no list for one that has none, and such a move fails. */
static bool reaches_some(const struct orr_search_state *s, uint32_t from, enum orr_node_type type)
{
    const struct orr_system *system = s->input.system;
    for (uint32_t to = system->first[type]; to < system->first[type + 1]; to++)
        if (orr_path(s->input.paths, from, to)->type < ORR_PATH_DIS)
            return true;
    return false;
}

static void lay(struct builder *b, struct orr_leg *leg, uint32_t from, uint32_t to)
{
    struct orr_search_state *s = b->s;
    const struct orr_release *release = s->input.system->release;
    const struct orr_path *path = orr_path(s->input.paths, from, to), *back = orr_path(s->input.paths, to, from);
    if (b->counting) {
        b->charges += hops_and_ways_back(b, path);
        return;
    }
    uint8_t type = s->facts.number_of[path->type], type_back = s->facts.number_of[back->type];
    *leg =
        (struct orr_leg){.first = b->charges, .hops = path->hops, .type = {type, type > type_back ? type : type_back}};
    b->legs++;
    if (release->empty_paths_are_free && !path->hops)
        leg->state = ORR_LEG_FREE;
    else if (path->type >= ORR_PATH_DIS &&
             (release->checks_unreachable || !reaches_some(s, from, s->input.system->nodes[to].type)))
        leg->state = ORR_LEG_BLOCKED;
    bool from_gpu = s->input.system->nodes[from].type == ORR_GPU, overhead = pays_overhead(s, path, from_gpu);
    for (uint32_t i = 0; i < path->hops; i++) {
        uint32_t link = s->input.paths->links[path->first + i], way_back = s->input.system->links[link].reverse;
        uint8_t flags = b->flags[link], share = overhead && (flags & LINK_PCI) ? ORR_SHARE_OVERHEAD : ORR_SHARE_PLAIN;
        bool eighth = (flags & LINK_TO_OLD_GPU) && !from_gpu, whole = (flags & LINK_TO_POWER_CPU) != 0;
        bool both = (eighth || whole) && way_back != ORR_NO_LINK;
        charge(b, leg, link, share, both && !s->facts.left_out[way_back]);
        if (both)
            charge(b, leg, way_back, whole ? share : (uint8_t)(share + ORR_SHARE_EIGHTH), false);
    }
}

/* Only releases with NVLS keep paths to NVSwitches. */
static bool has_spokes(const struct orr_search_state *s)
{
    return s->facts.has_nvs && orr_paths_has(s->input.paths, s->input.system->first[ORR_NVS]);
}

static void lay_all(struct builder *b)
{
    struct orr_search_state *s = b->s;
    const unsigned star = 1u << ORR_RATE_HEAD | 1u << ORR_RATE_SPOKE;
    b->legs = b->charges = 0;
    b->kinds = 1u << ORR_RATE_INTRA | star;
    for (uint32_t x = 0; x < s->input.n; x++)
        for (uint32_t y = 0; y < s->input.n; y++)
            lay(b, &s->facts.between[(size_t)x * s->input.n + y], orr_gpu_node(s, x), orr_gpu_node(s, y));
    for (uint32_t net = 0; net < s->input.net_count; net++)
        for (uint32_t gpu = 0; gpu < s->input.n; gpu++) {
            b->kinds = 1u << ORR_RATE_INTER;
            lay(b, &s->facts.entries[(size_t)net * s->input.n + gpu], orr_net_node(s, net), orr_gpu_node(s, gpu));
            b->kinds = 1u << ORR_RATE_INTER | 1u << ORR_RATE_INTER_HALF;
            lay(b, &s->facts.exits[(size_t)net * s->input.n + gpu], orr_gpu_node(s, gpu), orr_net_node(s, net));
        }
    b->kinds = star;
    for (uint32_t gpu = 0; gpu < s->input.n && has_spokes(s); gpu++) {
        lay(b, &s->facts.spokes[0][gpu], s->input.system->first[ORR_NVS], orr_gpu_node(s, gpu));
        lay(b, &s->facts.spokes[1][gpu], orr_gpu_node(s, gpu), s->input.system->first[ORR_NVS]);
    }
}

/* Builds the legs again, without the links that are now left out. */
static void lay_again(struct builder *b)
{
    struct orr_search_facts *facts = &b->s->facts;
    const size_t links = b->s->input.system->link_count;
    memset(b->leg_of, 0, links * sizeof *b->leg_of);
    memset(facts->shares_of, 0, links * sizeof *facts->shares_of);
    memset(facts->any_share, 0, sizeof facts->any_share);
    memset(facts->wide_share, 0, sizeof facts->wide_share);
    lay_all(b);
}

enum orr_code orr_search_lay_legs(struct orr_search_state *s, struct orr_arena *arena, struct orr_error *err)
{
    size_t n = s->input.n, spokes = has_spokes(s) ? n : 0;
    struct orr_leg *legs = ORR_NEW(arena, struct orr_leg, n * n + 2 * n * s->input.net_count + 2 * spokes);
    struct builder b = {.s = s, .counting = true};
    b.flags = ORR_NEW(arena, uint8_t, s->input.system->link_count);
    b.leg_of = ORR_NEW(arena, uint32_t, s->input.system->link_count);
    if (!legs || !b.flags || !b.leg_of)
        return orr_fail_nomem(err);
    s->facts.between = legs;
    s->facts.entries = s->facts.between + n * n;
    s->facts.exits = s->facts.entries + n * s->input.net_count;
    s->facts.spokes[0] = spokes ? s->facts.exits + n * s->input.net_count : NULL;
    s->facts.spokes[1] = spokes ? s->facts.spokes[0] + spokes : NULL;
    flag_links(s->input.system, b.flags);
    lay_all(&b);
    s->facts.links = ORR_NEW(arena, uint32_t, b.charges);
    s->facts.shares = ORR_NEW(arena, uint8_t, b.charges);
    s->facts.with_next = ORR_NEW(arena, bool, b.charges);
    if (!s->facts.links || !s->facts.shares || !s->facts.with_next)
        return orr_fail_nomem(err);
    b.counting = false;
    lay_all(&b);
    if (orr_search_mark_unfilled(s, arena)) {
        double rest;
        lay_again(&b);
        if (!orr_search_counts_always(s, &rest)) {
            memset(s->facts.left_out, 0, s->input.system->link_count * sizeof *s->facts.left_out);
            lay_again(&b);
        }
    }
    for (size_t i = 0; i < n * n; i++)
        for (int both = 0; both < 2; both++)
            s->facts.types_between[both] |= UINT64_C(1) << s->facts.between[i].type[both];
    for (size_t i = 0; i < n * s->input.net_count; i++)
        s->facts.types_of_nets |= UINT64_C(1) << s->facts.entries[i].type[0] | UINT64_C(1) << s->facts.exits[i].type[0];
    return ORR_OK;
}
