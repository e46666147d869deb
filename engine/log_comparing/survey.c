/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/log_comparing/survey.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "engine/base/sorting.h"

enum { NONE = UINT32_MAX };
enum { COMPARED_MOST = 128, RANKS_MOST = 16384, EXPLAINED_MOST = 3, HASHED_MOST = 4096 };

struct surveying {
    const struct orr_log *log;
    const struct orr_log_check *check; /* of the communicator that the question is about */
    struct orr_log_question question;
    struct orr_log_survey *survey;
    uint64_t *of_session; /* [session]: hash of its lines */
    uint64_t *prints;     /* [row] */
    uint32_t compared;    /* number of comparisons made here */
    uint64_t ranks;       /* ranks in these */
    struct orr_settings given;
    const char *gpus;   /* --gpus; NULL if not given */
    uint32_t hosts;     /* --hosts; 0 if not given */
    uint32_t explained; /* number of communicators whose causes were sought */
};

/* Whether lines of a kind tell nothing about the machine: addresses, numbers of the process, messages. */
static bool is_of_process(enum orr_log_kind kind)
{
    static const bool rows[ORR_LOG_KIND_COUNT] = {
        [ORR_LOG_INIT_START] = true, [ORR_LOG_COMMUNICATOR] = true, [ORR_LOG_INIT_COMPLETE] = true,
        [ORR_LOG_COMM_END] = true,   [ORR_LOG_WARNING] = true,      [ORR_LOG_CONNECTED] = true,
    };
    return rows[kind];
}

static uint64_t hash_record(uint64_t hash, const struct orr_log_record *record)
{
    hash = orr_hash_number(hash, (uint64_t)record->kind);
    if (record->value_count)
        hash = orr_hash_bytes(hash, record->values, record->value_count * sizeof *record->values);
    for (uint32_t i = 0; i < record->word_count; i++) {
        /* "[0]mlx5_0:1/IB ; OOB eth0:10.0.0.1<0>": the address is the host's. */
        const bool list = record->kind == ORR_LOG_NIC_LIST;
        const size_t length = list ? strcspn(record->words[i], ";") : strlen(record->words[i]);
        hash = orr_hash_number(orr_hash_bytes(hash, record->words[i], length), length);
    }
    return hash;
}

/* Hashes the places of ranks: similar communicators have the same GPUs on the same number of hosts. */
static uint64_t hash_members(const struct orr_log *log, const struct orr_log_communicator *of)
{
    uint64_t hash = orr_hash_number(ORR_HASH_START, (uint64_t)of->rank_count);
    int32_t last = 0; /* the rank whose host was found last */
    hash = orr_hash_number(hash, (uint64_t)of->node_count);
    for (int32_t r = 0; r < of->rank_count; r++) {
        const struct orr_log_member *member = &of->members[r];
        if (member->session == NONE || !member->host)
            continue;
        const struct orr_log_session *session = &log->sessions[member->session];
        int32_t first = last;
        if (strcmp(of->members[last].host ? of->members[last].host : "", member->host) != 0)
            for (first = 0; !of->members[first].host || strcmp(of->members[first].host, member->host) != 0;)
                first++;
        last = first;
        hash = orr_hash_number(orr_hash_number(hash, (uint64_t)r), (uint64_t)first);
        hash = orr_hash_number(orr_hash_number(hash, (uint64_t)session->nvml_dev), (uint64_t)session->cuda_dev);
        hash = orr_hash_text(hash, member->bus_id ? member->bus_id : "");
    }
    return hash;
}

/* A hash that is equal for communicators with equal lines, in any order of their ranks. */
static uint64_t print_of(struct surveying *s, uint32_t communicator)
{
    const struct orr_log *log = s->log;
    const struct orr_log_own own = orr_log_records_of(log, communicator);
    const struct orr_log_communicator *of = &log->communicators[communicator];
    uint64_t sum = of->rank_count > HASHED_MOST ? communicator : hash_members(log, of);
    for (uint32_t i = 0; i < own.count; i++) {
        const struct orr_log_record *record = &log->records[own.at[i]];
        uint64_t *hash = &s->of_session[record->session];
        if (is_of_process(record->kind))
            continue;
        if (!*hash)
            *hash = orr_hash_number(ORR_HASH_START, (uint64_t)log->sessions[record->session].rank);
        *hash = hash_record(*hash, record);
    }
    for (uint32_t i = 0; i < own.count; i++) {
        uint64_t *hash = &s->of_session[log->records[own.at[i]].session];
        *hash ^= *hash >> 29;
        sum += orr_hash_number(*hash, *hash >> 32);
        *hash = 0;
    }
    return sum;
}

static enum orr_code take_result(struct orr_arena *arena, const struct orr_log_check *check,
                                 struct orr_log_survey_row *row, struct orr_error *err)
{
    row->agree = check->agree;
    row->differ = check->differ;
    row->left = NONE;
    if (check->first < check->fact_count) {
        const struct orr_log_fact *fact = &check->facts[check->first];
        row->line = fact->line;
        row->what = orr_arena_strndup(arena, fact->what, strlen(fact->what));
        row->logged = orr_arena_strndup(arena, fact->logged.text, strlen(fact->logged.text));
        row->predicted = orr_arena_strndup(arena, fact->predicted.text, strlen(fact->predicted.text));
        ORR_NEED(row->what && row->logged && row->predicted, err);
    }
    if (check->cause_count) {
        const struct orr_log_cause *cause = &check->causes[0];
        row->left = cause->tested ? cause->left : NONE;
        row->cause = orr_arena_strndup(arena, cause->what, strlen(cause->what));
        ORR_NEED(row->cause, err);
    }
    return ORR_OK;
}

/* Compares a communicator that does not equal an earlier one. */
static enum orr_code compare(struct surveying *s, const struct orr_dump *dump, struct orr_log_survey_row *row,
                             struct orr_error *err)
{
    struct orr_arena *arena = s->check->arena;
    const uint64_t ranks = (uint64_t)s->log->communicators[row->communicator].rank_count;
    struct orr_error refused = {0};
    struct orr_log_check *check;
    if (s->compared == COMPARED_MOST || s->ranks + ranks > RANKS_MOST) {
        row->why = "there are too many communicators; --communicator (communicator=) compares one of them";
        return ORR_OK;
    }
    s->compared++;
    s->ranks += ranks;
    s->question.communicator = row->communicator;
    /* --hosts and --gpus only apply to the communicator that is shown. */
    const bool alike = s->log->communicators[s->check->communicator].rank_count == (int32_t)ranks;
    s->question.hosts = alike ? s->hosts : 0;
    s->given.gpus = alike ? s->gpus : NULL;
    s->question.without_causes = s->explained == EXPLAINED_MOST;
    enum orr_code code = orr_log_compare(s->log, dump, &s->question, &check, &refused);
    if (code == ORR_NOMEM || code == ORR_SPENT || code == ORR_INTERNAL) {
        *err = refused;
        return code;
    }
    if (code != ORR_OK) { /* the machine is too small for it */
        row->why = orr_arena_strndup(arena, refused.text, strlen(refused.text));
        return row->why ? ORR_OK : orr_fail_nomem(err);
    }
    s->explained += check->differ > 0 && !s->question.without_causes;
    code = take_result(arena, check, row, err);
    orr_log_check_free(check);
    return code;
}

/* Adds one communicator: it equals another, is that of the check, or is compared here. */
static enum orr_code fill_row(struct surveying *s, const struct orr_dump *dump, uint32_t at, const uint32_t *done,
                              uint32_t done_count, struct orr_error *err)
{
    struct orr_log_survey_row *row = &s->survey->rows[at];
    row->like = row->communicator;
    if (row->communicator == s->check->communicator)
        return take_result(s->check->arena, s->check, row, err);
    for (uint32_t i = 0; i < done_count; i++) {
        const struct orr_log_survey_row *other = &s->survey->rows[done[i]];
        if (other->like == other->communicator && s->prints[done[i]] == s->prints[at]) {
            const uint32_t communicator = row->communicator;
            *row = *other;
            row->communicator = communicator;
            row->line = 0;
            return ORR_OK;
        }
    }
    return compare(s, dump, row, err);
}

struct by_size {
    uint32_t row;
    int32_t ranks;
    bool first; /* the communicator of the check */
};

ORR_COMPARATOR(by_size, struct by_size, ORR_ORDER(b->first, a->first), ORR_ORDER(b->ranks, a->ranks),
               ORR_ORDER(a->row, b->row))

static enum orr_code survey(struct surveying *s, const struct orr_dump *dump, struct orr_arena *scratch,
                            struct orr_error *err)
{
    const struct orr_log *log = s->log;
    struct orr_log_survey *made = s->survey;
    struct by_size *order = ORR_NEW(scratch, struct by_size, made->row_count);
    uint32_t *done = ORR_NEW(scratch, uint32_t, made->row_count);
    s->of_session = ORR_NEW(scratch, uint64_t, log->session_count);
    s->prints = ORR_NEW(scratch, uint64_t, made->row_count);
    ORR_NEED(order && done && s->of_session && s->prints, err);
    for (uint32_t i = 0; i < made->row_count; i++) {
        struct orr_log_survey_row *row = &made->rows[i];
        row->communicator = made->row_count == 1 ? s->check->communicator : i;
        if (made->row_count > 1)
            s->prints[i] = print_of(s, row->communicator);
        order[i] = (struct by_size){.row = i,
                                    .ranks = log->communicators[row->communicator].rank_count,
                                    .first = row->communicator == s->check->communicator};
    }
    qsort(order, made->row_count, sizeof *order, by_size);
    for (uint32_t i = 0; i < made->row_count; i++) {
        ORR_TRY(fill_row(s, dump, order[i].row, done, i, err));
        done[i] = order[i].row;
    }
    for (uint32_t i = 0; i < made->row_count; i++) {
        made->compared += !made->rows[i].why;
        made->differing += made->rows[i].differ > 0;
        made->agree += made->rows[i].agree;
        made->differ += made->rows[i].differ;
    }
    return ORR_OK;
}

enum orr_code orr_log_survey(struct orr_log_check *check, const struct orr_dump *dump,
                             const struct orr_log_question *question, struct orr_error *err)
{
    const struct orr_log *log = check->log;
    struct orr_log_survey *made = ORR_NEW(check->arena, struct orr_log_survey, 1);
    struct surveying s = {.log = log, .check = check, .question = *question, .survey = made};
    if (question->given) {
        s.given = *question->given;
        s.gpus = s.given.gpus;
        s.question.given = &s.given;
    }
    s.hosts = question->hosts;
    const bool one = question->communicator < log->communicator_count;
    ORR_NEED(made, err);
    check->survey = made;
    if (check->communicator == NONE) { /* the log names no communicator, so all its lines are treated as one */
        made->agree = check->agree;
        made->differ = check->differ;
        return ORR_OK;
    }
    made->row_count = one ? 1 : log->communicator_count;
    made->rows = ORR_NEW(check->arena, struct orr_log_survey_row, made->row_count);
    if (!s.question.release && !check->release_named)
        s.question.release = check->query.settings.release;
    ORR_LOCAL_ARENA(scratch, 0);
    ORR_NEED(made->rows && scratch, err);
    return survey(&s, dump, scratch, err);
}
