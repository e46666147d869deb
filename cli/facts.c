/* SPDX-License-Identifier: Apache-2.0 */
/* orrery facts: writes facts about machines for other programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "engine/exports/exports.h"

/* The file's name without folder and ending. */
static char *host_name(const char *file)
{
    const char *base = file ? orr_base_name(file) : "";
    return !strcmp(base, "-") ? strdup("") : strndup(base, strcspn(base, "."));
}

/* Names, NVLink domains and leaf switches from a cluster file; its topologies are not read. */
static enum orr_code write_fleet(const struct orr_options *options, struct orr_text *text, struct orr_error *err)
{
    struct orr_export_request request = {.settings = options->params.query.settings};
    struct orr_cluster_file file;
    char *bytes;
    size_t length;
    ORR_TRY(orr_read_input(options->cluster, &bytes, &length, err));
    enum orr_code code = orr_cluster_file_read(bytes, length, &file, err);
    free(bytes);
    ORR_TRY(code);
    code = orr_cluster_file_facts(&file, orr_name_of_file, file.arena, file.arena, &request, err);
    if (code == ORR_OK)
        code = orr_export_write(options->params.facts, &request, text, err);
    orr_cluster_file_release(&file);
    return code;
}

/* Analyses a cluster and exports its faulty hosts. */
static int facts_about_faults(const struct orr_options *options)
{
    ORR_LOCAL_STRUCT(orr_question, question);
    struct orr_error err = {0};
    ORR_LOCAL_TEXT(text, ORR_MAX_ANSWER);
    ORR_EXIT_TRY(orr_question_read(options, true, &question));
    const struct orr_export_request request = {
        .settings = options->params.query.settings, .cluster = question.cluster, .title = question.cluster_file.name};
    return orr_export_write(options->params.facts, &request, &text, &err) == ORR_OK
               ? orr_write_out(options->output, orr_text_data(&text), text.length)
               : orr_report(options->cluster, &err);
}

static int facts_of_cluster(const struct orr_options *options)
{
    const struct orr_export_format *format = orr_export_format(options->params.facts);
    struct orr_error err = {0};
    ORR_LOCAL_TEXT(text, ORR_MAX_ANSWER);
    if (format->faults && !options->file && !options->params.machine)
        return facts_about_faults(options);
    if (!format->fleet || options->file || options->params.machine) {
        fprintf(stderr, format->fleet
                            ? "orrery facts: --cluster names the hosts: leave files and --machine out\n"
                            : "orrery facts: --cluster needs a format for several hosts, such as slurm-block\n");
        return ORR_EXIT_USAGE;
    }
    return write_fleet(options, &text, &err) == ORR_OK
               ? orr_write_out(options->output, orr_text_data(&text), text.length)
               : orr_report(options->cluster, &err);
}

int orr_command_facts(const struct orr_options *options)
{
    const struct orr_params *params = &options->params;
    const size_t files = options->file_count ? options->file_count : 1;
    struct orr_export_host *hosts = calloc(files, sizeof *hosts);
    struct orr_export_request request = {.hosts = hosts, .settings = params->query.settings};
    struct orr_error err = {0};
    ORR_LOCAL_TEXT(text, ORR_MAX_ANSWER);
    int status = ORR_EXIT_OK;
    if (options->cluster) {
        free(hosts);
        return facts_of_cluster(options);
    }
    if (!hosts) {
        orr_fail_nomem(&err);
        return orr_report(NULL, &err);
    }
    for (size_t i = 0; i < files && !status; i++) {
        struct orr_options one = *options;
        struct orr_dump *dump = NULL;
        one.file = options->file_count ? options->files[i] : NULL;
        status = orr_read_dump(&one, NULL, &dump);
        hosts[i] = (struct orr_export_host){.name = host_name(params->machine ? params->machine->name : one.file),
                                            .dump = dump};
        request.count += !status;
        if (!status && !hosts[i].name) {
            orr_fail_nomem(&err);
            status = orr_report(NULL, &err);
        }
    }
    if (!status && orr_export_write(params->facts, &request, &text, &err) != ORR_OK)
        status = orr_report(files == 1 ? orr_input_name(options->file) : NULL, &err);
    if (!status)
        status = orr_write_out(options->output, orr_text_data(&text), text.length);
    for (size_t i = 0; i < files; i++) {
        free((char *)(uintptr_t)hosts[i].name);
        orr_dump_free((struct orr_dump *)(uintptr_t)hosts[i].dump);
    }
    free(hosts);
    return status;
}
