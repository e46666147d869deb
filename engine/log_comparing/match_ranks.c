/* SPDX-License-Identifier: Apache-2.0 */
/* Finds how many ranks the log's job has, and the GPUs of the ranks on its first host. */
#include <stdlib.h>
#include <string.h>

#include "engine/log_comparing/trial.h"

enum { NONE = UINT32_MAX };
enum { RANKS_MOST = 65536, EACH_TREE = 7, SELF = 5 };

/* Where the ranks begin among the values of a record; NONE if it has none. */
static uint32_t first_rank(enum orr_log_kind kind)
{
    if (kind == ORR_LOG_RING)
        return 2;
    if (kind == ORR_LOG_RING_NEIGHBOURS)
        return 1;
    return kind == ORR_LOG_TREES ? SELF : NONE;
}

int32_t orr_log_rank_count(const struct orr_log_check *check, bool *ret_least)
{
    const struct orr_log *log = check->log;
    double highest = -1, connected = -1;
    *ret_least = false;
    if (check->communicator != NONE)
        return log->communicators[check->communicator].rank_count;
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        for (uint32_t v = first_rank(record->kind); v < record->value_count;
             v += record->kind == ORR_LOG_TREES ? EACH_TREE : 1)
            highest = record->values[v] > highest ? record->values[v] : highest;
        const bool connects = record->kind == ORR_LOG_CONNECT_NET || record->kind == ORR_LOG_CONNECT_P2P ||
                              record->kind == ORR_LOG_CONNECT_SHM;
        for (uint32_t v = record->value_count > 3 ? 2 : 1; connects && v < record->value_count; v++)
            connected = record->values[v] > connected ? record->values[v] : connected;
    }
    *ret_least = highest < 0 && connected >= 0;
    highest = *ret_least ? connected : highest;
    return highest < RANKS_MOST ? (int32_t)highest + (highest >= 0) : -1;
}

/* The bus id of a rank in the printed trees: "GPU/0-1b000 (3)"; 0 if unknown. */
static uint64_t bus_id_in_tree(const struct orr_log_check *check, int32_t rank)
{
    const struct orr_log_own own = orr_log_records_of(check->log, check->communicator);
    for (uint32_t i = 0; i < own.count; i++) {
        const struct orr_log_record *record = &check->log->records[own.at[i]];
        char *end;
        if (record->kind != ORR_LOG_TREE_LINK || record->word_count < 3 || strncmp(record->words[1], "GPU/", 4) != 0)
            continue;
        const char *dash = strchr(record->words[1], '-');
        if (strtol(record->words[2], &end, 10) == rank && !*end && end != record->words[2])
            return strtoull(dash ? dash + 1 : record->words[1] + 4, NULL, 16);
    }
    return 0;
}

/* The number of ranks on the first host, 0 if no line says it. */
static uint32_t local_ranks_of(const struct orr_log_check *check, int32_t ranks)
{
    const struct orr_log_communicator *of =
        check->communicator == NONE ? NULL : &check->log->communicators[check->communicator];
    uint32_t count = 0;
    if (!of || ranks < 1)
        return 0;
    if (of->node_count > 0 && ranks % of->node_count == 0 && !orr_log_uses_domain(check->log, check->communicator))
        return (uint32_t)(ranks / of->node_count);
    if (of->seen < (uint32_t)ranks || !of->host_count)
        return 0;
    for (int32_t r = 0; r < ranks; r++)
        count += of->members[r].host && of->members[0].host && !strcmp(of->members[r].host, of->members[0].host);
    return count;
}

uint32_t orr_log_local_ranks(const struct orr_log_check *check, int32_t ranks, struct orr_log_local_rank *ret_ranks,
                             uint32_t most, uint32_t *ret_with_bus_id)
{
    const struct orr_log *log = check->log;
    const struct orr_log_communicator *of =
        check->communicator == NONE ? NULL : &log->communicators[check->communicator];
    const uint32_t local = local_ranks_of(check, ranks), wanted = local ? local : ranks > 0 ? (uint32_t)ranks : 0;
    *ret_with_bus_id = 0;
    for (uint32_t r = 0; r < wanted && r < most; r++) {
        const int32_t rank = check->rank_at ? check->rank_at[r] : (int32_t)r;
        const struct orr_log_member *member = of ? &of->members[rank] : NULL;
        const struct orr_log_session *session =
            member && member->session != NONE ? &log->sessions[member->session] : NULL;
        uint64_t bus_id = member && member->bus_id ? strtoull(member->bus_id, NULL, 16) : 0;
        ret_ranks[r] = (struct orr_log_local_rank){
            .bus_id = bus_id ? bus_id : bus_id_in_tree(check, rank),
            .number = session ? session->nvml_dev >= 0 ? session->nvml_dev : session->cuda_dev : -1};
        *ret_with_bus_id += *ret_with_bus_id == r && ret_ranks[r].bus_id;
    }
    return local;
}
