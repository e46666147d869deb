/* What does not change during a search: orders of GPUs, PCI links, and what legs.c and nets.c add. */
#include <string.h>

#include "engine/base/budget.h"
#include "engine/release/release.h"
#include "engine/search/search_state.h"

/* The first PCI link of each GPU, and the first link back from its far end. */
static void find_pci_links(struct orr_search_state *s)
{
    const struct orr_system *system = s->system;
    for (uint32_t g = 0; g < s->n; g++) {
        uint32_t node = orr_gpu_node(s, g);
        if (system->release->has_devs)
            node = system->links[system->nodes[node].first_link].to; /* its device */
        const struct orr_node *gpu = &system->nodes[node];
        s->pci_link[g] = s->pci_back[g] = -1;
        for (uint32_t l = gpu->first_link; l < gpu->first_link + gpu->link_count && s->pci_link[g] < 0; l++)
            if (system->links[l].type == ORR_LINK_PCI)
                s->pci_link[g] = (int32_t)l;
        if (s->pci_link[g] < 0)
            continue;
        const struct orr_node *far = &system->nodes[system->links[s->pci_link[g]].to];
        for (uint32_t l = far->first_link; l < far->first_link + far->link_count && s->pci_back[g] < 0; l++)
            if (system->links[l].to == node)
                s->pci_back[g] = (int32_t)l;
    }
}

/* The PCI links of GPUs are alike: what their loads can differ by, as a part of the rate; 0: they are not alike, or a
 * load is no simple part. */
static float pci_step(const struct orr_search_state *s)
{
    uint8_t shares = 0;
    for (uint32_t g = 0; g < s->n; g++) {
        int32_t to = s->pci_link[g], back = s->pci_back[g];
        if (to < 0 || back < 0 || s->capacity[to] != s->capacity[back] ||
            s->capacity[to] != s->capacity[s->pci_link[0]])
            return 0;
        shares |= s->shares_of[to] | s->shares_of[back];
    }
    bool overhead = shares >> ORR_SHARE_OVERHEAD & 1, eighths = shares >> ORR_SHARE_EIGHTH & 1;
    /* Sums of 1, of 6/5 (12/9) and of 1/8 lie on these grids. */
    return shares >> ORR_SHARE_OVERHEAD_EIGHTH & 1 ? 0 : overhead ? (eighths ? 0.025f : 0.2f) : eighths ? 0.125f : 1;
}

/* Are two GPUs as far from x, whole GB/s and hops? */
static bool are_alike(const struct orr_search_state *s, uint32_t x, uint32_t y, uint32_t z)
{
    const struct orr_path *to_y = orr_path(s->paths, orr_gpu_node(s, x), orr_gpu_node(s, y));
    const struct orr_path *to_z = orr_path(s->paths, orr_gpu_node(s, x), orr_gpu_node(s, z));
    return (int32_t)to_y->bw == (int32_t)to_z->bw && to_y->hops == to_z->hops;
}

/* Other GPUs by path rate (whole GB/s), hops, distance by index; those without a path are left out. */
static void order_gpus(struct orr_search_state *s)
{
    for (uint32_t x = 0; x < s->n && !orr_budget_spent(8 * s->n); x++) {
        uint16_t *list = &s->by_distance[(size_t)x * s->n];
        uint32_t count = 0;
        for (uint32_t i = 1; i < s->n; i++) {
            uint32_t y = (x + i) % s->n, at;
            const struct orr_path *path = orr_path(s->paths, orr_gpu_node(s, x), orr_gpu_node(s, y));
            if (!path->hops)
                continue;
            for (at = count++; at > 0; at--) {
                const struct orr_path *other = orr_path(s->paths, orr_gpu_node(s, x), orr_gpu_node(s, list[at - 1]));
                if ((int32_t)other->bw > (int32_t)path->bw ||
                    ((int32_t)other->bw == (int32_t)path->bw && other->hops <= path->hops))
                    break;
                list[at] = list[at - 1];
            }
            list[at] = (uint16_t)y;
        }
        s->by_distance_count[x] = (uint16_t)count;
        uint16_t *class = &s->distance_class[(size_t)x * s->n];
        for (uint32_t i = 1; i < count; i++)
            class[i] = (uint16_t)(class[i - 1] + !are_alike(s, x, list[i - 1], list[i]));
    }
}

/* All arrays of a search, from one table. */
static enum orr_code allocate(struct orr_search_state *s, struct orr_arena *arena, struct orr_error *err)
{
    enum { MOST_STEPS = 16384, CHANNELS = ORR_MAX_CHANNELS };
    const size_t n = s->n, nets = s->net_count, links = s->system->link_count;
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
        ROOM(net_of_id, nets),
        ROOM(next_of_card, nets),
        ROOM(net_pair, nets * nets),
        ROOM(net_score, nets * n),
        ROOM(near_gpus, nets),
        ROOM(near_pool, nets * n),
        ROOM(pci_link, n),
        ROOM(pci_back, n),
        ROOM(by_distance, n * n),
        ROOM(by_distance_count, n),
        ROOM(distance_class, n * n),
        ROOM(shares_of, links),
        ROOM(capacity, links),
        ROOM(kept, links),
        ROOM(thousandths, links),
        ROOM(full, links),
        ROOM(demand, links),
        ROOM(refused_links, links),
        ROOM(net_bw, nets),
        ROOM(net_connections, nets),
        ROOM(net_full, nets),
        ROOM(net_demand, nets),
        ROOM(open, n * n),
        ROOM(open_count, n),
        ROOM(open_exits, n * nets),
        ROOM(open_exit_count, n),
        ROOM(is_open_exit, n * nets),
        ROOM(candidates, lists),
        ROOM(scores, n),
        ROOM(used_rows, n * CHANNELS),
        ROOM(t.gpus, n * CHANNELS),
        ROOM(t.nets, CHANNELS),
        ROOM(b.gpus, n * CHANNELS),
        ROOM(b.nets, CHANNELS),
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
    const struct orr_system *system = s->system;
    ORR_TRY(allocate(s, arena, err));
    for (int type = 0; type < ORR_PATH_TYPE_COUNT; type++) {
        int number = orr_path_type_number(system->release, (enum orr_path_type)type);
        s->number_of[type] = (uint8_t)(number < 0 ? 0 : number);
    }
    s->has_nvs = orr_system_count(system, ORR_NVS) > 0;
    s->neighbours_only = s->has_nvs && system->release->switch_neighbours;
    for (uint32_t l = 0; l < system->link_count; l++) {
        s->capacity[l] = system->links[l].bw;
        s->demand[l] = INT32_MAX;
    }
    ORR_TRY(orr_search_lay_legs(s, arena, err));
    find_pci_links(s);
    s->pci_step = pci_step(s);
    order_gpus(s);
    ORR_TRY(orr_budget_check(err));
    orr_search_score_nets(s);
    return orr_search_note_nets(s, arena, err);
}
