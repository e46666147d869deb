/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a log of any size as a stream. If it is topology XML instead, reads it whole. */
#include "cli/read_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/standard_input.h"
#include "cli/terminal.h"
#include "engine/base/budget.h"
#include "engine/base/text.h"

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

/* Takes the next piece of at most 1 MiB. */
typedef enum orr_code piece_taker(void *context, const char *bytes, size_t length, struct orr_error *err);

/* Takes a text that has been read before. */
static enum orr_code take_kept(const char *bytes, size_t length, piece_taker *take, void *context,
                               struct orr_error *err)
{
    for (size_t at = 0; at < length; at += BLOCK) {
        ORR_TRY(take(context, bytes + at, length - at < BLOCK ? length - at : BLOCK, err));
        ORR_TRY(orr_budget_check(err));
    }
    return ORR_OK;
}

/* Reads a file of any size piece by piece, with progress if standard error is a terminal. file: NULL or "-" means
 * standard input. what: for the progress, "the log". IO, and errors of the taker. */
static enum orr_code read_pieces(const char *file, const char *what, piece_taker *take, void *context,
                                 struct orr_error *err)
{
    const bool standard = orr_is_standard_input(file);
    const char *kept;
    size_t kept_length;
    if (standard && orr_standard_input_kept(&kept, &kept_length))
        return take_kept(kept, kept_length, take, context, err);
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
            if (standard)
                orr_standard_input_keep(block, got);
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
        } else if (standard && feof(stream)) {
            orr_standard_input_end();
        }
    }
    orr_progress_say("%s", "");
    if (stream && !standard)
        fclose(stream);
    free(block);
    return code;
}

struct reading {
    bool begun, whole;
    struct orr_text text; /* of XML */
    struct orr_log_reader *reader;
};

static bool is_xml(const char *bytes, size_t length)
{
    size_t start = 0;
    while (start < length && strchr(" \t\r\n", bytes[start]) && bytes[start])
        start++;
    return start < length && bytes[start] == '<';
}

static enum orr_code take(void *context, const char *bytes, size_t length, struct orr_error *err)
{
    struct reading *reading = context;
    if (!reading->begun) {
        reading->begun = true;
        reading->whole = is_xml(bytes, length);
    }
    if (!reading->whole)
        return orr_log_reader_feed(reading->reader, bytes, length, err);
    orr_text_add(&reading->text, bytes, length);
    if (!orr_text_failed(&reading->text))
        return ORR_OK;
    return reading->text.starved ? orr_fail_nomem(err)
                                 : orr_fail(err, ORR_LIMIT, "larger than %zu bytes", reading->text.limit);
}

enum orr_code orr_read_log_file(const char *file, struct orr_log **ret_log, struct orr_error *err)
{
    struct reading reading = {0};
    ORR_TRY(orr_log_reader_new(&orr_log_stream_limits, &reading.reader, err));
    orr_text_init(&reading.text, orr_log_default_limits.bytes);
    enum orr_code code = read_pieces(file, "the log", take, &reading, err);
    if (code == ORR_OK && reading.whole)
        code = orr_log_read_any(reading.text.data, reading.text.length, ret_log, err);
    if (code == ORR_OK && !reading.whole)
        code = orr_log_reader_finish(reading.reader, ret_log, err);
    else
        orr_log_reader_free(reading.reader);
    orr_text_release(&reading.text);
    return code;
}

static enum orr_code take_results(void *reader, const char *bytes, size_t length, struct orr_error *err)
{
    return orr_results_reader_feed(reader, bytes, length, err);
}

enum orr_code orr_read_results_file(const char *file, struct orr_results **ret_results, struct orr_error *err)
{
    struct orr_results_reader *reader;
    ORR_TRY(orr_results_reader_new(&orr_results_stream_limits, &reader, err));
    enum orr_code code = read_pieces(file, "the results", take_results, reader, err);
    if (code == ORR_OK)
        return orr_results_reader_finish(reader, ret_results, err);
    orr_results_reader_free(reader);
    return code;
}
