/* SPDX-License-Identifier: Apache-2.0 */
/* Two answers about one dump: what changes, where, and the rule or setting that changes it. */
#include "api/documents/sections.h"
#include "engine/whatif/shown.h"

/* Limits of what is written in full; the rest is counted. */
enum { MOST_PLACES = 64, MOST_CHANGES = 100 };

static json_t *side_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    return ORR_OBJECT(json, ORR_VALUE("nccl", orr_section_json(json, analysis, "", "nccl")),
                      ORR_VALUE("asked", orr_section_json(json, analysis, "", "asked")),
                      ORR_VALUE("verified", orr_section_json(json, analysis, "", "verified")),
                      ORR_VALUE("settings", orr_section_json(json, analysis, "", "settings")));
}

static json_t *shown_json(struct orr_json *json, const struct orr_shown *shown)
{
    switch (shown->kind) {
    case ORR_SHOWN_INT:
        return orr_json_int(json, shown->integer);
    case ORR_SHOWN_FLOAT:
        return orr_json_number(json, shown->number);
    case ORR_SHOWN_TEXT:
        return orr_json_text(json, shown->text);
    case ORR_SHOWN_NONE:
        break;
    }
    return json_null();
}

/* The facts of a change, one object for each. */
static json_t *place_json(struct orr_json *json, const struct orr_changes *changes, const struct orr_fact *fact)
{
    struct orr_place_member members[ORR_PLACE_MEMBERS];
    json_t *place = orr_json_object(json);
    uint32_t count = orr_change_place(changes, fact, members);
    for (uint32_t i = 0; i < count; i++)
        orr_json_set(json, place, members[i].name, shown_json(json, &members[i].value));
    return place;
}

static json_t *value_json(struct orr_json *json, const struct orr_changes *changes, const struct orr_change *change,
                          bool side_b)
{
    struct orr_shown_value value;
    orr_change_value(changes, change, side_b, &value);
    if (!value.list)
        return shown_json(json, &value.items[0]);
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < value.count; i++)
        orr_json_add(json, array, shown_json(json, &value.items[i]));
    return array;
}

static json_t *change_json(struct orr_json *json, const struct orr_changes *changes, const struct orr_change *change)
{
    const struct orr_fact_info *info = orr_fact_info(change->kind);
    json_t *row = orr_json_object(json), *where = orr_json_array(json), *because = orr_json_array(json);
    ORR_SET(json, row, ORR_STRING("what", info->name), ORR_STRING("text", info->text),
            ORR_VALUE("a", value_json(json, changes, change, false)),
            ORR_VALUE("b", value_json(json, changes, change, true)), ORR_INT("count", (int64_t)change->count));
    for (size_t i = 0; i < change->count && i < MOST_PLACES; i++)
        orr_json_add(json, where, place_json(json, changes, &change->places[i]));
    orr_json_set(json, row, "where", where);
    for (uint32_t i = 0; i < change->because_count; i++)
        orr_json_add(json, because, orr_json_text(json, changes->way.steps[change->because[i]].behaviour.name));
    ORR_SET(json, row, ORR_VALUE("because", because), ORR_BOOL("certain", change->certain));
    if (change->rule_a != change->rule_b) {
        ORR_SET(json, row, ORR_STRING("rule_a", orr_rule_text((enum orr_rule)change->rule_a)),
                ORR_STRING("rule_b", orr_rule_text((enum orr_rule)change->rule_b)));
    }
    return row;
}

json_t *orr_changes_json(struct orr_json *json, const struct orr_changes *changes)
{
    json_t *sections = orr_json_object(json);
    for (int s = 0; s < ORR_SECTION_COUNT; s++) {
        json_t *section = orr_json_object(json), *rows = orr_json_array(json);
        int64_t listed = 0, left_out = 0;
        for (size_t i = 0; i < changes->count; i++) {
            if (orr_fact_info(changes->changes[i].kind)->section != (enum orr_fact_section)s)
                continue;
            if (listed == MOST_CHANGES) {
                left_out++;
                continue;
            }
            orr_json_add(json, rows, change_json(json, changes, &changes->changes[i]));
            listed++;
        }
        ORR_SET(json, section, ORR_INT("compared", (int64_t)changes->section_facts[s]),
                ORR_INT("changed", (int64_t)changes->section_changed[s]), ORR_VALUE("changes", rows),
                ORR_INT("left_out", left_out));
        orr_json_set(json, sections, orr_fact_section_name((enum orr_fact_section)s), section);
    }
    return sections;
}

/* The sections in which a step changes something. */
static json_t *step_sections(struct orr_json *json, const struct orr_changes *changes, uint32_t step)
{
    json_t *names = orr_json_array(json);
    for (int s = 0; s < ORR_SECTION_COUNT; s++) {
        bool found = false;
        for (size_t i = 0; i < changes->count && !found; i++) {
            const struct orr_change *change = &changes->changes[i];
            for (uint32_t k = 0; k < change->because_count; k++)
                found = found || (orr_fact_info(change->kind)->section == (enum orr_fact_section)s &&
                                  change->because[k] == step);
        }
        if (found)
            orr_json_add(json, names, orr_json_text(json, orr_fact_section_name((enum orr_fact_section)s)));
    }
    return names;
}

/* The steps that change something, and the names of those that change nothing on this machine. */
static json_t *reasons_json(struct orr_json *json, const struct orr_changes *changes, json_t *without_effect)
{
    json_t *reasons = orr_json_array(json);
    for (uint32_t i = 0; i < changes->way.count; i++) {
        const struct orr_step *step = &changes->way.steps[i];
        if (!changes->step_changed[i]) {
            orr_json_add(json, without_effect, orr_json_text(json, step->behaviour.name));
            continue;
        }
        bool setting = step->behaviour.kind == ORR_BEHAVIOUR_SETTING;
        orr_json_add(json, reasons,
                     ORR_OBJECT(json, ORR_STRING("id", step->behaviour.name),
                                ORR_STRING("kind", setting ? "setting" : "rule"),
                                ORR_STRING("text", step->behaviour.sentence),
                                ORR_STRING("a", changes->way.reversed ? step->to : step->from),
                                ORR_STRING("b", changes->way.reversed ? step->from : step->to),
                                ORR_INT("changed", (int64_t)changes->step_changed[i]),
                                ORR_VALUE("sections", step_sections(json, changes, i))));
    }
    return reasons;
}

static json_t *summary_json(struct orr_json *json, const struct orr_changes *changes)
{
    ORR_LOCAL_TEXT(text, 1024);
    orr_changes_summary(changes, &text);
    json_t *value = orr_json_text_of(json, &text);
    return value;
}

json_t *orr_diff_json(struct orr_json *json, const struct orr_changes *changes, const char *name)
{
    json_t *without_effect = orr_json_array(json), *effort = orr_json_object(json);
    ORR_SET(json, effort, ORR_INT("analyses", changes->analyses), ORR_BOOL("complete", changes->complete));
    return ORR_OBJECT(json, ORR_STRING("topology", name), ORR_INT("hosts", changes->a->query.hosts),
                      ORR_INT("ranks", changes->a->ranks), ORR_INT("local_ranks", changes->a->local_ranks),
                      ORR_VALUE("a", side_json(json, changes->a)), ORR_VALUE("b", side_json(json, changes->b)),
                      ORR_BOOL("equal", !changes->changed), ORR_VALUE("summary", summary_json(json, changes)),
                      ORR_VALUE("outcomes", orr_outcomes_json(json, &changes->outcomes[0], &changes->outcomes[1])),
                      ORR_VALUE("sections", orr_changes_json(json, changes)),
                      ORR_VALUE("reasons", reasons_json(json, changes, without_effect)),
                      ORR_VALUE("without_effect", without_effect), ORR_VALUE("search", effort));
}
