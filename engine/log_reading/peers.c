/* SPDX-License-Identifier: Apache-2.0 */
/* Links initialisations of one communicator by their lines about each other. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/sorting.h"
#include "engine/log_reading/grouping.h"

enum { NONE = UINT32_MAX, WORK_MOST = 1 << 26 };

/* A link between two candidates. */
struct edge {
    uint32_t to, next;
};
struct linking {
    struct orr_log_grouping *g;
    const uint32_t *order; /* candidates by number of ranks, then rank, then session */
    struct edge *edges;
    uint32_t *first_edge; /* [candidate] */
    uint32_t edge_count;
};

/* A candidate's line about a rank; NULL if there is none. */
static const struct orr_log_peer *peer_of(const struct orr_log_grouping *g, const struct orr_log_candidate *of,
                                          int32_t rank)
{
    for (uint32_t p = of->peers; p != NONE; p = g->peers[p].next)
        if (g->peers[p].rank == rank)
            return &g->peers[p];
    return NULL;
}

bool orr_log_peer_fits(struct orr_log_grouping *g, const struct orr_log_candidate *of,
                       const struct orr_log_candidate *other)
{
    const struct orr_log_peer *said = g->work++ < WORK_MOST ? peer_of(g, of, other->rank) : NULL;
    return !said || ((!said->bus_id || !other->bus_id || said->bus_id == other->bus_id) &&
                     (!said->near || of->host == other->host));
}

static uint32_t overlap(const struct orr_log_candidate *a, const struct orr_log_candidate *b)
{
    const uint32_t from = a->first > b->first ? a->first : b->first, to = a->last < b->last ? a->last : b->last;
    return to > from ? to - from : 0;
}

/* The first candidate in the order with a number of ranks and a rank. */
static uint32_t first_of(const struct linking *l, int32_t rank_count, int32_t rank)
{
    uint32_t low = 0, high = l->g->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct orr_log_candidate *c = &l->g->candidates[l->order[middle]];
        if (c->rank_count < rank_count || (c->rank_count == rank_count && c->rank < rank))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The candidates that may be a mentioned rank, all of the same GPU. */
struct choice {
    uint32_t gpu;      /* NONE if there are none yet */
    bool several;      /* of several GPUs */
    uint32_t count;    /* candidates */
    uint32_t at_place; /* the candidate at the required place among them */
    uint32_t together; /* the candidate that the most lines place at the same time */
    uint32_t most;     /* number of these lines */
};

static struct choice choose(struct linking *l, const struct orr_log_candidate *of, const struct orr_log_peer *said,
                            uint32_t place, bool at_once, bool apart)
{
    struct orr_log_grouping *g = l->g;
    struct choice choice = {.gpu = NONE, .at_place = NONE, .together = NONE};
    for (uint32_t i = first_of(l, of->rank_count, said->rank); i < g->count && g->work < WORK_MOST; i++) {
        const struct orr_log_candidate *c = &g->candidates[l->order[i]];
        if (c->rank_count != of->rank_count || c->rank != said->rank)
            break;
        const uint32_t here = overlap(of, c);
        if (c == of || (apart && c->host == of->host) || (at_once && !here) || !orr_log_peer_fits(g, of, c) ||
            !orr_log_peer_fits(g, c, of))
            continue;
        choice.several |= choice.gpu != NONE && choice.gpu != c->gpu;
        choice.gpu = c->gpu;
        if (choice.count++ == place)
            choice.at_place = l->order[i];
        if (choice.together == NONE || here > choice.most) {
            choice.together = l->order[i];
            choice.most = here;
        }
    }
    return choice;
}

/* Counts the initialisations of the same GPU with the same line about the rank, and finds the place of this one among
 * them. */
static uint32_t siblings(struct linking *l, const struct orr_log_candidate *of, const struct orr_log_peer *said,
                         uint32_t *ret_place)
{
    struct orr_log_grouping *g = l->g;
    uint32_t count = 0;
    for (uint32_t i = first_of(l, of->rank_count, of->rank); i < g->count && g->work++ < WORK_MOST; i++) {
        const struct orr_log_candidate *c = &g->candidates[l->order[i]];
        if (c->rank_count != of->rank_count || c->rank != of->rank)
            break;
        const struct orr_log_peer *same = c->gpu == of->gpu ? peer_of(g, c, said->rank) : NULL;
        if (!same || same->bus_id != said->bus_id || same->near != said->near)
            continue;
        if (c == of)
            *ret_place = count;
        count++;
    }
    return count;
}

/* The initialisation of a mentioned rank; NONE if there is none, or it could be on several GPUs. */
static uint32_t find_candidate(struct linking *l, const struct orr_log_candidate *of, const struct orr_log_peer *said)
{
    uint32_t place = 0;
    const uint32_t count = siblings(l, of, said, &place);
    struct choice choice = choose(l, of, said, place, false, !said->near);
    if (!choice.count && !said->near)
        choice = choose(l, of, said, place, false, false);
    else if (choice.several)
        choice = choose(l, of, said, place, true, !said->near);
    if (choice.several)
        return NONE;
    /* Both made equally many: they made the same communicators in the same order, wherever their lines are. */
    return choice.count == count ? choice.at_place : choice.together;
}

static void add_edge(struct linking *l, uint32_t from, uint32_t to)
{
    l->edges[l->edge_count] = (struct edge){.to = to, .next = l->first_edge[from]};
    l->first_edge[from] = l->edge_count++;
}

/* Gathers the pieces that are linked to a candidate; a rank that is in the piece already stays out. */
static void gather(struct linking *l, uint32_t start, uint32_t *queue, uint32_t *in_piece)
{
    struct orr_log_candidate *candidates = l->g->candidates;
    const uint32_t piece = l->g->piece_count++;
    uint32_t count = 0;
    queue[count++] = start;
    candidates[start].piece = piece;
    in_piece[candidates[start].rank] = piece;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t e = l->first_edge[queue[i]]; e != NONE; e = l->edges[e].next) {
            struct orr_log_candidate *c = &candidates[l->edges[e].to];
            if (c->piece != NONE || in_piece[c->rank] == piece)
                continue;
            c->piece = in_piece[c->rank] = piece;
            queue[count++] = l->edges[e].to;
        }
}

static int by_rank(const void *a, const void *b, void *candidates)
{
    const struct orr_log_candidate *all = candidates;
    const struct orr_log_candidate *x = &all[*(const uint32_t *)a], *y = &all[*(const uint32_t *)b];
    ORR_BY(ORR_ORDER(x->rank_count, y->rank_count));
    ORR_BY(ORR_ORDER(x->rank, y->rank));
    return ORR_ORDER(x->session, y->session);
}

enum orr_code orr_log_link_peers(struct orr_log_grouping *g, struct orr_error *err)
{
    struct linking l = {.g = g};
    uint32_t *order = ORR_NEW(g->arena, uint32_t, g->count), *queue = ORR_NEW(g->arena, uint32_t, g->count);
    int32_t most_ranks = 0;
    l.first_edge = ORR_NEW(g->arena, uint32_t, g->count);
    l.edges = ORR_NEW(g->arena, struct edge, 2 * (size_t)g->peer_count);
    for (uint32_t i = 0; i < g->count; i++)
        most_ranks = g->candidates[i].rank_count > most_ranks ? g->candidates[i].rank_count : most_ranks;
    uint32_t *in_piece = ORR_NEW(g->arena, uint32_t, (size_t)most_ranks);
    ORR_NEED(order && queue && l.first_edge && l.edges && in_piece, err);
    for (uint32_t i = 0; i < g->count; i++) {
        order[i] = i;
        l.first_edge[i] = g->candidates[i].piece = NONE;
    }
    for (int32_t r = 0; r < most_ranks; r++)
        in_piece[r] = NONE;
    qsort_r(order, g->count, sizeof *order, by_rank, g->candidates);
    l.order = order;
    for (uint32_t i = 0; i < g->count; i++)
        for (uint32_t p = g->candidates[i].peers; p != NONE; p = g->peers[p].next) {
            const uint32_t to = find_candidate(&l, &g->candidates[i], &g->peers[p]);
            if (to != NONE) {
                add_edge(&l, i, to);
                add_edge(&l, to, i);
            }
        }
    for (uint32_t i = 0; i < g->count; i++)
        if (g->candidates[i].piece == NONE)
            gather(&l, i, queue, in_piece);
    return ORR_OK;
}
