/* SPDX-License-Identifier: Apache-2.0 */
/* The times of day in lines, "2025-02-26 09:12:44 ..." or "[E226 10:34:52.114 ...", and the longest pause between them
 * before NCCL's first warning. */
#include <string.h>

#include "engine/log_reading/building.h"

enum { DAY = 86400, WITHIN = 64 /* bytes of a line, in which its time begins */ };

/* Reads two digits below a limit; -1 if there are none. */
static int two_digits(const char *at, int limit)
{
    if (!orr_is_digit(at[0]) || !orr_is_digit(at[1]))
        return -1;
    const int value = (at[0] - '0') * 10 + at[1] - '0';
    return value < limit ? value : -1;
}

/* The seconds since midnight of "10:34:52"; -1 if the text has none there. An address goes on with ':', and the time
 * that a progress bar shows with '<'. */
static int time_at(const char *at)
{
    enum { HOURS = 24, SIXTY = 60, MINUTE = 3, SECOND = 6, LENGTH = 8 };
    const int hours = two_digits(at, HOURS), minutes = hours < 0 || at[2] != ':' ? -1 : two_digits(at + MINUTE, SIXTY),
              seconds = minutes < 0 || at[SECOND - 1] != ':' ? -1 : two_digits(at + SECOND, SIXTY);
    if (seconds < 0 || orr_is_digit(at[LENGTH]) || strchr(":<", at[LENGTH] ? at[LENGTH] : ' '))
        return -1;
    return (hours * SIXTY + minutes) * SIXTY + seconds;
}

void orr_log_take_clock(struct orr_log_building *b, const char *line, uint32_t number)
{
    struct orr_log_pause *pause = &b->log->pause;
    const char *at = strchr(line, ':');
    int now = -1;
    for (; at && at - line < WITHIN && now < 0; at = strchr(at + 1, ':'))
        if (at - line >= 2 && (at - line == 2 || !(orr_is_digit(at[-3]) || at[-3] == ':')))
            now = time_at(at - 2);
    if (now < 0)
        return;
    int passed = now - b->clock;
    passed += passed < -DAY / 2 ? DAY : 0;
    if (b->clock_line && !b->log->kinds[ORR_LOG_WARNING] && passed > (int)pause->seconds)
        *pause = (struct orr_log_pause){(uint32_t)passed, b->clock_line, number};
    b->clock = now;
    b->clock_line = number;
}
