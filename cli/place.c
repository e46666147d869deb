/* SPDX-License-Identifier: Apache-2.0 */
/* orrery place: chooses GPUs of a host for a job. */
#include <stdio.h>

#include "cli/terminal.h"
#include "engine/report/answers_text.h"

static int print(const struct orr_options *options, const struct orr_placing *placing)
{
    struct orr_json json = {0};
    struct orr_text text;
    struct orr_page page;
    const struct orr_machine_type *machine = options->params.machine;
    const char *name = machine ? machine->name : orr_base_name(orr_input_name(options->file));
    if (!orr_is_for_people(options))
        return orr_print_json(&json, orr_place_json(&json, placing, name, orr_given(&options->params, ORR_ASK_RELEASE)),
                              true);
    orr_terminal_lines(options, &text, &page);
    orr_report_placing(&page, placing, options->verbose);
    return orr_terminal_print(&text);
}

int orr_command_place(const struct orr_options *options)
{
    struct orr_error err = {0};
    struct orr_score_question question;
    struct orr_place_request request;
    struct orr_placing *placing;
    struct orr_scores *scores = NULL;
    ORR_LOCAL(orr_dump, dump);
    if (orr_params_scored(&options->params, &question, &err) != ORR_OK)
        return orr_report(NULL, &err);
    ORR_EXIT_TRY(orr_read_dump(options, question.settings.release, &dump));
    ORR_LOCAL_ARENA(arena, 0);
    enum orr_code code = arena ? orr_scores_new(dump, &question, &scores, &err) : orr_fail_nomem(&err);
    if (code == ORR_OK)
        code = orr_params_place(&options->params, scores, &request, &err);
    if (code == ORR_OK)
        code = orr_place(scores, &request, arena, &placing, &err);
    int status =
        code == ORR_OK ? print(options, placing) : orr_report(code == ORR_SETTING ? NULL : options->file, &err);
    orr_scores_free(scores);
    return status;
}
