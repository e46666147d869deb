/* SPDX-License-Identifier: Apache-2.0 */
/* orrery explain: explains one decision. */
#include <stdio.h>

#include "cli/terminal.h"
#include "engine/report/answers_text.h"

static void list_decisions(void)
{
    fprintf(stderr, "orrery explain: say which decision: --why NAME, where NAME is\n");
    for (int kind = 0; kind < ORR_WHY_COUNT; kind++) {
        struct orr_why_info info;
        orr_why_info((enum orr_why_kind)kind, &info);
        fprintf(stderr, "  %-10s %s%s%s%s%s%s\n", info.name, info.asks, info.needs & ORR_NEEDS_FROM ? " --from" : "",
                info.needs & ORR_NEEDS_TO ? " --to" : "", info.needs & ORR_NEEDS_GRAPH ? " --graph" : "",
                info.needs & ORR_NEEDS_CHANNEL ? " --channel" : "",
                info.needs & ORR_NEEDS_COLLECTIVE ? " --collective --bytes" : "");
    }
}

int orr_command_explain(const struct orr_options *options)
{
    ORR_LOCAL_STRUCT(orr_question, question);
    struct orr_error err = {0};
    ORR_LOCAL(orr_explanation, explanation);
    struct orr_json json = {0};
    struct orr_text text;
    struct orr_page page;
    struct orr_why why;
    if (orr_params_why(&options->params, &why, &err) != ORR_OK) {
        list_decisions();
        return ORR_EXIT_USAGE;
    }
    ORR_EXIT_TRY(orr_question_read(options, options->cluster, &question)); /* a plan will do: no ring is explained */
    if (orr_explain(question.analysis, &why, orr_explain_effort(question.analysis), &explanation, &err) != ORR_OK)
        return orr_report(question.name, &err);
    if (options->json)
        return orr_print_json(&json, orr_explanation_json(&json, explanation, orr_base_name(question.name)), true);
    orr_terminal_lines(options, &text, &page);
    orr_report_explanation(&page, explanation, options->verbose);
    return orr_terminal_print(&text);
}
