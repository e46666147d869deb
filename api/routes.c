/* The routes, one row each, and the way of a request through them: match, read the query, ask the cache, handle, make
 * the answer conditional and compressed. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/call.h"

enum {
    TOPOLOGY = ORR_ROUTE_TOPOLOGY,
    DUMP = ORR_ROUTE_DUMP,
    CACHED = ORR_ROUTE_CACHED,
    HEAVY = ORR_ROUTE_HEAVY,
    STORE = ORR_ROUTE_STORE
};

static const struct orr_route routes[] = {
    {"POST", "/v1/topologies", orr_handle_upload, DUMP | STORE, ORR_P_NAME | ORR_P_LABEL | ORR_P_STRICT, NULL},
    {"GET", "/v1/topologies", orr_handle_list, STORE, ORR_P_LIMIT | ORR_P_CURSOR | ORR_P_SEARCH | ORR_P_LABEL, NULL},
    {"GET", "/v1/topologies/{}", orr_handle_topology, TOPOLOGY | STORE, 0, "/v1/topologies/{id}"},
    {"PATCH", "/v1/topologies/{}", orr_handle_patch, TOPOLOGY | STORE, 0, "/v1/topologies/{id}"},
    {"DELETE", "/v1/topologies/{}", orr_handle_delete, TOPOLOGY | STORE, 0, "/v1/topologies/{id}"},
    {"GET", "/v1/topologies/{}/source", orr_handle_source, TOPOLOGY | STORE, 0, "/v1/topologies/{id}/source"},
    {"GET", "/v1/topologies/{}/analysis", orr_handle_analysis, TOPOLOGY | CACHED | HEAVY, ORR_P_ANALYSIS,
     "/v1/topologies/{id}/analysis"},
    {"GET", "/v1/topologies/{}/analysis/diff", orr_handle_diff, TOPOLOGY | CACHED | HEAVY,
     ORR_P_ANALYSIS | ORR_P_AGAINST, "/v1/topologies/{id}/analysis/diff"},
    {"GET", "/v1/topologies/{}/analysis/{}", orr_handle_section, TOPOLOGY | CACHED | HEAVY, ORR_P_ANALYSIS,
     "/v1/topologies/{id}/analysis/{section}"},
    {"GET", "/v1/topologies/{}/path", orr_handle_path, TOPOLOGY | CACHED | HEAVY,
     ORR_P_ANALYSIS | ORR_P_FROM | ORR_P_TO, "/v1/topologies/{id}/path"},
    {"GET", "/v1/topologies/{}/findings", orr_handle_findings, TOPOLOGY | CACHED | STORE, 0,
     "/v1/topologies/{id}/findings"},
    {"GET", "/v1/topologies/{}/diagram.{}", orr_handle_diagram, TOPOLOGY | CACHED | HEAVY, ORR_P_DIAGRAM,
     "/v1/topologies/{id}/diagram.{format}"},
    {"GET", "/v1/topologies/{}/diagram", orr_handle_render, TOPOLOGY | HEAVY, ORR_P_DIAGRAM | ORR_P_FORMAT,
     "/v1/topologies/{id}/diagram"},
    {"GET", "/v1/hosts", orr_handle_hosts, STORE, ORR_P_LIMIT | ORR_P_CURSOR, NULL},
    {"GET", "/v1/hosts/{}/uploads", orr_handle_history, STORE, ORR_P_LIMIT | ORR_P_CURSOR, "/v1/hosts/{host}/uploads"},
    {"POST", "/v1/analyze", orr_handle_analysis, DUMP | CACHED | HEAVY, ORR_P_ANALYSIS | ORR_P_SECTION, NULL},
    {"POST", "/v1/diff", orr_handle_diff, DUMP | CACHED | HEAVY, ORR_P_ANALYSIS | ORR_P_AGAINST, NULL},
    {"POST", "/v1/render", orr_handle_render, DUMP | HEAVY, ORR_P_DIAGRAM | ORR_P_FORMAT, NULL},
    {"GET", "/v1/releases", orr_handle_releases, 0, 0, NULL},
    {"GET", "/v1/settings", orr_handle_settings, 0, ORR_P_RELEASE, NULL},
    {"GET", "/v1/examples", orr_handle_examples, 0, 0, NULL},
    {"GET", "/openapi.yaml", orr_handle_openapi, 0, 0, NULL},
    {"GET", "/problems/{}", orr_handle_problem_type, 0, 0, "/problems/{type}"},
    {"GET", "/healthz", orr_handle_health, 0, 0, NULL},
    {"GET", "/readyz", orr_handle_ready, STORE, 0, NULL},
    {"GET", "/version", orr_handle_version, 0, 0, NULL},
    {"GET", "/*", orr_handle_static, 0, 0, "/{file}"},
};
enum { ROUTE_COUNT = sizeof routes / sizeof routes[0], MAX_TARGET = 8192, API_PREFIX = 4 };

void orr_response_header(struct orr_response *response, const char *name, const char *format, ...)
{
    if (response->header_count == ORR_MAX_HEADERS)
        return;
    struct orr_header *header = &response->headers[response->header_count];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(header->value, sizeof header->value, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof header->value)
        return;
    header->name = name;
    response->header_count++;
}

const char *orr_call_header(const struct orr_call *call, const char *name)
{
    return call->request->header ? call->request->header(call->request->header_context, name) : NULL;
}

/* Where a path matches a pattern, with the places of its captures. */
static bool matches(const char *pattern, const char *path, size_t length, const char *starts[2], size_t lengths[2])
{
    const char *end = path + length;
    int captured = 0;
    while (*pattern) {
        if (*pattern == '*') {
            starts[captured] = path;
            lengths[captured] = (size_t)(end - path);
            return true;
        }
        if (*pattern == '{') {
            const char *slash = memchr(path, '/', (size_t)(end - path));
            size_t taken = (size_t)((slash ? slash : end) - path);
            if (!taken)
                return false;
            starts[captured] = path;
            lengths[captured++] = taken;
            path += taken;
            pattern += 2;
        } else if (path == end || *path != *pattern) {
            return false;
        } else {
            path++;
            pattern++;
        }
    }
    return path == end;
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
    call->problem = ORR_PROBLEM_NO_ROUTE;
    orr_fail(err, ORR_NOT_FOUND, "there is nothing at %.*s", (int)(length > 100 ? 100 : length), path);
    orr_error_advice(err, "GET /openapi.yaml lists what there is");
    return ORR_NOT_FOUND;
}

static enum orr_code find_route(struct orr_call *call, const char *path, size_t length, struct orr_error *err)
{
    const char *starts[2] = {NULL, NULL};
    size_t lengths[2] = {0, 0};
    bool of_api = length >= API_PREFIX && !strncmp(path, "/v1/", API_PREFIX);
    for (int i = 0; i < ROUTE_COUNT && !call->route; i++)
        if (method_matches(routes[i].method, call->request->method) && !(of_api && routes[i].pattern[1] == '*') &&
            matches(routes[i].pattern, path, length, starts, lengths))
            call->route = &routes[i];
    /* A resource that exists for other methods only must not be taken for a file of the page. */
    if (call->route && call->route->pattern[1] == '*') {
        const char *other_starts[2];
        size_t other_lengths[2];
        for (int i = 0; i < ROUTE_COUNT; i++)
            if (routes[i].pattern[1] != '*' && matches(routes[i].pattern, path, length, other_starts, other_lengths))
                call->route = NULL;
    }
    if (!call->route)
        return no_route(call, path, length, err);
    call->response->route = call->route->template ? call->route->template : call->route->pattern;
    for (int i = 0; i < 2 && starts[i]; i++) {
        call->problem = ORR_PROBLEM_TARGET;
        ORR_TRY(orr_decode(starts[i], lengths[i], false, call->arena, &call->captures[i], err));
        call->problem = ORR_PROBLEM_NONE;
    }
    return ORR_OK;
}

/* The id of what the call is about: from the path, or from the content of the body. */
static enum orr_code find_content(struct orr_call *call, struct orr_error *err)
{
    if (call->route->flags & ORR_ROUTE_TOPOLOGY) {
        const char *id = call->captures[0];
        if (strlen(id) != ORR_ID_LENGTH || strspn(id, "0123456789abcdef") != ORR_ID_LENGTH) {
            orr_fail(err, ORR_NOT_FOUND, "\"%.60s\" is not the id of a topology", id);
            orr_error_advice(err, "ids have %d hex digits, as POST /v1/topologies gives them", (int)ORR_ID_LENGTH);
            return ORR_NOT_FOUND;
        }
        snprintf(call->id, sizeof call->id, "%s", id);
    }
    if (call->route->flags & ORR_ROUTE_DUMP) {
        if (!call->request->body_length) {
            call->problem = ORR_PROBLEM_BODY_EMPTY;
            orr_fail(err, ORR_UNRECOGNISED, "a topology dump is expected as the body");
            orr_error_advice(err, "curl --data-binary @topo.xml sends a file; NCCL writes it with NCCL_TOPO_DUMP_FILE");
            return ORR_UNRECOGNISED;
        }
        orr_sha256(call->request->body, call->request->body_length, call->digest);
        snprintf(call->id, sizeof call->id, "%.*s", (int)ORR_ID_LENGTH, call->digest);
    }
    return ORR_OK;
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
    orr_params_answer_key(&call->params, &text);
    const char *key = orr_text_failed(&text) ? NULL : orr_arena_strndup(call->arena, text.data, text.length);
    orr_text_release(&text);
    return key;
}

static bool accepts_gzip(const struct orr_call *call)
{
    const char *accept = orr_call_header(call, "Accept-Encoding");
    for (; accept && *accept; accept += strcspn(accept, ","), accept += *accept == ',') {
        accept += strspn(accept, " \t");
        if (!strncmp(accept, "gzip", 4) && strchr(" \t,;", accept[4])) {
            const char *q = strstr(accept, "q=");
            size_t item = strcspn(accept, ",");
            return !q || (size_t)(q - accept) > item || strtod(q + 2, NULL) > 0;
        }
    }
    return false;
}

/* The compressed form of an answer; for cached answers it is kept beside. Gives the answer itself where compressing
 * does not help. Takes the reference over. */
static struct orr_answer *compress_answer(struct orr_call *call, struct orr_answer *answer, const char *key)
{
    enum { WORTH = 1024 };
    if (!answer->compressible || answer->encoding || answer->length < WORTH || !accepts_gzip(call))
        return answer;
    struct orr_answer *zipped = NULL;
    char *zip_key = NULL;
    if (key && asprintf(&zip_key, "%s|gzip", key) < 0)
        zip_key = NULL;
    if (zip_key)
        zipped = (struct orr_answer *)orr_cache_begin(call->app->cache, zip_key);
    if (!zipped) {
        zipped = orr_answer_gzip(answer);
        if (zip_key)
            orr_cache_end(call->app->cache, zip_key, zipped ? &zipped->shared : NULL);
    }
    free(zip_key);
    if (!zipped)
        return answer;
    orr_shared_give(&answer->shared);
    return zipped;
}

static void set_headers(struct orr_call *call, const struct orr_answer *answer)
{
    static const char *const keeping[] = {
        [ORR_KEEP_ASK] = "no-cache",
        [ORR_KEEP_NOT] = "no-store",
        [ORR_KEEP_FOREVER] = "private, max-age=31536000, immutable",
    };
    struct orr_response *response = call->response;
    if (answer->media_type)
        orr_response_header(response, "Content-Type", "%s", answer->media_type);
    if (answer->encoding)
        orr_response_header(response, "Content-Encoding", "%s", answer->encoding);
    if (answer->compressible)
        orr_response_header(response, "Vary", "Accept-Encoding");
    if (answer->etag[0])
        orr_response_header(response, "ETag", "%s", answer->etag);
    orr_response_header(response, "Cache-Control", "%s", keeping[answer->keeping]);
    orr_response_header(response, "X-Content-Type-Options", "nosniff");
    orr_response_header(response, "Referrer-Policy", "no-referrer");
    orr_response_header(response, "Content-Security-Policy", "%s",
                        answer->policy ? answer->policy : "default-src 'none'; frame-ancestors 'none'; sandbox");
}

static bool is_read(const struct orr_call *call)
{
    return !strcmp(call->request->method, "GET") || !strcmp(call->request->method, "HEAD");
}

/* Fills the response from a finished answer, whose reference it takes over. */
static void finish(struct orr_call *call, struct orr_answer *answer, const char *key)
{
    struct orr_response *response = call->response;
    answer = compress_answer(call, answer, key);
    set_headers(call, answer);
    response->answer = answer;
    response->status = answer->status;
    response->body = answer->body;
    response->length = answer->length;
    if (is_read(call) && answer->status == 200 && answer->etag[0] &&
        orr_etag_listed(orr_call_header(call, "If-None-Match"), answer->etag, true)) {
        response->status = 304;
        response->body = NULL;
        response->length = 0;
    }
}

/* A read may name the state that it wants to see. */
static bool is_as_wanted(const struct orr_call *call, const struct orr_answer *answer)
{
    const char *match = is_read(call) ? orr_call_header(call, "If-Match") : NULL;
    return !match || answer->status != 200 || !answer->etag[0] || orr_etag_listed(match, answer->etag, false);
}

static void finish_problem(struct orr_call *call, const struct orr_error *err)
{
    struct orr_answer *answer = orr_problem_answer(call->problem, err, call->request->id);
    call->response->status = 503;
    if (!answer)
        return; /* not even the error fits into memory: the status has to do */
    if (answer->status == 503)
        orr_response_header(call->response, "Retry-After", "1");
    finish(call, answer, NULL);
}

/* Whether this thread may do what the call needs, or another one should. */
static bool may_wait_here(const struct orr_call *call)
{
    unsigned long_work = HEAVY | (orr_store_is_remote(call->app->store) ? STORE : 0u);
    return !call->request->may_defer || !(call->route->flags & long_work);
}

/* Handles a matched call: from the cache, by its handler, or not now. */
static enum orr_code answer_call(struct orr_call *call, struct orr_error *err)
{
    struct orr_answer *answer = NULL;
    const char *key = answer_key(call);
    bool may_wait = may_wait_here(call), known = true;
    if (key && (call->route->flags & TOPOLOGY)) /* what the cache has is given only for what the store has */
        ORR_TRY(orr_call_exists(call, may_wait || !orr_store_is_remote(call->app->store), &known, err));
    if (key && known)
        answer = (struct orr_answer *)(may_wait ? orr_cache_begin(call->app->cache, key)
                                                : orr_cache_peek(call->app->cache, key));
    if (!answer) {
        if (!may_wait) {
            call->response->deferred = true;
            return ORR_OK;
        }
        enum orr_code code = call->route->handler(call, &answer, err);
        if (key)
            orr_cache_end(call->app->cache, key, code == ORR_OK && answer->status == 200 ? &answer->shared : NULL);
        ORR_TRY(code);
    }
    if (!is_as_wanted(call, answer)) {
        orr_shared_give(&answer->shared);
        call->problem = ORR_PROBLEM_PRECONDITION;
        return orr_fail(err, ORR_INVALID, "the resource is not, or no longer, as If-Match says");
    }
    finish(call, answer, key);
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
    ORR_TRY(find_route(call, target, path, err));
    ORR_TRY(orr_params_read(target[path] ? target + path + 1 : NULL, call->route->parameters, call->arena,
                            &call->params, &call->problem, err));
    ORR_TRY(find_content(call, err));
    return answer_call(call, err);
}

void orr_api_handle(struct orr_app *app, const struct orr_request *request, struct orr_response *response)
{
    enum { REQUEST_MEMORY = 1 << 20 };
    struct orr_error err = {0};
    struct orr_call call = {.app = app, .request = request, .response = response};
    response->status = 0;
    response->deferred = false;
    response->route = "";
    response->body = NULL;
    response->length = 0;
    response->answer = NULL;
    response->header_count = 0;
    call.arena = orr_arena_new(REQUEST_MEMORY);
    enum orr_code code = call.arena ? handle(&call, &err) : orr_fail_nomem(&err);
    if (code != ORR_OK)
        finish_problem(&call, &err);
    orr_arena_free(call.arena);
}

void orr_api_refuse_body(struct orr_app *app, const struct orr_request *request, struct orr_response *response)
{
    struct orr_error err = {0};
    struct orr_call call = {.app = app, .request = request, .response = response, .problem = ORR_PROBLEM_BODY_SIZE};
    *response = (struct orr_response){.route = ""};
    orr_fail(&err, ORR_LIMIT, "the body is larger than %zu bytes", app->max_body);
    orr_error_advice(&err, "a dump of one host has some ten kilobytes; --max-body raises the limit");
    finish_problem(&call, &err);
}

void orr_response_release(struct orr_response *response)
{
    if (response->answer)
        orr_shared_give(&response->answer->shared);
    response->answer = NULL;
    response->body = NULL;
}
