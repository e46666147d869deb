/* Results of nccl-tests judged, as JSON. */
#include "api/sections.h"
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
    json_t *object = orr_json_object(json);
    orr_json_set_text(json, object, "based_on", row->band.based_on);
    set_number(json, object, "low", row->band.low);
    set_number(json, object, "high", row->band.high);
    orr_json_set_int(json, object, "results", row->band.results);
    orr_json_set_int(json, object, "sources", row->band.sources);
    orr_json_set(json, object, "wide", orr_json_bool(json, row->band.wide));
    return object;
}

static json_t *row_json(struct orr_json *json, const struct orr_perf_row *row)
{
    json_t *object = orr_json_object(json);
    orr_json_set_int(json, object, "size", (int64_t)row->size);
    set_printed(json, object, "busbw", row->bus_bw);
    set_printed(json, object, "out_of_place", row->out);
    set_printed(json, object, "in_place", row->in);
    set_printed(json, object, "time", row->time);
    set_printed(json, object, "expected", row->known ? row->expected.bus_bw : -1);
    set_printed(json, object, "low", row->known && row->band.low > 0 ? row->low : -1);
    set_printed(json, object, "high", row->known && row->band.low > 0 ? row->high : -1);
    orr_json_set_text(json, object, "verdict", orr_perf_verdict_name(row->verdict));
    if (*row->why)
        orr_json_set_text(json, object, "why", row->why);
    orr_json_set(json, object, "algorithm",
                 row->known ? orr_json_text(json, row->expected.algorithm_name) : json_null());
    orr_json_set(json, object, "protocol", row->known ? orr_json_text(json, row->expected.protocol_name) : json_null());
    if (row->known)
        orr_json_set_int(json, object, "channels", row->expected.channels);
    return object;
}

static json_t *texts(struct orr_json *json, const char *const *list, uint32_t count)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < count; i++)
        orr_json_add(json, array, orr_json_text(json, list[i]));
    return array;
}

static json_t *explanation_json(struct orr_json *json, const struct orr_perf_table *table,
                                const struct orr_perf_explanation *explanation)
{
    json_t *object = orr_json_object(json), *curve = orr_json_array(json);
    orr_json_set(json, object, "ids", texts(json, explanation->ids, explanation->id_count));
    orr_json_set_text(json, object, "what", explanation->what);
    set_number(json, object, "fit", explanation->fit);
    orr_json_set_text(json, object, "confirm", explanation->confirm);
    if (*explanation->evidence)
        orr_json_set_text(json, object, "evidence", explanation->evidence);
    for (uint32_t i = 0; i < table->row_count; i++)
        orr_json_add(json, curve,
                     explanation->curve[i] > 0 ? orr_json_number(json, explanation->curve[i]) : json_null());
    orr_json_set(json, object, "curve", curve);
    return object;
}

static void set_machine(struct orr_json *json, json_t *object, const struct orr_perf_table *table)
{
    json_t *machine = orr_json_object(json);
    orr_json_set_text(json, machine, "name", table->machine_name);
    orr_json_set_text(json, machine, "source", table->machine_source);
    orr_json_set_text(json, machine, "sentence", table->machine);
    orr_json_set(json, object, "machine", table->analysis ? machine : json_null());
    if (!table->analysis) {
        json_decref(machine);
        return;
    }
    orr_json_set_text(json, object, "network", orr_perf_link_name(orr_perf_network(table->analysis)));
    orr_json_set_int(json, object, "generation", table->analysis->communicator.sm_min / 10);
    orr_json_set_text(json, object, "release", table->analysis->query.settings.release->name);
    orr_json_set_int(json, object, "hosts", table->analysis->query.hosts);
    orr_json_set_int(json, object, "ranks", table->analysis->ranks);
}

/* What the document says about one table. */
static void set_table(struct orr_json *json, json_t *object, const struct orr_perf_table *table)
{
    json_t *rows = orr_json_array(json), *crossovers = orr_json_array(json), *shapes = orr_json_array(json),
           *explanations = orr_json_array(json);
    orr_json_set_text(json, object, "verdict", orr_perf_verdict_name(table->verdict));
    orr_json_set_text(json, object, "sentence", table->sentence);
    orr_json_set(json, object, "collective",
                 table->test < ORR_TEST_COUNT ? orr_json_text(json, orr_test_programs[table->test].name) : json_null());
    set_machine(json, object, table);
    for (uint32_t i = 0; i < table->row_count; i++)
        orr_json_add(json, rows, row_json(json, &table->rows[i]));
    orr_json_set(json, object, "rows", rows);
    orr_json_set(json, object, "main", table->main == UINT32_MAX ? json_null() : orr_json_int(json, table->main));
    orr_json_set(json, object, "band",
                 table->main == UINT32_MAX ? json_null() : band_json(json, &table->rows[table->main]));
    for (uint32_t i = 0; i < table->crossover_count; i++) {
        const struct orr_perf_crossover *at = &table->crossovers[i];
        json_t *one = orr_json_object(json);
        orr_json_set_int(json, one, "size", (int64_t)at->size);
        orr_json_set(json, one, "from",
                     orr_json_format(json, "%s/%s", at->from->algorithm_name, at->from->protocol_name));
        orr_json_set(json, one, "to", orr_json_format(json, "%s/%s", at->to->algorithm_name, at->to->protocol_name));
        orr_json_add(json, crossovers, one);
    }
    orr_json_set(json, object, "crossovers", crossovers);
    for (uint32_t i = 0; i < table->shape_count; i++) {
        json_t *one = orr_json_object(json);
        orr_json_set_text(json, one, "kind", orr_perf_shape_name(table->shapes[i].kind));
        orr_json_set_int(json, one, "from", (int64_t)table->shapes[i].from);
        orr_json_set_int(json, one, "to", (int64_t)table->shapes[i].to);
        orr_json_set_text(json, one, "sentence", table->shapes[i].sentence);
        orr_json_add(json, shapes, one);
    }
    orr_json_set(json, object, "shapes", shapes);
    for (uint32_t i = 0; i < table->explanation_count; i++)
        orr_json_add(json, explanations, explanation_json(json, table, &table->explanations[i]));
    orr_json_set(json, object, "explanations", explanations);
    orr_json_set(json, object, "all_tried", orr_json_bool(json, table->verdict != ORR_PERF_LOW || table->all_tried));
    orr_json_set(json, object, "limit", table->limit_known ? orr_json_text(json, table->limit.text) : json_null());
    set_printed(json, object, "per_nic", table->per_nic > 0 ? table->per_nic : -1);
    orr_json_set(json, object, "assumed", texts(json, table->assumed, table->assumed_count));
    orr_json_set_int(json, object, "line", table->measured->first_line);
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
    orr_json_set(json, object, "table", orr_json_int(json, check->main));
    orr_json_set(json, object, "tables", tables);
    orr_json_set_text(json, input, "form", results->form);
    orr_json_set(json, input, "library", results->library ? orr_json_text(json, results->library) : json_null());
    orr_json_set_int(json, input, "left_out", results->left_out);
    orr_json_set_int(json, input, "torn", results->torn);
    orr_json_set_int(json, input, "refused", results->refused);
    orr_json_set(json, input, "notes", texts(json, results->notes, results->note_count));
    orr_json_set(json, object, "input", input);
    return object;
}
