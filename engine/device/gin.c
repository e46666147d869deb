/* SPDX-License-Identifier: Apache-2.0 */
/* GIN: network transfers that a GPU starts itself. First the type that a host's NICs allow, then what all ranks have
 * together. docs/nccl/device-side.md, "GIN". */
#include <string.h>

#include "engine/base/budget.h"
#include "engine/decide/nearest.h"
#include "engine/device/deciding.h"
#include "engine/nics/combine.h"

static bool is_interface(const struct orr_dump *dump, uint32_t net)
{
    return orr_element_int(dump, net, ORR_ATTR_PORT, 1) == 0 && orr_card_is_port_number(dump, net);
}

/* The GIN type of a NIC in NCCL's own plugin. EFA NICs belong to Amazon's plugin, so they have none. */
static enum orr_gin_type type_of_nic(const struct orr_dump *dump, uint32_t net, bool listed)
{
    const char *name = orr_element_text(dump, net, ORR_ATTR_NAME);
    if (listed && orr_element_int(dump, net, ORR_ATTR_GIN, 0) != 1)
        return ORR_GIN_TYPE_NONE;
    if (!listed && (is_interface(dump, net) || orr_element_int(dump, net, ORR_ATTR_GDR, 0) == 0))
        return ORR_GIN_TYPE_NONE;
    if (!name || !strncmp(name, "rdmap", 5) || !strncmp(name, "efa", 3))
        return ORR_GIN_TYPE_NONE;
    return !strncmp(name, "mlx5", 4) ? ORR_GIN_TYPE_GDAKI : ORR_GIN_TYPE_PROXY;
}

/* NCCL_GIN_TYPE leaves one type; a NIC for GDAKI may also have a proxy. */
static enum orr_gin_type restrict_type(const struct orr_device_side *d, enum orr_gin_type type)
{
    int64_t wanted = orr_device_setting(d, ORR_SET_GIN_TYPE);
    if (wanted < 0 || type == ORR_GIN_TYPE_NONE || wanted == (int64_t)type)
        return type;
    return wanted == ORR_GIN_TYPE_PROXY ? ORR_GIN_TYPE_PROXY : ORR_GIN_TYPE_NONE;
}

void orr_device_find_gin(struct orr_device_side *d, struct orr_device_nodes *kind)
{
    const struct orr_dump *dump = kind->host->dump;
    bool listed = false;
    if (d->rules->gin == ORR_GIN_NONE)
        return;
    for (uint32_t e = 0; e < dump->element_count; e++)
        listed |= dump->elements[e].kind == ORR_ELEMENT_NET && orr_element_int(dump, e, ORR_ATTR_GIN, 0) == 1;
    for (uint32_t e = 0; e < dump->element_count; e++) {
        if (dump->elements[e].kind != ORR_ELEMENT_NET)
            continue;
        enum orr_gin_type type = restrict_type(d, type_of_nic(dump, e, listed));
        kind->gin_type = type > kind->gin_type ? type : kind->gin_type;
        const char *name = orr_element_text(dump, e, ORR_ATTR_NAME);
        if (name && strchr(name, '+') && !kind->fused_nic)
            kind->fused_nic = name;
    }
    if (d->rules->gin_enable_in_time && orr_device_setting(d, ORR_SET_GIN_ENABLE) == 0)
        kind->gin_type = ORR_GIN_TYPE_NONE;
}

/* The first obstacle. */
struct obstacle {
    const char *rule, *sentence, *remedy;
};

static bool all_gpus(const struct orr_device_side *d, bool (*holds)(const struct orr_node *gpu))
{
    for (uint32_t k = 0; k < d->kind_count; k++) {
        const struct orr_system *system = &d->kinds[k].part->system;
        for (uint32_t g = system->first[ORR_GPU]; g < system->first[ORR_GPU + 1]; g++)
            if (!holds(&system->nodes[g]))
                return false;
    }
    return true;
}
static bool has_gdr(const struct orr_node *gpu)
{
    return gpu->gpu.gdr != 0;
}
static bool is_whole(const struct orr_node *gpu)
{
    return gpu->gpu.mlopart < 0;
}

static bool find_types(struct orr_device_side *d, struct obstacle *found)
{
    uint32_t without = d->kind_count, other = d->kind_count;
    for (uint32_t k = d->kind_count; k-- > 0;) {
        without = d->kinds[k].gin_type == ORR_GIN_TYPE_NONE ? k : without;
        other = d->kinds[k].gin_type != d->kinds[0].gin_type ? k : other;
    }
    if (without < d->kind_count && d->rules->gin_enable_in_time && orr_device_setting(d, ORR_SET_GIN_ENABLE) == 0) {
        *found =
            (struct obstacle){"GIN_OFF", "NCCL_GIN_ENABLE is 0.", "The default of NCCL_GIN_ENABLE switches it on."};
        return true;
    }
    if (without < d->kind_count && orr_device_setting(d, ORR_SET_GIN_TYPE) >= 0) {
        *found = (struct obstacle){"GIN_TYPE_MISSING", "No NIC has the type of GIN that NCCL_GIN_TYPE asks for.",
                                   "The default of NCCL_GIN_TYPE allows any."};
        return true;
    }
    if (without < d->kind_count) {
        found->rule = "GIN_NO_NIC";
        found->sentence =
            orr_arena_printf(d->arena, "The host of rank %d has no InfiniBand device with GPUDirect RDMA (gdr=\"1\").",
                             d->kinds[without].first_rank);
        found->remedy = "InfiniBand or RoCE NICs with GPUDirect RDMA (nvidia_peermem or DMA-BUF) would change it.";
        return true;
    }
    if (other == d->kind_count)
        return false;
    found->rule = "GIN_TYPES_DIFFER";
    found->sentence = orr_arena_printf(
        d->arena, "Rank %d has the type %s and rank %d the type %s, and NCCL needs one type at all ranks.",
        d->kinds[0].first_rank, orr_gin_type_name(d->kinds[0].gin_type), d->kinds[other].first_rank,
        orr_gin_type_name(d->kinds[other].gin_type));
    found->remedy = "NCCL_GIN_TYPE=2 gives all ranks the proxy.";
    return true;
}

static bool find_fused(struct orr_device_side *d, struct obstacle *found)
{
    for (uint32_t k = 0; k < d->kind_count && !d->rules->gin_with_fused_nics; k++)
        if (d->kinds[k].fused_nic) {
            found->rule = "GIN_FUSED_NIC";
            found->sentence = orr_arena_printf(
                d->arena, "The NIC %.60s at rank %d is fused from several ports, and GIN does not work with such NICs.",
                d->kinds[k].fused_nic, d->kinds[k].first_rank);
            found->remedy = "NCCL_IB_MERGE_NICS=0 keeps the ports apart, and NCCL 2.30.7 works with fused NICs.";
            return true;
        }
    return false;
}

static bool find_obstacle(struct orr_device_side *d, struct obstacle *found)
{
    int64_t cross = orr_device_setting(d, ORR_SET_CROSS_NIC);
    if (find_types(d, found) || find_fused(d, found))
        return true;
    if (d->rules->gin == ORR_GIN_OF_RANK && cross == 0) {
        *found =
            (struct obstacle){"GIN_CROSS_NIC", "NCCL_CROSS_NIC is 0.", "NCCL_CROSS_NIC=2, the default, allows it."};
        return true;
    }
    if (d->rules->gin == ORR_GIN_OF_ALL && !all_gpus(d, has_gdr)) {
        *found = (struct obstacle){"GIN_NO_GDR", "A GPU does not support GPUDirect RDMA (gdr=\"0\" on the gpu).", ""};
        return true;
    }
    if (d->rules->gin_sm_min > d->analysis->communicator.sm_min) {
        *found = (struct obstacle){"GIN_OLD_GPU", "GIN needs compute capability 7.0 or later. A GPU has less.", ""};
        return true;
    }
    if (d->rules->gin_not_partitioned && !all_gpus(d, is_whole)) {
        *found = (struct obstacle){"GIN_PARTITION", "A GPU is a partition (MLOPart).", "Whole GPUs can use GIN."};
        return true;
    }
    return false;
}

static void say(struct orr_device_side *d, enum orr_gin_support support, const char *rule, const char *sentence,
                const char *remedy)
{
    bool matters = d->analysis->communicator.node_count > 1;
    for (uint32_t k = 0; k < d->kind_count; k++) {
        orr_device_say(d, &d->kinds[k], ORR_DEVICE_GIN, (int32_t)support, rule,
                       matters ? ORR_DEVICE_ASSUMES_GIN_PLUGIN : 0, "%s", sentence ? sentence : "");
        orr_device_remedy(d, &d->kinds[k], ORR_DEVICE_GIN, "%s", remedy);
    }
}

void orr_device_gin(struct orr_device_side *d)
{
    struct obstacle found = {0};
    if (d->rules->gin == ORR_GIN_NONE || d->rules->gin == ORR_GIN_AT_CONNECTION)
        return;
    const char *type = orr_gin_type_name(d->kinds[0].gin_type);
    if (find_obstacle(d, &found))
        say(d, ORR_GIN_SUPPORT_NONE, found.rule, found.sentence, found.remedy);
    else if (d->rules->gin == ORR_GIN_OF_ALL && orr_device_setting(d, ORR_SET_CROSS_NIC) == 0)
        say(d, ORR_GIN_SUPPORT_RAIL, "GIN_RAIL",
            orr_arena_printf(d->arena, "All ranks have the type %s, and NCCL_CROSS_NIC=0 keeps it to the rails.", type),
            "NCCL_CROSS_NIC=2, the default, lets all ranks reach each other.");
    else
        say(d, ORR_GIN_SUPPORT_FULL, "GIN_FULL",
            orr_arena_printf(d->arena, "The NICs of all ranks have the type %s.", type), "");
}

/* The NICs that a GPU uses for channels 0, 1, 2 ... until the first repeats. */
static uint32_t nics_of(const struct orr_device_side *d, const struct orr_part *part, uint32_t gpu, uint32_t most)
{
    const struct orr_system *system = &part->system;
    uint32_t *scratch = ORR_NEW(d->arena, uint32_t,
                                2 * ((size_t)orr_system_count(system, ORR_NET) + orr_system_count(system, ORR_GPU)));
    const uint32_t first = scratch ? orr_local_net(&part->paths, gpu, 0, scratch) : ORR_NO_NODE;
    uint32_t count = first != ORR_NO_NODE;
    while (count && count < most && orr_local_net(&part->paths, gpu, (int32_t)count, scratch) != first)
        count++;
    return count;
}

uint32_t orr_device_gin_connections(const struct orr_device_side *device)
{
    enum { MOST = 4 };
    const int64_t wanted = orr_device_setting(device, ORR_SET_GIN_NCONNECTIONS);
    uint32_t least = MOST;
    if (device->rules->gin != ORR_GIN_OF_ALL)
        return 0;
    for (uint32_t k = 0; k < device->kind_count; k++) {
        const struct orr_part *part = device->kinds[k].part;
        const uint32_t *first = part->system.first;
        if (device->kinds[k].gin_type == ORR_GIN_TYPE_NONE)
            return 0;
        for (uint32_t g = first[ORR_GPU]; g < first[ORR_GPU + 1]; g++) {
            const uint32_t own = orr_budget_spent(MOST) ? 0 : nics_of(device, part, g, MOST);
            least = own < least ? own : least;
        }
    }
    return wanted > 0 ? (uint32_t)wanted : least;
}
