/* Facts about connections between ranks: the transport, the NIC, GPUDirect RDMA. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/log_comparing/facts.h"
#include "engine/release/release.h"
#include "engine/release/release_names.h"

/* The id of a host-local rank's GPU. */
static const char *gpu_id(const struct orr_log_facts *f, int32_t local, char buffer[ORR_NODE_ID_SIZE])
{
    uint32_t gpu = local < 0 ? ORR_NO_NODE : orr_gpu_of_rank(&f->analysis->built, local);
    return gpu == ORR_NO_NODE ? "" : orr_system_node_id(&f->analysis->built, gpu, buffer);
}

static void add_pair(struct orr_log_facts *f, const struct orr_log_record *record, const char *logged, int32_t a,
                     int32_t b)
{
    const struct orr_analysis *analysis = f->analysis;
    struct orr_log_fact *fact = orr_log_fact_new(f, ORR_TOPIC_P2P, record->line, logged,
                                                 "transport between ranks %d and %d", a < b ? a : b, a < b ? b : a);
    if (!fact)
        return;
    int32_t from = orr_log_facts_local(f, a), to = orr_log_facts_local(f, b), local = (int32_t)analysis->local_ranks;
    char ids[2][ORR_NODE_ID_SIZE];
    if (from < 0 || to < 0) {
        orr_log_fact_predicted(f, fact, false, "no such rank");
        return;
    }
    orr_log_fact_at(fact, gpu_id(f, from, ids[0]), gpu_id(f, to, ids[1]));
    const char *predicted = "network";
    if (orr_log_facts_place(f, a) / local == orr_log_facts_place(f, b) / local) {
        const struct orr_p2p *p2p = &analysis->p2p[(size_t)(unsigned)from * analysis->local_ranks + (unsigned)to];
        bool apart = analysis->part_of_rank[from] != analysis->part_of_rank[to];
        predicted = p2p->decision.verdict ? "P2P" : apart ? "network" : "shared memory";
    }
    orr_log_fact_compare(f, fact, predicted);
}

/* Where a -> b is a step of the ring of the channel. */
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

/* A connection over the network that the ring of the channel has. "IB/2(5)/GDRDMA": NIC, whose proxy, GPUDirect. */
static void add_net(struct orr_log_facts *f, const struct orr_log_record *record)
{
    const struct orr_analysis *analysis = f->analysis;
    const double *v = record->values;
    bool indexed = record->value_count > 3; /* "Channel 00/0" */
    int channel = (int)v[0];
    int32_t a = (int32_t)v[indexed ? 2 : 1], b = (int32_t)v[indexed ? 3 : 2];
    add_pair(f, record, "network", a, b);
    if (record->word_count < 4 || (indexed && v[1] != 0) || !is_step(f, channel, a, b))
        return;
    bool sends = !strcmp(record->words[2], "send");
    int32_t self = sends ? a : b, local = orr_log_facts_local(f, self);
    const char *via = record->words[3], *slash = strchr(via, '/');
    if (!slash || local < 0)
        return;
    const struct orr_part *part = orr_analysis_part(analysis, local);
    char *end;
    long dev = strtol(slash + 1, &end, 10), proxy = self;
    if (*end == '(')
        proxy = strtol(end + 1, &end, 10);
    bool gdr = strstr(end, "/GDRDMA") != NULL;
    char logged[64], predicted[64];
    snprintf(logged, sizeof logged, "NIC %ld%s%s", dev, proxy != self ? " of another GPU (PXN)" : "",
             gdr ? ", GPUDirect RDMA" : "");
    struct orr_log_fact *fact =
        orr_log_fact_new(f, ORR_TOPIC_NET, record->line, logged, "channel %d: rank %d %s rank %d", channel, self,
                         sends ? "sends to" : "receives from", sends ? b : a);
    if (!fact)
        return;
    const struct orr_system *system = &part->system;
    const uint32_t node_of_gpu = orr_gpu_of_rank(system, local);
    if (!part->net_devs || part->net_dev_channels < 1 || node_of_gpu == ORR_NO_NODE) {
        orr_log_fact_without(f, fact, "the prediction has no NICs for it");
        return;
    }
    uint32_t gpu = node_of_gpu - system->first[ORR_GPU];
    /* One NIC for both directions: on nodes with odd numbers, rings that keep to rails run the other way round. */
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
    snprintf(predicted, sizeof predicted, "NIC %d%s%s", system->nodes[net].net.dev,
             by_proxy ? " of another GPU (PXN)" : "", direct ? ", GPUDirect RDMA" : "");
    char id[ORR_NODE_ID_SIZE], net_id[ORR_NODE_ID_SIZE];
    orr_log_fact_at(fact, gpu_id(f, local, id), orr_system_node_id(system, net, net_id));
    orr_log_fact_compare(f, fact, predicted);
}

/* The GPU node of a GDR line: a bus id, a rank, or 2.28's id in decimal. */
static uint32_t gdr_gpu(const struct orr_log_facts *f, const struct orr_part *part, const char *word, double rank)
{
    char id[ORR_NODE_ID_SIZE + 8];
    uint32_t node = ORR_NO_NODE;
    if (rank < 0) {
        snprintf(id, sizeof id, "GPU/0-%.20s", word);
        node = orr_system_find(&part->system, id);
        if (node == ORR_NO_NODE && strspn(word, "0123456789") == strlen(word))
            rank = strtod(word, NULL);
    }
    const uint32_t by_rank =
        rank < 0 ? ORR_NO_NODE : orr_gpu_of_rank(&part->system, orr_log_facts_local(f, (int32_t)rank));
    return by_rank == ORR_NO_NODE ? node : by_rank;
}

static void add_gdr(struct orr_log_facts *f, const struct orr_log_record *record)
{
    /* Values: [rank,] distance, limit [, read]; words: verdict, GPU, NIC [, relay], comparison. */
    const struct orr_part *part = orr_log_facts_part(f, record->session);
    bool exact;
    uint32_t version = orr_log_version(f->log, NULL); /* distances are numbers of the log's own release */
    const struct orr_release *release =
        version ? orr_release_nearest(version, &exact) : f->analysis->query.settings.release;
    bool by_rank = strchr(record->words[1], '-') != NULL;
    const double *v = record->values + by_rank;
    bool enabled = !strcmp(record->words[0], "Enabled");
    bool sends = record->value_count - (uint32_t)by_rank > 2 && v[2] != 0;
    if (record->value_count < 2 + (uint32_t)by_rank)
        return;
    char logged[64], predicted[96], net_id[ORR_NODE_ID_SIZE + 8], gpu[ORR_NODE_ID_SIZE];
    const char *distance = orr_path_type_name(orr_path_type_of_number(release, (int)v[0]));
    snprintf(logged, sizeof logged, "%s at distance %s", enabled ? "on" : "off", distance);
    uint32_t node = gdr_gpu(f, part, record->words[1], by_rank ? record->values[0] : -1);
    snprintf(net_id, sizeof net_id, "NET/%s%.20s", strchr(record->words[2], '-') ? "" : "0-", record->words[2]);
    uint32_t net = orr_system_find(&part->system, net_id);
    struct orr_log_fact *fact =
        orr_log_fact_new(f, ORR_TOPIC_GDR, record->line, logged, "%s and %s, %s",
                         node == ORR_NO_NODE ? record->words[1] : orr_system_node_id(&part->system, node, gpu), net_id,
                         sends ? "sending" : "receiving");
    if (!fact)
        return;
    if (net == ORR_NO_NODE && f->analysis->query.hosts == 1) {
        orr_log_fact_without(f, fact, "NICs are left out where all ranks are on one host");
        return;
    }
    if (node == ORR_NO_NODE || net == ORR_NO_NODE || part->system.nodes[net].type != ORR_NET ||
        part->system.nodes[node].type != ORR_GPU) {
        orr_log_fact_predicted(f, fact, false, "%s is not in the prediction", node == ORR_NO_NODE ? "the GPU" : net_id);
        return;
    }
    orr_log_fact_at(fact, orr_system_node_id(&part->system, node, gpu), net_id);
    uint32_t nets = orr_system_count(&part->system, ORR_NET);
    const struct orr_gdr *gdr =
        &part->gdr[(size_t)(node - part->system.first[ORR_GPU]) * nets + (net - part->system.first[ORR_NET])];
    const struct orr_decision *decision = sends ? &gdr->send : &gdr->recv;
    snprintf(predicted, sizeof predicted, "%s at distance %s", decision->verdict ? "on" : "off",
             orr_path_type_name((enum orr_path_type)decision->distance));
    bool compared = decision->rule == ORR_RULE_GDR_BEYOND_LEVEL || decision->rule == ORR_RULE_GDR_WITHIN_LEVEL ||
                    decision->rule == ORR_RULE_GDR_PCI_MODE;
    if (compared)
        orr_log_fact_compare(f, fact, predicted);
    else
        orr_log_fact_predicted(f, fact, enabled == (decision->verdict != 0), "%s: %s", decision->verdict ? "on" : "off",
                               orr_rule_text((enum orr_rule)decision->rule));
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
        orr_log_fact_new(f, ORR_TOPIC_P2P, record->line, "refused by the driver", "P2P between GPU %d and GPU %d",
                         (int)record->values[0], (int)record->values[1]);
    if (!fact)
        return;
    orr_log_fact_at(fact, ids[0], ids[1]);
    if (ranks[0] < 0 || ranks[1] < 0) {
        orr_log_fact_without(f, fact, "the job does not use both GPUs");
        return;
    }
    const struct orr_p2p *p2p =
        &f->analysis->p2p[(size_t)(unsigned)ranks[0] * f->analysis->local_ranks + (unsigned)ranks[1]];
    orr_log_fact_predicted(f, fact, !p2p->decision.verdict, "%s by the topology, path %s",
                           p2p->decision.verdict ? "possible" : "not used",
                           orr_path_type_name((enum orr_path_type)p2p->decision.distance));
}

void orr_log_facts_of_connections(struct orr_log_facts *f)
{
    const struct orr_log_own own = orr_log_records_of(f->log, f->communicator);
    for (uint32_t i = 0; i < own.count; i++) {
        const struct orr_log_record *record = &f->log->records[own.at[i]];
        bool indexed = record->value_count > 3;
        if (record->kind == ORR_LOG_CONNECT_NET)
            add_net(f, record);
        else if (record->kind == ORR_LOG_CONNECT_P2P || record->kind == ORR_LOG_CONNECT_SHM)
            add_pair(f, record, record->kind == ORR_LOG_CONNECT_P2P ? "P2P" : "shared memory",
                     (int32_t)record->values[indexed ? 2 : 1], (int32_t)record->values[indexed ? 3 : 2]);
        else if (record->kind == ORR_LOG_GDR_PAIR)
            add_gdr(f, record);
        else if (record->kind == ORR_LOG_P2P_NOT)
            add_refusal(f, record);
    }
}
