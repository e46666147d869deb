/* Verdicts between the devices of host 0: P2P, GPUDirect RDMA, and the NIC of a rank. */
#include "api/sections.h"

json_t *orr_p2p_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    json_t *rows = orr_json_array(json);
    for (uint32_t a = 0; a < analysis->local_ranks; a++)
        for (uint32_t b = 0; b < analysis->local_ranks; b++) {
            if (a == b)
                continue;
            const struct orr_p2p *p2p = &analysis->p2p[(size_t)a * analysis->local_ranks + b];
            json_t *row = orr_json_object(json);
            orr_json_set(json, row, "a", orr_json_int(json, a));
            orr_json_set(json, row, "b", orr_json_int(json, b));
            orr_json_set(json, row, "p2p", orr_json_int(json, p2p->decision.verdict));
            orr_json_set(json, row, "read", orr_json_int(json, p2p->read));
            orr_json_set(json, row, "via", orr_json_int(json, p2p->via));
            orr_json_add(json, rows, row);
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
                json_t *row = orr_json_object(json);
                orr_json_set(json, row, "rank",
                             orr_json_int(json, orr_system_node(&part->system, ORR_GPU, g)->gpu.rank));
                orr_json_set(json, row, "net",
                             orr_json_node(json, ORR_NET, orr_system_node(&part->system, ORR_NET, n)->id));
                orr_json_set(json, row, "send", orr_json_int(json, gdr->send.verdict));
                orr_json_set(json, row, "recv", orr_json_int(json, gdr->recv.verdict));
                orr_json_add(json, rows, row);
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
                json_t *row = orr_json_object(json);
                orr_json_set(json, row, "rank",
                             orr_json_int(json, orr_system_node(&part->system, ORR_GPU, g)->gpu.rank));
                orr_json_set(json, row, "channel", orr_json_int(json, c));
                orr_json_set(json, row, "net", orr_json_node(json, ORR_NET, dev->net));
                orr_json_set(json, row, "proxy_rank", orr_json_int(json, dev->proxy_rank));
                orr_json_add(json, rows, row);
            }
    }
    return rows;
}
