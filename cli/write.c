/* SPDX-License-Identifier: Apache-2.0 */
/* How the commands print what they made. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "engine/base/budget.h"

/* All or nothing as far as a stream can: the whole document is there before the first byte goes out. */
int orr_write_out(const char *file, const char *bytes, size_t length)
{
    struct orr_error err = {0};
    if (orr_budget_check(&err) != ORR_OK) /* what was made under a spent budget may lack something */
        return orr_report(NULL, &err);
    if (!file && isatty(STDOUT_FILENO))
        orr_progress_end();
    FILE *stream = file ? fopen(file, "wb") : stdout;
    bool done = stream && fwrite(bytes, 1, length, stream) == length && !fflush(stream);
    int problem = errno;
    if (file && stream)
        done = !fclose(stream) && done;
    if (done)
        return ORR_EXIT_OK;
    fprintf(stderr, "%s: cannot be written: %s\n", file ? file : "<standard output>", strerror(problem));
    return ORR_EXIT_INPUT;
}

const char *orr_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int orr_report_text(const char *name, const struct orr_text *text)
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
                 : orr_text_failed(text) ? orr_report_text(name, text)
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

int orr_write_text(struct orr_text *text)
{
    const int status =
        orr_text_failed(text) ? orr_report_text(NULL, text) : orr_write_out(NULL, orr_text_data(text), text->length);
    orr_text_release(text);
    return status;
}
