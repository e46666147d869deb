/* orrery check-perf: results of nccl-tests against the rows that the machine should give. */
#include <stdio.h>

#include "cli/read_pieces.h"
#include "cli/terminal.h"
#include "engine/perf/perf.h"

static enum orr_code take(void *reader, const char *bytes, size_t length, struct orr_error *err)
{
    return orr_results_reader_feed(reader, bytes, length, err);
}

static enum orr_code read_results(const char *file, struct orr_results **ret_results, struct orr_error *err)
{
    struct orr_results_reader *reader;
    ORR_TRY(orr_results_reader_new(&orr_results_stream_limits, &reader, err));
    enum orr_code code = orr_read_pieces(file, "the results", take, reader, err);
    if (code == ORR_OK)
        return orr_results_reader_finish(reader, ret_results, err);
    orr_results_reader_free(reader);
    return code;
}

static void print_bandwidth(double value)
{
    if (value < 0)
        printf(" %9s", "-");
    else
        printf(" %9.2f", value);
}

static void print_rows(const struct orr_perf_table *table)
{
    printf("\n%14s %9s %9s %19s  %-16s %s\n", "size", "busbw", "predicted", "normal", "algorithm", "verdict");
    for (uint32_t i = 0; i < table->row_count; i++) {
        const struct orr_perf_row *row = &table->rows[i];
        printf("%14llu", (unsigned long long)row->size);
        print_bandwidth(row->bus_bw);
        print_bandwidth(row->known ? row->expected.bus_bw : -1);
        if (row->known && row->band.low > 0)
            printf(" %9.2f-%-9.2f", row->low, row->high);
        else
            printf(" %19s", "-");
        if (row->known)
            printf("  %-7s %-8s", row->expected.algorithm_name, row->expected.protocol_name);
        else
            printf("  %-16s", "-");
        printf(" %s%s%s\n", orr_perf_verdict_name(row->verdict), *row->why ? ": " : "", row->why);
    }
}

static void print_table(const struct orr_perf_table *table, bool rows)
{
    printf("%s\n", table->sentence);
    for (uint32_t i = 0; i < table->explanation_count; i++) {
        const struct orr_perf_explanation *explanation = &table->explanations[i];
        printf("%sThis looks as if %s (fit %.2f%s%s).\n  %s\n", i ? "" : "\n", explanation->what, explanation->fit,
               *explanation->evidence ? "; " : "", explanation->evidence, explanation->confirm);
    }
    if (table->verdict == ORR_PERF_LOW && !table->explanation_count)
        printf("\n%s\n", table->all_tried
                             ? "None of the configurations that were tried fits these results."
                             : "Not all configurations were tried: the analyses allowed for explanations were spent.");
    for (uint32_t i = 0; i < table->shape_count; i++)
        printf("%s%s\n", i ? "" : "\n", table->shapes[i].sentence);
    if (table->per_nic > 0)
        printf("\nEach NIC carried %.1f GB/s in each direction.\n", table->per_nic);
    if (*table->machine)
        printf("\nMachine: %s.\n", table->machine);
    if (table->main != UINT32_MAX) {
        const struct orr_band *band = &table->rows[table->main].band;
        printf("Normal is %.0f to %.0f %% of the prediction: %s, %u result%s of %u source%s.\n", 100 * band->low,
               100 * band->high, band->based_on, band->results, band->results == 1 ? "" : "s", band->sources,
               band->sources == 1 ? "" : "s");
    }
    for (uint32_t i = 0; i < table->assumed_count; i++)
        printf("Assumed: %s.\n", table->assumed[i]);
    if (rows)
        print_rows(table);
}

static int print_check(const struct orr_results *results, const struct orr_perf_check *check)
{
    orr_progress_end();
    for (uint32_t i = 0; i < check->table_count; i++) {
        const struct orr_perf_table *table = &check->tables[i];
        if (check->table_count > 1)
            printf("%sTable %u (%s, line %u)\n", i ? "\n" : "", i + 1,
                   table->test < ORR_TEST_COUNT ? orr_test_programs[table->test].name : "operation not known",
                   table->measured->first_line);
        print_table(table, true);
    }
    printf("\nRead as %s: %u table%s.\n", results->form, check->table_count, check->table_count == 1 ? "" : "s");
    for (uint32_t i = 0; i < results->note_count; i++)
        printf("  %s.\n", results->notes[i]);
    return fflush(stdout) ? ORR_EXIT_INPUT : ORR_EXIT_OK;
}

int orr_command_check_perf(const struct orr_options *options)
{
    static const int statuses[] = {[ORR_PERF_EXPECTED] = ORR_EXIT_OK,
                                   [ORR_PERF_HIGH] = ORR_EXIT_OK,
                                   [ORR_PERF_LOW] = ORR_EXIT_LOW,
                                   [ORR_PERF_CANNOT_JUDGE] = ORR_EXIT_UNJUDGED};
    struct orr_error err = {0};
    struct orr_perf_question question;
    ORR_LOCAL(orr_results, results);
    ORR_LOCAL(orr_perf_check, check);
    ORR_LOCAL(orr_dump, dump);
    int status = ORR_EXIT_OK;
    if (orr_params_perf(&options->params, &question, &err) != ORR_OK)
        return orr_report(NULL, &err);
    if (read_results(options->file, &results, &err) != ORR_OK)
        return orr_report(orr_input_name(options->file), &err);
    if (options->topology || options->params.machine) {
        struct orr_options machine = *options;
        machine.file = options->topology;
        status = orr_read_dump(&machine, NULL, &dump);
        question.dump_name = options->params.machine ? options->params.machine->name : orr_base_name(options->topology);
    }
    question.dump = dump;
    if (!status && orr_perf_judge(results, &question, &check, &err) != ORR_OK)
        status = orr_report(options->topology ? options->topology : orr_input_name(options->file), &err);
    if (check && !orr_is_for_people(options)) {
        struct orr_json json = {0};
        status = orr_print_json(&json, orr_perf_json(&json, results, check), true);
    } else if (check) {
        status = print_check(results, check);
    }
    if (check && !status)
        status = statuses[check->tables[check->main].verdict];
    return status;
}
