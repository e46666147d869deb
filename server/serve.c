/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the service: checks its settings, finds its files, starts, waits for signals, drains. */
#include "server/serve.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "api/handlers/app.h"
#include "api/metrics/metrics.h"
#include "engine/base/version.h"
#include "server/client_address.h"
#include "server/cors.h"
#include "server/http.h"
#include "server/listen.h"
#include "server/log.h"
#include "server/places.h"
#include "server/workers.h"

static unsigned cores(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 2 ? 2 : count > 64 ? 64 : (unsigned)count;
}

static enum orr_code check_tls_pair(const struct orr_config *config, struct orr_error *err)
{
    if (!config->tls_cert == !config->tls_key)
        return ORR_OK;
    return orr_fail(err, ORR_SETTING, "--tls-cert and --tls-key belong together: %s is missing",
                    config->tls_cert ? "--tls-key" : "--tls-cert");
}

static enum orr_code check_listen(const struct orr_config *config, struct orr_error *err)
{
    bool loopback;
    ORR_TRY(orr_listen_check(config->listen, &loopback, err));
    return loopback || config->token_file || config->insecure ? ORR_OK : orr_listen_refuse(config->listen, err);
}

static enum orr_code check_cors(const struct orr_config *config, struct orr_error *err)
{
    return orr_cors_check(config->cors_origins, err);
}

static enum orr_code check_proxies(const struct orr_config *config, struct orr_error *err)
{
    struct orr_networks networks = {0};
    ORR_TRY(orr_networks_read(config->trusted_proxies, &networks, err));
    orr_networks_release(&networks);
    return ORR_OK;
}

static enum orr_code check_static(const struct orr_config *config, struct orr_error *err)
{
    struct stat status;
    if (!config->static_folder || (!stat(config->static_folder, &status) && S_ISDIR(status.st_mode)))
        return ORR_OK;
    return orr_fail(err, ORR_IO, "--static %.120s is not a folder", config->static_folder);
}

static enum orr_code check_tokens(const struct orr_config *config, struct orr_error *err)
{
    struct orr_tokens *tokens = NULL;
    if (!config->token_file)
        return ORR_OK;
    ORR_TRY(orr_tokens_open(config->token_file, &tokens, err));
    orr_tokens_close(tokens);
    return ORR_OK;
}

static enum orr_code check_tls(const struct orr_config *config, struct orr_error *err)
{
    struct orr_tls *tls = NULL;
    if (!config->tls_cert || !config->tls_key)
        return ORR_OK;
    ORR_TRY(orr_tls_open(config->tls_cert, config->tls_key, &tls, err));
    orr_tls_close(tls);
    return ORR_OK;
}

/* Checks everything that can be checked before the start; reports each fault. */
static enum orr_code check(const struct orr_config *config, orr_serve_report *report)
{
    static enum orr_code (*const checks[])(const struct orr_config *config, struct orr_error *err) = {
        check_tls_pair, check_listen, check_cors, check_proxies, check_static, check_tokens, check_tls};
    enum orr_code worst = ORR_OK;
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        struct orr_error err = {0};
        enum orr_code code = checks[i](config, &err);
        if (code != ORR_OK)
            report(&err);
        if (worst == ORR_OK || code == ORR_SETTING)
            worst = code;
    }
    return worst;
}

/* Raises the limit of open files to the number that connections need, if the system allows it. */
/* If the system allows too few, lowers the number of connections: a refused connection gets an answer, but one without
 * a descriptor would wait in silence. */
static void fit_files(struct orr_config *config)
{
    enum { OTHER = 128, LEAST_OTHER = 48, LEAST = 8 };
    struct rlimit limit;
    rlim_t wanted = (rlim_t)config->connections + OTHER;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    if (setrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= wanted)
        return;
    char before[24], now[24];
    snprintf(before, sizeof before, "%llu", (unsigned long long)config->connections);
    const rlim_t room = limit.rlim_cur < LEAST_OTHER + LEAST ? LEAST : limit.rlim_cur - LEAST_OTHER;
    config->connections = room < config->connections ? room : config->connections;
    snprintf(now, sizeof now, "%llu", (unsigned long long)config->connections);
    orr_log((enum orr_log_format)config->log_format, "warn", "too few file descriptors for --connections",
            "connections", now, "wanted", before, "advice",
            "raise the limit with ulimit -n, or LimitNOFILE= of the unit", NULL);
}

struct service {
    const struct orr_config *config;
    enum orr_log_format format;
    struct orr_app *app;
    struct orr_http *http;
    struct orr_tokens *tokens;
    struct orr_tls *tls;
};

static void report_reload(const struct service *service, enum orr_reload which, enum orr_code code,
                          const struct orr_error *err)
{
    static const char *const names[] = {[ORR_RELOAD_TOKENS] = "tokens", [ORR_RELOAD_CERTIFICATE] = "certificate"};
    const char *what = names[which];
    enum { RESULTS = 2 };
    orr_metric_add(orr_app_metrics(service->app), ORR_METRIC_RELOADS, (unsigned)which * RESULTS + (code != ORR_OK), 1);
    if (code == ORR_OK)
        orr_log(service->format, "info", "reloaded", "what", what, NULL);
    else
        orr_log(service->format, "error", "reload failed; the previous version stays in force", "what", what, "error",
                err->text, NULL);
}

static void reload(struct service *service)
{
    struct orr_error err = {0}, tls_err = {0};
    if (service->tokens)
        report_reload(service, ORR_RELOAD_TOKENS, orr_tokens_reload(service->tokens, &err), &err);
    if (service->tls)
        report_reload(service, ORR_RELOAD_CERTIFICATE, orr_tls_reload(service->tls, &tls_err), &tls_err);
}

/* Waits until the time is over, nothing is in flight (if `until_idle`), or a signal to end comes; true in the
 * last case. */
static bool wait_for(const struct service *service, const sigset_t *signals, uint64_t milliseconds, bool until_idle)
{
    enum { STEP_MS = 20 };
    const struct timespec step = {.tv_nsec = STEP_MS * 1000000L};
    for (uint64_t waited = 0; waited < milliseconds; waited += STEP_MS) {
        if (until_idle && !orr_http_in_flight(service->http))
            return false;
        int arrived = sigtimedwait(signals, NULL, &step);
        if (arrived == SIGTERM || arrived == SIGINT)
            return true;
    }
    return false;
}

/* Ends the process if an orderly stop takes longer than this, or a further signal comes. */
struct last_resort {
    const struct service *service;
    sigset_t signals;
    uint64_t milliseconds; /* 0 means only a signal */
};

static void *end_by_force(void *context)
{
    const struct last_resort *last = context;
    const struct timespec time = {.tv_sec = (time_t)(last->milliseconds / 1000),
                                  .tv_nsec = (long)(last->milliseconds % 1000) * 1000000};
    int arrived = 0;
    do
        arrived = sigtimedwait(&last->signals, NULL, last->milliseconds ? &time : NULL);
    while (arrived == SIGHUP || (arrived < 0 && errno == EINTR));
    orr_log(last->service->format, "warn", "stopped at once; work in progress was abandoned", NULL);
    fflush(NULL);
    _exit(0); /* everything that was acknowledged is in the database */
}

/* Serves until a signal ends it. First /readyz says no while new connections are still served, so that load balancers
 * notice. Then no more connections are accepted, and requests under way are finished. When the grace time is over,
 * running work is stopped, and the process ends within a second whatever it computes. A second signal ends it at
 * once. */
static void run(struct service *service, const sigset_t *signals, struct last_resort *last)
{
    enum { FORCE_MS = 700, ANSWER_MS = 500, AT_ONCE_MS = 100 };
    const struct orr_config *config = service->config;
    char text[24];
    int arrived = 0;
    pthread_t thread;
    while (sigwait(signals, &arrived) || arrived == SIGHUP)
        if (arrived == SIGHUP)
            reload(service);
    snprintf(text, sizeof text, "%u", orr_http_in_flight(service->http));
    orr_log(service->format, "info", "draining", "in_flight", text, NULL);
    orr_app_drain(service->app);
    bool at_once = config->drain_delay_ms && wait_for(service, signals, config->drain_delay_ms, false);
    orr_http_quiesce(service->http);
    if (!at_once)
        at_once = wait_for(service, signals, config->grace_ms, true);
    bool idle = !orr_http_in_flight(service->http);
    *last = (struct last_resort){service, *signals, at_once ? AT_ONCE_MS : idle ? 0 : FORCE_MS};
    if (!pthread_create(&thread, NULL, end_by_force, last))
        pthread_detach(thread);
    if (idle)
        return;
    orr_http_break_off(service->http);
    /* Refusals are sent while libmicrohttpd still runs, because it loses answers that it gets while it stops. */
    (void)wait_for(service, signals, at_once ? AT_ONCE_MS / 2 : ANSWER_MS, true);
}

static enum orr_code start(struct service *service, const struct orr_app_options *app_options, struct orr_error *err)
{
    const struct orr_config *config = service->config;
    if (config->token_file)
        ORR_TRY(orr_tokens_open(config->token_file, &service->tokens, err));
    if (config->tls_cert)
        ORR_TRY(orr_tls_open(config->tls_cert, config->tls_key, &service->tls, err));
    ORR_TRY(orr_app_new(app_options, &service->app, err));
    const struct orr_http_parts parts = {service->app, config, service->tokens, service->tls};
    return orr_http_start(&parts, &service->http, err);
}

static void stop(struct service *service)
{
    if (service->http)
        orr_http_stop(service->http);
    if (service->app)
        orr_app_free(service->app);
    orr_tls_close(service->tls);
    orr_tokens_close(service->tokens);
}

static void say_ready(const struct service *service, const struct orr_app_options *app_options)
{
    char certificate[320] = "", tokens[24] = "";
    if (service->tls)
        orr_tls_describe(service->tls, certificate, sizeof certificate);
    if (service->tokens)
        snprintf(tokens, sizeof tokens, "%zu", orr_tokens_count(service->tokens));
    orr_log(service->format, "info", "ready", "address", orr_http_address(service->http), "version", orr_version(),
            "database", orr_app_database(service->app), "static", app_options->static_folder, "tokens", tokens,
            "certificate", certificate, NULL);
    printf("listening on %s\n", orr_http_address(service->http));
    fflush(stdout);
}

/* Reports what retention would do, without doing it. */
static enum orr_code dry_run(const struct orr_app_options *app_options, orr_serve_report *report)
{
    struct orr_app_options options = *app_options;
    struct orr_app *app;
    struct orr_error err = {0};
    int64_t due = 0, stored = 0;
    options.keep_dry = true;
    enum orr_code code = orr_app_new(&options, &app, &err);
    if (code == ORR_OK) {
        code = orr_app_due(app, &due, &stored, &err);
        orr_app_free(app);
    }
    if (code != ORR_OK) {
        report(&err);
        return code;
    }
    printf("retention would delete %lld of %lld stored dumps now\n", (long long)due, (long long)stored);
    return ORR_OK;
}

enum orr_code orr_serve(struct orr_config *config, bool check_only, orr_serve_report *report)
{
    char database[PATH_MAX], folder[PATH_MAX], docs[PATH_MAX];
    struct orr_error err = {0};
    unsigned wrong = orr_config_environment(config, stderr);
    enum orr_code code = check(config, report);
    if (wrong && code == ORR_OK)
        code = ORR_IO;
    if (check_only) {
        orr_config_print(config, stdout);
        printf("%s\n", code == ORR_OK ? "usable" : "not usable");
    }
    if (check_only || code != ORR_OK)
        return code;

    if (!config->threads)
        config->threads = cores();
    if (config->connections < config->threads)
        config->connections = config->threads;
    const struct orr_app_options app_options = {
        .database = config->database ? config->database : database,
        .static_folder = config->static_folder ? config->static_folder : orr_default_static(folder),
        .docs_folder = orr_default_docs(docs),
        .max_body = config->max_body,
        .cache_bytes = config->cache,
        .stream_bytes = config->stream_memory,
        .counts_hosts = true,
        .check_systems = config->check,
        .database_timeout_ms = (unsigned)config->database_ms,
        .database_connections = (unsigned)config->database_connections,
        .database_calls = orr_workers_long((unsigned)config->threads) / 2,
        .keep_days = (unsigned)config->keep_days,
        .keep_count = (unsigned)config->keep_count,
    };
    if (!config->database && (code = orr_default_database(database, &err)) != ORR_OK) {
        report(&err);
        return code;
    }

    if (config->keep_dry_run)
        return dry_run(&app_options, report);

    /* Before any thread exists, so that all inherit it. */
    static const int handled[] = {SIGTERM, SIGINT, SIGHUP};
    sigset_t signals;
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&signals);
    for (size_t i = 0; i < sizeof handled / sizeof handled[0]; i++)
        sigaddset(&signals, handled[i]);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    fit_files(config);

    struct service service = {.config = config, .format = (enum orr_log_format)config->log_format};
    if ((code = start(&service, &app_options, &err)) != ORR_OK) {
        stop(&service);
        report(&err);
        return code;
    }
    say_ready(&service, &app_options);
    static struct last_resort last; /* its thread may outlive this function */
    run(&service, &signals, &last);
    stop(&service);
    orr_log(service.format, "info", "stopped", NULL);
    return ORR_OK;
}
