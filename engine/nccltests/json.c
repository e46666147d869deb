/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON file of nccl-tests' option -J, read as its bytes come: only the keys that nccl-tests writes are kept, others
 * are skipped with their contents. engine/ has no JSON library (jansson is the api's), and the file can be larger than
 * the limit on memory: -J with times of each iteration. */
#include <string.h>

#include "engine/base/budget.h"
#include "engine/nccltests/reading.h"

enum { DEPTH_MOST = 16, KEY_MOST = 32, TEXT_MOST = 1024 };

/* Where a value is. */
enum area { TOP, ARGS, CONFIG, DEVICES, DEVICE, RESULTS, ROW, OUT, IN, BOUNDS, AVERAGE, OTHER };

struct level {
    enum area area;
    bool list;
    char key[KEY_MOST];
};

struct orr_results_json {
    struct orr_results_building *b;
    struct level levels[DEPTH_MOST];
    uint32_t depth; /* levels that are open; those beyond DEPTH_MOST are only counted */
    bool in_string, escaped, in_word, text_is_key, over;
    char text[TEXT_MOST]; /* of the string or number */
    size_t length;
    uint32_t row_number;
    struct orr_result_row row;
    char type[16], op[16];
    bool has[2];
    struct orr_number numbers[2][3];
    struct orr_result_device device;
    char host[256], bus_id[64], model[256];
};

struct orr_results_json *orr_results_json_new(struct orr_results_building *b)
{
    struct orr_results_json *json = ORR_NEW(b->results->arena, struct orr_results_json, 1);
    if (json)
        json->b = b;
    b->results->form = "JSON of nccl-tests (-J)";
    return json;
}

static struct level *top(struct orr_results_json *json)
{
    return json->depth && json->depth <= DEPTH_MOST ? &json->levels[json->depth - 1] : NULL;
}

/* What an object or list is, by the key and the place that it is in. */
static enum area area_of(const struct level *parent)
{
    static const struct {
        enum area parent;
        const char *key;
        enum area area;
    } areas[] = {
        {TOP, "args", ARGS},          {TOP, "config", CONFIG},   {TOP, "devices", DEVICES},
        {CONFIG, "devices", DEVICES}, {TOP, "results", RESULTS}, {TOP, "out_of_bounds", BOUNDS},
        {ROW, "out_of_place", OUT},   {ROW, "in_place", IN},     {TOP, "average_bus_bandwidth", AVERAGE},
    };
    if (parent->list)
        return parent->area == DEVICES ? DEVICE : parent->area == RESULTS ? ROW : OTHER;
    for (size_t i = 0; i < sizeof areas / sizeof areas[0]; i++)
        if (areas[i].parent == parent->area && !strcmp(areas[i].key, parent->key))
            return areas[i].area;
    return OTHER;
}

static void open_level(struct orr_results_json *json, bool list)
{
    const struct level *parent = top(json);
    enum area area = json->depth ? parent ? area_of(parent) : OTHER : TOP;
    if (!json->depth)
        orr_rows_run(json->b);
    if (json->depth++ >= DEPTH_MOST)
        return;
    struct level *level = &json->levels[json->depth - 1];
    *level = (struct level){.area = area, .list = list};
    static const struct orr_result_way none = {.time = -1, .alg_bw = -1, .bus_bw = -1, .wrong = -1};
    if (area == ROW && !list) {
        json->row = (struct orr_result_row){.root = -1, .line = ++json->row_number, .out = none, .in = none};
        json->type[0] = json->op[0] = 0;
        json->has[0] = json->has[1] = false;
        for (int way = 0; way < 2; way++)
            for (int i = 0; i < 3; i++)
                json->numbers[way][i] = (struct orr_number){.missing = true};
    }
    if (area == DEVICE && !list) {
        json->device = (struct orr_result_device){.group = -1, .device = -1};
        json->host[0] = json->bus_id[0] = json->model[0] = 0;
    }
}

static struct orr_span span_of(const char *text)
{
    return (struct orr_span){text, strlen(text)};
}

static void end_row(struct orr_results_json *json)
{
    struct orr_results_building *b = json->b;
    const struct orr_result_way *ways[] = {&json->row.out, &json->row.in};
    bool measured = false;
    for (int way = 0; way < 2; way++) {
        for (int i = 0; i < 3; i++)
            if (!json->numbers[way][i].missing && json->numbers[way][i].value < 0) {
                orr_rows_refuse(b, "a time or bandwidth is negative", json->row.line);
                return;
            }
        measured |= ways[way]->bus_bw >= 0 || ways[way]->alg_bw >= 0;
    }
    if (!measured)
        return;
    if (!json->has[0]) {
        orr_rows_refuse(b, "its size is missing or negative", json->row.line);
        return;
    }
    struct orr_evidence *e = orr_tables_add(b, &json->row, json->type, json->op);
    if (!e)
        return;
    bool reduction = json->op[0] && strcmp(json->op, "none") != 0;
    e->reduces |= reduction;
    e->reduces_not |= !reduction;
    e->rooted |= json->row.root >= 0;
    e->rooted_not |= json->row.root < 0;
    e->in_checked |= json->row.in.wrong >= 0 && json->row.out.wrong >= 0;
    e->in_unchecked |= json->row.in.wrong < 0 && json->row.out.wrong >= 0 && json->row.in.bus_bw >= 0;
    orr_evidence_parts(e, json->row.size, json->row.count, orr_type_bytes(span_of(json->type)));
    for (int way = 0; way < 2; way++)
        orr_evidence_add(e, json->row.size, &json->numbers[way][0], &json->numbers[way][1], &json->numbers[way][2]);
}

static void close_level(struct orr_results_json *json)
{
    struct level *level = top(json);
    if (level && level->area == ROW && !level->list)
        end_row(json);
    if (level && level->area == DEVICE && !level->list)
        orr_tables_device(json->b, &json->device, span_of(json->host), span_of(json->bus_id), span_of(json->model));
    if (json->depth)
        json->depth--;
}

static void copy(char *into, size_t room, const char *text)
{
    size_t length = strnlen(text, room - 1);
    memcpy(into, text, length);
    into[length] = 0;
}

static struct orr_span trimmed(const char *text)
{
    while (*text == ' ')
        text++;
    return span_of(text);
}

static void take_config(struct orr_run *run, const char *key, uint64_t value)
{
    enum { MOST = 1 << 20 };
    uint32_t small = value <= MOST ? (uint32_t)value : 0;
    if (!strcmp(key, "nthreads"))
        run->threads = small;
    else if (!strcmp(key, "ngpus"))
        run->gpus = small;
    else if (!strcmp(key, "minimum_bytes"))
        run->min_bytes = value;
    else if (!strcmp(key, "maximum_bytes"))
        run->max_bytes = value;
    else if (!strcmp(key, "warmup_iters"))
        run->warmup = (int32_t)small;
    else if (!strcmp(key, "iterations"))
        run->iterations = (int32_t)small;
    /* The list of devices has the first rank of each process only. */
    run->ranks_a_device = run->threads && run->gpus ? run->threads * run->gpus : 1;
}

static void take_measured(struct orr_results_json *json, int way, const char *key, const struct orr_number *number)
{
    static const char *const keys[] = {"time", "alg_bw", "bus_bw"};
    struct orr_result_way *result = way ? &json->row.in : &json->row.out;
    double *values[] = {&result->time, &result->alg_bw, &result->bus_bw};
    for (int i = 0; i < 3; i++)
        if (!strcmp(key, keys[i]) || (i == 0 && !strcmp(key, "cpu_time"))) {
            *values[i] = number->missing ? -1 : number->value;
            json->numbers[way][i] = *number;
        }
    if (!strcmp(key, "nwrong") && !number->missing && number->value >= 0 && number->value < 0x1p62)
        result->wrong = (int64_t)number->value;
}

static void take_row(struct orr_results_json *json, const char *key, const char *text, bool integer,
                     const struct orr_number *number)
{
    if (!strcmp(key, "size") && integer) {
        json->row.size = number->whole;
        json->has[0] = true;
    } else if (!strcmp(key, "count") && integer) {
        json->row.count = number->whole;
    } else if (!strcmp(key, "type")) {
        copy(json->type, sizeof json->type, text);
    } else if (!strcmp(key, "redop")) {
        copy(json->op, sizeof json->op, text);
    } else if (!strcmp(key, "root")) {
        struct orr_number root;
        if (orr_number_read(trimmed(text), &root) && root.integer && root.whole <= INT32_MAX)
            json->row.root = root.negative ? -1 : (int32_t)root.whole;
    }
}

static void take_device(struct orr_results_json *json, const char *key, const char *text, bool integer,
                        const struct orr_number *number)
{
    enum { RANKS_MOST = 1 << 20 };
    if (integer && number->whole < RANKS_MOST) {
        if (!strcmp(key, "rank"))
            json->device.rank = (uint32_t)number->whole;
        else if (!strcmp(key, "group"))
            json->device.group = (int32_t)number->whole;
        else if (!strcmp(key, "device"))
            json->device.device = (int32_t)number->whole;
    }
    if (!strcmp(key, "hostname"))
        copy(json->host, sizeof json->host, text);
    else if (!strcmp(key, "device_hex"))
        copy(json->bus_id, sizeof json->bus_id, text);
    else if (!strcmp(key, "device_info"))
        copy(json->model, sizeof json->model, text);
}

/* A string, number or word that is a value. */
static void take_value(struct orr_results_json *json)
{
    struct level *level = top(json);
    struct orr_results_building *b = json->b;
    struct orr_number number;
    if (!level || json->over)
        return;
    const char *key = level->key, *text = json->text;
    bool numeric = orr_number_read(span_of(text), &number), integer = numeric && number.integer && !number.negative;
    if (!numeric)
        number = (struct orr_number){.missing = true};
    if (level->area == TOP && !level->list && !strcmp(key, "nccl_version") && integer)
        orr_tables_library(b, number.whole);
    else if (level->area == ARGS && b->run.named == ORR_TEST_COUNT)
        b->run.named = orr_test_find(text, json->length);
    else if (level->area == CONFIG && integer)
        take_config(&b->run, key, number.whole);
    else if (level->area == DEVICE)
        take_device(json, key, text, integer, &number);
    else if (level->area == ROW)
        take_row(json, key, text, integer, &number);
    else if (level->area == OUT || level->area == IN)
        take_measured(json, level->area == IN, key, &number);
    struct orr_result_table *table = orr_tables_last(b);
    if (table && level->area == BOUNDS && !strcmp(key, "count") && integer && number.whole <= INT64_MAX) {
        table->out_of_bounds = (int64_t)number.whole;
        table->complete = true;
    }
    if (table && level->area == AVERAGE && !strcmp(key, "bandwidth") && numeric && number.value >= 0)
        table->average = number.value;
}

static void end_text(struct orr_results_json *json)
{
    struct level *level = top(json);
    json->text[json->length] = 0;
    if (json->text_is_key && level) {
        copy(level->key, sizeof level->key, json->over ? "" : json->text);
        json->text_is_key = false;
    }
}

static void add_char(struct orr_results_json *json, char c)
{
    if (json->length + 1 < TEXT_MOST)
        json->text[json->length++] = c;
    else
        json->over = true;
}

static void begin_text(struct orr_results_json *json)
{
    json->length = 0;
    json->over = false;
}

static void take_string_char(struct orr_results_json *json, char c)
{
    if (json->escaped) {
        json->escaped = false;
        add_char(json, c == 'n' || c == 't' ? ' ' : c);
    } else if (c == '\\') {
        json->escaped = true;
    } else if (c == '"') {
        json->in_string = false;
        json->text[json->length] = 0;
        json->text_is_key = true; /* unless a comma or an end follows instead of a colon */
    } else {
        add_char(json, c);
    }
}

/* A word, or a string that no colon made a key, is a value once a comma or an end follows. */
static void end_value(struct orr_results_json *json)
{
    if (!json->in_word && !json->text_is_key)
        return;
    json->text[json->length] = 0;
    json->in_word = json->text_is_key = false;
    take_value(json);
}

static void take_char(struct orr_results_json *json, char c)
{
    if (json->in_string) {
        take_string_char(json, c);
        return;
    }
    switch (c) {
    case '"':
        begin_text(json);
        json->in_string = true;
        return;
    case ':':
        if (json->text_is_key)
            end_text(json);
        return;
    case '{':
    case '[':
        open_level(json, c == '[');
        return;
    case '}':
    case ']':
        end_value(json);
        close_level(json);
        return;
    case ',':
        end_value(json);
        return;
    case ' ':
    case '\t':
    case '\r':
    case '\n':
        return;
    default:
        if (!json->in_word)
            begin_text(json);
        json->in_word = true;
        add_char(json, c);
        return;
    }
}

enum orr_code orr_results_json_feed(struct orr_results_json *json, const char *bytes, size_t length,
                                    struct orr_error *err)
{
    enum { CHUNK = 256 };
    for (size_t at = 0; at < length;) {
        if (orr_budget_spent(CHUNK / 8))
            return orr_budget_check(err);
        for (size_t stop = at + CHUNK < length ? at + CHUNK : length; at < stop; at++)
            take_char(json, bytes[at]);
        if (orr_arena_starved(json->b->results->arena))
            return orr_fail_nomem(err);
    }
    return ORR_OK;
}
