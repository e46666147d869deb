/* SPDX-License-Identifier: Apache-2.0 */
/* The render workers. The worker is this very program, which plays a broken one where ORR_TEST_WORKER says so. */
#include "tests/support/orr_test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/budget.h"
#include "engine/diagram/diagram_worker.h"

static const char good[] = "graph g { layout=nop2; bb=\"0,0,100,50\"; a [pos=\"20,20\",label=\"hello\"];"
                           " b [pos=\"80,20\"]; a -- b [pos=\"40,20 50,20 60,20 70,20\"]; }";

static struct orr_renderer *renderer_with(struct orr_renderer_limits limits)
{
    struct orr_error err = {0};
    struct orr_renderer *renderer;
    assert_ok(orr_renderer_new(&limits, NULL, &renderer, &err), &err);
    return renderer;
}

static enum orr_code draw(struct orr_renderer *renderer, const char *dot, struct orr_error *err)
{
    char *bytes = NULL;
    size_t length;
    *err = (struct orr_error){0};
    enum orr_code code = orr_renderer_draw(renderer, dot, strlen(dot), ORR_FORMAT_SVG, &bytes, &length, err);
    if (code == ORR_OK)
        assert_non_null(strstr(bytes, "hello"));
    free(bytes);
    return code;
}

/* One child of this process, 0 if there is none. */
static pid_t child(void)
{
    char path[64], line[64] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)gettid());
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    if (!fgets(line, sizeof line, file))
        line[0] = 0;
    fclose(file);
    return (pid_t)atoi(line);
}

/* Kills that child and waits for its end, but leaves it to the renderer to reap it. */
static void kill_child(void)
{
    siginfo_t ended;
    pid_t pid = child();
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT), 0);
}

static unsigned open_files(const char *process, int *ret_highest)
{
    char path[64];
    unsigned count = 0;
    snprintf(path, sizeof path, "/proc/%s/fd", process);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    *ret_highest = -1;
    for (struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.') {
            count++;
            if (atoi(entry->d_name) > *ret_highest)
                *ret_highest = atoi(entry->d_name);
        }
    closedir(folder);
    return count;
}

TEST(each_format_comes_out)
{
    static const struct {
        enum orr_format format;
        const char *start;
    } formats[] = {
        {ORR_FORMAT_SVG, "<?xml"}, {ORR_FORMAT_PNG, "\x89PNG"}, {ORR_FORMAT_PDF, "%PDF"}, {ORR_FORMAT_DOT, "graph"}};
    struct orr_renderer *renderer = renderer_with(orr_renderer_default_limits);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct orr_error err = {0};
        char *bytes;
        size_t length;
        assert_ok(orr_renderer_draw(renderer, good, strlen(good), formats[i].format, &bytes, &length, &err), &err);
        assert_true(length > 20);
        assert_memory_equal(bytes, formats[i].start, strlen(formats[i].start));
        free(bytes);
    }
    orr_renderer_free(renderer);
}

/* The bytes of a drawing are memory of whoever asks for it. */
TEST(a_drawing_is_drawn_from_the_budget)
{
    static const enum orr_format formats[] = {ORR_FORMAT_SVG, ORR_FORMAT_DOT};
    struct orr_renderer *renderer = renderer_with(orr_renderer_default_limits);
    for (int i = 0; i < 2; i++) {
        struct orr_budget enough = {.memory = 1 << 20}, little = {.memory = 100};
        struct orr_error err = {0};
        char *bytes;
        size_t length;
        orr_budget_begin(&enough);
        assert_ok(orr_renderer_draw(renderer, good, strlen(good), formats[i], &bytes, &length, &err), &err);
        assert_int_equal(enough.held, length + 1);
        free(bytes);
        orr_budget_begin(&little);
        assert_int_not_equal(orr_renderer_draw(renderer, good, strlen(good), formats[i], &bytes, &length, &err),
                             ORR_OK);
        orr_budget_end();
        assert_int_equal(little.spent, ORR_SPENT_MEMORY);
    }
    orr_renderer_free(renderer);
}

TEST(nonsense_is_refused_and_the_worker_lives_on)
{
    static const char *const nonsense[] = {
        "", "graph {", "this is not DOT", "graph { a; b; a -- b }", "\x01\x02\xff", "graph { a [pos=\"x\"] }"};
    struct orr_renderer *renderer = renderer_with(orr_renderer_default_limits);
    struct orr_error err;
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        assert_error(draw(renderer, nonsense[i], &err), ORR_RENDER, &err, "");
        assert_true(strlen(err.text) > 10);
        assert_ok(draw(renderer, good, &err), &err);
    }
    orr_renderer_free(renderer);
}

TEST(a_worker_killed_at_its_drawing_is_an_error_and_replaced)
{
    struct orr_renderer *renderer = renderer_with((struct orr_renderer_limits){1, 20, 1 << 30, 1 << 20, 50});
    struct orr_error err;
    for (int i = 0; i < 3; i++) {
        setenv("ORR_TEST_WORKER", "die", 1);
        assert_error(draw(renderer, good, &err), ORR_RENDER, &err, "signal 9"); /* the second one, too */
        char mark[] = "/tmp/orr-mark-XXXXXX";
        const int file = mkstemp(mark);
        assert_true(file >= 0);
        close(file);
        setenv("ORR_TEST_WORKER", mark, 1); /* the first one dies, the next draws */
        assert_ok(draw(renderer, good, &err), &err);
        assert_int_not_equal(access(mark, F_OK), 0);
        kill_child();
        setenv("ORR_TEST_WORKER", "leave", 1);
        assert_error(draw(renderer, good, &err), ORR_RENDER, &err, "status 7");
        unsetenv("ORR_TEST_WORKER");
        assert_ok(draw(renderer, good, &err), &err);
        kill_child(); /* while idle: nobody notices */
        assert_ok(draw(renderer, good, &err), &err);
        kill_child();
    }
    orr_renderer_free(renderer);
}

TEST(a_worker_that_hangs_is_stopped_in_time)
{
    struct orr_renderer *renderer = renderer_with((struct orr_renderer_limits){1, 1, 1 << 30, 1 << 20, 50});
    struct orr_error err;
    setenv("ORR_TEST_WORKER", "hang", 1);
    time_t before = time(NULL);
    assert_error(draw(renderer, good, &err), ORR_RENDER, &err, "longer than 1 s");
    assert_true(time(NULL) - before <= 30);
    unsetenv("ORR_TEST_WORKER");
    struct orr_renderer *patient = renderer_with((struct orr_renderer_limits){1, 20, 1 << 30, 1 << 20, 50});
    assert_ok(draw(patient, good, &err), &err);
    orr_renderer_free(patient);
    orr_renderer_free(renderer);
}

TEST(an_answer_too_large_is_refused)
{
    struct orr_renderer *renderer = renderer_with((struct orr_renderer_limits){1, 20, 1 << 30, 300, 50});
    struct orr_error err;
    assert_error(draw(renderer, good, &err), ORR_RENDER, &err, "larger than the limit");
    setenv("ORR_TEST_WORKER", "flood", 1);
    struct orr_renderer *flooded = renderer_with((struct orr_renderer_limits){1, 20, 1 << 30, 1 << 20, 50});
    assert_error(draw(flooded, good, &err), ORR_RENDER, &err, "1048576 bytes");
    setenv("ORR_TEST_WORKER", "babble", 1);
    assert_error(draw(flooded, good, &err), ORR_RENDER, &err, "no complete picture");
    unsetenv("ORR_TEST_WORKER");
    assert_ok(draw(flooded, good, &err), &err);
    orr_renderer_free(flooded);
    orr_renderer_free(renderer);
}

TEST(a_program_that_is_not_there_is_an_error)
{
    struct orr_error err = {0};
    struct orr_renderer *renderer;
    assert_ok(orr_renderer_new(NULL, "/nonexistent/orrery", &renderer, &err), &err);
    assert_error(draw(renderer, good, &err), ORR_RENDER, &err, "/nonexistent/orrery");
    orr_renderer_free(renderer);
    assert_ok(orr_renderer_new(NULL, "/bin/true", &renderer, &(struct orr_error){0}), &err);
    assert_error(draw(renderer, good, &err), ORR_RENDER, &err, "");
    orr_renderer_free(renderer);
}

TEST(a_worker_is_replaced_after_its_share_of_drawings)
{
    struct orr_renderer *renderer = renderer_with((struct orr_renderer_limits){1, 20, 1 << 30, 1 << 20, 2});
    struct orr_error err;
    assert_int_equal(child(), 0); /* started when first needed */
    assert_ok(draw(renderer, good, &err), &err);
    pid_t first = child();
    assert_int_not_equal(first, 0);
    assert_ok(draw(renderer, good, &err), &err);
    assert_int_equal(child(), 0);
    assert_ok(draw(renderer, good, &err), &err);
    assert_int_not_equal(child(), first);
    orr_renderer_free(renderer);
}

TEST(workers_hold_no_files_of_the_server_and_leave_nothing_behind)
{
    struct orr_error err;
    int highest, before_highest;
    char process[16];
    int secret = open("/dev/null", O_RDONLY); /* without O_CLOEXEC */
    assert_true(secret > 2);
    unsigned before = open_files("self", &before_highest);
    struct orr_renderer *renderer = renderer_with(orr_renderer_default_limits);
    assert_ok(draw(renderer, good, &err), &err);
    snprintf(process, sizeof process, "%d", (int)child());
    assert_int_equal(open_files(process, &highest), 3);
    assert_int_equal(highest, 2);
    orr_renderer_free(renderer);
    assert_int_equal(open_files("self", &highest), before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    close(secret);
}

/* Whether the filter refuses a call. Without the filter these calls work, or fail for another reason than EPERM. */
static bool refuses(long result)
{
    return result == -1 && errno == EPERM;
}

/* In a process of its own: the letter of the first call that is not handled as it should be, 0 if all are. */
static int confined(void)
{
    char byte, *none[] = {NULL};
    int pipes[2], file;
    orr_render_worker_confine();
    if (!refuses(syscall(SYS_execve, "/bin/true", none, none)))
        return 'e';
    if (!refuses(syscall(SYS_socket, AF_INET, SOCK_STREAM, 0)) ||
        !refuses(syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, pipes)))
        return 's';
    if (!refuses(syscall(SYS_kill, getppid(), 0)) || !refuses(syscall(SYS_tgkill, getppid(), getppid(), 0)) ||
        !refuses(syscall(SYS_rt_sigqueueinfo, getppid(), 0, NULL)))
        return 'k';
    if (!refuses(syscall(SYS_ptrace, 0L, 0L, 0L, 0L)) || !refuses(syscall(SYS_pidfd_getfd, -1, 0, 0)) ||
        !refuses(syscall(SYS_process_vm_readv, getppid(), NULL, 0L, NULL, 0L, 0L)))
        return 'p';
    if (!refuses(syscall(SYS_io_uring_setup, 0, NULL)))
        return 'u';
    if (!refuses(syscall(SYS_unshare, 0)) || !refuses(syscall(SYS_setns, -1, 0)))
        return 'n';
    if (!refuses(syscall(SYS_mknodat, -1, "", S_IFIFO, 0)) || !refuses(syscall(SYS_symlinkat, "a", -1, "")))
        return 'm';
#ifdef __x86_64__
    if (!refuses(syscall(SYS_fork)) || !refuses(syscall(0x40000000L | SYS_socket, AF_INET, SOCK_STREAM, 0)))
        return 'x';
#endif
    /* What drawing needs: fonts, memory, and answers. */
    if ((file = open("/proc/self/status", O_RDONLY)) < 0 || read(file, &byte, 1) != 1 || pipe(pipes) ||
        write(pipes[1], "a", 1) != 1)
        return 'd';
    return 0;
}

TEST(a_worker_cannot_reach_beyond_its_drawing)
{
    int status;
    assert_int_equal(unshare(0), 0); /* no filter of the surroundings refuses it already */
    const pid_t own = fork();
    if (!own)
        _exit(confined());
    assert_int_equal(waitpid(own, &status, 0), own);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* The process that draws has the filter. */
TEST(a_worker_that_draws_is_confined)
{
    struct orr_error err;
    char path[64], line[128];
    int mode = 0;
    struct orr_renderer *renderer = renderer_with(orr_renderer_default_limits);
    assert_ok(draw(renderer, good, &err), &err);
    snprintf(path, sizeof path, "/proc/%d/status", (int)child());
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        if (!strncmp(line, "Seccomp:", 8))
            mode = atoi(line + 8);
    fclose(file);
    assert_int_equal(mode, 2); /* SECCOMP_MODE_FILTER */
    orr_renderer_free(renderer);
}

static void *draw_some(void *argument)
{
    for (int i = 0; i < 4; i++) {
        struct orr_error err = {0};
        if (draw(argument, good, &err) != ORR_OK) {
            print_error("%s\n", err.text);
            return argument;
        }
    }
    return NULL;
}

TEST(eight_threads_share_two_workers)
{
    struct orr_renderer *renderer = renderer_with((struct orr_renderer_limits){2, 30, 1 << 30, 1 << 20, 5});
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, draw_some, renderer), 0);
    for (int i = 0; i < 8; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    orr_renderer_free(renderer);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void *draw_one(void *argument)
{
    struct orr_error *err = calloc(1, sizeof *err);
    if (draw(argument, good, err) == ORR_OK)
        err->code = ORR_OK;
    return err;
}

TEST(who_waits_too_long_for_a_worker_is_told)
{
    struct orr_renderer *renderer = renderer_with((struct orr_renderer_limits){1, 1, 1 << 30, 1 << 20, 5});
    pthread_t threads[3];
    unsigned late = 0, waited = 0;
    setenv("ORR_TEST_WORKER", "hang", 1);
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, draw_one, renderer), 0);
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(threads[i], &result);
        struct orr_error *err = result;
        assert_int_equal(err->code, ORR_RENDER);
        late += strstr(err->text, "longer than") != NULL;
        waited += strstr(err->text, "became free") != NULL;
        free(err);
    }
    unsetenv("ORR_TEST_WORKER");
    assert_int_equal(late + waited, 3);
    assert_true(waited >= 1);
    orr_renderer_free(renderer);
}

/* A worker that misbehaves once it has read something to draw. */
static int play(const char *part)
{
    char buffer[4096];
    struct {
        uint32_t kind, detail;
        uint64_t length;
    } frame = {0x4f525203, 0, (uint64_t)1 << 40};
    /* The server sends the head and the limits one after the other, so that read() may see the head alone. */
    if (recv(STDIN_FILENO, buffer, 16 + 24, MSG_WAITALL) != 40 || read(STDIN_FILENO, buffer, sizeof buffer) <= 0)
        return 1;
    if (strcmp(part, "die") == 0)
        kill(getpid(), SIGKILL);
    if (strcmp(part, "hang") == 0)
        for (;;)
            pause();
    if (strcmp(part, "babble") == 0)
        frame.kind = 12345;
    if (strcmp(part, "flood") == 0 || strcmp(part, "babble") == 0) {
        if (write(STDOUT_FILENO, &frame, sizeof frame) != sizeof frame)
            return 1;
        pause();
    }
    return 7;
}

int with_arguments(int argc, char **argv)
{
    const char *part = getenv("ORR_TEST_WORKER"); /* or a file that is there for the first worker only */
    if (argc == 2 && strcmp(argv[1], "render-worker") == 0)
        return !part || (*part == '/' && unlink(part)) ? orr_render_worker_main() : play(*part == '/' ? "die" : part);
    return -1;
}
