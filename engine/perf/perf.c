/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/perf/perf.h"

#include <string.h>

#include "engine/base/words.h"
#include "engine/perf/perfing.h"
#include "engine/release/release_names.h"
#include "engine/trials/limit.h"

ORR_WORD_LIST(orr_perf_shape_name, enum orr_perf_shape_kind, ORR_PERF_SHAPE_MAP(ORR_SECOND_OF))

static bool same_way(const struct orr_expected *a, const struct orr_expected *b)
{
    return a->algorithm == b->algorithm && a->protocol == b->protocol;
}

static void find_crossovers(struct orr_perf_table *table)
{
    const struct orr_perf_row *before = NULL;
    for (uint32_t i = 0; i < table->row_count; i++) {
        const struct orr_perf_row *row = &table->rows[i];
        if (row->known && before && !same_way(&before->expected, &row->expected) &&
            table->crossover_count < ORR_PERF_CROSSOVERS)
            table->crossovers[table->crossover_count++] =
                (struct orr_perf_crossover){row->size, &before->expected, &row->expected};
        before = row->known ? row : before;
    }
}

/* In a ring, every byte of bus bandwidth leaves each host once, over all its NICs together. */
static void find_rate(struct orr_perf_table *table)
{
    static const double FULL = 1.06; /* the bandwidth of the limit is what NCCL counts with, a little below the rate */
    if (table->main == UINT32_MAX || table->analysis->communicator.node_count < 2 || !table->limit_known ||
        table->limit.what != ORR_BOUND_NICS || !table->limit.count ||
        strcmp(table->rows[table->main].expected.algorithm_name, "Ring") != 0)
        return;
    const double per_nic = table->rows[table->main].bus_bw / table->limit.count;
    if (per_nic <= FULL * table->limit.bw) /* else other ways were in use */
        table->per_nic = per_nic;
}

/* Judges a table with a known machine: rows, verdict, shapes and causes. */
static enum orr_code judge_on(const struct orr_perf_work *work, const struct orr_perf_machine *machine,
                              struct orr_perf_table *table, const char **ret_why, struct orr_error *err)
{
    struct orr_expectation *expectation = NULL;
    struct orr_error own = {0};
    const struct orr_log_check *check = machine->compared.check;
    enum orr_code code = orr_expectation_new(machine->analysis, table->test, &expectation, &own);
    if (code == ORR_NOMEM || code == ORR_SPENT) {
        *err = own;
        return code;
    }
    if (code != ORR_OK)
        *ret_why = orr_arena_text(work->arena, "%s", own.text);
    const char *undecidable = check ? check->undecidable : NULL;
    if (table->measured->said_alone && !undecidable && !strcmp(table->machine_source, "guessed"))
        undecidable = "the text does not say how many GPUs these are; with that number, --machine TYPE judges it";
    if (!undecidable && orr_perf_bridges_assumed(machine, table))
        undecidable = "these GPUs are PCIe cards, and nothing shows whether NVLink bridges join them; paste the output "
                      "of `nvidia-smi topo -m` too";
    if (!undecidable)
        undecidable = orr_perf_split(work);
    orr_perf_judge_rows(expectation, undecidable, table);
    const bool expectation_made = code == ORR_OK;
    code = ORR_OK;
    if (expectation) {
        code = orr_find_limit(NULL, machine->analysis, table->test, expectation, &table->limit, err);
        table->limit_known = true;
    }
    orr_expectation_free(expectation);
    ORR_TRY(code);
    orr_perf_admit_trees(table);
    table->verdict = orr_perf_verdict_of(table->rows, table->row_count, &table->main);
    if (table->main == UINT32_MAX && expectation_made)
        for (uint32_t i = table->row_count; i-- > 0 && !**ret_why;)
            *ret_why = table->rows[i].why;
    return ORR_OK;
}

/* A result far above the prediction shows that the machine was guessed wrongly. */
static void doubt_guess(struct orr_perf_table *table)
{
    static const double FAR = 1.5;
    const struct orr_perf_row *row = table->main == UINT32_MAX ? NULL : &table->rows[table->main];
    if (row && table->verdict == ORR_PERF_HIGH && !strcmp(table->machine_source, "guessed") &&
        !table->measured->said_type && row->bus_bw > FAR * row->expected.bus_bw)
        table->verdict = ORR_PERF_CANNOT_JUDGE;
}

/* NCCL's model takes host memory for as fast as the PCIe links, which GPUs without P2P do not reach. */
static bool is_through_memory(const struct orr_perf_work *work, const struct orr_perf_table *table)
{
    bool refused = false;
    for (uint32_t i = 0; i < work->check->symptoms.count; i++)
        refused |= !strcmp(work->check->symptoms.rows[i].id, "p2p-not-offered");
    return refused && table->verdict == ORR_PERF_LOW && table->analysis->communicator.node_count == 1 &&
           !(table->limit.kinds >> ORR_LINKS_NVLINK & 1);
}

static enum orr_code judge_table(const struct orr_perf_work *work, struct orr_perf_table *table,
                                 struct orr_perf_machine *machine, struct orr_error *err)
{
    const struct orr_result_table *measured = table->measured;
    const char *why = "";
    table->test = work->question->test != ORR_TEST_COUNT ? work->question->test : measured->test;
    table->rows = ORR_NEW(work->arena, struct orr_perf_row, (size_t)measured->row_count + 1);
    table->row_count = measured->row_count;
    table->main = UINT32_MAX;
    table->verdict = ORR_PERF_CANNOT_JUDGE;
    table->machine = table->machine_name = "";
    table->machine_source = "none";
    ORR_NEED(table->rows, err);
    if (work->results->rccl) {
        why = "the results are of RCCL, AMD's library, whose algorithms Orrery does not know";
        orr_perf_judge_rows(NULL, NULL, table);
    } else if (table->test == ORR_TEST_COUNT) {
        why = "the results do not name the operation; name it with --collective";
        orr_perf_judge_rows(NULL, NULL, table);
    } else {
        if (!measured->test_certain && work->question->test == ORR_TEST_COUNT)
            orr_perf_assume(table, orr_arena_text(work->arena, "the results are of %s, as their columns show",
                                                  orr_test_programs[table->test].name));
        ORR_TRY(orr_perf_machine_find(work, table, machine, err));
        if (machine->own)
            orr_perf_assume(table, work->release_note);
        why = machine->why;
        if (!machine->analysis)
            orr_perf_judge_rows(NULL, NULL, table);
        else
            ORR_TRY(judge_on(work, machine, table, &why, err));
        if (machine->analysis)
            ORR_TRY(orr_perf_depend(work, machine, table, err));
        doubt_guess(table);
        if (machine->analysis && is_through_memory(work, table)) {
            table->verdict = ORR_PERF_CANNOT_JUDGE;
            why = "these GPUs have no P2P, and how fast data passes through host memory depends on the CPUs";
        }
    }
    if (machine->analysis) {
        find_crossovers(table);
        find_rate(table);
    }
    orr_perf_find_shapes(work, table);
    if (table->verdict == ORR_PERF_LOW)
        ORR_TRY(orr_perf_explain(work, table, err));
    ORR_TRY(orr_perf_find_leads(work, table, err));
    if (orr_perf_is_untimed(table) || orr_perf_is_cold(table)) {
        table->verdict = ORR_PERF_CANNOT_JUDGE;
        table->main = UINT32_MAX;
        why = orr_perf_is_cold(table) ? "the times are those of first operations, which open connections"
                                      : "the times are not those of the operation";
    }
    table->sentence = orr_perf_sentence(work, table, why);
    return ORR_OK;
}

/* The release that the results name, or the nearest emulated one, unless the user names a release. */
static enum orr_code choose_release(const char *library, struct orr_arena *arena, struct orr_perf_question *question,
                                    const char **ret_note, struct orr_error *err)
{
    struct orr_release_choice choice;
    struct orr_error none = {0};
    const struct orr_settings given = question->settings;
    *ret_note = "";
    if (question->release_given)
        return ORR_OK;
    if (!library || orr_release_choose(library, true, &choice, &none) != ORR_OK) {
        *ret_note = orr_arena_text(
            arena, "NCCL %s, as the results do not name their release (--release says otherwise)", given.release->name);
        return ORR_OK;
    }
    if (strcmp(library, choice.release->name) != 0)
        *ret_note =
            orr_arena_text(arena, "NCCL %s is emulated for %s, which the results name", choice.release->name, library);
    return orr_settings_for(&question->settings, choice.release, &given, err);
}

/* A check, with the objects that its tables borrow. */
struct held {
    struct orr_perf_check check;
    struct orr_perf_machine *machines;
};

enum orr_code orr_perf_judge(const struct orr_results *results, const struct orr_perf_question *question,
                             struct orr_perf_check **ret_check, struct orr_error *err)
{
    static const int worst[] = {
        [ORR_PERF_EXPECTED] = 1, [ORR_PERF_LOW] = 3, [ORR_PERF_HIGH] = 2, [ORR_PERF_CANNOT_JUDGE] = 0};
    struct orr_arena *arena = orr_arena_new(0);
    struct held *held = arena ? ORR_NEW(arena, struct held, 1) : NULL;
    if (!held) {
        orr_arena_free(arena);
        return orr_fail_nomem(err);
    }
    *held = (struct held){.check = {.table_count = results->table_count, .arena = arena}};
    held->machines = ORR_NEW(arena, struct orr_perf_machine, (size_t)results->table_count + 1);
    held->check.tables = ORR_NEW(arena, struct orr_perf_table, (size_t)results->table_count + 1);
    enum orr_code code = held->machines && held->check.tables ? ORR_OK : orr_fail_nomem(err);
    struct orr_trials trials = {.left = {ORR_PERF_TRIALS, ORR_PERF_STEPS}};
    struct orr_perf_question asked = *question;
    const char *release_note = "";
    if (code == ORR_OK)
        code = choose_release(results->library, arena, &asked, &release_note, err);
    if (code == ORR_OK)
        code = orr_perf_read_settings(results, &asked, arena, &held->check, err);
    const struct orr_perf_work work = {.trials = &trials,
                                       .results = results,
                                       .question = &asked,
                                       .check = &held->check,
                                       .release_note = release_note,
                                       .arena = arena};
    if (code == ORR_OK) {
        memset(held->machines, 0, (results->table_count + 1) * sizeof *held->machines);
        memset(held->check.tables, 0, (results->table_count + 1) * sizeof *held->check.tables);
    } else {
        held->check.table_count = 0;
    }
    for (uint32_t i = 0; i < held->check.table_count && code == ORR_OK; i++) {
        struct orr_perf_table *table = &held->check.tables[i];
        held->machines[i].why = "";
        table->measured = &results->tables[i];
        struct orr_perf_question own = asked;
        struct orr_perf_work of_table = work;
        of_table.question = &own;
        if (table->measured->library)
            code = choose_release(table->measured->library, arena, &own, &of_table.release_note, err);
        if (code == ORR_OK)
            code = judge_table(&of_table, table, &held->machines[i], err);
        if (worst[table->verdict] >= worst[held->check.tables[held->check.main].verdict])
            held->check.main = i;
    }
    if (code == ORR_OK)
        orr_perf_compare_tables(&work, &held->check);
    if (code == ORR_OK)
        orr_perf_compare_releases(&work, &held->check);
    if (code != ORR_OK) {
        orr_perf_check_free(&held->check);
        return code;
    }
    *ret_check = &held->check;
    return ORR_OK;
}

void orr_perf_check_free(struct orr_perf_check *check)
{
    struct held *held = (struct held *)check;
    for (uint32_t i = 0; held && held->machines && i < check->table_count; i++)
        orr_perf_machine_release(&held->machines[i]);
    if (held)
        orr_arena_free(check->arena);
}
