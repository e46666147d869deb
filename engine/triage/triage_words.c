/* SPDX-License-Identifier: Apache-2.0 */
/* Words of a triage: names of verdicts and events, lists of ranks, and texts in the triage's arena. */
#include "engine/base/words.h"

#include <stdio.h>
#include <string.h>

#include "engine/triage/building.h"

ORR_WORD_LIST(orr_triage_word, enum orr_triage_verdict, ORR_TRIAGE_VERDICT_MAP(ORR_SECOND_OF))

/* PyTorch puts the rank before an exception only if nobody caught it. */
static bool is_uncaught(const struct orr_log_event *event)
{
    return event->message->weight == ORR_WEIGHT_ERROR && !strncmp(event->text, "[rank", strlen("[rank"));
}

enum orr_log_weight orr_triage_weight(const struct orr_log_event *event)
{
    if (event->tried)
        return ORR_WEIGHT_NOTE;
    if (!event->message)
        return ORR_WEIGHT_WARNING;
    return is_uncaught(event) ? ORR_WEIGHT_FATAL : event->message->weight;
}

bool orr_triage_is_part(const struct orr_log *log)
{
    static const char asks[] = "?;gb s |gbps|gbit|tokens s|tok s& i | we | my | our | reach| only |instead| gives ",
                      stands[] = " hang| hung| stuck| freez| frozen| deadlock| never| stall| wait| timeout| timed out| "
                                 "time out| not start| blocked| nothing happens| no progress| no output| not proceed| "
                                 "not finish| stops| not complete| not respond| sits | fail| crash| error| abort| "
                                 "killed| dies| not work&!without an error|without error|no error";
    bool any = log->shortened;
    for (uint32_t i = 0; i < log->said_count; i++) {
        any |= !log->said[i].command && orr_log_says(log->said, log->said_count, i, asks);
        if (orr_log_says(log->said, log->said_count, i, stands))
            return false;
    }
    return any;
}

const char *orr_event_severity(const struct orr_log_event *event)
{
    static const char *const words[] = {ORR_LOG_WEIGHT_MAP(ORR_SECOND_OF)};
    return words[orr_triage_weight(event)];
}

const char *orr_event_ends(const struct orr_log_event *event)
{
    static const char *const words[] = {ORR_LOG_WEIGHT_MAP(ORR_THIRD_OF)};
    return words[orr_triage_weight(event)];
}

const char *orr_ranks_text(const int32_t *ranks, uint32_t count, struct orr_arena *arena)
{
    enum { RANGES_MOST = 20, SIZE = 400 };
    char text[SIZE];
    size_t length = 0;
    uint32_t ranges = 0, i = 0;
    text[0] = 0;
    while (i < count && ranges++ < RANGES_MOST) {
        uint32_t end = i;
        while (end + 1 < count && ranks[end + 1] == ranks[end] + 1)
            end++;
        length += (size_t)snprintf(text + length, sizeof text - length, end > i ? "%s%d-%d" : "%s%d", i ? "," : "",
                                   ranks[i], ranks[end]);
        i = end + 1;
    }
    if (i < count)
        snprintf(text + length, sizeof text - length, " and %u more", count - i);
    return orr_arena_strndup(arena, text, strlen(text));
}
