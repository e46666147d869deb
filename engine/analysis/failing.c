/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/analysis/failing.h"

#include <stdio.h>

#include "engine/decide/verdicts.h"
#include "engine/release/release.h"

/* A rule writes its result for one part, and returns whether NCCL fails there. */
typedef bool fails_in(const struct orr_analysis *a, const struct orr_part *part, struct orr_failure *ret_failure);

static bool lacks_nets(const struct orr_analysis *a, const struct orr_part *part, struct orr_failure *ret_failure)
{
    const struct orr_release *release = a->query.settings.release;
    bool needed = release->nets_needed == ORR_NETS_ALWAYS ||
                  (release->nets_needed == ORR_NETS_TO_OTHERS && part->system.leaves_host);
    if (!needed || orr_system_count(&part->system, ORR_NET))
        return false;
    ret_failure->lacks_nets = true;
    snprintf(ret_failure->text, sizeof ret_failure->text,
             "NCCL %s finds no path from any GPU to a NIC, because the input lists no NIC", release->name);
    return true;
}

/* A path over NVLinks of a third GPU has four links: to the rank's own device, to the other GPU's device, to the peer's
 * device, to the peer. Trimming removes ranks, but no devices, and NCCL then looks for the rank on the device. */
static bool relays_by_trimmed_rank(const struct orr_analysis *a, const struct orr_part *part,
                                   struct orr_failure *ret_failure)
{
    const struct orr_system *system = &part->system;
    if (!system->release->has_devs)
        return false;
    for (uint32_t from = system->first[ORR_GPU]; from < system->first[ORR_GPU + 1]; from++)
        for (uint32_t to = system->first[ORR_GPU]; to < system->first[ORR_GPU + 1]; to++) {
            const struct orr_path *path = orr_path(&part->paths, from, to);
            uint32_t middle = path->hops == 4 ? orr_path_node(&part->paths, path, 1) : ORR_NO_NODE;
            if (middle == ORR_NO_NODE || system->nodes[middle].type != ORR_DEV ||
                orr_decide_p2p(&part->paths, &a->query.settings, from, to).via != ORR_NO_NODE)
                continue;
            snprintf(ret_failure->text, sizeof ret_failure->text,
                     "NVLink joins GPU %d and GPU %d through GPU %d, which is in another part of the host, and NCCL %s "
                     "looks for its rank in this part",
                     system->nodes[from].gpu.dev, system->nodes[to].gpu.dev, system->nodes[middle].gpu.dev,
                     system->release->name);
            return true;
        }
    return false;
}

static bool reaches_a_gpu(const struct orr_part *part, uint32_t net)
{
    const struct orr_system *system = &part->system;
    for (uint32_t gpu = system->first[ORR_GPU]; gpu < system->first[ORR_GPU + 1]; gpu++)
        if (orr_path(&part->paths, net, gpu)->type < ORR_PATH_DIS)
            return true;
    return false;
}

/* The release whose type limits come from the system may search NICs that have no path. For a NIC that reaches no GPU
 * at all, NCCL has no list of paths. */
static bool starts_at_lone_net(const struct orr_analysis *a, const struct orr_part *part,
                               struct orr_failure *ret_failure)
{
    const struct orr_system *system = &part->system;
    const struct orr_release *release = a->query.settings.release;
    if (!release->types_from_system || release->checks_unreachable || orr_system_count(system, ORR_GPU) < 2 ||
        !orr_system_count(system, ORR_NVS))
        return false;
    for (uint32_t net = system->first[ORR_NET]; net < system->first[ORR_NET + 1]; net++)
        if (!reaches_a_gpu(part, net)) {
            snprintf(ret_failure->text, sizeof ret_failure->text,
                     "NCCL %s crashes while it searches for channels, because hosts of an NVLink domain share a system "
                     "and no GPU reaches the NICs of another host",
                     release->name);
            return true;
        }
    return false;
}

bool orr_analysis_fails(const struct orr_analysis *analysis, struct orr_failure *ret_failure)
{
    static fails_in *const rules[] = {lacks_nets, relays_by_trimmed_rank, starts_at_lone_net};
    for (uint32_t i = 0; i < analysis->part_count; i++)
        for (size_t r = 0; r < sizeof rules / sizeof rules[0]; r++) {
            const struct orr_part *part = &analysis->parts[i];
            *ret_failure =
                (struct orr_failure){.host_rank = analysis->part_count > 1 ? part->contribution.ranks[0] : -1};
            if (rules[r](analysis, part, ret_failure))
                return true;
        }
    return false;
}
