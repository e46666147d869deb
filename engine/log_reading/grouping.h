/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/log_reading: groups the initialisations of one communicator if no line names its commId (before 2.16).
 *
 * A candidate is a session that names its rank. Its lines about connections name its peers: a rank, its GPU's bus id,
 * and whether it is on the same host. peers.c links candidates into pieces by these; grouping.c joins pieces into
 * groups. A group is a communicator.
 */
#ifndef ORR_LOG_GROUPING_H
#define ORR_LOG_GROUPING_H

#include "engine/log_reading/log.h"

struct orr_log_candidate {
    uint32_t session;
    int32_t rank, rank_count;
    uint64_t bus_id;      /* 0 if unknown */
    uint32_t host, gpu;   /* numbers; GPUs in order of hosts (by appearance) and bus ids */
    uint32_t ordinal;     /* number of earlier candidates with the same GPU, rank and number of ranks */
    uint32_t first, last; /* lines */
    uint32_t peers;       /* its first peer; UINT32_MAX if there is none */
    uint32_t piece;       /* filled in by orr_log_link_peers() */
    uint32_t group;       /* filled in by grouping.c; UINT32_MAX: none */
};
struct orr_log_peer {
    int32_t rank;
    uint64_t bus_id; /* 0 if unknown */
    bool near;       /* on the same host; false if over the network */
    uint32_t next;   /* next peer of the same candidate; UINT32_MAX if there is none */
};
struct orr_log_grouping {
    struct orr_log_candidate *candidates; /* in order of their sessions */
    uint32_t count, gpu_count;
    struct orr_log_peer *peers;
    uint32_t peer_count;
    uint32_t piece_count;
    uint64_t work; /* comparisons so far; beyond a limit nothing more is compared */
    struct orr_arena *arena;
};

/* Whether the lines of `of` about its peers allow the other one to be its peer. */
bool orr_log_peer_fits(struct orr_log_grouping *g, const struct orr_log_candidate *of,
                       const struct orr_log_candidate *other);
/* peers.c: links candidates into pieces, each of which has every rank at most once. */
enum orr_code orr_log_link_peers(struct orr_log_grouping *g, struct orr_error *err) ORR_NO_DISCARD;

/* grouping.c: *ret_groups, in the arena, has for each session the number of its group, UINT32_MAX if it needs none.
 * *ret_guessed says for each group whether it is a guess: no line shows that all its ranks belong together, and there
 * are other groups of its size. */
enum orr_code orr_log_group(const struct orr_log *log, struct orr_arena *arena, uint32_t **ret_groups,
                            bool **ret_guessed, struct orr_error *err) ORR_NO_DISCARD;

#endif
