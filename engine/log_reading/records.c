/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the values caught in a line into a record, and lists the records of each communicator. */
#include <string.h>

#include "engine/log_reading/building.h"

enum { NONE = UINT32_MAX };

static uint32_t place_of(const struct orr_log *log, const struct orr_log_record *record)
{
    const uint32_t communicator = log->sessions[record->session].communicator;
    return communicator < log->communicator_count ? communicator : log->communicator_count;
}

bool orr_log_index_records(struct orr_log *log)
{
    const uint32_t places = log->communicator_count + 1;
    log->by_communicator = ORR_NEW(log->arena, uint32_t, log->record_count);
    log->first_of = ORR_NEW(log->arena, uint32_t, (size_t)places + 2);
    if (!log->by_communicator || !log->first_of)
        return false;
    /* Counts two places later, so that after filling the list, each entry is a beginning again. */
    for (uint32_t i = 0; i < log->record_count; i++)
        log->first_of[place_of(log, &log->records[i]) + 2]++;
    for (uint32_t p = 0; p < places; p++)
        log->first_of[p + 2] += log->first_of[p + 1];
    for (uint32_t i = 0; i < log->record_count; i++)
        log->by_communicator[log->first_of[place_of(log, &log->records[i]) + 1]++] = i;
    return true;
}

struct orr_log_own orr_log_records_of(const struct orr_log *log, uint32_t communicator)
{
    const uint32_t place = communicator < log->communicator_count ? communicator : log->communicator_count;
    return (struct orr_log_own){.at = log->by_communicator + log->first_of[place],
                                .count = log->first_of[place + 1] - log->first_of[place]};
}

/* Copies the values of a line into a record. */
void orr_log_fill_record(struct orr_log_building *b, struct orr_log_record *record)
{
    const struct orr_log_catch *found = b->found;
    struct orr_arena *arena = b->log->arena;
    double *values = ORR_NEW(arena, double, found->value_count);
    const char **words = ORR_NEW(arena, const char *, found->word_count);
    if (!values || !words)
        return;
    memcpy(values, found->values, found->value_count * sizeof *values);
    for (uint32_t i = 0; i < found->word_count; i++)
        words[i] = orr_log_keep_text(b, found->words[i].at, found->words[i].length);
    record->values = values;
    record->words = words;
    record->value_count = found->value_count;
    record->word_count = found->word_count;
}

uint32_t orr_log_add_record(struct orr_log_building *b, enum orr_log_kind kind, uint32_t writer, uint32_t line)
{
    struct orr_log *log = b->log;
    log->kinds[kind]++;
    if (kind == ORR_LOG_CALL) {
        orr_log_take_call(b, writer, line);
        return ORR_LOG_NOBODY;
    }
    if (log->record_count >= b->limits.records) {
        log->left_out++;
        return ORR_LOG_NOBODY;
    }
    if (!ORR_RESERVE(log->arena, log->records, log->record_count, b->record_capacity))
        return ORR_LOG_NOBODY;
    struct orr_log_record *record = &log->records[log->record_count];
    *record = (struct orr_log_record){.kind = kind, .line = line};
    if (kind != ORR_LOG_CHOICE) /* those are kept once each */
        orr_log_fill_record(b, record);
    record->session = orr_log_session_of(b, writer, kind);
    if (kind == ORR_LOG_CHOICE) {
        orr_log_take_choice(b, writer, record->session, line);
        return ORR_LOG_NOBODY;
    }
    return log->record_count++;
}
