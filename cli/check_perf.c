/* SPDX-License-Identifier: Apache-2.0 */
/* orrery check-perf: compares results of nccl-tests with the results to expect from the machine. */
#include <stdio.h>

#include "cli/read_log.h"
#include "cli/terminal.h"
#include "engine/report/answers_text.h"

int orr_command_check_perf(const struct orr_options *options)
{
    static const int statuses[] = {[ORR_PERF_EXPECTED] = ORR_EXIT_OK,
                                   [ORR_PERF_HIGH] = ORR_EXIT_OK,
                                   [ORR_PERF_LOW] = ORR_EXIT_LOW,
                                   [ORR_PERF_CANNOT_JUDGE] = ORR_EXIT_UNJUDGED};
    struct orr_error err = {0};
    struct orr_perf_question question;
    ORR_LOCAL(orr_results, results);
    ORR_LOCAL(orr_perf_check, check);
    ORR_LOCAL(orr_dump, dump);
    int status = ORR_EXIT_OK;
    if (orr_params_perf(&options->params, &question, &err) != ORR_OK)
        return orr_report(NULL, &err);
    if (orr_read_results_file(options->file, &results, &err) != ORR_OK)
        return orr_report(orr_input_name(options->file), &err);
    if (options->topology || options->params.machine) {
        struct orr_options machine = *options;
        machine.file = options->topology;
        status = orr_read_dump(&machine, NULL, &dump);
        question.dump_name = options->params.machine ? options->params.machine->name : orr_base_name(options->topology);
    }
    if (!status && !dump && orr_read_beside(options, &dump, &err) != ORR_OK)
        return orr_report(orr_input_name(options->file), &err);
    if (dump && !question.dump_name)
        question.dump_name = "the machine in the same text";
    question.dump = dump;
    if (!status && orr_perf_judge(results, &question, &check, &err) != ORR_OK)
        status = orr_report(options->topology ? options->topology : orr_input_name(options->file), &err);
    if (check && !orr_is_for_people(options)) {
        struct orr_json json = {0};
        status = orr_print_json(&json, orr_perf_json(&json, results, check), true);
    } else if (check) {
        struct orr_text text;
        struct orr_page page;
        orr_terminal_lines(options, &text, &page);
        orr_report_perf(&page, results, check, options->topology || options->params.machine ? NULL : dump,
                        options->verbose);
        status = orr_terminal_print(&text);
    }
    if (check && !status)
        status = statuses[check->tables[check->main].verdict];
    return status;
}
