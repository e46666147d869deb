/* SPDX-License-Identifier: Apache-2.0 */
/* The records of each communicator. */
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
    /* Counted two places later, so that filling in leaves the beginnings behind. */
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
