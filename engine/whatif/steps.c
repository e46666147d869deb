/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/whatif/steps.h"

#include <stdio.h>
#include <string.h>

/* Compares values in force: releases may differ in a default that the question sets anyway. */
static bool same_value(const struct orr_settings *a, const struct orr_settings *b, enum orr_setting setting)
{
    return orr_setting_int(a, setting) == orr_setting_int(b, setting) && orr_setting_texts_equal(a, b, setting);
}

static enum orr_code setting_text(const struct orr_settings *settings, enum orr_setting setting,
                                  struct orr_arena *arena, const char **ret_text, struct orr_error *err)
{
    const struct orr_setting_value *value = &settings->values[setting];
    char number[32];
    const struct orr_setting_info *info = orr_setting_info(setting);
    const char *text = number;
    if (value->given)
        text = orr_setting_text(settings, setting);
    else if (!orr_setting_in(setting, settings->release))
        text = "not known to the release";
    else if (value->number == ORR_SETTING_UNSET || info->kind != ORR_SETTING_INT)
        text = "not set";
    else
        snprintf(number, sizeof number, "%lld", (long long)value->number);
    *ret_text = orr_arena_strndup(arena, text, strlen(text));
    return *ret_text ? ORR_OK : orr_fail_nomem(err);
}

/* A list and its length change together: the list's step includes the length. */
static const struct pair {
    enum orr_behaviour_of of;
    size_t list, length; /* offsets; a length is an uint32_t */
} pairs[] = {
    {ORR_OF_RELEASE, offsetof(struct orr_release, path_types), offsetof(struct orr_release, path_type_count)},
    {ORR_OF_TUNING, offsetof(struct orr_tuning_model, names), offsetof(struct orr_tuning_model, algorithm_count)},
};
enum { PAIR_COUNT = sizeof pairs / sizeof pairs[0], PATH_TYPES = 0 };

static const struct pair *pair_of(const struct orr_behaviour *behaviour, bool is_length)
{
    for (int i = 0; i < PAIR_COUNT; i++)
        if (behaviour->of == pairs[i].of && behaviour->offset == (is_length ? pairs[i].length : pairs[i].list))
            return &pairs[i];
    return NULL;
}

/* A budget of the search that the newer release has reduced: its step comes first. */
static bool is_smaller_budget(const struct orr_behaviour *behaviour, const struct orr_release *from,
                              const struct orr_release *to)
{
    static const size_t budgets[] = {offsetof(struct orr_release, steps_same), offsetof(struct orr_release, steps_tree),
                                     offsetof(struct orr_release, steps_other),
                                     offsetof(struct orr_release, steps_all)};
    for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++)
        if (behaviour->of == ORR_OF_RELEASE && behaviour->offset == budgets[i])
            return *(const int32_t *)(const void *)((const char *)to + budgets[i]) <
                   *(const int32_t *)(const void *)((const char *)from + budgets[i]);
    return false;
}

/* Whether no compared fact depends on a behaviour: facts of the device side are not compared. */
static bool is_aside(const struct orr_behaviour *behaviour)
{
    return behaviour->bears == ORR_BEARS_DEVICE;
}

/* New path types come first and removed ones last, so that every mixture in between has a number for all types that its
 * other rules produce. */
static enum orr_code add_behaviours(struct orr_way *way, struct orr_arena *arena, struct orr_error *err)
{
    const struct orr_release *from = way->from->settings.release, *to = way->to->settings.release;
    const struct orr_behaviour_difference *rows, *path_types = NULL;
    uint32_t count;
    bool first = to->path_type_count >= from->path_type_count;
    ORR_TRY(orr_releases_compare(to, from, arena, &rows, &count, err));
    way->steps = ORR_NEW(arena, struct orr_step, (size_t)count + ORR_SETTING_COUNT + 1);
    ORR_NEED(way->steps, err);
    for (uint32_t i = 0; i < count; i++)
        if (pair_of(&rows[i].behaviour, false) == &pairs[PATH_TYPES])
            path_types = &rows[i];
    if (path_types && first)
        way->steps[way->count++] = (struct orr_step){path_types->behaviour, path_types->before, path_types->here};
    for (int budgets = 1; budgets >= 0; budgets--)
        for (uint32_t i = 0; i < count; i++)
            if (rows[i].behaviour.kind != ORR_BEHAVIOUR_SETTING && !is_aside(&rows[i].behaviour) &&
                !pair_of(&rows[i].behaviour, true) && &rows[i] != path_types &&
                is_smaller_budget(&rows[i].behaviour, from, to) == (budgets != 0))
                way->steps[way->count++] = (struct orr_step){rows[i].behaviour, rows[i].before, rows[i].here};
    if (path_types && !first)
        way->steps[way->count++] = (struct orr_step){path_types->behaviour, path_types->before, path_types->here};
    return ORR_OK;
}

static enum orr_code add_settings(struct orr_way *way, struct orr_arena *arena, struct orr_error *err)
{
    for (uint32_t i = 0; i < orr_behaviour_count(); i++) {
        struct orr_step *step = &way->steps[way->count];
        orr_behaviour_get(i, &step->behaviour);
        enum orr_setting setting = step->behaviour.setting;
        if (step->behaviour.kind != ORR_BEHAVIOUR_SETTING || is_aside(&step->behaviour) ||
            same_value(&way->from->settings, &way->to->settings, (enum orr_setting)setting))
            continue;
        ORR_TRY(setting_text(&way->from->settings, setting, arena, &step->from, err));
        ORR_TRY(setting_text(&way->to->settings, setting, arena, &step->to, err));
        way->count++;
    }
    return ORR_OK;
}

enum orr_code orr_way_find(const struct orr_query *a, const struct orr_query *b, struct orr_arena *arena,
                           struct orr_way *ret_way, struct orr_error *err)
{
    bool reversed = orr_release_is_older(b->settings.release, a->settings.release);
    *ret_way = (struct orr_way){.from = reversed ? b : a, .to = reversed ? a : b, .reversed = reversed};
    ORR_TRY(add_behaviours(ret_way, arena, err));
    return add_settings(ret_way, arena, err);
}

static void copy_field(void *to, const void *from, const struct orr_behaviour *behaviour)
{
    const struct pair *pair = pair_of(behaviour, false);
    memcpy((char *)to + behaviour->offset, (const char *)from + behaviour->offset, behaviour->size);
    if (pair)
        memcpy((char *)to + pair->length, (const char *)from + pair->length, sizeof(uint32_t));
}

void orr_way_mix(const struct orr_way *way, uint32_t taken, struct orr_mixture *ret_mixture)
{
    const struct orr_release *target = way->to->settings.release;
    struct orr_mixture *m = ret_mixture;
    m->release = *way->from->settings.release;
    m->connect = *m->release.connect;
    m->tuning = *m->release.tuning;
    m->query = *way->from;
    for (uint32_t i = 0; i < taken; i++) {
        const struct orr_behaviour *behaviour = &way->steps[i].behaviour;
        switch (behaviour->of) {
        case ORR_OF_RELEASE:
            copy_field(&m->release, target, behaviour);
            break;
        case ORR_OF_CONNECT:
            copy_field(&m->connect, target->connect, behaviour);
            break;
        case ORR_OF_TUNING:
            copy_field(&m->tuning, target->tuning, behaviour);
            break;
        default:
            orr_settings_take(&m->query.settings, behaviour->setting, &way->to->settings);
        }
    }
    m->release.connect = &m->connect;
    m->release.tuning = &m->tuning;
    m->query.settings.release = &m->release;
}
