/* SPDX-License-Identifier: Apache-2.0 */
/* orrery predict: the expected table of nccl-tests; orrery scaling: the bandwidths on 1, 2, 4 ... hosts. */

#include "api/documents/scaling.h"
#include "cli/terminal.h"
#include "engine/report/answers_text.h"
#include "engine/trials/joining.h"
#include "engine/trials/limit.h"

int orr_command_predict(const struct orr_options *options)
{
    ORR_LOCAL_STRUCT(orr_question, question);
    struct orr_error err = {0};
    struct orr_expect_sizes sizes;
    struct orr_expect_table table;
    struct orr_json json = {0};
    struct orr_text text;
    struct orr_page page;
    enum orr_test test;
    if (orr_params_predict(&options->params, &test, &sizes, &err) != ORR_OK)
        return orr_report(NULL, &err);
    ORR_EXIT_TRY(orr_question_read(options, true, &question));
    if (orr_expect_table_make(question.analysis, test, &sizes, &table, &err) != ORR_OK ||
        orr_find_limit(NULL, question.analysis, test, NULL, &table.limit, &err) != ORR_OK ||
        orr_find_joined(&table, &err) != ORR_OK)
        return orr_report(question.name, &err);
    if (options->json)
        return orr_print_json(
            &json,
            orr_predict_json(&json, &table, orr_base_name(question.name), orr_given(&options->params, ORR_ASK_RELEASE)),
            true);
    orr_terminal_lines(options, &text, &page);
    const enum orr_code code = orr_report_expected(&page, &table, &err);
    return orr_print_page(code, &text, &err);
}

int orr_command_scaling(const struct orr_options *options)
{
    ORR_LOCAL_STRUCT(orr_question, question);
    const struct orr_params *params = &options->params;
    struct orr_error err = {0};
    struct orr_scaling scaling;
    struct orr_json json = {0};
    ORR_EXIT_TRY(orr_question_read(options, true, &question));
    if (orr_scaling_find(question.analysis, params, &scaling, &err) != ORR_OK)
        return orr_report(question.name, &err);
    if (options->json)
        return orr_print_json(&json, orr_scaling_json(&json, &scaling, question.analysis, orr_base_name(question.name)),
                              true);
    struct orr_text text = ORR_TEXT(ORR_MAX_ANSWER);
    orr_scaling_say(&scaling, &text);
    orr_text_puts(&text, "\n\n");
    orr_outcomes_write(params->against.count ? &scaling.before : NULL,
                       params->against.count ? &scaling.after : &scaling.before, "before > after", &text);
    return orr_terminal_print_lines(options, &text);
}
