#include "engine/log/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/log/trial.h"
#include "engine/release/release_names.h"
#include "engine/topology/pci.h"

enum { NONE = UINT32_MAX };

const char *orr_log_topic_name(enum orr_log_topic topic)
{
    static const char *const names[] = {
#define X(symbol, name, subsystem) name,
        ORR_LOG_TOPIC_MAP(X)
#undef X
    };
    return topic < ORR_LOG_TOPIC_COUNT ? names[topic] : "";
}

const char *orr_log_topic_subsystem(enum orr_log_topic topic)
{
    static const char *const names[] = {
#define X(symbol, name, subsystem) subsystem,
        ORR_LOG_TOPIC_MAP(X)
#undef X
    };
    return topic < ORR_LOG_TOPIC_COUNT ? names[topic] : "";
}

uint32_t orr_log_differences(const struct orr_log_facts *facts, enum orr_log_topic first, enum orr_log_topic last)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < facts->count; i++)
        count +=
            facts->rows[i].verdict == ORR_FACT_DIFFERS && facts->rows[i].topic >= first && facts->rows[i].topic <= last;
    return count;
}

enum orr_code orr_log_try(const struct orr_log_check *check, const struct orr_dump *dump, const struct orr_query *query,
                          struct orr_arena *arena, struct orr_log_facts *ret_facts, struct orr_analysis **ret_analysis,
                          struct orr_error *err)
{
    struct orr_analysis *analysis;
    ORR_TRY(orr_analyze(dump, query, NULL, &analysis, err));
    struct orr_log_facts facts = {
        .log = check->log, .analysis = analysis, .communicator = check->communicator, .arena = arena};
    enum orr_code code = orr_log_facts_of_system(&facts, err);
    if (code == ORR_OK)
        code = orr_log_facts_of_graphs(&facts, err);
    if (code == ORR_OK) {
        orr_log_facts_of_channels(&facts);
        orr_log_facts_of_connections(&facts);
        code = orr_log_facts_of_tuning(&facts, err);
    }
    if (code == ORR_OK && facts.starved)
        code = orr_fail_nomem(err);
    if (code != ORR_OK) {
        orr_analysis_free(analysis);
        return code;
    }
    *ret_facts = facts;
    *ret_analysis = analysis;
    return ORR_OK;
}

/* Settings of the log that have a bearing which Orrery does not compute. */
static const struct {
    const char *name, *why;
} not_modelled[] = {
    {"NCCL_TOPO_FILE", "the job's machine is the one of that file, not what was detected"},
    {"NCCL_GRAPH_FILE", "the job's graphs come from that file: no search took place"},
    {"NCCL_GRAPH_DUMP_FILE", "writes a file, changes nothing"},
    {"NCCL_TOPO_DUMP_FILE", "writes a file, changes nothing"},
    {"NCCL_IB_HCA", "chooses among the NICs: the dump should hold only these"},
    {"NCCL_NET", "chooses the network plugin"},
    {"NCCL_NET_PLUGIN", "chooses the network plugin"},
    {"NCCL_IB_DISABLE", "with 1 no InfiniBand NIC takes part"},
    {"NCCL_SOCKET_IFNAME", "names interfaces of the socket transport"},
    {"NCCL_TUNER_PLUGIN", "a tuner plugin may change the choice of algorithms"},
    {"NCCL_NET_MERGE_LEVEL", "merges NICs: dumps hold them before merging"},
    {"NCCL_NET_FORCE_MERGE", "merges NICs: dumps hold them before merging"},
    {"NCCL_CUMEM_ENABLE", "is taken as on where the release has it"},
};

static const char *why_ignored(const char *name)
{
    for (size_t i = 0; i < sizeof not_modelled / sizeof not_modelled[0]; i++)
        if (!strcmp(not_modelled[i].name, name))
            return not_modelled[i].why;
    return "has no bearing on what is computed";
}

static enum orr_code ignore(struct orr_log_check *check, const struct orr_log_setting *setting, const char *why,
                            struct orr_error *err)
{
    const char *kept = orr_arena_strndup(check->arena, why, strlen(why));
    if (!kept)
        return orr_fail_nomem(err);
    check->ignored[check->ignored_count++] =
        (struct orr_log_ignored){.name = setting->name, .value = setting->value, .why = kept};
    return ORR_OK;
}

/* The release and settings of the prediction: the log's, the user's over them. */
static enum orr_code make_query(struct orr_log_check *check, const struct orr_log_question *question,
                                const struct orr_release *release, struct orr_error *err)
{
    const struct orr_log *log = check->log;
    uint32_t version = orr_log_version(log, &check->release_text);
    check->release_told = version != 0;
    check->release_exact = orr_release_is(release, version);
    check->ignored_count = check->applied_count = 0;
    orr_settings_init(&check->query.settings, release);
    check->ignored = ORR_NEW(check->arena, struct orr_log_ignored, (size_t)log->setting_count + 1);
    if (!check->ignored)
        return orr_fail_nomem(err);
    for (uint32_t i = 0; i < log->setting_count; i++) {
        const struct orr_log_setting *setting = &log->settings[i];
        enum orr_setting id;
        struct orr_error refused = {0};
        if (!orr_setting_find(setting->name, &id))
            ORR_TRY(ignore(check, setting, why_ignored(setting->name), err));
        else if (setting->varies)
            ORR_TRY(ignore(check, setting, "has several values in the log; give one of them with --set", err));
        else if (!orr_setting_in(id, release))
            ORR_TRY(ignore(check, setting, "the emulated release does not have it", err));
        else if (orr_settings_set(&check->query.settings, setting->name, setting->value, &refused) != ORR_OK)
            ORR_TRY(ignore(check, setting, refused.text, err));
        else
            check->applied_count++;
    }
    for (int s = 0; question->given && s < ORR_SETTING_COUNT; s++)
        if (question->given->values[s].given) {
            struct orr_setting_info info;
            orr_setting_info((enum orr_setting)s, &info);
            ORR_TRY(orr_settings_set(&check->query.settings, info.name, question->given->values[s].text, err));
        }
    return ORR_OK;
}

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

/* The dump with the log's GPUs and ranks, where it has others; and how many hosts there are. */
static enum orr_code match_hosts(struct orr_log_check *check, const struct orr_dump *dump,
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

static int by_topic(const void *a, const void *b)
{
    const struct orr_log_fact *x = a, *y = b;
    static const int rank[] = {[ORR_FACT_DIFFERS] = 0, [ORR_FACT_AGREES] = 1, [ORR_FACT_NOT_PREDICTED] = 2};
    if (x->topic != y->topic)
        return (int)x->topic - (int)y->topic;
    if (x->verdict != y->verdict)
        return rank[x->verdict] - rank[y->verdict];
    return x->line != y->line ? (x->line < y->line ? -1 : 1) : strcmp(x->what, y->what);
}

static void sum_up(struct orr_log_check *check)
{
    if (check->fact_count)
        qsort(check->facts, check->fact_count, sizeof *check->facts, by_topic);
    check->first = NONE;
    for (uint32_t i = 0; i < check->fact_count; i++) {
        const struct orr_log_fact *fact = &check->facts[i];
        uint32_t *counts[] = {&check->topics[fact->topic].agree, &check->topics[fact->topic].differ,
                              &check->topics[fact->topic].not_predicted};
        ++*counts[fact->verdict];
        check->agree += fact->verdict == ORR_FACT_AGREES;
        check->differ += fact->verdict == ORR_FACT_DIFFERS;
        if (fact->verdict == ORR_FACT_DIFFERS && check->first == NONE)
            check->first = i;
    }
}

/* The release under which fewest facts differ, for a log that does not name its own; the newest of equals. */
static enum orr_code guess_release(struct orr_log_check *check, const struct orr_dump *dump,
                                   const struct orr_log_question *question, const struct orr_release **ret_release,
                                   struct orr_error *err)
{
    uint32_t count, least = UINT32_MAX;
    const struct orr_release *releases = orr_releases(&count);
    for (uint32_t i = count; i-- > 0;) {
        struct orr_log_facts facts;
        struct orr_analysis *analysis;
        struct orr_error refused = {0};
        ORR_TRY(make_query(check, question, &releases[i], err));
        struct orr_arena *arena = orr_arena_new((size_t)1 << 30);
        enum orr_code code =
            arena ? orr_log_try(check, dump, &check->query, arena, &facts, &analysis, &refused) : ORR_NOMEM;
        if (code == ORR_OK) {
            uint32_t here = orr_log_differences(&facts, ORR_TOPIC_SYSTEM, ORR_LOG_TOPIC_COUNT);
            if (here < least) {
                least = here;
                *ret_release = &releases[i];
            }
            orr_analysis_free(analysis);
        }
        orr_arena_free(arena);
        if (code == ORR_NOMEM)
            return orr_fail_nomem(err);
    }
    return ORR_OK;
}

static enum orr_code compare(struct orr_log_check *check, const struct orr_dump *dump,
                             const struct orr_log_question *question, struct orr_error *err)
{
    struct orr_log_facts facts;
    bool exact;
    uint32_t version = orr_log_version(check->log, NULL);
    const struct orr_release *release = question->release ? question->release : orr_release_nearest(version, &exact);
    ORR_TRY(match_hosts(check, dump, question, err));
    if (check->dump)
        dump = check->dump;
    bool small =
        check->communicator == NONE || check->log->communicators[check->communicator].rank_count <= ORR_LOG_RANKS_TRIED;
    if (!version && !question->release && small && check->log->record_count <= ORR_LOG_RECORDS_TRIED)
        ORR_TRY(guess_release(check, dump, question, &release, err));
    ORR_TRY(make_query(check, question, release, err));
    ORR_TRY(orr_log_try(check, dump, &check->query, check->arena, &facts, &check->analysis, err));
    check->facts = facts.rows;
    check->fact_count = facts.count;
    sum_up(check);
    return check->differ ? orr_log_find_causes(check, dump, err) : ORR_OK;
}

enum orr_code orr_log_compare(const struct orr_log *log, const struct orr_dump *dump,
                              const struct orr_log_question *question, struct orr_log_check **ret_check,
                              struct orr_error *err)
{
    struct orr_arena *arena = orr_arena_new((size_t)1 << 30);
    struct orr_log_check *check = arena ? ORR_NEW(arena, struct orr_log_check, 1) : NULL;
    if (!check) {
        orr_arena_free(arena);
        return orr_fail_nomem(err);
    }
    *check = (struct orr_log_check){.log = log, .arena = arena, .release_text = "", .note = ""};
    check->communicator =
        question->communicator < log->communicator_count ? question->communicator : orr_log_largest(log);
    enum orr_code code = compare(check, dump, question, err);
    if (code != ORR_OK) {
        orr_log_check_free(check);
        return code;
    }
    *ret_check = check;
    return ORR_OK;
}

void orr_log_check_free(struct orr_log_check *check)
{
    if (check->analysis)
        orr_analysis_free(check->analysis);
    if (check->dump)
        orr_dump_free(check->dump);
    orr_arena_free(check->arena);
}
