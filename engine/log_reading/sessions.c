/* SPDX-License-Identifier: Apache-2.0 */
/* Which lines belong together. A writer initialises communicators one after the other, so its lines fall into sessions
 * that begin with the first line of an initialisation; sessions of one communicator are those that name the same
 * commId, or, before NCCL printed it, those of one group (groups.h). */
#include <string.h>

#include "engine/base/index.h"
#include "engine/log_reading/building.h"
#include "engine/log_reading/grouping.h"

enum { NONE = UINT32_MAX, COMMUNICATORS_MOST = 1024 };

size_t orr_log_setting_length(const struct orr_log_record *record)
{
    const size_t length = strlen(record->words[1]);
    return length && record->words[1][length - 1] == '.' ? length - 1 : length;
}

void orr_log_take_setting(struct orr_log_building *b, const struct orr_log_record *record)
{
    enum { NAME_SIZE = 80, SETTINGS_MOST = 1024 };
    struct orr_log *log = b->log;
    char name[NAME_SIZE] = "NCCL_";
    const char *value = record->words[1];
    const size_t length = orr_log_setting_length(record);
    strncat(name, record->words[0], sizeof name - strlen(name) - 1);
    for (uint32_t i = 0; i < log->setting_count; i++)
        if (!strcmp(log->settings[i].name, name)) {
            log->settings[i].varies |=
                strlen(log->settings[i].value) != length || memcmp(log->settings[i].value, value, length) != 0;
            return;
        }
    if (log->setting_count == SETTINGS_MOST)
        return;
    if (!ORR_RESERVE(log->arena, log->settings, log->setting_count, b->setting_capacity))
        return;
    log->settings[log->setting_count++] = (struct orr_log_setting){.name = orr_log_keep_text(b, name, strlen(name)),
                                                                   .value = orr_log_keep_text(b, value, length),
                                                                   .line = record->line};
}

static uint32_t new_session(struct orr_log_building *b, uint32_t writer)
{
    struct orr_log *log = b->log;
    if (!ORR_RESERVE(log->arena, log->sessions, log->session_count, b->session_capacity))
        return 0;
    log->sessions[log->session_count] = (struct orr_log_session){.writer = writer,
                                                                 .communicator = NONE,
                                                                 .rank = -1,
                                                                 .rank_count = -1,
                                                                 .node_count = -1,
                                                                 .cuda_dev = -1,
                                                                 .nvml_dev = -1};
    return log->session_count++;
}

/* The places of values in the record of a line that names its rank. */
struct naming {
    int rank, ranks, nodes, dev; /* index among the values, -1 if missing */
    int comm, bus_id, comm_id;   /* index among the words */
};

static struct naming naming_of(const struct orr_log_record *record)
{
    struct naming at = {.rank = 0, .ranks = 1, .nodes = -1, .dev = -1, .comm = 0, .bus_id = -1, .comm_id = -1};
    uint32_t w = 0; /* past the function's name, which some releases print */
    if (record->kind == ORR_LOG_COMMUNICATOR) {
        at.nodes = 2;
        return at;
    }
    if (record->word_count && !strncmp(record->words[0], "nccl", 4))
        w = 1;
    if (record->value_count == 5) { /* "[Rank 0]" first */
        at.rank++;
        at.ranks++;
    }
    at.dev = at.ranks + 1;
    at.comm = (int)w;
    at.bus_id = w + 1 < record->word_count ? (int)w + 1 : -1;
    at.comm_id = w + 2 < record->word_count ? (int)w + 2 : -1;
    return at;
}

static void name_session(struct orr_log_session *session, const struct orr_log_record *record)
{
    struct naming at = naming_of(record);
    session->rank = (int32_t)record->values[at.rank];
    session->rank_count = (int32_t)record->values[at.ranks];
    session->named = true;
    session->comm = record->words[at.comm];
    if (at.nodes >= 0)
        session->node_count = (int32_t)record->values[at.nodes];
    if (at.dev >= 0)
        session->cuda_dev = (int32_t)record->values[at.dev];
    if (at.dev >= 0 && record->value_count > (uint32_t)at.dev + 1)
        session->nvml_dev = (int32_t)record->values[at.dev + 1];
    if (at.bus_id >= 0)
        session->bus_id = record->words[at.bus_id];
    if (at.comm_id >= 0)
        session->comm_id = record->words[at.comm_id];
}

static bool names(enum orr_log_kind kind)
{
    return kind == ORR_LOG_INIT_START || kind == ORR_LOG_COMMUNICATOR || kind == ORR_LOG_INIT_COMPLETE;
}

uint32_t orr_log_session_of(struct orr_log_building *b, uint32_t writer, enum orr_log_kind kind)
{
    struct orr_log *log = b->log;
    if (writer == NONE) {
        if (!b->nobody)
            b->nobody = new_session(b, NONE) + 1;
        return b->nobody - 1;
    }
    uint32_t *current = &b->session_of[writer];
    const struct orr_log_record *record = &log->records[log->record_count];
    bool fresh = *current == NONE || (log->sessions[*current].closed && orr_log_kind_opens(kind));
    if (!fresh && kind == ORR_LOG_INIT_START && log->sessions[*current].named)
        fresh = true;
    if (!fresh && kind == ORR_LOG_INIT_COMPLETE && log->sessions[*current].closed)
        fresh = true;
    if (fresh)
        *current = new_session(b, writer);
    if (orr_arena_starved(b->log->arena))
        return 0;
    struct orr_log_session *session = &log->sessions[*current];
    if (names(kind) && record->value_count > 1 && record->values)
        name_session(session, record);
    session->closed |= kind == ORR_LOG_INIT_COMPLETE;
    return *current;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

/* A line that lost its header to another line still shows whose initialisation ended. */
static void close_torn(struct orr_log *log, uint32_t nobody)
{
    enum { TORN_MOST = 1000 };
    uint32_t torn = 0;
    for (uint32_t i = 0; i < log->record_count && torn < TORN_MOST; i++) {
        const struct orr_log_record *record = &log->records[i];
        if (record->session != nobody || record->kind != ORR_LOG_INIT_COMPLETE || record->value_count < 2)
            continue;
        struct orr_log_session of = {0};
        name_session(&of, record);
        torn++;
        for (uint32_t s = 0; s < log->session_count; s++) {
            struct orr_log_session *session = &log->sessions[s];
            session->closed |= session->named && of.comm_id && session->rank == of.rank &&
                               session->rank_count == of.rank_count && same_text(session->comm_id, of.comm_id);
        }
    }
}

/* Communicators while they are made. */
struct joining {
    struct orr_log_building *b;
    struct orr_arena *arena;
    uint32_t *key_of; /* [session]: the same for those that may be one communicator; NONE if there is none */
    uint32_t keys[COMMUNICATORS_MOST]; /* of each communicator */
    uint32_t *group_of;                /* [session]: groups.h; NONE if its lines name a commId, or no rank */
    bool *guessed;                     /* [group] */
    uint64_t members;
};

static bool takes_part(const struct orr_log_session *session)
{
    return session->named && session->rank >= 0 && session->rank < session->rank_count &&
           session->rank_count <= ORR_LOG_RANKS_MOST;
}

/* Keys of communicators: the first session with the same commId and number of ranks; for sessions without a commId,
 * numbers after these for the groups. */
static enum orr_code make_keys(struct joining *j, struct orr_error *err)
{
    const struct orr_log *log = j->b->log;
    struct orr_index named = {.arena = j->arena};
    j->key_of = ORR_NEW(j->arena, uint32_t, log->session_count);
    ORR_NEED(j->key_of, err);
    for (uint32_t i = 0; i < log->session_count; i++) {
        const struct orr_log_session *session = &log->sessions[i];
        j->key_of[i] = NONE;
        if (!takes_part(session))
            continue;
        if (!session->comm_id) {
            j->key_of[i] = j->group_of[i] == NONE ? NONE : log->session_count + j->group_of[i];
            continue;
        }
        const uint64_t hash = orr_hash_key(orr_hash_key_number(orr_hash_seeded(), (uint64_t)session->rank_count),
                                           session->comm_id, strlen(session->comm_id));
        uintptr_t first;
        for (struct orr_probe probe = {0}; j->key_of[i] == NONE && orr_index_next(&named, hash, &probe, &first);)
            if (log->sessions[first].rank_count == session->rank_count &&
                !strcmp(log->sessions[first].comm_id, session->comm_id))
                j->key_of[i] = (uint32_t)first;
        if (j->key_of[i] == NONE) {
            ORR_NEED(orr_index_add(&named, hash, i), err);
            j->key_of[i] = i;
        }
    }
    return ORR_OK;
}

static enum orr_code add_communicator(struct joining *j, uint32_t index, uint32_t line, struct orr_error *err)
{
    struct orr_log *log = j->b->log;
    const struct orr_log_session *session = &log->sessions[index];
    const uint32_t c = log->communicator_count, group = j->group_of[index];
    ORR_NEED(ORR_RESERVE(log->arena, log->communicators, c, j->b->communicator_capacity), err);
    struct orr_log_communicator *of = &log->communicators[log->communicator_count++];
    *of = (struct orr_log_communicator){.rank_count = session->rank_count,
                                        .node_count = -1,
                                        .first_line = line,
                                        .guessed = group != NONE && j->guessed[group],
                                        .members =
                                            ORR_NEW(log->arena, struct orr_log_member, (size_t)session->rank_count)};
    ORR_NEED(of->members, err);
    for (int32_t r = 0; r < session->rank_count; r++)
        of->members[r].session = NONE;
    j->keys[c] = j->key_of[index];
    j->members += (uint64_t)session->rank_count;
    return ORR_OK;
}

/* The communicator of a session with a key; made if there is none. */
static enum orr_code join_session(struct joining *j, uint32_t index, uint32_t line, struct orr_error *err)
{
    enum { MEMBERS_MOST = 1 << 22 };
    struct orr_log *log = j->b->log;
    struct orr_log_session *session = &log->sessions[index];
    uint32_t c = log->communicator_count;
    for (uint32_t k = 0; k < log->communicator_count; k++) {
        if (j->keys[k] != j->key_of[index])
            continue;
        const uint32_t there = log->communicators[k].members[session->rank].session;
        if (there == NONE) {
            c = c < k ? c : k;
            continue;
        }
        /* Handles a second session for the same rank of a communicator: a first line lost its header or the name of its
         * host, or the communicator was made twice. */
        struct orr_log_session *first = &log->sessions[there];
        if (!session->comm_id || (first->closed && session->closed))
            continue;
        first->closed |= session->closed;
        session->communicator = k;
        return ORR_OK;
    }
    if (c == log->communicator_count) {
        if (c == COMMUNICATORS_MOST || j->members + (uint64_t)session->rank_count > MEMBERS_MOST)
            return ORR_OK;
        ORR_TRY(add_communicator(j, index, line, err));
    }
    struct orr_log_communicator *of = &log->communicators[c];
    of->members[session->rank] = (struct orr_log_member){
        .session = index, .host = log->writers[session->writer].host, .bus_id = session->bus_id};
    of->seen++;
    if (session->node_count > of->node_count)
        of->node_count = session->node_count;
    session->communicator = c;
    return ORR_OK;
}

static void count_hosts(struct orr_log_communicator *of)
{
    for (int32_t r = 0; r < of->rank_count; r++) {
        int32_t before = 0;
        while (of->members[r].host && before < r &&
               (!of->members[before].host || strcmp(of->members[before].host, of->members[r].host)))
            before++;
        of->host_count += of->members[r].host && before == r;
    }
}

/* Assigns sessions that name no rank to the communicator of the same process, or else to the first. */
static void adopt(struct orr_log *log)
{
    for (uint32_t i = 0; i < log->session_count; i++) {
        struct orr_log_session *session = &log->sessions[i];
        if (session->communicator != NONE || session->writer == NONE || session->named)
            continue;
        session->communicator = log->communicator_count ? 0 : NONE;
    }
}

enum orr_code orr_log_join_sessions(struct orr_log_building *b, struct orr_error *err)
{
    enum { HOSTS_COUNTED = 1024 };
    struct orr_log *log = b->log;
    ORR_LOCAL_ARENA(scratch, b->limits.memory);
    struct joining *j = ORR_NEW(scratch, struct joining, 1);
    uint32_t *first_lines = ORR_NEW(scratch, uint32_t, log->session_count);
    ORR_NEED(j && first_lines, err);
    j->b = b;
    j->arena = scratch;
    ORR_TRY(orr_log_group(log, scratch, &j->group_of, &j->guessed, err));
    ORR_TRY(make_keys(j, err));
    for (uint32_t i = log->record_count; i-- > 0;)
        first_lines[log->records[i].session] = log->records[i].line;
    for (uint32_t i = 0; i < log->session_count; i++)
        if (j->key_of[i] != NONE)
            ORR_TRY(join_session(j, i, first_lines[i], err));
    for (uint32_t c = 0; c < log->communicator_count; c++)
        if (log->communicators[c].rank_count <= HOSTS_COUNTED)
            count_hosts(&log->communicators[c]);
    adopt(log);
    if (b->nobody)
        close_torn(log, b->nobody - 1);
    return ORR_OK;
}
