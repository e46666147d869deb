/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/spawn.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/base/budget.h"
#include "engine/base/clock.h"

extern char **environ;

/* The process gets no file above standard error. glibc before 2.34 has no function for that; the files that are open
 * now are closed by number, and those that another thread opens meanwhile are O_CLOEXEC. */
static void close_others(posix_spawn_file_actions_t *actions)
{
#if __GLIBC_PREREQ(2, 34)
    posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
#else
    DIR *open_files = opendir("/proc/self/fd");
    for (struct dirent *entry; open_files && (entry = readdir(open_files));) {
        int fd = atoi(entry->d_name);
        if (fd > STDERR_FILENO)
            posix_spawn_file_actions_addclose(actions, fd);
    }
    if (open_files)
        closedir(open_files);
#endif
}

int orr_spawn(const char *program, const char *const *arguments, int in, int out, pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure)
        return failure;
    failure = posix_spawnattr_init(&attributes);
    if (failure) {
        posix_spawn_file_actions_destroy(&actions);
        return failure;
    }
    if (in == ORR_SPAWN_NOTHING)
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    else
        posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    close_others(&actions);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    /* posix_spawn() takes char *const[] for reasons of history and changes none of them. */
    failure = posix_spawnp(ret_pid, program ? program : "/proc/self/exe", &actions, &attributes,
                           (char *const *)(const void *)arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

bool orr_spawn_read(int fd, int64_t deadline_ms, struct orr_text *text)
{
    char block[16384];
    for (;;) {
        struct pollfd wanted = {.fd = fd, .events = POLLIN};
        int left = orr_clock_left(deadline_ms);
        if (!left || orr_budget_check(NULL) != ORR_OK)
            return false;
        if (poll(&wanted, 1, left) <= 0)
            continue; /* late or interrupted: the clock decides */
        ssize_t got = read(fd, block, sizeof block);
        if (got > 0)
            orr_text_add(text, block, (size_t)got);
        else if (got == 0 || errno != EINTR)
            return true;
    }
}
