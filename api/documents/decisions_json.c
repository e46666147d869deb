/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts between the devices of host 0: P2P, GPUDirect RDMA, and the NIC of a rank. */
#include "api/documents/sections.h"

json_t *orr_p2p_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    json_t *rows = orr_json_array(json);
    for (uint32_t a = 0; a < analysis->local_ranks; a++)
        for (uint32_t b = 0; b < analysis->local_ranks; b++) {
            if (a == b)
                continue;
            const struct orr_p2p *p2p = &analysis->p2p[(size_t)a * analysis->local_ranks + b];
            orr_json_add(json, rows,
                         ORR_OBJECT(json, ORR_INT("a", a), ORR_INT("b", b), ORR_INT("p2p", p2p->decision.verdict),
                                    ORR_INT("read", p2p->read), ORR_INT("via", p2p->via)));
        }
    return rows;
}

json_t *orr_gdr_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    json_t *rows = orr_json_array(json);
    for (uint32_t p = 0; p < analysis->part_count; p++) {
        const struct orr_part *part = &analysis->parts[p];
        uint32_t gpus = orr_system_count(&part->system, ORR_GPU), nets = orr_system_count(&part->system, ORR_NET);
        if (!part->gdr)
            continue;
        for (uint32_t g = 0; g < gpus; g++)
            for (uint32_t n = 0; n < nets; n++) {
                const struct orr_gdr *gdr = &part->gdr[(size_t)g * nets + n];
                orr_json_add(json, rows,
                             ORR_OBJECT(json, ORR_INT("rank", orr_system_node(&part->system, ORR_GPU, g)->gpu.rank),
                                        ORR_VALUE("net", orr_json_node(json, ORR_NET,
                                                                       orr_system_node(&part->system, ORR_NET, n)->id)),
                                        ORR_INT("send", gdr->send.verdict), ORR_INT("recv", gdr->recv.verdict)));
            }
    }
    return rows;
}

json_t *orr_net_devs_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    json_t *rows = orr_json_array(json);
    for (uint32_t p = 0; p < analysis->part_count; p++) {
        const struct orr_part *part = &analysis->parts[p];
        uint32_t gpus = orr_system_count(&part->system, ORR_GPU);
        int32_t channels = part->net_dev_channels;
        if (!part->net_devs)
            continue;
        for (uint32_t g = 0; g < gpus; g++)
            for (int32_t c = 0; c < channels; c++) {
                const struct orr_net_dev *dev = &part->net_devs[(size_t)g * (size_t)channels + (size_t)c];
                orr_json_add(json, rows,
                             ORR_OBJECT(json, ORR_INT("rank", orr_system_node(&part->system, ORR_GPU, g)->gpu.rank),
                                        ORR_INT("channel", c), ORR_VALUE("net", orr_json_node(json, ORR_NET, dev->net)),
                                        ORR_INT("proxy_rank", dev->proxy_rank)));
            }
    }
    return rows;
}
