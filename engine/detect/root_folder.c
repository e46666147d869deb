/* SPDX-License-Identifier: Apache-2.0 */
/* A root in a folder of the file system: places are file descriptors. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/detect/root_source.h"

struct folder {
    int fd;
};

static int top(void *state)
{
    const struct folder *folder = state;
    return fcntl(folder->fd, F_DUPFD_CLOEXEC, 3);
}

static int enter(void *state, int folder, const char *name, enum orr_root_kind *ret_kind, char target[ORR_PATH_SIZE])
{
    struct stat about;
    (void)state;
    int fd = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (fstat(fd, &about)) {
        close(fd);
        return -1;
    }
    *ret_kind = S_ISREG(about.st_mode) ? ORR_ROOT_FILE : S_ISDIR(about.st_mode) ? ORR_ROOT_FOLDER : ORR_ROOT_OTHER;
    if (S_ISLNK(about.st_mode))
        *ret_kind = ORR_ROOT_LINK;
    if (*ret_kind == ORR_ROOT_LINK) {
        ssize_t length = readlinkat(fd, "", target, ORR_PATH_SIZE - 1);
        if (length < 0 || length == ORR_PATH_SIZE - 1) {
            close(fd);
            return -1;
        }
        target[length] = 0;
    }
    return fd;
}

static void leave(void *state, int place)
{
    (void)state;
    close(place);
}

/* The descriptor of a place names it without giving access; /proc/self/fd opens the same file, whatever happened to its
 * name meanwhile. If /proc is hidden there is no other way to that file, so it is reported as unreadable. */
static int reopen(int place, int flags)
{
    char name[32];
    snprintf(name, sizeof name, "/proc/self/fd/%d", place);
    return open(name, flags | O_CLOEXEC);
}

static ssize_t read_file(void *state, int place, char *buffer, size_t size)
{
    size_t done = 0;
    (void)state;
    int fd = reopen(place, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -1;
    while (done < size) {
        ssize_t got = read(fd, buffer + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && !done) {
            close(fd);
            return -1;
        }
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    close(fd);
    return (ssize_t)done;
}

static bool list(void *state, int place, orr_name_taker *take, void *taker)
{
    (void)state;
    int fd = openat(place, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (!folder) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    for (struct dirent *entry; (entry = readdir(folder));)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") && !take(taker, entry->d_name))
            break;
    closedir(folder);
    return true;
}

static void end(void *state)
{
    struct folder *folder = state;
    close(folder->fd);
    free(folder);
}

static const struct orr_root_source folder_source = {
    .top = top, .enter = enter, .leave = leave, .read = read_file, .list = list, .end = end};

enum orr_code orr_root_open(const char *path, struct orr_root **ret_root, struct orr_error *err)
{
    struct orr_root *root = calloc(1, sizeof *root);
    struct folder *folder = calloc(1, sizeof *folder);
    if (!root || !folder) {
        free(root);
        free(folder);
        return orr_fail_nomem(err);
    }
    folder->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder->fd < 0) {
        enum orr_code code = orr_fail(err, ORR_IO, "the folder cannot be opened: %s", strerror(errno));
        orr_error_where(err, "%.90s", path);
        free(root);
        free(folder);
        return code;
    }
    root->source = &folder_source;
    root->state = folder;
    *ret_root = root;
    return ORR_OK;
}
