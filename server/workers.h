/* Threads for work that takes more than a moment, so that those that serve connections stay free. */
#ifndef ORR_SERVER_WORKERS_H
#define ORR_SERVER_WORKERS_H

#include <stdbool.h>

struct orr_job {
    struct orr_job *next;
    void (*run)(struct orr_job *job);
};

struct orr_workers;

/* NULL: no memory or no threads. most: jobs that may wait. */
struct orr_workers *orr_workers_new(unsigned threads, unsigned long most);
/* FULL: as many as may wait do. ENDED: nobody is there to take it; whoever offers it may run it himself. */
enum orr_workers_say { ORR_WORKERS_TOOK, ORR_WORKERS_FULL, ORR_WORKERS_ENDED };
/* Queues a job, first in, first out. */
enum orr_workers_say orr_workers_add(struct orr_workers *workers, struct orr_job *job);
/* How many jobs wait. */
unsigned long orr_workers_waiting(struct orr_workers *workers);
/* Runs what is queued, then ends the threads. Jobs may still be offered, by threads that end later: none is taken. */
void orr_workers_end(struct orr_workers *workers);
/* Ends as above where that has not been done. Nobody offers jobs any more. NULL is taken. */
void orr_workers_free(struct orr_workers *workers);

#endif
