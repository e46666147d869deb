/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/read_pieces.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/terminal.h"
#include "engine/base/budget.h"

enum { BLOCK = 1 << 20 };

/* Shows the progress of reading. whole: size in bytes, 0 if unknown. */
static void show(const char *what, uint64_t taken, uint64_t whole)
{
    enum { MEGA = 1000000 };
    char of[40] = "";
    if (whole)
        snprintf(of, sizeof of, " of %llu MB", (unsigned long long)(whole / MEGA));
    orr_progress_say("reading %s: %llu MB%s", what, (unsigned long long)(taken / MEGA), of);
}

enum orr_code orr_read_pieces(const char *file, const char *what, orr_piece_taker *take, void *context,
                              struct orr_error *err)
{
    const bool standard = !file || !strcmp(file, "-");
    FILE *stream = standard ? stdin : fopen(file, "rb");
    char *block = malloc(BLOCK);
    uint64_t taken = 0, whole = 0;
    struct stat about;
    enum orr_code code = ORR_OK;
    if (!stream)
        code = orr_fail(err, ORR_IO, "cannot be read: %s", strerror(errno));
    else if (!block)
        code = orr_fail_nomem(err);
    if (code == ORR_OK) {
        if (!fstat(fileno(stream), &about) && S_ISREG(about.st_mode))
            whole = (uint64_t)about.st_size;
        for (size_t got; code == ORR_OK && (got = fread(block, 1, BLOCK, stream)) > 0;) {
            code = take(context, block, got, err);
            show(what, taken += got, whole);
            if (code == ORR_OK)
                code = orr_budget_check(err);
        }
        int problem = errno;
        if (ferror(stream)) {
            *err = (struct orr_error){0}; /* the bytes so far do not decide */
            code = orr_budget_check(err); /* Ctrl-C ends waiting for input too */
            if (code == ORR_OK)
                code = orr_fail(err, ORR_IO, "cannot be read: %s", strerror(problem));
        }
    }
    orr_progress_say("%s", "");
    if (stream && !standard)
        fclose(stream);
    free(block);
    return code;
}
