/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/clock.h"

#include <errno.h>
#include <time.h>

enum { MS_PER_S = 1000, NS_PER_MS = 1000000, MOST_LEFT_MS = 3600 * MS_PER_S };

static const uint64_t ns_per_s = 1000000000;

static uint64_t read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * ns_per_s + (uint64_t)now.tv_nsec;
}

static struct timespec to_timespec(int64_t milliseconds)
{
    return (struct timespec){.tv_sec = (time_t)(milliseconds / MS_PER_S),
                             .tv_nsec = (long)(milliseconds % MS_PER_S) * NS_PER_MS};
}

uint64_t orr_clock_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t orr_clock_ms(void)
{
    return (int64_t)(orr_clock_ns() / NS_PER_MS);
}

int64_t orr_clock_coarse_ms(void)
{
    return (int64_t)(read_clock(CLOCK_MONOTONIC_COARSE) / NS_PER_MS);
}

int64_t orr_clock_boot_ms(void)
{
    return (int64_t)(read_clock(CLOCK_BOOTTIME) / NS_PER_MS);
}

int64_t orr_wall_ms(void)
{
    return (int64_t)(read_clock(CLOCK_REALTIME) / NS_PER_MS);
}

int64_t orr_wall_coarse_ms(void)
{
    return (int64_t)(read_clock(CLOCK_REALTIME_COARSE) / NS_PER_MS);
}

uint64_t orr_cpu_ns(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

int orr_clock_left(int64_t deadline_ms)
{
    int64_t left = deadline_ms - orr_clock_ms();
    return left <= 0 ? 0 : left > MOST_LEFT_MS ? MOST_LEFT_MS : (int)left;
}

bool orr_clock_wait(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t deadline_ms)
{
    struct timespec until = to_timespec(deadline_ms);
    return pthread_cond_clockwait(condition, lock, CLOCK_MONOTONIC, &until) != ETIMEDOUT;
}

void orr_clock_sleep(int64_t milliseconds)
{
    struct timespec pause = to_timespec(milliseconds);
    nanosleep(&pause, NULL);
}
