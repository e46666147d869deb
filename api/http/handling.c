/* SPDX-License-Identifier: Apache-2.0 */
/* Handles a request: finds the route, reads the query, asks the cache, and calls the handler. respond.c makes the
 * answer conditional and compressed. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "api/http/call.h"
#include "engine/base/budget.h"
#include "engine/release/release_names.h"

enum { MAX_TARGET = 8192, QUICK_KEY = 512 };

void orr_call_content(struct orr_call *call, const char *bytes, size_t length)
{
    orr_sha256(bytes, length, call->digest);
    snprintf(call->id, sizeof call->id, "%.*s", (int)ORR_ID_LENGTH, call->digest);
}

/* Sets the body to the sent dump or, for a machine type, to the text by which orr_input_read() recognises it, so that a
 * type always has the same id. */
static enum orr_code find_body(struct orr_call *call, struct orr_error *err)
{
    const struct orr_machine_type *machine = call->params.machine;
    call->body = call->request->body;
    call->body_length = call->request->body_length;
    if (machine && call->body_length) {
        call->problem = ORR_PROBLEM_PARAMETER;
        return orr_fail_with(err, ORR_SETTING, "machine", "assume=TYPE fills in what a body lacks",
                             "machine replaces the body, but the request has a body as well");
    }
    if (machine) {
        static const char sign[] = "machine type: ";
        size_t length = strlen(machine->name);
        char *text = orr_arena_alloc(call->arena, sizeof sign + length + 1, 1);
        ORR_NEED(text, err);
        call->body_length = (size_t)snprintf(text, sizeof sign + length + 1, "%s%s\n", sign, machine->name);
        call->body = text;
    }
    if (!call->body_length) {
        call->problem = ORR_PROBLEM_BODY_EMPTY;
        return orr_fail_with(err, ORR_UNRECOGNISED, NULL,
                             "curl --data-binary @topo.xml sends a file; NCCL writes it with NCCL_TOPO_DUMP_FILE",
                             "the request needs a topology dump as its body");
    }
    orr_call_content(call, call->body, call->body_length);
    return ORR_OK;
}

/* The id of what the call is about: from the path, or from the content of the body. */
static enum orr_code find_content(struct orr_call *call, struct orr_error *err)
{
    if (call->route->flags & (ORR_ROUTE_TOPOLOGY | ORR_ROUTE_CLUSTER)) {
        const char *id = call->captures[0];
        bool cluster = call->route->flags & ORR_ROUTE_CLUSTER;
        if (!orr_is_id(id)) {
            orr_fail(err, ORR_NOT_FOUND, "\"%.60s\" is not the id of a %s", id, cluster ? "cluster" : "topology");
            orr_error_advice(err, "ids have %d hex digits, as POST /v1/%s gives them", (int)ORR_ID_LENGTH,
                             cluster ? "clusters" : "topologies");
            return ORR_NOT_FOUND;
        }
        snprintf(call->id, sizeof call->id, "%s", id);
    }
    return call->route->flags & ORR_ROUTE_DUMP ? find_body(call, err) : ORR_OK;
}

/* The key of the answer: the same content, route and parameters; NULL if not cached. Stored and posted dumps have keys
 * of their own, so that deleting a topology hides its answers. */
static const char *answer_key(struct orr_call *call)
{
    if (!(call->route->flags & ORR_ROUTE_CACHED))
        return NULL;
    enum { LONGEST = 65536 };
    ORR_LOCAL_TEXT(text, LONGEST);
    orr_text_printf(&text, "%s|a%u|%s|%s", call->id, (unsigned)(call->route - call->app->routes), orr_version(),
                    call->captures[1] ? call->captures[1] : "");
    orr_query_key(&call->params.query, &text);
    orr_params_key(&call->params, call->route->parameters, &text);
    const char *key = orr_text_failed(&text) ? NULL : orr_arena_strndup(call->arena, text.data, text.length);
    return key;
}

/* The key of a finished answer about a stored topology, made of the unparsed target, so that a repeated question needs
 * no parsing of its query. Like all keys, it begins with the content id. */
static bool quick_key(const struct orr_call *call, char key[QUICK_KEY])
{
    static const char folder[] = "/v1/topologies/";
    enum { FOLDER = sizeof folder - 1 };
    const struct orr_route *route = call->route;
    const char *target = call->request->target;
    size_t length = strlen(target);
    if ((route->flags & (ORR_ROUTE_TOPOLOGY | ORR_ROUTE_CACHED)) != (ORR_ROUTE_TOPOLOGY | ORR_ROUTE_CACHED) ||
        length < FOLDER + ORR_ID_LENGTH || length + 4 >= QUICK_KEY || orr_call_header(call, "If-Match"))
        return false;
    memcpy(key, target + FOLDER, ORR_ID_LENGTH);
    key[ORR_ID_LENGTH] = '|';
    key[ORR_ID_LENGTH + 1] = orr_call_accepts_gzip(call) ? 'z' : 't';
    memcpy(key + ORR_ID_LENGTH + 2, target + FOLDER + ORR_ID_LENGTH, length - FOLDER - ORR_ID_LENGTH + 1);
    return true;
}

static bool answer_quickly(struct orr_call *call, const char *key)
{
    struct orr_answer *answer = (struct orr_answer *)orr_cache_peek(call->app->cache, key);
    if (!answer)
        return false;
    memcpy(call->id, key, ORR_ID_LENGTH);
    int64_t seen = atomic_load_explicit(&answer->seen, memory_order_relaxed);
    if (!orr_seen_lately(seen)) {
        if (orr_call_exists(call, !call->request->may_defer, &seen, NULL) != ORR_OK || !seen) {
            orr_shared_give(&answer->shared);
            return false; /* the full search says why, or asks the store in a thread that may wait */
        }
        atomic_store_explicit(&answer->seen, seen, memory_order_relaxed);
    }
    call->response->route = orr_route_template(call->route);
    orr_call_send(call, answer);
    return true;
}

/* A read may require a state of the resource. */
static bool is_as_wanted(const struct orr_call *call, const struct orr_answer *answer)
{
    const char *match = orr_call_reads(call) ? orr_call_header(call, "If-Match") : NULL;
    return !match || answer->status != 200 || !answer->etag[0] || orr_etag_listed(match, answer->etag, false);
}

/* Health checks have no parameters, and are always answered. */
static bool is_instant(const struct orr_route *route)
{
    return route->access == ORR_ACCESS_PROBE && !(route->flags & ORR_ROUTE_STORE);
}

/* Defers the call to a thread that may take its time. */
static enum orr_code defer(const struct orr_call *call, bool long_work)
{
    call->response->deferred = true;
    call->response->long_work = long_work;
    return ORR_OK;
}

/* For a thread that serves connections: answers from the cache, or defers the call. */
static enum orr_code peek(struct orr_call *call, const char *key, struct orr_answer **ret_answer, struct orr_error *err)
{
    unsigned flags = call->route->flags;
    bool cached = key && orr_cache_has(call->app->cache, key);
    int64_t seen = 1;
    if (cached && (flags & (ORR_ROUTE_TOPOLOGY | ORR_ROUTE_CLUSTER)))
        ORR_TRY(orr_call_exists(call, false, &seen, err));
    if (cached && seen)
        *ret_answer = (struct orr_answer *)orr_cache_peek(call->app->cache, key);
    if (*ret_answer && !orr_call_would_compress(call, *ret_answer, key))
        return ORR_OK;
    orr_shared_give(*ret_answer ? &(*ret_answer)->shared : NULL);
    *ret_answer = NULL;
    return defer(call, (flags & ORR_ROUTE_HEAVY) && !cached);
}

/* For a thread that may wait: answers from the cache, or by the handler. */
static enum orr_code make(struct orr_call *call, const char *key, struct orr_answer **ret_answer, struct orr_error *err)
{
    struct orr_cache *cache = call->app->cache;
    bool long_work = call->route->flags & ORR_ROUTE_HEAVY;
    int64_t seen;
    if (key && (call->route->flags &
                (ORR_ROUTE_TOPOLOGY | ORR_ROUTE_CLUSTER))) /* the cache answers only for what the store has */
        ORR_TRY(orr_call_exists(call, true, &seen, err));
    if (long_work && call->request->only_short) {
        *ret_answer = key ? (struct orr_answer *)orr_cache_peek(cache, key) : NULL;
        return *ret_answer ? ORR_OK : defer(call, true);
    }
    if (key)
        *ret_answer = (struct orr_answer *)orr_cache_begin(cache, key);
    if (*ret_answer)
        return ORR_OK;
    enum orr_code code = orr_budget_check(err); /* orr_cache_begin() waits no longer than the budget lasts */
    if (code == ORR_OK)
        code = call->route->handler(call, ret_answer, err);
    if (key)
        orr_cache_end(cache, key, code == ORR_OK && (*ret_answer)->status == 200 ? &(*ret_answer)->shared : NULL);
    return code;
}

/* Adds a header if the rules are not those of the requested release, or were not compared with NCCL, because not every
 * document has a place for that. */
static bool add_caveat(struct orr_call *call)
{
    const struct orr_settings *settings = &call->params.query.settings;
    char caveat[ORR_CAVEAT_SIZE];
    if (!settings->release || !*orr_settings_caveat(settings, caveat))
        return false;
    orr_response_header(call->response, "Orrery-Caveat", "%s", caveat);
    return true;
}

/* Handles a matched call from the cache or by its handler, or defers it. */
static enum orr_code answer_call(struct orr_call *call, struct orr_error *err)
{
    struct orr_answer *answer = NULL;
    const char *key = answer_key(call);
    if (call->request->may_defer && !is_instant(call->route))
        ORR_TRY(peek(call, key, &answer, err));
    else
        ORR_TRY(make(call, key, &answer, err));
    if (!answer)
        return ORR_OK; /* deferred */
    if (!is_as_wanted(call, answer)) {
        orr_shared_give(&answer->shared);
        call->problem = ORR_PROBLEM_PRECONDITION;
        return orr_fail(err, ORR_INVALID, "the resource has changed: it does not match If-Match");
    }
    orr_call_finish(call, answer, key);
    if (!add_caveat(call) && key && call->quick_key && call->response->answer->status == 200 &&
        !atomic_exchange(&call->response->answer->aliased, true))
        orr_cache_also(call->app->cache, key, call->quick_key, &call->response->answer->shared);
    return ORR_OK;
}

static enum orr_code handle(struct orr_call *call, struct orr_error *err)
{
    const char *target = call->request->target;
    if (strlen(target) > MAX_TARGET) {
        call->problem = ORR_PROBLEM_TARGET_SIZE;
        return orr_fail(err, ORR_LIMIT, "the path with its query has %zu bytes, more than %d", strlen(target),
                        (int)MAX_TARGET);
    }
    size_t path = strcspn(target, "?");
    ORR_TRY(orr_budget_check(err)); /* it may have been stopped while it waited */
    ORR_TRY(orr_call_route(call, target, path, err));
    if (call->request->may_defer && call->request->body_length) /* whoever reads a body may take long */
        return defer(call, true);
    ORR_TRY(orr_params_read(target[path] ? target + path + 1 : NULL, call->route->parameters, call->arena,
                            &call->params, &call->problem, err));
    ORR_TRY(find_content(call, err));
    return answer_call(call, err);
}

static void count_end(struct orr_app *app, const struct orr_budget *budget)
{
    enum orr_spent spent = budget ? budget->spent : ORR_SPENT_NOT;
    if (spent >= ORR_SPENT_USER)
        return; /* the program that liborrery is in; it asks for no metrics. Or memory ran out: no limit, no end */
    if (spent >= ORR_SPENT_CLIENT)
        orr_metric_add(app->metrics, ORR_METRIC_CANCELLED, spent - ORR_SPENT_CLIENT, 1);
    else if (spent)
        orr_metric_add(app->metrics, ORR_METRIC_EXCEEDED, spent - 1, 1);
}

static void handle_fully(struct orr_call *call)
{
    enum { REQUEST_MEMORY = 1 << 20 };
    struct orr_app *app = call->app;
    const struct orr_request *request = call->request;
    struct orr_error err = {0};
    struct orr_budget unlimited = {0}, *budget = request->may_defer ? NULL : request->budget;
    memset(&call->params, 0, sizeof call->params);
    if (!budget && app->check_systems)
        budget = &unlimited;
    if (budget) {
        budget->check_systems = app->check_systems;
        orr_budget_begin(budget);
    }
    call->arena = orr_arena_new(REQUEST_MEMORY);
    enum orr_code code = call->arena ? handle(call, &err) : orr_fail_nomem(&err);
    if (budget)
        orr_budget_end();
    code = orr_budget_verdict(budget, code, &err);
    if (code != ORR_OK) {
        orr_response_release(call->response);
        call->budget = budget;
        count_end(app, budget);
        call->problem = budget && budget->spent ? ORR_PROBLEM_NONE : call->problem;
        orr_call_problem(call, &err);
    }
    orr_arena_free(call->arena);
}

void orr_api_handle(struct orr_app *app, const struct orr_request *request, struct orr_response *response)
{
    struct orr_call call;
    char key[QUICK_KEY];
    memset(&call, 0, offsetof(struct orr_call, params));
    call.app = app;
    call.request = request;
    call.response = response;
    call.route = request->route;
    orr_response_init(response);
    if (call.route && quick_key(&call, key)) {
        if (answer_quickly(&call, key))
            return;
        call.quick_key = key;
    }
    handle_fully(&call);
}

void orr_app_drain(struct orr_app *app)
{
    atomic_store(&app->draining, true);
}

struct orr_metrics *orr_app_metrics(struct orr_app *app)
{
    return app->metrics;
}

const char *orr_app_database(const struct orr_app *app)
{
    return orr_store_place(app->store);
}

void orr_app_count(struct orr_app *app, const struct orr_route *route, unsigned status, uint64_t nanoseconds)
{
    orr_metrics_request(app->metrics, route ? (unsigned)(route - app->routes) : app->route_count, status, nanoseconds);
}
