/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/expect/ceiling.h"

#include <stdlib.h>

#include "engine/base/sorting.h"
#include "engine/release/release.h"

ORR_COMPARATOR(compare_bw, double, ORR_ORDER(*b, *a))

static double leaving(const struct orr_system *system, uint32_t node)
{
    double sum = 0;
    for (uint32_t l = 0; l < system->nodes[node].link_count; l++) {
        const struct orr_link *link = &system->links[system->nodes[node].first_link + l];
        sum += link->type == ORR_LINK_LOC ? 0 : (double)link->bw;
    }
    return sum;
}

double orr_ceiling_gpu(const struct orr_system *system, uint32_t gpu)
{
    return leaving(system, system->release->has_devs ? system->links[system->nodes[gpu].first_link].to : gpu);
}

double orr_ceiling_nics(const struct orr_system *system)
{
    double sum = 0;
    for (uint32_t net = system->first[ORR_NET]; net < system->first[ORR_NET + 1]; net++)
        sum += leaving(system, net);
    return sum;
}

enum orr_code orr_ceiling_gpus(const struct orr_system *system, uint32_t wanted, struct orr_arena *arena,
                               double *ret_bw, struct orr_error *err)
{
    const uint32_t count = orr_system_count(system, ORR_GPU), at = wanted < count ? wanted - 2 : count - 2;
    double *sums = ORR_NEW(arena, double, count + 1);
    ORR_NEED(sums, err);
    for (uint32_t g = 0; g < count; g++)
        sums[g] = orr_ceiling_gpu(system, system->first[ORR_GPU] + g);
    qsort(sums, count, sizeof *sums, compare_bw);
    *ret_bw = count < 2 ? sums[0] : sums[at];
    return ORR_OK;
}
