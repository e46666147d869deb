#include "cli/read_pieces.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/budget.h"
#include "engine/base/clock.h"

enum { BLOCK = 1 << 20 };

/* Shows how far the reading is, once a second. */
struct progress {
    const char *what;
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
    fprintf(stderr, "\rreading %s: %llu MB", progress->what, (unsigned long long)(progress->taken / MEGA));
    if (progress->whole)
        fprintf(stderr, " of %llu MB", (unsigned long long)(progress->whole / MEGA));
}

enum orr_code orr_read_pieces(const char *file, const char *what, orr_piece_taker *take, void *context,
                              struct orr_error *err)
{
    const bool standard = !file || !strcmp(file, "-");
    FILE *stream = standard ? stdin : fopen(file, "rb");
    char *block = malloc(BLOCK);
    struct progress progress = {.what = what, .wanted = isatty(STDERR_FILENO) != 0};
    struct stat about;
    enum orr_code code = ORR_OK;
    if (!stream)
        code = orr_fail(err, ORR_IO, "cannot be read: %s", strerror(errno));
    else if (!block)
        code = orr_fail_nomem(err);
    if (code == ORR_OK) {
        if (!fstat(fileno(stream), &about) && S_ISREG(about.st_mode))
            progress.whole = (uint64_t)about.st_size;
        progress.next = progress.wanted ? orr_clock_ns() + 1000000000 : 0;
        for (size_t got; code == ORR_OK && (got = fread(block, 1, BLOCK, stream)) > 0;) {
            code = take(context, block, got, err);
            show(&progress, got);
        }
        int problem = errno;
        if (ferror(stream)) {
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
