/* SPDX-License-Identifier: Apache-2.0 */
/* Tries the candidates of a decision (candidates.c), each by one further analysis. */
#include <stdio.h>
#include <string.h>

#include "engine/cluster/again.h"
#include "engine/explain/explainer.h"
#include "engine/search/memo.h"

struct tried {
    struct orr_explainer *e;
    struct orr_trials trials;
    struct orr_facts facts; /* facts of the unchanged analysis; none until computed */
};

/* Whether a value is the one in force already, given or by default. */
static bool is_same(const struct orr_query *a, const struct orr_query *b, enum orr_setting setting)
{
    const struct orr_setting_info *info = orr_setting_info(setting);
    if (info->kind != ORR_SETTING_TEXT)
        return orr_setting_int(&a->settings, setting) == orr_setting_int(&b->settings, setting);
    return orr_setting_texts_equal(&a->settings, &b->settings, setting);
}

static bool was_tried(const struct orr_explanation *out, const char *name, const char *value)
{
    for (uint32_t i = 0; i < out->what_if_count; i++)
        if (!strcmp(out->what_ifs[i].name, name) && !strcmp(out->what_ifs[i].value, value))
            return true;
    return false;
}

/* The decision in another analysis. */
static enum orr_code verdict_there(struct orr_explainer *e, const struct orr_analysis *there, const char **ret_verdict,
                                   struct orr_error *err)
{
    struct orr_explainer other = {
        .a = there, .why = e->why, .row = e->row, .arena = e->arena, .part = &there->parts[0]};
    struct orr_error missing = {0};
    enum orr_code code = e->row->find(&other, &missing);
    if (code == ORR_NOMEM)
        return orr_fail_nomem(err);
    *ret_verdict = code == ORR_OK ? e->row->verdict(&other) : orr_tell(e, "none: %s", missing.text);
    return ORR_OK;
}

/* The verdict with the setting, and what else changes. */
static enum orr_code judge(struct tried *tried, const struct orr_analysis *other, struct orr_what_if *row,
                           struct orr_error *err)
{
    struct orr_explainer *e = tried->e;
    ORR_LOCAL_ARENA(scratch, 0);
    struct orr_changes changes;
    ORR_TRY(verdict_there(e, other, &row->then, err));
    if (!tried->facts.count)
        ORR_TRY(orr_facts_of(e->a, e->arena, &tried->facts, err));
    ORR_TRY(orr_changes_from(e->a, &tried->facts, other, (struct orr_effort){0, 0}, scratch, &changes, err));
    ORR_NEED(orr_pick_consequences(&changes, e->arena, row), err);
    row->changes = strcmp(row->then, e->out->verdict) != 0;
    return ORR_OK;
}

/* Tries one value; "" means the default. Skips a setting that the release does not have, a value that is already in
 * force, and one that was tried before. */
static enum orr_code try_value(struct tried *tried, enum orr_setting setting, const char *value, struct orr_error *err)
{
    struct orr_explainer *e = tried->e;
    struct orr_explanation *out = e->out;
    struct orr_query query = e->a->query;
    const char *name = orr_setting_name(setting);
    struct orr_error refused;
    ORR_LOCAL_AGAIN(other);
    if (!orr_setting_in(setting, query.settings.release) || was_tried(out, name, value))
        return ORR_OK;
    ORR_TRY(orr_settings_set(&query.settings, name, value, err));
    if (is_same(&query, &e->a->query, setting))
        return ORR_OK;
    if (out->what_if_count == ORR_MOST_WHAT_IFS || !orr_trials_may_go_on(&tried->trials)) {
        out->not_tried++;
        return ORR_OK;
    }
    struct orr_what_if *row = &out->what_ifs[out->what_if_count++];
    *row = (struct orr_what_if){.name = name, .value = value, .was = orr_setting_now(e, setting)};
    ORR_TRY(orr_trials_analyze(&tried->trials, e->a, NULL, &query, &other, &refused, err));
    if (!other) {
        row->refused = row->changes = true;
        row->then = orr_tell(e, "refused: %s", refused.text);
        return ORR_OK;
    }
    return judge(tried, other, row, err);
}

/* Tries the default of each given setting that affects the decision, then the candidates. */
static enum orr_code try_all(struct tried *tried, struct orr_error *err)
{
    struct orr_explainer *e = tried->e;
    const char *values[ORR_CANDIDATE_VALUES];
    enum orr_setting setting;
    unsigned count;
    for (uint32_t i = 0; i < orr_behaviour_count(); i++) {
        struct orr_behaviour row;
        orr_behaviour_get(i, &row);
        if (row.kind == ORR_BEHAVIOUR_SETTING && (row.bears & e->row->bears) &&
            e->a->query.settings.values[row.setting].given)
            ORR_TRY(try_value(tried, row.setting, "", err));
    }
    for (unsigned i = 0; orr_candidate(e, i, &setting, values, &count); i++)
        for (unsigned v = 0; v < count; v++)
            ORR_TRY(try_value(tried, setting, values[v], err));
    return ORR_OK;
}

/* Puts rows that change the verdict first; otherwise the order of trying stays. */
static void put_changing_first(struct orr_explanation *out)
{
    for (uint32_t i = 1; i < out->what_if_count; i++)
        for (uint32_t k = i; k > 0 && out->what_ifs[k].changes && !out->what_ifs[k - 1].changes; k--) {
            struct orr_what_if row = out->what_ifs[k];
            out->what_ifs[k] = out->what_ifs[k - 1];
            out->what_ifs[k - 1] = row;
        }
}

enum orr_code orr_try_settings(struct orr_explainer *e, struct orr_effort most, struct orr_error *err)
{
    enum { MEMO_BYTES = 8 << 20 };
    struct tried tried = {.e = e, .trials = {.left = most, .memo = orr_search_memo_new(MEMO_BYTES)}};
    enum orr_code code = try_all(&tried, err);
    orr_search_memo_free(tried.trials.memo);
    ORR_TRY(code);
    put_changing_first(e->out);
    return orr_arena_starved(e->arena) ? orr_fail_nomem(err) : ORR_OK;
}
