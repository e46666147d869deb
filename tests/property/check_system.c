/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of nodes and links, how trimming splits it, and what is decided for pairs. */
#include <math.h>

#include "engine/release/release.h"
#include "tests/property/checks.h"

static bool check_links(const struct orr_system *system, struct orr_error *err)
{
    if (!orr_system_check(system, err))
        return false;
    for (uint32_t l = 0; l < system->link_count; l++)
        if (!isfinite(system->links[l].bw))
            return WRONG(err, "link %u has bandwidth %g", l, (double)system->links[l].bw);
    if (!isfinite(system->max_bw) || system->max_bw < 0 || !isfinite(system->total_bw) || system->total_bw < 0)
        return WRONG(err, "the system's figures are %g and %g", (double)system->max_bw, (double)system->total_bw);
    return true;
}

/* Ranks 0 .. n - 1, each on one GPU of one part. */
static bool check_ranks(const struct orr_analysis *a, struct orr_error *err)
{
    uint32_t seen = 0;
    if (a->local_ranks == 0 || a->ranks != a->local_ranks * a->query.hosts)
        return WRONG(err, "%u ranks, %u on each of %u hosts", a->ranks, a->local_ranks, a->query.hosts);
    for (uint32_t i = 0; i < a->part_count; i++) {
        const struct orr_part *part = &a->parts[i];
        uint32_t count = orr_system_count(&part->system, ORR_GPU);
        if (count != part->contribution.rank_count)
            return WRONG(err, "part %u has %u GPUs and %u ranks", i, count, part->contribution.rank_count);
        for (uint32_t g = 0; g < count; g++) {
            int32_t rank = orr_system_node(&part->system, ORR_GPU, g)->gpu.rank;
            if (rank < 0 || (uint32_t)rank >= a->local_ranks || a->part_of_rank[rank] != i)
                return WRONG(err, "part %u holds rank %d, which is none of its own", i, rank);
            for (uint32_t other = 0; other < g; other++)
                if (orr_system_node(&part->system, ORR_GPU, other)->gpu.rank == rank)
                    return WRONG(err, "part %u holds rank %d twice", i, rank);
        }
        seen += count;
    }
    return seen == a->local_ranks ? true : WRONG(err, "the parts hold %u ranks of %u", seen, a->local_ranks);
}

static bool check_pairs(const struct orr_analysis *a, struct orr_error *err)
{
    for (uint32_t x = 0; x < a->local_ranks; x++)
        for (uint32_t y = 0; y < a->local_ranks; y++) {
            const struct orr_p2p *pair = &a->p2p[(size_t)x * a->local_ranks + y];
            if (pair->decision.verdict != 0 && pair->decision.verdict != 1)
                return WRONG(err, "P2P of %u and %u is %d", x, y, pair->decision.verdict);
            if (x == y && !pair->decision.verdict)
                return WRONG(err, "rank %u has no P2P with itself", x);
            if (pair->via < -1 || pair->via >= (int32_t)a->local_ranks)
                return WRONG(err, "P2P of %u and %u goes by rank %d", x, y, pair->via);
            if (a->part_of_rank[x] != a->part_of_rank[y] && pair->decision.verdict)
                return WRONG(err, "P2P of %u and %u crosses parts", x, y);
        }
    return true;
}

static bool check_gdr(const struct orr_part *part, struct orr_error *err)
{
    uint32_t gpus = orr_system_count(&part->system, ORR_GPU), nets = orr_system_count(&part->system, ORR_NET);
    int most = part->system.release->gdr_has_modes ? 2 : 1;
    for (uint32_t i = 0; i < gpus * nets; i++) {
        const struct orr_decision *send = &part->gdr[i].send, *recv = &part->gdr[i].recv;
        if (send->verdict < 0 || send->verdict > most || recv->verdict < 0 || recv->verdict > most)
            return WRONG(err, "GPUDirect RDMA of GPU %u is %d and %d", i / nets, send->verdict, recv->verdict);
    }
    return true;
}

static bool is_rank_of(const struct orr_part *part, int32_t rank)
{
    for (uint32_t i = 0; i < part->contribution.rank_count; i++)
        if (part->contribution.ranks[i] == rank)
            return true;
    return false;
}

static bool check_net_devs(const struct orr_part *part, struct orr_error *err)
{
    uint32_t gpus = orr_system_count(&part->system, ORR_GPU), nets = orr_system_count(&part->system, ORR_NET);
    for (size_t i = 0; part->net_devs && i < (size_t)gpus * (size_t)part->net_dev_channels; i++) {
        const struct orr_net_dev *dev = &part->net_devs[i];
        uint32_t net = 0;
        while (net < nets && orr_system_node(&part->system, ORR_NET, net)->id != dev->net)
            net++;
        bool any = is_simple_order(&part->contribution.graphs[ORR_GRAPH_RING]) && dev->net == 0;
        if (net == nets && !any)
            return WRONG(err, "a channel's NIC %llx is none of the system", (unsigned long long)dev->net);
        if (!is_rank_of(part, dev->proxy_rank))
            return WRONG(err, "the proxy %d is not a rank of the part", dev->proxy_rank);
    }
    return true;
}

bool check_system(const struct orr_analysis *a, struct tally *tally, struct orr_error *err)
{
    if (!check_links(&a->built, err) || !check_ranks(a, err) || !check_pairs(a, err))
        return false;
    for (uint32_t i = 0; i < a->part_count; i++) {
        const struct orr_part *part = &a->parts[i];
        if (!check_links(&part->system, err) || !check_gdr(part, err) || !check_net_devs(part, err))
            return false;
        tally->systems++;
    }
    return true;
}
