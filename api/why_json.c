/* One decision explained, as JSON. */
#include "api/sections.h"

#include "engine/explain/assumptions.h"
#include "engine/release/release.h"

static json_t *compared_json(struct orr_json *json, const struct orr_explanation *explanation)
{
    json_t *rows = orr_json_array(json);
    for (uint32_t i = 0; i < explanation->compared_count; i++) {
        const struct orr_compared *compared = &explanation->compared[i];
        json_t *row = orr_json_object(json);
        orr_json_set(json, row, "name", orr_json_text(json, compared->name));
        orr_json_set(json, row, "value",
                     compared->text ? orr_json_text(json, compared->text) : orr_json_number(json, compared->number));
        if (compared->unit)
            orr_json_set(json, row, "unit", orr_json_text(json, compared->unit));
        orr_json_set(json, row, "origin", orr_json_text(json, orr_origin_name(compared->from.origin)));
        if (compared->from.text)
            orr_json_set(json, row, "source", orr_json_text(json, compared->from.text));
        if (compared->internal)
            orr_json_set(json, row, "internal", json_true());
        orr_json_add(json, rows, row);
    }
    return rows;
}

static json_t *rests_json(struct orr_json *json, const struct orr_explanation *explanation)
{
    json_t *rows = orr_json_array(json);
    for (uint32_t i = 0; i < explanation->rests_count; i++) {
        const struct orr_rests *rests = &explanation->rests[i];
        json_t *row = orr_json_object(json);
        orr_json_set(json, row, "behaviour", orr_json_text(json, rests->name));
        orr_json_set(json, row, "sentence", orr_json_text(json, rests->sentence));
        orr_json_set(json, row, "value", orr_json_text(json, rests->value));
        orr_json_set(json, row, "since", orr_json_text(json, rests->since));
        orr_json_add(json, rows, row);
    }
    return rows;
}

static json_t *limit_json(struct orr_json *json, const struct orr_limit *limit)
{
    json_t *row = orr_json_object(json);
    orr_json_set(json, row, "from", orr_json_text(json, limit->from));
    orr_json_set(json, row, "to", orr_json_text(json, limit->to));
    orr_json_set(json, row, "type", orr_json_text(json, limit->type));
    orr_json_set(json, row, "bw", orr_json_number(json, (double)limit->bw));
    if (limit->used > 0)
        orr_json_set(json, row, "used", orr_json_number(json, (double)limit->used));
    orr_json_set(json, row, "text", orr_json_text(json, limit->text));
    return row;
}

static json_t *distance_json(struct orr_json *json, const struct orr_explanation *explanation)
{
    if (!explanation->distance)
        return json_null();
    json_t *row = orr_json_object(json), *sides[2] = {orr_json_object(json), orr_json_object(json)};
    orr_json_set(json, sides[0], "type", orr_json_text(json, explanation->physical_type));
    orr_json_set(json, sides[0], "bw", orr_json_number(json, (double)explanation->physical_bw));
    orr_json_set(json, sides[1], "type", orr_json_text(json, explanation->effective_type));
    orr_json_set(json, sides[1], "bw", orr_json_number(json, (double)explanation->effective_bw));
    orr_json_set(json, row, "physical", sides[0]);
    orr_json_set(json, row, "effective", sides[1]);
    orr_json_set(json, row, "text", orr_json_text(json, explanation->distance));
    return row;
}

static json_t *consequences_json(struct orr_json *json, const struct orr_what_if *what_if)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < what_if->consequence_count; i++) {
        const struct orr_consequence *consequence = &what_if->consequences[i];
        json_t *row = orr_json_object(json);
        orr_json_set(json, row, "what", orr_json_text(json, consequence->name));
        orr_json_set(json, row, "text", orr_json_text(json, consequence->text));
        if (consequence->of)
            orr_json_set(json, row, "of", orr_json_text(json, consequence->of));
        orr_json_set(json, row, "before", orr_json_text(json, consequence->before));
        orr_json_set(json, row, "after", orr_json_text(json, consequence->after));
        orr_json_add(json, array, row);
    }
    return array;
}

static json_t *what_if_json(struct orr_json *json, const struct orr_what_if *what_if)
{
    json_t *row = orr_json_object(json), *sections = orr_json_object(json);
    orr_json_set(json, row, "setting", orr_json_text(json, what_if->name));
    orr_json_set(json, row, "value", orr_json_text(json, what_if->value));
    orr_json_set(json, row, "now", orr_json_text(json, what_if->was));
    orr_json_set(json, row, "changes", orr_json_bool(json, what_if->changes));
    orr_json_set(json, row, "refused", orr_json_bool(json, what_if->refused));
    orr_json_set(json, row, "then", orr_json_text(json, what_if->then));
    orr_json_set(json, row, "consequences", consequences_json(json, what_if));
    orr_json_set(json, row, "changed", orr_json_int(json, (int64_t)what_if->changed));
    for (int s = 0; s < ORR_SECTION_COUNT; s++)
        if (what_if->section_changed[s])
            orr_json_set(json, sections, orr_fact_section_name((enum orr_fact_section)s),
                         orr_json_int(json, (int64_t)what_if->section_changed[s]));
    orr_json_set(json, row, "sections", sections);
    return row;
}

/* What the document and the route share. */
static json_t *decision_json(struct orr_json *json, const struct orr_explanation *explanation)
{
    json_t *root = orr_json_object(json), *rests_on = orr_json_array(json);
    const struct orr_assumption *assumption;
    struct orr_why_info info;
    orr_why_info(explanation->kind, &info);
    orr_json_set(json, root, "decision", orr_json_text(json, info.name));
    orr_json_set(json, root, "question", orr_json_text(json, explanation->question));
    orr_json_set(json, root, "verdict", orr_json_text(json, explanation->verdict));
    orr_json_set(json, root, "answer", orr_json_text(json, explanation->answer));
    orr_json_set(json, root, "rule", orr_json_text(json, explanation->rule_id));
    orr_json_set(json, root, "text", orr_json_text(json, explanation->rule));
    orr_json_set(json, root, "compared", compared_json(json, explanation));
    if (explanation->limit.from[0])
        orr_json_set(json, root, "limit", limit_json(json, &explanation->limit));
    for (unsigned i = 0; (assumption = orr_assumption(i)); i++)
        if (explanation->assumes >> i & 1)
            orr_json_add(json, rests_on, orr_json_text(json, assumption->id));
    for (uint32_t i = 0; i < explanation->rests_on_count; i++)
        orr_json_add(json, rests_on, orr_json_format(json, "input-%u", explanation->rests_on_inputs[i] + 1));
    orr_json_set(json, root, "rests_on", rests_on);
    return root;
}

static json_t *assumed_json(struct orr_json *json, const struct orr_explanation *explanation)
{
    json_t *rows = orr_json_array(json);
    const struct orr_assumption *assumption;
    for (unsigned i = 0; (assumption = orr_assumption(i)); i++) {
        if (!(explanation->assumes >> i & 1))
            continue;
        json_t *row = orr_json_object(json);
        orr_json_set(json, row, "id", orr_json_text(json, assumption->id));
        orr_json_set(json, row, "text", orr_json_text(json, assumption->text));
        orr_json_add(json, rows, row);
    }
    for (uint32_t i = 0; i < explanation->rests_on_count; i++) {
        json_t *row = orr_json_object(json);
        orr_json_set(json, row, "id", orr_json_format(json, "input-%u", explanation->rests_on_inputs[i] + 1));
        orr_json_set(json, row, "text",
                     orr_json_text(json, explanation->inputs[explanation->rests_on_inputs[i]].sentence));
        orr_json_add(json, rows, row);
    }
    return rows;
}

json_t *orr_explanation_json(struct orr_json *json, const struct orr_explanation *explanation, const char *name)
{
    json_t *root = decision_json(json, explanation), *what_ifs = orr_json_array(json);
    orr_json_set(json, root, "topology", orr_json_text(json, name));
    orr_json_set(json, root, "nccl", orr_json_text(json, explanation->release->name));
    orr_json_set(json, root, "verified", orr_json_bool(json, !explanation->nearest));
    orr_json_set(json, root, "release_rules", rests_json(json, explanation));
    orr_json_set(json, root, "distance", distance_json(json, explanation));
    orr_json_set(json, root, "assumptions", assumed_json(json, explanation));
    orr_json_set(json, root, "advice", explanation->advice ? orr_json_text(json, explanation->advice) : json_null());
    for (uint32_t i = 0; i < explanation->what_if_count; i++)
        orr_json_add(json, what_ifs, what_if_json(json, &explanation->what_ifs[i]));
    orr_json_set(json, root, "what_if", what_ifs);
    orr_json_set(json, root, "not_tried", orr_json_int(json, explanation->not_tried));
    return root;
}

json_t *orr_decision_of(struct orr_json *json, const struct orr_analysis *analysis, const struct orr_why *why)
{
    struct orr_explanation *explanation = NULL;
    struct orr_error err = {0};
    enum orr_code code = orr_explain(analysis, why, (struct orr_effort){0, 0}, &explanation, &err);
    if (code == ORR_NOMEM)
        json->failed = true;
    if (code != ORR_OK)
        return json_null();
    json_t *value = decision_json(json, explanation);
    orr_explanation_free(explanation);
    return value;
}
