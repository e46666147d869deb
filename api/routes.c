/* The routes, one row each, and the way of a request through them: match, read the query, ask the cache, handle.
 * respond.c makes the answer conditional and compressed. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/call.h"
#include "engine/base/budget.h"

#define P       ORR_P
#define OPEN    ORR_ACCESS_OPEN
#define PROBE   ORR_ACCESS_PROBE
#define METRICS ORR_ACCESS_METRICS
#define READ    ORR_ACCESS_READ
#define WRITE   ORR_ACCESS_WRITE
enum {
    TOPOLOGY = ORR_ROUTE_TOPOLOGY,
    DUMP = ORR_ROUTE_DUMP,
    CACHED = ORR_ROUTE_CACHED,
    HEAVY = ORR_ROUTE_HEAVY,
    STORE = ORR_ROUTE_STORE,
    CLUSTER = ORR_ROUTE_CLUSTER
};

static const struct orr_route routes[] = {
    /* asked most, so found first */
    {"GET", "/v1/topologies/{}/analysis", orr_handle_analysis, READ, TOPOLOGY | CACHED | HEAVY, ORR_P_ANALYSIS,
     "/v1/topologies/{id}/analysis"},
    {"GET", "/v1/topologies/{}/analysis/diff", orr_handle_diff, READ, TOPOLOGY | CACHED | HEAVY,
     ORR_P_ANALYSIS | P(AGAINST), "/v1/topologies/{id}/analysis/diff"},
    {"GET", "/v1/topologies/{}/analysis/{}", orr_handle_section, READ, TOPOLOGY | CACHED | HEAVY, ORR_P_ANALYSIS,
     "/v1/topologies/{id}/analysis/{section}"},
    {"POST", "/v1/topologies", orr_handle_upload, WRITE, DUMP | STORE | HEAVY, ORR_P_RECORD | P(STRICT) | P(MACHINE),
     NULL},
    {"GET", "/v1/topologies", orr_handle_list, READ, STORE, ORR_P_PAGE | P(SEARCH) | P(WITH_LABEL), NULL},
    {"GET", "/v1/topologies/{}", orr_handle_topology, READ, TOPOLOGY | STORE, 0, "/v1/topologies/{id}"},
    {"PATCH", "/v1/topologies/{}", orr_handle_patch, WRITE, TOPOLOGY | STORE, 0, "/v1/topologies/{id}"},
    {"DELETE", "/v1/topologies/{}", orr_handle_delete, WRITE, TOPOLOGY | STORE, 0, "/v1/topologies/{id}"},
    {"GET", "/v1/topologies/{}/source", orr_handle_source, READ, TOPOLOGY | STORE, 0, "/v1/topologies/{id}/source"},
    {"GET", "/v1/topologies/{}/xml", orr_handle_convert, READ, TOPOLOGY | STORE | HEAVY, ORR_P_READING | ORR_P_RELEASE,
     "/v1/topologies/{id}/xml"},
    {"GET", "/v1/topologies/{}/vm-file", orr_handle_vm_file, READ, TOPOLOGY | STORE | HEAVY, ORR_P_VM,
     "/v1/topologies/{id}/vm-file"},
    {"GET", "/v1/topologies/{}/anonymised", orr_handle_anonymise, READ, TOPOLOGY | STORE | HEAVY, 0,
     "/v1/topologies/{id}/anonymised"},
    {"GET", "/v1/topologies/{}/path", orr_handle_path, READ, TOPOLOGY | CACHED | HEAVY,
     ORR_P_ANALYSIS | P(FROM) | P(TO), "/v1/topologies/{id}/path"},
    {"GET", "/v1/topologies/{}/explain", orr_handle_explain, READ, TOPOLOGY | CACHED | HEAVY,
     ORR_P_ANALYSIS | ORR_P_WHY, "/v1/topologies/{id}/explain"},
    {"GET", "/v1/topologies/{}/predict", orr_handle_predict, READ, TOPOLOGY | CACHED | HEAVY, ORR_P_PREDICT,
     "/v1/topologies/{id}/predict"},
    {"GET", "/v1/topologies/{}/findings", orr_handle_findings, READ, TOPOLOGY | CACHED | STORE | HEAVY,
     ORR_P_READING | ORR_P_RELEASE, "/v1/topologies/{id}/findings"},
    {"GET", "/v1/topologies/{}/diagram.{}", orr_handle_diagram, READ, TOPOLOGY | CACHED | HEAVY,
     ORR_P_ANALYSIS | ORR_P_DRAWING, "/v1/topologies/{id}/diagram.{format}"},
    {"GET", "/v1/topologies/{}/diagram", orr_handle_render, READ, TOPOLOGY | HEAVY,
     ORR_P_ANALYSIS | ORR_P_DRAWING | P(FORMAT), "/v1/topologies/{id}/diagram"},
    {"POST", "/v1/topologies/{}/log", orr_handle_topology_log, READ, TOPOLOGY | HEAVY | STORE, ORR_P_LOG,
     "/v1/topologies/{id}/log"},
    {"POST", "/v1/clusters", orr_handle_cluster_put, WRITE, STORE | HEAVY, 0, NULL},
    {"GET", "/v1/clusters", orr_handle_cluster_list, READ, STORE, ORR_P_PAGE, NULL},
    {"GET", "/v1/clusters/{}", orr_handle_cluster, READ, CLUSTER | STORE, 0, "/v1/clusters/{id}"},
    {"DELETE", "/v1/clusters/{}", orr_handle_cluster_delete, WRITE, CLUSTER | STORE, 0, "/v1/clusters/{id}"},
    {"GET", "/v1/clusters/{}/analysis", orr_handle_analysis, READ, CLUSTER | CACHED | HEAVY, ORR_P_CLUSTER,
     "/v1/clusters/{id}/analysis"},
    {"GET", "/v1/clusters/{}/analysis/diff", orr_handle_diff, READ, CLUSTER | CACHED | HEAVY,
     ORR_P_CLUSTER | P(AGAINST), "/v1/clusters/{id}/analysis/diff"},
    {"GET", "/v1/clusters/{}/analysis/{}", orr_handle_section, READ, CLUSTER | CACHED | HEAVY, ORR_P_CLUSTER,
     "/v1/clusters/{id}/analysis/{section}"},
    {"GET", "/v1/clusters/{}/explain", orr_handle_explain, READ, CLUSTER | CACHED | HEAVY, ORR_P_CLUSTER | ORR_P_WHY,
     "/v1/clusters/{id}/explain"},
    {"GET", "/v1/clusters/{}/findings", orr_handle_cluster_findings, READ, CLUSTER | CACHED | HEAVY, ORR_P_CLUSTER,
     "/v1/clusters/{id}/findings"},
    {"GET", "/v1/topologies/{}/channels", orr_handle_channels, READ, TOPOLOGY | HEAVY, ORR_P_PLAN,
     "/v1/topologies/{id}/channels"},
    {"GET", "/v1/clusters/{}/groups", orr_handle_groups, READ, CLUSTER | CACHED | HEAVY, ORR_P_CLUSTER | P(LAYOUT),
     "/v1/clusters/{id}/groups"},
    {"GET", "/v1/clusters/{}/channels", orr_handle_channels, READ, CLUSTER | HEAVY, ORR_P_CLUSTER,
     "/v1/clusters/{id}/channels"},
    {"GET", "/v1/topologies/{}/p2p", orr_handle_p2p, READ, TOPOLOGY | HEAVY, ORR_P_PLAN | ORR_P_SCHEDULE,
     "/v1/topologies/{id}/p2p"},
    {"GET", "/v1/clusters/{}/p2p", orr_handle_p2p, READ, CLUSTER | HEAVY,
     ORR_P_CLUSTER | ORR_P_SCHEDULE | P(LAYOUT) | P(GROUP), "/v1/clusters/{id}/p2p"},
    {"GET", "/v1/clusters/{}/diagram.{}", orr_handle_diagram, READ, CLUSTER | CACHED | HEAVY,
     ORR_P_CLUSTER | ORR_P_DRAWING, "/v1/clusters/{id}/diagram.{format}"},
    {"GET", "/v1/hosts", orr_handle_hosts, READ, STORE, ORR_P_PAGE, NULL},
    {"GET", "/v1/hosts/{}/uploads", orr_handle_history, READ, STORE, ORR_P_PAGE, "/v1/hosts/{host}/uploads"},
    {"POST", "/v1/detect", orr_handle_detect, WRITE, HEAVY | STORE, ORR_P_RELEASE | ORR_P_RECORD, NULL},
    {"GET", "/v1/compare", orr_handle_compare, READ, HEAVY | STORE,
     ORR_P_ANALYSIS | P(A) | P(B) | P(MACHINE) | P(TOPOLOGY) | P(WITH_LABEL) | P(SEARCH), NULL},
    {"POST", "/v1/analyze", orr_handle_analysis, READ, DUMP | CACHED | HEAVY, ORR_P_ANALYSIS | P(MACHINE) | P(SECTION),
     NULL},
    {"POST", "/v1/diff", orr_handle_diff, READ, DUMP | CACHED | HEAVY, ORR_P_ANALYSIS | P(MACHINE) | P(AGAINST), NULL},
    {"POST", "/v1/explain", orr_handle_explain, READ, DUMP | CACHED | HEAVY, ORR_P_ANALYSIS | P(MACHINE) | ORR_P_WHY,
     NULL},
    {"POST", "/v1/predict", orr_handle_predict, READ, DUMP | CACHED | HEAVY, ORR_P_PREDICT | P(MACHINE), NULL},
    {"POST", "/v1/render", orr_handle_render, READ, DUMP | HEAVY,
     ORR_P_ANALYSIS | P(MACHINE) | ORR_P_DRAWING | P(FORMAT), NULL},
    {"POST", "/v1/convert", orr_handle_convert, READ, DUMP | HEAVY, ORR_P_READING | P(MACHINE) | ORR_P_RELEASE, NULL},
    {"POST", "/v1/findings", orr_handle_findings, READ, DUMP | CACHED | HEAVY,
     ORR_P_READING | P(MACHINE) | ORR_P_RELEASE, NULL},
    {"POST", "/v1/path", orr_handle_path, READ, DUMP | CACHED | HEAVY, ORR_P_ANALYSIS | P(MACHINE) | P(FROM) | P(TO),
     NULL},
    {"POST", "/v1/channels", orr_handle_channels, READ, DUMP | HEAVY, ORR_P_PLAN | P(MACHINE), NULL},
    {"POST", "/v1/p2p", orr_handle_p2p, READ, DUMP | HEAVY, ORR_P_PLAN | P(MACHINE) | ORR_P_SCHEDULE, NULL},
    {"POST", "/v1/vm-file", orr_handle_vm_file, READ, DUMP | HEAVY, ORR_P_VM | P(MACHINE), NULL},
    {"POST", "/v1/anonymise", orr_handle_anonymise, READ, DUMP | HEAVY, 0, NULL},
    {"GET", "/v1/inputs", orr_handle_inputs, READ, 0, 0, NULL},
    {"GET", "/v1/machines", orr_handle_machines, READ, 0, 0, NULL},
    {"POST", "/v1/check-log", orr_handle_log, READ, HEAVY, ORR_P_LOG | P(MACHINE), NULL},
    {"GET", "/v1/releases", orr_handle_releases, READ, 0, 0, NULL},
    {"GET", "/v1/settings", orr_handle_settings, READ, 0, ORR_P_RELEASE, NULL},
    {"GET", "/v1/examples", orr_handle_examples, READ, 0, 0, NULL},
    {"GET", "/openapi.yaml", orr_handle_openapi, OPEN, 0, 0, NULL},
    {"GET", "/problems/{}", orr_handle_problem_type, OPEN, 0, 0, "/problems/{type}"},
    {"GET", "/healthz", orr_handle_health, PROBE, 0, 0, NULL},
    {"GET", "/readyz", orr_handle_ready, PROBE, STORE, 0, NULL},
    {"GET", "/metrics", orr_handle_metrics, METRICS, 0, 0, NULL},
    {"GET", "/version", orr_handle_version, OPEN, 0, 0, NULL},
    {"GET", "/*", orr_handle_static, OPEN, 0, 0, "/{file}"},
};
#undef P
#undef OPEN
#undef PROBE
#undef METRICS
#undef READ
#undef WRITE
enum { ROUTE_COUNT = sizeof routes / sizeof routes[0], MAX_TARGET = 8192, API_PREFIX = 4, QUICK_KEY = 512 };

const char *orr_call_header(const struct orr_call *call, const char *name)
{
    return call->request->header ? call->request->header(call->request->header_context, name) : NULL;
}

/* Where a path matches a pattern, with the places of its captures. Every request asks it of many rows: what is literal
 * is compared at once. */
static bool matches(const char *pattern, const char *path, size_t length, const char *starts[2], size_t lengths[2])
{
    const char *end = path + length;
    int captured = 0;
    if (pattern[1] == '*') {
        starts[0] = path + 1;
        lengths[0] = length ? length - 1 : 0;
        return length && *path == '/';
    }
    for (;;) {
        const char *capture = strchrnul(pattern, '{');
        size_t literal = (size_t)(capture - pattern);
        if (literal > (size_t)(end - path) || memcmp(path, pattern, literal) != 0)
            return false;
        path += literal;
        if (!*capture)
            return path == end;
        const char *slash = memchr(path, '/', (size_t)(end - path));
        size_t taken = (size_t)((slash ? slash : end) - path);
        if (!taken)
            return false;
        starts[captured] = path;
        lengths[captured++] = taken;
        path += taken;
        pattern = capture + 2;
    }
}

static bool method_matches(const char *route, const char *method)
{
    return !strcmp(route, method) || (!strcmp(route, "GET") && !strcmp(method, "HEAD"));
}

static enum orr_code no_route(struct orr_call *call, const char *path, size_t length, struct orr_error *err)
{
    char allow[64] = "";
    const char *starts[2];
    size_t lengths[2];
    for (int i = 0; i < ROUTE_COUNT; i++)
        if (matches(routes[i].pattern, path, length, starts, lengths) && routes[i].pattern[1] != '*') {
            size_t used = strlen(allow);
            snprintf(allow + used, sizeof allow - used, "%s%s%s", used ? ", " : "", routes[i].method,
                     !strcmp(routes[i].method, "GET") ? ", HEAD" : "");
        }
    bool reads = method_matches("GET", call->request->method);
    if (!allow[0] && !reads && (strncmp(path, "/v1/", API_PREFIX) || length < API_PREFIX))
        snprintf(allow, sizeof allow, "GET, HEAD"); /* a file of the page */
    if (allow[0]) {
        orr_response_header(call->response, "Allow", "%s", allow);
        call->problem = ORR_PROBLEM_METHOD;
        return orr_fail(err, ORR_INVALID, "%.16s is not among the methods that %.*s knows: %s", call->request->method,
                        (int)(length > 100 ? 100 : length), path, allow);
    }
    orr_fail(err, ORR_NOT_FOUND, "there is nothing at %.*s", (int)(length > 100 ? 100 : length), path);
    orr_error_advice(err, "GET /openapi.yaml lists what there is");
    return ORR_NOT_FOUND;
}

/* The row for a method and path, with the places of its captures. */
static const struct orr_route *find_row(const char *method, const char *path, size_t length, const char *starts[2],
                                        size_t lengths[2])
{
    bool of_api = length >= API_PREFIX && !strncmp(path, "/v1/", API_PREFIX);
    const struct orr_route *found = NULL;
    for (int i = 0; i < ROUTE_COUNT && !found; i++)
        if (!(of_api && routes[i].pattern[1] == '*') && matches(routes[i].pattern, path, length, starts, lengths) &&
            method_matches(routes[i].method, method))
            found = &routes[i];
    /* A resource that exists for other methods only must not be taken for a file of the page. */
    if (found && found->pattern[1] == '*') {
        const char *other_starts[2];
        size_t other_lengths[2];
        for (int i = 0; i < ROUTE_COUNT; i++)
            if (routes[i].pattern[1] != '*' && matches(routes[i].pattern, path, length, other_starts, other_lengths))
                return NULL;
    }
    return found;
}

const struct orr_route *orr_route_find(const char *method, const char *target)
{
    const char *starts[2];
    size_t lengths[2];
    return find_row(method, target, strcspn(target, "?"), starts, lengths);
}

const char *orr_route_template(const struct orr_route *route)
{
    return !route ? "" : route->template ? route->template : route->pattern;
}

enum orr_access orr_route_access(const struct orr_route *route)
{
    return route ? route->access : ORR_ACCESS_OPEN;
}

bool orr_route_is_for_operators(const struct orr_route *route)
{
    enum orr_access access = orr_route_access(route);
    return access == ORR_ACCESS_PROBE || access == ORR_ACCESS_METRICS;
}

unsigned orr_route_count(void)
{
    return ROUTE_COUNT;
}

const struct orr_route *orr_route_row(unsigned index)
{
    return index < ROUTE_COUNT ? &routes[index] : NULL;
}

static enum orr_code find_route(struct orr_call *call, const char *path, size_t length, struct orr_error *err)
{
    const char *starts[2] = {NULL, NULL};
    size_t lengths[2] = {0, 0};
    call->route = call->request->route;
    if (!call->route || !matches(call->route->pattern, path, length, starts, lengths))
        call->route = find_row(call->request->method, path, length, starts, lengths);
    if (!call->route)
        return no_route(call, path, length, err);
    call->response->route = orr_route_template(call->route);
    for (int i = 0; i < 2 && starts[i]; i++) {
        call->problem = ORR_PROBLEM_TARGET;
        ORR_TRY(orr_decode(starts[i], lengths[i], false, call->arena, &call->captures[i], err));
        call->problem = ORR_PROBLEM_NONE;
    }
    return ORR_OK;
}

void orr_call_content(struct orr_call *call, const char *bytes, size_t length)
{
    orr_sha256(bytes, length, call->digest);
    snprintf(call->id, sizeof call->id, "%.*s", (int)ORR_ID_LENGTH, call->digest);
}

/* The dump that was sent, or the machine type that takes its place: then the text that orr_input_read() knows as one,
 * so that a type has one id whichever way it came. */
static enum orr_code find_body(struct orr_call *call, struct orr_error *err)
{
    const struct orr_machine_type *machine = call->params.machine;
    call->body = call->request->body;
    call->body_length = call->request->body_length;
    if (machine && call->body_length) {
        call->problem = ORR_PROBLEM_PARAMETER;
        orr_fail(err, ORR_SETTING, "machine takes the place of a body, and the request has one");
        orr_error_where(err, "machine");
        orr_error_advice(err, "assume=TYPE fills in what a body lacks");
        return ORR_SETTING;
    }
    if (machine) {
        static const char sign[] = "machine type: ";
        size_t length = strlen(machine->name);
        char *text = orr_arena_alloc(call->arena, sizeof sign + length + 1, 1);
        if (!text)
            return orr_fail_nomem(err);
        call->body_length = (size_t)snprintf(text, sizeof sign + length + 1, "%s%s\n", sign, machine->name);
        call->body = text;
    }
    if (!call->body_length) {
        call->problem = ORR_PROBLEM_BODY_EMPTY;
        orr_fail(err, ORR_UNRECOGNISED, "a topology dump is expected as the body");
        orr_error_advice(err, "curl --data-binary @topo.xml sends a file; NCCL writes it with NCCL_TOPO_DUMP_FILE");
        return ORR_UNRECOGNISED;
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

/* The key of the answer: the same content, route and parameters. NULL: not cached. Stored and posted dumps have keys of
 * their own, so that deleting a topology hides its answers. */
static const char *answer_key(struct orr_call *call)
{
    if (!(call->route->flags & ORR_ROUTE_CACHED))
        return NULL;
    enum { LONGEST = 65536 };
    struct orr_text text;
    orr_text_init(&text, LONGEST);
    orr_text_printf(&text, "%s|a%d|%s|%s", call->id, (int)(call->route - routes), orr_version(),
                    call->captures[1] ? call->captures[1] : "");
    orr_query_key(&call->params.query, &text);
    orr_params_key(&call->params, call->route->parameters, &text);
    const char *key = orr_text_failed(&text) ? NULL : orr_arena_strndup(call->arena, text.data, text.length);
    orr_text_release(&text);
    return key;
}

/* The key by which a finished answer about a stored topology is found again by the target as it came, so that the same
 * question asked again needs no reading of its query. It begins with the content id as all keys do. */
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
            return false; /* the long way says why, or asks the store in a thread that may wait */
        }
        atomic_store_explicit(&answer->seen, seen, memory_order_relaxed);
    }
    call->response->route = orr_route_template(call->route);
    orr_call_send(call, answer);
    return true;
}

/* A read may name the state that it wants to see. */
static bool is_as_wanted(const struct orr_call *call, const struct orr_answer *answer)
{
    const char *match = orr_call_reads(call) ? orr_call_header(call, "If-Match") : NULL;
    return !match || answer->status != 200 || !answer->etag[0] || orr_etag_listed(match, answer->etag, false);
}

/* Health takes nothing, and is answered whatever else goes on. */
static bool is_instant(const struct orr_route *route)
{
    return route->access == ORR_ACCESS_PROBE && !(route->flags & STORE);
}

/* Gives the call back, to a thread that may take as long as it needs. */
static enum orr_code defer(const struct orr_call *call, bool long_work)
{
    call->response->deferred = true;
    call->response->long_work = long_work;
    return ORR_OK;
}

/* In a thread that serves connections: what the cache has for the key, or the call is deferred. */
static enum orr_code peek(struct orr_call *call, const char *key, struct orr_answer **ret_answer, struct orr_error *err)
{
    unsigned flags = call->route->flags;
    bool cached = key && orr_cache_has(call->app->cache, key);
    int64_t seen = 1;
    if (cached && (flags & (TOPOLOGY | CLUSTER)))
        ORR_TRY(orr_call_exists(call, false, &seen, err));
    if (cached && seen)
        *ret_answer = (struct orr_answer *)orr_cache_peek(call->app->cache, key);
    if (*ret_answer && !orr_call_would_compress(call, *ret_answer, key))
        return ORR_OK;
    orr_shared_give(*ret_answer ? &(*ret_answer)->shared : NULL);
    *ret_answer = NULL;
    return defer(call, (flags & HEAVY) && !cached);
}

/* Where a thread may wait: what the cache has, or what the handler makes. */
static enum orr_code make(struct orr_call *call, const char *key, struct orr_answer **ret_answer, struct orr_error *err)
{
    struct orr_cache *cache = call->app->cache;
    bool long_work = call->route->flags & HEAVY;
    int64_t seen;
    if (key && (call->route->flags & (TOPOLOGY | CLUSTER))) /* the cache answers only for what the store has */
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

/* Handles a matched call: from the cache, by its handler, or not now. */
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
        return orr_fail(err, ORR_INVALID, "the resource is not, or no longer, as If-Match says");
    }
    orr_call_finish(call, answer, key);
    if (key && call->quick_key && call->response->answer->status == 200)
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
    ORR_TRY(find_route(call, target, path, err));
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
