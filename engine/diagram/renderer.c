/* SPDX-License-Identifier: Apache-2.0 */
/* The pool's side of diagram_worker.h. Callers take a free worker, or wait for one. They use it without the lock,
 * because nobody else has it then. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/budget.h"
#include "engine/base/clock.h"
#include "engine/base/spawn.h"
#include "engine/diagram/diagram_worker.h"
#include "engine/diagram/worker_frame.h"

const struct orr_renderer_limits orr_renderer_default_limits = {
    .workers = 2, .seconds = 10, .memory = (size_t)1 << 30, .output = (size_t)32 << 20, .drawings = 200};

struct worker {
    pid_t pid; /* 0 if not started */
    int fd;
    unsigned drawings;
    bool busy;
    struct orr_renderer *pool;
};

struct orr_renderer {
    struct orr_renderer_limits limits;
    char *program;
    pthread_mutex_t lock;
    pthread_cond_t freed;
    struct worker *workers; /* [limits.workers] */
    atomic_ulong started, ended, drawn, failed, busy;
};

/* Time between two checks whether the drawing is still needed. */
enum { LOOK_MS = 50 };

static int64_t deadline_of(const struct orr_renderer *renderer)
{
    return orr_clock_ms() + (int64_t)renderer->limits.seconds * 1000;
}

enum orr_code orr_renderer_new(const struct orr_renderer_limits *limits, const char *program,
                               struct orr_renderer **ret_renderer, struct orr_error *err)
{
    struct orr_renderer *renderer = calloc(1, sizeof *renderer);
    ORR_NEED(renderer, err);
    renderer->limits = limits ? *limits : orr_renderer_default_limits;
    if (!renderer->limits.workers)
        renderer->limits.workers = 1;
    renderer->program = strdup(program ? program : "/proc/self/exe");
    renderer->workers = calloc(renderer->limits.workers, sizeof *renderer->workers);
    if (!renderer->program || !renderer->workers) {
        free(renderer->workers);
        free(renderer->program);
        free(renderer);
        return orr_fail_nomem(err);
    }
    for (unsigned i = 0; i < renderer->limits.workers; i++)
        renderer->workers[i].pool = renderer;
    pthread_mutex_init(&renderer->lock, NULL);
    pthread_cond_init(&renderer->freed, NULL);
    *ret_renderer = renderer;
    return ORR_OK;
}

/* Kills a worker and waits for it, so that no zombie stays. Returns its wait status. */
static int end_worker(struct worker *worker)
{
    int status = 0;
    if (!worker->pid)
        return 0;
    kill(worker->pid, SIGKILL);
    while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    close(worker->fd);
    worker->pid = 0;
    atomic_fetch_add(&worker->pool->ended, 1);
    return status;
}

void orr_renderer_free(struct orr_renderer *renderer)
{
    if (!renderer)
        return;
    for (unsigned i = 0; i < renderer->limits.workers; i++)
        end_worker(&renderer->workers[i]);
    pthread_cond_destroy(&renderer->freed);
    pthread_mutex_destroy(&renderer->lock);
    free(renderer->workers);
    free(renderer->program);
    free(renderer);
}

enum transfer { TRANSFER_DONE, TRANSFER_LATE, TRANSFER_BROKEN };

static enum transfer await(int fd, short events, int64_t deadline)
{
    for (;;) {
        struct pollfd wanted = {.fd = fd, .events = events};
        int left = orr_clock_left(deadline);
        int ready = poll(&wanted, 1, left < LOOK_MS ? left : LOOK_MS);
        if (orr_budget_check(NULL) != ORR_OK)
            return TRANSFER_LATE;
        if (ready > 0)
            return TRANSFER_DONE;
        if (ready < 0 && errno != EINTR)
            return TRANSFER_BROKEN;
        if (!left)
            return TRANSFER_LATE;
    }
}

static enum transfer send_all(int fd, const void *bytes, size_t length, int64_t deadline)
{
    for (size_t done = 0; done < length;) {
        ssize_t put = send(fd, (const char *)bytes + done, length - done, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (put >= 0) {
            done += (size_t)put;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            enum transfer waited = await(fd, POLLOUT, deadline);
            if (waited != TRANSFER_DONE)
                return waited;
        } else if (errno != EINTR) {
            return TRANSFER_BROKEN;
        }
    }
    return TRANSFER_DONE;
}

static enum transfer receive_all(int fd, void *bytes, size_t length, int64_t deadline)
{
    for (size_t done = 0; done < length;) {
        ssize_t got = recv(fd, (char *)bytes + done, length - done, MSG_DONTWAIT);
        if (got > 0) {
            done += (size_t)got;
        } else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            enum transfer waited = await(fd, POLLIN, deadline);
            if (waited != TRANSFER_DONE)
                return waited;
        } else if (got == 0 || errno != EINTR) {
            return TRANSFER_BROKEN;
        }
    }
    return TRANSFER_DONE;
}

static enum transfer send_frame(int fd, enum orr_frame_kind kind, uint32_t detail, const void *bytes, size_t length,
                                int64_t deadline)
{
    struct orr_worker_frame frame = {.kind = kind, .detail = detail, .length = length};
    enum transfer sent = send_all(fd, &frame, sizeof frame, deadline);
    return sent == TRANSFER_DONE ? send_all(fd, bytes, length, deadline) : sent;
}

static enum orr_code start_worker(const struct orr_renderer *renderer, struct worker *worker, int64_t deadline,
                                  struct orr_error *err)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return orr_fail(err, ORR_RENDER, "no socket for a drawing process: %s", strerror(errno));
    pid_t pid;
    static const char *const arguments[] = {"orrery", "render-worker", NULL};
    int failure = orr_spawn(renderer->program, arguments, ends[1], ends[1], &pid);
    close(ends[1]);
    if (failure) {
        close(ends[0]);
        return orr_fail(err, ORR_RENDER, "the drawing process \"%s\" does not start: %s", renderer->program,
                        strerror(failure));
    }
    atomic_fetch_add(&worker->pool->started, 1);
    worker->pid = pid; /* member by member: `busy` is protected by the lock, which this thread does not have */
    worker->fd = ends[0];
    worker->drawings = 0;
    const struct orr_renderer_limits *limits = &renderer->limits;
    struct orr_worker_limits told = {
        .memory = limits->memory,
        .cpu_seconds = (uint64_t)limits->seconds * (limits->drawings ? limits->drawings : 1) + 1,
        .output = limits->output,
    };
    if (send_frame(worker->fd, ORR_FRAME_LIMITS, 0, &told, sizeof told, deadline) == TRANSFER_DONE)
        return ORR_OK;
    end_worker(worker);
    return orr_fail(err, ORR_RENDER, "the drawing process ended at once");
}

/* Ends a worker that did not answer, and reports why. */
static enum orr_code give_up(const struct orr_renderer *renderer, struct worker *worker, enum transfer how,
                             bool *ret_killed, struct orr_error *err)
{
    int status = 0;
    if (how == TRANSFER_BROKEN) { /* it ended by itself: wait a moment for the true reason instead of killing it */
        for (int tries = 0; tries < 50; tries++) {
            siginfo_t info = {0};
            if (waitid(P_PID, (id_t)worker->pid, &info, WEXITED | WNOWAIT | WNOHANG) != 0 || info.si_pid)
                break;
            orr_clock_sleep(2);
        }
    }
    status = end_worker(worker);
    *ret_killed = how == TRANSFER_BROKEN && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    ORR_TRY(orr_budget_check(err));
    if (how == TRANSFER_LATE) {
        orr_error_advice(err, "try again, or draw a smaller part: a ring, a tree or a path");
        orr_fail(err, ORR_RENDER, "the drawing took longer than %u s", renderer->limits.seconds);
    } else if (WIFSIGNALED(status)) {
        orr_fail(err, ORR_RENDER, "the drawing process was killed by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    } else {
        orr_fail(err, ORR_RENDER, "the drawing process ended with status %d", WEXITSTATUS(status));
    }
    return ORR_RENDER;
}

static enum orr_code draw(const struct orr_renderer *renderer, struct worker *worker, const char *dot, size_t length,
                          enum orr_format format, char **ret_bytes, size_t *ret_length, bool *ret_killed,
                          struct orr_error *err)
{
    int64_t deadline = deadline_of(renderer);
    siginfo_t info = {0};
    *ret_killed = false;
    if (worker->pid && (waitid(P_PID, (id_t)worker->pid, &info, WEXITED | WNOWAIT | WNOHANG) != 0 || info.si_pid))
        end_worker(worker); /* it died while idle, which must not fail this drawing */
    if (!worker->pid)
        ORR_TRY(start_worker(renderer, worker, deadline, err));
    enum transfer done = send_frame(worker->fd, ORR_FRAME_DRAW, (uint32_t)format, dot, length, deadline);
    struct orr_worker_frame frame;
    if (done == TRANSFER_DONE)
        done = receive_all(worker->fd, &frame, sizeof frame, deadline);
    if (done != TRANSFER_DONE)
        return give_up(renderer, worker, done, ret_killed, err);
    if ((frame.kind != ORR_FRAME_PICTURE && frame.kind != ORR_FRAME_FAILURE) ||
        frame.length > renderer->limits.output + 1024) {
        end_worker(worker);
        return orr_fail(err, ORR_RENDER, "the drawing process sent no complete picture within %zu bytes",
                        renderer->limits.output);
    }
    char *bytes = orr_budget_malloc(frame.length + 1);
    if (!bytes) {
        end_worker(worker);
        return orr_fail_nomem(err);
    }
    done = receive_all(worker->fd, bytes, frame.length, deadline);
    if (done != TRANSFER_DONE) {
        orr_budget_free(bytes, frame.length + 1);
        return give_up(renderer, worker, done, ret_killed, err);
    }
    bytes[frame.length] = 0;
    worker->drawings++;
    if (frame.kind == ORR_FRAME_FAILURE) {
        orr_fail(err, ORR_RENDER, "%.250s", bytes);
        orr_budget_free(bytes, frame.length + 1);
        return ORR_RENDER;
    }
    *ret_bytes = bytes;
    *ret_length = frame.length;
    return ORR_OK;
}

static struct worker *take_worker(struct orr_renderer *renderer)
{
    int64_t deadline = deadline_of(renderer);
    struct worker *found = NULL;
    pthread_mutex_lock(&renderer->lock);
    for (;;) {
        for (unsigned i = 0; i < renderer->limits.workers; i++) { /* prefers a running worker to starting one */
            struct worker *worker = &renderer->workers[i];
            if (!worker->busy && (!found || (!found->pid && worker->pid)))
                found = worker;
        }
        if (found || !orr_clock_left(deadline) || orr_budget_check(NULL) != ORR_OK)
            break;
        orr_clock_wait(&renderer->freed, &renderer->lock, orr_clock_ms() + LOOK_MS);
    }
    if (found)
        found->busy = true;
    pthread_mutex_unlock(&renderer->lock);
    return found;
}

enum orr_code orr_renderer_draw(struct orr_renderer *renderer, const char *dot, size_t length, enum orr_format format,
                                char **ret_bytes, size_t *ret_length, struct orr_error *err)
{
    if (format == ORR_FORMAT_DOT) { /* it is that already */
        char *copy = orr_budget_malloc(length + 1);
        ORR_NEED(copy, err);
        memcpy(copy, dot, length);
        copy[length] = 0;
        *ret_bytes = copy;
        *ret_length = length;
        return ORR_OK;
    }
    struct worker *worker = take_worker(renderer);
    if (!worker) {
        atomic_fetch_add(&renderer->failed, 1);
        orr_error_advice(err, "try again when fewer pictures are asked for at once");
        return orr_fail(err, ORR_RENDER, "no drawing process became free within %u s", renderer->limits.seconds);
    }
    atomic_fetch_add(&renderer->busy, 1);
    struct orr_error why = {0};
    bool killed;
    enum orr_code code = draw(renderer, worker, dot, length, format, ret_bytes, ret_length, &killed, &why);
    if (code != ORR_OK && killed) { /* the system killed it for lack of memory, or somebody did: try once more */
        why = (struct orr_error){0};
        code = draw(renderer, worker, dot, length, format, ret_bytes, ret_length, &killed, &why);
    }
    if (code != ORR_OK && err)
        *err = why;
    atomic_fetch_add(code == ORR_OK ? &renderer->drawn : &renderer->failed, 1);
    atomic_fetch_sub(&renderer->busy, 1);
    if (worker->pid && renderer->limits.drawings && worker->drawings >= renderer->limits.drawings)
        end_worker(worker);
    pthread_mutex_lock(&renderer->lock);
    worker->busy = false;
    pthread_cond_signal(&renderer->freed);
    pthread_mutex_unlock(&renderer->lock);
    return code;
}

void orr_renderer_figures(const struct orr_renderer *renderer, struct orr_renderer_figures *ret_figures)
{
    unsigned long ended = atomic_load(&renderer->ended), started = atomic_load(&renderer->started);
    *ret_figures = (struct orr_renderer_figures){
        .workers = renderer->limits.workers,
        .running = started - ended,
        .busy = atomic_load(&renderer->busy),
        .started = started,
        .ended = ended,
        .drawn = atomic_load(&renderer->drawn),
        .failed = atomic_load(&renderer->failed),
    };
}
