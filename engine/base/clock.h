/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks, deadlines and waiting.
 *
 * A duration or a deadline is measured on the monotonic clock, which nobody can set: it starts at an unspecified point,
 * so its values only compare with one another. The wall clock is for times that people read or that outlive the
 * process. A deadline is a value of orr_clock_ms(). All functions may be called from any thread.
 */
#ifndef ORR_BASE_CLOCK_H
#define ORR_BASE_CLOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Nanoseconds and milliseconds on the monotonic clock. */
uint64_t orr_clock_ns(void);
int64_t orr_clock_ms(void);
/* The same clock as it was at the last tick, up to 10 ms ago, for a fifth of the processor time. */
int64_t orr_clock_coarse_ms(void);
/* Milliseconds since the machine started, including the time it was suspended. Nobody can set this clock either. */
int64_t orr_clock_boot_ms(void);
/* Milliseconds since 1970-01-01 00:00 UTC on the wall clock, which may be set back. */
int64_t orr_wall_ms(void);
int64_t orr_wall_coarse_ms(void); /* as it was at the last tick */
/* Nanoseconds of processor time that all threads of this process have used. */
uint64_t orr_cpu_ns(void);

/* Milliseconds left until a deadline, for poll(): 0 once it has passed, at most one hour. */
int orr_clock_left(int64_t deadline_ms);
/* Waits for a condition like pthread_cond_timedwait(); false if the deadline has passed. The caller holds the lock. */
bool orr_clock_wait(pthread_cond_t *condition, pthread_mutex_t *lock, int64_t deadline_ms);
/* Pauses this thread for that long, or until a signal handler has run. */
void orr_clock_sleep(int64_t milliseconds);

#endif
