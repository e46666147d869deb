/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/expect/transfer_model.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/sorting.h"
#include "engine/cluster/cluster.h"
#include "engine/cluster/transfers.h"
#include "engine/expect/loads.h"
#include "engine/expect/shares.h"

enum {
    LL_MOST = 16384,          /* up to this many bytes of a transfer NCCL uses LL (NCCL_P2P_LL_THRESHOLD) */
    MOST_STEPS = 32,          /* groups that a program runs one after the other */
    MOST_TRANSFERS = 1 << 21, /* with more transfers, only a sample is modelled */
    LEAST_NODES = 64          /* of a sample */
};

/* One host's links, for each step of the program; and what its busiest rank moves between GPUs, as part of the size. */
struct site {
    struct orr_loads steps[MOST_STEPS];
    double between_gpus[MOST_STEPS];
};

struct modelling {
    const struct orr_analysis *analysis;
    const struct orr_communicator *comm;
    enum orr_test test;
    enum orr_peer_traffic peers;
    unsigned only; /* kinds of links; 0 means all of them, and the channels */
    struct orr_transfers *transfers;
    struct site *site; /* of the host at hand */
    uint32_t steps;
    uint32_t stride; /* distance between the nodes of a sample; 1 means all nodes */
    double scale;    /* of a sample's load */
    uint32_t crossings;
    bool by_net, lacks_nic; /* some transfer uses the network; some of these have no known NIC */
};

/* The link bandwidth that a load needs on a crossing. */
static double at_share(struct modelling *m, enum orr_crossing crossing, double load)
{
    m->crossings |= 1u << crossing;
    return load / orr_shares[crossing].share;
}

static uint32_t log2_of(uint32_t value)
{
    uint32_t log = 0;
    while (value >>= 1)
        log++;
    return log;
}

/* The share of the size that rank `from` sends to rank `to`, and the step. */
static double amount(const struct modelling *m, int32_t from, int32_t to, uint32_t *ret_step)
{
    uint32_t ranks = m->comm->rank_count, differs = (uint32_t)(from ^ to);
    double part = 1.0 / ranks;
    *ret_step = 0;
    switch (m->test) {
    case ORR_TEST_SENDRECV:
        return (uint32_t)to == ((uint32_t)from + 1) % ranks ? 1 : 0;
    case ORR_TEST_GATHER:
        return to == 0 ? part : 0;
    case ORR_TEST_SCATTER:
        return from == 0 ? part : 0;
    case ORR_TEST_HYPERCUBE:
        *ret_step = differs ? log2_of(differs) : 0;
        return differs && !(differs & (differs - 1)) ? part * differs : 0;
    default:
        return part;
    }
}

static uint32_t peers_of_rank(const struct modelling *m)
{
    return m->test == ORR_TEST_SENDRECV || m->test == ORR_TEST_HYPERCUBE ? 1 : m->comm->rank_count - 1;
}

/* Two GPUs of one system. */
static void lay_pair(struct modelling *m, struct orr_loads *loads, const struct orr_transfer_way *way, uint32_t from,
                     uint32_t to, double load)
{
    const struct orr_path *path = orr_path(&loads->part->paths, from, to);
    enum orr_crossing crossing =
        way->transport == ORR_OVER_SHM ? ORR_CROSS_HOST : orr_crossing_of((enum orr_path_type)path->type, false);
    orr_loads_add(loads, from, to, at_share(m, crossing, load));
}

/* A GPU and the switch through which it reaches another host of its NVLink domain. */
static void lay_switch(struct modelling *m, struct orr_loads *loads, uint32_t gpu, bool sending, double load)
{
    const struct orr_system *system = &loads->part->system;
    uint32_t nvs = orr_system_count(system, ORR_NVS) ? system->first[ORR_NVS] : ORR_NO_NODE;
    load = at_share(m, ORR_CROSS_NVLINK, load);
    if (sending)
        orr_loads_add(loads, gpu, nvs, load);
    else
        orr_loads_add(loads, nvs, gpu, load);
}

static void lay_nic(struct modelling *m, struct orr_loads *loads, uint32_t gpu, const struct orr_transfer_nic *nic,
                    bool sending, double load)
{
    const struct orr_system *system = &loads->part->system;
    uint32_t net = orr_net_of_id(system, nic->net), at = orr_transfer_seat(m->transfers, nic->proxy).gpu;
    if (net == ORR_NO_NODE) {
        m->lacks_nic = true;
        return;
    }
    if (sending && at != gpu)
        orr_loads_add(loads, gpu, at, at_share(m, ORR_CROSS_NVLINK, load)); /* PXN */
    const struct orr_path *path =
        sending ? orr_path(&loads->part->paths, at, net) : orr_path(&loads->part->paths, net, gpu);
    enum orr_crossing crossing = orr_crossing_of((enum orr_path_type)path->type, true);
    for (uint32_t i = 0; i < path->hops; i++) /* before 2.27 the type does not show this */
        if (system->links[loads->part->paths.links[path->first + i]].type == ORR_LINK_C2C)
            crossing = ORR_CROSS_C2C;
    load = at_share(m, crossing, load);
    if (sending)
        orr_loads_add(loads, at, net, load);
    else
        orr_loads_add(loads, net, gpu, load);
}

/* Each part of a transfer uses the NIC of its channel; if the channel is not known, the load is shared by the NICs of
 * all channels. */
static void lay_net(struct modelling *m, struct orr_loads *loads, uint32_t gpu, const struct orr_p2p_round *round,
                    bool sending, double load)
{
    const struct orr_communicator *c = m->comm;
    int32_t peer = sending ? round->send : round->receive;
    bool known = round->channel >= 0;
    int32_t parts = known ? c->p2p_channels_per_peer : c->p2p_channels;
    struct orr_transfer_nic nic;
    m->by_net = true;
    if (!known && orr_transfer_nic(m->transfers, peer, sending, -1, &nic)) {
        lay_nic(m, loads, gpu, &nic, sending, load);
        return;
    }
    for (int32_t u = 0; u < parts; u++)
        if (orr_transfer_nic(m->transfers, peer, sending, known ? orr_p2p_channel(c, round->channel, u) : u, &nic))
            lay_nic(m, loads, gpu, &nic, sending, load / parts);
        else
            m->lacks_nic = true;
}

static bool is_sampled(const struct modelling *m, int32_t rank, int32_t peer)
{
    uint32_t nodes = m->comm->node_count, own = (uint32_t)m->comm->node_of_rank[rank];
    return ((uint32_t)m->comm->node_of_rank[peer] + nodes - own) % nodes % m->stride == 0;
}

/* Adds one direction of a round of the selected rank. A transfer inside a system is only added by its sender. */
static void lay_round(struct modelling *m, int32_t rank, const struct orr_p2p_round *round, bool sending)
{
    int32_t peer = sending ? round->send : round->receive;
    uint32_t step = 0;
    double load = peer < 0 || peer == rank ? 0 : amount(m, sending ? rank : peer, sending ? peer : rank, &step);
    if (load <= 0 || !is_sampled(m, rank, peer))
        return;
    bool inside = m->comm->node_of_rank[peer] == m->comm->node_of_rank[rank];
    if (!inside)
        load *= m->scale;
    struct orr_loads *loads = &m->site->steps[step];
    uint32_t gpu = orr_transfer_seat(m->transfers, rank).gpu;
    struct orr_transfer_way way = orr_transfer_way(m->transfers, peer, sending);
    if (way.transport == ORR_OVER_NET) {
        lay_net(m, loads, gpu, round, sending, load);
        return;
    }
    if (inside && sending)
        lay_pair(m, loads, &way, gpu, orr_transfer_seat(m->transfers, peer).gpu, load);
    else if (!inside)
        lay_switch(m, loads, gpu, sending, load);
    if (sending)
        m->site->between_gpus[step] += load; /* of one rank; the caller takes the maximum of all */
}

/* All ranks of one node. */
static enum orr_code lay_node(struct modelling *m, const struct orr_member *member, struct orr_error *err)
{
    double most[MOST_STEPS] = {0};
    for (uint32_t i = 0; i < member->contribution->rank_count; i++) {
        uint32_t count;
        int32_t rank = orr_member_rank(member, member->contribution->ranks[i]);
        const struct orr_p2p_round *rounds = orr_transfers_turn(m->transfers, rank, &count);
        memset(m->site->between_gpus, 0, sizeof m->site->between_gpus);
        for (uint32_t t = 0; t < count; t++) {
            if (orr_budget_spent(2))
                return orr_budget_check(err);
            lay_round(m, rank, &rounds[t], true);
            lay_round(m, rank, &rounds[t], false);
        }
        for (uint32_t s = 0; s < m->steps; s++)
            most[s] = m->site->between_gpus[s] > most[s] ? m->site->between_gpus[s] : most[s];
    }
    memcpy(m->site->between_gpus, most, sizeof most);
    return ORR_OK;
}

/* Adds up the steps of one node; keeps them if the node is the slowest yet. */
static void weigh(const struct modelling *m, const struct orr_part *part, struct orr_transfer_model *model)
{
    double cost = 0, most = 0;
    double channel = orr_channel_bw(part->contribution.sm_min);
    struct orr_expect_limit limit;
    orr_limit_by_channels(model->channels, channel, &limit);
    for (uint32_t s = 0; s < m->steps; s++) {
        m->site->steps[s].only = m->only;
        struct orr_fullest fullest = orr_loads_fullest(&m->site->steps[s]);
        double by_channels = m->only ? 0 : m->site->between_gpus[s] / (model->channels * channel);
        double step = fullest.use > by_channels ? fullest.use : by_channels;
        cost += step;
        if (step <= most)
            continue;
        most = step;
        if (fullest.use > by_channels)
            orr_limit_of(&m->site->steps[s], &fullest, &limit);
        else
            orr_limit_by_channels(model->channels, channel, &limit);
    }
    if (cost < model->cost)
        return;
    model->cost = cost;
    model->limit = limit;
}

/* A node, its kind and its part; nodes of one kind and part contribute the same. */
struct kind_of_node {
    uintptr_t kind;
    uint32_t node;
};

ORR_COMPARATOR(by_kind, struct kind_of_node, ORR_ORDER(a->kind, b->kind), ORR_ORDER(a->node, b->node))

/* The nodes to model: the first two, and the first of every other kind and part. Other nodes have equal loads. NULL if
 * memory runs out. */
static const bool *choose_nodes(const struct modelling *m, struct orr_arena *arena)
{
    uint32_t count = m->comm->node_count;
    bool *laid = ORR_NEW(arena, bool, count);
    struct kind_of_node *nodes = ORR_NEW(arena, struct kind_of_node, count);
    if (!laid || !nodes)
        return NULL;
    for (uint32_t n = 0; n < count; n++)
        nodes[n] = (struct kind_of_node){(uintptr_t)m->comm->members[n].contribution, n};
    qsort(nodes, count, sizeof *nodes, by_kind);
    for (uint32_t i = 0; i < count; i++)
        laid[nodes[i].node] = nodes[i].node < 2 || i == 0 || nodes[i].kind != nodes[i - 1].kind;
    return laid;
}

static uint32_t contribution_count(const struct orr_analysis *analysis)
{
    const struct orr_cluster *cluster = analysis->cluster;
    uint32_t count = cluster ? 0 : analysis->part_count;
    for (uint32_t k = 0; cluster && k < cluster->kind_count; k++)
        count += cluster->kinds[k].analysis->part_count;
    return count;
}

/* In very large communicators, only transfers to a sample of nodes are added, and scaled up. */
static void choose_sample(struct modelling *m, uint32_t kinds)
{
    uint64_t nodes = m->comm->node_count, ranks = m->comm->rank_count;
    uint64_t transfers = (uint64_t)(kinds + 1) * m->comm->max_local_ranks * ranks * 2;
    m->stride = 1;
    m->scale = 1;
    if (m->test != ORR_TEST_ALLTOALL && m->test != ORR_TEST_ALLTOALLV)
        return;
    uint64_t stride = transfers / MOST_TRANSFERS;
    stride = stride > nodes / LEAST_NODES ? nodes / LEAST_NODES : stride;
    if (stride < 2)
        return;
    m->stride = (uint32_t)stride | 1; /* odd, so that the sample meets all channels evenly */
    const uint64_t sampled = (nodes - 1) / m->stride;
    m->scale = (double)(nodes - 1) / (double)sampled;
}

/* Models one node; its loads are dropped afterwards. */
static enum orr_code weigh_node(struct modelling *m, const struct orr_member *member, struct orr_transfer_model *model,
                                struct orr_error *err)
{
    const struct orr_part *part =
        orr_transfer_seat(m->transfers, orr_member_rank(member, member->contribution->ranks[0])).part;
    ORR_LOCAL_ARENA(arena, 0);
    ORR_TRY(orr_budget_check(err));
    for (uint32_t s = 0; s < m->steps; s++)
        ORR_TRY(orr_loads_make(part, m->peers, arena, &m->site->steps[s], err));
    ORR_TRY(lay_node(m, member, err));
    weigh(m, part, model);
    return ORR_OK;
}

static enum orr_code lay_nodes(struct modelling *m, struct orr_arena *arena, struct orr_transfer_model *model,
                               struct orr_error *err)
{
    const bool *laid = choose_nodes(m, arena);
    m->site = ORR_NEW(arena, struct site, 1);
    ORR_NEED(laid && m->site, err);
    choose_sample(m, contribution_count(m->analysis));
    for (uint32_t n = 0; n < m->comm->node_count; n++)
        if (laid[n])
            ORR_TRY(weigh_node(m, &m->comm->members[n], model, err));
    return ORR_OK;
}

/* The latency of starting a group of transfers, and of each transfer that waits for another one on its channel. */
static void set_latencies(const struct modelling *m, struct orr_transfer_model *model)
{
    const struct orr_tuning_model *tables = m->analysis->query.settings.release->tuning;
    const struct orr_communicator *c = m->comm;
    enum orr_hardware hardware = m->by_net                                ? ORR_HW_NET
                                 : m->crossings == 1u << ORR_CROSS_NVLINK ? ORR_HW_NVLINK
                                                                          : ORR_HW_PCI;
    int64_t parts = (int64_t)peers_of_rank(m) * c->p2p_channels_per_peer;
    int64_t turns = (parts + c->p2p_channels - 1) / c->p2p_channels;
    double nic = m->by_net ? (double)c->own_latency_inter[ORR_GRAPH_RING] : 0;
    for (int i = 0; i < 2; i++) {
        enum orr_protocol protocol = i ? ORR_SIMPLE : ORR_LL;
        model->latency[i] = m->steps * ((double)tables->base_latency[ORR_ALGO_RING][protocol] + nic +
                                        (double)turns * (double)tables->hw_latency[hardware][ORR_ALGO_RING][protocol]);
    }
}

enum orr_code orr_transfer_model_make(const struct orr_analysis *analysis, enum orr_test test,
                                      enum orr_peer_traffic peers, unsigned only, struct orr_arena *arena,
                                      struct orr_transfer_model *ret_model, struct orr_error *err)
{
    struct modelling m = {
        .analysis = analysis, .comm = &analysis->communicator, .test = test, .peers = peers, .only = only, .steps = 1};
    struct orr_transfer_model model = {.largest = 1.0 / m.comm->rank_count};
    uint32_t ranks = m.comm->rank_count;
    if (test == ORR_TEST_HYPERCUBE && (ranks & (ranks - 1)))
        return orr_fail(err, ORR_UNSUPPORTED, "hypercube needs a power of two as the number of ranks, not %u", ranks);
    if (test == ORR_TEST_HYPERCUBE) {
        m.steps = log2_of(ranks);
        model.largest = 0.5;
    } else if (test == ORR_TEST_SENDRECV) {
        model.largest = 1;
    }
    int64_t parts = (int64_t)peers_of_rank(&m) * m.comm->p2p_channels_per_peer;
    model.channels = parts < m.comm->p2p_channels ? (int32_t)parts : m.comm->p2p_channels;
    orr_budget_stage("transfers between ranks");
    ORR_TRY(orr_transfers_new(analysis, &m.transfers, err));
    enum orr_code code = lay_nodes(&m, arena, &model, err);
    orr_transfers_free(m.transfers);
    ORR_TRY(code);
    if (m.lacks_nic)
        return orr_fail(
            err, ORR_UNSUPPORTED,
            "a transfer crosses the network, but its NIC is not known, so its bandwidth cannot be predicted");
    set_latencies(&m, &model);
    model.crossings = m.crossings;
    *ret_model = model;
    return ORR_OK;
}

enum orr_protocol orr_transfer_model_protocol(const struct orr_transfer_model *model, uint64_t size)
{
    return (double)size * model->largest <= LL_MOST ? ORR_LL : ORR_SIMPLE;
}

double orr_transfer_model_time(const struct orr_transfer_model *model, enum orr_protocol protocol, uint64_t size)
{
    double bytes = (double)size * (protocol == ORR_LL ? 2 : 1); /* LL sends a flag with every word */
    return model->latency[protocol != ORR_LL] + bytes * model->cost / 1000;
}
