/* Two answers about one dump: what changes, where, and the rule or setting that changes it. */
#include "api/sections.h"
#include "engine/whatif/shown.h"

/* What is shown in full; the rest is counted. */
enum { MOST_PLACES = 64, MOST_CHANGES = 100 };

static json_t *side_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    json_t *side = orr_json_object(json);
    orr_json_set(json, side, "nccl", orr_section_json(json, analysis, "", "nccl"));
    orr_json_set(json, side, "asked", orr_section_json(json, analysis, "", "asked"));
    orr_json_set(json, side, "verified", orr_section_json(json, analysis, "", "verified"));
    orr_json_set(json, side, "settings", orr_section_json(json, analysis, "", "settings"));
    return side;
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

/* Which facts a change is about: one object each. */
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
    orr_json_set(json, row, "what", orr_json_text(json, info->name));
    orr_json_set(json, row, "text", orr_json_text(json, info->text));
    orr_json_set(json, row, "a", value_json(json, changes, change, false));
    orr_json_set(json, row, "b", value_json(json, changes, change, true));
    orr_json_set(json, row, "count", orr_json_int(json, (int64_t)change->count));
    for (size_t i = 0; i < change->count && i < MOST_PLACES; i++)
        orr_json_add(json, where, place_json(json, changes, &change->places[i]));
    orr_json_set(json, row, "where", where);
    for (uint32_t i = 0; i < change->because_count; i++)
        orr_json_add(json, because, orr_json_text(json, changes->way.steps[change->because[i]].behaviour.name));
    orr_json_set(json, row, "because", because);
    orr_json_set(json, row, "certain", orr_json_bool(json, change->certain));
    if (change->rule_a != change->rule_b) {
        orr_json_set(json, row, "rule_a", orr_json_text(json, orr_rule_text((enum orr_rule)change->rule_a)));
        orr_json_set(json, row, "rule_b", orr_json_text(json, orr_rule_text((enum orr_rule)change->rule_b)));
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
        orr_json_set(json, section, "compared", orr_json_int(json, (int64_t)changes->section_facts[s]));
        orr_json_set(json, section, "changed", orr_json_int(json, (int64_t)changes->section_changed[s]));
        orr_json_set(json, section, "changes", rows);
        orr_json_set(json, section, "left_out", orr_json_int(json, left_out));
        orr_json_set(json, sections, orr_fact_section_name((enum orr_fact_section)s), section);
    }
    return sections;
}

/* Which sections a step changes something in. */
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
        json_t *row = orr_json_object(json);
        bool setting = step->behaviour.kind == ORR_BEHAVIOUR_SETTING;
        orr_json_set(json, row, "id", orr_json_text(json, step->behaviour.name));
        orr_json_set(json, row, "kind", orr_json_text(json, setting ? "setting" : "rule"));
        orr_json_set(json, row, "text", orr_json_text(json, step->behaviour.sentence));
        orr_json_set(json, row, "a", orr_json_text(json, changes->way.reversed ? step->to : step->from));
        orr_json_set(json, row, "b", orr_json_text(json, changes->way.reversed ? step->from : step->to));
        orr_json_set(json, row, "changed", orr_json_int(json, (int64_t)changes->step_changed[i]));
        orr_json_set(json, row, "sections", step_sections(json, changes, i));
        orr_json_add(json, reasons, row);
    }
    return reasons;
}

static json_t *summary_json(struct orr_json *json, const struct orr_changes *changes)
{
    struct orr_text text;
    orr_text_init(&text, 1024);
    orr_changes_summary(changes, &text);
    json_t *value = orr_json_text_of(json, &text);
    orr_text_release(&text);
    return value;
}

json_t *orr_diff_json(struct orr_json *json, const struct orr_changes *changes, const char *name)
{
    json_t *root = orr_json_object(json), *without_effect = orr_json_array(json), *effort = orr_json_object(json);
    orr_json_set(json, root, "topology", orr_json_text(json, name));
    orr_json_set(json, root, "hosts", orr_json_int(json, changes->a->query.hosts));
    orr_json_set(json, root, "ranks", orr_json_int(json, changes->a->ranks));
    orr_json_set(json, root, "local_ranks", orr_json_int(json, changes->a->local_ranks));
    orr_json_set(json, root, "a", side_json(json, changes->a));
    orr_json_set(json, root, "b", side_json(json, changes->b));
    orr_json_set(json, root, "equal", orr_json_bool(json, !changes->changed));
    orr_json_set(json, root, "summary", summary_json(json, changes));
    orr_json_set(json, root, "sections", orr_changes_json(json, changes));
    orr_json_set(json, root, "reasons", reasons_json(json, changes, without_effect));
    orr_json_set(json, root, "without_effect", without_effect);
    orr_json_set(json, effort, "analyses", orr_json_int(json, changes->analyses));
    orr_json_set(json, effort, "complete", orr_json_bool(json, changes->complete));
    orr_json_set(json, root, "search", effort);
    return root;
}
