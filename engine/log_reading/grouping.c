/* SPDX-License-Identifier: Apache-2.0 */
/* Groups initialisations into communicators if no line names the commId.
 *
 * The idea: lines about connections link initialisations into pieces (peers.c). A piece that has all its ranks is a
 * communicator. Each other piece goes into the first group that lacks its ranks and its GPUs and does not contradict
 * it, or into a new group. So the order of the pieces matters:
 *   1. Large communicators come first. The largest has every GPU once, so its ranks give an order of all GPUs.
 *   2. Pieces of one size: first those of the first initialisation of their GPU and rank, then those of the second.
 *   3. Then by the rank of their GPU in the largest communicator if that is complete, or else by host and bus id.
 *
 * For example, two hosts with four GPUs each make one communicator of 8 ranks and then two of 4: tensor parallelism on
 * each host. No connection leaves a host in the small ones, and both have ranks 0-3. Their connections over NVLink make
 * a whole piece of each. If the log of host 1 lacks the line between its ranks 1 and 2, host 1 has two pieces, ranks
 * 0-1 and ranks 2-3. Neither fits into the group of host 0, which has these ranks already, so they make a group of
 * their own. Had host 0 two such pieces as well, ranks 0-1 of host 0 would make a group, and ranks 2-3 of host 0 would
 * join it, because the largest communicator has them before those of host 1. Then no line shows that they belong
 * together, and there is another group of that size, so the group is a guess. */
#include "engine/log_reading/grouping.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/sorting.h"
#include "engine/log_reading/statements.h"

enum { NONE = UINT32_MAX, GROUPS_MOST = 1024, MEMBERS_MOST = 1 << 22, PEERS_EACH = 64, WORK_MOST = 1 << 26 };

/* Candidates that are linked. */
struct piece {
    int32_t rank_count;
    uint32_t size;
    uint32_t ordinal; /* values of the member with the lowest rank */
    uint64_t place;   /* of its GPU */
    uint32_t first;   /* in the list of members */
};
struct group {
    int32_t rank_count;
    uint32_t seen, pieces;
    uint32_t *members; /* [rank]: candidate, or NONE */
    uint32_t last;     /* the candidate that joined last */
};
struct placing {
    struct orr_log_grouping g;
    const struct orr_log *log;
    uint32_t *candidate_of; /* [session] */
    struct piece *pieces;
    uint32_t *members; /* candidates by piece, then rank */
    uint32_t *next;    /* [candidate]: the one that joined its group before it; NONE if none did */
    int32_t *world;    /* [GPU]: rank in the largest complete communicator; -1 if in none */
    struct group groups[GROUPS_MOST];
    uint32_t group_count;
    size_t member_count;
};

/* The number of each writer's host, in order of appearance. */
static int by_host(const void *a, const void *b, void *writers)
{
    const struct orr_log_writer *all = writers;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    ORR_BY(strcmp(all[x].host, all[y].host));
    return ORR_ORDER(x, y);
}

static uint32_t *number_hosts(const struct orr_log *log, struct orr_arena *arena)
{
    uint32_t *order = ORR_NEW(arena, uint32_t, log->writer_count), *first = ORR_NEW(arena, uint32_t, log->writer_count);
    if (!order || !first)
        return NULL;
    for (uint32_t w = 0; w < log->writer_count; w++)
        order[w] = w;
    qsort_r(order, log->writer_count, sizeof *order, by_host, log->writers);
    for (uint32_t i = 0; i < log->writer_count; i++)
        first[order[i]] =
            i && !strcmp(log->writers[order[i]].host, log->writers[order[i - 1]].host) ? first[order[i - 1]] : order[i];
    return first;
}

/* Identifies a GPU by host and bus id, or else by process and device. */
static int by_gpu(const struct placing *p, const struct orr_log_candidate *a, const struct orr_log_candidate *b)
{
    ORR_BY(ORR_ORDER(a->host, b->host));
    if (a->bus_id || b->bus_id)
        return ORR_ORDER(a->bus_id, b->bus_id);
    const struct orr_log_session *x = &p->log->sessions[a->session], *y = &p->log->sessions[b->session];
    const int64_t pids[] = {p->log->writers[x->writer].pid, p->log->writers[y->writer].pid};
    ORR_BY(ORR_ORDER(pids[0], pids[1]));
    return ORR_ORDER(x->cuda_dev, y->cuda_dev);
}

static int by_gpu_and_rank(const void *a, const void *b, void *placing)
{
    const struct placing *p = placing;
    const struct orr_log_candidate *x = &p->g.candidates[*(const uint32_t *)a];
    const struct orr_log_candidate *y = &p->g.candidates[*(const uint32_t *)b];
    ORR_BY(by_gpu(p, x, y));
    ORR_BY(ORR_ORDER(x->rank_count, y->rank_count));
    ORR_BY(ORR_ORDER(x->rank, y->rank));
    return ORR_ORDER(x->session, y->session);
}

/* Numbers GPUs, and counts how often each was the same rank of the same number of ranks before. */
static enum orr_code number_gpus(struct placing *p, struct orr_error *err)
{
    uint32_t *order = ORR_NEW(p->g.arena, uint32_t, p->g.count);
    ORR_NEED(order, err);
    for (uint32_t i = 0; i < p->g.count; i++)
        order[i] = i;
    qsort_r(order, p->g.count, sizeof *order, by_gpu_and_rank, p);
    for (uint32_t i = 0; i < p->g.count; i++) {
        struct orr_log_candidate *c = &p->g.candidates[order[i]];
        const struct orr_log_candidate *before = i ? &p->g.candidates[order[i - 1]] : NULL;
        const bool same = before && !by_gpu(p, before, c);
        p->g.gpu_count += !same;
        c->gpu = p->g.gpu_count - 1;
        c->ordinal = same && before->rank_count == c->rank_count && before->rank == c->rank ? before->ordinal + 1 : 0;
    }
    return ORR_OK;
}

static enum orr_code take_candidates(struct placing *p, struct orr_error *err)
{
    const struct orr_log *log = p->log;
    uint32_t *hosts = number_hosts(log, p->g.arena);
    p->g.candidates = ORR_NEW(p->g.arena, struct orr_log_candidate, log->session_count);
    p->candidate_of = ORR_NEW(p->g.arena, uint32_t, log->session_count);
    ORR_NEED(hosts && p->g.candidates && p->candidate_of, err);
    for (uint32_t i = 0; i < log->session_count; i++) {
        const struct orr_log_session *session = &log->sessions[i];
        p->candidate_of[i] = NONE;
        if (!session->named || session->comm_id || session->rank < 0 || session->rank >= session->rank_count ||
            session->rank_count > ORR_LOG_RANKS_MOST)
            continue;
        p->candidate_of[i] = p->g.count;
        p->g.candidates[p->g.count++] = (struct orr_log_candidate){
            .session = i,
            .rank = session->rank,
            .rank_count = session->rank_count,
            .bus_id = session->bus_id ? strtoull(session->bus_id, NULL, 16) : 0,
            .host = hosts[session->writer],
            .peers = NONE,
            .group = NONE,
        };
    }
    return ORR_OK;
}

/* Collects the lines of candidates about other ranks. A line that does not name the candidate itself is torn. */
static enum orr_code take_peers(struct placing *p, struct orr_error *err)
{
    const struct orr_log *log = p->log;
    unsigned capacity = 0;
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        struct orr_log_connection said;
        if (p->candidate_of[record->session] == NONE)
            continue;
        struct orr_log_candidate *c = &p->g.candidates[p->candidate_of[record->session]];
        c->first = c->first ? c->first : record->line;
        c->last = record->line;
        if (!orr_log_connection_of(record, &said))
            continue;
        const int32_t ranks[2] = {said.from, said.to};
        const int self = ranks[0] == c->rank ? 0 : 1, other = !self;
        const bool by_bus_id = c->bus_id && said.bus_ids[self] == c->bus_id;
        uint32_t known = 0, at = c->peers;
        for (; at != NONE && p->g.peers[at].rank != ranks[other]; at = p->g.peers[at].next)
            known++;
        if (ranks[self] != c->rank || ranks[other] == c->rank || ranks[other] < 0 || ranks[other] >= c->rank_count ||
            at != NONE || known == PEERS_EACH)
            continue;
        ORR_NEED(ORR_RESERVE(p->g.arena, p->g.peers, p->g.peer_count, capacity), err);
        p->g.peers[p->g.peer_count] = (struct orr_log_peer){.rank = ranks[other],
                                                            .bus_id = by_bus_id ? said.bus_ids[other] : 0,
                                                            .near = said.transport != ORR_TRANSPORT_NET,
                                                            .next = c->peers};
        c->peers = p->g.peer_count++;
    }
    return ORR_OK;
}

static int by_piece(const void *a, const void *b, void *candidates)
{
    const struct orr_log_candidate *all = candidates;
    const struct orr_log_candidate *x = &all[*(const uint32_t *)a], *y = &all[*(const uint32_t *)b];
    ORR_BY(ORR_ORDER(x->piece, y->piece));
    return ORR_ORDER(x->rank, y->rank);
}

static enum orr_code list_pieces(struct placing *p, struct orr_error *err)
{
    p->pieces = ORR_NEW(p->g.arena, struct piece, p->g.piece_count);
    p->members = ORR_NEW(p->g.arena, uint32_t, p->g.count);
    p->next = ORR_NEW(p->g.arena, uint32_t, p->g.count);
    p->world = ORR_NEW(p->g.arena, int32_t, p->g.gpu_count);
    ORR_NEED(p->pieces && p->members && p->next && p->world, err);
    for (uint32_t i = 0; i < p->g.gpu_count; i++)
        p->world[i] = -1;
    for (uint32_t i = 0; i < p->g.count; i++)
        p->members[i] = i;
    qsort_r(p->members, p->g.count, sizeof *p->members, by_piece, p->g.candidates);
    for (uint32_t i = 0; i < p->g.count; i++) {
        const struct orr_log_candidate *c = &p->g.candidates[p->members[i]];
        struct piece *piece = &p->pieces[c->piece];
        if (!piece->size++)
            *piece = (struct piece){.rank_count = c->rank_count, .size = 1, .ordinal = c->ordinal, .first = i};
    }
    return ORR_OK;
}

/* Orders pieces: large communicators first, then by time, then by the ranks of a complete one or by GPUs. */
ORR_COMPARATOR(by_order, struct piece, ORR_ORDER(b->rank_count, a->rank_count), ORR_ORDER(a->ordinal, b->ordinal),
               ORR_ORDER(a->place, b->place), ORR_ORDER(a->first, b->first))

/* Whether a piece fits into a group: it shares no rank or GPU with the group, and no lines contradict each other. */
static bool fits(struct placing *p, const struct group *group, const struct piece *piece)
{
    const struct orr_log_candidate *all = p->g.candidates;
    if (group->rank_count != piece->rank_count || group->seen + piece->size > (uint32_t)group->rank_count)
        return false;
    for (uint32_t i = 0; i < piece->size; i++)
        if (group->members[all[p->members[piece->first + i]].rank] != NONE)
            return false;
    for (uint32_t m = group->last; m != NONE; m = p->next[m])
        for (uint32_t i = 0; i < piece->size && p->g.work++ < WORK_MOST; i++) {
            const struct orr_log_candidate *in = &all[m], *c = &all[p->members[piece->first + i]];
            if (in->gpu == c->gpu || !orr_log_peer_fits(&p->g, in, c) || !orr_log_peer_fits(&p->g, c, in))
                return false;
        }
    return true;
}

/* Puts a piece into the first group that it fits in, or a new one. */
static enum orr_code place(struct placing *p, const struct piece *piece, struct orr_error *err)
{
    uint32_t at = 0;
    while (at < p->group_count && !fits(p, &p->groups[at], piece))
        at++;
    struct group *group = &p->groups[at];
    if (at == p->group_count) {
        if (at == GROUPS_MOST || p->member_count + (size_t)piece->rank_count > MEMBERS_MOST)
            return ORR_OK;
        *group = (struct group){.rank_count = piece->rank_count,
                                .last = NONE,
                                .members = ORR_NEW(p->g.arena, uint32_t, (size_t)piece->rank_count)};
        ORR_NEED(group->members, err);
        memset(group->members, 0xff, (size_t)piece->rank_count * sizeof *group->members);
        p->member_count += (size_t)piece->rank_count;
        p->group_count++;
    }
    group->pieces++;
    for (uint32_t i = 0; i < piece->size; i++) {
        struct orr_log_candidate *c = &p->g.candidates[p->members[piece->first + i]];
        c->group = at;
        group->members[c->rank] = p->members[piece->first + i];
        p->next[p->members[piece->first + i]] = group->last;
        group->last = p->members[piece->first + i];
        group->seen++;
    }
    return ORR_OK;
}

static enum orr_code place_pieces(struct placing *p, struct orr_error *err)
{
    for (uint32_t i = 0; i < p->g.piece_count; i++)
        p->pieces[i].place = p->g.candidates[p->members[p->pieces[i].first]].gpu;
    qsort(p->pieces, p->g.piece_count, sizeof *p->pieces, by_order);
    uint32_t next = 0;
    for (; next < p->g.piece_count && p->pieces[next].rank_count == p->pieces[0].rank_count; next++)
        ORR_TRY(place(p, &p->pieces[next], err));
    for (int32_t r = 0; p->group_count && r < p->groups[0].rank_count; r++)
        if (p->groups[0].seen == (uint32_t)p->groups[0].rank_count)
            p->world[p->g.candidates[p->groups[0].members[r]].gpu] = r;
    for (uint32_t i = next; i < p->g.piece_count; i++) {
        const int32_t rank = p->world[p->pieces[i].place];
        p->pieces[i].place = rank >= 0 ? (uint64_t)rank : p->pieces[i].place + ORR_LOG_RANKS_MOST;
    }
    if (next < p->g.piece_count)
        qsort(p->pieces + next, p->g.piece_count - next, sizeof *p->pieces, by_order);
    for (; next < p->g.piece_count; next++)
        ORR_TRY(place(p, &p->pieces[next], err));
    return ORR_OK;
}

enum orr_code orr_log_group(const struct orr_log *log, struct orr_arena *arena, uint32_t **ret_groups,
                            bool **ret_guessed, struct orr_error *err)
{
    struct placing *p = ORR_NEW(arena, struct placing, 1);
    uint32_t *groups = ORR_NEW(arena, uint32_t, log->session_count);
    bool *guessed = ORR_NEW(arena, bool, GROUPS_MOST);
    ORR_NEED(p && groups && guessed, err);
    p->log = log;
    p->g.arena = arena;
    for (uint32_t i = 0; i < log->session_count; i++)
        groups[i] = NONE;
    ORR_TRY(take_candidates(p, err));
    if (p->g.count) {
        ORR_TRY(take_peers(p, err));
        ORR_TRY(number_gpus(p, err));
        ORR_TRY(orr_log_link_peers(&p->g, err));
        ORR_TRY(list_pieces(p, err));
        ORR_TRY(place_pieces(p, err));
    }
    for (uint32_t i = 0; i < p->g.count; i++)
        groups[p->g.candidates[i].session] = p->g.candidates[i].group;
    for (uint32_t a = 0; a < p->group_count; a++)
        for (uint32_t b = 0; b < p->group_count && p->groups[a].pieces > 1; b++)
            guessed[a] |= a != b && p->groups[a].rank_count == p->groups[b].rank_count;
    *ret_groups = groups;
    *ret_guessed = guessed;
    return ORR_OK;
}
