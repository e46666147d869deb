/* SPDX-License-Identifier: Apache-2.0 */
/* What does not change during a search: orders of GPUs, PCI links, and what legs.c and nets.c add. */
#include <string.h>

#include "engine/base/budget.h"
#include "engine/release/release.h"
#include "engine/search/bounds.h"
#include "engine/search/reserve.h"

/* The first PCI link of each GPU, and the first link back from its far end. */
static void find_pci_links(struct orr_search_state *s)
{
    const struct orr_system *system = s->input.system;
    for (uint32_t g = 0; g < s->input.n; g++) {
        uint32_t node = orr_gpu_node(s, g);
        if (system->release->has_devs)
            node = system->links[system->nodes[node].first_link].to; /* its device */
        const struct orr_node *gpu = &system->nodes[node];
        s->facts.pci_link[g] = s->facts.pci_back[g] = -1;
        for (uint32_t l = gpu->first_link; l < gpu->first_link + gpu->link_count && s->facts.pci_link[g] < 0; l++)
            if (system->links[l].type == ORR_LINK_PCI)
                s->facts.pci_link[g] = (int32_t)l;
        if (s->facts.pci_link[g] < 0)
            continue;
        const struct orr_node *far = &system->nodes[system->links[s->facts.pci_link[g]].to];
        for (uint32_t l = far->first_link; l < far->first_link + far->link_count && s->facts.pci_back[g] < 0; l++)
            if (system->links[l].to == node)
                s->facts.pci_back[g] = (int32_t)l;
    }
}

/* The PCI links of GPUs are alike: what their loads can differ by, as a part of the rate; 0: they are not alike, or a
 * load is no simple part. */
static float pci_step(const struct orr_search_state *s)
{
    uint8_t shares = 0;
    for (uint32_t g = 0; g < s->input.n; g++) {
        int32_t to = s->facts.pci_link[g], back = s->facts.pci_back[g];
        if (to < 0 || back < 0 || s->left.capacity[to] != s->left.capacity[back] ||
            s->left.capacity[to] != s->left.capacity[s->facts.pci_link[0]])
            return 0;
        shares |= s->facts.shares_of[to] | s->facts.shares_of[back];
    }
    bool overhead = shares >> ORR_SHARE_OVERHEAD & 1, eighths = shares >> ORR_SHARE_EIGHTH & 1;
    /* Sums of 1, of 6/5 (12/9) and of 1/8 lie on these grids. */
    return shares >> ORR_SHARE_OVERHEAD_EIGHTH & 1 ? 0 : overhead ? (eighths ? 0.025f : 0.2f) : eighths ? 0.125f : 1;
}

/* Are two GPUs as far from x, whole GB/s and hops? */
static bool are_alike(const struct orr_search_state *s, uint32_t x, uint32_t y, uint32_t z)
{
    const struct orr_path *to_y = orr_path(s->input.paths, orr_gpu_node(s, x), orr_gpu_node(s, y));
    const struct orr_path *to_z = orr_path(s->input.paths, orr_gpu_node(s, x), orr_gpu_node(s, z));
    return (int32_t)to_y->bw == (int32_t)to_z->bw && to_y->hops == to_z->hops;
}

/* Other GPUs by path rate (whole GB/s), hops, distance by index; those without a path are left out. */
static void order_gpus(struct orr_search_state *s)
{
    for (uint32_t x = 0; x < s->input.n && !orr_budget_spent(8 * s->input.n); x++) {
        uint16_t *list = &s->facts.by_distance[(size_t)x * s->input.n];
        uint32_t count = 0;
        for (uint32_t i = 1; i < s->input.n; i++) {
            uint32_t y = (x + i) % s->input.n, at;
            const struct orr_path *path = orr_path(s->input.paths, orr_gpu_node(s, x), orr_gpu_node(s, y));
            if (!path->hops)
                continue;
            for (at = count++; at > 0; at--) {
                const struct orr_path *other =
                    orr_path(s->input.paths, orr_gpu_node(s, x), orr_gpu_node(s, list[at - 1]));
                if ((int32_t)other->bw > (int32_t)path->bw ||
                    ((int32_t)other->bw == (int32_t)path->bw && other->hops <= path->hops))
                    break;
                list[at] = list[at - 1];
            }
            list[at] = (uint16_t)y;
        }
        s->facts.by_distance_count[x] = (uint16_t)count;
        uint16_t *class = &s->facts.distance_class[(size_t)x * s->input.n];
        for (uint32_t i = 1; i < count; i++)
            class[i] = (uint16_t)(class[i - 1] + !are_alike(s, x, list[i - 1], list[i]));
    }
}

/* All arrays of a search, from one table. */
static enum orr_code allocate(struct orr_search_state *s, struct orr_arena *arena, struct orr_error *err)
{
    enum { MOST_STEPS = 16384, CHANNELS = ORR_MAX_CHANNELS };
    const size_t n = s->input.n, nets = s->input.net_count, links = s->input.system->link_count;
    /* Every visit of a channel being built may hold a list of all GPUs not yet used. */
    const size_t lists = n * n * CHANNELS < n * MOST_STEPS ? n * n * CHANNELS : n * MOST_STEPS;
#define ROOM(field, count)                                                                                             \
    {                                                                                                                  \
        &s->field, (count), sizeof *s->field                                                                           \
    }
    const struct {
        void *pointer; /* to the field */
        size_t count, size;
    } rooms[] = {
        ROOM(facts.net_of_id, nets),
        ROOM(facts.next_of_card, nets),
        ROOM(facts.net_pair, nets * nets),
        ROOM(facts.net_score, nets * n),
        ROOM(facts.near_gpus, nets),
        ROOM(facts.near_pool, nets * n),
        ROOM(facts.pci_link, n),
        ROOM(facts.pci_back, n),
        ROOM(facts.by_distance, n * n),
        ROOM(facts.by_distance_count, n),
        ROOM(facts.distance_class, n * n),
        ROOM(facts.shares_of, links),
        ROOM(facts.left_out, links),
        ROOM(left.capacity, links),
        ROOM(attempt.kept, links),
        ROOM(left.thousandths, links),
        ROOM(left.full, links),
        ROOM(attempt.demand, links),
        ROOM(attempt.refused_links, links),
        ROOM(left.net_bw, nets),
        ROOM(left.net_connections, nets),
        ROOM(attempt.net_full, nets),
        ROOM(attempt.net_demand, nets),
        ROOM(attempt.open, n * n),
        ROOM(attempt.open_count, n),
        ROOM(attempt.open_exits, n * nets),
        ROOM(attempt.open_exit_count, n),
        ROOM(attempt.is_open_exit, n * nets),
        ROOM(channel.candidates, lists),
        ROOM(channel.scores, n),
        ROOM(channel.door_uses, n),
        ROOM(channel.used_rows, n * CHANNELS),
        ROOM(channel.replays, CHANNELS + 1),
        ROOM(trial.gpus, n * CHANNELS),
        ROOM(trial.nets, CHANNELS),
        ROOM(best.gpus, n * CHANNELS),
        ROOM(best.nets, CHANNELS),
    };
#undef ROOM
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
        void *room = orr_arena_alloc(arena, rooms[i].count, rooms[i].size);
        if (!room)
            return orr_fail_nomem(err);
        memcpy(rooms[i].pointer, &room, sizeof room);
    }
    return ORR_OK;
}

enum orr_code orr_search_prepare(struct orr_search_state *s, struct orr_arena *arena, struct orr_error *err)
{
    const struct orr_system *system = s->input.system;
    ORR_TRY(allocate(s, arena, err));
    for (int type = 0; type < ORR_PATH_TYPE_COUNT; type++) {
        int number = orr_path_type_number(system->release, (enum orr_path_type)type);
        s->facts.number_of[type] = (uint8_t)(number < 0 ? 0 : number);
    }
    s->facts.has_nvs = orr_system_count(system, ORR_NVS) > 0;
    s->facts.neighbours_only = s->facts.has_nvs && system->release->switch_neighbours == ORR_NEIGHBOURS_ONLY;
    s->facts.neighbours_first = s->facts.has_nvs && system->release->switch_neighbours == ORR_NEIGHBOURS_FIRST;
    for (uint32_t l = 0; l < system->link_count; l++) {
        s->left.capacity[l] = system->links[l].bw;
        s->attempt.demand[l] = INT32_MAX;
    }
    find_pci_links(s);
    orr_search_note_odd_capacities(s);
    ORR_TRY(orr_search_lay_legs(s, arena, err));
    s->facts.pci_step = pci_step(s);
    order_gpus(s);
    ORR_TRY(orr_budget_check(err));
    orr_search_score_nets(s);
    ORR_TRY(orr_search_note_doors(s, arena, err));
    return orr_search_note_nets(s, arena, err);
}
