/* Findings as JSON. What is found is engine/findings's. */
#include "api/sections.h"

static json_t *texts_json(struct orr_json *json, const char *const texts[4])
{
    json_t *array = orr_json_array(json);
    for (int i = 0; i < 4 && texts[i]; i++)
        orr_json_add(json, array, orr_json_text(json, texts[i]));
    return array;
}

static json_t *place_json(struct orr_json *json, const struct orr_finding_place *place)
{
    json_t *object = orr_json_object(json);
    if (place->line)
        orr_json_set(json, object, "line", orr_json_int(json, place->line));
    if (place->column)
        orr_json_set(json, object, "column", orr_json_int(json, place->column));
    if (place->node[0])
        orr_json_set(json, object, "node", orr_json_text(json, place->node));
    if (place->device[0])
        orr_json_set(json, object, "device", orr_json_text(json, place->device));
    return object;
}

json_t *orr_cost_json(struct orr_json *json, const struct orr_cost *cost, const char *repair)
{
    char what[64];
    json_t *object = orr_json_object(json), *changes = orr_json_array(json);
    orr_cost_figure_for(cost->figure, cost->hosts * cost->fused, what);
    orr_json_set(json, object, "now", orr_json_number(json, cost->now));
    orr_json_set(json, object, "repaired", orr_json_number(json, cost->repaired));
    orr_json_set(json, object, "unit", orr_json_text(json, orr_cost_figure_unit(cost->figure)));
    orr_json_set(json, object, "for", orr_json_text(json, what));
    orr_json_set(json, object, "hosts", orr_json_int(json, cost->hosts));
    orr_json_set(json, object, "repair", orr_json_text(json, repair));
    for (uint32_t i = 0; i < cost->change_count; i++) {
        const struct orr_cost_change *change = &cost->changes[i];
        json_t *row = orr_json_object(json);
        orr_cost_figure_for(change->figure, change->hosts * cost->fused, what);
        orr_json_set(json, row, "now", orr_json_number(json, change->now));
        orr_json_set(json, row, "repaired", orr_json_number(json, change->repaired));
        orr_json_set(json, row, "unit", orr_json_text(json, orr_cost_figure_unit(change->figure)));
        orr_json_set(json, row, "for", orr_json_text(json, what));
        orr_json_set(json, row, "hosts", orr_json_int(json, change->hosts));
        orr_json_add(json, changes, row);
    }
    orr_json_set(json, object, "changes", changes);
    return object;
}

/* row NULL: nothing was tried. */
static json_t *finding_json(struct orr_json *json, const struct orr_finding *finding, const struct orr_diagnosed *of,
                            const char *follows)
{
    const struct orr_finding_row *row = finding->row;
    json_t *object = orr_json_object(json), *places = orr_json_array(json);
    orr_json_set(json, object, "id", orr_json_text(json, row->id));
    if (row->catalogue)
        orr_json_set(json, object, "catalogue", orr_json_text(json, row->catalogue));
    orr_json_set(json, object, "severity", orr_json_text(json, orr_severity_name(of ? of->severity : row->severity)));
    orr_json_set(json, object, "title", orr_json_text(json, row->title));
    orr_json_set(json, object, "detail", orr_json_text(json, finding->detail));
    if (finding->place_count)
        orr_json_set(json, object, "where", place_json(json, &finding->places[0]));
    for (uint32_t i = 0; i < finding->place_count; i++)
        orr_json_add(json, places, place_json(json, &finding->places[i]));
    orr_json_set(json, object, "places", places);
    orr_json_set(json, object, "more_places", orr_json_int(json, finding->more_places));
    orr_json_set(json, object, "why", orr_json_text(json, row->why));
    orr_json_set(json, object, "advice", orr_json_text(json, row->advice));
    orr_json_set(json, object, "commands", texts_json(json, row->commands));
    orr_json_set(json, object, "references", texts_json(json, row->references));
    if (!of)
        return object;
    orr_json_set(json, object, "cost", of->has_cost ? orr_cost_json(json, &of->cost, of->repair) : json_null());
    orr_json_set(json, object, "no_cost",
                 of->has_cost ? json_null()
                              : orr_json_text(json, of->not_tried ? of->not_tried : "no repair of it is known"));
    orr_json_set(json, object, "follows_from", follows ? orr_json_text(json, follows) : json_null());
    return object;
}

/* The rows as JSON; frees their arena. */
static json_t *rows_json(struct orr_json *json, const struct orr_findings *findings, struct orr_arena *arena)
{
    json_t *rows = orr_json_array(json);
    for (uint32_t i = 0; i < findings->count; i++)
        orr_json_add(json, rows, finding_json(json, &findings->rows[i], NULL, NULL));
    orr_arena_free(arena);
    return rows;
}

/* Findings in an arena of their own; false: memory ran out, which json remembers. */
static bool find(struct orr_json *json, const struct orr_dump *dump, const struct orr_analysis *analysis,
                 struct orr_arena **ret_arena, struct orr_findings *ret_findings)
{
    *ret_arena = orr_arena_new(0);
    if (*ret_arena && orr_find(dump, analysis, *ret_arena, ret_findings, NULL) == ORR_OK)
        return true;
    orr_arena_free(*ret_arena);
    json->failed = true;
    return false;
}

json_t *orr_finding_counts_json(struct orr_json *json, const struct orr_dump *dump, const struct orr_analysis *analysis)
{
    struct orr_arena *arena;
    struct orr_findings findings;
    if (!find(json, dump, analysis, &arena, &findings))
        return NULL;
    json_t *counts = orr_json_object(json);
    for (int severity = 0; severity < ORR_SEVERITY_COUNT; severity++) {
        int matching = 0;
        for (uint32_t i = 0; i < findings.count; i++)
            matching += (int)findings.rows[i].row->severity == severity;
        orr_json_set(json, counts, orr_severity_name((enum orr_severity)severity), orr_json_int(json, matching));
    }
    orr_arena_free(arena);
    return counts;
}

json_t *orr_findings_json(struct orr_json *json, const struct orr_dump *dump, const struct orr_analysis *analysis)
{
    struct orr_arena *arena;
    struct orr_findings findings;
    return find(json, dump, analysis, &arena, &findings) ? rows_json(json, &findings, arena) : NULL;
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

json_t *orr_verdict_json(struct orr_json *json, const struct orr_diagnosis *diagnosis)
{
    json_t *object = orr_json_object(json);
    const struct orr_diagnosed *cause = diagnosis->cause == UINT32_MAX ? NULL : &diagnosis->rows[diagnosis->cause];
    orr_json_set(json, object, "state", orr_json_text(json, orr_verdict_state_name(diagnosis->state)));
    orr_json_set(json, object, "sentence", orr_json_text(json, diagnosis->sentence));
    orr_json_set(json, object, "advice", orr_json_text(json, diagnosis->advice));
    orr_json_set(json, object, "finding", cause ? orr_json_text(json, cause->finding->row->id) : json_null());
    orr_json_set(json, object, "cost",
                 diagnosis->has_all ? orr_cost_json(json, &diagnosis->all, diagnosis->all_repair) : json_null());
    return object;
}

json_t *orr_log_findings_json(struct orr_json *json, const struct orr_log *log, const struct orr_log_check *check)
{
    struct orr_arena *arena = orr_arena_new(0);
    struct orr_findings findings;
    if (!arena || orr_find_in_log(log, check, arena, &findings, NULL) != ORR_OK) {
        orr_arena_free(arena);
        json->failed = true;
        return NULL;
    }
    return rows_json(json, &findings, arena);
}

json_t *orr_undecided_json(struct orr_json *json)
{
    json_t *rows = orr_json_array(json);
    const struct orr_undecided *row;
    for (size_t i = 0; (row = orr_undecided(i)); i++) {
        json_t *object = orr_json_object(json);
        orr_json_set(json, object, "catalogue", orr_json_text(json, row->catalogue));
        orr_json_set(json, object, "title", orr_json_text(json, row->title));
        orr_json_set(json, object, "why", orr_json_text(json, row->why));
        orr_json_add(json, rows, object);
    }
    return rows;
}
