/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that convert inputs or list their kinds: convert, vm-file, anonymise, machines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal.h"
#include "engine/input/anonymise.h"
#include "engine/input/input.h"
#include "engine/input/vm_file.h"
#include "engine/report/answers_text.h"

enum { MOST_TEXT = 64 << 20 };

static int print(const struct orr_options *options, enum orr_code code, const struct orr_text *text,
                 const struct orr_error *err)
{
    if (code != ORR_OK)
        return orr_report(orr_input_name(options->file), err);
    return orr_write_out(options->output, text->data ? text->data : "", text->length);
}

/* The reader's assumptions go to standard error, because standard output is the file. */
static void say_notes(const struct orr_options *options, const struct orr_dump *dump)
{
    const struct orr_dump_notes *notes = dump->notes;
    struct orr_text text;
    struct orr_page page;
    if (!notes)
        return;
    orr_terminal_lines(options, &text, &page);
    orr_page_line(&page, "", "%s: %s", notes->title, notes->recognised);
    for (uint32_t i = 0; i < notes->assumed_count; i++)
        orr_page_line(&page, "  assumed: ", "%s", notes->assumed[i].what);
    for (uint32_t i = 0; i < notes->missing_count; i++)
        orr_page_line(&page, "  missing: ", "%s%s%s", notes->missing[i].what, *notes->missing[i].command ? ": " : "",
                      notes->missing[i].command);
    fputs(orr_text_data(&text), stderr);
    orr_text_release(&text);
}

int orr_command_convert(const struct orr_options *options)
{
    struct orr_error err = {0};
    ORR_LOCAL(orr_dump, dump);
    ORR_LOCAL_TEXT(text, MOST_TEXT);
    ORR_EXIT_TRY(orr_read_dump(options, NULL, &dump));
    say_notes(options, dump);
    orr_dump_write(dump, &text);
    enum orr_code code = orr_text_failed(&text) ? orr_fail_nomem(&err) : ORR_OK;
    return print(options, code, &text, &err);
}

int orr_command_vm_file(const struct orr_options *options)
{
    const struct orr_vm_options vm = {.gpus = options->params.gpus, .nics = options->params.nics};
    struct orr_error err = {0};
    ORR_LOCAL(orr_dump, dump);
    ORR_LOCAL_TEXT(text, MOST_TEXT);
    ORR_EXIT_TRY(orr_read_dump(options, NULL, &dump));
    return print(options, orr_vm_file(dump, &vm, &text, &err), &text, &err);
}

int orr_command_anonymise(const struct orr_options *options)
{
    struct orr_error err = {0};
    ORR_LOCAL_TEXT(text, MOST_TEXT);
    char *bytes = NULL;
    size_t length = 0;
    enum orr_code code = orr_read_input(options->file, &bytes, &length, &err);
    struct orr_arena *arena = code == ORR_OK ? orr_arena_new(0) : NULL;
    if (code == ORR_OK)
        code = arena ? orr_anonymise(bytes, length, arena, &text, NULL, &err) : orr_fail_nomem(&err);
    int status = print(options, code, &text, &err);
    orr_arena_free(arena);
    free(bytes);
    return status;
}

int orr_command_machines(const struct orr_options *options)
{
    struct orr_json json = {0};
    if (options->json)
        return orr_print_json(&json, orr_machines_json(&json), true);
    struct orr_text text = ORR_TEXT(ORR_MAX_ANSWER);
    orr_report_machine_types(&text);
    return orr_terminal_print_lines(options, &text);
}
