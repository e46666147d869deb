#include "server/workers.h"

#include <pthread.h>
#include <stdlib.h>

struct orr_workers {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct orr_job *first, **last;
    bool ending;
    unsigned long waiting, most;
    unsigned count;
    pthread_t threads[];
};

static void *work(void *context)
{
    struct orr_workers *workers = context;
    pthread_mutex_lock(&workers->lock);
    for (;;) {
        struct orr_job *job = workers->first;
        if (!job) {
            if (workers->ending)
                break;
            pthread_cond_wait(&workers->changed, &workers->lock);
            continue;
        }
        workers->first = job->next;
        workers->waiting--;
        if (!workers->first)
            workers->last = &workers->first;
        pthread_mutex_unlock(&workers->lock);
        job->run(job);
        pthread_mutex_lock(&workers->lock);
    }
    pthread_mutex_unlock(&workers->lock);
    return NULL;
}

struct orr_workers *orr_workers_new(unsigned threads, unsigned long most)
{
    enum { STACK = 8 << 20 };
    struct orr_workers *workers = calloc(1, sizeof *workers + threads * sizeof *workers->threads);
    pthread_attr_t attributes;
    if (!workers)
        return NULL;
    workers->last = &workers->first;
    workers->most = most;
    pthread_mutex_init(&workers->lock, NULL);
    pthread_cond_init(&workers->changed, NULL);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    while (workers->count < threads && !pthread_create(&workers->threads[workers->count], &attributes, work, workers))
        workers->count++;
    pthread_attr_destroy(&attributes);
    if (workers->count == threads)
        return workers;
    orr_workers_free(workers);
    return NULL;
}

enum orr_workers_say orr_workers_add(struct orr_workers *workers, struct orr_job *job)
{
    job->next = NULL;
    pthread_mutex_lock(&workers->lock);
    enum orr_workers_say say = workers->ending                     ? ORR_WORKERS_ENDED
                               : workers->waiting >= workers->most ? ORR_WORKERS_FULL
                                                                   : ORR_WORKERS_TOOK;
    if (say == ORR_WORKERS_TOOK) {
        *workers->last = job;
        workers->last = &job->next;
        workers->waiting++;
        pthread_cond_signal(&workers->changed);
    }
    pthread_mutex_unlock(&workers->lock);
    return say;
}

unsigned long orr_workers_waiting(struct orr_workers *workers)
{
    pthread_mutex_lock(&workers->lock);
    unsigned long waiting = workers->waiting;
    pthread_mutex_unlock(&workers->lock);
    return waiting;
}

void orr_workers_end(struct orr_workers *workers)
{
    pthread_mutex_lock(&workers->lock);
    workers->ending = true;
    pthread_cond_broadcast(&workers->changed);
    pthread_mutex_unlock(&workers->lock);
    for (unsigned i = 0; i < workers->count; i++)
        pthread_join(workers->threads[i], NULL);
    workers->count = 0;
}

void orr_workers_free(struct orr_workers *workers)
{
    if (!workers)
        return;
    orr_workers_end(workers);
    pthread_cond_destroy(&workers->changed);
    pthread_mutex_destroy(&workers->lock);
    free(workers);
}
