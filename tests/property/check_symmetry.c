/* SPDX-License-Identifier: Apache-2.0 */
/* If the paths between two nodes must be equal in both directions.
 *
 * The rules say so only for direct routes on a machine whose links are equal in both directions (same type, same
 * bandwidth; different CPUs or counts make them differ) and whose nodes have ids of their own:
 *
 *   faster wins (2.7.8)                 the widest path has the same bandwidth from both ends; which of several is
 * taken, and so its type and length, depends on the end fewer hops, then faster (to 2.27)   same length and bandwidth;
 * of equals the first found is taken, so the type may differ nearer by type, then faster (2.30)  same type; the
 * bandwidth may differ, since a node keeps its nearest path, not its widest. With relays the types may differ too:
 * whether a device may be passed depends on the length of its own best path
 *
 * Paths between a CPU and a GPU are left out: a CPU that a GPU is linked to is one hop away, so its neighbours are
 * relayed through that GPU towards the CPU, but a GPU never relays to a CPU. If the same links serve both
 * directions, bandwidth and type are the same; but for 2.7.8, whose type counts hops from one end, and treats POWER
 * sockets by direction. */
#include "engine/release/release.h"
#include "tests/property/checks.h"

struct symmetry {
    const struct orr_paths *paths;
    const struct orr_system *system;
    bool relays; /* types may differ where nearer wins */
    struct orr_error *err;
};

static uint32_t count_links(const struct orr_system *system, uint32_t from, uint32_t to)
{
    uint32_t count = 0;
    for (uint32_t l = system->nodes[from].first_link;
         l < system->nodes[from].first_link + system->nodes[from].link_count; l++)
        count += system->links[l].to == to;
    return count;
}

static bool has_equal_links(const struct orr_system *system)
{
    for (uint32_t l = 0; l < system->link_count; l++) {
        const struct orr_link *link = &system->links[l];
        const struct orr_node *far = &system->nodes[link->to];
        bool equal = false;
        for (uint32_t b = far->first_link; b < far->first_link + far->link_count && !equal; b++)
            equal = system->links[b].to == link->from && system->links[b].type == link->type &&
                    system->links[b].bw == link->bw;
        if (!equal || link->bw <= 0)
            return false;
    }
    return true;
}

static bool has_own_ids(const struct orr_system *system)
{
    for (int type = 0; type < ORR_NODE_TYPE_COUNT; type++)
        if (!have_own_ids(system, (enum orr_node_type)type))
            return false;
    return true;
}

static bool may_relay(const struct orr_system *system, const struct orr_settings *settings)
{
    if (orr_setting_int(settings, ORR_SET_NVB_DISABLE) != 0)
        return false;
    for (uint32_t l = 0; l < system->link_count; l++)
        if (system->links[l].type == ORR_LINK_NVL && system->nodes[system->links[l].from].type == ORR_DEV &&
            system->nodes[system->links[l].to].type == ORR_DEV)
            return true;
    return false;
}

/* The same nodes the other way round, and one link between each two. */
static bool is_mirrored(const struct symmetry *s, const struct orr_path *there, const struct orr_path *back)
{
    if (there->hops != back->hops)
        return false;
    for (uint32_t i = 0; i < there->hops; i++) {
        const struct orr_link *out = &s->system->links[s->paths->links[there->first + i]];
        const struct orr_link *home = &s->system->links[s->paths->links[back->first + back->hops - 1 - i]];
        if (out->from != home->to || out->to != home->from || count_links(s->system, out->from, out->to) != 1)
            return false;
    }
    return true;
}

static bool check_pair(const struct symmetry *s, uint32_t a, uint32_t b, struct tally *tally)
{
    const struct orr_release *release = s->system->release;
    const struct orr_path *there = orr_path(s->paths, a, b), *back = orr_path(s->paths, b, a);
    if (there->origin != ORR_ROUTE || back->origin != ORR_ROUTE)
        return true;
    bool same_bw = there->bw == back->bw, same_type = there->type == back->type, same_hops = there->hops == back->hops;
    bool good = true;
    switch (release->admission) {
    case ORR_ADMIT_FASTER:
        good = same_bw;
        break;
    case ORR_ADMIT_FEWER_HOPS:
        good = same_bw && same_hops;
        break;
    case ORR_ADMIT_NEARER:
        good = same_type || s->relays;
        break;
    }
    bool mirrored = is_mirrored(s, there, back),
         by_direction = release->near_two_switches || release->power_sockets_are_near;
    if (mirrored)
        good = good && same_bw && (same_type || by_direction);
    tally->symmetric++;
    tally->mirrored += mirrored;
    if (good)
        return true;
    char x[ORR_NODE_ID_SIZE], y[ORR_NODE_ID_SIZE];
    return WRONG(s->err, "path %s -> %s is %s %g GB/s %u hops, but %s %g GB/s %u hops the other way%s",
                 orr_system_node_id(s->system, a, x), orr_system_node_id(s->system, b, y),
                 orr_path_type_name((enum orr_path_type)there->type), (double)there->bw, there->hops,
                 orr_path_type_name((enum orr_path_type)back->type), (double)back->bw, back->hops,
                 mirrored ? " over the same links" : "");
}

bool check_symmetry(const struct orr_analysis *a, struct tally *tally, struct orr_error *err)
{
    static const enum orr_node_type pairs[][2] = {
        {ORR_GPU, ORR_GPU}, {ORR_GPU, ORR_NET}, {ORR_NET, ORR_CPU}, {ORR_CPU, ORR_CPU}};
    for (uint32_t i = 0; i < a->part_count; i++) {
        const struct orr_system *system = &a->parts[i].system;
        struct symmetry s = {.paths = &a->parts[i].paths, .system = system, .err = err};
        if (!has_equal_links(system) || !has_own_ids(system))
            continue;
        s.relays = may_relay(system, &a->query.settings);
        for (unsigned k = 0; k < sizeof pairs / sizeof pairs[0]; k++)
            for (uint32_t x = system->first[pairs[k][0]]; x < system->first[pairs[k][0] + 1]; x++)
                for (uint32_t y = system->first[pairs[k][1]]; y < system->first[pairs[k][1] + 1]; y++)
                    if (x != y && !check_pair(&s, x, y, tally))
                        return false;
    }
    return true;
}
