/* SPDX-License-Identifier: Apache-2.0 */
/* P2P, GPUDirect RDMA, and the NICs of ranks. */
#include "engine/whatif/facts.h"

static void add_decision(struct orr_fact_list *list, enum orr_fact_kind kind, uint32_t a, uint32_t b,
                         const struct orr_decision *decision)
{
    orr_fact_add(list, kind, 0, a, b, decision->verdict);
    if (!orr_arena_starved(list->arena))
        list->rows[list->count - 1].rule = decision->rule;
}

static uint32_t net_subject(const struct orr_fact_list *list, const struct orr_system *system, int64_t id)
{
    uint32_t net = orr_net_of_id(system, id);
    return net == ORR_NO_NODE ? UINT32_MAX : orr_fact_subject(list, system, net);
}

static void add_part(const struct orr_part *part, struct orr_fact_list *list)
{
    const struct orr_system *system = &part->system;
    uint32_t gpus = orr_system_count(system, ORR_GPU), nets = orr_system_count(system, ORR_NET);
    for (uint32_t g = 0; g < gpus; g++) {
        uint32_t rank = orr_fact_rank(list, (uint32_t)orr_system_node(system, ORR_GPU, g)->gpu.rank);
        for (uint32_t n = 0; part->gdr && n < nets; n++) {
            const struct orr_gdr *gdr = &part->gdr[(size_t)g * nets + n];
            uint32_t net = orr_fact_subject(list, system, system->first[ORR_NET] + n);
            add_decision(list, ORR_FACT_GDR_SEND, rank, net, &gdr->send);
            add_decision(list, ORR_FACT_GDR_RECV, rank, net, &gdr->recv);
        }
        for (int32_t c = 0; part->net_devs && c < part->net_dev_channels; c++) {
            const struct orr_net_dev *dev = &part->net_devs[(size_t)g * (size_t)part->net_dev_channels + (size_t)c];
            orr_fact_add(list, ORR_FACT_NET_OF_RANK, 0, rank, (uint32_t)c, net_subject(list, system, dev->net));
            orr_fact_add(list, ORR_FACT_PROXY, 0, rank, (uint32_t)c, orr_fact_member(list, dev->proxy_rank));
        }
    }
}

void orr_facts_of_decisions(const struct orr_analysis *analysis, struct orr_fact_list *list)
{
    for (uint32_t a = 0; a < analysis->local_ranks; a++)
        for (uint32_t b = 0; b < analysis->local_ranks; b++) {
            const struct orr_p2p *pair = &analysis->p2p[(size_t)a * analysis->local_ranks + b];
            if (a == b)
                continue;
            uint32_t from = orr_fact_rank(list, a), to = orr_fact_rank(list, b);
            add_decision(list, ORR_FACT_P2P, from, to, &pair->decision);
            orr_fact_add(list, ORR_FACT_P2P_READ, 0, from, to, pair->read);
            orr_fact_add(list, ORR_FACT_P2P_VIA, 0, from, to, orr_fact_member(list, pair->via));
        }
    for (uint32_t p = 0; p < analysis->part_count; p++)
        add_part(&analysis->parts[p], list);
}
