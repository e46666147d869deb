#include "api/diff_json.h"

#include <string.h>

#include "api/analysis_json.h"
#include "api/params.h"

enum { MOST_RANKS = 64 }; /* of a ring that is written out */

enum orr_code orr_against_read(const struct orr_query *question, const char *const *against, uint32_t count,
                               struct orr_query *ret_other, struct orr_error *err)
{
    const struct orr_release *release = NULL;
    *ret_other = *question;
    for (uint32_t i = 0; i < count; i++) {
        if (strchr(against[i], '='))
            continue;
        if (release) {
            orr_fail(err, ORR_SETTING, "a comparison has one other release, not both %s and \"%.32s\"", release->name,
                     against[i]);
            orr_error_where(err, "against");
            return ORR_SETTING;
        }
        ORR_TRY(orr_read_release(against[i], &release, err));
    }
    if (release) {
        orr_settings_init(&ret_other->settings, release);
        for (int i = 0; i < ORR_SETTING_COUNT; i++) {
            struct orr_setting_info info;
            const char *text = orr_setting_text(&question->settings, (enum orr_setting)i);
            orr_setting_info((enum orr_setting)i, &info);
            if (text)
                ORR_TRY(orr_settings_set(&ret_other->settings, info.name, text, err));
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const char *equals = strchr(against[i], '=');
        char name[64];
        if (!equals)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(equals - against[i]), against[i]);
        if (!strcmp(name, "hosts")) {
            orr_fail(err, ORR_SETTING, "both sides of a comparison have the same hosts");
            orr_error_where(err, "against");
            orr_error_advice(err, "name a release or NCCL_NAME=VALUE; hosts=N is for both sides");
            return ORR_SETTING;
        }
        ORR_TRY(orr_settings_set(&ret_other->settings, name, equals + 1, err));
    }
    return ORR_OK;
}

static json_t *side_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    json_t *side = orr_json_object(json);
    orr_json_set(json, side, "nccl", orr_section_json(json, analysis, "", "nccl"));
    orr_json_set(json, side, "verified", orr_json_bool(json, analysis->query.settings.release->verified));
    orr_json_set(json, side, "settings", orr_section_json(json, analysis, "", "settings"));
    return side;
}

static json_t *device_json(struct orr_json *json, const struct orr_changes *changes, uint32_t subject)
{
    const struct orr_system *system;
    uint32_t node;
    uint32_t own = orr_subject_own(changes->names, subject);
    if (orr_subject_find(changes->a, subject, &system, &node) ||
        (own != UINT32_MAX && orr_subject_find(changes->b, own, &system, &node)))
        return orr_json_node_of(json, system, node);
    return json_null();
}

/* Which facts a change is about: one object each. */
static json_t *place_json(struct orr_json *json, const struct orr_changes *changes, const struct orr_fact *fact)
{
    json_t *place = orr_json_object(json);
    const struct orr_release *release = changes->b->query.settings.release;
    if (changes->b->tuning.algorithm_count < changes->a->tuning.algorithm_count)
        release = changes->a->query.settings.release;
    switch (orr_fact_info((enum orr_fact_kind)fact->kind)->place) {
    case ORR_PLACE_WHOLE:
        break;
    case ORR_PLACE_DEVICE:
        orr_json_set(json, place, "device", device_json(json, changes, fact->a));
        break;
    case ORR_PLACE_LINK:
        orr_json_set(json, place, "type", orr_json_text(json, orr_link_type_name((enum orr_link_type)fact->detail)));
        /* fall through */
    case ORR_PLACE_PAIR:
        orr_json_set(json, place, "from", device_json(json, changes, fact->a));
        orr_json_set(json, place, "to", device_json(json, changes, fact->b));
        break;
    case ORR_PLACE_RANKS:
        orr_json_set(json, place, "a", orr_json_int(json, fact->a));
        orr_json_set(json, place, "b", orr_json_int(json, fact->b));
        break;
    case ORR_PLACE_RANK_NET:
        orr_json_set(json, place, "rank", orr_json_int(json, fact->a));
        orr_json_set(json, place, "net", device_json(json, changes, fact->b));
        break;
    case ORR_PLACE_RANK_CHANNEL:
        orr_json_set(json, place, "rank", orr_json_int(json, fact->a));
        orr_json_set(json, place, "channel", orr_json_int(json, fact->b));
        break;
    case ORR_PLACE_GRAPH_CHANNEL:
        orr_json_set(json, place, "channel", orr_json_int(json, fact->a));
        /* fall through */
    case ORR_PLACE_GRAPH:
        orr_json_set(json, place, "graph",
                     orr_json_text(json, orr_graph_name(release, (enum orr_graph_kind)fact->detail)));
        break;
    case ORR_PLACE_CHANNEL:
        orr_json_set(json, place, "channel", orr_json_int(json, fact->a));
        break;
    case ORR_PLACE_COST:
        orr_json_set(json, place, "function", orr_json_text(json, orr_function_name((enum orr_function)fact->detail)));
        /* fall through */
    case ORR_PLACE_PROTOCOL:
        orr_json_set(json, place, "algorithm",
                     orr_json_text(json, orr_algorithm_name(release, (enum orr_algorithm)fact->a)));
        orr_json_set(json, place, "protocol", orr_json_text(json, orr_protocol_name((enum orr_protocol)fact->b)));
        break;
    case ORR_PLACE_SIZE:
        orr_json_set(json, place, "function", orr_json_text(json, orr_function_name((enum orr_function)fact->detail)));
        orr_json_set(json, place, "bytes", orr_json_int(json, (int64_t)1 << fact->a));
        break;
    }
    return place;
}

static json_t *ranks_json(struct orr_json *json, const int32_t *ranks, uint32_t count)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < count && i < MOST_RANKS; i++)
        orr_json_add(json, array, orr_json_int(json, ranks[i]));
    return array;
}

static json_t *hops_json(struct orr_json *json, const struct orr_changes *changes, const struct orr_analysis *analysis,
                         const struct orr_fact *fact)
{
    const struct orr_system *system;
    const struct orr_fact_names *names = analysis == changes->b ? changes->names : NULL;
    uint32_t a = orr_subject_own(names, fact->a), b = orr_subject_own(names, fact->b), from, to;
    if (a == UINT32_MAX || b == UINT32_MAX || !orr_subject_find(analysis, a, &system, &from) ||
        !orr_subject_find(analysis, b, &system, &to))
        return json_null();
    const struct orr_paths *paths = NULL;
    for (uint32_t p = 0; p < analysis->part_count; p++)
        if (&analysis->parts[p].system == system)
            paths = &analysis->parts[p].paths;
    if (!paths || to >= system->node_count || !orr_paths_has(paths, from) || !orr_paths_has(paths, to))
        return json_null();
    const struct orr_path *path = orr_path(paths, from, to);
    json_t *hops = orr_json_array(json);
    for (uint32_t i = 0; i < path->hops; i++)
        orr_json_add(json, hops, orr_json_node_of(json, system, orr_path_node(paths, path, i)));
    return hops;
}

/* An arrangement of one side, for the first of the places. */
static json_t *order_json(struct orr_json *json, const struct orr_changes *changes, const struct orr_analysis *analysis,
                          const struct orr_fact *fact)
{
    const struct orr_communicator *c = &analysis->communicator;
    const struct orr_graph *graph = fact->detail < ORR_GRAPH_COUNT
                                        ? &analysis->parts[0].contribution.graphs[fact->detail]
                                        : &analysis->parts[0].contribution.graphs[0];
    size_t channel = fact->a;
    json_t *nets;
    switch (fact->kind) {
    case ORR_FACT_PATH_ROUTE:
        return hops_json(json, changes, analysis, fact);
    case ORR_FACT_GRAPH_ORDER:
        return ranks_json(json, graph->gpus + channel * graph->gpu_count, graph->row_count);
    case ORR_FACT_GRAPH_NETS:
        nets = orr_json_array(json);
        for (int end = 0; end < 2; end++)
            orr_json_add(json, nets, orr_json_node(json, ORR_NET, graph->nets[channel][end]));
        return nets;
    case ORR_FACT_RING:
        return ranks_json(json, c->rings[c->source[channel]], c->rank_count);
    case ORR_FACT_TREE:
        return ranks_json(json, c->trees[c->source[channel]].up, c->rank_count);
    case ORR_FACT_CHAIN:
        return ranks_json(json, c->collnet_chains[c->source[channel]].up, c->rank_count);
    case ORR_FACT_NVLS_TREE:
        return ranks_json(json, c->nvls_trees[channel & 1].up, c->rank_count);
    case ORR_FACT_NVLS_HEADS:
        return ranks_json(json, c->nvls_heads, (uint32_t)c->nvls_head_count);
    default:
        return json_null();
    }
}

static json_t *value_json(struct orr_json *json, const struct orr_changes *changes, const struct orr_analysis *analysis,
                          const struct orr_change *change, int64_t value)
{
    if (value == ORR_FACT_ABSENT)
        return json_null();
    switch (orr_fact_info(change->kind)->unit) {
    case ORR_UNIT_FLAG:
    case ORR_UNIT_NUMBER:
        return orr_json_int(json, value);
    case ORR_UNIT_FLOAT:
        return orr_json_number(json, (double)orr_fact_float(value));
    case ORR_UNIT_PATH_TYPE:
        return orr_json_text(json, orr_path_type_name((enum orr_path_type)value));
    case ORR_UNIT_DEVICE:
        return device_json(json, changes, (uint32_t)value);
    case ORR_UNIT_PATTERN:
        return orr_json_text(json, orr_pattern_name((enum orr_pattern)value));
    case ORR_UNIT_CHOICE:
        return orr_json_format(
            json, "%s %s",
            orr_algorithm_name(analysis->query.settings.release, (enum orr_algorithm)(value / ORR_PROTOCOL_COUNT)),
            orr_protocol_name((enum orr_protocol)(value % ORR_PROTOCOL_COUNT)));
    case ORR_UNIT_ORDER:
        return order_json(json, changes, analysis, &change->places[0]);
    }
    return json_null();
}

static json_t *change_json(struct orr_json *json, const struct orr_changes *changes, const struct orr_change *change)
{
    const struct orr_fact_info *info = orr_fact_info(change->kind);
    json_t *row = orr_json_object(json), *where = orr_json_array(json), *because = orr_json_array(json);
    orr_json_set(json, row, "what", orr_json_text(json, info->name));
    orr_json_set(json, row, "text", orr_json_text(json, info->text));
    orr_json_set(json, row, "a", value_json(json, changes, changes->a, change, change->a));
    orr_json_set(json, row, "b", value_json(json, changes, changes->b, change, change->b));
    orr_json_set(json, row, "count", orr_json_int(json, (int64_t)change->count));
    for (size_t i = 0; i < change->count && i < ORR_DIFF_PLACES; i++)
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
        int64_t told = 0, left_out = 0;
        for (size_t i = 0; i < changes->count; i++) {
            if (orr_fact_info(changes->changes[i].kind)->section != (enum orr_fact_section)s)
                continue;
            if (told == ORR_DIFF_CHANGES) {
                left_out++;
                continue;
            }
            orr_json_add(json, rows, change_json(json, changes, &changes->changes[i]));
            told++;
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

void orr_add_changed_sections(struct orr_text *text, const struct orr_changes *changes)
{
    const char *separator = " ";
    for (int s = 0; s < ORR_SECTION_COUNT; s++)
        if (changes->section_changed[s]) {
            orr_text_printf(text, "%s%zu in %s", separator, changes->section_changed[s],
                            orr_fact_section_name((enum orr_fact_section)s));
            separator = ", ";
        }
    orr_text_puts(text, ".");
}

static json_t *summary_json(struct orr_json *json, const struct orr_changes *changes)
{
    struct orr_text text;
    orr_text_init(&text, 1024);
    if (!changes->changed) {
        orr_text_printf(&text, "Nothing changes: all %zu facts are the same.", changes->facts);
    } else {
        orr_text_printf(&text, "%zu of %zu facts change:", changes->changed, changes->facts);
        orr_add_changed_sections(&text, changes);
    }
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
