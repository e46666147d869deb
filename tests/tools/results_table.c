/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what engine/nccltests reads of each file: a line of JSON with the file's tables, or its error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/nccltests/results.h"

static void print_string(const char *text)
{
    putchar('"');
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else
            putchar((unsigned char)*text >= 0x20 && (unsigned char)*text < 0x7f ? *text : '?');
    putchar('"');
}

static void print_text(const char *name, const char *text)
{
    printf("\"%s\": ", name);
    if (text)
        print_string(text);
    else
        printf("null");
    printf(", ");
}

static void print_table(const struct orr_result_table *table)
{
    const struct orr_result_row *last = &table->rows[table->row_count - 1];
    printf("{");
    print_text("test", table->test == ORR_TEST_COUNT ? NULL : orr_test_programs[table->test].name);
    print_text("model", table->model);
    print_text("type", table->type);
    print_text("op", table->op);
    printf("\"test_certain\": %s, \"possible\": %u, \"ranks\": %u, \"ranks_certain\": %s, \"least\": %u, \"most\": %u, "
           "\"hosts\": %u, \"threads\": %u, \"gpus\": %u, \"devices\": %u, \"iterations\": %d, \"warmup\": %d, "
           "\"rows\": %u, \"complete\": %s, \"average\": %.4f, \"out_of_bounds\": %lld, \"first_size\": %llu, "
           "\"size\": %llu, \"out\": %.2f, \"in\": %.2f, \"first_line\": %u, \"last_line\": %u}",
           table->test_certain ? "true" : "false", table->tests_possible, table->ranks,
           table->ranks_certain ? "true" : "false", table->ranks_least, table->ranks_most, table->hosts, table->threads,
           table->gpus_per_thread, table->device_count, table->iterations, table->warmup, table->row_count,
           table->complete ? "true" : "false", table->average, (long long)table->out_of_bounds,
           (unsigned long long)table->rows[0].size, (unsigned long long)last->size, last->out.bus_bw, last->in.bus_bw,
           table->first_line, table->last_line);
}

/* Whether NCCL's own lines are in the text: a log is kept for settings alone too. */
static bool names_nccl(const struct orr_log *log)
{
    return log && (log->nccl_count || log->kinds[ORR_LOG_VERSION] || log->event_count);
}

static bool print_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return false;
    }
    struct orr_results_reader *reader;
    ORR_LOCAL(orr_results, results);
    struct orr_error err = {0};
    enum { PIECE = 1 << 16 };
    static char piece[PIECE];
    size_t length;
    enum orr_code code = orr_results_reader_new(&orr_results_stream_limits, &reader, &err);
    if (code == ORR_OK) {
        while (code == ORR_OK && (length = fread(piece, 1, PIECE, file)))
            code = orr_results_reader_feed(reader, piece, length, &err);
        if (code == ORR_OK)
            code = orr_results_reader_finish(reader, &results, &err);
        else
            orr_results_reader_free(reader);
    }
    fclose(file);
    printf("{");
    print_text("file", path);
    if (code != ORR_OK) {
        print_text("error", err.text);
        printf("\"tables\": []}\n");
        return true;
    }
    print_text("form", results->form);
    print_text("library", results->library);
    print_text("tests_version", results->tests_version);
    printf("\"log\": %s, \"lines\": %u, \"torn\": %u, \"refused\": %u, \"left_out\": %u, \"rccl\": %s, \"notes\": [",
           names_nccl(results->log) ? "true" : "false", results->line_count, results->torn, results->refused,
           results->left_out, results->rccl ? "true" : "false");
    for (uint32_t i = 0; i < results->note_count; i++) {
        printf("%s", i ? ", " : "");
        print_string(results->notes[i]);
    }
    printf("], \"tables\": [");
    for (uint32_t i = 0; i < results->table_count; i++) {
        printf("%s", i ? ", " : "");
        print_table(&results->tables[i]);
    }
    printf("]}\n");
    return true;
}

int main(int argc, char **argv)
{
    bool good = true;
    for (int i = 1; i < argc; i++)
        good = print_file(argv[i]) && good;
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
