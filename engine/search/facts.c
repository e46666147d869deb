/* What does not change during a search: flags of links, orders of NICs, orders of GPUs. */
#include <stdlib.h>

#include "engine/decide/nearest.h"
#include "engine/release/release.h"
#include "engine/search/search_state.h"

enum { OLD_GPU_SM = 80 }; /* below it, data that arrives from elsewhere also loads the way back */

static bool is_intel(const struct orr_node *node)
{
    return node->type == ORR_CPU && node->cpu.arch == ORR_ARCH_X86 && node->cpu.vendor == ORR_VENDOR_INTEL;
}

static void flag_links(struct orr_search_state *s)
{
    const struct orr_system *system = s->system;
    enum orr_node_type device = system->release->has_devs ? ORR_DEV : ORR_GPU;
    for (uint32_t l = 0; l < system->link_count; l++) {
        const struct orr_link *link = &system->links[l];
        const struct orr_node *to = &system->nodes[link->to];
        s->capacity[l] = link->bw;
        if (link->type == ORR_LINK_PCI)
            s->hop_flags[l] |= ORR_HOP_PCI;
        if (to->type == device && to->gpu.sm < OLD_GPU_SM)
            s->hop_flags[l] |= ORR_HOP_TO_OLD_GPU;
        if (link->type == ORR_LINK_NVL && to->type == ORR_CPU &&
            (to->cpu.arch == ORR_ARCH_POWER || !system->release->power_cpu_only))
            s->hop_flags[l] |= ORR_HOP_TO_POWER_CPU;
    }
    for (uint32_t i = 0; i < s->net_count; i++) {
        while (system->nodes[orr_net_node(s, (uint32_t)s->net_of_id[i])].id != system->nodes[orr_net_node(s, i)].id)
            s->net_of_id[i]++;
        s->net_bw[i] = system->nodes[orr_net_node(s, i)].net.bw;
        int32_t most = system->nodes[orr_net_node(s, i)].net.max_channels;
        s->net_connections[i] =
            most > 0 ? most : 0; /* none is none, however negative: counting down must not overflow */
    }
}

static void mark_intel_paths(struct orr_search_state *s)
{
    const struct orr_paths *paths = s->paths;
    for (size_t i = 0; i < (size_t)paths->base_count * paths->base_count; i++)
        for (uint32_t hop = 0; paths->table[i].type == ORR_PATH_PHB && hop < paths->table[i].hops; hop++)
            if (is_intel(&s->system->nodes[orr_path_node(paths, &paths->table[i], hop)]))
                s->crosses_intel[i] = 1;
}

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

/* Other GPUs by path rate (whole GB/s), hops, distance by index; those without a path are left out. */
static void order_gpus(struct orr_search_state *s)
{
    for (uint32_t x = 0; x < s->n; x++) {
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
    }
}

struct nets_in_order {
    struct orr_net_list *list;
    uint8_t *listed; /* [NET] */
    uint16_t count;
};

static void append(struct nets_in_order *order, uint32_t net)
{
    if (order->listed[net])
        return;
    order->listed[net] = 1;
    order->list->nets[order->count++] = (int16_t)net;
}

/* The NICs that a GPU prefers for channels 0, 1, ... up to the first that repeats channel 0's. */
static uint32_t preferred(const struct orr_search_state *s, uint32_t gpu, uint16_t *ret_nets, uint32_t *scratch)
{
    uint32_t count = 0;
    for (int32_t c = 0; c < s->system->release->max_channels; c++) {
        uint32_t node = orr_local_net(s->paths, orr_gpu_node(s, gpu), c, scratch);
        uint32_t net = node - s->system->first[ORR_NET];
        if (node == ORR_NO_NODE || (c && net == ret_nets[0]))
            break;
        ret_nets[count++] = (uint16_t)net;
    }
    return count;
}

/* By type, then by GPU, each GPU starting at another one of the NICs that are equally far. */
static void append_rotated(const struct orr_search_state *s, struct nets_in_order *order, uint32_t first_gpu,
                           uint32_t gpu_count, uint32_t *scratch)
{
    for (uint32_t type = 0; type < ORR_PATH_TYPE_COUNT; type++) {
        for (uint32_t g = first_gpu; g < first_gpu + gpu_count; g++) {
            uint32_t count = 0, dev = (uint32_t)s->system->nodes[orr_gpu_node(s, g)].gpu.dev;
            for (uint32_t net = 0; net < s->net_count; net++)
                if (s->number_of[orr_path(s->paths, orr_gpu_node(s, g), orr_net_node(s, net))->type] == type)
                    scratch[count++] = net;
            for (uint32_t i = 0; i < count; i++)
                append(order, scratch[(dev + i) % count]);
        }
        order->list->count_at[type] = order->count;
    }
}

/* All NICs by index, whatever their distance. */
static void append_all(const struct orr_search_state *s, struct nets_in_order *order)
{
    for (uint32_t net = 0; net < s->net_count; net++)
        append(order, net);
    for (uint32_t type = 0; type < ORR_PATH_TYPE_COUNT; type++)
        order->list->count_at[type] = order->count;
}

/* After the preferred NICs come the others by type of their path, then by GPU, then by index. */
static void append_by_type(const struct orr_search_state *s, struct nets_in_order *order, uint32_t first_gpu,
                           uint32_t gpu_count)
{
    for (uint32_t type = 0; type < ORR_PATH_TYPE_COUNT; type++) {
        for (uint32_t g = first_gpu; g < first_gpu + gpu_count; g++)
            for (uint32_t net = 0; net < s->net_count && net < (uint32_t)s->system->release->max_channels; net++)
                if (s->number_of[orr_path(s->paths, orr_gpu_node(s, g), orr_net_node(s, net))->type] == type)
                    append(order, net);
        order->list->count_at[type] = order->count;
    }
}

static void clear(uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        bytes[i] = 0;
}

static enum orr_code order_nets(struct orr_search_state *s, struct orr_arena *arena, struct orr_error *err)
{
    uint32_t per_gpu = (uint32_t)s->system->release->max_channels;
    bool scatter = s->system->host_count > 1 && orr_setting_int(s->settings, ORR_SET_MNNVL_SCATTER_NETS_ENABLE) != 0;
    uint16_t *wanted = ORR_NEW(arena, uint16_t, (size_t)s->n * per_gpu);
    uint32_t *wanted_count = ORR_NEW(arena, uint32_t, s->n);
    uint32_t *scratch = ORR_NEW(arena, uint32_t, 2 * ((size_t)s->n + s->net_count));
    uint8_t *listed = ORR_NEW(arena, uint8_t, s->net_count);
    int16_t *pool = ORR_NEW(arena, int16_t, ((size_t)s->n + 1) * s->net_count);
    s->exit_nets = ORR_NEW(arena, struct orr_net_list, s->n);
    if (!wanted || !wanted_count || !scratch || !listed || !pool || !s->exit_nets)
        return orr_fail_nomem(err);
    enum orr_net_lists lists = s->system->release->net_lists;
    for (uint32_t g = 0; g < s->n; g++) {
        s->exit_nets[g].nets = pool + (size_t)g * s->net_count;
        struct nets_in_order order = {.list = &s->exit_nets[g], .listed = listed};
        clear(listed, s->net_count);
        if (lists == ORR_NETS_ALL) {
            append_all(s, &order);
            continue;
        }
        if (lists == ORR_NETS_BY_TYPE_ROTATED) {
            append_rotated(s, &order, g, 1, scratch);
            continue;
        }
        wanted_count[g] = preferred(s, g, &wanted[g * per_gpu], scratch);
        for (uint32_t i = 0; i < wanted_count[g]; i++)
            append(&order, wanted[g * per_gpu + i]);
        append_by_type(s, &order, g, 1);
    }
    s->start_nets.nets = pool + (size_t)s->n * s->net_count;
    struct nets_in_order order = {.list = &s->start_nets, .listed = listed};
    clear(listed, s->net_count);
    if (lists == ORR_NETS_ALL) {
        append_all(s, &order);
        return ORR_OK;
    }
    if (lists == ORR_NETS_BY_TYPE_ROTATED) {
        append_rotated(s, &order, 0, s->n, scratch);
        return ORR_OK;
    }
    if (scatter) {
        for (uint32_t i = 0; i < per_gpu; i++)
            for (uint32_t g = 0; g < s->n; g++)
                if (i < wanted_count[g])
                    append(&order, wanted[g * per_gpu + i]);
    } else {
        for (uint32_t g = 0; g < s->n; g++)
            for (uint32_t i = 0; i < wanted_count[g]; i++)
                append(&order, wanted[g * per_gpu + i]);
    }
    append_by_type(s, &order, 0, s->n);
    return ORR_OK;
}

enum { MOST_STEPS = 16384, CHANNELS = ORR_MAX_CHANNELS };

static bool allocate_trial(struct orr_trial *trial, uint32_t n, struct orr_arena *arena)
{
    trial->gpus = ORR_NEW(arena, uint16_t, (size_t)n * CHANNELS);
    trial->nets = arena ? orr_arena_alloc(arena, CHANNELS, sizeof *trial->nets) : NULL;
    return trial->gpus && trial->nets;
}

enum orr_code orr_search_prepare(struct orr_search_state *s, struct orr_arena *arena, struct orr_error *err)
{
    const struct orr_system *system = s->system;
    size_t bases = s->paths->base_count, n = s->n;
    /* Every visit of a channel being built may hold a list of all GPUs not yet used. */
    size_t lists = n * n * CHANNELS < n * MOST_STEPS ? n * n * CHANNELS : n * MOST_STEPS;
    s->hop_flags = ORR_NEW(arena, uint8_t, system->link_count);
    s->capacity = ORR_NEW(arena, float, system->link_count);
    s->crosses_intel = ORR_NEW(arena, uint8_t, bases * bases);
    s->pci_link = ORR_NEW(arena, int32_t, n);
    s->pci_back = ORR_NEW(arena, int32_t, n);
    s->by_distance = ORR_NEW(arena, uint16_t, n * n);
    s->by_distance_count = ORR_NEW(arena, uint16_t, n);
    s->net_bw = ORR_NEW(arena, float, s->net_count);
    s->net_of_id = ORR_NEW(arena, int16_t, s->net_count);
    s->net_connections = ORR_NEW(arena, int32_t, s->net_count);
    s->used = ORR_NEW(arena, uint8_t, n * CHANNELS);
    s->candidates = ORR_NEW(arena, uint16_t, lists);
    s->scores = ORR_NEW(arena, struct orr_score, n);
    if (!s->hop_flags || !s->capacity || !s->crosses_intel || !s->pci_link || !s->pci_back || !s->by_distance ||
        !s->by_distance_count || !s->net_bw || !s->net_connections || !s->net_of_id || !s->used || !s->candidates ||
        !s->scores || !allocate_trial(&s->t, s->n, arena) || !allocate_trial(&s->b, s->n, arena))
        return orr_fail_nomem(err);
    for (int type = 0; type < ORR_PATH_TYPE_COUNT; type++) {
        int number = orr_path_type_number(system->release, (enum orr_path_type)type);
        s->number_of[type] = (uint8_t)(number < 0 ? 0 : number);
    }
    s->intel_up = system->release->intel_overhead_up;
    s->intel_down = system->release->intel_overhead_down;
    s->has_nvs = orr_system_count(system, ORR_NVS) > 0;
    flag_links(s);
    mark_intel_paths(s);
    find_pci_links(s);
    order_gpus(s);
    return s->net_count ? order_nets(s, arena, err) : ORR_OK;
}
