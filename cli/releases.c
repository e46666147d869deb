/* SPDX-License-Identifier: Apache-2.0 */
/* `orrery settings`, and `orrery releases`: each release with what distinguishes it, for people; --json gives the whole
 * table. */
#include "cli/terminal.h"
#include "engine/report/answers_text.h"
#include "engine/trials/settings_tried.h"

int orr_command_releases(const struct orr_options *options)
{
    struct orr_json json = {0};
    struct orr_error err = {0};
    const struct orr_params *params = &options->params;
    const struct orr_release *only = orr_given(params, ORR_ASK_RELEASE) ? params->query.settings.release : NULL;
    if (options->json)
        return orr_print_json(&json, orr_releases_json(&json, only), true);
    struct orr_text text = ORR_TEXT(ORR_MAX_ANSWER);
    ORR_LOCAL_ARENA(arena, 0);
    enum orr_code code = arena ? orr_report_releases(only, arena, &text, &err) : orr_fail_nomem(&err);
    if (code == ORR_OK)
        return orr_terminal_print_lines(options, &text);
    orr_text_release(&text);
    return orr_report(NULL, &err);
}

/* Those that help on a machine. */
static int settings_for(const struct orr_options *options)
{
    ORR_LOCAL_STRUCT(orr_question, question);
    struct orr_json json = {0};
    struct orr_error err = {0};
    struct orr_outcomes now;
    ORR_LOCAL_ARENA(arena, 0);
    ORR_EXIT_TRY(orr_question_read(options, true, &question));
    struct orr_settings_tried *tried = arena ? ORR_NEW(arena, struct orr_settings_tried, 1) : NULL;
    enum orr_code code = tried ? ORR_OK : orr_fail_nomem(&err);
    if (code == ORR_OK) {
        orr_outcomes_choose(question.analysis, NULL, 0, &now);
        code = orr_settings_try(question.analysis, &now, tried, &err);
    }
    if (code != ORR_OK)
        return orr_report(question.name, &err);
    if (options->json)
        return orr_print_json(&json, orr_settings_tried_json(&json, tried, question.analysis, question.name), true);
    struct orr_text text = ORR_TEXT(ORR_MAX_ANSWER);
    orr_settings_tried_write(tried, &text);
    return orr_terminal_print_lines(options, &text);
}

int orr_command_settings(const struct orr_options *options)
{
    struct orr_json json = {0};
    if (options->file || options->params.machine || options->cluster)
        return settings_for(options);
    const struct orr_release *release = options->params.query.settings.release;
    if (options->json)
        return orr_print_json(&json, orr_settings_json(&json, release), true);
    struct orr_text text = ORR_TEXT(ORR_MAX_ANSWER);
    orr_report_settings(release, &text);
    return orr_terminal_print_lines(options, &text);
}
