/* Where things are where nobody says so: the database and the page. */
#include "server/places.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef ORR_STATIC_INSTALLED
#define ORR_STATIC_INSTALLED "/usr/local/share/orrery/static"
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
    if (length < 0 || length >= PATH_MAX || !make_folders(path)) {
        orr_fail(err, ORR_IO,
                 "no place for the database: neither XDG_STATE_HOME nor HOME leads to a folder that can be written");
        orr_error_advice(err, "say where with --database PATH, or :memory: to keep nothing");
        return ORR_IO;
    }
    return ORR_OK;
}

/* The page beside the program (a build folder in the source tree, or installed), or where it was to be installed. */
const char *orr_default_static(char path[PATH_MAX])
{
    static const char *const places[] = {"/../static", "/../share/orrery/static", "/static"};
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash = NULL;
    if (length > 0) {
        program[length] = 0;
        slash = strrchr(program, '/');
    }
    if (slash)
        *slash = 0;
    for (size_t i = 0; slash && i < sizeof places / sizeof places[0]; i++) {
        char index[PATH_MAX + 32];
        snprintf(index, sizeof index, "%s%s/index.html", program, places[i]);
        if (!access(index, R_OK)) {
            index[strlen(index) - strlen("/index.html")] = 0;
            return realpath(index, path);
        }
    }
    if (access(ORR_STATIC_INSTALLED "/index.html", R_OK))
        return NULL;
    snprintf(path, PATH_MAX, "%s", ORR_STATIC_INSTALLED);
    return path;
}
