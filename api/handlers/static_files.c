/* SPDX-License-Identifier: Apache-2.0 */
/* Serves the page (files of a folder, with an index of its example machines) and the documentation (files of another
 * folder, below /docs/). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/handlers/handlers.h"

static const struct {
    const char *ending, *media_type;
} types[] = {
    {".html", "text/html; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".json", "application/json"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".ico", "image/x-icon"},
    {".woff2", "font/woff2"},
    {".xml", "application/xml"},
    {".txt", "text/plain; charset=utf-8"},
    {".webmanifest", "application/manifest+json"},
};

static const char *media_type_of(const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        size_t ending = strlen(types[i].ending);
        if (length > ending && !strcmp(path + length - ending, types[i].ending))
            return types[i].media_type;
    }
    return "application/octet-stream";
}

/* Accepts only names below the folder: no empty, hidden or parent segment, and only plain characters. */
static bool is_plain(const char *path)
{
    bool starts = true;
    for (; *path; path++) {
        if (starts && (*path == '.' || *path == '/'))
            return false;
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/@+", *path))
            return false;
        starts = *path == '/';
    }
    return true;
}

static enum orr_code read_all(int file, size_t size, char **ret_bytes, struct orr_error *err)
{
    char *bytes = malloc(size + 1);
    size_t done = 0;
    ORR_NEED(bytes, err);
    while (done < size) {
        ssize_t got = read(file, bytes + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            free(bytes);
            return orr_fail(err, ORR_IO, "a file of the page cannot be read");
        }
        done += (size_t)got;
    }
    bytes[size] = 0;
    *ret_bytes = bytes;
    return ORR_OK;
}

static enum orr_code load(struct orr_call *call, int file, const struct stat *status, const char *path,
                          struct orr_answer **ret_answer, struct orr_error *err)
{
    char key[600];
    snprintf(key, sizeof key, "static|%.500s|%lld.%09ld|%lld", path, (long long)status->st_mtim.tv_sec,
             status->st_mtim.tv_nsec, (long long)status->st_size);
    struct orr_answer *answer = (struct orr_answer *)orr_cache_begin(call->app->cache, key);
    if (!answer) {
        char *bytes = NULL;
        enum orr_code code = read_all(file, (size_t)status->st_size, &bytes, err);
        if (code == ORR_OK) {
            answer = orr_answer_new(200, media_type_of(path), bytes, (size_t)status->st_size);
            code = answer ? ORR_OK : orr_fail_nomem(err);
        }
        if (answer)
            answer->policy = "default-src 'self'; img-src 'self' data: blob:; style-src 'self'; object-src 'none'; "
                             "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
        orr_cache_end(call->app->cache, key, answer ? &answer->shared : NULL);
        ORR_TRY(code);
    }
    *ret_answer = answer;
    return ORR_OK;
}

static bool is_of_docs(const char *path)
{
    return !strncmp(path, "docs/", strlen("docs/"));
}

static enum orr_code no_file(struct orr_call *call, const char *path, struct orr_error *err)
{
    orr_fail(err, ORR_NOT_FOUND, "there is no file /%.100s", path);
    if (is_of_docs(path) && !call->app->docs_folder)
        orr_error_advice(err, "the documentation was not built or installed with this program");
    else if (!call->app->static_folder)
        orr_error_advice(err, "the server runs without the page: start it with --static DIR");
    return ORR_NOT_FOUND;
}

/* The links of a page of /docs are relative, so its folder must be in the address. */
static enum orr_code send_to_folder(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    *ret_answer = orr_answer_new(308, "text/plain; charset=utf-8", NULL, 0);
    ORR_NEED(*ret_answer, err);
    orr_response_header(call->response, "Location", "docs/");
    return ORR_OK;
}

static enum orr_code serve(struct orr_call *call, const char *path, struct orr_answer **ret_answer,
                           struct orr_error *err)
{
    enum { LARGEST = 64 << 20 };
    char *full = NULL;
    struct stat status;
    const bool of_docs = is_of_docs(path);
    const char *folder = of_docs ? call->app->docs_folder : call->app->static_folder;
    if (!folder || !is_plain(path))
        return no_file(call, path, err);
    if (asprintf(&full, "%s/%s", folder, of_docs ? path + strlen("docs/") : path) < 0)
        return orr_fail_nomem(err);
    int file = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    free(full);
    if (file < 0)
        return no_file(call, path, err);
    enum orr_code code = fstat(file, &status) || !S_ISREG(status.st_mode) || status.st_size > LARGEST
                             ? no_file(call, path, err)
                             : load(call, file, &status, path, ret_answer, err);
    close(file);
    return code;
}

enum orr_code orr_handle_static(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    const char *path = call->captures[0];
    if (path && !strcmp(path, "docs"))
        return send_to_folder(call, ret_answer, err);
    char index[256];
    const size_t length = path ? strlen(path) : 0;
    if (length && path[length - 1] == '/' && length + sizeof "index.html" <= sizeof index) {
        snprintf(index, sizeof index, "%sindex.html", path);
        path = index;
    }
    return serve(call, path && *path ? path : "index.html", ret_answer, err);
}

enum orr_code orr_handle_examples(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    return serve(call, "examples/index.json", ret_answer, err);
}
