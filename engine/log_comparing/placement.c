/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the hosts of a log's ranks. The prediction numbers ranks host by host: 0-7 on the first host, 8-15 on the
 * second. A launcher may place them cyclically, or in any other order; NCCL then orders hosts by their lowest rank, and
 * the ranks of a host by number. So such a job has the predicted channels, only with other rank numbers for the same
 * GPUs. */
#include <string.h>

#include "engine/log_comparing/trial.h"

enum { NONE = UINT32_MAX };
enum { RANKS_PLACED = 8192 };

/* The number of each rank's host, hosts in order of their lowest ranks. Returns how many hosts there are; 0 if the log
 * does not name every rank's host. */
static uint32_t number_hosts(const struct orr_log_communicator *of, uint32_t *host_of, const char **names)
{
    uint32_t count = 0;
    for (int32_t r = 0; r < of->rank_count; r++) {
        const char *name = of->members[r].host;
        uint32_t host = 0;
        if (!name)
            return 0;
        if (r && !strcmp(name, names[host_of[r - 1]])) {
            host_of[r] = host_of[r - 1];
            continue;
        }
        while (host < count && strcmp(name, names[host]))
            host++;
        if (host == count)
            names[count++] = name;
        host_of[r] = host;
    }
    return count;
}

/* Whether each host uses its GPUs in the order of the first one, as far as the log names their bus ids. */
static bool use_gpus_alike(const struct orr_log_communicator *of, const int32_t *rank_at, uint32_t local)
{
    for (uint32_t at = local; at < (uint32_t)of->rank_count; at++) {
        const char *here = of->members[rank_at[at]].bus_id, *first = of->members[rank_at[at % local]].bus_id;
        if (here && first && strcmp(here, first) != 0)
            return false;
    }
    return true;
}

enum orr_code orr_log_place_ranks(struct orr_log_check *check, struct orr_error *err)
{
    const struct orr_log_communicator *of =
        check->communicator == NONE ? NULL : &check->log->communicators[check->communicator];
    if (of && of->guessed)
        orr_log_assume(check,
                       "Which ranks belong to this communicator, and which to others of %d ranks, is assumed from the "
                       "order of hosts and GPUs, because no line says it",
                       of->rank_count);
    if (!of || of->rank_count < 2 || of->rank_count > RANKS_PLACED || of->seen < (uint32_t)of->rank_count)
        return ORR_OK;
    const uint32_t ranks = (uint32_t)of->rank_count;
    uint32_t *host_of = ORR_NEW(check->arena, uint32_t, ranks), *filled = ORR_NEW(check->arena, uint32_t, ranks);
    const char **names = ORR_NEW(check->arena, const char *, ranks);
    int32_t *rank_at = ORR_NEW(check->arena, int32_t, ranks), *place_of = ORR_NEW(check->arena, int32_t, ranks);
    ORR_NEED(host_of && filled && names && rank_at && place_of, err);
    const uint32_t hosts = number_hosts(of, host_of, names);
    if (!hosts || ranks % hosts ||
        (of->node_count > 0 && (uint32_t)of->node_count != hosts &&
         !orr_log_uses_domain(check->log, check->communicator)))
        return ORR_OK;
    const uint32_t local = ranks / hosts;
    bool in_blocks = true;
    for (uint32_t r = 0; r < ranks; r++) {
        if (filled[host_of[r]] == local)
            return ORR_OK; /* hosts of different sizes: not predicted here */
        const uint32_t place = host_of[r] * local + filled[host_of[r]]++;
        in_blocks &= place == r;
        place_of[r] = (int32_t)place;
        rank_at[place] = (int32_t)r;
    }
    if (!use_gpus_alike(of, rank_at, local))
        orr_log_assume(check, "Hosts use their GPUs in different orders; all are predicted in the order of host %.60s",
                       names[0]);
    if (in_blocks)
        return ORR_OK;
    check->place_of = place_of;
    check->rank_at = rank_at;
    check->placed_hosts = hosts;
    orr_log_assume(check, "The ranks are not placed host by host: host %.60s has ranks %d, %d ... of %u", names[0],
                   rank_at[0], local > 1 ? rank_at[1] : rank_at[0], ranks);
    return ORR_OK;
}
