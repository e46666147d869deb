/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the algorithms that NCCL chose, each only once: a long job prints millions of such lines. */
#include <string.h>

#include "engine/log_reading/building.h"

enum { CHOICES_MOST = 65536, NONE = UINT32_MAX };

/* A whole number of any size; false if it is not a number. */
static bool read_bytes(const char *at, size_t length, uint64_t *ret_bytes)
{
    enum { DIGITS_MOST = 18 };
    *ret_bytes = 0;
    for (size_t i = 0; i < length; i++) {
        if (at[i] < '0' || at[i] > '9' || length > DIGITS_MOST)
            return false;
        *ret_bytes = *ret_bytes * 10 + (uint64_t)(at[i] - '0');
    }
    return length > 0;
}

void orr_log_take_choice(struct orr_log_building *b, uint32_t writer, uint32_t session, uint32_t line)
{
    struct orr_log *log = b->log;
    const uint32_t call = writer == NONE ? NONE : b->called[writer].call;
    if (writer != NONE)
        b->called[writer].chosen = true;
    const struct orr_log_catch *found = b->found;
    enum { WITH_FUNCTION = 4 };
    const uint32_t named = found->word_count == WITH_FUNCTION;
    uint64_t bytes;
    if (!read_bytes(found->words[named].at, found->words[named].length, &bytes))
        return;
    const int32_t first = found->value_count == 2 ? (int32_t)found->values[0] : -1;
    const int32_t last = found->value_count == 2 ? (int32_t)found->values[1] : -1;
    uint64_t hash = orr_hash_key_number(orr_hash_key_number(orr_hash_seeded(), bytes), session);
    hash = orr_hash_key_number(orr_hash_key_number(hash, (uint64_t)first << 32 | (uint32_t)last), call);
    for (uint32_t w = 0; w < found->word_count; w++)
        hash = orr_hash_key(hash, found->words[w].at, found->words[w].length);
    uintptr_t row;
    for (struct orr_probe probe = {0}; orr_index_next(&b->choices, hash, &probe, &row);) {
        struct orr_log_choice *choice = &log->choices[row];
        if (choice->bytes == bytes && choice->session == session && choice->call == call &&
            choice->first_channel == first && choice->last_channel == last &&
            orr_log_word_is(choice->algorithm, found, named + 1) &&
            orr_log_word_is(choice->protocol, found, named + 2)) {
            choice->count++;
            return;
        }
    }
    if (log->choice_count == CHOICES_MOST) {
        log->choices_left_out++;
        return;
    }
    if (!ORR_RESERVE(log->arena, log->choices, log->choice_count, b->choice_capacity) ||
        !orr_index_add(&b->choices, hash, log->choice_count))
        return;
    log->choices[log->choice_count++] = (struct orr_log_choice){
        .function = named ? orr_log_keep_text(b, found->words[0].at, found->words[0].length) : "",
        .algorithm = orr_log_keep_text(b, found->words[named + 1].at, found->words[named + 1].length),
        .protocol = orr_log_keep_text(b, found->words[named + 2].at, found->words[named + 2].length),
        .bytes = bytes,
        .first_channel = first,
        .last_channel = last,
        .session = session,
        .communicator = NONE,
        .call = call,
        .line = line,
        .count = 1,
    };
}

/* Whether two communicators have the same number of ranks and hosts, so that NCCL makes the same choices. */
static bool are_alike(const struct orr_log_communicator *a, const struct orr_log_communicator *b)
{
    return a->rank_count == b->rank_count && a->host_count == b->host_count;
}

/* The communicator of a session's choice: that of its process; NONE if the process has several of different shapes and
 * the line does not name one. */
static uint32_t communicator_of(const struct orr_log *log, uint32_t session)
{
    enum { SESSIONS_MOST = 4096 };
    const struct orr_log_session *of = &log->sessions[session];
    uint32_t best = of->communicator;
    if (of->writer == NONE)
        return NONE;
    if (!of->named)
        best = NONE;
    const struct orr_log_writer *writer = &log->writers[of->writer];
    for (uint32_t i = 0; i < log->session_count && i < SESSIONS_MOST; i++) {
        const struct orr_log_session *other = &log->sessions[i];
        if (!other->named || other->communicator == NONE || other->writer == NONE ||
            log->writers[other->writer].pid != writer->pid || strcmp(log->writers[other->writer].host, writer->host))
            continue;
        if (best != NONE && !are_alike(&log->communicators[best], &log->communicators[other->communicator]))
            return NONE;
        best = best == NONE ? other->communicator : best;
    }
    return best;
}

void orr_log_place_choices(struct orr_log *log)
{
    uint32_t last = NONE; /* the session that was looked up last */
    uint32_t found = NONE;
    for (uint32_t i = 0; i < log->choice_count; i++) {
        struct orr_log_choice *choice = &log->choices[i];
        choice->communicator = choice->call == NONE ? NONE : log->calls[choice->call].communicator;
        if (choice->communicator != NONE)
            continue;
        found = choice->session == last ? found : communicator_of(log, choice->session);
        last = choice->session;
        choice->communicator = found;
    }
}
