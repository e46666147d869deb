#include "server/log_lines.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/thread_slot.h"

enum { ROOM = 64 << 10, DELAY_NS = 10000000 };

/* Where the lines of a thread gather, apart from those of other threads: in one half while the other is being written.
 * Its lock is never held while something is written. */
struct gathering {
    _Alignas(ORR_CACHE_LINE) pthread_mutex_t lock;
    unsigned half; /* where lines gather */
    size_t used;   /* bytes of it */
    char halves[2][ROOM];
};

static struct gathering gatherings[ORR_THREAD_SLOTS] = {
    [0 ... ORR_THREAD_SLOTS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};

static struct {
    pthread_mutex_t writing; /* held while something is written; taken before a lock of the gatherings */
    sem_t begun;             /* a first line waits somewhere */
    atomic_bool gathers, ending;
    pthread_t thread;
} lines = {.writing = PTHREAD_MUTEX_INITIALIZER};

static void write_all(const char *text, size_t length)
{
    while (length) {
        ssize_t written = write(STDERR_FILENO, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return; /* nowhere to report it */
        text += written;
        length -= (size_t)written;
    }
}

static void write_gathered(struct gathering *gathering)
{
    pthread_mutex_lock(&lines.writing);
    pthread_mutex_lock(&gathering->lock);
    size_t length = gathering->used;
    const char *text = gathering->halves[gathering->half];
    gathering->half ^= 1;
    gathering->used = 0;
    pthread_mutex_unlock(&gathering->lock);
    write_all(text, length);
    pthread_mutex_unlock(&lines.writing);
}

/* That of the given thread last. */
static void write_all_gathered(unsigned slot)
{
    for (unsigned i = 1; i <= ORR_THREAD_SLOTS; i++)
        write_gathered(&gatherings[(slot + i) % ORR_THREAD_SLOTS]);
}

static void *write_now_and_then(void *unused)
{
    const struct timespec delay = {.tv_nsec = DELAY_NS};
    while (!atomic_load(&lines.ending)) {
        if (sem_wait(&lines.begun)) /* a signal */
            continue;
        nanosleep(&delay, NULL);
        while (!sem_trywait(&lines.begun)) /* lines of other threads that have begun meanwhile go along */
            ;
        write_all_gathered(0);
    }
    return unused;
}

void orr_log_lines_gather(void)
{
    atomic_store(&lines.ending, false);
    if (sem_init(&lines.begun, 0, 0))
        return;
    atomic_store(&lines.gathers, !pthread_create(&lines.thread, NULL, write_now_and_then, NULL));
}

void orr_log_lines_end(void)
{
    if (!atomic_exchange(&lines.gathers, false))
        return;
    atomic_store(&lines.ending, true);
    sem_post(&lines.begun);
    pthread_join(lines.thread, NULL);
    write_all_gathered(0);
}

void orr_log_lines_add(const char *text, size_t length, bool at_once)
{
    unsigned slot = orr_thread_slot();
    struct gathering *gathering = &gatherings[slot];
    pthread_mutex_lock(&gathering->lock);
    while (gathering->used + length > ROOM) {
        pthread_mutex_unlock(&gathering->lock);
        write_gathered(gathering);
        pthread_mutex_lock(&gathering->lock);
    }
    bool first = !gathering->used;
    memcpy(gathering->halves[gathering->half] + gathering->used, text, length);
    gathering->used += length;
    pthread_mutex_unlock(&gathering->lock);
    if (!atomic_load_explicit(&lines.gathers, memory_order_relaxed))
        write_gathered(gathering);
    else if (at_once)
        write_all_gathered(slot);
    else if (first)
        sem_post(&lines.begun);
}
