/* A log of any size: read as a stream, with progress where standard error is a terminal. */
#include "cli/read_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/options.h"
#include "engine/base/budget.h"
#include "engine/base/clock.h"

enum { BLOCK = 1 << 20 };

/* Shows how far the reading is, once a second. */
struct progress {
    bool shown, wanted;
    uint64_t next, taken, whole; /* nanoseconds; bytes; 0: not known */
};

static void show(struct progress *progress, size_t more)
{
    enum { SECOND = 1000000000, MEGA = 1000000 };
    progress->taken += more;
    uint64_t now = progress->wanted ? orr_clock_ns() : 0;
    if (!progress->wanted || now < progress->next)
        return;
    progress->next = now + SECOND;
    progress->shown = true;
    fprintf(stderr, "\rreading the log: %llu MB", (unsigned long long)(progress->taken / MEGA));
    if (progress->whole)
        fprintf(stderr, " of %llu MB", (unsigned long long)(progress->whole / MEGA));
}

/* Topology XML may come in place of a log: it is read whole. */
static bool is_xml(const char *bytes, size_t length)
{
    size_t start = 0;
    while (start < length && strchr(" \t\r\n", bytes[start]) && bytes[start])
        start++;
    return start < length && bytes[start] == '<';
}

static enum orr_code read_whole(FILE *stream, char *block, size_t got, struct orr_log **ret_log, struct orr_error *err)
{
    struct orr_text text;
    orr_text_init(&text, orr_log_default_limits.bytes);
    for (; got > 0 && !orr_text_failed(&text); got = fread(block, 1, BLOCK, stream))
        orr_text_add(&text, block, got);
    enum orr_code code = text.starved             ? orr_fail_nomem(err)
                         : orr_text_failed(&text) ? orr_fail(err, ORR_LIMIT, "larger than %zu bytes", text.limit)
                                                  : orr_log_read_any(text.data, text.length, ret_log, err);
    orr_text_release(&text);
    return code;
}

static enum orr_code read_stream(FILE *stream, char *block, size_t got, struct progress *progress,
                                 struct orr_log **ret_log, struct orr_error *err)
{
    struct orr_log_reader *reader;
    ORR_TRY(orr_log_reader_new(&orr_log_stream_limits, &reader, err));
    enum orr_code code = ORR_OK;
    for (; got > 0 && code == ORR_OK; got = fread(block, 1, BLOCK, stream)) {
        code = orr_log_reader_feed(reader, block, got, err);
        show(progress, got);
    }
    if (code != ORR_OK) {
        orr_log_reader_free(reader);
        return code;
    }
    return orr_log_reader_finish(reader, ret_log, err);
}

enum orr_code orr_read_log_file(const char *file, struct orr_log **ret_log, struct orr_error *err)
{
    const bool standard = !file || !strcmp(file, "-");
    FILE *stream = standard ? stdin : fopen(file, "rb");
    char *block = malloc(BLOCK);
    struct progress progress = {.wanted = isatty(STDERR_FILENO) != 0};
    struct stat about;
    enum orr_code code;
    if (!stream)
        code = orr_fail(err, ORR_IO, "cannot be read: %s", strerror(errno));
    else if (!block)
        code = orr_fail_nomem(err);
    else {
        if (!fstat(fileno(stream), &about) && S_ISREG(about.st_mode))
            progress.whole = (uint64_t)about.st_size;
        progress.next = progress.wanted ? orr_clock_ns() + 1000000000 : 0;
        size_t got = fread(block, 1, BLOCK, stream);
        code = is_xml(block, got) ? read_whole(stream, block, got, ret_log, err)
                                  : read_stream(stream, block, got, &progress, ret_log, err);
        int problem = errno;
        if (ferror(stream)) {
            if (code == ORR_OK)
                orr_log_free(*ret_log);
            *err = (struct orr_error){0}; /* what there was so far says nothing */
            code = orr_budget_check(err); /* Ctrl-C ends waiting for input too */
            if (code == ORR_OK)
                code = orr_fail(err, ORR_IO, "cannot be read: %s", strerror(problem));
        }
    }
    if (progress.shown)
        fprintf(stderr, "\r\033[K");
    if (stream && !standard)
        fclose(stream);
    free(block);
    return code;
}
