/* `orrery serve`: finds its files, starts, waits for the signal to end, drains. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "server/http.h"
#include "server/options.h"

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

static enum orr_code default_database(char path[PATH_MAX], struct orr_error *err)
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
static const char *default_static(char path[PATH_MAX])
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

static unsigned cores(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 2 ? 2 : count > 64 ? 64 : (unsigned)count;
}

struct numbers {
    uint32_t max_body, cache, threads, connections, timeout, grace;
    uint32_t database_timeout, database_connections, keep_days, keep_count;
};

static enum orr_code read_numbers(const struct orr_options *options, struct numbers *numbers, struct orr_error *err)
{
    const struct {
        const char *name, *text;
        uint32_t least, most, *to;
    } rows[] = {
        {"--max-body", options->max_body, 1024, 1u << 30, &numbers->max_body},
        {"--cache", options->cache, 1 << 20, UINT32_MAX, &numbers->cache},
        {"--threads", options->threads, 1, 256, &numbers->threads},
        {"--connections", options->connections, 1, 100000, &numbers->connections},
        {"--timeout", options->timeout, 1, 3600, &numbers->timeout},
        {"--grace", options->grace, 0, 3600, &numbers->grace},
        {"--database-timeout", options->database_timeout, 1, 600, &numbers->database_timeout},
        {"--database-connections", options->database_connections, 1, 256, &numbers->database_connections},
        {"--keep-days", options->keep_days, 0, 36500, &numbers->keep_days},
        {"--keep-count", options->keep_count, 0, UINT32_MAX, &numbers->keep_count},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].text)
            ORR_TRY(orr_read_number(rows[i].name, rows[i].text, rows[i].least, rows[i].most, rows[i].to, err));
    if (numbers->connections < numbers->threads)
        numbers->connections = numbers->threads;
    return ORR_OK;
}

/* As many open files as connections need, where the system allows it. */
static void raise_file_limit(unsigned connections)
{
    struct rlimit limit;
    rlim_t wanted = (rlim_t)connections + 128;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* Waits until nothing is in flight, the grace time is over, or a second signal comes. */
static void drain(struct orr_http *http, const sigset_t *signals, unsigned grace)
{
    enum { STEP_MS = 20 };
    const struct timespec step = {.tv_nsec = STEP_MS * 1000000L};
    for (unsigned waited = 0; waited < grace * 1000 && orr_http_in_flight(http); waited += STEP_MS)
        if (sigtimedwait(signals, NULL, &step) > 0)
            return;
}

int orr_command_serve(const struct orr_options *options)
{
    char database[PATH_MAX], folder[PATH_MAX];
    struct orr_error err = {0};
    struct numbers numbers = {
        .max_body = 16 << 20, .cache = 256 << 20, .threads = cores(), .connections = 1024, .timeout = 30, .grace = 10};
    struct orr_app_options app_options = {.database = options->database, .static_folder = options->static_folder};
    sigset_t signals;
    int arrived;

    if (read_numbers(options, &numbers, &err) != ORR_OK ||
        (!options->database && default_database(database, &err) != ORR_OK))
        return orr_report(NULL, &err);
    if (!options->database)
        app_options.database = database;
    if (!options->static_folder)
        app_options.static_folder = default_static(folder);
    app_options.max_body = numbers.max_body;
    app_options.cache_bytes = numbers.cache;
    app_options.database_timeout = numbers.database_timeout;
    app_options.database_connections = numbers.database_connections;
    app_options.keep_days = numbers.keep_days;
    app_options.keep_count = numbers.keep_count;

    /* Before any thread is there, so that all inherit it. */
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    raise_file_limit(numbers.connections);

    struct orr_app *app;
    struct orr_http *http;
    if (orr_app_new(&app_options, &app, &err) != ORR_OK)
        return orr_report(NULL, &err);
    const struct orr_http_options http_options = {
        .listen = options->listen ? options->listen : "127.0.0.1:8080",
        .threads = numbers.threads,
        .connections = numbers.connections,
        .timeout = numbers.timeout,
        .insecure = options->insecure,
        .quiet = options->quiet,
    };
    if (orr_http_start(app, &http_options, &http, &err) != ORR_OK) {
        orr_app_free(app);
        return orr_report(NULL, &err);
    }
    printf("listening on %s\n", orr_http_address(http));
    fflush(stdout);
    fprintf(stderr, "level=info msg=ready address=%s database=\"%s\" static=\"%s\"\n", orr_http_address(http),
            orr_app_database(app), app_options.static_folder ? app_options.static_folder : "");

    while (sigwait(&signals, &arrived))
        continue;
    fprintf(stderr, "level=info msg=draining in_flight=%u\n", orr_http_in_flight(http));
    orr_app_drain(app);
    orr_http_quiesce(http);
    drain(http, &signals, numbers.grace);
    orr_http_stop(http);
    orr_app_free(app);
    fprintf(stderr, "level=info msg=stopped\n");
    return ORR_EXIT_OK;
}
