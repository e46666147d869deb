/* SPDX-License-Identifier: Apache-2.0 */
/* One decision explained, as JSON. */
#include "api/documents/sections.h"

#include "engine/explain/assumptions.h"
#include "engine/release/release.h"

static json_t *compared_json(struct orr_json *json, const struct orr_explanation *explanation)
{
    json_t *rows = orr_json_array(json);
    for (uint32_t i = 0; i < explanation->compared_count; i++) {
        const struct orr_compared *compared = &explanation->compared[i];
        orr_json_add(json, rows,
                     ORR_OBJECT(json, ORR_STRING("name", compared->name),
                                ORR_VALUE("value", compared->text ? orr_json_text(json, compared->text)
                                                                  : orr_json_number(json, compared->number)),
                                ORR_WHEN(compared->unit, ORR_STRING("unit", compared->unit)),
                                ORR_STRING("origin", orr_origin_name(compared->from.origin)),
                                ORR_WHEN(compared->from.text, ORR_STRING("source", compared->from.text)),
                                ORR_WHEN(compared->internal, ORR_VALUE("internal", json_true()))));
    }
    return rows;
}

static json_t *rests_json(struct orr_json *json, const struct orr_explanation *explanation)
{
    json_t *rows = orr_json_array(json);
    for (uint32_t i = 0; i < explanation->rests_count; i++) {
        const struct orr_rests *rests = &explanation->rests[i];
        orr_json_add(json, rows,
                     ORR_OBJECT(json, ORR_STRING("behaviour", rests->name), ORR_STRING("sentence", rests->sentence),
                                ORR_STRING("value", rests->value), ORR_STRING("since", rests->since)));
    }
    return rows;
}

static json_t *limit_json(struct orr_json *json, const struct orr_limit *limit)
{
    return ORR_OBJECT(json, ORR_STRING("from", limit->from), ORR_STRING("to", limit->to),
                      ORR_STRING("type", limit->type), ORR_NUMBER("bw", (double)limit->bw),
                      ORR_WHEN(limit->used > 0, ORR_NUMBER("used", (double)limit->used)),
                      ORR_STRING("text", limit->text));
}

static json_t *distance_json(struct orr_json *json, const struct orr_explanation *explanation)
{
    if (!explanation->distance)
        return json_null();
    json_t *sides[2] = {orr_json_object(json), orr_json_object(json)};
    ORR_SET(json, sides[0], ORR_STRING("type", explanation->physical_type),
            ORR_NUMBER("bw", (double)explanation->physical_bw));
    ORR_SET(json, sides[1], ORR_STRING("type", explanation->effective_type),
            ORR_NUMBER("bw", (double)explanation->effective_bw));
    return ORR_OBJECT(json, ORR_VALUE("physical", sides[0]), ORR_VALUE("effective", sides[1]),
                      ORR_STRING("text", explanation->distance));
}

static json_t *consequences_json(struct orr_json *json, const struct orr_what_if *what_if)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < what_if->consequence_count; i++) {
        const struct orr_consequence *consequence = &what_if->consequences[i];
        orr_json_add(json, array,
                     ORR_OBJECT(json, ORR_STRING("what", consequence->name), ORR_STRING("text", consequence->text),
                                ORR_WHEN(consequence->of, ORR_STRING("of", consequence->of)),
                                ORR_STRING("before", consequence->before), ORR_STRING("after", consequence->after)));
    }
    return array;
}

static json_t *what_if_json(struct orr_json *json, const struct orr_what_if *what_if)
{
    json_t *sections = orr_json_object(json);
    for (int s = 0; s < ORR_SECTION_COUNT; s++)
        if (what_if->section_changed[s])
            orr_json_set(json, sections, orr_fact_section_name((enum orr_fact_section)s),
                         orr_json_int(json, (int64_t)what_if->section_changed[s]));
    return ORR_OBJECT(json, ORR_STRING("setting", what_if->name), ORR_STRING("value", what_if->value),
                      ORR_STRING("now", what_if->was), ORR_BOOL("changes", what_if->changes),
                      ORR_BOOL("refused", what_if->refused), ORR_STRING("then", what_if->then),
                      ORR_VALUE("consequences", consequences_json(json, what_if)),
                      ORR_INT("changed", (int64_t)what_if->changed), ORR_VALUE("sections", sections));
}

/* The members that the document and the route share. */
static json_t *decision_json(struct orr_json *json, const struct orr_explanation *explanation)
{
    json_t *rests_on = orr_json_array(json);
    const struct orr_assumption *assumption;
    struct orr_why_info info;
    orr_why_info(explanation->kind, &info);
    for (unsigned i = 0; (assumption = orr_assumption(i)); i++)
        if (explanation->assumes >> i & 1)
            orr_json_add(json, rests_on, orr_json_text(json, assumption->id));
    for (uint32_t i = 0; i < explanation->rests_on_count; i++)
        orr_json_add(json, rests_on, orr_json_format(json, "input-%u", explanation->rests_on_inputs[i] + 1));
    return ORR_OBJECT(json, ORR_STRING("decision", info.name), ORR_STRING("question", explanation->question),
                      ORR_STRING("verdict", explanation->verdict), ORR_STRING("answer", explanation->answer),
                      ORR_STRING("rule", explanation->rule_id), ORR_STRING("text", explanation->rule),
                      ORR_VALUE("compared", compared_json(json, explanation)),
                      ORR_WHEN(explanation->limit.from[0], ORR_VALUE("limit", limit_json(json, &explanation->limit))),
                      ORR_VALUE("rests_on", rests_on));
}

static json_t *assumed_json(struct orr_json *json, const struct orr_explanation *explanation)
{
    json_t *rows = orr_json_array(json);
    const struct orr_assumption *assumption;
    for (unsigned i = 0; (assumption = orr_assumption(i)); i++) {
        if (!(explanation->assumes >> i & 1))
            continue;
        orr_json_add(json, rows,
                     ORR_OBJECT(json, ORR_STRING("id", assumption->id), ORR_STRING("text", assumption->text)));
    }
    for (uint32_t i = 0; i < explanation->rests_on_count; i++) {
        orr_json_add(json, rows,
                     ORR_OBJECT(json,
                                ORR_VALUE("id", orr_json_format(json, "input-%u", explanation->rests_on_inputs[i] + 1)),
                                ORR_STRING("text", explanation->inputs[explanation->rests_on_inputs[i]].sentence)));
    }
    return rows;
}

json_t *orr_explanation_json(struct orr_json *json, const struct orr_explanation *explanation, const char *name)
{
    json_t *root = decision_json(json, explanation), *what_ifs = orr_json_array(json);
    ORR_SET(json, root, ORR_STRING("topology", name), ORR_STRING("nccl", explanation->release->name),
            ORR_BOOL("verified", !explanation->nearest_to && explanation->release->compared),
            ORR_VALUE("release_rules", rests_json(json, explanation)),
            ORR_VALUE("distance", distance_json(json, explanation)),
            ORR_VALUE("assumptions", assumed_json(json, explanation)), ORR_STRING("advice", explanation->advice));
    for (uint32_t i = 0; i < explanation->what_if_count; i++)
        orr_json_add(json, what_ifs, what_if_json(json, &explanation->what_ifs[i]));
    ORR_SET(json, root, ORR_VALUE("what_if", what_ifs), ORR_INT("not_tried", explanation->not_tried));
    return root;
}

json_t *orr_decision_of(struct orr_json *json, const struct orr_analysis *analysis, const struct orr_why *why)
{
    ORR_LOCAL(orr_explanation, explanation);
    struct orr_error err = {0};
    enum orr_code code = orr_explain(analysis, why, (struct orr_effort){0, 0}, &explanation, &err);
    if (code == ORR_NOMEM)
        json->failed = true;
    if (code != ORR_OK)
        return json_null();
    json_t *value = decision_json(json, explanation);
    return value;
}
