/* SPDX-License-Identifier: Apache-2.0 */
/* Prints and writes the results of commands. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "engine/base/budget.h"

/* A file is written under another name beside it and then takes its place, so that nobody sees half of it and the old
 * one stays if the disk is full. A file that is not a regular one, such as /dev/stdout, is written in place. */
static int write_file(const char *file, const char *bytes, size_t length)
{
    struct stat about;
    char *real = realpath(file, NULL), *name = NULL; /* a link stays a link */
    const char *target = real ? real : file;
    bool other = !stat(target, &about) && !S_ISREG(about.st_mode); /* written in place */
    const mode_t mask = umask(0);
    umask(mask);
    int handle = -1;
    if (other)
        handle = open(target, O_WRONLY | O_CLOEXEC);
    else if (asprintf(&name, "%s.XXXXXX", target) >= 0)
        handle = mkostemp(name, O_CLOEXEC);
    else
        name = NULL;
    if (handle < 0 && !other && real) { /* the file is writable, but its folder is not */
        other = true;
        handle = open(target, O_WRONLY | O_TRUNC | O_CLOEXEC);
    }
    FILE *stream = handle < 0 ? NULL : fdopen(handle, "wb");
    bool done = stream && fwrite(bytes, 1, length, stream) == length && !fflush(stream);
    if (done && !other)
        done = !fchmod(handle, real ? about.st_mode & 07777 : 0666 & ~mask) && !fsync(handle);
    int problem = errno;
    if (stream && fclose(stream) && done) {
        problem = errno;
        done = false;
    }
    if (done && !other && rename(name, target)) {
        problem = errno;
        done = false;
    }
    if (!done && !other && handle >= 0)
        unlink(name);
    free(name);
    free(real);
    if (done)
        return ORR_EXIT_OK;
    orr_message("%s: cannot be written: %s", file, strerror(problem));
    return ORR_EXIT_INPUT;
}

/* All or nothing, as far as a stream allows: the document is complete before the first byte is written. */
int orr_write_out(const char *file, const char *bytes, size_t length)
{
    struct orr_error err = {0};
    if (orr_budget_check(&err) != ORR_OK) /* a result under a spent budget may be incomplete */
        return orr_report(NULL, &err);
    ORR_LOCAL_TEXT(clean, SIZE_MAX);
    if (file)
        return write_file(file, bytes, length);
    if (isatty(STDOUT_FILENO)) {
        orr_progress_end();
        ORR_LOCAL_TEXT(text, SIZE_MAX);
        orr_text_add(&text, bytes, length); /* which ends it with a zero */
        orr_clean(&clean, orr_text_data(&text), text.length, "\n\t\033");
        bytes = orr_text_data(&clean);
        length = clean.length;
    }
    if (fwrite(bytes, 1, length, stdout) == length && !fflush(stdout))
        return ORR_EXIT_OK;
    orr_message("<standard output>: cannot be written: %s", strerror(errno));
    return ORR_EXIT_INPUT;
}

const char *orr_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Reports that a text could not be written: no memory, or too large. Gives the exit status. */
static int report_text(const char *name, const struct orr_text *text)
{
    struct orr_error err = {0};
    if (text->starved)
        (void)orr_fail_nomem(&err);
    else
        orr_fail(&err, ORR_LIMIT, "the answer is larger than %zu bytes", text->limit);
    return orr_report(name, &err);
}

int orr_print_text(const char *name, enum orr_code code, struct orr_text *text, const struct orr_error *err)
{
    orr_text_puts(text, "\n");
    int status = code != ORR_OK          ? orr_report(name, err)
                 : orr_text_failed(text) ? report_text(name, text)
                                         : orr_write_out(NULL, text->data, text->length);
    orr_text_release(text);
    return status;
}

int orr_print_json(struct orr_json *json, json_t *root, bool pretty)
{
    struct orr_error err = {0};
    struct orr_text text;
    orr_text_init(&text, ORR_MAX_ANSWER);
    enum orr_code code = orr_json_write(json, root, pretty, &text, &err);
    return orr_print_text(NULL, code, &text, &err);
}

int orr_exit_of(enum orr_code code)
{
    return code == ORR_OK ? ORR_EXIT_OK : code == ORR_SETTING ? ORR_EXIT_USAGE : ORR_EXIT_INPUT;
}

int orr_report(const char *file, const struct orr_error *found)
{
    struct orr_error verdict = *found;
    const struct orr_error *err = &verdict;
    orr_progress_end();
    (void)orr_budget_verdict(orr_budget_in_force(), found->code, &verdict);
    const char *open = err->where[0] ? " (" : "", *shut = err->where[0] ? ")" : "";
    if (file && err->line)
        orr_message("%s:%u:%u: %s%s%s%s", file, err->line, err->column ? err->column : 1, err->text, open, err->where,
                    shut);
    else
        orr_message("%s: %s%s%s%s", file ? file : "orrery", err->text, open, err->where, shut);
    if (err->advice[0])
        orr_message("  %s", err->advice);
    return orr_exit_of(err->code);
}
