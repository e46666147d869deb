/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the rank of a line that does not name it, by the process and GPU where ranks ran. */
#include "engine/log_reading/places.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/sorting.h"

ORR_COMPARATOR(by_place, struct orr_log_place, strcmp(a->host, b->host), ORR_ORDER(a->pid, b->pid),
               ORR_ORDER(a->order, b->order), a->rank - b->rank)

const struct orr_log_place *orr_log_places(struct orr_log_building *b, uint32_t *ret_count)
{
    const struct orr_log *log = b->log;
    struct orr_log_place *places = ORR_NEW(log->arena, struct orr_log_place, (size_t)log->session_count + 1);
    uint32_t count = 0, largest = orr_log_largest(log);
    for (uint32_t i = 0; places && i < log->session_count; i++) {
        const struct orr_log_session *session = &log->sessions[i];
        if (session->named && session->communicator != UINT32_MAX && session->writer != UINT32_MAX) {
            const struct orr_log_writer *writer = &log->writers[session->writer];
            places[count++] = (struct orr_log_place){writer->host, writer->pid, session->cuda_dev, session->rank,
                                                     session->communicator == largest ? 0 : session->communicator + 1};
        }
    }
    if (count)
        qsort(places, count, sizeof *places, by_place);
    *ret_count = count;
    return places;
}

int32_t orr_log_rank_at(const struct orr_log_place *places, uint32_t count, const struct orr_log_writer *writer,
                        int32_t dev)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(places[middle].host, writer->host);
        if (order < 0 || (!order && places[middle].pid < writer->pid))
            low = middle + 1;
        else
            high = middle;
    }
    enum { COMMUNICATORS_MOST = 64 };
    int32_t only = -1;
    bool several = false;
    for (uint32_t i = low; i < count && i < low + COMMUNICATORS_MOST && places[i].pid == writer->pid &&
                           !strcmp(places[i].host, writer->host);
         i++) {
        if (dev >= 0 && places[i].dev == dev)
            return places[i].rank;
        if (places[i].order == places[low].order) {
            several |= only >= 0 && only != places[i].rank;
            only = places[i].rank;
        }
    }
    return several ? -1 : only;
}
