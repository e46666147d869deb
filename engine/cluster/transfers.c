/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/cluster/transfers.h"

#include <string.h>

#include "engine/base/words.h"
#include "engine/cluster/cluster.h"
#include "engine/decide/nearest.h"
#include "engine/decide/peer_net.h"
#include "engine/release/release.h"

/* Where a rank is. */
struct seat {
    const struct orr_member *member;
    const struct orr_analysis *analysis; /* of its kind of system */
    const struct orr_part *part;
    int32_t host_rank;
    uint32_t gpu; /* node of the part's system */
};

enum knowledge { NOT_ASKED, KNOWN, NONE };
struct choice {
    struct orr_transfer_nic nic;
    enum knowledge knowledge;
};

struct orr_transfers {
    const struct orr_analysis *analysis;
    struct orr_p2p_schedule schedule;
    struct orr_p2p_round *rounds;
    struct seat own;
    uint32_t keys; /* rows of choices: one for each property of a peer that decides, and the last row for receiving */
    struct choice *choices; /* [key * channels + channel], of the rank at hand */
    uint32_t *scratch;      /* room for all GPUs and NETs of any part, twice */
    struct orr_arena *arena;
};

static const struct orr_analysis *analysis_of(const struct orr_analysis *analysis, const struct orr_member *member)
{
    const struct orr_cluster *cluster = analysis->cluster;
    return cluster ? cluster->kinds[cluster->systems[member->host].kind].analysis : analysis;
}

static const struct orr_part *part_of(const struct orr_analysis *analysis, const struct orr_member *member)
{
    const struct orr_part *part = analysis->parts;
    while (&part->contribution != member->contribution)
        part++;
    return part;
}

static struct seat seat_of(const struct orr_transfers *t, int32_t rank)
{
    const struct orr_communicator *c = &t->analysis->communicator;
    const struct orr_member *member = &c->members[c->node_of_rank[rank]];
    struct seat seat = {.member = member, .analysis = analysis_of(t->analysis, member)};
    seat.part = part_of(seat.analysis, member);
    seat.host_rank = member->contribution->ranks[orr_member_place(member, rank)];
    seat.gpu = seat.part->system.first[ORR_GPU];
    while (seat.part->system.nodes[seat.gpu].gpu.rank != seat.host_rank)
        seat.gpu++;
    return seat;
}

static enum orr_code make_rooms(struct orr_transfers *t, struct orr_error *err)
{
    const struct orr_communicator *c = &t->analysis->communicator;
    size_t most = 0, channels = (size_t)c->p2p_channels, rounds = orr_p2p_round_count(&t->schedule);
    if (rounds > ORR_MAX_P2P_ROUNDS)
        return orr_fail(err, ORR_LIMIT, "the schedule has %zu rounds: the limit is %d", rounds,
                        (int)ORR_MAX_P2P_ROUNDS);
    for (uint32_t m = 0; m < c->node_count; m++) {
        const struct orr_system *system = &part_of(analysis_of(t->analysis, &c->members[m]), &c->members[m])->system;
        size_t nodes = (size_t)orr_system_count(system, ORR_GPU) + orr_system_count(system, ORR_NET);
        most = nodes > most ? nodes : most;
    }
    t->keys = (uint32_t)most + 2;
    t->choices = ORR_NEW(t->arena, struct choice, t->keys * channels);
    t->scratch = ORR_NEW(t->arena, uint32_t, 2 * (size_t)most);
    t->rounds = ORR_NEW(t->arena, struct orr_p2p_round, rounds);
    return t->choices && t->scratch && t->rounds ? ORR_OK : orr_fail_nomem(err);
}

enum orr_code orr_transfers_new(const struct orr_analysis *analysis, struct orr_transfers **ret_transfers,
                                struct orr_error *err)
{
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_transfers *t = ORR_NEW(arena, struct orr_transfers, 1);
    ORR_NEED(t, err);
    t->arena = arena;
    t->analysis = analysis;
    ORR_TRY(orr_p2p_schedule_make(&analysis->communicator, arena, &t->schedule, err));
    ORR_TRY(make_rooms(t, err));
    orr_arena_take(&arena);
    *ret_transfers = t;
    return ORR_OK;
}

void orr_transfers_free(struct orr_transfers *transfers)
{
    if (transfers)
        orr_arena_free(transfers->arena);
}

size_t orr_transfers_rounds(const struct orr_transfers *transfers)
{
    return orr_p2p_round_count(&transfers->schedule);
}

const struct orr_p2p_round *orr_transfers_turn(struct orr_transfers *t, int32_t rank, uint32_t *ret_count)
{
    t->own = seat_of(t, rank);
    memset(t->choices, 0, (size_t)t->keys * (size_t)t->analysis->communicator.p2p_channels * sizeof *t->choices);
    *ret_count = orr_p2p_rounds(&t->schedule, rank, t->rounds);
    return t->rounds;
}

struct orr_transfer_seat orr_transfer_seat(const struct orr_transfers *transfers, int32_t rank)
{
    struct seat seat = seat_of(transfers, rank);
    return (struct orr_transfer_seat){.part = seat.part, .gpu = seat.gpu};
}

/* Trimming has marked the pairs that neither P2P nor shared memory joins. */
static bool is_apart(const struct orr_path *path, const struct orr_release *release)
{
    return release->apart_by_type ? path->type == ORR_PATH_NET : !path->hops;
}

static bool same_host(const struct orr_system *system, uint32_t a, uint32_t b)
{
    return orr_id_system(system->nodes[a].id) == orr_id_system(system->nodes[b].id);
}

struct orr_transfer_way orr_transfer_way(const struct orr_transfers *t, int32_t peer, bool sending)
{
    const struct seat *own = &t->own, other = seat_of(t, peer);
    const struct orr_settings *settings = &t->analysis->query.settings;
    struct orr_transfer_way way = {.transport = ORR_OVER_NET, .path = ORR_PATH_NET, .via = -1};
    if (own->member != other.member) {
        const struct orr_cluster *cluster = t->analysis->cluster;
        if (cluster && orr_systems_share_nvlink(cluster, own->member->host, other.member->host))
            way.transport = ORR_OVER_P2P;
        return way;
    }
    if (own->gpu == other.gpu)
        return (struct orr_transfer_way){.transport = ORR_OVER_SELF, .path = ORR_PATH_LOC, .via = -1};
    const struct seat *from = sending ? own : &other, *to = sending ? &other : own;
    const struct orr_path *path = orr_path(&own->part->paths, from->gpu, to->gpu);
    const struct orr_p2p *p2p =
        &own->analysis->p2p[(size_t)from->host_rank * own->analysis->local_ranks + (size_t)to->host_rank];
    if (is_apart(path, settings->release))
        return way;
    way.path = path->type;
    if (p2p->decision.verdict && (p2p->via < 0 || !orr_setting_int(settings, ORR_SET_P2P_USE_CUDA_MEMCPY))) {
        way.transport = ORR_OVER_P2P;
        way.read = p2p->read;
        way.via = p2p->via < 0 ? -1 : orr_member_rank(own->member, p2p->via);
    } else if (orr_setting_int(settings, ORR_SET_SHM_DISABLE) != 1 &&
               same_host(&own->part->system, from->gpu, to->gpu)) {
        way.transport = ORR_OVER_SHM;
    }
    return way;
}

static uint32_t net_like(const struct orr_system *system, int64_t id)
{
    for (uint32_t n = system->first[ORR_NET]; n < system->first[ORR_NET + 1]; n++)
        if (orr_id_local(system->nodes[n].id) == orr_id_local(id))
            return n;
    return ORR_NO_NODE;
}

/* The property of the peer that decides, and its row of cached choices. */
static uint32_t view_peer(struct orr_transfers *t, int32_t peer, struct orr_peer_view *ret_view)
{
    const struct orr_system *system = &t->own.part->system;
    struct seat other = seat_of(t, peer);
    int32_t dev = other.part->system.nodes[other.gpu].gpu.dev;
    *ret_view = (struct orr_peer_view){ORR_NO_NODE, ORR_NO_NODE, dev};
    if (!system->release->peer_by_number) {
        uint32_t net = orr_local_net(&other.part->paths, other.gpu, 0, t->scratch);
        ret_view->rail = net == ORR_NO_NODE ? net : net_like(system, other.part->system.nodes[net].id);
        return ret_view->rail == ORR_NO_NODE ? t->keys - 2 : ret_view->rail - system->first[ORR_NET];
    }
    ret_view->twin = orr_twin_of(system, t->own.gpu, dev);
    return ret_view->twin == ORR_NO_NODE ? t->keys - 2 : ret_view->twin - system->first[ORR_GPU];
}

/* A rank receives by its own NIC for the channel, whoever sends. */
static enum knowledge choose(struct orr_transfers *t, const struct orr_peer_view *peer, int32_t channel,
                             struct orr_transfer_nic *ret_nic)
{
    const struct orr_part *part = t->own.part;
    const struct orr_system *system = &part->system;
    const struct orr_settings *settings = &t->analysis->query.settings;
    struct orr_peer_net choice = {.net = ORR_NO_NODE, .proxy = t->own.gpu};
    struct orr_error err = {0};
    if (!peer) {
        bool by_own = system->release->net_choice == ORR_NET_BY_PEER; /* a receiver is its own peer */
        choice.net =
            orr_local_net(&part->paths, t->own.gpu, by_own ? system->nodes[t->own.gpu].gpu.dev : channel, t->scratch);
    }
    if (peer &&
        orr_decide_peer_net(&part->paths, settings, t->own.gpu, peer, channel, t->scratch, &choice, &err) != ORR_OK)
        return NONE;
    if (choice.net == ORR_NO_NODE)
        return NONE;
    uint32_t net = choice.net - system->first[ORR_NET], gpu = t->own.gpu - system->first[ORR_GPU];
    const struct orr_gdr *gdr = &part->gdr[(size_t)gpu * orr_system_count(system, ORR_NET) + net];
    *ret_nic = (struct orr_transfer_nic){
        .net = system->nodes[choice.net].id,
        .proxy = orr_member_rank(t->own.member, system->nodes[choice.proxy].gpu.rank),
        .path = orr_path(&part->paths, t->own.gpu, choice.net)->type,
        .gdr = (peer ? gdr->send : gdr->recv).verdict,
    };
    return KNOWN;
}

bool orr_same_nic(const struct orr_transfer_nic *a, const struct orr_transfer_nic *b)
{
    return a->net == b->net && a->proxy == b->proxy && a->path == b->path && a->gdr == b->gdr;
}

bool orr_transfer_nic(struct orr_transfers *t, int32_t peer, bool sending, int32_t channel,
                      struct orr_transfer_nic *ret_nic)
{
    int32_t channels = t->analysis->communicator.p2p_channels;
    int32_t first = channel < 0 ? 0 : channel, last = channel < 0 ? channels - 1 : channel;
    bool by_peer = sending && t->analysis->query.settings.release->net_choice == ORR_NET_BY_PEER;
    struct orr_peer_view view;
    uint32_t key = sending ? view_peer(t, peer, &view) : t->keys - 1;
    for (int32_t c = first; c <= last; c++) {
        struct choice *choice = &t->choices[(size_t)key * (size_t)channels + (size_t)c];
        if (choice->knowledge == NOT_ASKED || by_peer)
            choice->knowledge = choose(t, sending ? &view : NULL, c, &choice->nic);
        if (choice->knowledge == NONE || (c > first && !orr_same_nic(&choice->nic, ret_nic)))
            return false;
        *ret_nic = choice->nic;
    }
    return true;
}

ORR_WORD_LIST(orr_transport_name, enum orr_transport, "SELF", "P2P", "SHM", "NET")
