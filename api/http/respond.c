/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a finished answer into the response: compressed if the client accepts that, 304 if the client already has the
 * content, and headers. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/http/call.h"

void orr_response_init(struct orr_response *response)
{
    response->status = 0;
    response->deferred = response->long_work = false;
    response->route = "";
    response->body = NULL;
    response->length = 0;
    response->answer = NULL;
    response->header_count = 0;
}

void orr_response_release(struct orr_response *response)
{
    if (response->answer)
        orr_shared_give(&response->answer->shared);
    response->answer = NULL;
    response->body = NULL;
}

static void set_header(struct orr_header *header, const char *name, const char *value)
{
    header->name = name;
    snprintf(header->value, sizeof header->value, "%s", value);
}

void orr_response_header(struct orr_response *response, const char *name, const char *format, ...)
{
    if (response->header_count == ORR_OWN_HEADERS)
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

bool orr_call_accepts_gzip(const struct orr_call *call)
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

enum { WORTH_COMPRESSING = 1024 };

static bool wants_compression(const struct orr_call *call, const struct orr_answer *answer)
{
    return answer->compressible && !answer->encoding && answer->length >= WORTH_COMPRESSING &&
           orr_call_accepts_gzip(call);
}

static char *key_of_compressed(const char *key)
{
    char *zip_key = NULL;
    return key && asprintf(&zip_key, "%s|gzip", key) >= 0 ? zip_key : NULL;
}

bool orr_call_would_compress(const struct orr_call *call, const struct orr_answer *answer, const char *key)
{
    if (!wants_compression(call, answer))
        return false;
    char *zip_key = key_of_compressed(key);
    bool would = !zip_key || !orr_cache_has(call->app->cache, zip_key);
    free(zip_key);
    return would;
}

/* The compressed form of an answer, which is also cached if the answer is. Returns the answer itself if compression
 * does not help. Takes ownership of the reference. */
static struct orr_answer *compress_answer(struct orr_call *call, struct orr_answer *answer, const char *key)
{
    if (!wants_compression(call, answer))
        return answer;
    struct orr_answer *zipped = NULL;
    char *zip_key = key_of_compressed(key);
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

unsigned orr_answer_headers(const struct orr_answer *answer, struct orr_header out[ORR_ANSWER_HEADERS])
{
    static const char *const keeping[] = {
        [ORR_KEEP_ASK] = "no-cache",
        [ORR_KEEP_NOT] = "no-store",
        [ORR_KEEP_FOREVER] = "private, max-age=31536000, immutable",
    };
    unsigned count = 0;
    if (answer->media_type)
        set_header(&out[count++], "Content-Type", answer->media_type);
    if (answer->encoding)
        set_header(&out[count++], "Content-Encoding", answer->encoding);
    if (answer->compressible)
        set_header(&out[count++], "Vary", "Accept-Encoding");
    if (answer->etag[0])
        set_header(&out[count++], "ETag", answer->etag);
    set_header(&out[count++], "Cache-Control", keeping[answer->keeping]);
    set_header(&out[count++], "X-Content-Type-Options", "nosniff");
    set_header(&out[count++], "Referrer-Policy", "no-referrer");
    set_header(&out[count++], "Content-Security-Policy",
               answer->policy ? answer->policy : "default-src 'none'; frame-ancestors 'none'; sandbox");
    return count;
}

unsigned orr_response_headers(const struct orr_response *response, struct orr_header headers[ORR_MAX_HEADERS])
{
    unsigned count = response->answer ? orr_answer_headers(response->answer, headers) : 0;
    for (unsigned i = 0; i < response->header_count && count < ORR_MAX_HEADERS; i++)
        headers[count++] = response->headers[i];
    return count;
}

bool orr_call_reads(const struct orr_call *call)
{
    return !strcmp(call->request->method, "GET") || !strcmp(call->request->method, "HEAD");
}

void orr_call_send(struct orr_call *call, struct orr_answer *answer)
{
    struct orr_response *response = call->response;
    response->answer = answer;
    response->status = answer->status;
    response->body = answer->body;
    response->length = answer->length;
    if (orr_call_reads(call) && answer->status == 200 && answer->etag[0] &&
        orr_etag_listed(orr_call_header(call, "If-None-Match"), answer->etag, true)) {
        response->status = 304;
        response->body = NULL;
        response->length = 0;
    }
}

void orr_call_finish(struct orr_call *call, struct orr_answer *answer, const char *key)
{
    orr_call_send(call, compress_answer(call, answer, key));
}

void orr_call_problem(struct orr_call *call, const struct orr_error *err)
{
    struct orr_answer *answer = orr_problem_answer(call->problem, err, call->budget, call->request->id);
    call->response->status = 503;
    if (call->request->failure)
        *call->request->failure =
            (struct orr_failure){.type = orr_problem_info(call->problem, err->code).type, .error = *err};
    if (!answer)
        return; /* there is no memory for the error either, so only the status is sent */
    bool says_when = false;
    for (unsigned i = 0; i < call->response->header_count; i++)
        says_when = says_when || !strcmp(call->response->headers[i].name, "Retry-After");
    if (answer->status == 503 && !says_when)
        orr_response_header(call->response, "Retry-After", "1");
    orr_call_finish(call, answer, NULL);
}

/* How precisely the name of an item of Accept means a type: 3 for itself, 2 for "text/ *", 1 for anything, else 0. */
static int precision_of(const char *name, size_t length, const char *type)
{
    const size_t major = strcspn(type, "/");
    if (length == strlen(type) && !strncmp(name, type, length))
        return 3;
    if (length == major + 2 && !strncmp(name, type, major + 1) && name[major + 1] == '*')
        return 2;
    return length == 3 && !strncmp(name, "*/*", 3);
}

size_t orr_negotiate(const char *accept, const char *const *types, size_t count)
{
    if (!accept || !*accept)
        return 0;
    size_t best = count;
    double best_q = 0;
    for (size_t t = 0; t < count; t++) {
        double q = 0;
        int precision = 0;
        for (const char *at = accept; *at; at += strcspn(at, ","), at += *at == ',') {
            at += strspn(at, " \t");
            const size_t item = strcspn(at, ",");
            const int match = precision_of(at, strcspn(at, ",; \t"), types[t]);
            if (match <= precision)
                continue;
            const char *parameter = strstr(at, "q=");
            precision = match;
            q = parameter && (size_t)(parameter - at) < item ? strtod(parameter + 2, NULL) : 1;
        }
        if (q > best_q) {
            best_q = q;
            best = t;
        }
    }
    return best;
}

const char *orr_call_header(const struct orr_call *call, const char *name)
{
    return call->request->header ? call->request->header(call->request->header_context, name) : NULL;
}
