/* SPDX-License-Identifier: Apache-2.0 */
/* `orrery settings`, and `orrery releases`: each release with what distinguishes it, for people; --json gives the whole
 * table. */
#include "cli/options.h"
#include "engine/report/tables_text.h"

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
        return orr_write_text(&text);
    orr_text_release(&text);
    return orr_report(NULL, &err);
}

int orr_command_settings(const struct orr_options *options)
{
    struct orr_json json = {0};
    const struct orr_release *release = options->params.query.settings.release;
    if (options->json)
        return orr_print_json(&json, orr_settings_json(&json, release), true);
    struct orr_text text = ORR_TEXT(ORR_MAX_ANSWER);
    orr_report_settings(release, &text);
    return orr_write_text(&text);
}
