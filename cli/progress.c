/* SPDX-License-Identifier: Apache-2.0 */
/* One line on standard error while something takes long. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "engine/base/budget.h"
#include "engine/base/clock.h"

enum { FIRST_MS = 1000, EACH_MS = 500 };

static struct {
    const struct orr_budget *budget;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool running, shown, end;
    char detail[160]; /* text instead of the stage; "" if there is none */
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};

static void remove_line(void)
{
    static const char remove[] = "\r\033[K";
    if (progress.shown)
        (void)!write(STDERR_FILENO, remove, sizeof remove - 1); /* our own commands to the terminal */
    progress.shown = false;
}

static void show(int64_t began)
{
    const char *task, *stage = orr_budget_doing(progress.budget, &task);
    const char *doing = *progress.detail ? progress.detail : stage ? stage : "working";
    remove_line();
    fprintf(stderr, "%s%s%s, %lld s", task ? task : "", task ? ": " : "", doing,
            (long long)((orr_clock_ms() - began) / 1000));
    fflush(stderr);
    progress.shown = true;
}

static void *watch(void *unused)
{
    const int64_t began = orr_clock_ms();
    int64_t next = began + FIRST_MS;
    (void)unused;
    pthread_mutex_lock(&progress.lock);
    while (!progress.end) {
        if (orr_clock_wait(&progress.ended, &progress.lock, next))
            continue;
        show(began);
        next = orr_clock_ms() + EACH_MS;
    }
    pthread_mutex_unlock(&progress.lock);
    return NULL;
}

void orr_progress_begin(const struct orr_budget *budget)
{
    if (!isatty(STDERR_FILENO) || progress.running)
        return;
    progress.budget = budget;
    progress.end = progress.shown = false;
    progress.running = !pthread_create(&progress.thread, NULL, watch, NULL);
}

void orr_progress_say(const char *format, ...)
{
    va_list args;
    if (!progress.running)
        return;
    pthread_mutex_lock(&progress.lock);
    va_start(args, format);
    vsnprintf(progress.detail, sizeof progress.detail, format, args);
    va_end(args);
    pthread_mutex_unlock(&progress.lock);
}

void orr_progress_clear(void)
{
    if (!progress.running)
        return;
    pthread_mutex_lock(&progress.lock);
    remove_line();
    pthread_mutex_unlock(&progress.lock);
}

void orr_progress_end(void)
{
    if (!progress.running)
        return;
    pthread_mutex_lock(&progress.lock);
    progress.end = true;
    pthread_cond_signal(&progress.ended);
    pthread_mutex_unlock(&progress.lock);
    pthread_join(progress.thread, NULL);
    progress.running = false;
    remove_line();
}
