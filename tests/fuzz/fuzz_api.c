/* SPDX-License-Identifier: Apache-2.0 */
/* Routes, queries, headers and bodies through the service in process. The input is a text of up to eight requests:
 *
 *     GET /v1/topologies/@/analysis/paths?release=2.21.5&hosts=2
 *     Accept-Encoding: gzip
 *
 *     (a body, here none)
 *     ====
 *     DELETE /v1/topologies/@
 *
 * @ is the id of a topology that is there. Each input has a service of its own, so that it crashes again. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_app.h"

enum { MOST_REQUESTS = 8 };

/* Ends a line in place and returns the start of the next, NULL if there is none. */
static char *end_line(char *text, char *end)
{
    char *line_end = memchr(text, '\n', (size_t)(end - text));
    if (!line_end)
        return NULL;
    *line_end = 0;
    if (line_end > text && line_end[-1] == '\r')
        line_end[-1] = 0;
    return line_end + 1;
}

/* One request in text .. end, which it may change; *end is 0. */
static void ask(struct fuzz_app *fuzz, char *text, char *end)
{
    struct fuzz_message message = {0};
    char *next = end_line(text, end), *blank = strchr(text, ' ');
    if (!blank)
        return;
    *blank = 0;
    message.method = text;
    message.target = blank + 1;
    while (next && *next && *next != '\n' && *next != '\r' && message.header_count < FUZZ_MAX_HEADERS) {
        char *line = next, *colon;
        next = end_line(line, end);
        colon = strchr(line, ':');
        if (colon) {
            *colon = 0;
            message.headers[message.header_count].name = line;
            message.headers[message.header_count++].value = colon + 1 + strspn(colon + 1, " ");
        }
    }
    if (next && *next)
        next = end_line(next, end);
    if (next) {
        message.body = next;
        message.length = (size_t)(end - next);
    }
    fuzz_app_ask(fuzz, &message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char fence[] = "\n====\n";
    struct fuzz_app fuzz;
    char *text = malloc(size + 1);
    FUZZ_REQUIRE(text, "memory");
    memcpy(text, data, size);
    text[size] = 0;
    fuzz_app_open(&fuzz);
    char *at = text, *end = text + size;
    for (int i = 0; i < MOST_REQUESTS && at; i++) {
        char *stop = memmem(at, (size_t)(end - at), fence, sizeof fence - 1);
        if (stop)
            *stop = 0;
        ask(&fuzz, at, stop ? stop : end);
        at = stop ? stop + sizeof fence - 1 : NULL;
    }
    fuzz_app_close(&fuzz);
    free(text);
    return 0;
}
