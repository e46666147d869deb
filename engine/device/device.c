/* SPDX-License-Identifier: Apache-2.0 */
/* Decides all verdicts in NCCL's order: P2P and NVLink of each node, then teams and GIN of all, then everything that
 * rests on them. */
#include "engine/device/device.h"

#include "engine/base/budget.h"
#include "engine/device/deciding.h"

/* Adds the kinds of one analysed host; counts of nodes come afterwards. */
static void add_kinds(struct orr_device_side *d, const struct orr_analysis *host)
{
    for (uint32_t p = 0; p < host->part_count; p++)
        d->kinds[d->kind_count++] =
            (struct orr_device_nodes){.host = host, .part = &host->parts[p], .first_rank = INT32_MAX};
}

static enum orr_code list_kinds(struct orr_device_side *d, struct orr_error *err)
{
    const struct orr_analysis *a = d->analysis;
    const struct orr_cluster *cluster = a->cluster;
    const struct orr_communicator *c = &a->communicator;
    uint32_t most = a->part_count;
    for (uint32_t k = 1; cluster && k < cluster->kind_count; k++)
        most += cluster->kinds[k].analysis->part_count;
    d->kinds = ORR_NEW(d->arena, struct orr_device_nodes, most);
    ORR_NEED(d->kinds, err);
    add_kinds(d, a);
    for (uint32_t k = 1; cluster && k < cluster->kind_count; k++)
        add_kinds(d, cluster->kinds[k].analysis);
    for (uint32_t n = 0; n < c->node_count; n++) {
        if (orr_budget_spent(d->kind_count))
            return orr_budget_check(err);
        for (uint32_t k = 0; k < d->kind_count; k++) {
            struct orr_device_nodes *kind = &d->kinds[k];
            if (c->members[n].contribution != &kind->part->contribution)
                continue;
            int32_t rank = orr_member_rank(&c->members[n], kind->part->contribution.ranks[0]);
            kind->node_count++;
            kind->first_rank = rank < kind->first_rank ? rank : kind->first_rank;
        }
    }
    return ORR_OK;
}

static void look_at_domain(struct orr_device_side *d)
{
    const struct orr_cluster *cluster = d->analysis->cluster;
    for (uint32_t k = 0; k < d->kind_count; k++)
        d->fused |= d->kinds[k].part->system.host_count > 1;
    if (!cluster || !cluster->fabrics.crosses_cliques)
        return;
    d->domain_of_all = true;
    for (uint32_t s = 1; s < cluster->system_count; s++) {
        bool shared = orr_systems_share_nvlink(cluster, 0, s);
        d->crosses_cliques |= shared;
        d->domain_of_all &= shared;
    }
}

/* The least rate of the NICs, for the model of GIN kernels. */
static float least_rate(const struct orr_device_side *d)
{
    float least = 0;
    for (uint32_t k = 0; k < (d->rules->gin_rate_of_all ? d->kind_count : 1); k++) {
        const struct orr_part *part = d->kinds[k].part;
        if (d->rules->gin_rate_of_all) {
            float rate = part->contribution.net_bw_min;
            least = k == 0 || rate < least ? rate : least;
            continue;
        }
        for (uint32_t n = part->system.first[ORR_NET]; n < part->system.first[ORR_NET + 1]; n++)
            if (least == 0 || part->system.nodes[n].net.bw < least)
                least = part->system.nodes[n].net.bw;
    }
    return least;
}

/* Facts that the release does not have. */
static void set_missing(struct orr_device_side *d)
{
    for (uint32_t k = 0; k < d->kind_count; k++)
        for (int f = 0; f < ORR_DEVICE_FACT_COUNT; f++) {
            const struct orr_release *since = orr_device_fact_since((enum orr_device_fact)f);
            d->kinds[k].verdicts[f] = (struct orr_device_verdict){
                .value = -1, .rule = "NOT_IN_RELEASE", .sentence = "The release has no such feature.", .remedy = ""};
            if (since && orr_release_is_older(d->analysis->query.settings.release, since))
                orr_device_remedy(d, &d->kinds[k], (enum orr_device_fact)f, "NCCL %s or newer has it.", since->name);
        }
}

enum orr_code orr_device_decide(const struct orr_analysis *analysis, struct orr_arena *arena,
                                struct orr_device_side *ret_device, struct orr_error *err)
{
    struct orr_device_side *d = ret_device;
    *d = (struct orr_device_side){
        .analysis = analysis, .rules = analysis->query.settings.release->device, .arena = arena};
    ORR_TRY(list_kinds(d, err));
    look_at_domain(d);
    set_missing(d);
    if (!d->rules->covered)
        return orr_arena_starved(arena) ? orr_fail_nomem(err) : ORR_OK;
    d->min_net_bw = least_rate(d);
    for (uint32_t k = 0; k < d->kind_count; k++) {
        if (orr_budget_spent((uint32_t)analysis->local_ranks))
            return orr_budget_check(err);
        orr_device_flags(d, &d->kinds[k]);
        orr_device_find_gin(d, &d->kinds[k]);
    }
    orr_device_flags_of_all(d);
    ORR_TRY(orr_device_teams(d, err));
    orr_device_gin(d);
    for (uint32_t k = 0; k < d->kind_count; k++) {
        orr_device_symmetric(d, &d->kinds[k]);
        orr_device_registration(d, &d->kinds[k]);
    }
    return orr_arena_starved(arena) ? orr_fail_nomem(err) : ORR_OK;
}

uint32_t orr_device_differs(const struct orr_device_side *device, enum orr_device_fact fact)
{
    for (uint32_t k = 1; k < device->kind_count; k++)
        if (device->kinds[k].verdicts[fact].value != device->kinds[0].verdicts[fact].value)
            return k;
    return 0;
}
