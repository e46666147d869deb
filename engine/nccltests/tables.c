/* SPDX-License-Identifier: Apache-2.0 */
/* Builds tables as rows arrive, with the headers that they belong to. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/nccltests/reading.h"

const char *orr_tables_keep(struct orr_results_building *b, struct orr_span text)
{
    const char *kept = orr_arena_strndup(b->results->arena, text.at, text.length);
    return kept;
}

void orr_tables_note(struct orr_results_building *b, const char *format, ...)
{
    enum { NOTES_MOST = 32, NOTE_MOST = 400 };
    char text[NOTE_MOST];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    for (uint32_t i = 0; i < b->results->note_count; i++)
        if (!strcmp(b->notes[i], text))
            return;
    if (b->results->note_count == NOTES_MOST)
        return;
    const char *kept = orr_tables_keep(b, (struct orr_span){text, strlen(text)});
    if (!kept || !ORR_RESERVE(b->results->arena, b->notes, b->results->note_count, b->note_capacity))
        return;
    b->notes[b->results->note_count++] = kept;
    b->results->notes = b->notes;
}

void orr_tables_close(struct orr_results_building *b)
{
    b->open = false;
    b->in_excess = false;
}

struct orr_result_table *orr_tables_last(struct orr_results_building *b)
{
    return b->results->table_count && !b->in_excess ? &b->tables[b->results->table_count - 1] : NULL;
}

void orr_tables_run(struct orr_results_building *b)
{
    orr_tables_close(b);
    b->columns = (struct orr_columns){0};
    b->last_numbers = 0;
    if (!b->run.fresh)
        b->run = (struct orr_run){.fresh = true, .named = ORR_TEST_COUNT, .iterations = -1, .warmup = -1};
}

void orr_tables_device(struct orr_results_building *b, const struct orr_result_device *device, struct orr_span host,
                       struct orr_span bus_id, struct orr_span model)
{
    struct orr_run *run = &b->run;
    if (b->devices_kept == b->limits.devices) {
        orr_tables_note(b, "Only the first %u lines about ranks were read", b->limits.devices);
        return;
    }
    run->fresh = false;
    if (!ORR_RESERVE(b->results->arena, run->devices, run->device_count, run->device_capacity))
        return;
    /* Most lines have the host and the model of the line before. */
    const struct orr_result_device *last = run->device_count ? &run->devices[run->device_count - 1] : NULL;
    struct orr_result_device *kept = &run->devices[run->device_count];
    *kept = *device;
    bool same_host = last && strlen(last->host) == host.length && !memcmp(last->host, host.at, host.length);
    bool same_model = last && strlen(last->model) == model.length && !memcmp(last->model, model.at, model.length);
    kept->host = same_host ? last->host : orr_tables_keep(b, host);
    kept->model = same_model ? last->model : orr_tables_keep(b, model);
    kept->bus_id = orr_tables_keep(b, bus_id);
    if (orr_arena_starved(b->results->arena))
        return;
    enum { HOSTS_MOST = sizeof b->hosts.names / sizeof b->hosts.names[0] };
    if (!same_host && b->hosts.count < HOSTS_MOST)
        b->hosts.names[b->hosts.count++] = kept->host;
    run->device_count++;
    b->devices_kept++;
}

const char *orr_tables_release(struct orr_results_building *b, uint64_t code)
{
    enum { FIVE_DIGITS = 10000 }; /* from 2.9 on; 2.8.4 is 2804 */
    unsigned major = (unsigned)(code / (code < FIVE_DIGITS ? 1000 : FIVE_DIGITS));
    unsigned minor = (unsigned)(code < FIVE_DIGITS ? code / 100 % 10 : code / 100 % 100);
    char text[32];
    if (code < 2000 || code >= 100 * (uint64_t)FIVE_DIGITS)
        return NULL;
    snprintf(text, sizeof text, "%u.%u.%u", major, minor, (unsigned)(code % 100));
    return orr_tables_keep(b, (struct orr_span){text, strlen(text)});
}

void orr_tables_library(struct orr_results_building *b, uint64_t code)
{
    const char *text = orr_tables_release(b, code);
    if (!text)
        return;
    snprintf(b->said.release, sizeof b->said.release, "%.15s", text);
    if (!b->results->library)
        b->results->library = text;
    else if (strcmp(b->results->library, text) != 0)
        orr_tables_note(b, "The text has results of several NCCL releases, such as %s and %s", b->results->library,
                        text);
}

static struct orr_result_table *open_table(struct orr_results_building *b, const struct orr_result_row *row,
                                           const char *type, const char *op)
{
    struct orr_results *results = b->results;
    orr_tables_close(b);
    b->open = true;
    b->in_excess = results->table_count == b->limits.tables;
    if (b->in_excess)
        return NULL;
    struct orr_run *run = &b->run;
    run->fresh = false;
    struct orr_result_table *table = &b->tables[results->table_count];
    *table = (struct orr_result_table){
        .test = run->named,
        .test_certain = run->named != ORR_TEST_COUNT,
        .threads = run->threads,
        .gpus_per_thread = run->gpus,
        .devices = run->devices,
        .device_count = run->device_count,
        .iterations = run->iterations,
        .warmup = run->warmup,
        .min_bytes = run->min_bytes,
        .max_bytes = run->max_bytes,
        .average = -1,
        .out_of_bounds = -1,
        .first_line = row->line,
        .library =
            b->said.release[0] ? orr_tables_keep(b, (struct orr_span){b->said.release, strlen(b->said.release)}) : NULL,
        .type = *type ? orr_tables_keep(b, (struct orr_span){type, strlen(type)}) : NULL,
        .op = *op ? orr_tables_keep(b, (struct orr_span){op, strlen(op)}) : NULL,
    };
    b->evidence[results->table_count] =
        (struct orr_evidence){.mentioned = b->mentioned, .command = b->command, .ranks_a_device = run->ranks_a_device};
    results->table_count++;
    b->rows = NULL;
    b->row_capacity = 0;
    return table;
}

/* Whether busbw / algbw shows that two rows are of different numbers of ranks, as in a loop over the GPUs. */
static bool of_others(const struct orr_result_row *a, const struct orr_result_row *b)
{
    static const double LEAST = 5, SAME = 0.01; /* GB/s; the digits of smaller ones say little */
    if (a->out.alg_bw < LEAST || b->out.alg_bw < LEAST || a->out.bus_bw < 0 || b->out.bus_bw < 0)
        return false;
    const double ratio = a->out.bus_bw / a->out.alg_bw * b->out.alg_bw / b->out.bus_bw;
    return ratio < 1 - SAME || ratio > 1 + SAME;
}

/* Whether a row cannot belong to the table that is open. */
static bool begins(const struct orr_results_building *b, const struct orr_result_row *row, const char *type,
                   const char *op)
{
    if (!b->open)
        return true;
    if (b->in_excess)
        return b->last_size > row->size;
    const struct orr_result_table *table = &b->tables[b->results->table_count - 1];
    const struct orr_result_row *last = &b->rows[table->row_count - 1];
    if (row->size == last->size && of_others(row, last))
        return true;
    if (row->size < last->size ? !b->any_order || (table->row_count > 1 && b->rows[0].size < last->size)
                               : row->size > last->size && b->rows[0].size > last->size)
        return true;
    return strcmp(table->type ? table->type : "", type) != 0 || strcmp(table->op ? table->op : "", op) != 0 ||
           last->root != row->root;
}

struct orr_evidence *orr_tables_add(struct orr_results_building *b, const struct orr_result_row *row, const char *type,
                                    const char *op)
{
    bool begun = begins(b, row, type, op);
    struct orr_result_table *table = begun ? open_table(b, row, type, op) : orr_tables_last(b);
    b->last_size = row->size;
    if (!table) {
        b->results->left_out++;
        return NULL;
    }
    if (table->row_count == b->limits.rows) {
        b->results->left_out++;
        return &b->evidence[table - b->tables];
    }
    if (!ORR_RESERVE(b->results->arena, b->rows, table->row_count, b->row_capacity))
        return NULL;
    b->rows[table->row_count++] = *row;
    table->rows = b->rows;
    table->last_line = row->line;
    return &b->evidence[table - b->tables];
}
