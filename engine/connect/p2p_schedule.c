/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which a rank meets its peers: node by node, or group by group, so that all NICs are busy at once.
 * docs/nccl/connect.md, "Point-to-point schedule". */
#include "engine/connect/p2p_schedule.h"

#include "engine/release/connect_rules.h"

enum { CHANNEL_LIMIT = 256 };

/* The place of a rank among blocks of ranks, which may have different sizes. */
struct place {
    uint32_t block, local;
};

struct writer {
    const struct orr_p2p_schedule *schedule;
    const struct orr_communicator *c; /* the schedule's */
    struct orr_p2p_round *rounds;
    uint32_t count;
};

static uint32_t power_up(uint32_t value)
{
    uint32_t power = 1;
    while (power < value)
        power *= 2;
    return power;
}

static uint32_t reverse(uint32_t value, uint32_t power)
{
    uint32_t result = 0;
    for (uint32_t bit = 1; bit < power; bit *= 2)
        result = result * 2 + ((value & bit) != 0);
    return result;
}

static uint32_t node_size(const struct orr_communicator *c, uint32_t node)
{
    return c->members[node].contribution->rank_count;
}

/* The rank at a place of a node, -1 if the node has fewer. */
static int32_t rank_at(const struct orr_communicator *c, uint32_t node, uint32_t local)
{
    const struct orr_member *member = &c->members[node];
    return local < member->contribution->rank_count ? orr_member_rank(member, member->contribution->ranks[local]) : -1;
}

uint32_t orr_member_place(const struct orr_member *member, int32_t rank)
{
    uint32_t place = 0;
    while (orr_member_rank(member, member->contribution->ranks[place]) != rank)
        place++;
    return place;
}

static struct place place_of(const struct orr_communicator *c, int32_t rank)
{
    uint32_t node = (uint32_t)c->node_of_rank[rank];
    return (struct place){.block = node, .local = orr_member_place(&c->members[node], rank)};
}

/* Steps by triangular numbers modulo a power of two reach every number exactly once. */
static uint32_t triangular(uint32_t i, uint32_t power)
{
    return (uint32_t)((uint64_t)i * (i + 1) / 2 % power);
}

static void add_transfer(struct writer *w, int32_t send, int32_t receive, int32_t channel)
{
    w->rounds[w->count++] = (struct orr_p2p_round){.send = send, .receive = receive, .channel = channel};
}

static uint32_t channel_of_round(uint32_t round, uint32_t blocks, uint32_t size)
{
    return blocks > 1 ? round / size * ((size + 7) / 8) + round % size / 8 : round;
}

/* 2.27.7: nodes of one size; otherwise all ranks as one node. */
static void by_nodes(struct writer *w, int32_t rank)
{
    const struct orr_communicator *c = w->c;
    bool flat = c->node_count == 1 || c->min_local_ranks != c->max_local_ranks;
    uint32_t nodes = flat ? 1 : c->node_count, size = flat ? c->rank_count : c->max_local_ranks;
    struct place own = flat ? (struct place){.local = (uint32_t)rank} : place_of(c, rank);
    uint32_t node_power = power_up(nodes), power = power_up(size);
    for (uint32_t i = 0; i < node_power; i++) {
        uint32_t dn = triangular(i, node_power);
        for (uint32_t j = 0; dn < nodes && j < power; j++) {
            uint32_t dl = triangular(j, power);
            if (dl >= size)
                continue;
            uint32_t to = (own.local + dl) % size, from = (own.local + size - dl) % size;
            int32_t channel = (int32_t)(channel_of_round(w->count, nodes, size) % CHANNEL_LIMIT);
            add_transfer(w, flat ? (int32_t)to : rank_at(c, (own.block + dn) % nodes, to),
                         flat ? (int32_t)from : rank_at(c, (own.block + nodes - dn) % nodes, from), channel);
        }
    }
}

uint32_t orr_common_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* 2.30.7: the largest group that divides every node. */
static uint32_t group_size(const struct orr_communicator *c)
{
    bool grouped = c->node_count > 1 || c->rules->groups_one_node;
    uint32_t size = grouped ? c->p2p_group_size : c->max_local_ranks;
    for (uint32_t n = 0; n < c->node_count; n++)
        size = orr_common_divisor(size, node_size(c, n));
    return size;
}

static int32_t rank_in_group(const struct orr_p2p_schedule *s, uint32_t group, uint32_t local)
{
    uint32_t per_node = s->communicator->max_local_ranks / s->group_size; /* if all nodes have that size */
    uint32_t node = s->node_of_group ? s->node_of_group[group] : group / per_node;
    uint32_t first = s->first_group ? s->first_group[node] : node * per_node;
    return rank_at(s->communicator, node, (group - first) * s->group_size + local);
}

static void by_groups(struct writer *w, int32_t rank)
{
    const struct orr_p2p_schedule *s = w->schedule;
    uint32_t size = s->group_size, groups = s->group_count, p2p = (uint32_t)w->c->p2p_channels;
    struct place own = place_of(w->c, rank);
    uint32_t first = s->first_group ? s->first_group[own.block] : own.block * (w->c->max_local_ranks / size);
    uint32_t group = first + own.local / size, local = own.local % size, power = power_up(groups);
    for (uint32_t i = 0; i < power; i++) {
        uint32_t dg = triangular(i, power);
        for (uint32_t dl = 0; dg < groups && dl < size; dl++) {
            uint32_t channel = channel_of_round(w->count, w->c->node_count, size);
            add_transfer(w, rank_in_group(s, (group + dg) % groups, (local + dl) % size),
                         rank_in_group(s, (group + groups - dg) % groups, (local + size - dl) % size),
                         (int32_t)reverse(channel % p2p, p2p));
        }
    }
}

static uint32_t steps_of(const struct orr_communicator *c)
{
    uint32_t most = c->max_local_ranks;
    if (c->rules->p2p_schedule == ORR_P2P_BY_DISTANCE)
        return most;
    return most > 8 ? (most + 7) / 8 * 8 : 8 / (8 / most);
}

static void meet_node(struct writer *w, struct place own, uint32_t delta)
{
    const struct orr_communicator *c = w->c;
    uint32_t steps = steps_of(c), nodes = c->node_count;
    for (uint32_t s = 0; s < steps; s++) {
        int32_t send = rank_at(c, (own.block + delta) % nodes, (own.local + s) % steps);
        add_transfer(w, send, rank_at(c, (own.block + nodes - delta) % nodes, (own.local + steps - s) % steps), -1);
    }
}

/* A distance and its counterparts around a circle of `count`. */
static void distances(uint32_t d, uint32_t count, uint32_t deltas[4])
{
    uint32_t far = (count / 2 + count - d) % count;
    deltas[0] = d;
    deltas[1] = (count - d) % count;
    deltas[2] = far;
    deltas[3] = (count - far) % count;
}

static bool is_new(const uint32_t deltas[4], int i)
{
    for (int before = 0; before < i; before++)
        if (deltas[before] == deltas[i])
            return false;
    return true;
}

/* 2.12.12, 2.21.5: near nodes and far ones in turn. */
static void by_distance(struct writer *w, int32_t rank)
{
    uint32_t nodes = w->c->node_count;
    struct place own = place_of(w->c, rank);
    for (uint32_t d = 0; d <= nodes / 4; d++) {
        uint32_t deltas[4];
        distances(d, nodes, deltas);
        for (int i = 0; i < 4; i++)
            if (is_new(deltas, i))
                meet_node(w, own, deltas[i]);
    }
}

static void by_ranks(struct writer *w, int32_t rank)
{
    uint32_t ranks = w->c->rank_count, own = (uint32_t)rank;
    for (uint32_t delta = 0; delta < ranks; delta++)
        add_transfer(w, (int32_t)((own + delta) % ranks), (int32_t)((own + ranks - delta) % ranks),
                     (int32_t)(delta % (uint32_t)w->c->p2p_channels));
}

/* 2.8.3 to 2.11.4: the same over ranks. */
static void by_rank_distance(struct writer *w, int32_t rank)
{
    uint32_t ranks = w->c->rank_count, own = (uint32_t)rank;
    for (uint32_t d = 0; d <= ranks / 4; d++) {
        uint32_t deltas[4];
        distances(d, ranks, deltas);
        for (int i = 0; i < 4; i++)
            if (is_new(deltas, i))
                add_transfer(w, (int32_t)((own + deltas[i]) % ranks), (int32_t)((own + ranks - deltas[i]) % ranks),
                             (int32_t)(deltas[i] % (uint32_t)w->c->p2p_channels));
    }
}

size_t orr_p2p_round_count(const struct orr_p2p_schedule *schedule)
{
    const struct orr_communicator *c = schedule->communicator;
    bool by_distance =
        c->rules->p2p_schedule == ORR_P2P_BY_DISTANCE || c->rules->p2p_schedule == ORR_P2P_BY_DISTANCE_OF_EIGHTS;
    return by_distance ? (size_t)c->node_count * steps_of(c) : c->rank_count;
}

/* Nodes of different sizes have different numbers of groups. */
static enum orr_code list_groups(struct orr_p2p_schedule *s, struct orr_arena *arena, struct orr_error *err)
{
    const struct orr_communicator *c = s->communicator;
    uint32_t *node_of_group = ORR_NEW(arena, uint32_t, s->group_count);
    uint32_t *first_group = ORR_NEW(arena, uint32_t, c->node_count);
    ORR_NEED(node_of_group && first_group, err);
    uint32_t group = 0;
    for (uint32_t n = 0; n < c->node_count; n++) {
        first_group[n] = group;
        for (uint32_t end = group + node_size(c, n) / s->group_size; group < end; group++)
            node_of_group[group] = n;
    }
    s->node_of_group = node_of_group;
    s->first_group = first_group;
    return ORR_OK;
}

enum orr_code orr_p2p_schedule_make(const struct orr_communicator *c, struct orr_arena *arena,
                                    struct orr_p2p_schedule *ret_schedule, struct orr_error *err)
{
    *ret_schedule = (struct orr_p2p_schedule){.communicator = c};
    if (c->rules->p2p_schedule != ORR_P2P_BY_GROUP)
        return ORR_OK;
    ret_schedule->group_size = group_size(c);
    ret_schedule->group_count = c->rank_count / ret_schedule->group_size;
    return c->min_local_ranks == c->max_local_ranks ? ORR_OK : list_groups(ret_schedule, arena, err);
}

uint32_t orr_p2p_rounds(const struct orr_p2p_schedule *schedule, int32_t rank, struct orr_p2p_round *rounds)
{
    const struct orr_communicator *c = schedule->communicator;
    struct writer w = {.schedule = schedule, .c = c, .rounds = rounds};
    if (rank < 0 || (uint32_t)rank >= c->rank_count)
        return 0;
    switch (c->rules->p2p_schedule) {
    case ORR_P2P_BY_RANK:
        by_ranks(&w, rank);
        break;
    case ORR_P2P_BY_RANK_DISTANCE:
        by_rank_distance(&w, rank);
        break;
    case ORR_P2P_BY_DISTANCE:
    case ORR_P2P_BY_DISTANCE_OF_EIGHTS:
        by_distance(&w, rank);
        break;
    case ORR_P2P_BY_NODE:
        by_nodes(&w, rank);
        break;
    case ORR_P2P_BY_GROUP:
        by_groups(&w, rank);
        break;
    }
    return w.count;
}

int32_t orr_p2p_channel(const struct orr_communicator *c, int32_t first, int32_t part)
{
    uint32_t p2p = (uint32_t)c->p2p_channels;
    return first < 0 ? -1 : (int32_t)(((uint32_t)first + reverse((uint32_t)part, p2p)) % p2p);
}
