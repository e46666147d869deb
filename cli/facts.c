/* orrery facts: what Orrery knows about machines, as other programs read it. */
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "engine/facts/facts.h"

/* The file's name without folder and ending. */
static char *host_name(const char *file)
{
    const char *base = file ? orr_base_name(file) : "";
    return !strcmp(base, "-") ? strdup("") : strndup(base, strcspn(base, "."));
}

int orr_command_facts(const struct orr_options *options)
{
    const struct orr_params *params = &options->params;
    const size_t files = options->file_count ? options->file_count : 1;
    struct orr_facts_host *hosts = calloc(files, sizeof *hosts);
    struct orr_facts_request request = {.hosts = hosts, .settings = params->query.settings};
    struct orr_error err = {0};
    struct orr_text text;
    int status = ORR_EXIT_OK;
    if (!hosts) {
        orr_fail_nomem(&err);
        return orr_report(NULL, &err);
    }
    orr_text_init(&text, ORR_MAX_ANSWER);
    for (size_t i = 0; i < files && !status; i++) {
        struct orr_options one = *options;
        struct orr_dump *dump = NULL;
        one.file = options->file_count ? options->files[i] : NULL;
        status = orr_read_dump(&one, NULL, &dump);
        hosts[i] = (struct orr_facts_host){host_name(params->machine ? params->machine->name : one.file), dump};
        request.count += !status;
        if (!status && !hosts[i].name) {
            orr_fail_nomem(&err);
            status = orr_report(NULL, &err);
        }
    }
    if (!status && orr_facts_write(params->facts, &request, &text, &err) != ORR_OK)
        status = orr_report(files == 1 ? orr_input_name(options->file) : NULL, &err);
    if (!status)
        status = orr_write_out(options->output, text.data ? text.data : "", text.length);
    orr_text_release(&text);
    for (size_t i = 0; i < files; i++) {
        free((char *)(uintptr_t)hosts[i].name);
        orr_dump_free((struct orr_dump *)(uintptr_t)hosts[i].dump);
    }
    free(hosts);
    return status;
}
