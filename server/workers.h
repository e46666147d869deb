/* SPDX-License-Identifier: Apache-2.0 */
/* Threads for all work that may wait or take long, so that the threads that serve connections stay free.
 *
 * Work is short (it uses the cache and the store) or long (it reads a body or computes). One thread runs only short
 * work. Clients take turns with long work, and one client never occupies all threads: a client that floods the queue
 * delays only itself. */
#ifndef ORR_SERVER_WORKERS_H
#define ORR_SERVER_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "api/metrics/metrics.h"
#include "server/limits.h"

struct orr_worker_client;

struct orr_job {
    void (*run)(struct orr_job *job);
    struct orr_client client; /* who asks */
    enum orr_work_class work;
    bool always; /* accepted even if the queue is full: probes, metrics, the next piece of a stream */
    /* the pool's own */
    struct orr_job *next;
    struct orr_worker_client *of;
    uint64_t since_ns;
    bool waits;
};

struct orr_workers;

/* Most long jobs of one client that run at once in a pool of this many threads. At least two, so that a call that
 * waits for the database does not delay the client's other calls. */
unsigned orr_workers_long(unsigned threads);
/* threads: number of threads for long work; the pool adds one, and another for short work. most: longest queue, in
 * jobs. NULL if memory or threads run out. */
struct orr_workers *orr_workers_new(unsigned threads, unsigned long most, struct orr_metrics *metrics);
/* FULL: the queue is full. ENDED: the threads have ended. */
enum orr_workers_say { ORR_WORKERS_TOOK, ORR_WORKERS_FULL, ORR_WORKERS_ENDED };
/* Queues a job after those of its client; the job must live until it has run. */
enum orr_workers_say orr_workers_add(struct orr_workers *workers, struct orr_job *job);
/* Runs a waiting job next, because it has nothing left to do. Does nothing if the job is not waiting. */
void orr_workers_hurry(struct orr_workers *workers, struct orr_job *job);
/* Number of waiting jobs. */
unsigned long orr_workers_waiting(struct orr_workers *workers);
/* Runs the queued jobs, then ends the threads. Other threads may still offer jobs, which are refused. */
void orr_workers_end(struct orr_workers *workers);
/* Ends the threads if that has not been done, and frees the pool. From now on no thread may offer jobs. NULL is
 * allowed.
 */
void orr_workers_free(struct orr_workers *workers);

#endif
