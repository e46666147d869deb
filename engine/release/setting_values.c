/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the texts of settings that users give, and reads them like NCCL. */
#include "engine/base/words.h"
#include "engine/release/settings.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    uint16_t at, size;
} text_rooms[ORR_SETTING_COUNT] = {
#define ORR_SETTING_ROW(symbol, room, ...)                                                                             \
    [ORR_SET_##symbol] = {offsetof(struct orr_setting_texts, symbol), ORR_ROOM_FOR_##room},
#include "engine/release/settings.def"
};

void orr_settings_init(struct orr_settings *settings, const struct orr_release *release)
{
    memset(settings, 0, sizeof *settings);
    settings->release = release;
    for (int i = 0; i < ORR_SETTING_COUNT; i++)
        settings->values[i].number = orr_setting_default((enum orr_setting)i, release);
}

enum orr_code orr_settings_for(struct orr_settings *settings, const struct orr_release *release,
                               const struct orr_settings *given, struct orr_error *err)
{
    orr_settings_init(settings, release);
    settings->fuse_nics = given->fuse_nics;
    settings->windows = given->windows;
    settings->tuner = given->tuner;
    settings->gpus = given->gpus;
    settings->nics = given->nics;
    settings->pasted = given->pasted;
    for (int i = 0; i < ORR_SETTING_COUNT; i++)
        if (given->values[i].given)
            ORR_TRY(orr_settings_set(settings, orr_setting_name((enum orr_setting)i),
                                     orr_setting_text(given, (enum orr_setting)i), err));
    for (int i = 0; i < ORR_SETTING_COUNT; i++)
        settings->values[i].emptied = given->values[i].emptied;
    return ORR_OK;
}

enum orr_code orr_settings_keep(struct orr_settings *settings, struct orr_arena *arena, struct orr_error *err)
{
    const char **texts[] = {&settings->tuner, &settings->gpus, &settings->nics};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (*texts[i] && !(*texts[i] = orr_arena_strndup(arena, *texts[i], strlen(*texts[i]))))
            return orr_fail_nomem(err);
    return ORR_OK;
}

static char *text_of(struct orr_settings *settings, enum orr_setting setting)
{
    return (char *)&settings->texts + text_rooms[setting].at;
}

void orr_settings_take(struct orr_settings *settings, enum orr_setting setting, const struct orr_settings *from)
{
    settings->values[setting] = from->values[setting];
    memcpy(text_of(settings, setting), (const char *)&from->texts + text_rooms[setting].at, text_rooms[setting].size);
}

const char *orr_setting_text(const struct orr_settings *settings, enum orr_setting setting)
{
    return settings->values[setting].given ? (const char *)&settings->texts + text_rooms[setting].at : NULL;
}

bool orr_setting_texts_equal(const struct orr_settings *a, const struct orr_settings *b, enum orr_setting setting)
{
    const char *x = orr_setting_text(a, setting), *y = orr_setting_text(b, setting);
    return x && y ? !strcmp(x, y) : x == y;
}

ORR_WORD_LIST(orr_fuse_word, size_t, ORR_FUSE_MAP(ORR_SECOND_OF))

ORR_WORD_LIST(orr_windows_word, size_t, ORR_WINDOWS_MAP(ORR_SECOND_OF))

/* A level in NCCL's reading: a type name of the release up to SYS, or a number of the old scale; -1 means not given.
 * NCCL limits a number only upwards. A number that is negative in 32 bits reads before the table of the scale: the
 * entry just before it is LOC, too, and those farther away are unknown. */
static enum orr_code read_level(const char *name, const char *text, const struct orr_release *release,
                                int64_t *ret_level, struct orr_error *err)
{
    static const uint8_t old_scale[] = {ORR_PATH_LOC, ORR_PATH_PIX, ORR_PATH_PXB, ORR_PATH_PHB, ORR_PATH_SYS};
    *ret_level = -1;
    for (uint32_t i = 0; i < release->path_type_count && release->path_types[i] <= ORR_PATH_SYS; i++)
        if (!strcmp(text, orr_path_type_name((enum orr_path_type)release->path_types[i])))
            *ret_level = release->path_types[i];
    if (*ret_level >= 0 || !isdigit((unsigned char)text[0]))
        return ORR_OK;
    int32_t value = (int32_t)(uint32_t)(uint64_t)strtol(text, NULL, 0); /* kept in an int */
    if (value < -1) {
        orr_fail(err, ORR_SETTING, "NCCL crashes with %.64s=%.40s, which it keeps as %d", name, text, (int)value);
        orr_error_where(err, "%.64s", name);
        orr_error_advice(err, "give a path type, such as PHB");
        return ORR_SETTING;
    }
    *ret_level = old_scale[value < 0 ? 0 : value > 4 ? 4 : value];
    return ORR_OK;
}

/* The number of letters that two names share at their ends: enough to guess what was meant. */
static size_t likeness(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b), head = 0, tail = 0;
    while (head < la && head < lb && toupper((unsigned char)a[head]) == b[head])
        head++;
    while (tail < la - head && tail < lb - head && toupper((unsigned char)a[la - 1 - tail]) == b[lb - 1 - tail])
        tail++;
    return head + tail;
}

static enum orr_code unknown_name(const char *name, struct orr_error *err)
{
    size_t best = 0;
    int nearest = 0;
    for (int i = 0; i < ORR_SETTING_COUNT; i++) {
        size_t score = likeness(name, orr_setting_name((enum orr_setting)i));
        if (score > best) {
            best = score;
            nearest = i;
        }
    }
    orr_fail(err, ORR_SETTING, "no setting named %.64s changes what Orrery computes", name);
    orr_error_where(err, "%.64s", name);
    orr_error_advice(err, "the nearest name is %s; `orrery settings` lists all",
                     orr_setting_name((enum orr_setting)nearest));
    return ORR_SETTING;
}

enum orr_code orr_settings_set(struct orr_settings *settings, const char *name, const char *value,
                               struct orr_error *err)
{
    enum orr_setting setting;
    if (!orr_setting_find(name, &setting))
        return unknown_name(name, err);
    const struct orr_setting_info *info = orr_setting_info(setting);
    size_t length = strlen(value);
    struct orr_setting_value *slot = &settings->values[setting];
    if (length >= text_rooms[setting].size)
        return orr_fail_with(err, ORR_SETTING, name, NULL, "the value of %s has %zu characters, more than %d", name,
                             length, text_rooms[setting].size - 1);
    memset(slot, 0, sizeof *slot);
    slot->number = orr_setting_default(setting, settings->release);
    if (!length && !info->empty_is_value) {
        slot->emptied = true;
        return ORR_OK;
    }
    slot->given = true;
    memcpy(text_of(settings, setting), value, length + 1);
    if (!orr_setting_in(setting, settings->release))
        return ORR_OK; /* a release ignores variables that it does not know */
    if (info->kind == ORR_SETTING_LEVEL) {
        ORR_TRY(read_level(name, value, settings->release, &slot->number, err));
    } else if (info->kind == ORR_SETTING_INT) {
        errno = 0;
        int64_t number = strtoll(value, NULL, 0);
        /* ORR_SETTING_UNSET is a number that users can give. It is replaced by a number with the same sign and low 32
         * bits, because NCCL uses nothing else of it. */
        if (errno != ERANGE)
            slot->number = number == ORR_SETTING_UNSET ? number + ((int64_t)1 << 32) : number;
    }
    return ORR_OK;
}
