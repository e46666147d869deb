#include "engine/whatif/trials.h"

#include <stdio.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/cluster/again.h"
#include "engine/release/behaviours.h"

static const char *keep(struct orr_arena *arena, const char *text)
{
    return orr_arena_strndup(arena, text, strlen(text));
}

const char *orr_setting_in_force(const struct orr_settings *settings, enum orr_setting setting, struct orr_arena *arena)
{
    struct orr_setting_words words;
    const char *given = orr_setting_text(settings, setting);
    if (given)
        return given;
    orr_setting_words(setting, settings->release, &words);
    return *words.standard ? keep(arena, words.standard) : "not set";
}

/* Whether a value is the one in force already, given or by default. */
static bool is_same(const struct orr_query *a, const struct orr_query *b, enum orr_setting setting)
{
    struct orr_setting_info info;
    orr_setting_info(setting, &info);
    if (info.kind != ORR_SETTING_TEXT)
        return orr_setting_int(&a->settings, setting) == orr_setting_int(&b->settings, setting);
    return orr_setting_texts_equal(&a->settings, &b->settings, setting);
}

static bool was_tried(const struct orr_trials *trials, const char *name, const char *value)
{
    for (uint32_t i = 0; i < trials->count; i++)
        if (!strcmp(trials->rows[i].name, name) && !strcmp(trials->rows[i].value, value))
            return true;
    return false;
}

/* The verdict with the setting, and what else changes. */
static enum orr_code judge(struct orr_trials *trials, const struct orr_analysis *other, struct orr_what_if *row,
                           struct orr_error *err)
{
    ORR_LOCAL_ARENA(scratch, 0);
    struct orr_changes changes;
    uint64_t steps = orr_analysis_steps(other);
    trials->left.steps = trials->left.steps > steps ? trials->left.steps - steps : 0;
    ORR_TRY(trials->judge(trials->context, other, &row->then, err));
    if (!trials->facts.count)
        ORR_TRY(orr_facts_of(trials->analysis, trials->arena, &trials->facts, err));
    ORR_TRY(
        orr_changes_from(trials->analysis, &trials->facts, other, (struct orr_effort){0, 0}, scratch, &changes, err));
    ORR_NEED(orr_pick_consequences(&changes, trials->arena, row), err);
    row->changes = strcmp(row->then, trials->verdict) != 0;
    return ORR_OK;
}

static enum orr_code refuse(struct orr_trials *trials, const struct orr_error *why, struct orr_what_if *row,
                            struct orr_error *err)
{
    char text[sizeof why->text + 16];
    snprintf(text, sizeof text, "refused: %s", why->text);
    row->refused = row->changes = true;
    row->then = keep(trials->arena, text);
    return row->then ? ORR_OK : orr_fail_nomem(err);
}

enum orr_code orr_try_setting(struct orr_trials *trials, enum orr_setting setting, const char *value,
                              struct orr_error *err)
{
    const struct orr_query *now = &trials->analysis->query;
    struct orr_query query = *now;
    query.memo = trials->memo;
    struct orr_setting_info info;
    struct orr_error own = {0};
    struct orr_analysis *other = NULL;
    orr_setting_info(setting, &info);
    if (!orr_setting_in(setting, query.settings.release) || was_tried(trials, info.name, value))
        return ORR_OK;
    ORR_TRY(orr_settings_set(&query.settings, info.name, value, err));
    if (is_same(&query, now, setting))
        return ORR_OK;
    if (trials->count == ORR_MOST_WHAT_IFS || !trials->left.analyses || !trials->left.steps) {
        trials->not_tried++;
        return ORR_OK;
    }
    ORR_TRY(orr_budget_check(err));
    trials->left.analyses--;
    struct orr_what_if *row = &trials->rows[trials->count++];
    *row = (struct orr_what_if){
        .name = info.name, .value = value, .was = orr_setting_in_force(&now->settings, setting, trials->arena)};
    ORR_NEED(row->was, err);
    enum orr_code code = orr_analyze_again(trials->analysis, &query, &other, &own);
    if (code == ORR_OK) {
        code = judge(trials, other, row, err);
        orr_analysis_again_free(other);
        return code;
    }
    ORR_TRY(orr_budget_check(err)); /* a trial that was ended is not one that is refused */
    return code == ORR_NOMEM ? orr_fail_nomem(err) : refuse(trials, &own, row, err);
}

enum orr_code orr_try_defaults(struct orr_trials *trials, unsigned bears, struct orr_error *err)
{
    for (uint32_t i = 0; i < orr_behaviour_count(); i++) {
        struct orr_behaviour row;
        orr_behaviour_get(i, &row);
        if (row.kind == ORR_BEHAVIOUR_SETTING && (row.bears & bears) &&
            trials->analysis->query.settings.values[row.setting].given)
            ORR_TRY(orr_try_setting(trials, row.setting, "", err));
    }
    return ORR_OK;
}

void orr_trials_order(struct orr_trials *trials)
{
    for (uint32_t i = 1; i < trials->count; i++)
        for (uint32_t k = i; k > 0 && trials->rows[k].changes && !trials->rows[k - 1].changes; k--) {
            struct orr_what_if row = trials->rows[k];
            trials->rows[k] = trials->rows[k - 1];
            trials->rows[k - 1] = row;
        }
}
