/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about NICs for a search: which belong together, which GPUs are near, and in which order they are tried. Rules:
 * docs/nccl/search.md, "Which NICs are tried".
 *
 * Lists are in order of path types if the release follows them, so a limit on types cuts a list to a prefix, and one
 * list serves all attempts.
 *
 * An example: GPU 0 reaches NIC 1 over PIX and NIC 0 over SYS. Its list is 1, 0, of which the limit PHB leaves NIC 1.
 */
#include <string.h>

#include "engine/decide/nearest.h"
#include "engine/release/release.h"
#include "engine/search/search_state.h"

static bool is_one_port(const struct orr_node *a, const struct orr_node *b)
{
    return a->net.asic == b->net.asic && a->net.port == b->net.port;
}

/* Bus id of the card that a port is on, within its host. */
static uint64_t card_of(const struct orr_system *system, const struct orr_node *net)
{
    return orr_id_local(system->nodes[system->links[net->first_link].to].id);
}

/* Do two ports have the same port number and bus id? On hosts built alike, such ports are on the same rail. */
static bool is_one_place(const struct orr_system *system, const struct orr_node *a, const struct orr_node *b)
{
    return card_of(system, a) == card_of(system, b) && a->net.port == b->net.port;
}

static uint8_t pair_of(const struct orr_search_state *s, const struct orr_node *a, const struct orr_node *b)
{
    bool by_place = orr_setting_int(s->input.settings, ORR_SET_MNNVL_RAIL_PER_HOST) == 1 &&
                    orr_id_system(a->id) != orr_id_system(b->id);
    bool one_card = by_place ? is_one_place(s->input.system, a, b) : is_one_port(a, b), other_plane = false;
    if (s->input.system->release->knows_rails) {
        other_plane = a->net.plane >= 0 && b->net.plane >= 0 && a->net.plane != b->net.plane;
        if (a->net.rail >= 0 && b->net.rail >= 0)
            one_card = a->net.rail == b->net.rail;
    }
    return (uint8_t)((one_card ? ORR_NETS_ONE_CARD : 0) | (other_plane ? ORR_NETS_OTHER_PLANE : 0));
}

static void note_ports(struct orr_search_state *s)
{
    const struct orr_system *system = s->input.system;
    for (uint32_t i = 0; i < s->input.net_count; i++) {
        const struct orr_node *net = &system->nodes[orr_net_node(s, i)];
        while (system->nodes[orr_net_node(s, (uint32_t)s->facts.net_of_id[i])].id != net->id)
            s->facts.net_of_id[i]++;
        s->left.net_bw[i] = net->net.bw;
        /* A negative number means none, however negative: counting down must not overflow. */
        s->left.net_connections[i] = net->net.max_channels > 0 ? net->net.max_channels : 0;
        s->facts.next_of_card[i] = (int16_t)i;
        for (uint32_t before = i; before-- > 0;)
            if (is_one_port(net, &system->nodes[orr_net_node(s, before)])) {
                s->facts.next_of_card[i] = s->facts.next_of_card[before];
                s->facts.next_of_card[before] = (int16_t)i;
                break;
            }
        for (uint32_t other = 0; other < s->input.net_count; other++)
            s->facts.net_pair[(size_t)i * s->input.net_count + other] =
                pair_of(s, net, &system->nodes[orr_net_node(s, other)]);
    }
}

/* The GPUs that a NIC reaches at the highest rate, and then by the nearest type or, before 2.23, in the fewest hops. */
static void find_near(struct orr_search_state *s, uint32_t net)
{
    const struct orr_path *row = orr_path(s->input.paths, orr_net_node(s, net), s->input.system->first[ORR_GPU]);
    const bool by_type = s->input.system->release->start_gpus >= ORR_START_NEAREST;
    const uint8_t *number_of = s->facts.number_of;
    struct orr_near near = {.latency = s->input.system->nodes[orr_net_node(s, net)].net.latency,
                            .type = ORR_PATH_DIS,
                            .hops = UINT16_MAX,
                            .gpus = s->facts.near_pool + (size_t)net * s->input.n};
    uint32_t farness = by_type ? number_of[ORR_PATH_DIS] : UINT32_MAX;
    for (uint32_t g = 0; g < s->input.n; g++) {
        uint32_t far = by_type ? number_of[row[g].type] : row[g].hops;
        if (row[g].bw > near.bw || (row[g].bw == near.bw && far < farness)) {
            near.bw = row[g].bw;
            near.type = row[g].type;
            near.hops = row[g].hops;
            farness = far;
        }
    }
    for (uint32_t g = 0; g < s->input.n; g++)
        if (row[g].bw == near.bw && (by_type ? number_of[row[g].type] : row[g].hops) == farness)
            near.gpus[near.count++] = (uint16_t)g;
    s->facts.near_gpus[net] = near;
}

/* Does an attempt restore the bandwidths of NICs? Subtracting whole GB/s and adding them again is exact for numbers
 * with few binary digits. But if no GPU reaches a NIC, some releases do not give its bandwidth back. */
static bool nets_come_back(const struct orr_search_state *s)
{
    enum { PARTS = 1024, MOST_GBPS = 8192 };
    bool forgets = s->input.system->release->start_gpus >= ORR_START_NEAREST;
    for (uint32_t net = 0; net < s->input.net_count; net++) {
        float bw = s->left.net_bw[net];
        if (!(bw >= 0 && bw < MOST_GBPS) || bw * PARTS != (float)(int32_t)(bw * PARTS) ||
            (forgets && s->facts.near_gpus[net].type == ORR_PATH_DIS))
            return false;
    }
    return true;
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
    for (int32_t c = 0; c < s->input.system->release->max_channels; c++) {
        uint32_t node = orr_local_net(s->input.paths, orr_gpu_node(s, gpu), c, scratch);
        uint32_t net = node - s->input.system->first[ORR_NET];
        if (node == ORR_NO_NODE || (c && net == ret_nets[0]))
            break;
        ret_nets[count++] = (uint16_t)net;
    }
    return count;
}

/* Lists NICs by type, then by GPU; each GPU starts at a different one of its equally near NICs. */
static void append_rotated(const struct orr_search_state *s, struct nets_in_order *order, uint32_t first_gpu,
                           uint32_t gpu_count, uint32_t *scratch)
{
    for (uint32_t type = 0; type < ORR_PATH_TYPE_COUNT; type++) {
        for (uint32_t g = first_gpu; g < first_gpu + gpu_count; g++) {
            uint32_t count = 0, dev = (uint32_t)s->input.system->nodes[orr_gpu_node(s, g)].gpu.dev;
            for (uint32_t net = 0; net < s->input.net_count; net++)
                if (s->facts.number_of[orr_path(s->input.paths, orr_gpu_node(s, g), orr_net_node(s, net))->type] ==
                    type)
                    scratch[count++] = net;
            for (uint32_t i = 0; i < count; i++)
                append(order, scratch[(dev + i) % count]);
        }
        order->list->count_at[type] = order->count;
    }
}

/* Lists the NICs that reach some GPU at the highest rate, by hops; NICs with equal hops are rotated by the first GPU's
 * device number. */
static void append_fastest(const struct orr_search_state *s, struct nets_in_order *order, uint32_t *scratch)
{
    uint32_t *hops = scratch, *run = scratch + s->input.net_count;
    float best = 0;
    for (uint32_t net = 0; net < s->input.net_count; net++)
        best = s->facts.near_gpus[net].bw > best ? s->facts.near_gpus[net].bw : best;
    for (uint32_t net = 0; net < s->input.net_count; net++)
        hops[net] = s->facts.near_gpus[net].bw == best ? s->facts.near_gpus[net].hops : UINT32_MAX;
    uint32_t dev = (uint32_t)s->input.system->nodes[orr_gpu_node(s, 0)].gpu.dev;
    for (uint32_t wanted = 0; wanted < UINT16_MAX;) {
        uint32_t count = 0, following = UINT16_MAX;
        for (uint32_t net = 0; net < s->input.net_count; net++) {
            if (hops[net] == wanted)
                run[count++] = net;
            else if (hops[net] > wanted && hops[net] < following)
                following = hops[net];
        }
        for (uint32_t i = 0; i < count; i++)
            append(order, run[(dev + i) % count]);
        wanted = following;
    }
    for (uint32_t type = 0; type < ORR_PATH_TYPE_COUNT; type++)
        order->list->count_at[type] = order->count;
}

/* Lists all NICs by index, regardless of distance. */
static void append_all(const struct orr_search_state *s, struct nets_in_order *order)
{
    for (uint32_t net = 0; net < s->input.net_count; net++)
        append(order, net);
    for (uint32_t type = 0; type < ORR_PATH_TYPE_COUNT; type++)
        order->list->count_at[type] = order->count;
}

/* The maximum number of NICs in a list for this many GPUs, which is also the maximum of preferred ones. */
static uint32_t most_of(const struct orr_search_state *s, uint32_t gpus)
{
    int32_t each = s->input.paths->nets_per_gpu;
    bool limited = s->input.system->release->policy_limits_lists && each > 0 && (uint64_t)each * gpus < UINT16_MAX;
    return limited ? (uint32_t)each * gpus : UINT16_MAX;
}

/* After the preferred NICs come the others by type of their path, then by GPU, then by index. */
static void append_by_type(const struct orr_search_state *s, struct nets_in_order *order, uint32_t first_gpu,
                           uint32_t gpu_count)
{
    uint32_t channels = (uint32_t)s->input.system->release->max_channels, most = most_of(s, gpu_count);
    uint32_t nets = s->input.net_count < channels ? s->input.net_count : channels;
    for (uint32_t type = 0; type < ORR_PATH_TYPE_COUNT; type++) {
        for (uint32_t g = first_gpu; g < first_gpu + gpu_count; g++)
            for (uint32_t net = 0; net < nets && order->count < most; net++)
                if (s->facts.number_of[orr_path(s->input.paths, orr_gpu_node(s, g), orr_net_node(s, net))->type] ==
                    type)
                    append(order, net);
        order->list->count_at[type] = order->count;
    }
}

static enum orr_code order_nets(struct orr_search_state *s, struct orr_arena *arena, struct orr_error *err)
{
    uint32_t per_gpu = (uint32_t)s->input.system->release->max_channels;
    bool scatter = s->input.system->host_count > 1 &&
                   orr_setting_in(ORR_SET_MNNVL_SCATTER_NETS_ENABLE, s->input.system->release) &&
                   orr_setting_int(s->input.settings, ORR_SET_MNNVL_SCATTER_NETS_ENABLE) != 0;
    uint16_t *wanted = ORR_NEW(arena, uint16_t, (size_t)s->input.n * per_gpu);
    uint32_t *wanted_count = ORR_NEW(arena, uint32_t, s->input.n);
    uint32_t *scratch = ORR_NEW(arena, uint32_t, 2 * ((size_t)s->input.n + s->input.net_count));
    uint8_t *listed = ORR_NEW(arena, uint8_t, s->input.net_count);
    int16_t *pool = ORR_NEW(arena, int16_t, ((size_t)s->input.n + 1) * s->input.net_count);
    s->facts.exit_nets = ORR_NEW(arena, struct orr_net_list, s->input.n);
    if (!wanted || !wanted_count || !scratch || !listed || !pool || !s->facts.exit_nets)
        return orr_fail_nomem(err);
    enum orr_net_lists lists = s->input.system->release->net_lists;
    for (uint32_t g = 0; g < s->input.n; g++) {
        s->facts.exit_nets[g].nets = pool + (size_t)g * s->input.net_count;
        struct nets_in_order order = {.list = &s->facts.exit_nets[g], .listed = listed};
        memset(listed, 0, s->input.net_count);
        if (lists <= ORR_NETS_FASTEST_START) {
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
    s->facts.start_nets.nets = pool + (size_t)s->input.n * s->input.net_count;
    struct nets_in_order order = {.list = &s->facts.start_nets, .listed = listed};
    memset(listed, 0, s->input.net_count);
    if (lists == ORR_NETS_ALL) {
        append_all(s, &order);
        return ORR_OK;
    }
    if (lists == ORR_NETS_FASTEST_START) {
        append_fastest(s, &order, scratch);
        return ORR_OK;
    }
    if (lists == ORR_NETS_BY_TYPE_ROTATED) {
        append_rotated(s, &order, 0, s->input.n, scratch);
        return ORR_OK;
    }
    if (scatter) {
        for (uint32_t i = 0; i < per_gpu; i++)
            for (uint32_t g = 0; g < s->input.n; g++)
                if (i < wanted_count[g])
                    append(&order, wanted[g * per_gpu + i]);
    } else {
        for (uint32_t g = 0; g < s->input.n; g++)
            for (uint32_t i = 0; i < wanted_count[g]; i++)
                append(&order, wanted[g * per_gpu + i]);
    }
    append_by_type(s, &order, 0, s->input.n);
    return ORR_OK;
}

enum orr_code orr_search_note_nets(struct orr_search_state *s, struct orr_arena *arena, struct orr_error *err)
{
    s->facts.nets_come_back = true;
    if (!s->input.net_count)
        return ORR_OK;
    note_ports(s);
    for (uint32_t net = 0; net < s->input.net_count; net++) {
        find_near(s, net);
    }
    s->facts.nets_come_back = nets_come_back(s);
    return order_nets(s, arena, err);
}
