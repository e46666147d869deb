/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which user buffers may be registered, as far as that depends on the topology. docs/nccl/device-side.md,
 * "Registered buffers". */
#include "engine/device/deciding.h"

/* Channels divided by heads, rounded up. */
static int32_t shared(const struct orr_communicator *c, int32_t channels)
{
    return c->nvls_head_count > 0 ? (channels + c->nvls_head_count - 1) / c->nvls_head_count : channels;
}

/* The number of channels of a collective if its buffers are registered with NVLS. */
static int32_t registered_channels(const struct orr_device_side *d, enum orr_function function)
{
    const struct orr_communicator *c = &d->analysis->communicator;
    const bool newer = c->sm_min >= 100, reduces = function == ORR_REDUCESCATTER, all = function == ORR_ALLREDUCE;
    const float bw = d->analysis->tuning.bandwidth[ORR_REDUCESCATTER][ORR_ALGO_NVLS][ORR_SIMPLE];
    const bool one_node = c->node_count == 1;
    const enum orr_nvls_registered rule = d->rules->nvls_registered;
    if (rule < ORR_NVLS_REGISTERED_BY_HEADS) {
        if (!newer || rule == ORR_NVLS_REGISTERED_FIXED)
            return one_node ? (reduces ? 5 : 4) : 6;
        return one_node ? (reduces ? 6 : 8) : 7;
    }
    if (one_node)
        return shared(c, newer ? (reduces ? 48 : all ? 64 : 32) : reduces ? 40 : 32);
    if (reduces)
        return shared(c, bw > 400 ? 56 : 48);
    if (!newer || !all)
        return shared(c, 48);
    return shared(c, rule == ORR_NVLS_REGISTERED_BY_RATE && d->min_net_bw >= 96 ? 80 : 56);
}

static void count_registered(struct orr_device_side *d)
{
    static const enum orr_function functions[] = {ORR_REDUCESCATTER, ORR_ALLGATHER, ORR_ALLREDUCE};
    const struct orr_communicator *c = &d->analysis->communicator;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        const int32_t channels = registered_channels(d, functions[i]);
        const int32_t most = channels < c->max_ctas ? channels : c->max_ctas;
        d->nvls_registered[functions[i]] = most > c->min_ctas ? most : c->min_ctas;
    }
}

static void decide_nvls(struct orr_device_side *d, struct orr_device_nodes *kind)
{
    if (d->fused) {
        orr_device_say(d, kind, ORR_DEVICE_NVLS_BUFFERS, 0, "SEVERAL_HOSTS", 0,
                       "Hosts of an NVLink domain are one system (MNNVL), where NCCL registers no buffers with NVLS.");
    } else if (!orr_device_is(kind, ORR_DEVICE_NVLS)) {
        const struct orr_device_verdict *nvls = &kind->verdicts[ORR_DEVICE_NVLS];
        orr_device_say(d, kind, ORR_DEVICE_NVLS_BUFFERS, 1, "NVLS_OFF", ORR_DEVICE_ASSUMES_PROCESSES,
                       "The flag is 1, but NVLink SHARP is off: %s", orr_device_inside(d, nvls->sentence));
    } else {
        count_registered(d);
        orr_device_say(d, kind, ORR_DEVICE_NVLS_BUFFERS, 1, "OWN_PROCESSES", ORR_DEVICE_ASSUMES_PROCESSES,
                       "No two ranks of a host share a process. With registered buffers ReduceScatter takes %d "
                       "channels, AllGather %d and AllReduce %d.",
                       d->nvls_registered[ORR_REDUCESCATTER], d->nvls_registered[ORR_ALLGATHER],
                       d->nvls_registered[ORR_ALLREDUCE]);
    }
}

static void decide_ipc(struct orr_device_side *d, struct orr_device_nodes *kind)
{
    const struct orr_device_verdict *p2p = &kind->verdicts[ORR_DEVICE_DIRECT_P2P];
    if (!d->rules->ipc_registration)
        return;
    orr_device_say(d, kind, ORR_DEVICE_IPC_BUFFERS, p2p->value > 0, p2p->value > 0 ? "P2P_ON" : p2p->rule, p2p->assumes,
                   "%s is %d: %s", orr_device_fact_name(d->analysis->query.settings.release, ORR_DEVICE_DIRECT_P2P),
                   p2p->value > 0, p2p->sentence);
    orr_device_remedy(d, kind, ORR_DEVICE_IPC_BUFFERS, "%s", p2p->remedy);
}

/* A ring's connection to another node: whether the GPU at that end uses its own NIC, with GPUDirect RDMA. */
static bool end_is_plain(struct orr_device_side *d, struct orr_device_nodes *kind, int32_t channel, bool sends)
{
    const struct orr_part *part = kind->part;
    const struct orr_graph *ring = &part->contribution.graphs[ORR_GRAPH_RING];
    const int32_t *row = ring->gpus + (size_t)channel * ring->gpu_count;
    int32_t rank = sends ? row[ring->gpu_count - 1] : row[0];
    uint32_t gpu = orr_gpu_of_rank(&part->system, rank);
    uint32_t net = orr_net_of_id(&part->system, ring->nets[channel][sends]);
    if (gpu == ORR_NO_NODE || net == ORR_NO_NODE)
        return true;
    if (sends && orr_path(&part->paths, gpu, net)->type == ORR_PATH_PXN) {
        orr_device_say(d, kind, ORR_DEVICE_RING_BUFFERS, 0, "RING_BY_PXN", 0,
                       "In channel %d GPU %d sends through another GPU's NIC (PXN).", channel, rank);
        orr_device_remedy(d, kind, ORR_DEVICE_RING_BUFFERS, "NCCL_PXN_DISABLE=1 keeps every GPU at its own NIC.");
        return false;
    }
    uint32_t nets = orr_system_count(&part->system, ORR_NET);
    const struct orr_gdr *gdr =
        &part->gdr[(size_t)(gpu - part->system.first[ORR_GPU]) * nets + (net - part->system.first[ORR_NET])];
    const struct orr_decision *decision = sends ? &gdr->send : &gdr->recv;
    if (decision->verdict)
        return true;
    orr_device_say(d, kind, ORR_DEVICE_RING_BUFFERS, 0, "RING_WITHOUT_GDR", 0,
                   "In channel %d GPU %d %s without GPUDirect RDMA. %s", channel, rank, sends ? "sends" : "receives",
                   orr_rule_text((enum orr_rule)decision->rule));
    return false;
}

static void decide_rings(struct orr_device_side *d, struct orr_device_nodes *kind)
{
    const struct orr_graph *ring = &kind->part->contribution.graphs[ORR_GRAPH_RING];
    if (!d->rules->ring_registration)
        return;
    if (d->analysis->communicator.node_count == 1) {
        orr_device_say(d, kind, ORR_DEVICE_RING_BUFFERS, 0, "ONE_NODE", 0,
                       "There is one node, so rings use no network.");
        return;
    }
    if (!ring->nets || !kind->part->gdr) {
        orr_device_say(d, kind, ORR_DEVICE_RING_BUFFERS, 0, "NO_NIC", 0, "The host has no NIC.");
        return;
    }
    for (int32_t c = 0; c < ring->channels; c++)
        if (!end_is_plain(d, kind, c, true) || !end_is_plain(d, kind, c, false))
            return;
    orr_device_say(d, kind, ORR_DEVICE_RING_BUFFERS, 1, "RING_BY_OWN_NICS", 0,
                   "All rings enter and leave the node by GPUDirect RDMA, without PXN.");
}

static void decide_pairs(struct orr_device_side *d, struct orr_device_nodes *kind)
{
    const struct orr_communicator *c = &d->analysis->communicator;
    bool pxn = orr_device_setting(d, ORR_SET_PXN_DISABLE) != 1;
    bool nvlink = orr_device_is(kind, ORR_DEVICE_ALL_NVLINK);
    bool alone = d->rules->pair_registration == ORR_PAIR_REG_OR_ALONE && c->max_local_ranks == 1;
    if (d->rules->pair_registration == ORR_PAIR_REG_NONE)
        return;
    if (c->node_count == 1) {
        orr_device_say(d, kind, ORR_DEVICE_PAIR_BUFFERS, 0, "ONE_NODE", 0, "There is one node.");
        return;
    }
    if (pxn && nvlink && !alone) {
        orr_device_say(d, kind, ORR_DEVICE_PAIR_BUFFERS, 0, "PXN_WITH_NVLINK", 0,
                       "PXN is on, and NVLink joins all GPUs of a node (isAllNvlink is 1).");
        orr_device_remedy(d, kind, ORR_DEVICE_PAIR_BUFFERS, "NCCL_PXN_DISABLE=1 allows it.");
        return;
    }
    orr_device_say(d, kind, ORR_DEVICE_PAIR_BUFFERS, 1,
                   alone ? "ALONE_EVERYWHERE"
                   : pxn ? "NO_NVLINK"
                         : "PXN_OFF",
                   0, "%s",
                   alone ? "Every node has one rank."
                   : pxn ? "NVLink does not join all GPUs of a node, so NCCL does not count on PXN."
                         : "PXN is off.");
}

void orr_device_registration(struct orr_device_side *d, struct orr_device_nodes *kind)
{
    decide_nvls(d, kind);
    decide_ipc(d, kind);
    decide_rings(d, kind);
    decide_pairs(d, kind);
}
