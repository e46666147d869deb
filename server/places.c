/* SPDX-License-Identifier: Apache-2.0 */
/* Default places of files: the database, the page and the documentation. */
#include "server/places.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef ORR_SHARE_INSTALLED
#define ORR_SHARE_INSTALLED "/usr/local/share/orrery"
#endif

/* Makes the folders above a file. */
static bool make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        bool made = !mkdir(path, 0700) || errno == EEXIST;
        *slash = '/';
        if (!made)
            return false;
    }
    return true;
}

enum orr_code orr_default_database(char path[PATH_MAX], struct orr_error *err)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int length = state && state[0] == '/' ? snprintf(path, PATH_MAX, "%s/orrery/orrery.db", state)
                 : home && home[0] == '/' ? snprintf(path, PATH_MAX, "%s/.local/state/orrery/orrery.db", home)
                                          : -1;
    if (length < 0 || length >= PATH_MAX || !make_folders(path))
        return orr_fail_with(err, ORR_IO, NULL, "choose one with --database PATH, or :memory: to keep nothing",
                             "no place for the database: neither XDG_STATE_HOME nor HOME names a writable folder");
    return ORR_OK;
}

/* The first folder that has an index.html: beside the serving program (libexec/orrery), or else in the installation. */
static const char *find_folder(const char *const *places, size_t count, const char *installed, char path[PATH_MAX])
{
    char program[PATH_MAX], index[PATH_MAX + 32];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash = NULL;
    if (length > 0) {
        program[length] = 0;
        slash = strrchr(program, '/');
    }
    if (slash)
        *slash = 0;
    for (size_t i = 0; slash && i < count; i++) {
        snprintf(index, sizeof index, "%s%s/index.html", program, places[i]);
        if (!access(index, R_OK)) {
            index[strlen(index) - strlen("/index.html")] = 0;
            return realpath(index, path);
        }
    }
    snprintf(index, sizeof index, "%s/index.html", installed);
    if (access(index, R_OK))
        return NULL;
    snprintf(path, PATH_MAX, "%s", installed);
    return path;
}

const char *orr_default_static(char path[PATH_MAX])
{
    static const char *const places[] = {"/../static", "/../../share/orrery/static", "/static"};
    return find_folder(places, sizeof places / sizeof places[0], ORR_SHARE_INSTALLED "/static", path);
}

const char *orr_default_docs(char path[PATH_MAX])
{
    static const char *const places[] = {"/share/docs", "/../../share/orrery/docs"};
    return find_folder(places, sizeof places / sizeof places[0], ORR_SHARE_INSTALLED "/docs", path);
}
