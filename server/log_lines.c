#include "server/log_lines.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROOM = 128 << 10, DELAY_NS = 10000000 };

/* Lines gather in one half while the other is being written. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t begun, written; /* a first line waits; the write has ended */
    char halves[2][ROOM];
    unsigned half; /* where lines gather */
    size_t used;   /* bytes of it */
    bool gathering, writing, ending;
    pthread_t thread;
} lines = {.lock = PTHREAD_MUTEX_INITIALIZER, .begun = PTHREAD_COND_INITIALIZER, .written = PTHREAD_COND_INITIALIZER};

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

/* Under the lock, which it gives up while it writes. */
static void write_waiting(void)
{
    while (lines.writing)
        pthread_cond_wait(&lines.written, &lines.lock);
    size_t length = lines.used;
    const char *text = lines.halves[lines.half];
    if (!length)
        return;
    lines.half ^= 1;
    lines.used = 0;
    lines.writing = true;
    pthread_mutex_unlock(&lines.lock);
    write_all(text, length);
    pthread_mutex_lock(&lines.lock);
    lines.writing = false;
    pthread_cond_broadcast(&lines.written);
}

static void *write_now_and_then(void *unused)
{
    const struct timespec delay = {.tv_nsec = DELAY_NS};
    pthread_mutex_lock(&lines.lock);
    while (!lines.ending) {
        if (!lines.used) {
            pthread_cond_wait(&lines.begun, &lines.lock);
            continue;
        }
        pthread_mutex_unlock(&lines.lock);
        nanosleep(&delay, NULL);
        pthread_mutex_lock(&lines.lock);
        write_waiting();
    }
    pthread_mutex_unlock(&lines.lock);
    return unused;
}

void orr_log_lines_gather(void)
{
    lines.ending = false;
    lines.gathering = !pthread_create(&lines.thread, NULL, write_now_and_then, NULL);
}

void orr_log_lines_end(void)
{
    if (!lines.gathering)
        return;
    pthread_mutex_lock(&lines.lock);
    lines.ending = true;
    pthread_cond_signal(&lines.begun);
    pthread_mutex_unlock(&lines.lock);
    pthread_join(lines.thread, NULL);
    pthread_mutex_lock(&lines.lock);
    lines.gathering = false;
    write_waiting();
    pthread_mutex_unlock(&lines.lock);
}

void orr_log_lines_add(const char *text, size_t length, bool at_once)
{
    pthread_mutex_lock(&lines.lock);
    while (lines.used + length > ROOM)
        write_waiting();
    if (!lines.used)
        pthread_cond_signal(&lines.begun);
    memcpy(lines.halves[lines.half] + lines.used, text, length);
    lines.used += length;
    if (at_once || !lines.gathering)
        write_waiting();
    pthread_mutex_unlock(&lines.lock);
}
