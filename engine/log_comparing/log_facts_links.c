/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about connections between ranks: the transport, the NIC, GPUDirect RDMA. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cluster/cluster.h"
#include "engine/log_comparing/log_facts.h"
#include "engine/release/release.h"
#include "engine/release/release_names.h"

/* The id of a rank's GPU. */
static const char *gpu_id(struct orr_log_seat seat, char buffer[ORR_NODE_ID_SIZE])
{
    uint32_t gpu = seat.local < 0 ? ORR_NO_NODE : orr_gpu_of_rank(&seat.host->built, seat.local);
    return gpu == ORR_NO_NODE ? "" : orr_system_node_id(&seat.host->built, gpu, buffer);
}

static enum orr_log_transport predicted_transport(const struct orr_log_facts *f, struct orr_log_seat from,
                                                  struct orr_log_seat to)
{
    const struct orr_analysis *host = from.host;
    if (from.system != to.system)
        return f->seats && orr_systems_share_nvlink(f->analysis->cluster, from.system, to.system) ? ORR_TRANSPORT_P2P
                                                                                                  : ORR_TRANSPORT_NET;
    if (host->p2p[(size_t)(unsigned)from.local * host->local_ranks + (unsigned)to.local].decision.verdict)
        return ORR_TRANSPORT_P2P;
    return host->part_of_rank[from.local] == host->part_of_rank[to.local] ? ORR_TRANSPORT_SHM : ORR_TRANSPORT_NET;
}

static void add_transport(struct orr_log_facts *f, uint32_t line, const struct orr_log_connection *connection)
{
    const int32_t a = connection->from, b = connection->to;
    const struct orr_log_value logged = {.shape = ORR_SHAPE_TRANSPORT, .transport = connection->transport};
    struct orr_log_fact *fact = orr_log_fact_new(f, ORR_TOPIC_P2P, line, logged, "transport between ranks %d and %d",
                                                 a < b ? a : b, a < b ? b : a);
    if (!fact)
        return;
    const struct orr_log_seat from = orr_log_facts_seat(f, a), to = orr_log_facts_seat(f, b);
    char ids[2][ORR_NODE_ID_SIZE];
    if (from.local < 0 || to.local < 0) {
        orr_log_fact_lacking(f, fact, "no such rank");
        return;
    }
    orr_log_fact_at(fact, gpu_id(from, ids[0]), gpu_id(to, ids[1]));
    orr_log_fact_compare(
        f, fact, (struct orr_log_value){.shape = ORR_SHAPE_TRANSPORT, .transport = predicted_transport(f, from, to)});
}

/* The position of the step a -> b in the channel's ring. */
static bool is_step(const struct orr_log_facts *f, int channel, int32_t a, int32_t b)
{
    const struct orr_communicator *c = &f->analysis->communicator;
    const int32_t from = orr_log_facts_place(f, a), to = orr_log_facts_place(f, b);
    if (channel < 0 || channel >= c->channel_count || from < 0 || to < 0)
        return false;
    const int32_t *ring = c->rings[c->source[channel]];
    for (uint32_t i = 0; i < c->rank_count; i++)
        if (ring[i] == from)
            return ring[(i + 1) % c->rank_count] == to;
    return false;
}

/* The number in the id of a NIC's node; -1 if it is beyond the numbers that are matched. */
static int32_t nic_of(const struct orr_system *system, uint32_t net)
{
    const uint64_t number = orr_id_local(system->nodes[net].id);
    return number < ORR_LOG_NICS ? (int32_t)number : -1;
}

/* The NIC of a network connection in the channel's ring. */
static void add_nic(struct orr_log_facts *f, uint32_t line, const struct orr_log_connection *connection)
{
    const bool sends = connection->sends;
    const int channel = connection->channel;
    const int32_t self = sends ? connection->from : connection->to, peer = sends ? connection->to : connection->from;
    const struct orr_log_seat seat = orr_log_facts_seat(f, self);
    const int32_t local = seat.local;
    if (connection->transport != ORR_TRANSPORT_NET || connection->nic < 0 || connection->index != 0 || local < 0 ||
        !is_step(f, channel, connection->from, connection->to))
        return;
    const struct orr_part *part = orr_analysis_part(seat.host, local);
    const struct orr_log_value logged = {.shape = ORR_SHAPE_NIC,
                                         .nic = {.number = connection->nic,
                                                 .by_other_gpu = connection->proxy >= 0 && connection->proxy != self,
                                                 .gdr = connection->gdr}};
    struct orr_log_fact *fact = orr_log_fact_new(f, ORR_TOPIC_NET, line, logged, "channel %d: rank %d %s rank %d",
                                                 channel, self, sends ? "sends to" : "receives from", peer);
    if (!fact)
        return;
    const struct orr_system *system = &part->system;
    const uint32_t node_of_gpu = orr_gpu_of_rank(system, local);
    if (!part->net_devs || part->net_dev_channels < 1 || node_of_gpu == ORR_NO_NODE) {
        orr_log_fact_without(f, fact, "the prediction has no NICs for it");
        return;
    }
    uint32_t gpu = node_of_gpu - system->first[ORR_GPU];
    /* Compares one NIC for both directions: on nodes with odd numbers, rings that keep to rails run in the other
     * direction. */
    const struct orr_net_dev *own =
        &part->net_devs[(size_t)gpu * (unsigned)part->net_dev_channels + (unsigned)(channel % part->net_dev_channels)];
    bool by_proxy = sends && own->proxy_rank != local;
    const uint32_t net = orr_net_of_id(system, own->net);
    if (net == ORR_NO_NODE) {
        orr_log_fact_without(f, fact, "the prediction has no NICs for it");
        return;
    }
    const uint32_t proxy_gpu = by_proxy ? orr_gpu_of_rank(system, own->proxy_rank) : ORR_NO_NODE;
    const uint32_t driver = proxy_gpu == ORR_NO_NODE ? gpu : proxy_gpu - system->first[ORR_GPU];
    const struct orr_gdr *rdma =
        &part->gdr[(size_t)driver * orr_system_count(system, ORR_NET) + (net - system->first[ORR_NET])];
    bool direct = (sends ? rdma->send.verdict : rdma->recv.verdict) != 0;
    char id[ORR_NODE_ID_SIZE], net_id[ORR_NODE_ID_SIZE];
    orr_log_fact_at(fact, gpu_id(seat, id), orr_system_node_id(system, net, net_id));
    fact->gpu_nic = nic_of(system, net);
    orr_log_fact_compare(
        f, fact,
        (struct orr_log_value){.shape = ORR_SHAPE_NIC,
                               .nic = {.number = system->nodes[net].net.dev, .by_other_gpu = by_proxy, .gdr = direct}});
}

/* The GPU node of a GDR line: a bus id, a rank, or 2.28's id in decimal. */
static uint32_t gdr_gpu(const struct orr_log_facts *f, const struct orr_part *part, const struct orr_log_gdr *said)
{
    char id[ORR_NODE_ID_SIZE + 8];
    uint32_t node = ORR_NO_NODE;
    double rank = said->rank;
    if (rank < 0) {
        snprintf(id, sizeof id, "GPU/0-%.20s", said->gpu);
        node = orr_system_find(&part->system, id);
        if (node == ORR_NO_NODE && strspn(said->gpu, "0123456789") == strlen(said->gpu))
            rank = strtod(said->gpu, NULL);
    }
    const uint32_t by_rank =
        rank < 0 ? ORR_NO_NODE : orr_gpu_of_rank(&part->system, orr_log_facts_seat(f, (int32_t)rank).local);
    return by_rank == ORR_NO_NODE ? node : by_rank;
}

static void add_gdr(struct orr_log_facts *f, const struct orr_log_record *record)
{
    const struct orr_part *part = orr_log_facts_part(f, record->session);
    struct orr_log_gdr said;
    bool exact;
    uint32_t version = orr_log_version(f->log, NULL); /* distances are numbers of the log's own release */
    const struct orr_release *release =
        version ? orr_release_nearest(version, &exact) : f->analysis->query.settings.release;
    if (!orr_log_gdr_of(record, &said))
        return;
    char net_id[ORR_NODE_ID_SIZE + 8], gpu[ORR_NODE_ID_SIZE];
    const struct orr_log_value logged = {
        .shape = ORR_SHAPE_GDR,
        .gdr = {.on = said.on, .distance = orr_path_type_name(orr_path_type_of_number(release, said.distance))}};
    uint32_t node = gdr_gpu(f, part, &said);
    snprintf(net_id, sizeof net_id, "NET/%s%.20s", strchr(said.nic, '-') ? "" : "0-", said.nic);
    uint32_t net = orr_system_find(&part->system, net_id);
    struct orr_log_fact *fact =
        orr_log_fact_new(f, ORR_TOPIC_GDR, record->line, logged, "%s and %s, %s",
                         node == ORR_NO_NODE ? said.gpu : orr_system_node_id(&part->system, node, gpu), net_id,
                         said.sends ? "sending" : "receiving");
    if (!fact)
        return;
    if (net == ORR_NO_NODE && f->analysis->query.hosts == 1) {
        orr_log_fact_without(f, fact, "NICs are left out where all ranks are on one host");
        return;
    }
    if (node == ORR_NO_NODE || net == ORR_NO_NODE || part->system.nodes[net].type != ORR_NET ||
        part->system.nodes[node].type != ORR_GPU) {
        orr_log_fact_lacking(f, fact, "%s is not in the prediction", node == ORR_NO_NODE ? "the GPU" : net_id);
        return;
    }
    orr_log_fact_at(fact, orr_system_node_id(&part->system, node, gpu), net_id);
    fact->gpu_nic = nic_of(&part->system, net);
    uint32_t nets = orr_system_count(&part->system, ORR_NET);
    const struct orr_gdr *gdr =
        &part->gdr[(size_t)(node - part->system.first[ORR_GPU]) * nets + (net - part->system.first[ORR_NET])];
    const struct orr_decision *decision = said.sends ? &gdr->send : &gdr->recv;
    const bool by_distance = decision->rule == ORR_RULE_GDR_BEYOND_LEVEL ||
                             decision->rule == ORR_RULE_GDR_WITHIN_LEVEL || decision->rule == ORR_RULE_GDR_PCI_MODE;
    struct orr_log_value predicted = {.shape = ORR_SHAPE_GDR, .gdr = {.on = decision->verdict != 0}};
    if (by_distance)
        predicted.gdr.distance = orr_path_type_name((enum orr_path_type)decision->distance);
    else
        predicted.gdr.rule = orr_rule_text((enum orr_rule)decision->rule);
    orr_log_fact_compare(f, fact, predicted);
}

static void add_refusal(struct orr_log_facts *f, const struct orr_log_record *record)
{
    /* NVML's device numbers. */
    const struct orr_system *system = &f->analysis->built;
    int32_t ranks[2] = {-1, -1};
    char ids[2][ORR_NODE_ID_SIZE] = {"", ""};
    for (uint32_t i = system->first[ORR_GPU]; i < system->first[ORR_GPU + 1]; i++)
        for (int side = 0; side < 2; side++)
            if (system->nodes[i].gpu.dev == (int32_t)record->values[side]) {
                ranks[side] = system->nodes[i].gpu.rank;
                orr_system_node_id(system, i, ids[side]);
            }
    struct orr_log_fact *fact =
        orr_log_fact_new(f, ORR_TOPIC_P2P, record->line, (struct orr_log_value){.shape = ORR_SHAPE_P2P},
                         "P2P between GPU %d and GPU %d", (int)record->values[0], (int)record->values[1]);
    if (!fact)
        return;
    orr_log_fact_at(fact, ids[0], ids[1]);
    if (ranks[0] < 0 || ranks[1] < 0) {
        orr_log_fact_without(f, fact, "the job does not use both GPUs");
        return;
    }
    const struct orr_p2p *p2p =
        &f->analysis->p2p[(size_t)(unsigned)ranks[0] * f->analysis->local_ranks + (unsigned)ranks[1]];
    orr_log_fact_compare(
        f, fact,
        (struct orr_log_value){.shape = ORR_SHAPE_P2P,
                               .p2p = {.possible = p2p->decision.verdict != 0,
                                       .distance = orr_path_type_name((enum orr_path_type)p2p->decision.distance)}});
}

void orr_log_facts_of_connections(struct orr_log_facts *f)
{
    const struct orr_log_own own = orr_log_records_of(f->log, f->communicator);
    for (uint32_t i = 0; i < own.count; i++) {
        const struct orr_log_record *record = &f->log->records[own.at[i]];
        struct orr_log_connection connection;
        if (orr_log_connection_of(record, &connection)) {
            add_transport(f, record->line, &connection);
            add_nic(f, record->line, &connection);
        } else if (record->kind == ORR_LOG_GDR_PAIR) {
            add_gdr(f, record);
        } else if (record->kind == ORR_LOG_P2P_NOT) {
            add_refusal(f, record);
        }
    }
}
