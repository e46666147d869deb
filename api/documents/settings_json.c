/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of a release: default, values, and what Orrery does about each. */
#include "api/documents/json.h"
#include "engine/release/settings.h"

json_t *orr_settings_json(struct orr_json *json, const struct orr_release *release)
{
    static const char *const kinds[] = {
        [ORR_SETTING_INT] = "integer", [ORR_SETTING_LEVEL] = "level", [ORR_SETTING_TEXT] = "text"};
    json_t *rows = orr_json_array(json);
    for (int i = 0; i < ORR_SETTING_COUNT; i++) {
        struct orr_setting_info info;
        struct orr_setting_words words;
        json_t *row = orr_json_object(json);
        if (!orr_setting_in((enum orr_setting)i, release)) {
            json_decref(row);
            continue;
        }
        orr_setting_info((enum orr_setting)i, &info);
        int64_t number = orr_setting_default((enum orr_setting)i, release);
        bool has_number = info.kind == ORR_SETTING_INT && number != ORR_SETTING_UNSET;
        ORR_SET(json, row, TEXT("name", info.name), TEXT("kind", kinds[info.kind]),
                VALUE("default", has_number ? orr_json_int(json, number) : json_null()));
        orr_setting_words((enum orr_setting)i, release, &words);
        ORR_SET(json, row, TEXT("default_text", *words.standard ? words.standard : NULL), TEXT("values", words.values),
                TEXT("outside", words.outside), TEXT("meaning", info.meaning));
        orr_json_add(json, rows, row);
    }
    return ORR_OBJECT(json, TEXT("release", release->name), VALUE("settings", rows));
}
