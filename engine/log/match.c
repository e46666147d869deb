/* The log's ranks found in the dump: which GPUs take part, in which order, and on how many hosts. */
#include <stdlib.h>
#include <string.h>

#include "engine/log/trial.h"
#include "engine/topology/pci.h"

enum { NONE = UINT32_MAX };

/* Ranks of the communicator: as told, else one more than the highest that rings and trees name. -1: not told. */
static int32_t ranks_of(const struct orr_log_check *check)
{
    enum { RANKS_MOST = 65536, EACH_TREE = 7, SELF = 5 };
    const struct orr_log *log = check->log;
    double highest = -1;
    if (check->communicator != NONE)
        return log->communicators[check->communicator].rank_count;
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        uint32_t first = record->kind == ORR_LOG_RING              ? 2
                         : record->kind == ORR_LOG_RING_NEIGHBOURS ? 1
                         : record->kind == ORR_LOG_TREES           ? SELF
                                                                   : UINT32_MAX;
        for (uint32_t v = first; v < record->value_count; v += record->kind == ORR_LOG_TREES ? EACH_TREE : 1)
            highest = record->values[v] > highest ? record->values[v] : highest;
    }
    return highest < RANKS_MOST ? (int32_t)highest + (highest >= 0) : -1;
}

/* The bus id of a rank as the printed trees tell it: "GPU/0-1b000 (3)". 0: not told. */
static uint64_t bus_id_in_tree(const struct orr_log_check *check, int32_t rank)
{
    for (uint32_t i = 0; i < check->log->record_count; i++) {
        const struct orr_log_record *record = &check->log->records[i];
        char *end;
        if (record->kind != ORR_LOG_TREE_LINK || record->word_count < 3 || strncmp(record->words[1], "GPU/", 4) != 0 ||
            check->log->sessions[record->session].communicator != check->communicator)
            continue;
        const char *dash = strchr(record->words[1], '-');
        if (strtol(record->words[2], &end, 10) == rank && !*end && end != record->words[2])
            return strtoull(dash ? dash + 1 : record->words[1] + 4, NULL, 16);
    }
    return 0;
}

/* Bus ids of the GPUs that the log's first host uses, in order of rank; 0: not known for all of them. */
static uint32_t log_gpus(const struct orr_log_check *check, uint64_t *ids, uint32_t most)
{
    if (check->communicator == NONE)
        return 0;
    const struct orr_log_communicator *of = &check->log->communicators[check->communicator];
    const char *host = of->members[0].host;
    uint32_t count = 0;
    for (int32_t r = 0; r < of->rank_count && count < most; r++) {
        const struct orr_log_member *member = &of->members[r];
        if (host && member->host && strcmp(member->host, host) != 0)
            break;
        host = host ? host : member->host;
        ids[count] = member->bus_id ? strtoull(member->bus_id, NULL, 16) : bus_id_in_tree(check, r);
        if (!ids[count])
            break;
        count++;
    }
    /* Hosts alike: the first one's ranks are all of its node. */
    if (!count || of->rank_count % (int32_t)count ||
        (of->node_count > 0 && of->rank_count != of->node_count * (int32_t)count))
        return 0;
    return count;
}

/* Bus ids of the dump's ranks in order; *ret_fused: it holds several hosts. */
static uint32_t dump_gpus(const struct orr_dump *dump, uint64_t *ids, uint32_t most, bool *ret_fused)
{
    int32_t ranks[ORR_MAX_CHANNELS * 4];
    const char *host = NULL;
    uint32_t count = 0;
    *ret_fused = false;
    for (uint32_t e = 0; e < dump->element_count; e++) {
        if (dump->elements[e].kind == ORR_ELEMENT_CPU) {
            const char *hash = orr_element_text(dump, e, ORR_ATTR_HOST_HASH);
            *ret_fused |= hash && host && strcmp(hash, host) != 0;
            host = hash ? hash : host;
        }
        if (dump->elements[e].kind != ORR_ELEMENT_GPU || !orr_element_text(dump, e, ORR_ATTR_RANK) || count == most ||
            count == sizeof ranks / sizeof ranks[0])
            continue;
        const char *bus_id = NULL;
        for (uint32_t p = dump->elements[e].parent; p != ORR_NO_ELEMENT && !bus_id; p = dump->elements[p].parent)
            bus_id = orr_element_text(dump, p, ORR_ATTR_BUSID);
        int32_t rank = orr_element_int(dump, e, ORR_ATTR_RANK, 0);
        uint32_t at = count++;
        for (; at > 0 && ranks[at - 1] > rank; at--) {
            ranks[at] = ranks[at - 1];
            ids[at] = ids[at - 1];
        }
        ranks[at] = rank;
        ids[at] = bus_id ? orr_bus_id_parse(bus_id) : 0;
    }
    return count;
}

enum orr_code orr_log_match_hosts(struct orr_log_check *check, const struct orr_dump *dump,
                                  const struct orr_log_question *question, struct orr_error *err)
{
    enum { GPUS_MOST = 256 };
    uint64_t own[GPUS_MOST], logged[GPUS_MOST];
    bool fused;
    uint32_t own_count = dump_gpus(dump, own, GPUS_MOST, &fused), logged_count = log_gpus(check, logged, GPUS_MOST);
    uint32_t local = own_count;
    int32_t ranks = ranks_of(check);
    check->note = "";
    if (logged_count && !fused && (logged_count != own_count || memcmp(own, logged, own_count * sizeof own[0]) != 0)) {
        const struct orr_dump_edit edit = {.bus_ids = logged, .bus_id_count = logged_count};
        struct orr_error refused = {0};
        enum orr_code code = orr_log_edit_dump(dump, &edit, &check->dump, &refused);
        if (code == ORR_OK) {
            check->ranks_renumbered = true;
            local = logged_count;
        } else if (code != ORR_NOT_FOUND) {
            return orr_fail(err, code, "%s", refused.text);
        } else if (!own_count) {
            orr_fail(err, ORR_NO_RANKS, "%s, which has no ranks of its own either", refused.text);
            orr_error_advice(err, "files of cloud providers leave the GPUs to detection: give a dump written by "
                                  "NCCL_TOPO_DUMP_FILE on that machine");
            return ORR_NO_RANKS;
        } else {
            check->note = orr_arena_strndup(check->arena, refused.text, strlen(refused.text));
            if (!check->note)
                return orr_fail_nomem(err);
        }
    }
    check->query.hosts = 1;
    if (question->hosts)
        check->query.hosts = question->hosts;
    else if (ranks > 0 && local && ranks % (int32_t)local == 0)
        check->query.hosts = (uint32_t)ranks / local;
    else if (ranks > 0 && !check->note[0])
        check->note = "the log's number of ranks is no multiple of the dump's GPUs";
    if (check->query.hosts > ORR_MAX_HOSTS)
        return orr_fail(err, ORR_LIMIT, "%u hosts, more than the %d that are computed", check->query.hosts,
                        (int)ORR_MAX_HOSTS);
    return ORR_OK;
}
