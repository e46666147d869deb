/* SPDX-License-Identifier: Apache-2.0 */
/* Threads for all work that may wait or take long, so that those that serve connections stay free.
 *
 * Work is short (it asks the cache and the store) or long (it reads a body or computes). One thread takes short work
 * only. Long work is taken in turns, client by client, and one client never has more of it running than all threads but
 * one: whoever floods the queue delays himself. */
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
    bool always; /* taken however many wait: probes, metrics, the next piece of a stream */
    /* the pool's own */
    struct orr_job *next;
    struct orr_worker_client *of;
    uint64_t since_ns;
    bool waits;
};

struct orr_workers;

/* How much long work of one client runs at once in a pool that is made for this many threads. At least two, so that one
 * call that waits for the database does not delay the client's others. */
unsigned orr_workers_long(unsigned threads);
/* threads: for long work, of which there is one more; and one for short work. most: jobs that may wait. NULL: no memory
 * or no threads. */
struct orr_workers *orr_workers_new(unsigned threads, unsigned long most, struct orr_metrics *metrics);
/* FULL: as many as may wait do. ENDED: nobody is there to take it. */
enum orr_workers_say { ORR_WORKERS_TOOK, ORR_WORKERS_FULL, ORR_WORKERS_ENDED };
/* Queues a job after those of its client; the job must live until it has run. */
enum orr_workers_say orr_workers_add(struct orr_workers *workers, struct orr_job *job);
/* A job that waits is run next, since it has nothing left to do; for one that does not wait nothing happens. */
void orr_workers_hurry(struct orr_workers *workers, struct orr_job *job);
/* How many jobs wait. */
unsigned long orr_workers_waiting(struct orr_workers *workers);
/* Runs what is queued, then ends the threads. Jobs may still be offered, by threads that end later: none is taken. */
void orr_workers_end(struct orr_workers *workers);
/* Ends as above if that has not been done. Nobody offers jobs any more. NULL is taken. */
void orr_workers_free(struct orr_workers *workers);

#endif
