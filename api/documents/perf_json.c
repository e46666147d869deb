/* SPDX-License-Identifier: Apache-2.0 */
/* Results of nccl-tests judged, as JSON. */
#include "api/documents/sections.h"
#include "engine/perf/perf.h"

static const char *verdict_name(int verdict)
{
    return orr_perf_verdict_name((size_t)verdict);
}

/* null if the number is negative, because it was not printed. */
static void set_printed(struct orr_json *json, json_t *object, const char *key, double value)
{
    orr_json_set(json, object, key, value < 0 ? json_null() : orr_json_number(json, value));
}

static void set_number(struct orr_json *json, json_t *object, const char *key, double value)
{
    orr_json_set(json, object, key, orr_json_number(json, value));
}

static json_t *band_json(struct orr_json *json, const struct orr_perf_row *row)
{
    json_t *object = ORR_OBJECT(json, ORR_STRING("based_on", row->band.based_on));
    set_number(json, object, "low", row->band.low);
    set_number(json, object, "high", row->band.high);
    ORR_SET(json, object, ORR_INT("results", row->band.results), ORR_INT("sources", row->band.sources),
            ORR_BOOL("wide", row->band.wide));
    return object;
}

static json_t *row_json(struct orr_json *json, const struct orr_perf_row *row)
{
    json_t *object = ORR_OBJECT(json, ORR_INT("size", (int64_t)row->size));
    set_printed(json, object, "busbw", row->bus_bw);
    set_printed(json, object, "out_of_place", row->out);
    set_printed(json, object, "in_place", row->in);
    set_printed(json, object, "time", row->time);
    set_printed(json, object, "expected", row->known ? row->expected.bus_bw : -1);
    set_printed(json, object, "low", row->known && row->band.low > 0 ? row->low : -1);
    set_printed(json, object, "high", row->known && row->band.low > 0 ? row->high : -1);
    ORR_SET(json, object, ORR_STRING("verdict", orr_perf_verdict_name((enum orr_perf_verdict)row->verdict)),
            ORR_WHEN(*row->why, ORR_STRING("why", row->why)),
            ORR_STRING("algorithm", row->known ? row->expected.algorithm_name : NULL),
            ORR_STRING("protocol", row->known ? row->expected.protocol_name : NULL),
            ORR_WHEN(row->known, ORR_INT("channels", row->expected.channels)));
    return object;
}

static json_t *explanation_json(struct orr_json *json, const struct orr_perf_table *table,
                                const struct orr_perf_explanation *explanation)
{
    json_t *object = orr_json_object(json), *curve = orr_json_array(json);
    ORR_SET(json, object, ORR_VALUE("ids", orr_json_texts(json, explanation->ids, explanation->id_count)),
            ORR_STRING("what", explanation->what));
    set_number(json, object, "fit", explanation->fit);
    ORR_SET(json, object, ORR_STRING("confirm", explanation->confirm),
            ORR_WHEN(*explanation->evidence, ORR_STRING("evidence", explanation->evidence)));
    for (uint32_t i = 0; i < table->row_count; i++)
        orr_json_add(json, curve,
                     explanation->curve[i] > 0 ? orr_json_number(json, explanation->curve[i]) : json_null());
    orr_json_set(json, object, "curve", curve);
    return object;
}

static void set_machine(struct orr_json *json, json_t *object, const struct orr_perf_table *table)
{
    json_t *machine = ORR_OBJECT(json, ORR_STRING("name", table->machine_name),
                                 ORR_STRING("source", table->machine_source), ORR_STRING("sentence", table->machine));
    orr_json_set(json, object, "machine", table->analysis ? machine : json_null());
    if (!table->analysis) {
        json_decref(machine);
        return;
    }
    ORR_SET(json, object, ORR_STRING("network", orr_perf_link_name(orr_perf_network(table->analysis))),
            ORR_INT("generation", table->analysis->communicator.sm_min / 10),
            ORR_STRING("release", table->analysis->query.settings.release->name),
            ORR_INT("hosts", table->analysis->query.hosts), ORR_INT("ranks", table->analysis->ranks));
}

/* Writes one table. */
static void set_table(struct orr_json *json, json_t *object, const struct orr_perf_table *table)
{
    json_t *rows = orr_json_array(json), *crossovers = orr_json_array(json), *shapes = orr_json_array(json),
           *explanations = orr_json_array(json);
    ORR_SET(json, object, ORR_STRING("verdict", orr_perf_verdict_name(table->verdict)),
            ORR_STRING("sentence", table->sentence),
            ORR_STRING("collective", table->test < ORR_TEST_COUNT ? orr_test_programs[table->test].name : NULL));
    set_machine(json, object, table);
    for (uint32_t i = 0; i < table->row_count; i++)
        orr_json_add(json, rows, row_json(json, &table->rows[i]));
    ORR_SET(json, object, ORR_VALUE("rows", rows),
            ORR_VALUE("main", table->main == UINT32_MAX ? json_null() : orr_json_int(json, table->main)),
            ORR_VALUE("band", table->main == UINT32_MAX ? json_null() : band_json(json, &table->rows[table->main])));
    for (uint32_t i = 0; i < table->crossover_count; i++) {
        const struct orr_perf_crossover *at = &table->crossovers[i];
        orr_json_add(
            json, crossovers,
            ORR_OBJECT(
                json, ORR_INT("size", (int64_t)at->size),
                ORR_VALUE("from", orr_json_format(json, "%s/%s", at->from->algorithm_name, at->from->protocol_name)),
                ORR_VALUE("to", orr_json_format(json, "%s/%s", at->to->algorithm_name, at->to->protocol_name))));
    }
    orr_json_set(json, object, "crossovers", crossovers);
    for (uint32_t i = 0; i < table->shape_count; i++) {
        orr_json_add(json, shapes,
                     ORR_OBJECT(json, ORR_STRING("kind", orr_perf_shape_name(table->shapes[i].kind)),
                                ORR_INT("from", (int64_t)table->shapes[i].from),
                                ORR_INT("to", (int64_t)table->shapes[i].to),
                                ORR_STRING("sentence", table->shapes[i].sentence)));
    }
    orr_json_set(json, object, "shapes", shapes);
    for (uint32_t i = 0; i < table->explanation_count; i++)
        orr_json_add(json, explanations, explanation_json(json, table, &table->explanations[i]));
    ORR_SET(json, object, ORR_VALUE("leads", orr_json_texts(json, table->leads, table->lead_count)),
            ORR_VALUE("explanations", explanations), ORR_STRING("advice", table->advice),
            ORR_BOOL("all_tried", table->verdict != ORR_PERF_LOW || table->all_tried),
            ORR_STRING("limit", table->limit_known ? table->limit.text : NULL));
    set_printed(json, object, "per_nic", table->per_nic > 0 ? table->per_nic : -1);
    ORR_SET(json, object, ORR_VALUE("depends", orr_depends_json(json, &table->depends, "verdict", verdict_name)),
            ORR_VALUE("assumed", orr_json_texts(json, table->assumed, table->assumed_count)),
            ORR_INT("line", table->measured->first_line));
}

json_t *orr_perf_json(struct orr_json *json, const struct orr_results *results, const struct orr_perf_check *check)
{
    json_t *object = orr_json_object(json), *input = orr_json_object(json), *tables = orr_json_array(json);
    set_table(json, object, &check->tables[check->main]);
    for (uint32_t i = 0; i < check->table_count; i++) {
        json_t *one = orr_json_object(json);
        set_table(json, one, &check->tables[i]);
        orr_json_add(json, tables, one);
    }
    json_t *settings = orr_json_array(json);
    for (uint32_t i = 0; i < check->setting_count; i++)
        orr_json_add(json, settings,
                     ORR_OBJECT(json, ORR_STRING("name", check->settings[i].name),
                                ORR_STRING("value", check->settings[i].value), ORR_INT("line", check->settings[i].line),
                                ORR_BOOL("applied", check->settings[i].applied)));
    ORR_SET(json, object, ORR_INT("table", check->main), ORR_VALUE("tables", tables), ORR_VALUE("settings", settings),
            ORR_VALUE("symptoms", orr_symptoms_json(json, &check->symptoms)));
    ORR_SET(json, input, ORR_STRING("form", results->form), ORR_STRING("library", results->library),
            ORR_INT("left_out", results->left_out), ORR_INT("torn", results->torn),
            ORR_INT("refused", results->refused),
            ORR_VALUE("notes", orr_json_texts(json, results->notes, results->note_count)));
    orr_json_set(json, object, "input", input);
    return object;
}
