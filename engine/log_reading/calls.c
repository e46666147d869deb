/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the last collective that each rank called, from the lines of NCCL_DEBUG_SUBSYS=COLL. A long job prints millions
 * of these, so only the last line of each process and communicator is kept. */
#include <stdlib.h>
#include <string.h>

#include "engine/log_reading/building.h"

enum { CALLS_MOST = 65536, NONE = UINT32_MAX };

/* The line's words, and its value that is the root or peer. */
enum { FUNCTION, OP_COUNT, SENT, RECEIVED, ELEMENTS, COMM };
enum { PEER = 2 };

bool orr_log_word_is(const char *text, const struct orr_log_catch *found, uint32_t word)
{
    return strlen(text) == found->words[word].length && !memcmp(text, found->words[word].at, found->words[word].length);
}

static uint64_t read_hex(const struct orr_log_catch *found, uint32_t word)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < found->words[word].length; i++) {
        const char digit = found->words[word].at[i];
        value = value << 4 | (uint64_t)(digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10);
    }
    return value;
}

/* The function's name, of which only one copy is kept; "" if there are too many names. */
static const char *function_of(struct orr_log_building *b)
{
    for (uint32_t i = 0; i < b->function_count; i++)
        if (orr_log_word_is(b->functions[i], b->found, FUNCTION))
            return b->functions[i];
    if (b->function_count == sizeof b->functions / sizeof b->functions[0])
        return "";
    return b->functions[b->function_count++] =
               orr_log_keep_text(b, b->found->words[FUNCTION].at, b->found->words[FUNCTION].length);
}

/* The row of a process's thread and communicator, made if it is new; NULL if there is no room. */
static struct orr_log_call *row_of(struct orr_log_building *b, uint32_t writer)
{
    struct orr_log *log = b->log;
    const struct orr_log_catch *found = b->found;
    uint64_t hash = orr_hash_key_number(orr_hash_seeded(), writer);
    hash = orr_hash_key(hash, found->words[COMM].at, found->words[COMM].length);
    uintptr_t row;
    for (struct orr_probe probe = {0}; orr_index_next(&b->calls, hash, &probe, &row);) {
        struct orr_log_call *call = &log->calls[row];
        if (call->writer == writer && orr_log_word_is(call->comm, found, COMM))
            return call;
    }
    if (log->call_count == CALLS_MOST)
        return NULL;
    if (!ORR_RESERVE(log->arena, log->calls, log->call_count, b->call_capacity) ||
        !orr_index_add(&b->calls, hash, log->call_count))
        return NULL;
    struct orr_log_call *call = &log->calls[log->call_count++];
    *call = (struct orr_log_call){.writer = writer,
                                  .communicator = NONE,
                                  .rank = -1,
                                  .function = "",
                                  .comm = orr_log_keep_text(b, found->words[COMM].at, found->words[COMM].length)};
    return call;
}

void orr_log_take_call(struct orr_log_building *b, uint32_t writer, uint32_t line)
{
    struct orr_log_call *call = writer == NONE ? NULL : row_of(b, writer);
    if (!call)
        return;
    struct orr_log_called *called = &b->called[writer];
    const uint32_t index = (uint32_t)(call - b->log->calls);
    called->call = called->chosen || called->call == index ? index : NONE;
    called->chosen = false;
    const int32_t peer = (int32_t)b->found->values[PEER];
    const uint64_t op_count = read_hex(b->found, OP_COUNT);
    const bool same = orr_log_word_is(call->function, b->found, FUNCTION);
    const bool again = same && call->peer == peer && call->op_count == op_count;
    if (!same)
        call->function = function_of(b);
    call->peer = peer;
    call->sent_twice |= again && !strcmp(call->function, "Send");
    call->received_twice |= again && !strcmp(call->function, "Recv");
    call->op_count = op_count;
    call->elements = strtoull(b->found->words[ELEMENTS].at, NULL, 10); /* a blank follows */
    call->line = line;
    call->lines++;
    call->transfers |= !strcmp(call->function, "Send") || !strcmp(call->function, "Recv");
}

static bool is_same_process(const struct orr_log *log, uint32_t a, uint32_t b)
{
    return log->writers[a].pid == log->writers[b].pid && !strcmp(log->writers[a].host, log->writers[b].host);
}

void orr_log_place_calls(struct orr_log *log)
{
    enum { WORK_MOST = 1 << 26 };
    uint64_t work = 0;
    for (uint32_t i = 0; i < log->call_count; i++) {
        struct orr_log_call *call = &log->calls[i];
        /* Searches from the end, because an address is reused once its communicator is destroyed. */
        for (uint32_t s = log->session_count; s-- > 0 && call->rank < 0 && work < WORK_MOST; work++) {
            const struct orr_log_session *session = &log->sessions[s];
            if (!session->named || !session->comm || session->communicator == NONE || session->writer == NONE ||
                strcmp(session->comm, call->comm) != 0 || !is_same_process(log, session->writer, call->writer))
                continue;
            call->rank = session->rank;
            call->communicator = session->communicator;
        }
    }
}
