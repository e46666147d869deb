/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of a release: default, values, and Orrery's treatment of each. */
#include <stdio.h>
#include <string.h>

#include "api/documents/documents.h"
#include "api/documents/sections.h"
#include "engine/release/settings.h"
#include "engine/trials/settings_tried.h"

json_t *orr_settings_json(struct orr_json *json, const struct orr_release *release)
{
    static const char *const kinds[] = {
        [ORR_SETTING_INT] = "integer", [ORR_SETTING_LEVEL] = "level", [ORR_SETTING_TEXT] = "text"};
    json_t *rows = orr_json_array(json);
    for (int i = 0; i < ORR_SETTING_COUNT; i++) {
        json_t *row = orr_json_object(json);
        if (!orr_setting_in((enum orr_setting)i, release)) {
            json_decref(row);
            continue;
        }
        const struct orr_setting_info *info = orr_setting_info((enum orr_setting)i);
        int64_t number = orr_setting_default((enum orr_setting)i, release);
        bool has_number = info->kind == ORR_SETTING_INT && number != ORR_SETTING_UNSET;
        ORR_SET(json, row, ORR_STRING("name", info->name), ORR_STRING("kind", kinds[info->kind]),
                ORR_VALUE("default", has_number ? orr_json_int(json, number) : json_null()));
        const struct orr_setting_words words = orr_setting_words((enum orr_setting)i, release);
        ORR_SET(json, row, ORR_STRING("default_text", *words.standard ? words.standard : NULL),
                ORR_STRING("values", words.values), ORR_STRING("outside", words.outside),
                ORR_STRING("meaning", info->meaning));
        orr_json_add(json, rows, row);
    }
    return ORR_OBJECT(json, ORR_STRING("release", release->name), ORR_VALUE("settings", rows));
}

static json_t *effect_json(struct orr_json *json, const struct orr_tried_effect *effect)
{
    if (!effect->hosts)
        return json_null();
    return ORR_OBJECT(json, ORR_STRING("collective", orr_test_programs[orr_outcome_tests[effect->test]].name),
                      ORR_INT("size", (int64_t)orr_outcome_sizes[effect->size]), ORR_INT("hosts", effect->hosts),
                      ORR_NUMBER("before", effect->before),
                      ORR_VALUE("after", effect->after > 0 ? orr_json_number(json, effect->after) : json_null()),
                      ORR_VALUE("change", effect->after > 0
                                              ? orr_json_number(json, orr_outcome_change(effect->before, effect->after))
                                              : json_null()));
}

/* "A=1 B=2" as {"A": "1", "B": "2"}. */
static json_t *pairs_json(struct orr_json *json, const char *settings)
{
    json_t *object = orr_json_object(json);
    char text[ORR_TRIED_TEXT], *rest = text, *pair;
    snprintf(text, sizeof text, "%s", settings);
    while ((pair = strsep(&rest, " "))) {
        char *value = strchr(pair, '=');
        if (!value)
            continue;
        *value++ = 0;
        orr_json_set(json, object, pair, orr_json_text(json, value));
    }
    return object;
}

json_t *orr_settings_tried_json(struct orr_json *json, const struct orr_settings_tried *tried,
                                const struct orr_analysis *analysis, const char *name)
{
    json_t *rows = orr_json_array(json);
    for (uint32_t i = 0; i < tried->count; i++) {
        const struct orr_tried *row = &tried->rows[i];
        ORR_LOCAL_TEXT(text, 1024);
        orr_tried_say(tried, i, &text);
        orr_json_add(json, rows,
                     ORR_OBJECT(json, ORR_VALUE("settings", pairs_json(json, row->settings)),
                                ORR_VALUE("sentence", orr_json_text_of(json, &text)),
                                ORR_BOOL("helps", i < tried->helping), ORR_INT("gains", row->gains),
                                ORR_INT("harms", row->harms), ORR_VALUE("gain", effect_json(json, &row->gain)),
                                ORR_VALUE("harm", effect_json(json, &row->harm)),
                                ORR_VALUE("outcomes", orr_outcomes_json(json, &tried->now, &row->outcomes))));
    }
    return ORR_OBJECT(json, ORR_STRING("topology", name), ORR_STRING("release", analysis->query.settings.release->name),
                      ORR_INT("tried", tried->tried), ORR_BOOL("complete", tried->all),
                      ORR_INT("helping", tried->helping), ORR_VALUE("settings", rows),
                      ORR_VALUE("outcomes", orr_outcomes_json(json, &tried->now, &tried->now)),
                      ORR_VALUE("assumed", orr_assumed_json(json, analysis->given, &analysis->query.settings, true)));
}
