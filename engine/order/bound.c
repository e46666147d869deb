/* SPDX-License-Identifier: Apache-2.0 */
/* An upper bound for all orders of a cluster's hosts and GPUs, from the bandwidths of links, which are the same in
 * every order. */
#include <math.h>

#include "engine/expect/ceiling.h"
#include "engine/order/ordering.h"

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* The bound of a collective operation: NCCL uses the least of all systems for every figure of a graph. */
static enum orr_code of_collective(const struct orr_system *built, bool alone, struct orr_arena *arena, double *bound,
                                   struct orr_error *err)
{
    double gpus;
    ORR_TRY(orr_ceiling_gpus(built, UINT32_MAX, arena, &gpus, err));
    *bound = least(*bound, ORR_CEILING_COUNTED * gpus);
    if (!alone)
        *bound = least(*bound, ORR_CEILING_COUNTED * orr_ceiling_nics(built));
    return ORR_OK;
}

/* The bound of sendrecv and alltoall: each GPU sends all its data over its own links. The NICs of a system carry at
 * least one rank's data (sendrecv), or the data between each rank here and each rank elsewhere (alltoall). */
static void of_transfers(const struct orr_cluster *c, const struct orr_cluster_system *of, enum orr_test test,
                         const struct orr_system *built, double *bound)
{
    const double here = of->rank_count, all = c->rank_count;
    for (uint32_t g = built->first[ORR_GPU]; g < built->first[ORR_GPU + 1]; g++)
        *bound = least(*bound, orr_ceiling_gpu(built, g));
    if (here < all)
        *bound = least(*bound,
                       orr_ceiling_nics(built) * (test == ORR_TEST_SENDRECV ? 1 : (all - 1) / (here * (all - here))));
}

enum orr_code orr_ordering_bound(const struct orr_ordering *o, double *ret_bound, struct orr_error *err)
{
    const struct orr_cluster *c = o->present;
    const enum orr_test test = o->question->test;
    const bool collective = orr_test_programs[test].function >= 0;
    double bound = INFINITY;
    *ret_bound = 0;
    if (o->question->layout || (!collective && test != ORR_TEST_SENDRECV && test != ORR_TEST_ALLTOALL))
        return ORR_OK;
    for (uint32_t i = 0; i < c->system_count; i++) {
        const struct orr_system *built = &c->kinds[c->systems[i].kind].analysis->built;
        if (collective)
            ORR_TRY(of_collective(built, c->system_count == 1, o->scratch, &bound, err));
        else
            of_transfers(c, &c->systems[i], test, built, &bound);
    }
    *ret_bound = isinf(bound) ? 0 : bound;
    return ORR_OK;
}
