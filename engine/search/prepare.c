/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that stays the same during a search: orders of GPUs, PCI links, and the facts of legs.c, ends.c and
 * nets.c. All memory of a search is taken here.
 *
 * An example: GPU 0 reaches GPU 1 at 12 GB/s, GPU 2 and 3 at 24. Its order is 2, 3, 1, in two classes: 2 and 3 are
 * alike. */
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
        s->facts.pci_back[g] = s->facts.pci_link[g]; /* if nothing leads back */
        const struct orr_node *far = &system->nodes[system->links[s->facts.pci_link[g]].to];
        for (uint32_t l = far->first_link + far->link_count; l-- > far->first_link;)
            if (system->links[l].to == node)
                s->facts.pci_back[g] = (int32_t)l;
    }
}

/* Are two GPUs equally far from x, by whole GB/s and hops? */
static bool are_alike(const struct orr_search_state *s, uint32_t x, uint32_t y, uint32_t z)
{
    const struct orr_path *to_y = orr_path(s->input.paths, orr_gpu_node(s, x), orr_gpu_node(s, y));
    const struct orr_path *to_z = orr_path(s->input.paths, orr_gpu_node(s, x), orr_gpu_node(s, z));
    return (int32_t)to_y->bw == (int32_t)to_z->bw && to_y->hops == to_z->hops;
}

/* Lists the other GPUs by path rate (whole GB/s), hops and distance by index, without those that have no path. */
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
    /* Every visit on the stack may have a list of all unused GPUs. */
    const size_t lists = n * n * CHANNELS < n * MOST_STEPS ? n * n * CHANNELS : n * MOST_STEPS;
#define ORR_ROOM(field, count)                                                                                         \
    {                                                                                                                  \
        &s->field, (count), sizeof *s->field                                                                           \
    }
    const struct {
        void *pointer; /* address of the field */
        size_t count, size;
    } rooms[] = {
        ORR_ROOM(facts.net_of_id, nets),
        ORR_ROOM(facts.next_of_card, nets),
        ORR_ROOM(facts.net_pair, nets * nets),
        ORR_ROOM(facts.net_score, nets * n),
        ORR_ROOM(facts.near_gpus, nets),
        ORR_ROOM(facts.near_pool, nets * n),
        ORR_ROOM(facts.pci_link, n),
        ORR_ROOM(facts.pci_back, n),
        ORR_ROOM(facts.by_distance, n * n),
        ORR_ROOM(facts.by_distance_count, n),
        ORR_ROOM(facts.distance_class, n * n),
        ORR_ROOM(facts.shares_of, links),
        ORR_ROOM(facts.left_out, links),
        ORR_ROOM(left.capacity, links),
        ORR_ROOM(attempt.kept, links),
        ORR_ROOM(left.thousandths, links),
        ORR_ROOM(left.full, links),
        ORR_ROOM(left.net_bw, nets),
        ORR_ROOM(left.net_connections, nets),
        ORR_ROOM(attempt.open, n * n),
        ORR_ROOM(attempt.open_count, n),
        ORR_ROOM(attempt.open_exits, n * nets),
        ORR_ROOM(attempt.open_exit_count, n),
        ORR_ROOM(channel.candidates, lists),
        ORR_ROOM(channel.scores, n),
        ORR_ROOM(channel.uses, n),
        ORR_ROOM(channel.exits, n),
        ORR_ROOM(channel.used_rows, n * CHANNELS),
        ORR_ROOM(trial.gpus, n * CHANNELS),
        ORR_ROOM(trial.nets, CHANNELS),
        ORR_ROOM(best.gpus, n * CHANNELS),
        ORR_ROOM(best.nets, CHANNELS),
    };
#undef ORR_ROOM
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
    for (uint32_t l = 0; l < system->link_count; l++)
        s->left.capacity[l] = system->links[l].bw;
    find_pci_links(s);
    orr_search_note_odd_capacities(s);
    ORR_TRY(orr_search_lay_legs(s, arena, err));
    order_gpus(s);
    ORR_TRY(orr_budget_check(err));
    orr_search_score_nets(s);
    ORR_TRY(orr_search_note_ends(s, arena, err));
    return orr_search_note_nets(s, arena, err);
}
