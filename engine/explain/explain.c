/* SPDX-License-Identifier: Apache-2.0 */
/* From a question to an explanation: find the subject, give the answer with its rule, then try settings. */
#include "engine/explain/explain.h"

#include <string.h>

#include "engine/base/budget.h"
#include "engine/explain/assumptions.h"
#include "engine/explain/explainer.h"
#include "engine/release/behaviours.h"
#include "engine/release/release_names.h"

enum { MOST_TEXT = 4096 };

static enum orr_code value_in(struct orr_explainer *e, const struct orr_behaviour *row,
                              const struct orr_release *release, const char **ret_text, struct orr_error *err)
{
    struct orr_value value;
    ORR_LOCAL_TEXT(text, MOST_TEXT);
    ORR_TRY(orr_behaviour_value(row, release, e->arena, &value, err));
    orr_value_write(row, &value, &text);
    *ret_text = orr_text_copy(&text, e->arena);
    ORR_NEED(*ret_text, err);
    return ORR_OK;
}

/* Adds a field of the release's row, with its value and the oldest release from which on it has this value. */
static enum orr_code tell_rest(struct orr_explainer *e, const struct orr_behaviour *row, struct orr_error *err)
{
    uint32_t count;
    const struct orr_release *own = e->a->query.settings.release, *releases = orr_releases(&count);
    struct orr_rests *rests = &e->out->rests[e->out->rests_count++];
    *rests = (struct orr_rests){.name = row->name, .sentence = row->sentence};
    ORR_TRY(value_in(e, row, own, &rests->value, err));
    for (uint32_t i = 0; i < count && strcmp(releases[i].name, own->name) != 0; i++) {
        const char *there;
        ORR_TRY(value_in(e, row, &releases[i], &there, err));
        if (strcmp(there, rests->value) != 0)
            rests->since = NULL;
        else if (!rests->since)
            rests->since = releases[i].name;
    }
    if (!rests->since)
        rests->since = own->name;
    return ORR_OK;
}

/* Adds the fields of the release's row that the rule reads. */
static enum orr_code tell_rests(struct orr_explainer *e, const char *const names[4], struct orr_error *err)
{
    for (uint32_t i = 0; i < orr_behaviour_count(); i++) {
        struct orr_behaviour row;
        bool wanted = false;
        orr_behaviour_get(i, &row);
        for (int n = 0; n < 4 && names[n]; n++)
            wanted = wanted || !strcmp(names[n], row.name);
        if (wanted && e->out->rests_count < ORR_MOST_RESTS)
            ORR_TRY(tell_rest(e, &row, err));
    }
    return ORR_OK;
}

struct orr_effort orr_explain_effort(const struct orr_analysis *analysis)
{
    enum { MOST_ANALYSES = 16 };
    return (struct orr_effort){.analyses = MOST_ANALYSES, .steps = orr_changes_effort(analysis).steps};
}

static enum orr_code explain(struct orr_explainer *e, struct orr_effort most, struct orr_error *err)
{
    const struct orr_kind_row *row = e->row;
    struct orr_explanation *out = e->out;
    const struct orr_assumption *assumption;
    orr_budget_stage("explanation");
    ORR_TRY(row->find(e, err));
    out->verdict = row->verdict(e);
    ORR_TRY(row->explain(e, err));
    out->answer = orr_tell(e, "%s%s", out->answer, orr_note_inputs(e, row->touched));
    for (unsigned i = 0; (assumption = orr_assumption(i)); i++)
        if ((assumption->kinds >> e->why->kind & 1) && assumption->applies(e->a))
            out->assumes |= 1u << i;
    if (most.analyses) {
        orr_budget_task("trying settings for the explanation");
        ORR_TRY(tell_rests(e, row->rests, err));
        ORR_TRY(orr_try_settings(e, most, err));
        if (!out->advice)
            out->advice = orr_advise(e);
    }
    return orr_arena_starved(e->arena) ? orr_fail_nomem(err) : ORR_OK;
}

enum orr_code orr_explain(const struct orr_analysis *analysis, const struct orr_why *why, struct orr_effort most,
                          struct orr_explanation **ret_explanation, struct orr_error *err)
{
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_explanation *out = ORR_NEW(arena, struct orr_explanation, 1);
    ORR_NEED(out, err);
    out->kind = why->kind;
    out->release = analysis->query.settings.release;
    out->nearest_to = orr_settings_nearest(&analysis->query.settings) ? analysis->query.settings.asked : 0;
    struct orr_explainer e = {.a = analysis,
                              .why = why,
                              .row = &orr_kind_rows[why->kind],
                              .arena = arena,
                              .part = &analysis->parts[0],
                              .out = out};
    const char *task = orr_budget_task(NULL);
    enum orr_code code = explain(&e, most, err);
    orr_budget_task(task);
    ORR_TRY(code);
    out->arena = orr_arena_take(&arena);
    *ret_explanation = out;
    return ORR_OK;
}

void orr_explanation_free(struct orr_explanation *explanation)
{
    if (explanation)
        orr_arena_free(explanation->arena);
}
