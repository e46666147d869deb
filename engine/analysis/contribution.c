/* SPDX-License-Identifier: Apache-2.0 */
/* Computes a part's contribution to the communicator before its graphs are searched: its GPUs, its CPU, the rates of
 * its NICs. */
#include "engine/analysis/part.h"
#include "engine/base/budget.h"
#include "engine/decide/nearest.h"
#include "engine/release/connect_rules.h"
#include "engine/release/release.h"

/* Fewest point-to-point channels between two GPUs of the part. */
static int32_t fewest_local_channels(const struct orr_part *part)
{
    const struct orr_system *system = &part->system;
    int32_t fewest = INT32_MAX;
    for (uint32_t g = system->first[ORR_GPU]; g < system->first[ORR_GPU + 1]; g++)
        for (uint32_t q = system->first[ORR_GPU]; q < system->first[ORR_GPU + 1]; q++) {
            if (q == g)
                continue;
            const struct orr_path *path = orr_path(&part->paths, q, g);
            int32_t links = 1;
            if (path->type == ORR_PATH_NVL || (path->type == ORR_PATH_NVB && system->release->connect->nvb_counts))
                links =
                    (int32_t)(path->bw / orr_nvlink_bw_of(system->release->nvlink_counted, system->nodes[g].gpu.sm));
            int32_t channels = 2 * (links > 1 ? links : 1);
            fewest = channels < fewest ? channels : fewest;
        }
    return fewest;
}

/* Fewest nearest NICs that fill the CPU link of a GPU of the part. */
static int32_t fewest_nics(const struct orr_part *part, uint32_t *scratch)
{
    const struct orr_system *system = &part->system;
    int32_t fewest = INT32_MAX;
    if (!orr_system_count(system, ORR_NET))
        return 0;
    for (uint32_t g = system->first[ORR_GPU]; g < system->first[ORR_GPU + 1]; g++) {
        const struct orr_node *gpu = &system->nodes[g];
        float cpu_bw = 0, sum = 0;
        int32_t needed = 0;
        for (uint32_t l = gpu->first_link; l < gpu->first_link + gpu->link_count; l++)
            if (system->nodes[system->links[l].to].type == ORR_CPU)
                cpu_bw = system->links[l].bw;
        uint32_t count = orr_locals(&part->paths, g, ORR_NET, scratch);
        for (uint32_t i = 0; i < count && sum < cpu_bw; i++, needed++)
            sum += orr_path(&part->paths, g, scratch[i])->bw;
        fewest = needed < fewest ? needed : fewest;
    }
    return fewest;
}

/* The NICs that a GPU would use for channels 0, 1, ... until the first repeats, or until they fill its path to the CPU:
 * their number, and the sum of their rates. */
static enum orr_code measure_nets(const struct orr_part *part, uint32_t gpu, uint32_t *scratch, int32_t *ret_count,
                                  float *ret_bw, float *ret_least, struct orr_error *err)
{
    const struct orr_paths *paths = &part->paths;
    const struct orr_system *system = &part->system;
    uint32_t cpu = ORR_NO_NODE, first = ORR_NO_NODE;
    float least = 0;
    *ret_count = 0;
    *ret_bw = 0;
    ORR_TRY(orr_local_cpu(paths, gpu, &cpu, err));
    float cpu_bw = orr_path(paths, gpu, cpu)->bw;
    bool filled = false;
    for (int32_t c = 0; c < system->release->max_channels; c++) {
        uint32_t net = orr_local_net(paths, gpu, c, scratch);
        if (net == ORR_NO_NODE || net == first)
            break;
        if (c == 0)
            first = net;
        float bw = orr_path(paths, gpu, net)->bw;
        least = c == 0 || bw < least ? bw : least;
        if (!filled) {
            ++*ret_count;
            *ret_bw += bw;
        }
        filled = filled || *ret_bw >= cpu_bw;
    }
    *ret_least = least;
    return ORR_OK;
}

/* NCCL divides the rate of the NICs by it, for a peer in another system. */
static enum orr_code divides_by_zero(const struct orr_settings *settings, struct orr_error *err)
{
    return orr_fail_with(err, ORR_SETTING, NULL, "give a rate in GB/s, 1 or more",
                         "NCCL crashes with NCCL_P2P_PER_CHANNEL_NET_BW=%s, because it divides by it",
                         orr_setting_text(settings, ORR_SET_P2P_PER_CHANNEL_NET_BW));
}

/* The values that ranks exchange in releases that size point-to-point transfers and NVLS by the rate of the NICs. */
static enum orr_code measure_rates(const struct orr_analysis *a, struct orr_part *part, uint32_t *scratch,
                                   struct orr_error *err)
{
    const struct orr_system *system = &part->system;
    struct orr_contribution *c = &part->contribution;
    int32_t per_channel = orr_setting_int32(&a->query.settings, ORR_SET_P2P_PER_CHANNEL_NET_BW);
    if (!system->release->exchanges_net_rates)
        return ORR_OK;
    for (uint32_t g = system->first[ORR_GPU]; g < system->first[ORR_GPU + 1]; g++) {
        int32_t count;
        float sum, least;
        ORR_TRY(orr_budget_check(err));
        ORR_TRY(measure_nets(part, g, scratch, &count, &sum, &least, err));
        if (!per_channel && count && a->ranks > c->rank_count)
            return divides_by_zero(&a->query.settings, err);
        int32_t by_rate = per_channel > 0 ? orr_wrapping_div_up((int32_t)sum, per_channel) : count;
        int32_t channels = count ? (count > by_rate ? count : by_rate) : 2;
        bool first = g == system->first[ORR_GPU];
        c->p2p_net_min = first || channels < c->p2p_net_min ? channels : c->p2p_net_min;
        c->net_bw_min = first || least < c->net_bw_min ? least : c->net_bw_min;
    }
    return ORR_OK;
}

/* Whether NCCL_NVLS_ENABLE is given with a value other than 0 and 2: then NCCL does not ask the hardware. */
static bool nvls_forced(const struct orr_settings *settings)
{
    int64_t enabled = orr_setting_int(settings, ORR_SET_NVLS_ENABLE);
    return enabled != 0 && enabled != 2 && orr_setting_default(ORR_SET_NVLS_ENABLE, settings->release) != 1;
}

/* ORR_RULE_NVLS_ON if NVLS is supported by GPUs of that capability, as far as this is known before the search. */
static enum orr_rule decide_nvls(const struct orr_analysis *a, const struct orr_contribution *c, int32_t sm)
{
    const struct orr_release *release = a->query.settings.release;
    if (!release->connect->nvls_channels)
        return ORR_RULE_NVLS_UNKNOWN;
    if (orr_setting_int(&a->query.settings, ORR_SET_NVLS_ENABLE) == 0)
        return ORR_RULE_NVLS_DISABLED;
    if ((c->nvls_row ? c->nvls_row : c->rank_count) < (uint32_t)release->nvls_least_gpus)
        return ORR_RULE_NVLS_FEW_GPUS;
    return nvls_forced(&a->query.settings) || sm >= 90 ? ORR_RULE_NVLS_ON : ORR_RULE_NVLS_OLD_GPUS;
}

bool orr_searches_nvls(const struct orr_analysis *a, const struct orr_contribution *c, int32_t sm)
{
    return decide_nvls(a, c, sm) == ORR_RULE_NVLS_ON && (c->has_nvswitch || nvls_forced(&a->query.settings));
}

static bool has_collnet(const struct orr_analysis *a)
{
    if (orr_setting_int(&a->query.settings, ORR_SET_COLLNET_ENABLE) != 1)
        return false;
    for (uint32_t n = a->built.first[ORR_NET]; n < a->built.first[ORR_NET + 1]; n++)
        if (a->built.nodes[n].net.coll)
            return true;
    return false;
}

enum orr_code orr_part_measure(const struct orr_analysis *a, struct orr_part *part, struct orr_error *err)
{
    struct orr_contribution *c = &part->contribution;
    const struct orr_system *system = &part->system;
    const struct orr_node *cpu = orr_system_node(system, ORR_CPU, 0);
    uint32_t *scratch = ORR_NEW(a->arena, uint32_t,
                                2 * ((size_t)orr_system_count(system, ORR_NET) + orr_system_count(system, ORR_GPU)));
    ORR_NEED(scratch, err);
    c->cpu_arch = cpu->cpu.arch;
    c->cpu_vendor = cpu->cpu.vendor;
    c->sm_min = INT32_MAX;
    c->sm_max = 0;
    for (uint32_t g = system->first[ORR_GPU]; g < system->first[ORR_GPU + 1]; g++) {
        int32_t sm = system->nodes[g].gpu.sm;
        c->sm_min = sm < c->sm_min ? sm : c->sm_min;
        c->sm_max = sm > c->sm_max ? sm : c->sm_max;
    }
    c->has_nvswitch = orr_system_count(system, ORR_NVS) > 0;
    c->nvls_row = a->query.settings.release->nvls_counts_clique && a->built.host_count > 1 ? a->local_ranks : 0;
    c->nvls_rule = (uint8_t)decide_nvls(a, c, c->sm_min);
    c->nvls_on = c->nvls_rule == ORR_RULE_NVLS_ON;
    c->has_collnet = has_collnet(a);
    c->p2p_local_min = fewest_local_channels(part);
    c->p2p_nics_min = fewest_nics(part, scratch);
    return measure_rates(a, part, scratch, err);
}
