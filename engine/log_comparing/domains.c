/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the NVLink domains of the log's hosts. Each GPU prints the driver's report about its fabric, and each rank
 * prints whether NCCL uses the domain. A dump contains neither, so the prediction takes them from the log.
 *
 * An example: ranks 0 to 3 print "fabric UUID 8f.1 cliqueId 0x1 state 3", ranks 4 to 7 the same. The two hosts are
 * analysed as one clique, as if a cluster file had said so. */
#include <stdlib.h>
#include <string.h>

#include "engine/cluster/cluster.h"
#include "engine/log_comparing/trial.h"

enum { HOSTS_MOST = 128 }; /* more are not fused into one system */

bool orr_log_uses_domain(const struct orr_log *log, uint32_t communicator)
{
    const struct orr_log_own own = orr_log_records_of(log, communicator);
    for (uint32_t i = 0; i < own.count; i++) {
        const struct orr_log_record *record = &log->records[own.at[i]];
        if (record->kind == ORR_LOG_MNNVL && record->value_count && record->values[0] > 0)
            return true;
    }
    return false;
}

/* "MNNVL busId 0x11000 fabric UUID 8f4c000000000000.1 cliqueId 0x7ffe state 3 healthMask 0x2" */
static bool read_fabric(const struct orr_log_record *record, struct orr_fabric *ret_fabric)
{
    enum { UUID = 1, UUID_LOW, CLIQUE, HEALTH, WORDS };
    if (record->kind != ORR_LOG_FABRIC || record->word_count < WORDS || !record->value_count || record->values[0] < 0 ||
        record->values[0] >= ORR_FABRIC_STATE_COUNT)
        return false;
    *ret_fabric = (struct orr_fabric){
        .state = (enum orr_fabric_state)record->values[0],
        .has_uuid = true,
        .uuid = {strtoull(record->words[UUID], NULL, 16), strtoull(record->words[UUID_LOW], NULL, 16)},
        .clique = (uint32_t)strtoul(record->words[CLIQUE], NULL, 16),
        .health = (uint32_t)strtoul(record->words[HEALTH], NULL, 16)};
    return true;
}

static bool same_place(const struct orr_fabric *a, const struct orr_fabric *b)
{
    return a->state == b->state && !memcmp(a->uuid, b->uuid, sizeof a->uuid) && a->clique == b->clique;
}

/* Reads the hosts' own lines. has_uuid is false for a host without a line. Returns false if GPUs of one host contradict
 * each other. */
static bool read_hosts(const struct orr_log_check *check, uint32_t local, struct orr_fabric *hosts)
{
    const struct orr_log *log = check->log;
    const struct orr_log_own own = orr_log_records_of(log, check->communicator);
    for (uint32_t i = 0; i < own.count; i++) {
        const struct orr_log_record *record = &log->records[own.at[i]];
        struct orr_fabric fabric;
        const int32_t rank = log->sessions[record->session].rank;
        if (rank < 0 || (uint32_t)rank >= local * check->query.hosts || !read_fabric(record, &fabric))
            continue;
        struct orr_fabric *host = &hosts[(uint32_t)(check->place_of ? check->place_of[rank] : rank) / local];
        if (host->has_uuid && !same_place(host, &fabric))
            return false;
        fabric.health |= host->health;
        *host = fabric;
    }
    return true;
}

/* Whether NCCL says that one clique has all ranks. */
static bool clique_of_all(const struct orr_log_check *check, uint32_t ranks)
{
    enum { ON, SIZE, VALUES };
    const struct orr_log_own own = orr_log_records_of(check->log, check->communicator);
    for (uint32_t i = 0; i < own.count; i++) {
        const struct orr_log_record *record = &check->log->records[own.at[i]];
        if (record->kind == ORR_LOG_MNNVL && record->value_count >= VALUES && record->values[ON] > 0 &&
            record->values[SIZE] == ranks)
            return true;
    }
    return false;
}

/* Puts hosts without a line into the clique that has all ranks, whose UUID may not be in any line; false if their
 * domain is not known. */
static bool fill_hosts(const struct orr_log_check *check, uint32_t ranks, struct orr_fabric *hosts)
{
    struct orr_fabric said = {.state = ORR_FABRIC_COMPLETED, .has_uuid = true, .uuid = {0, 1}};
    uint32_t silent = 0;
    for (uint32_t h = 0; h < check->query.hosts; h++)
        if (hosts[h].has_uuid)
            said = hosts[h];
        else
            silent++;
    for (uint32_t h = 0; h < check->query.hosts && silent; h++)
        if (!hosts[h].has_uuid)
            hosts[h] = said;
    return !silent || clique_of_all(check, ranks);
}

/* Two hosts of one domain, which may be of different cliques. */
static bool share(const struct orr_fabric *hosts, uint32_t count)
{
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = a + 1; b < count; b++)
            if ((hosts[a].uuid[0] || hosts[a].uuid[1]) && !memcmp(hosts[a].uuid, hosts[b].uuid, sizeof hosts[a].uuid))
                return true;
    return false;
}

/* Notes what the prediction takes from the log. */
static void assume(struct orr_log_check *check, const struct orr_fabric *hosts, uint32_t count)
{
    uint32_t cliques = 0;
    for (uint32_t h = 0; h < count; h++) {
        uint32_t before = 0;
        if (hosts[h].state != ORR_FABRIC_COMPLETED) {
            orr_log_assume(
                check,
                "The NVLink fabric of a host is not completed (%s), as the log says, so NCCL joins no hosts by NVLink",
                orr_fabric_state_name(hosts[h].state));
            return;
        }
        while (before < h && !same_place(&hosts[before], &hosts[h]))
            before++;
        cliques += before == h;
    }
    if (cliques == 1)
        orr_log_assume(check, "All %u hosts are in one NVLink clique, as the log says", count);
    else
        orr_log_assume(check, "The %u hosts are in %u NVLink cliques, as the log says", count, cliques);
}

/* Records the host of each rank if ranks are not placed host by host: NCCL orders the ranks of a clique by their own
 * numbers. */
static enum orr_code place_hosts(struct orr_log_check *check, uint32_t local, struct orr_error *err)
{
    const uint32_t ranks = check->query.hosts * local;
    uint32_t *host_of_rank = ORR_NEW(check->arena, uint32_t, ranks);
    ORR_NEED(host_of_rank, err);
    for (uint32_t r = 0; r < ranks; r++)
        host_of_rank[r] = (uint32_t)check->place_of[r] / local;
    check->host_of_rank = host_of_rank;
    check->place_of = check->rank_at = NULL;
    return ORR_OK;
}

enum orr_code orr_log_match_domains(struct orr_log_check *check, uint32_t local, struct orr_error *err)
{
    const uint32_t hosts = check->query.hosts, ranks = hosts * local;
    if (check->communicator == UINT32_MAX || hosts < 2 || hosts > HOSTS_MOST ||
        check->log->communicators[check->communicator].rank_count != (int32_t)ranks)
        return ORR_OK;
    struct orr_fabric *fabrics = ORR_NEW(check->arena, struct orr_fabric, hosts);
    ORR_NEED(fabrics, err);
    if (!read_hosts(check, local, fabrics)) {
        orr_log_assume(check, "GPUs of one host report different NVLink fabrics, which is not predicted: hosts count "
                              "as if they shared no domain");
        return ORR_OK;
    }
    if (!fill_hosts(check, ranks, fabrics)) {
        if (orr_log_uses_domain(check->log, check->communicator))
            orr_log_assume(
                check, "Hosts count as if they shared no NVLink domain, because not all of them print their fabric");
        return ORR_OK;
    }
    if (!share(fabrics, hosts))
        return ORR_OK;
    if (check->place_of && check->placed_hosts == hosts)
        ORR_TRY(place_hosts(check, local, err));
    check->fabrics = fabrics;
    assume(check, fabrics, hosts);
    return ORR_OK;
}

static uint32_t rank_count(const struct orr_log_check *check)
{
    return (uint32_t)check->log->communicators[check->communicator].rank_count;
}

enum orr_code orr_log_predict(const struct orr_log_check *check, const struct orr_dump *dump,
                              const struct orr_query *query, struct orr_analysis **ret_analysis, struct orr_error *err)
{
    struct orr_cluster_line lines[HOSTS_MOST];
    struct orr_cluster *cluster;
    if (!check->fabrics || query->hosts != check->query.hosts)
        return orr_analyze(dump, query, NULL, ret_analysis, err);
    for (uint32_t h = 0; h < query->hosts; h++)
        lines[h] = (struct orr_cluster_line){.dump = dump, .count = 1, .fabric = &check->fabrics[h]};
    const struct orr_cluster_request request = {.lines = lines,
                                                .line_count = query->hosts,
                                                .order = check->host_of_rank ? ORR_ORDER_LIST : ORR_ORDER_BLOCK,
                                                .host_of_rank = check->host_of_rank,
                                                .listed_ranks = check->host_of_rank ? rank_count(check) : 0,
                                                .settings = query->settings,
                                                .plan = query->plan};
    ORR_TRY(orr_cluster_analyze(&request, &cluster, err));
    *ret_analysis = cluster->analysis;
    return ORR_OK;
}
