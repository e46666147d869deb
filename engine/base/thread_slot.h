/* SPDX-License-Identifier: Apache-2.0 */
/* A small number for each thread. Data that all threads write often, such as counters, has a copy for each number, so
 * that threads do not contend for cache lines. Threads share a number only if there are more threads than numbers. */
#ifndef ORR_BASE_THREAD_SLOT_H
#define ORR_BASE_THREAD_SLOT_H

enum { ORR_THREAD_SLOTS = 8, ORR_CACHE_LINE = 64 /* bytes */ };

/* 0 to ORR_THREAD_SLOTS - 1; always the same in one thread. */
unsigned orr_thread_slot(void);

#endif
