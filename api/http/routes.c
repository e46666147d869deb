/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the row of a request in the table of routes. */
#include <stdio.h>
#include <string.h>

#include "api/http/call.h"

/* Whether a path matches the template of a route, with the places of its captures. */
static bool matches(const struct orr_route *route, const char *path, size_t length, const char *starts[2],
                    size_t lengths[2])
{
    const char *end = path + length;
    const char *pattern = route->template;
    int captured = 0;
    if (route->flags & ORR_ROUTE_PAGE) {
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
        pattern = strchr(capture, '}') + 1;
    }
}

/* Whether a path is below /v1/, which contains no files of the page. */
static bool is_of_api(const char *path, size_t length)
{
    static const char prefix[] = "/v1/";
    return length >= sizeof prefix - 1 && !memcmp(path, prefix, sizeof prefix - 1);
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
    const struct orr_app *app = call->app;
    for (const struct orr_route *route = app->routes; route < app->routes + app->route_count; route++)
        if (matches(route, path, length, starts, lengths) && !(route->flags & ORR_ROUTE_PAGE)) {
            size_t used = strlen(allow);
            snprintf(allow + used, sizeof allow - used, "%s%s%s", used ? ", " : "", route->method,
                     !strcmp(route->method, "GET") ? ", HEAD" : "");
        }
    bool reads = method_matches("GET", call->request->method);
    if (!allow[0] && !reads && !is_of_api(path, length))
        snprintf(allow, sizeof allow, "GET, HEAD"); /* a file of the page */
    if (allow[0]) {
        orr_response_header(call->response, "Allow", "%s", allow);
        call->problem = ORR_PROBLEM_METHOD;
        return orr_fail(err, ORR_INVALID, "%.16s is not among the methods that %.*s knows: %s", call->request->method,
                        (int)(length > 100 ? 100 : length), path, allow);
    }
    return orr_fail_with(err, ORR_NOT_FOUND, NULL, "GET /openapi.yaml lists all routes", "there is nothing at %.*s",
                         (int)(length > 100 ? 100 : length), path);
}

/* The row for a method and path, with the places of its captures. */
static const struct orr_route *find_row(const struct orr_app *app, const char *method, const char *path, size_t length,
                                        const char *starts[2], size_t lengths[2])
{
    const struct orr_route *found = NULL;
    const struct orr_route *end = app->routes + app->route_count;
    for (const struct orr_route *route = app->routes; route < end && !found; route++)
        if (matches(route, path, length, starts, lengths) && method_matches(route->method, method))
            found = route;
    /* A resource that exists only for other methods must not be treated as a file of the page. */
    if (found && (found->flags & ORR_ROUTE_PAGE)) {
        if (is_of_api(path, length))
            return NULL;
        const char *other_starts[2];
        size_t other_lengths[2];
        for (const struct orr_route *route = app->routes; route < end; route++)
            if (!(route->flags & ORR_ROUTE_PAGE) && matches(route, path, length, other_starts, other_lengths))
                return NULL;
    }
    return found;
}

const struct orr_route *orr_route_find(const struct orr_app *app, const char *method, const char *target)
{
    const char *starts[2];
    size_t lengths[2];
    return find_row(app, method, target, strcspn(target, "?"), starts, lengths);
}

const char *orr_route_template(const struct orr_route *route)
{
    return route ? route->template : "";
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

enum orr_code orr_call_route(struct orr_call *call, const char *path, size_t length, struct orr_error *err)
{
    const char *starts[2] = {NULL, NULL};
    size_t lengths[2] = {0, 0};
    call->route = call->request->route;
    if (!call->route || !matches(call->route, path, length, starts, lengths))
        call->route = find_row(call->app, call->request->method, path, length, starts, lengths);
    if (!call->route)
        return no_route(call, path, length, err);
    call->response->route = orr_route_template(call->route);
    for (int i = 0; i < 2 && starts[i]; i++) {
        ORR_TRY(orr_as_problem(call, ORR_PROBLEM_TARGET,
                               orr_decode(starts[i], lengths[i], false, call->arena, &call->captures[i], err)));
    }
    return ORR_OK;
}
