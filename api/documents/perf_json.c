/* SPDX-License-Identifier: Apache-2.0 */
/* Results of nccl-tests judged, as JSON. */
#include "api/documents/sections.h"
#include "engine/perf/perf.h"

/* null where it is negative: not printed. */
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
    json_t *object = ORR_OBJECT(json, TEXT("based_on", row->band.based_on));
    set_number(json, object, "low", row->band.low);
    set_number(json, object, "high", row->band.high);
    ORR_SET(json, object, INT("results", row->band.results), INT("sources", row->band.sources),
            BOOL("wide", row->band.wide));
    return object;
}

static json_t *row_json(struct orr_json *json, const struct orr_perf_row *row)
{
    json_t *object = ORR_OBJECT(json, INT("size", (int64_t)row->size));
    set_printed(json, object, "busbw", row->bus_bw);
    set_printed(json, object, "out_of_place", row->out);
    set_printed(json, object, "in_place", row->in);
    set_printed(json, object, "time", row->time);
    set_printed(json, object, "expected", row->known ? row->expected.bus_bw : -1);
    set_printed(json, object, "low", row->known && row->band.low > 0 ? row->low : -1);
    set_printed(json, object, "high", row->known && row->band.low > 0 ? row->high : -1);
    ORR_SET(json, object, TEXT("verdict", orr_perf_verdict_name(row->verdict)), WHEN(*row->why, TEXT("why", row->why)),
            TEXT("algorithm", row->known ? row->expected.algorithm_name : NULL),
            TEXT("protocol", row->known ? row->expected.protocol_name : NULL),
            WHEN(row->known, INT("channels", row->expected.channels)));
    return object;
}

static json_t *explanation_json(struct orr_json *json, const struct orr_perf_table *table,
                                const struct orr_perf_explanation *explanation)
{
    json_t *object = orr_json_object(json), *curve = orr_json_array(json);
    ORR_SET(json, object, VALUE("ids", orr_json_texts(json, explanation->ids, explanation->id_count)),
            TEXT("what", explanation->what));
    set_number(json, object, "fit", explanation->fit);
    ORR_SET(json, object, TEXT("confirm", explanation->confirm),
            WHEN(*explanation->evidence, TEXT("evidence", explanation->evidence)));
    for (uint32_t i = 0; i < table->row_count; i++)
        orr_json_add(json, curve,
                     explanation->curve[i] > 0 ? orr_json_number(json, explanation->curve[i]) : json_null());
    orr_json_set(json, object, "curve", curve);
    return object;
}

static void set_machine(struct orr_json *json, json_t *object, const struct orr_perf_table *table)
{
    json_t *machine = ORR_OBJECT(json, TEXT("name", table->machine_name), TEXT("source", table->machine_source),
                                 TEXT("sentence", table->machine));
    orr_json_set(json, object, "machine", table->analysis ? machine : json_null());
    if (!table->analysis) {
        json_decref(machine);
        return;
    }
    ORR_SET(json, object, TEXT("network", orr_perf_link_name(orr_perf_network(table->analysis))),
            INT("generation", table->analysis->communicator.sm_min / 10),
            TEXT("release", table->analysis->query.settings.release->name), INT("hosts", table->analysis->query.hosts),
            INT("ranks", table->analysis->ranks));
}

/* What the document says about one table. */
static void set_table(struct orr_json *json, json_t *object, const struct orr_perf_table *table)
{
    json_t *rows = orr_json_array(json), *crossovers = orr_json_array(json), *shapes = orr_json_array(json),
           *explanations = orr_json_array(json);
    ORR_SET(json, object, TEXT("verdict", orr_perf_verdict_name(table->verdict)), TEXT("sentence", table->sentence),
            TEXT("collective", table->test < ORR_TEST_COUNT ? orr_test_programs[table->test].name : NULL));
    set_machine(json, object, table);
    for (uint32_t i = 0; i < table->row_count; i++)
        orr_json_add(json, rows, row_json(json, &table->rows[i]));
    ORR_SET(json, object, VALUE("rows", rows),
            VALUE("main", table->main == UINT32_MAX ? json_null() : orr_json_int(json, table->main)),
            VALUE("band", table->main == UINT32_MAX ? json_null() : band_json(json, &table->rows[table->main])));
    for (uint32_t i = 0; i < table->crossover_count; i++) {
        const struct orr_perf_crossover *at = &table->crossovers[i];
        orr_json_add(
            json, crossovers,
            ORR_OBJECT(json, INT("size", (int64_t)at->size),
                       VALUE("from", orr_json_format(json, "%s/%s", at->from->algorithm_name, at->from->protocol_name)),
                       VALUE("to", orr_json_format(json, "%s/%s", at->to->algorithm_name, at->to->protocol_name))));
    }
    orr_json_set(json, object, "crossovers", crossovers);
    for (uint32_t i = 0; i < table->shape_count; i++) {
        orr_json_add(json, shapes,
                     ORR_OBJECT(json, TEXT("kind", orr_perf_shape_name(table->shapes[i].kind)),
                                INT("from", (int64_t)table->shapes[i].from), INT("to", (int64_t)table->shapes[i].to),
                                TEXT("sentence", table->shapes[i].sentence)));
    }
    orr_json_set(json, object, "shapes", shapes);
    for (uint32_t i = 0; i < table->explanation_count; i++)
        orr_json_add(json, explanations, explanation_json(json, table, &table->explanations[i]));
    ORR_SET(json, object, VALUE("explanations", explanations),
            BOOL("all_tried", table->verdict != ORR_PERF_LOW || table->all_tried),
            TEXT("limit", table->limit_known ? table->limit.text : NULL));
    set_printed(json, object, "per_nic", table->per_nic > 0 ? table->per_nic : -1);
    ORR_SET(json, object, VALUE("assumed", orr_json_texts(json, table->assumed, table->assumed_count)),
            INT("line", table->measured->first_line));
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
    ORR_SET(json, object, INT("table", check->main), VALUE("tables", tables));
    ORR_SET(json, input, TEXT("form", results->form), TEXT("library", results->library),
            INT("left_out", results->left_out), INT("torn", results->torn), INT("refused", results->refused),
            VALUE("notes", orr_json_texts(json, results->notes, results->note_count)));
    orr_json_set(json, object, "input", input);
    return object;
}
