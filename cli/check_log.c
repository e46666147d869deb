/* SPDX-License-Identifier: Apache-2.0 */
/* orrery check-log: compares an NCCL log, or a dumped graph, with the prediction. */
#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "cli/read_log.h"
#include "cli/terminal.h"
#include "engine/release/release_names.h"

#include "engine/log_machine/compare_log.h"
#include "engine/report/answers_text.h"
#include "engine/symptoms/symptoms.h"

enum { XML_MOST = 64 << 20 };

/* The rebuilt topology, for --extract. */
static int print_topology(const struct orr_log *log, const char *file)
{
    const char *why;
    struct orr_error err = {0};
    ORR_OWNED(orr_dump) *dump = NULL;
    ORR_LOCAL_TEXT(text, XML_MOST);
    if (orr_log_tree_dump(log, 0, &dump, &why, &err) == ORR_OK && !dump)
        (void)orr_fail(&err, ORR_NOT_FOUND, "%s", why);
    if (err.code != ORR_OK)
        return orr_report(orr_input_name(file), &err);
    orr_dump_write(dump, &text);
    const char *second = text.data ? strchr(text.data, '\n') : NULL;
    if (!second || orr_text_failed(&text))
        return ORR_EXIT_INPUT;
    printf("%.*s\n<!-- Rebuilt by Orrery from the tree that an NCCL log prints. GPUDirect RDMA is assumed to be "
           "possible unless the log denies it. -->%s",
           (int)(second - text.data), text.data, second);
    return fflush(stdout) ? ORR_EXIT_INPUT : ORR_EXIT_OK;
}

static int answer(const struct orr_options *options, const struct orr_log *log, const struct orr_dump *dump,
                  const struct orr_log_question *question)
{
    struct orr_error err = {0};
    ORR_LOCAL_STRUCT(orr_log_compared, compared);
    struct orr_triage triage;
    const bool beside = !options->topology && !options->params.machine;
    if (orr_input_compare_log(log, dump, options->params.assumed, options->params.assumed_nics, question, &compared,
                              &err) != ORR_OK)
        return orr_report(dump ? options->topology : orr_input_name(options->file), &err);
    if (orr_triage_make(log, compared.check, log->arena, &triage, &err) != ORR_OK)
        return orr_report(orr_input_name(options->file), &err);
    if (options->json) {
        struct orr_json json = {0};
        return orr_print_json(&json, orr_log_json(&json, log, &compared, &triage), true);
    }
    struct orr_text text;
    struct orr_page page;
    orr_terminal_lines(options, &text, &page);
    orr_report_log(&page, log, &triage, compared.check, beside ? dump : NULL, compared.why, options->verbose);
    return orr_terminal_print(&text);
}

/* For a machine instead of a log: prints the output of `orrery show`. */
static int show_machine(const struct orr_options *options)
{
    ORR_LOCAL_STRUCT(orr_question, question);
    const int status = orr_question_read(options, false, &question);
    return status ? status
                  : orr_show(options, &question, false,
                             "No line of this input comes from NCCL, so this is the answer of `orrery show`.");
}

/* Whether the input has results of nccl-tests and no line of a log. Figures in a sentence are part of a question, which
 * may have an answer. */
static bool has_results_alone(const struct orr_options *options, const struct orr_log *log)
{
    struct orr_error ignored = {0};
    struct orr_symptoms symptoms = {.count = 0};
    ORR_LOCAL(orr_results, results);
    ORR_LOCAL_ARENA(arena, 0);
    if (options->json || options->extract || (log && log->nccl_count))
        return false;
    for (uint32_t i = 0; log && i < log->event_count; i++)
        if (!log->events[i].message || log->events[i].message->weight > ORR_WEIGHT_NOTE)
            return false;
    if (orr_read_results_file(options->file, &results, &ignored) != ORR_OK)
        return false;
    return !results->summary || !log || !arena || orr_symptoms_find(log, arena, &symptoms, &ignored) != ORR_OK ||
           !symptoms.count || symptoms.rows[0].weight != ORR_SYMPTOM_CAUSE;
}

/* For results instead of a log: prints the output of `orrery check-perf`. */
static int check_results(const struct orr_options *options)
{
    struct orr_options people = *options;
    people.text = true;
    fputs("orrery check-log: no line comes from NCCL, so this is the answer of `orrery check-perf`\n", stderr);
    return orr_command_check_perf(&people);
}

int orr_command_check_log(const struct orr_options *options)
{
    struct orr_error err = {0};
    const struct orr_log_question question = orr_params_log(&options->params);
    ORR_LOCAL(orr_log, log);
    ORR_LOCAL(orr_dump, dump);
    int status = ORR_EXIT_OK;
    const enum orr_code code = orr_read_log_file(options->file, &log, &err);
    if ((code == ORR_OK || code == ORR_UNRECOGNISED) && has_results_alone(options, log))
        return check_results(options);
    if (code != ORR_OK) {
        struct orr_error ignored = {0};
        if (err.code == ORR_UNRECOGNISED && !options->json && !options->extract && !options->topology &&
            !options->params.machine && orr_read_beside(options, &dump, &ignored) == ORR_OK && dump)
            return show_machine(options);
        return orr_report(orr_input_name(options->file), &err);
    }
    if (log && (options->topology || options->params.machine)) {
        struct orr_options machine = *options;
        const uint32_t version = orr_log_version(log, NULL);
        bool exact;
        machine.file = options->topology;
        status = orr_read_dump(&machine, version ? orr_release_nearest(version, &exact) : NULL, &dump);
    } else if (log && !options->extract && orr_read_beside(options, &dump, &err) != ORR_OK)
        status = orr_report(orr_input_name(options->file), &err);
    if (log && !status)
        status = options->extract ? print_topology(log, options->file) : answer(options, log, dump, &question);
    return status;
}
