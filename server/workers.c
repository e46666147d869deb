/* SPDX-License-Identifier: Apache-2.0 */
#include "server/workers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"

enum { BUCKETS = 1024 };

/* Jobs of one client in the order in which they came. */
struct line {
    struct orr_job *first, **last;
    struct orr_worker_client *next; /* next in the ring of clients with such work waiting */
};

struct orr_worker_client {
    struct orr_worker_client *next; /* in the bucket */
    struct orr_client client;
    struct line lines[ORR_WORK_CLASS_COUNT];
    unsigned jobs;    /* number of jobs that were added and have not finished; the client is kept until then */
    unsigned running; /* of long work */
};

/* Clients in the order of their turns. */
struct ring {
    struct orr_worker_client *first, **last;
};

struct orr_workers {
    pthread_mutex_t lock;
    pthread_cond_t for_any, for_short; /* the thread for short work waits for the second */
    struct orr_metrics *metrics;
    struct orr_worker_client *clients[BUCKETS];
    struct ring rings[ORR_WORK_CLASS_COUNT];
    struct orr_job *hurried; /* jobs with nothing left to do, which run first */
    bool ending;
    unsigned long waiting, most;
    unsigned long always;  /* number of waiting jobs that are always accepted and not counted against `most` */
    unsigned most_running; /* long jobs of one client */
    unsigned count;
    pthread_t threads[]; /* the first takes short work only */
};

static struct orr_worker_client **find_client(struct orr_workers *workers, const struct orr_client *client)
{
    struct orr_worker_client **at = &workers->clients[(client->key[0] ^ client->key[1]) % BUCKETS];
    while (*at && memcmp(&(*at)->client, client, sizeof *client) != 0)
        at = &(*at)->next;
    return at;
}

static struct orr_worker_client *client_of(struct orr_workers *workers, const struct orr_client *client)
{
    struct orr_worker_client **at = find_client(workers, client);
    if (*at)
        return *at;
    struct orr_worker_client *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->client = *client;
    for (int work = 0; work < ORR_WORK_CLASS_COUNT; work++)
        made->lines[work].last = &made->lines[work].first;
    return *at = made;
}

static void leave(struct orr_workers *workers, struct orr_worker_client *client)
{
    if (--client->jobs)
        return;
    struct orr_worker_client **at = find_client(workers, &client->client);
    *at = client->next;
    free(client);
}

static void join_ring(struct ring *ring, enum orr_work_class work, struct orr_worker_client *client)
{
    client->lines[work].next = NULL;
    *ring->last = client;
    ring->last = &client->lines[work].next;
}

static void leave_ring(struct ring *ring, enum orr_work_class work, struct orr_worker_client **at)
{
    struct orr_worker_client *client = *at;
    *at = client->lines[work].next;
    if (!*at)
        ring->last = at;
}

/* Removes a job from those that wait. */
static void count_out(struct orr_workers *workers, struct orr_job *job)
{
    job->waits = false;
    workers->waiting--;
    workers->always -= job->always;
    orr_metric_observe(workers->metrics, ORR_METRIC_QUEUE_TIME, job->work, orr_clock_ns() - job->since_ns);
}

/* The next job of a class: of the first client in turn that may have one more running, which then goes to the end. */
static struct orr_job *take_of(struct orr_workers *workers, enum orr_work_class work)
{
    struct ring *ring = &workers->rings[work];
    struct orr_worker_client **at = &ring->first;
    while (*at && work == ORR_WORK_LONG && (*at)->running >= workers->most_running)
        at = &(*at)->lines[work].next;
    struct orr_worker_client *client = *at;
    if (!client)
        return NULL;
    struct line *line = &client->lines[work];
    struct orr_job *job = line->first;
    leave_ring(ring, work, at);
    line->first = job->next;
    if (line->first)
        join_ring(ring, work, client);
    else
        line->last = &line->first;
    count_out(workers, job);
    return job;
}

static struct orr_job *take(struct orr_workers *workers, bool only_short)
{
    struct orr_job *job = workers->hurried;
    if (job) {
        workers->hurried = job->next;
        return job;
    }
    job = only_short ? NULL : take_of(workers, ORR_WORK_LONG);
    return job ? job : take_of(workers, ORR_WORK_SHORT);
}

static void wake_all(struct orr_workers *workers)
{
    pthread_cond_broadcast(&workers->for_any);
    pthread_cond_broadcast(&workers->for_short);
}

static void *work(void *context)
{
    struct orr_workers *workers = context;
    pthread_mutex_lock(&workers->lock);
    bool only_short = pthread_equal(pthread_self(), workers->threads[0]);
    for (;;) {
        struct orr_job *job = take(workers, only_short);
        if (!job) {
            if (workers->ending && !workers->waiting)
                break; /* a thread that still runs a job may add it again, and gets a refusal */
            pthread_cond_wait(only_short ? &workers->for_short : &workers->for_any, &workers->lock);
            continue;
        }
        struct orr_worker_client *client = job->of;
        bool counted = job->work == ORR_WORK_LONG;
        client->running += counted;
        pthread_mutex_unlock(&workers->lock);
        job->run(job); /* when this returns, the job may be freed, or wait again */
        pthread_mutex_lock(&workers->lock);
        client->running -= counted;
        leave(workers, client);
        if (workers->ending && !workers->waiting)
            wake_all(workers);
    }
    pthread_mutex_unlock(&workers->lock);
    return NULL;
}

unsigned orr_workers_long(unsigned threads)
{
    return threads < 2 ? 2 : threads;
}

struct orr_workers *orr_workers_new(unsigned threads, unsigned long most, struct orr_metrics *metrics)
{
    enum { STACK = 8 << 20, SHORT_AND_SPARE = 2 };
    unsigned wanted = orr_workers_long(threads) + SHORT_AND_SPARE;
    struct orr_workers *workers = calloc(1, sizeof *workers + wanted * sizeof *workers->threads);
    pthread_attr_t attributes;
    if (!workers)
        return NULL;
    for (int kind = 0; kind < ORR_WORK_CLASS_COUNT; kind++)
        workers->rings[kind].last = &workers->rings[kind].first;
    workers->most = most;
    workers->most_running = orr_workers_long(threads);
    workers->metrics = metrics;
    pthread_mutex_init(&workers->lock, NULL);
    pthread_cond_init(&workers->for_any, NULL);
    pthread_cond_init(&workers->for_short, NULL);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_mutex_lock(&workers->lock); /* no thread reads the list of threads before it is complete */
    while (workers->count < wanted && !pthread_create(&workers->threads[workers->count], &attributes, work, workers))
        workers->count++;
    pthread_mutex_unlock(&workers->lock);
    pthread_attr_destroy(&attributes);
    if (workers->count == wanted)
        return workers;
    orr_workers_free(workers);
    return NULL;
}

enum orr_workers_say orr_workers_add(struct orr_workers *workers, struct orr_job *job)
{
    enum orr_workers_say say = ORR_WORKERS_TOOK;
    pthread_mutex_lock(&workers->lock);
    if (workers->ending)
        say = ORR_WORKERS_ENDED;
    else if ((!job->always && workers->waiting - workers->always >= workers->most) ||
             !(job->of = client_of(workers, &job->client)))
        say = ORR_WORKERS_FULL;
    if (say == ORR_WORKERS_TOOK) {
        struct line *line = &job->of->lines[job->work];
        if (!line->first)
            join_ring(&workers->rings[job->work], job->work, job->of);
        job->next = NULL;
        job->since_ns = orr_clock_ns();
        job->waits = true;
        *line->last = job;
        line->last = &job->next;
        job->of->jobs++;
        workers->waiting++;
        workers->always += job->always;
        pthread_cond_signal(&workers->for_any);
        if (job->work == ORR_WORK_SHORT)
            pthread_cond_signal(&workers->for_short);
    }
    pthread_mutex_unlock(&workers->lock);
    return say;
}

void orr_workers_hurry(struct orr_workers *workers, struct orr_job *job)
{
    pthread_mutex_lock(&workers->lock);
    if (job->waits) {
        struct orr_worker_client *client = job->of;
        struct line *line = &client->lines[job->work];
        struct orr_job **at = &line->first;
        while (*at != job)
            at = &(*at)->next;
        *at = job->next;
        if (!*at)
            line->last = at;
        if (!line->first) {
            struct ring *ring = &workers->rings[job->work];
            struct orr_worker_client **place = &ring->first;
            while (*place != client)
                place = &(*place)->lines[job->work].next;
            leave_ring(ring, job->work, place);
        }
        count_out(workers, job);
        job->next = workers->hurried;
        workers->hurried = job;
        wake_all(workers);
    }
    pthread_mutex_unlock(&workers->lock);
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
    wake_all(workers);
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
    pthread_cond_destroy(&workers->for_short);
    pthread_cond_destroy(&workers->for_any);
    pthread_mutex_destroy(&workers->lock);
    free(workers);
}
