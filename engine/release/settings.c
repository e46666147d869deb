/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/release/settings.h"

#include <string.h>

#include "engine/release/behaviours.h"

/* The kinds of settings.def. */
#define ORR_INT(default_, values_, meaning_)                                                                           \
    .kind = ORR_SETTING_INT, .default_value = (default_), .values = (values_), .meaning = (meaning_)
#define ORR_AUTO(default_text_, values_, meaning_)                                                                     \
    .kind = ORR_SETTING_INT, .default_value = ORR_SETTING_UNSET, .default_text = (default_text_), .values = (values_), \
    .meaning = (meaning_)
#define ORR_LEVEL(default_text_, meaning_)                                                                             \
    .kind = ORR_SETTING_LEVEL, .default_value = -1, .default_text = (default_text_), .values = "{levels}, or 0 to 4",  \
    .meaning = (meaning_)
#define ORR_STRING(default_text_, values_, meaning_)                                                                   \
    .kind = ORR_SETTING_TEXT, .default_value = -1, .default_text = (default_text_), .values = (values_),               \
    .meaning = (meaning_)
#define ORR_BEARS(part) ORR_BEARS_##part

/* How NCCL treats values that a row does not name. A number beyond 64 bits, or -9223372036854775808, is treated as not
 * given, and NCCL says so in its log. */
#define AS_0            "other numbers count as 0"
#define AS_1            "other numbers count as 1"
#define AS_2            "other numbers count as 2"
#define NOT_MINUS_2     "; -2: as if not given"
#define CLAMPED         "kept in 32 bits, then clamped to 1, or 0, and the channel limit of the release" NOT_MINUS_2
#define CLAMPED_P2P     "kept in 32 bits, then clamped to 1 and the channel limit of the release"
#define IGNORED_CLAMPED "kept in 32 bits; 0 and below: as if not given; above the channel limit of the release: clamped"
#define LEVELS          "kept in 32 bits; above 4: 4, -1: 0, below: NCCL crashes; other names: as if not given"
#define ANY             "any 64-bit number"
#define NOTHING         "no value changes the analysis"

static const struct orr_setting_info rows[ORR_SETTING_COUNT] = {
#define ORR_SETTING_ROW(symbol, room, ...)                                                                             \
    [ORR_SET_##symbol] = {.id = ORR_SET_##symbol, .name = "NCCL_" #symbol, __VA_ARGS__},
#include "engine/release/settings.def"
};

const struct orr_setting_info *orr_setting_info(enum orr_setting setting)
{
    return &rows[setting];
}

const char *orr_setting_name(enum orr_setting setting)
{
    return rows[setting].name;
}

bool orr_setting_find(const char *name, enum orr_setting *ret_setting)
{
    for (int i = 0; i < ORR_SETTING_COUNT; i++)
        if (!strcmp(rows[i].name, name)) {
            *ret_setting = (enum orr_setting)i;
            return true;
        }
    return false;
}

int64_t orr_setting_default(enum orr_setting setting, const struct orr_release *release)
{
    const struct orr_setting_info *row = &rows[setting];
    return row->changed && release->version >= row->changed ? row->changed_default : row->default_value;
}

bool orr_setting_in(enum orr_setting setting, const struct orr_release *release)
{
    return release->version >= rows[setting].since;
}
