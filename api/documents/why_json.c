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
                     ORR_OBJECT(json, TEXT("name", compared->name),
                                VALUE("value", compared->text ? orr_json_text(json, compared->text)
                                                              : orr_json_number(json, compared->number)),
                                WHEN(compared->unit, TEXT("unit", compared->unit)),
                                TEXT("origin", orr_origin_name(compared->from.origin)),
                                WHEN(compared->from.text, TEXT("source", compared->from.text)),
                                WHEN(compared->internal, VALUE("internal", json_true()))));
    }
    return rows;
}

static json_t *rests_json(struct orr_json *json, const struct orr_explanation *explanation)
{
    json_t *rows = orr_json_array(json);
    for (uint32_t i = 0; i < explanation->rests_count; i++) {
        const struct orr_rests *rests = &explanation->rests[i];
        orr_json_add(json, rows,
                     ORR_OBJECT(json, TEXT("behaviour", rests->name), TEXT("sentence", rests->sentence),
                                TEXT("value", rests->value), TEXT("since", rests->since)));
    }
    return rows;
}

static json_t *limit_json(struct orr_json *json, const struct orr_limit *limit)
{
    return ORR_OBJECT(json, TEXT("from", limit->from), TEXT("to", limit->to), TEXT("type", limit->type),
                      NUMBER("bw", (double)limit->bw), WHEN(limit->used > 0, NUMBER("used", (double)limit->used)),
                      TEXT("text", limit->text));
}

static json_t *distance_json(struct orr_json *json, const struct orr_explanation *explanation)
{
    if (!explanation->distance)
        return json_null();
    json_t *sides[2] = {orr_json_object(json), orr_json_object(json)};
    ORR_SET(json, sides[0], TEXT("type", explanation->physical_type), NUMBER("bw", (double)explanation->physical_bw));
    ORR_SET(json, sides[1], TEXT("type", explanation->effective_type), NUMBER("bw", (double)explanation->effective_bw));
    return ORR_OBJECT(json, VALUE("physical", sides[0]), VALUE("effective", sides[1]),
                      TEXT("text", explanation->distance));
}

static json_t *consequences_json(struct orr_json *json, const struct orr_what_if *what_if)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < what_if->consequence_count; i++) {
        const struct orr_consequence *consequence = &what_if->consequences[i];
        orr_json_add(json, array,
                     ORR_OBJECT(json, TEXT("what", consequence->name), TEXT("text", consequence->text),
                                WHEN(consequence->of, TEXT("of", consequence->of)), TEXT("before", consequence->before),
                                TEXT("after", consequence->after)));
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
    return ORR_OBJECT(json, TEXT("setting", what_if->name), TEXT("value", what_if->value), TEXT("now", what_if->was),
                      BOOL("changes", what_if->changes), BOOL("refused", what_if->refused), TEXT("then", what_if->then),
                      VALUE("consequences", consequences_json(json, what_if)),
                      INT("changed", (int64_t)what_if->changed), VALUE("sections", sections));
}

/* What the document and the route share. */
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
    return ORR_OBJECT(json, TEXT("decision", info.name), TEXT("question", explanation->question),
                      TEXT("verdict", explanation->verdict), TEXT("answer", explanation->answer),
                      TEXT("rule", explanation->rule_id), TEXT("text", explanation->rule),
                      VALUE("compared", compared_json(json, explanation)),
                      WHEN(explanation->limit.from[0], VALUE("limit", limit_json(json, &explanation->limit))),
                      VALUE("rests_on", rests_on));
}

static json_t *assumed_json(struct orr_json *json, const struct orr_explanation *explanation)
{
    json_t *rows = orr_json_array(json);
    const struct orr_assumption *assumption;
    for (unsigned i = 0; (assumption = orr_assumption(i)); i++) {
        if (!(explanation->assumes >> i & 1))
            continue;
        orr_json_add(json, rows, ORR_OBJECT(json, TEXT("id", assumption->id), TEXT("text", assumption->text)));
    }
    for (uint32_t i = 0; i < explanation->rests_on_count; i++) {
        orr_json_add(json, rows,
                     ORR_OBJECT(json,
                                VALUE("id", orr_json_format(json, "input-%u", explanation->rests_on_inputs[i] + 1)),
                                TEXT("text", explanation->inputs[explanation->rests_on_inputs[i]].sentence)));
    }
    return rows;
}

json_t *orr_explanation_json(struct orr_json *json, const struct orr_explanation *explanation, const char *name)
{
    json_t *root = decision_json(json, explanation), *what_ifs = orr_json_array(json);
    ORR_SET(json, root, TEXT("topology", name), TEXT("nccl", explanation->release->name),
            BOOL("verified", !explanation->nearest), VALUE("release_rules", rests_json(json, explanation)),
            VALUE("distance", distance_json(json, explanation)), VALUE("assumptions", assumed_json(json, explanation)),
            TEXT("advice", explanation->advice));
    for (uint32_t i = 0; i < explanation->what_if_count; i++)
        orr_json_add(json, what_ifs, what_if_json(json, &explanation->what_ifs[i]));
    ORR_SET(json, root, VALUE("what_if", what_ifs), INT("not_tried", explanation->not_tried));
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
