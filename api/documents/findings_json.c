/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as JSON. What is found is engine/findings's. */
#include "api/documents/sections.h"

static json_t *place_json(struct orr_json *json, const struct orr_finding_place *place)
{
    return ORR_OBJECT(json, ORR_WHEN(place->line, ORR_INT("line", place->line)),
                      ORR_WHEN(place->column, ORR_INT("column", place->column)),
                      ORR_WHEN(place->node[0], ORR_STRING("node", place->node)),
                      ORR_WHEN(place->device[0], ORR_STRING("device", place->device)));
}

json_t *orr_cost_json(struct orr_json *json, const struct orr_cost *cost, const char *repair)
{
    char what[64];
    json_t *changes = orr_json_array(json);
    for (uint32_t i = 0; i < cost->change_count; i++) {
        const struct orr_cost_change *change = &cost->changes[i];
        orr_cost_figure_for(change->figure, change->hosts * cost->fused, what);
        orr_json_add(json, changes,
                     ORR_OBJECT(json, ORR_NUMBER("now", change->now), ORR_NUMBER("repaired", change->repaired),
                                ORR_STRING("unit", orr_cost_figure_unit(change->figure)), ORR_STRING("for", what),
                                ORR_INT("hosts", change->hosts)));
    }
    orr_cost_figure_for(cost->figure, cost->hosts * cost->fused, what);
    return ORR_OBJECT(json, ORR_NUMBER("now", cost->now), ORR_NUMBER("repaired", cost->repaired),
                      ORR_NUMBER("all_repaired", cost->all_repaired),
                      ORR_VALUE("adds", cost->has_gain ? orr_json_number(json, cost->gain) : json_null()),
                      ORR_BOOL("only_together", cost->together), ORR_STRING("unit", orr_cost_figure_unit(cost->figure)),
                      ORR_STRING("for", what), ORR_INT("hosts", cost->hosts), ORR_STRING("repair", repair),
                      ORR_VALUE("changes", changes));
}

/* row NULL if nothing was tried. */
static json_t *finding_json(struct orr_json *json, const struct orr_finding *finding, const struct orr_diagnosed *of,
                            const char *follows)
{
    const struct orr_finding_row *row = finding->row;
    json_t *object = orr_json_object(json), *places = orr_json_array(json);
    ORR_SET(json, object, ORR_STRING("id", row->id), ORR_WHEN(row->catalogue, ORR_STRING("catalogue", row->catalogue)),
            ORR_STRING("severity", orr_severity_name(of ? of->severity : row->severity)),
            ORR_STRING("title", finding->title), ORR_STRING("detail", finding->detail),
            ORR_WHEN(finding->place_count, ORR_VALUE("where", place_json(json, &finding->places[0]))));
    for (uint32_t i = 0; i < finding->place_count; i++)
        orr_json_add(json, places, place_json(json, &finding->places[i]));
    ORR_SET(json, object, ORR_VALUE("places", places), ORR_INT("more_places", finding->more_places),
            ORR_STRING("why", row->why), ORR_STRING("advice", finding->advice),
            ORR_VALUE("commands", orr_json_texts(json, finding->commands, 4)),
            ORR_VALUE("references", orr_json_texts(json, row->references, 4)));
    if (!of)
        return object;
    ORR_SET(json, object, ORR_VALUE("cost", of->has_cost ? orr_cost_json(json, &of->cost, of->repair) : json_null()),
            ORR_STRING("no_cost", of->has_cost    ? NULL
                                  : of->not_tried ? of->not_tried
                                                  : "Orrery cannot compute it"),
            ORR_STRING("follows_from", follows));
    return object;
}

static json_t *rows_json(struct orr_json *json, const struct orr_findings *findings)
{
    json_t *rows = orr_json_array(json);
    for (uint32_t i = 0; i < findings->count; i++)
        orr_json_add(json, rows, finding_json(json, &findings->rows[i], NULL, NULL));
    return rows;
}

/* False if memory ran out, which json remembers. */
static bool find_findings(struct orr_json *json, const struct orr_dump *dump, const struct orr_analysis *analysis,
                          struct orr_arena *arena, struct orr_findings *ret_findings)
{
    json->failed |= !arena || orr_find(dump, analysis, arena, ret_findings, NULL) != ORR_OK;
    return !json->failed;
}

json_t *orr_finding_counts_json(struct orr_json *json, const struct orr_dump *dump, const struct orr_analysis *analysis)
{
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_findings findings;
    if (!find_findings(json, dump, analysis, arena, &findings))
        return NULL;
    json_t *counts = orr_json_object(json);
    for (int severity = 0; severity < ORR_SEVERITY_COUNT; severity++) {
        int matching = 0;
        for (uint32_t i = 0; i < findings.count; i++)
            matching += (int)findings.rows[i].row->severity == severity;
        orr_json_set(json, counts, orr_severity_name((enum orr_severity)severity), orr_json_int(json, matching));
    }
    return counts;
}

json_t *orr_findings_json(struct orr_json *json, const struct orr_dump *dump, const struct orr_analysis *analysis)
{
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_findings findings;
    return find_findings(json, dump, analysis, arena, &findings) ? rows_json(json, &findings) : NULL;
}

json_t *orr_diagnosis_json(struct orr_json *json, const struct orr_diagnosis *diagnosis)
{
    json_t *rows = orr_json_array(json);
    for (uint32_t i = 0; i < diagnosis->count; i++) {
        const struct orr_diagnosed *row = &diagnosis->rows[i];
        const char *cause = row->follows == UINT32_MAX ? NULL : diagnosis->rows[row->follows].finding->row->id;
        orr_json_add(json, rows, finding_json(json, row->finding, row, cause));
    }
    return rows;
}

json_t *orr_depends_json(struct orr_json *json, const struct orr_depends_list *list, const char *key,
                         const char *(*name)(int verdict))
{
    json_t *rows = orr_json_array(json);
    for (uint32_t i = 0; i < list->count; i++)
        orr_json_add(json, rows,
                     ORR_OBJECT(json, ORR_STRING("assuming", list->rows[i].assuming),
                                ORR_STRING(key, name(list->rows[i].verdict)), ORR_NUMBER("busbw", list->rows[i].bus_bw),
                                ORR_NUMBER("expected", list->rows[i].expected)));
    return rows;
}

static const char *state_name(int state)
{
    return orr_verdict_state_name((enum orr_verdict_state)state);
}

json_t *orr_verdict_json(struct orr_json *json, const struct orr_diagnosis *diagnosis)
{
    const struct orr_diagnosed *cause = diagnosis->cause == UINT32_MAX ? NULL : &diagnosis->rows[diagnosis->cause];
    return ORR_OBJECT(json, ORR_STRING("state", orr_verdict_state_name(diagnosis->state)),
                      ORR_STRING("sentence", diagnosis->sentence), ORR_STRING("advice", diagnosis->advice),
                      ORR_STRING("finding", cause ? cause->finding->row->id : NULL),
                      ORR_VALUE("cost", diagnosis->has_all ? orr_cost_json(json, &diagnosis->all, diagnosis->all_repair)
                                                           : json_null()),
                      ORR_VALUE("depends", orr_depends_json(json, &diagnosis->depends, "state", state_name)),
                      ORR_STRING("confirm", diagnosis->rests_on ? diagnosis->rests_on->confirm : NULL));
}

json_t *orr_log_findings_json(struct orr_json *json, const struct orr_log *log, const struct orr_log_check *check)
{
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_findings findings;
    if (!arena || orr_find_in_log(log, check, arena, &findings, NULL) != ORR_OK) {
        json->failed = true;
        return NULL;
    }
    return rows_json(json, &findings);
}

json_t *orr_undecided_json(struct orr_json *json)
{
    json_t *rows = orr_json_array(json);
    const struct orr_undecided *row;
    for (size_t i = 0; (row = orr_undecided(i)); i++) {
        orr_json_add(json, rows,
                     ORR_OBJECT(json, ORR_STRING("catalogue", row->catalogue), ORR_STRING("title", row->title),
                                ORR_STRING("why", row->why)));
    }
    return rows;
}
