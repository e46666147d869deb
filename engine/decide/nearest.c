/* SPDX-License-Identifier: Apache-2.0 */
/* Rules: docs/nccl/paths.md, "Nearest CPU of a GPU"; docs/nccl/p2p-and-gdr.md, "Which NIC belongs to a GPU",
 * "The local GPU of a NIC". */
#include "engine/decide/nearest.h"

#include <string.h>

#include "engine/base/budget.h"
#include "engine/release/release.h"

/* The fastest, then the nearest by type, then by hops. */
static uint32_t fastest_cpu(const struct orr_paths *paths, uint32_t gpu)
{
    const struct orr_system *system = paths->system;
    const struct orr_path *best = NULL;
    uint32_t found = ORR_NO_NODE;
    for (uint32_t cpu = system->first[ORR_CPU]; cpu < system->first[ORR_CPU + 1]; cpu++) {
        const struct orr_path *path = orr_path(paths, gpu, cpu);
        if (!path->hops)
            continue;
        if (best &&
            (path->bw < best->bw || (path->bw == best->bw && (path->type > best->type ||
                                                              (path->type == best->type && path->hops >= best->hops)))))
            continue;
        best = path;
        found = cpu;
    }
    return found;
}

uint32_t orr_find_local_cpu(const struct orr_paths *paths, uint32_t gpu)
{
    const struct orr_system *system = paths->system;
    uint32_t best = ORR_NO_NODE, fewest = UINT32_MAX;
    if (system->release->cpu_by_rate)
        return fastest_cpu(paths, gpu);
    bool any = system->release->first_cpu_unreached; /* even an unreachable CPU is used until another is found */
    for (uint32_t cpu = system->first[ORR_CPU]; cpu < system->first[ORR_CPU + 1]; cpu++) {
        const struct orr_path *path = orr_path(paths, gpu, cpu);
        if (any ? best == ORR_NO_NODE || fewest == 0 || path->hops < fewest : path->hops && path->hops < fewest) {
            fewest = path->hops;
            best = cpu;
        }
    }
    return best;
}

enum orr_code orr_local_cpu(const struct orr_paths *paths, uint32_t gpu, uint32_t *ret_cpu, struct orr_error *err)
{
    const struct orr_system *system = paths->system;
    char id[ORR_NODE_ID_SIZE];
    uint32_t cpu = paths->local_cpu ? paths->local_cpu[gpu - system->first[ORR_GPU]] : orr_find_local_cpu(paths, gpu);
    if (cpu == ORR_NO_NODE)
        return orr_fail(err, ORR_INVALID, "%s reaches no CPU", orr_node_id_format(ORR_GPU, system->nodes[gpu].id, id));
    *ret_cpu = cpu;
    return ORR_OK;
}

uint32_t orr_locals(const struct orr_paths *paths, uint32_t from, enum orr_node_type type, uint32_t *ret_nodes)
{
    const struct orr_system *system = paths->system;
    const struct orr_release *release = system->release;
    float bw = 0;
    uint32_t nearest = ORR_PATH_DIS, nearest_farness = orr_path_farness(release, ORR_PATH_DIS), count = 0;
    const struct orr_path *row = orr_path(paths, from, system->first[type]);
    uint32_t total = orr_system_count(system, type);
    for (uint32_t i = 0; i < total; i++) {
        const struct orr_path *path = &row[i];
        if (path->bw < bw)
            continue;
        if (path->bw > bw || path->type != nearest) { /* devices are usually equal */
            uint32_t farness = orr_path_farness(release, path->type);
            if (path->bw == bw && farness > nearest_farness)
                continue;
            bw = path->bw;
            nearest = path->type;
            nearest_farness = farness;
            count = 0;
        }
        ret_nodes[count++] = system->first[type] + i;
    }
    return count;
}

/* The lowest bits of a value in reverse order. */
static uint32_t mirror_bits(uint32_t value, uint32_t count)
{
    uint32_t mirrored = 0;
    for (uint32_t low = 1, high = count / 2; low < count; low <<= 1, high >>= 1)
        if (value & low)
            mirrored |= high;
    return mirrored;
}

/* Releases before 2.14 look from the NIC: all NETs with the best path to the GPU. */
static uint32_t nets_best_towards(const struct orr_paths *paths, uint32_t gpu, uint32_t *ret_nets)
{
    const struct orr_system *system = paths->system;
    float bw = 0;
    uint8_t type = ORR_PATH_SYS;
    uint32_t count = 0;
    for (uint32_t net = system->first[ORR_NET]; net < system->first[ORR_NET + 1]; net++) {
        const struct orr_path *path = orr_path(paths, net, gpu);
        if (path->bw > bw || (path->bw == bw && path->type < type)) {
            bw = path->bw;
            type = path->type;
            count = 0;
        }
        if (path->bw == bw && path->type == type)
            ret_nets[count++] = net;
    }
    return count;
}

/* The number of its nearest NETs that a GPU uses: its share, or the number from NCCL_NETDEVS_POLICY. */
static uint32_t nets_per_gpu(const struct orr_paths *paths, uint32_t nets, uint32_t sharing)
{
    switch (paths->nets_per_gpu) {
    case ORR_NETS_AUTO:
        return (nets + sharing - 1) / sharing;
    case ORR_NETS_EVERY:
        return nets;
    default:
        return (uint32_t)paths->nets_per_gpu < nets ? (uint32_t)paths->nets_per_gpu : nets;
    }
}

/* The fastest and nearest NETs towards a GPU in the order of their ids. */
static uint32_t nets_by_id(const struct orr_paths *paths, uint32_t gpu, uint32_t *ret_nets)
{
    const struct orr_node *nodes = paths->system->nodes;
    uint32_t count = nets_best_towards(paths, gpu, ret_nets);
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t j = i; j > 0 && nodes[ret_nets[j]].id < nodes[ret_nets[j - 1]].id; j--) {
            uint32_t net = ret_nets[j];
            ret_nets[j] = ret_nets[j - 1];
            ret_nets[j - 1] = net;
        }
    return count;
}

/* GPUs with the same nearest NETs get these in turn, round after round. */
static uint32_t dealt_net(const struct orr_paths *paths, uint32_t gpu, int32_t channel, uint32_t *scratch)
{
    const struct orr_system *system = paths->system;
    uint32_t *others = scratch + orr_system_count(system, ORR_NET), sharing = 0, position = 0;
    uint32_t count = nets_by_id(paths, gpu, scratch);
    for (uint32_t g = system->first[ORR_GPU]; g < system->first[ORR_GPU + 1]; g++) {
        if (nets_by_id(paths, g, others) != count || memcmp(others, scratch, count * sizeof *others) != 0)
            continue;
        position = g == gpu ? sharing : position;
        sharing++;
    }
    return count ? scratch[((uint32_t)channel * sharing + position) % count] : ORR_NO_NODE;
}

/* The NETs that a GPU uses in turn: nets[(start + channel % used) % count]. */
struct turns {
    uint32_t count, start, used; /* used: this many of them, from the start on */
};

/* The NETs nearest to a GPU, the one with which it starts, and how many it uses. count is 0 if there is none. */
static struct turns turns_of(const struct orr_paths *paths, uint32_t gpu, uint32_t *scratch)
{
    const struct orr_system *system = paths->system;
    uint32_t dev = (uint32_t)system->nodes[gpu].gpu.dev;
    if (system->release->net_choice < ORR_NET_DEALT) {
        uint32_t best = nets_best_towards(paths, gpu, scratch);
        return system->release->net_choice == ORR_NET_BY_DEV ? (struct turns){best, dev, 1}
                                                             : (struct turns){best, 0, best};
    }
    uint32_t count = orr_locals(paths, gpu, ORR_NET, scratch);
    uint32_t sharing = count ? orr_locals(paths, scratch[0], ORR_GPU, scratch + orr_system_count(system, ORR_NET)) : 0;
    if (!sharing)
        return (struct turns){0};
    if (system->release->net_choice == ORR_NET_BY_MIRRORED_SHARE)
        dev %= sharing;
    if ((count & (count - 1)) == 0)
        dev = mirror_bits(dev, count);
    return (struct turns){count, dev, nets_per_gpu(paths, count, sharing)};
}

static uint32_t net_in_turn(struct turns turns, const uint32_t *nets, uint32_t channel)
{
    return nets[(turns.start + channel % turns.used) % turns.count];
}

uint32_t orr_local_net(const struct orr_paths *paths, uint32_t gpu, int32_t channel, uint32_t *scratch)
{
    const struct orr_system *system = paths->system;
    if (!orr_system_count(system, ORR_NET))
        return ORR_NO_NODE;
    if (system->release->net_choice == ORR_NET_DEALT)
        return dealt_net(paths, gpu, channel, scratch);
    struct turns turns = turns_of(paths, gpu, scratch);
    return turns.count ? net_in_turn(turns, scratch, (uint32_t)channel) : ORR_NO_NODE;
}

/* The lowest channel below `below` for which a GPU uses the NET; `below` if there is none. */
static uint32_t first_channel_by(const struct orr_paths *paths, uint32_t gpu, uint32_t net, uint32_t below,
                                 uint32_t *scratch)
{
    const struct orr_node *nodes = paths->system->nodes;
    struct turns turns = turns_of(paths, gpu, scratch);
    for (uint32_t channel = 0; turns.count && channel < turns.used && channel < below; channel++)
        if (nodes[net_in_turn(turns, scratch, channel)].id == nodes[net].id)
            return channel;
    return below;
}

static enum orr_code dealt_gpu(const struct orr_paths *paths, uint32_t net, uint32_t *scratch, uint32_t *ret_gpu,
                               struct orr_error *err)
{
    const struct orr_system *system = paths->system;
    uint32_t nets = orr_system_count(system, ORR_NET), count = 0, position = 0, set = 0;
    uint32_t *own = scratch + nets, *gpus = own + nets;
    uint8_t nearest = ORR_PATH_DIS + 1;
    for (uint32_t g = system->first[ORR_GPU]; g < system->first[ORR_GPU + 1]; g++) {
        uint32_t own_count = nets_by_id(paths, g, own), at = 0;
        while (at < own_count && own[at] != net)
            at++;
        uint8_t type = orr_path(paths, net, g)->type;
        if (at == own_count || type > nearest)
            continue;
        if (type < nearest) {
            nearest = type;
            count = 0;
            set = own_count;
            position = at;
            memcpy(scratch, own, set * sizeof *own);
        } else if (own_count != set || memcmp(scratch, own, set * sizeof *own) != 0) {
            return orr_fail(err, ORR_INVALID, "NCCL %s fails if GPUs share some but not all of their nearest NICs",
                            system->release->name);
        }
        gpus[count++] = g;
    }
    *ret_gpu = count ? gpus[position % count] : ORR_NO_NODE;
    return ORR_OK;
}

enum orr_code orr_local_gpu(const struct orr_paths *paths, uint32_t net, uint32_t *scratch, uint32_t *ret_gpu,
                            struct orr_error *err)
{
    const struct orr_system *system = paths->system;
    uint32_t gpu_count = orr_system_count(system, ORR_GPU);
    *ret_gpu = ORR_NO_NODE;
    if (system->release->net_choice == ORR_NET_DEALT)
        return dealt_gpu(paths, net, scratch, ret_gpu, err);
    uint32_t count = orr_locals(paths, net, ORR_GPU, scratch);
    if (system->release->stands_by_index) {
        count = gpu_count;
        for (uint32_t i = 0; i < count; i++)
            scratch[i] = system->first[ORR_GPU] + i;
    }
    uint32_t lowest = (uint32_t)system->release->max_channels;
    for (uint32_t i = 0; i < count && lowest > 0; i++) {
        if (orr_budget_spent(1 + gpu_count / 32))
            return ORR_OK;
        uint32_t channel = first_channel_by(paths, scratch[i], net, lowest, scratch + gpu_count);
        if (channel < lowest)
            *ret_gpu = scratch[i];
        lowest = channel;
    }
    return ORR_OK;
}
